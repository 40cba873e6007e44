"""Responses to CES: annotated programs, read and compared by its rules and by value, and lines of programs."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from lm_eval_codemind.answers import blocks
from lm_eval_codemind.answers.literals import literal_or
from lm_eval_codemind.answers.normal import readings
from lm_eval_codemind.answers.thinking import without_thinking

Marks = dict[int, dict[str, str]]
"""Line, from 0 -> name of a mark -> its value as text."""

_MARK = re.compile(r"\[CONDITION\](.*?)\[/CONDITION\]|\[BRANCH\](.*?)\[/BRANCH\]|\[STATE\](.*?)\[/STATE\]")
_COMMENT = re.compile(r"\s*## \[(?:STATE|CONDITION|BRANCH)\].*")
_BLOCKS = tuple(
    blocks.Marks(re.compile(begin), re.compile(end))
    for begin, end in ((r"\[ANSWER\]", r"\[/ANSWER\]"), (r"\[PYTHON\]", r"\[/PYTHON\]"), ("```python", "```(?!python)"))
)
_OUTPUT = blocks.Marks(re.compile(r"\[OUTPUT\]"), re.compile(r"\[/OUTPUT\]"))


def annotated_code(response: str) -> str:
    """Return the annotated program in a response; empty without one. Later marks may stand inside of earlier ones."""
    code, is_marked = without_thinking(response) or "", False
    for marks in _BLOCKS:
        begin = marks.begin.search(code)
        if begin:
            block = next(blocks.blocks(code, marks), None)
            # A response that breaks off has no second mark.
            code, is_marked = (code[begin.end() :] if block is None else block).lstrip("\n"), True
    return code if is_marked else ""


def stated_output(response: str) -> str | None:
    """Return the text of the last output, which may break off; None without its mark."""
    text = without_thinking(response) or ""
    block = next(blocks.blocks(text, _OUTPUT, empty=True), None)
    if block is None:
        _, mark, after = text.rpartition("[OUTPUT]")
        block = after if mark else None
    return None if block is None else block.strip("\n")


def laid_out_as(code: str, program: str) -> str:
    """Return an annotated program with its first function on the line that it has in the program.

    CES finds marks by their lines, and first adds the import and the empty lines that most answers leave out.
    """
    here, there = (
        next((n for n, line in enumerate(text.split("\n")) if line.startswith("def ")), 0) for text in (code, program)
    )
    return "\n" * (there - here) + code if code else ""


def read_marks(code: str) -> Marks:
    """Return the marks in an annotated program."""
    marks: Marks = {}
    for number, line in enumerate(code.split("\n")):
        comment = line.rpartition("## ")[2] if _COMMENT.search(line) else ""
        for groups in _MARK.findall(comment):
            name, _, value = "".join(groups).rpartition("=")
            marks.setdefault(number, {})[name] = value
    return marks


def on_lines_of(code: str, program: str) -> Marks:
    """Return the marks of an annotated program by the lines of the program itself, which it may lay out otherwise."""
    places = [line.strip() for line in program.split("\n")]
    marks, start = {}, 0
    by_line = read_marks(code)
    for number, line in enumerate(code.split("\n")):
        bare = _COMMENT.sub("", line).strip()
        if bare and bare in places[start:]:
            start = places.index(bare, start) + 1
            if number in by_line:
                marks[start - 1] = by_line[number]
    return marks


@lru_cache(maxsize=10_000)
def value_of(text: str) -> Any:
    """Return the value of a literal, or the text itself. The value is never evaluated. Callers must not change it."""
    return literal_or(text, text)


def list_of(text: str) -> list[Any]:
    """Return the list that a mark states; a single value is a list of one."""
    value = value_of(text)
    return value if isinstance(value, list) else [value]


def same_values(text: str | None, values: Sequence[Any], nested: bool = False) -> bool:
    """Whether a mark states the recorded values by CES's rule: the same list, or an ellipsis between the same ends.

    If ``nested``, as for an iterable, the first value alone is enough if it is a list.
    """
    if text is None:
        return False
    answer = list_of(text)
    if answer == values:
        return True
    if nested and (not values or isinstance(values[0], list)):
        return not values or answer == values[0] or _elided(answer, values[0])
    return _elided(answer, values)


def _elided(answer: Sequence[Any], values: Sequence[Any]) -> bool:
    return Ellipsis in answer and bool(values) and answer[0] == values[0] and answer[-1] == values[-1]


def numbered(answer: str, program: str) -> str:
    """Return the number of the line of a program that an answer repeats; the answer if it repeats no single one.

    CES asks for the text of the buggy line. The first line of the answer that occurs once in the program counts.
    """
    lines = [line.strip() for line in program.split("\n")]
    rows = (row.strip() for reading in readings(answer) for row in reading.split("\n"))
    return next((str(lines.index(row) + 1) for row in rows if row and lines.count(row) == 1), answer)
