"""Further inputs of a problem: mutations of the problem's input and of its tests' inputs."""

import ast
import copy
import hashlib
from collections.abc import Callable
from random import Random
from typing import Any

from lm_eval_codemind.languages.python import python_kind
from lm_eval_codemind.problems import Problem

_ATTEMPTS = 40  # per requested input; a program without arguments has no further inputs


def further_inputs(problem: Problem, count: int) -> list[str]:
    """Return up to `count` inputs that the problem's tests do not have, in the form of ``problem.input``.

    The random seed is the problem's name, so the inputs are the same on every machine. A mutation changes constants in
    calls and test methods, and numbers, words or lines on stdin. About one mutation in ten changes a value's type.
    """
    kind = python_kind(problem)
    known = kind.known_inputs(problem)
    mutate = _mutated_text if kind.printed else _mutated_source
    rng = Random(int.from_bytes(hashlib.sha256(problem.problem_id.encode()).digest(), "big"))
    found: dict[str, None] = {}
    for _ in range(count * _ATTEMPTS):
        if len(found) == count:
            break
        text = rng.choice(known)
        for _ in range(1 + rng.randrange(3)):
            text = mutate(text, rng)
        if text not in known:
            found[text] = None
    return list(found)


def _mutated_source(source: str, rng: Random) -> str:
    """Return Python source with one changed constant, list, tuple, set or dict."""
    tree = ast.parse(source)
    # Each place is a list with a position, or the fields of a node with a name.
    places: list[tuple[Any, Any]] = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Expr, ast.JoinedStr, ast.MatchValue)):
            continue
        for name, value in ast.iter_fields(node):
            holder: Any = value if isinstance(value, list) else vars(node)
            for key, item in enumerate(value) if isinstance(value, list) else [(name, value)]:
                changeable = isinstance(item, (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set))
                if changeable and isinstance(getattr(item, "ctx", ast.Load()), ast.Load):
                    places.append((holder, key))
    if not places:
        return source
    holder, key = rng.choice(places)
    holder[key] = _changed(holder[key], rng)
    return ast.unparse(ast.fix_missing_locations(tree))


def _changed(node: ast.expr, rng: Random) -> ast.expr:
    if rng.randrange(10) == 0:
        value: Any = rng.choice([None, 0, -1, True, 2.5, "", "a", [], (), {}, [1, "x"]])
        return ast.parse(repr(value), mode="eval").body
    if isinstance(node, ast.Constant):
        return ast.parse(repr(_changed_value(node.value, rng)), mode="eval").body
    node = copy.deepcopy(node)
    if isinstance(node, ast.Dict):
        if node.keys:
            place = rng.randrange(len(node.keys))
            del node.keys[place], node.values[place]
        return node
    assert isinstance(node, (ast.List, ast.Tuple, ast.Set))
    node.elts = _changed_sequence(node.elts, rng)
    # `{}` is a dictionary.
    return ast.parse("set()", mode="eval").body if isinstance(node, ast.Set) and not node.elts else node


def _changed_value(value: Any, rng: Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice([value + 1, value - 1, -value, 0, 1, value * 2, value // 2, rng.randrange(-20, 100)])
    if isinstance(value, float):
        return rng.choice([value + 1, -value, 0.0, value / 2, float(rng.randrange(-10, 10)), value * 1.5])
    if isinstance(value, str):
        return _changed_text(value, rng)
    if isinstance(value, bytes):
        return bytes(_changed_sequence(list(value), rng))
    return value


def _changed_text(text: str, rng: Random) -> str:
    changes: list[Callable[[], str]] = [
        lambda: "".join(_changed_sequence(list(text), rng)),
        text.swapcase,
        lambda: text[::-1],
        lambda: text + rng.choice([" ", "a", "Z", "0", "é", "\n", "(", "-"]),
        lambda: rng.choice(["", " ", "abc", "1", "AbA"]),
    ]
    return rng.choice(changes)()


def _changed_sequence(items: list[Any], rng: Random) -> list[Any]:
    if not items:
        return items
    first, second = rng.randrange(len(items)), rng.randrange(len(items))
    changed = list(items)
    kind = rng.randrange(4)
    if kind == 0:
        del changed[first]
    elif kind == 1:
        changed.insert(second, items[first])
    elif kind == 2:
        changed[first], changed[second] = items[second], items[first]
    else:
        changed.reverse()
    return changed


def _mutated_text(text: str, rng: Random) -> str:
    """Return the text of stdin with one word or line changed."""
    lines = text.splitlines()
    if not lines:
        return "1\n"
    if len(lines) > 1 and rng.randrange(8) == 0:
        return "\n".join(_changed_sequence(lines, rng)) + "\n"
    place = rng.randrange(len(lines))
    words = lines[place].split(" ")
    word = rng.randrange(len(words))
    if words[word].lstrip("-").isdecimal() and len(words[word]) < 20:
        words[word] = str(_changed_value(int(words[word]), rng))
    else:
        words[word] = _changed_text(words[word], rng)
    lines[place] = " ".join(words)
    return "\n".join(lines) + "\n"
