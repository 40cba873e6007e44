"""REval's own reading and comparison of answers about runtime behaviour."""

import re
from collections.abc import Sequence

from lm_eval_codemind.answers.blocks import Marks, blocks
from lm_eval_codemind.answers.comparison import same_value
from lm_eval_codemind.answers.literals import NotALiteralError, literal_or
from lm_eval_codemind.answers.thinking import without_thinking

_MARKS = Marks(re.compile(r"\[ANSWER\]"), re.compile(r"\[/ANSWER\]"))
# What ends the reasoning that the form "cot" asks for.
REASONED = "[/THOUGHT]"
_TRIVIAL = ("assertTrue(True)", "assertFalse(False)", "assert True", "assert False", "assertTrue(False)")


def answer_of(response: str) -> str:
    """Return the text that REval scores: between ``[ANSWER]`` and ``[/ANSWER]``, or the whole response."""
    text = without_thinking(response, _MARKS) or ""
    block = next(blocks(text, _MARKS), None)
    # In REval's prompts the opening mark is the last word of the prompt.
    return (text.rpartition("[ANSWER]")[2].partition("[/ANSWER]")[0] if block is None else block).strip()


def coverage(answer: str) -> bool:
    """Return REval's reading of a coverage answer: True if the first three letters are YES, otherwise False."""
    return answer.strip()[:3].upper() == "YES"


def state(answer: str, values: Sequence[tuple[str, str]]) -> bool:
    """Whether REval accepts an answer about a variable.

    The answer ``value; type`` is split at the last semicolon. The type in lower case must be an accepted value's type.
    Floats may differ by 1e-6; other values must equal an accepted value. Without accepted values, "Nil" is right.
    Accepted values are pairs of ``repr`` and the type's name with its module.
    """
    if not values:
        return answer.strip().lower() == "nil"
    text, mark, type_text = answer.rpartition(";")
    if not mark or type_text.strip().lower() not in _types(values):
        return False
    value = literal_or(text, NotALiteralError)
    if value is NotALiteralError:
        return any(text.strip() == accepted for accepted, _ in values)
    return any(_same(value, accepted) for accepted, _ in values)


def is_answerable(values: Sequence[tuple[str, str]]) -> bool:
    """Whether there is an answer that :func:`state` accepts.

    There is no such answer if all type names contain capitals, because REval compares them with a lower-case name.
    """
    return not values or any(name == name.lower() for name in _types(values))


def _types(values: Sequence[tuple[str, str]]) -> set[str]:
    return {name.rpartition(".")[2] for _, name in values} | {name for _, name in values}


def _same(value: object, accepted: str) -> bool:
    right = literal_or(accepted, NotALiteralError)
    if isinstance(value, float) and isinstance(right, (int, float)):
        return abs(value - right) <= 1e-6
    try:
        return bool(value == right)
    except RecursionError:
        return same_value(value, right)


def path(answer: str, next_lines: Sequence[int], lines: Sequence[str]) -> bool:
    """Whether REval accepts an answer about the next line: the line's text, or -1 for the end.

    An answer names every line of the program with the same text. Accepted are the numbers of lines, -1 for the end.
    """
    accepted = {"-1" if number == -1 else lines[number - 1].strip() for number in next_lines}
    return answer.strip() in accepted


def assertions(answer: str, masked: str) -> str | None:
    """Return the statements that REval executes to score an output; None for an answer that it refuses to execute.

    Missing lines are copied from the start of the question. The answer must have as many ``assert`` as the question,
    and none may be trivial. The answer is right if its execution raises no exception.
    """
    lines, masked_lines = answer.strip().splitlines(), masked.splitlines()
    if len(lines) < len(masked_lines):
        lines = masked_lines[: len(masked_lines) - len(lines)] + lines
    text = "\n".join(lines)
    if text.count("assert") < masked.count("assert") or any(each in text for each in _TRIVIAL):
        return None
    return text
