"""Specifications without examples: docstrings from which every example is removed.

Upstream's docstrings mix the description with examples in many forms: doctests, calls followed by ``==`` or ``=>`` or
"returns", "For x = ... the output should be ...", blocks headed "Example 1:" with input, output and explanation,
"For example ..." inside a sentence. They are found by form, line by line; nothing is rewritten.
"""

import ast
import copy
import inspect
import re
import textwrap

from lm_eval_codemind.languages.python.names import definition, is_text
from lm_eval_codemind.languages.python.unparse import unparse

_ARROW = r"(?:==+>?|=>|->|\u279e|=|#|(?<=\s)(?:returns?|should return|is)\b)"

# A line that opens a block of examples, or any line that gives one by itself.
_HEADING = re.compile(
    r"\W*(?:for\s+)?(?:e\.?g\.?|exam[pb]les?|instance|\[input/output\] samples|it must be implemented like this)"
    r"\s*\d*\s*[:.]?\s*$",
    re.IGNORECASE,
)
_DOCTEST = re.compile(r"\s*>>>")
_CALL_WITH_VALUE = re.compile(
    rf"\s*(?:[-*\d.]+\s+)?(?:for\s+|assert\s+)?[A-Za-z_]\w*\s*\((?P<arguments>.*)[)\]]\s*{_ARROW}"
)
_OPEN_CALL = re.compile(r"\s*(?P<name>[A-Za-z_]\w*)\((?P<rest>[^)]*)$")
_GIVEN = re.compile(r"\s*for\s+\w+\s*=.*\b(?:output|result|sum)\b", re.IGNORECASE)
_IN_EXAMPLE = re.compile(r"\s*(?:(?:arr|return)\s*=|return \[|(?:->|=>)\s)", re.IGNORECASE)

# The words that a value is written with, in Python and in Java.
_VALUES = frozenset({"True", "False", "None", "Arrays", "asList"})

# Text after examples that continues the description: a section with a heading, or a sentence without a value.
_SECTION = re.compile(r"\s*(?:notes?|constrain(?:ts?)?|variables|restrictions)\s*:|\s*output\s*:\s*$", re.IGNORECASE)
_SENTENCE = re.compile(
    r"\s*(?!input\b|output\b|explanation\b|for\b|example)[A-Z][a-z]*(?:[ ,'-]+[A-Za-z]+){3,}[^\d\[\]()\"']*$"
)

# A sentence that is an example: "e.g. -123 has ...", "For example, if ...", with a value in it, up to its full stop.
_INLINE = re.compile(
    r"""(?:(?<=[.!?:\n])|^)[ \t]*\n?[ \t]*
        (?:\be\.g\.(?=\s[-(\d])|(?:\bfor\ )?\bexample\b[:,]?\s(?=[^\n]*[\d'"(]|[^\n]*\n[^\n]*['"(]))
        (?:[^.\n]|\.(?!\s|$)|\n(?!\s*\n))*
        (?:\.(?=\s|$)|$|(?=\n\s*\n))""",
    re.IGNORECASE | re.VERBOSE,
)


def without_examples(text: str, base_cases: bool = False) -> str:
    """Return a description without its examples.

    Args:
        base_cases: Whether lines such as ``f(0) == 0`` in front of any heading belong to the definition of what is to
            be computed: then they stay.
    """
    prose_lines: list[str] = []
    state = "prose"  # "doctest": up to the next blank line; "examples": up to a section or a sentence
    after_heading = False
    for line in _join_open_calls(text.split("\n")):
        if _HEADING.match(line):
            state, after_heading = "examples", True
        elif _DOCTEST.match(line):
            state = "doctest"
        elif state == "doctest" and not line.strip():
            state = "examples" if after_heading else "prose"
        elif state == "examples" and (_SECTION.match(line) or _SENTENCE.match(line)):
            state = "prose"
            prose_lines.append(line)
        elif state == "prose" and not _is_example(line, base_cases and not after_heading, after_heading):
            prose_lines.append(line)
    prose = _INLINE.sub("", "\n".join(line.rstrip() for line in prose_lines))
    return re.sub(r"\n{3,}", "\n\n", prose).strip()


def _is_example(line: str, base_cases: bool, after_heading: bool) -> bool:
    """Whether a line inside the description is an example by itself."""
    if _GIVEN.match(line) or (after_heading and _IN_EXAMPLE.match(line)):
        return True
    call = _CALL_WITH_VALUE.match(line)
    if call is None or base_cases:
        return False
    names = set(re.findall(r"[A-Za-z_]\w*", re.sub(r"'[^']*'|\"[^\"]*\"", "", call["arguments"])))
    return names <= _VALUES  # with a variable in it, it is an equation


def _join_open_calls(lines: list[str]) -> list[str]:
    """Return the lines with a call whose brackets span several lines joined to one."""
    joined: list[str] = []
    for line in lines:
        previous = joined[-1] if joined else ""
        opened = _OPEN_CALL.match(previous) and previous.count("(") > previous.count(")")
        if opened and line.strip() and not _DOCTEST.match(previous):
            joined[-1] = f"{previous} {line.strip()}"
        else:
            joined.append(line)
    return joined


def function_specification(source: str, entry_point: str, base_cases: bool = False) -> str:
    """Return a function's signature with its description as docstring, examples removed.

    Args:
        source: A module that defines the function; its docstring need not be the first statement (HumanEval/115).
        base_cases: As for :func:`without_examples`.
    """
    function = definition(ast.parse(source), entry_point)
    texts = [part.value.value for part in filter(is_text, function.body)]
    description = without_examples(inspect.cleandoc(texts[0]), base_cases) if texts else ""
    return with_docstring(signature(function), description)


def signature(function: ast.FunctionDef) -> str:
    """Return the ``def`` line of a function, decorators above it."""
    empty = copy.copy(function)
    empty.body = [ast.Pass()]
    return unparse(empty).rsplit("\n", 1)[0]


def with_docstring(head: str, description: str) -> str:
    """Return a ``def`` line with a docstring below it; the ``def`` line alone where there is no description."""
    if not description:
        return head + "\n"
    quotes = "'''" if '"""' in description else '"""'
    body = f"{quotes}\n{description}\n{quotes}".replace("\\", "\\\\")
    return f"{head}\n{textwrap.indent(body, '    ')}\n"
