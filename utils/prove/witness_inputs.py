"""Inputs that may become witnesses: changes of the inputs that a problem publishes, of the same types."""

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from random import Random
from typing import Any

from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.proof.equivalence import further_inputs
from lm_eval_codemind.workshop.python.inputs import call_tree
from lm_eval_codemind.workshop.python.kinds import workshop_kind
from lm_eval_codemind.workshop.python.mutation import Branch, changed_inputs, string_constants, text_tree
from lm_eval_codemind.workshop.python.stdin_format import StdinFormat

_BASES = 6
_CHANGES = 40
_FURTHER = 50
_CROSSINGS = 60
_CANDIDATES = 150
_FEW = 20
# Inputs with values at a bound: so many of one input, and of its places those that are tried one by one.
_EDGES, _PLACES = 150, 8
_FAR = (0, 1, 2, 3, 7, 10, 50, 100, 1000)
# A longer input is no good to read.
_LONGEST = 1_000
_EXTREME: dict[type, tuple[Any, ...]] = {
    int: (0, 1, -1, 2, 10, 100),
    float: (0.0, 1.0, -1.5),
    str: ("", " ", "a", "Ab1 -z", "zz", "The quick brown fox jumps over 13 lazy dogs, é!"),
}
_NUMBER, _DIGIT, _TEXT, _DATE = map(re.compile, (r"\d+", r"\d", r"\S+", r"\d+(?:[/:-]\d+)+"))


