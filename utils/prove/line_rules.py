"""Rules that name a line of a buggy program by its form alone."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

Rule = Callable[[Sequence[str], Sequence[int]], int]

_TOKENS = re.compile(r"\w+|[^\w\s]")
_CONDITION = re.compile(r"\s*(?:\}\s*)?(?:if|elif|else if|while)\b")


def body_of(lines: Sequence[str]) -> list[int]:
    """Return the numbers of the lines, from 1, that a rule chooses from: those with a word, behind the first header."""
    first = next((n for n, line in enumerate(lines, 1) if re.match(r"\s*(?:def |public )", line)), 0)
    return [n for n, line in enumerate(lines, 1) if n > first and re.search(r"\w", line)] or [len(lines)]


def _most(count: Callable[[str], int]) -> Rule:
    return lambda lines, body: max(body, key=lambda number: count(lines[number - 1]))


def _last(pattern: str) -> Rule:
    return lambda lines, body: max((n for n in body if re.match(pattern, lines[n - 1])), default=body[-1])


def _first_condition(lines: Sequence[str], body: Sequence[int]) -> int:
    return next((number for number in body if _CONDITION.match(lines[number - 1])), body[0])


RULES: Mapping[str, Rule] = {
    "longest line of the body": _most(lambda line: len(line.strip())),
    "most digits": _most(lambda line: len(re.findall(r"\d", line))),
    "most tokens": _most(lambda line: len(_TOKENS.findall(line))),
    "last return": _last(r"\s*return\b"),
    "first condition": _first_condition,
    "last if": _last(r"\s*(?:\}\s*)?(?:else )?if\b|\s*elif\b"),
    "deepest line": _most(lambda line: len(line) - len(line.lstrip())),
    "middle": lambda lines, body: body[len(body) // 2],
}


def named(program: str) -> dict[str, int]:
    """Return the line that each rule chooses."""
    lines = program.split("\n")
    body = body_of(lines)
    return {name: rule(lines, body) for name, rule in RULES.items()}


def has_unused_name(program: str) -> bool:
    """Whether a program assigns to a name, or has a parameter, that occurs nowhere else in it."""
    header = next((line for line in program.split("\n") if re.match(r"\s*(?:def |public )", line)), "")
    names = re.findall(r"(\w+) = ", program) + re.findall(r"(\w+)(?=[,:)])", header)
    counts = Counter(re.findall(r"[A-Za-z_]\w*", program))
    return any(counts[name] == 1 for name in names)


def chance(program: str, accepted: Collection[int]) -> float:
    """Return the probability that a line of the body, drawn at random, is accepted."""
    body = body_of(program.split("\n"))
    return len(set(accepted) & set(body)) / len(body)
