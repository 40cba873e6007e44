"""The items whose REval labels differ from execution, with the cause.

The comparison covers all runs of a line: the values after it, and the next lines. REval accepts any value of the set.
An item differs if the sets differ.
"""

from __future__ import annotations

from lm_eval_codemind.data.facts import shipped

# Why REval's values after a line are not the right ones. A closed set.
STATE_CAUSES: dict[str, str] = {
    "undefined": "the variable does not exist at this line, so no answer is right",
    "callee": "REval took the values in a function that the line calls",
    "later": "the line ended its call; REval took the values in a later call",
    "caller": "the line ended its call; REval took the values in the caller",
    "return": "the line ended its call; REval recorded a return without values",
    "expression": "REval took the values in a comprehension, generator expression or lambda",
    "last": "no line runs after this one; REval took the values before it",
    "pairs": "REval paired every container with every index, or every part of a tuple with every other part",
    "index": "REval did not evaluate the index",
    "merged": "REval took several runs of a loop on one line as one",
}
# Likewise for the next line.
PATH_CAUSES: dict[str, str] = {
    "again": "REval took the return from the line as another run of the line",
    "return": "REval took a return to the caller as a run of the caller's line",
    "expression": "REval took the frame of a comprehension as a run of the line",
    "merged": "REval took several runs of a line as one",
    "later": "REval took the definition of a called function as executed",
}

# Program -> input -> line -> cause of the state, cause of the path; "" where they are right.
Differences = dict[str, dict[str, dict[str, list[str]]]]


def load_differences() -> Differences:
    """Return the shipped differences."""
    return dict(shipped.load("runtime_labels/reval_differences.json"))
