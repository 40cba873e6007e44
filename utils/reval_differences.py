"""Where REval's labels differ from what execution shows, and why.

Compared is what both mean: of all runs of a line the values after it and the lines next to it. REval accepts any of
them; an item differs where the sets do.
"""

from __future__ import annotations

from lm_eval_codemind.facts import shipped

# Why REval's values after a line are not the right ones. A closed set.
STATE_CAUSES: dict[str, str] = {
    "undefined": "the variable does not exist there, so that no answer is right",
    "callee": "values of a function that the line calls",
    "later": "the line ended its call: values of a later call",
    "caller": "the line ended its call: values of the caller",
    "return": "the line ended its call: a return, noted without values",
    "expression": "values of a comprehension, generator expression or lambda",
    "last": "nothing runs after the line: values before it",
    "pairs": "every container is paired with every index, every part of a tuple with every other",
    "index": "the index is not interpreted",
    "merged": "several runs of a loop on one line are taken as one",
}
# Likewise for the next line.
PATH_CAUSES: dict[str, str] = {
    "again": "the return from the line is taken as another run of it",
    "return": "a return to the caller is taken as its line being executed",
    "expression": "a comprehension's own frame is taken as a run of the line",
    "merged": "several runs of a line are taken as one",
    "later": "the definition of a function that is called is taken as executed",
}

# Program -> input -> line -> cause of the state, cause of the path; "" where they are right.
Differences = dict[str, dict[str, dict[str, list[str]]]]


def load_differences() -> Differences:
    """Return the shipped differences."""
    return dict(shipped.load("runtime_labels/reval_differences.json"))
