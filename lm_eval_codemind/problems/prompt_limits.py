"""Which cases of a script a prompt shows: the first ones that a model can read and answer."""

from collections.abc import Iterable

from lm_eval_codemind.problems.record import Case

SHOWN_CHARACTERS = 2_000
"""The maximum characters of input and output in a prompt; upstream's test suites have cases of two million."""

PROGRAM_CHARACTERS = 12_000
"""The maximum length of a program in a prompt with its input and output; some of CodeNet's have tables of 90,000."""

TEST_CASES = 2
"""The maximum number of cases of a script's test suite that a prompt shows as its test, as far as they fit."""


def as_text(cases: Iterable[Case]) -> str:
    """Return cases as a prompt shows them: what is read and what is printed."""
    return "\n\n".join(f"Input:\n{case.input.strip()}\nOutput:\n{case.output.strip()}" for case in cases)


def beyond_prompt(code: str, input: str, output: str) -> bool:
    """Whether a program with its input and output is beyond what a prompt shows."""
    return len(code) + len(input) + len(output) > PROGRAM_CHARACTERS


def shown_cases(cases: Iterable[Case], count: int) -> tuple[Case, ...]:
    """Return the first cases that fit, input and output together, into what the others leave of SHOWN_CHARACTERS.

    The output counts also where it is not shown, since the model has to write it.

    Args:
        cases: The cases to choose from, in their order.
        count: How many to return; fewer if no more fit.
    """
    shown: list[Case] = []
    budget = SHOWN_CHARACTERS
    for case in cases:
        size = len(case.input) + len(case.output)
        if len(shown) < count and size <= budget:
            shown.append(case)
            budget -= size
    return tuple(shown)