def candidates(problem: Problem, seed: int, loose: bool = False, outside: bool = False) -> list[str]:
    """Return inputs for a problem in Python that its suite does not have, the same on every machine.

    Args:
        problem: The problem.
        seed: A number; other seeds give other inputs.
        loose: Whether standard input may leave the format that the suite's inputs have in common, but for the number
            of words on each line, if there are few inputs in that format.
        outside: Whether it may leave the format however many there are.
    """
    kind = workshop_kind(problem)
    known = [text for text in kind.known_inputs(problem) if len(text) <= _LONGEST]
    rng = Random(f"witnesses:{seed}:{problem.benchmark}:{problem.problem_id}")
    bases = [*known[:1], *rng.sample(known[1:], min(len(known) - 1, _BASES))] if known else []
    made: list[str] = []
    for base in bases:
        for bold in (False, True):
            made += kind.changed_inputs(problem, base, rng, _CHANGES // (1 + len(bases) // 3), bold)
    if kind.printed:
        if outside or (loose and len(set(made)) < _FEW):
            trees = [kind.input_tree(problem, base) for base in bases]
            words = frozenset(string_constants(problem.code))
            made += [text for tree in trees for text in changed_inputs(tree, words, rng, _CHANGES, bold=True)]
        made = [text for text in made if _in_size(text, known)]
        format = StdinFormat(known)
        made += _some(_edges(problem, bases, rng), rng, lambda text: format.allows(text) and _in_size(text, known))
        made = [text for text in made if laid_out(text, known)]
    elif bases:
        made += further_inputs(problem, _FURTHER)
    if problem.kind == "function":
        made += [text for base in bases[:3] for text in _extreme(call_tree(problem.entry_point, base))]
        plain = [text for text in map(_with_plain_dicts, bases) if text not in bases]
        made += _crossed(problem, [*bases, *made, *plain], rng)
        made += _some(_edges(problem, bases, rng), rng)
        allowed = [_types(problem, text) for text in known]
        made = [text for text in made if _within(_types(problem, text), allowed)]
    elif problem.kind == "method":
        placed = [each for text in known for each in _placed_types(text)]
        made = [text for text in made if all(any(_fits(each, one) for one in placed) for each in _placed_types(text))]
    new = [text for text in dict.fromkeys(made) if text not in known and len(text) <= _LONGEST]
    return rng.sample(new, min(len(new), _CANDIDATES + (_EDGES if kind.printed else _EDGES // 2)))


def scripts(known: Sequence[str], seed: str, constants: Iterable[str] = ()) -> list[str]:
    """Return texts of standard input in the format of those that are known."""
    known = [text for text in known if len(text) <= _LONGEST]
    if not known:
        return []
    rng, format = Random(seed), StdinFormat(known)
    made: list[str] = []
    for base in [*known[:1], *rng.sample(known[1:], min(len(known) - 1, _BASES))]:
        for bold in (False, True):
            tree = text_tree(base)
            made += changed_inputs(tree, frozenset(constants), rng, 10 * _CHANGES, format.pools(), bold)
    fitting = (text for text in dict.fromkeys(made) if text not in known and format.allows(text))
    return [text for text in fitting if _in_size(text, known) and laid_out(text, known)][: 4 * _CHANGES]


def far(problem: Problem) -> list[str]:
    """Return texts of standard input with numbers of another size than the known ones, or with the same everywhere."""
    made: list[str] = []
    for base in workshop_kind(problem).known_inputs(problem)[:_BASES]:
        places = list(_NUMBER.finditer(base))[:_PLACES]
        for value in map(str, _FAR):
            made.append(_NUMBER.sub(value, base))
            made += [f"{base[: place.start()]}{value}{base[place.end() :]}" for place in places]
        made += [_NUMBER.sub(rf"\g<0>{zeros}", base) for zeros in ("0", "00")]
    return list(dict.fromkeys(made))


def laid_out(text: str, known: Sequence[str]) -> bool:
    """Whether some known text has the same blanks, and dates and times of the same form.

    Programs that do the same on all inputs of a format may do different things with other blanks.
    """
    return _layout(text) in map(_layout, known)


def _layout(text: str) -> str:
    return _TEXT.sub(lambda word: _DIGIT.sub("0", word[0]) if _DATE.fullmatch(word[0]) else "w", text.rstrip("\n"))


def _in_size(text: str, known: Sequence[str]) -> bool:
    """Whether no number is more than twice as large as the largest that is known, so that none overflows."""
    largest = max([10, *(int(number) for each in known for number in _NUMBER.findall(each) if len(number) < 300)])
    return all(len(number) < 300 and int(number) <= 2 * largest for number in _NUMBER.findall(text))


def _constants(code: str) -> list[int | float | str]:
    """Return the numbers and the texts that a program in Python names."""
    found: set[Any] = {node.value for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Constant)}
    return sorted((value for value in found if type(value) in (int, float, str)), key=repr)


def _some(texts: Iterable[str], rng: Random, fits: Callable[[str], bool] = bool) -> list[str]:
    fitting = [text for text in sorted(set(texts)) if fits(text)]
    return rng.sample(fitting, min(len(fitting), _EDGES))


def _edges(problem: Problem, bases: Sequence[str], rng: Random) -> Iterator[str]:
    """Yield inputs in which one or two places have a value at a bound.

    That is a value that the program names, or another place has, or the next to it; a smallest one; or a text of one
    letter, in another order, or with a letter more, less or changed.
    """
    constants = _constants(problem.code)
    for base in bases:
        yield from _bounded(workshop_kind(problem).input_tree(problem, base), constants, rng)


def _bounded(tree: Branch, constants: Sequence[int | float | str], rng: Random) -> Iterator[str]:
    leaves = list(tree.leaves())
    bounds = [sorted(_bounds(leaf.value, [*constants, *(one.value for one in leaves)]), key=repr) for leaf in leaves]
    places = [place for place, values in enumerate(bounds) if values]

    def changed(chosen: Sequence[int], values: Sequence[Any]) -> str:
        copied = tree.copied()
        for place, value in zip(chosen, values, strict=True):
            list(copied.leaves())[place].change(value)
        return str(copied)

    for place in rng.sample(places, min(len(places), _PLACES)):
        yield from (changed([place], [value]) for value in bounds[place])
    for _ in range(_EDGES if len(places) > 1 else 0):
        pair = rng.sample(places, 2)
        yield changed(pair, [rng.choice(bounds[place]) for place in pair])


def _bounds(value: Any, others: Sequence[Any]) -> set[Any]:
    """Return values of the same type at a bound, for a value of an input, its program and other values."""
    if type(value) is int:
        whole = [other for other in (value, *others) if type(other) is int]
        near = {other + step for other in whole for step in (-1, 0, 1)} | {value // 2, 2 * value, *range(4)}
        return {other for other in near if other >= 0 or value < 0 or any(each < 0 for each in whole)}
    if type(value) is float:
        return {0.0, 1.0, *(float(other) for other in others if type(other) in (int, float) and abs(other) < 1e6)}
    if not isinstance(value, str) or not value:
        return set()
    texts = [other for other in others if isinstance(other, str) and other.strip() == other and " " not in other]
    letters = sorted({char for text in (value, *texts) for char in text if not char.isspace()})[:40]
    half = value[: (len(value) + 1) // 2]
    made = {*texts, value[::-1], "".join(sorted(value)), half + half[: len(value) // 2][::-1], value.swapcase()}
    made |= {value[1:], value[:-1], value + value[-1], value[0] + value, *(letter * len(value) for letter in letters)}
    middle = len(value) // 2
    made |= {value[:place] + char + value[place + 1 :] for place in (0, middle, len(value) - 1) for char in letters}
    return made - {""}


def _extreme(tree: Branch) -> Iterator[str]:
    """Yield inputs in which one literal has an extreme value, or one list is empty."""
    for place, leaf in enumerate(tree.leaves()):
        for value in _EXTREME.get(type(leaf.value), ()):
            changed = tree.copied()
            list(changed.leaves())[place].change(value)
            yield str(changed)
    for place, branch in enumerate(tree.branches()):
        if branch.kind in ("list", "dict") and branch.children:
            changed = tree.copied()
            other = list(changed.branches())[place]
            other.segments[:] = [branch.segments[0].strip()[:1] + branch.segments[-1].strip()[-1:]]
            other.children.clear()
            yield str(changed)


class _PlainDicts(ast.NodeTransformer):
    """Writes ``dict(a=1)`` as ``{'a': 1}``, whose keys may change."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Call(ast.Name("dict"), [], keywords) if all(keyword.arg for keyword in keywords):
                return ast.Dict([ast.Constant(keyword.arg) for keyword in keywords], [one.value for one in keywords])
        return node


def _with_plain_dicts(text: str) -> str:
    return ast.unparse(_PlainDicts().visit(ast.parse(text.strip(), mode="eval")))


def _crossed(problem: Problem, texts: Sequence[str], rng: Random) -> Iterator[str]:
    """Yield inputs that have arguments of two others, or whose parts have something to do with each other."""
    constants = sorted(string_constants(problem.code))
    for turn in range(_CROSSINGS if texts else 0):
        tree, other = (call_tree(problem.entry_point, rng.choice(texts)).copied() for _ in range(2))
        if len(tree.children) == len(other.children):
            tree.children[:] = [rng.choice(pair) for pair in zip(tree.children, other.children, strict=True)]
        for _ in range(turn % 3):
            _meet(tree, constants, rng)
        yield str(tree)


def _meet(tree: Branch, constants: Sequence[str], rng: Random) -> None:
    """Give a text, a number or a list something of another part of the input, or of the program's texts."""
    leaves = [leaf for leaf in tree.leaves() if type(leaf.value) in (str, int)]
    rows = [branch for branch in tree.branches() if branch.kind == "list" and branch.children]
    if rows and (not leaves or rng.random() < 0.3):
        row, source = rng.choice(rows), rng.choice(rows)
        times = rng.choice((1, 2, 4))
        children = [child.copied() for _ in range(times) for child in source.children]
        row.segments[:] = ["[", *[", "] * (len(children) - 1), "]"]
        row.children[:] = children
    elif leaves:
        leaf, other = rng.choice(leaves), rng.choice(leaves)
        if isinstance(leaf.value, str):
            pieces = [str(each.value) for each in leaves] + list(constants)
            piece = rng.choice(("", *pieces)) + rng.choice(pieces)
            place = rng.choice((0, len(leaf.value), rng.randrange(len(leaf.value) + 1)))
            joined = leaf.value[:place] + piece + leaf.value[place:]
            leaf.change(rng.choice((piece, piece[:1], piece[-1:], joined, joined)))
        else:
            size = len(other.value) if isinstance(other.value, str) else other.value
            leaf.change(rng.choice((size, size - 1, size + 1)))


def _types(problem: Problem, text: str) -> list[Any] | None:
    """Return the nested types of a call's arguments, the form of those that are no literals; None for no call."""
    try:
        body: Any = ast.parse(text.strip(), mode="eval").body
        return [_type_of(argument) for argument in (*body.args, *(keyword.value for keyword in body.keywords))]
    except (SyntaxError, AttributeError):
        return None


def _placed_types(test: str) -> list[tuple[str, Any]]:
    """Return the nested types of the literals in a test method, with their places: what is called, built or bound."""
    found: list[tuple[str, Any]] = []

    def visit(node: ast.AST, place: str) -> None:
        try:
            found.append((place, _type(ast.literal_eval(node))))
            return
        except (ValueError, TypeError):
            pass
        for field, value in ast.iter_fields(node):
            for number, child in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(child, ast.AST):
                    visit(child, f"{_name_of(node)} {field} {number if isinstance(node, ast.Call) else ''}")

    visit(ast.parse(test), "")
    return found


def _name_of(node: ast.AST) -> str:
    match node:
        case ast.Call(function):
            return ast.unparse(function)
        case ast.keyword(name) if name:
            return name
        case ast.Assign([ast.Subscript(target) | target]):
            return ast.unparse(target)
    return type(node).__name__


def _type_of(argument: ast.expr) -> Any:
    try:
        return _type(ast.literal_eval(_PlainDicts().visit(argument)))
    except (ValueError, TypeError):
        return type(argument)


def _type(value: Any) -> Any:
    if isinstance(value, dict):
        return dict, {_frozen(_type(key)) for key in value}, {_frozen(_type(item)) for item in value.values()}
    if isinstance(value, tuple):
        return tuple, [_type(item) for item in value]
    if isinstance(value, (list, set)):
        return type(value), {_frozen(_type(item)) for item in value}
    return type(value)


def _frozen(kind: Any) -> Any:
    if isinstance(kind, (tuple, list)):
        return tuple(map(_frozen, kind))
    return frozenset(kind) if isinstance(kind, set) else kind


def _within(types: list[Any] | None, allowed: Sequence[list[Any] | None]) -> bool:
    """Whether arguments have the types of a published input. What is empty has the types of any."""
    return types is not None and any(
        other is not None and len(types) == len(other) and all(map(_fits, types, other)) for other in allowed
    )


def _fits(kind: Any, other: Any) -> bool:
    if isinstance(kind, (set, frozenset)) and isinstance(other, (set, frozenset)):
        return not other or all(any(_fits(one, two) for two in other) for one in kind)
    if isinstance(kind, (tuple, list)) and isinstance(other, (tuple, list)):
        return len(kind) == len(other) and all(map(_fits, kind, other))
    return bool(kind == other)
