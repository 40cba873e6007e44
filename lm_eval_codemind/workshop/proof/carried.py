"""Outputs that need no execution: the published output with the changes between two inputs applied to it."""

from __future__ import annotations

import ast
import difflib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from lm_eval_codemind.answers.literals import literal_or
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.python.kinds import workshop_kind
from lm_eval_codemind.workshop.python.mutation import Branch, source_tree, text_tree
from lm_eval_codemind.workshop.python.words import in_case

_RUN = re.compile(r"[A-Za-z]+|\d+")
_NUMBERS = (int, float)


def carried_outputs(problem: Problem, changed: str) -> Iterator[str]:
    """Yield outputs for a changed input, made from the published input and output only. They may be equal.

    The rules: each literal, word or character of the output becomes what the same literal, word or character of the
    input became; so does each character of the longest part that output and input have in common; the pieces of text
    that differ between the inputs are replaced, removed or added in the output as well; and the numbers of the output
    grow by the difference, or the ratio, of the only number that changed.
    """
    kind = workshop_kind(problem)
    trees = [kind.input_tree(problem, text) for text in (problem.input, changed)]
    before, after = ([leaf.value for leaf in tree.leaves()] for tree in trees)
    output = problem.output or ""
    pairs = list(_pairs(before, after))
    changes = [(old, new) for old, new in pairs if type(old) is type(new) and (old != new)]
    whole = {(type(old), old): new for old, new in pairs}
    texts = [(old, new) for old, new in changes if isinstance(old, str)]
    words, characters = _words(texts), _characters(texts)
    same_length = [(old, new) for old, new in pairs if isinstance(old, str) and isinstance(new, str)]
    same_length = [(old, new) for old, new in same_length if len(old) == len(new)]

    def by_literal(value: Any) -> Any:
        return whole.get((type(value), value), value)

    def by(change: Callable[[str], str]) -> Callable[[Any], Any]:
        """Return a rule that changes the texts that are no literal of the input."""
        return lambda value: (
            change(value) if isinstance(value, str) and (str, value) not in whole else by_literal(value)
        )

    def in_pieces(text: str) -> str:
        for old, new in texts:
            for one, other in _pieces(old, new):
                text = text.replace(one, other, 1)
        return text

    for rule in (
        by_literal,
        by(lambda text: _RUN.sub(lambda run: in_case(words.get(run[0].lower(), run[0]), run[0]), text)),
        by(lambda text: "".join(characters.get(char, char) for char in text)),
        by(in_pieces),
        lambda value: _realigned(value, same_length) if isinstance(value, str) else by_literal(value),
    ):
        yield _mapped(output, rule, kind.printed)
    yield from _numbers(output, changes, kind.printed)
    yield from _elements(output, before, after)


def _pairs(before: Sequence[Any], after: Sequence[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the literals of two inputs that are in the same place, if necessary in the places that both have."""
    if len(before) == len(after):
        yield from zip(before, after, strict=True)
        return
    for _, start, end, first, last in _opcodes(before, after):
        yield from zip(before[start:end], after[first:last], strict=False)


def _opcodes(before: Sequence[Any], after: Sequence[Any]) -> Sequence[tuple[str, int, int, int, int]]:
    return difflib.SequenceMatcher(None, list(map(repr, before)), list(map(repr, after)), autojunk=False).get_opcodes()


def _words(texts: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """Return what each sequence of letters or digits became, in lower case."""
    words: dict[str, str] = {}
    for old, new in texts:
        runs = [_RUN.findall(text.lower()) for text in (old, new)]
        words.update(_pairs(*runs))
    return words


def _characters(texts: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """Return what each character became, letters in both cases."""
    characters: dict[str, str] = {}
    for old, new in texts:
        for one, other in _pairs(old, new):
            if one.isalpha() and other.isalpha():
                characters |= {one.swapcase(): other.swapcase()} if one.swapcase() not in characters else {}
            characters[one] = other
    return characters


def _pieces(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a text that differ from another, with up to one equal character in front of an addition."""
    for kind, start, end, first, last in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        front = max(0, start - 1) if kind == "insert" else start
        if kind != "equal" and front < end:
            yield old[front:end], old[front:start] + new[first:last]


def _realigned(text: str, inputs: Sequence[tuple[str, str]]) -> str:
    """Return a text of an output with the characters of a changed text in the places of the original text's.

    Of several texts of the input the one that is most like the output is used. Letters keep the case that the output
    gives them where it changes it.
    """
    matchers = [difflib.SequenceMatcher(None, _lower(old), _lower(text), autojunk=False) for old, _ in inputs]
    best = max(range(len(inputs)), key=lambda number: matchers[number].ratio(), default=None)
    if best is None:
        return text
    (old, new), characters = inputs[best], list(text)
    for start, at, size in matchers[best].get_matching_blocks():
        for offset in range(size):
            before, after = old[start + offset], new[start + offset]
            shown = text[at + offset]
            characters[at + offset] = after if shown == before else after.upper() if shown.isupper() else after.lower()
    return "".join(characters)


def _lower(text: str) -> str:
    """Return a text in lower case, with as many characters."""
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)


def _mapped(output: str, rule: Callable[[Any], Any], printed: bool) -> str:
    """Return an output with each of its literals changed by a rule, of a printed text each word."""
    tree = _tree(output, printed)
    for leaf in tree.leaves():
        value = rule(leaf.value)
        if printed and not isinstance(value, str) and isinstance(leaf.value, str):
            value = str(value)
        leaf.change(value)
    return str(tree)


def _tree(output: str, printed: bool) -> Branch:
    return text_tree(output) if printed else source_tree(output, [ast.parse(output.strip(), mode="eval").body])


def _numbers(output: str, changes: Sequence[tuple[Any, Any]], printed: bool) -> Iterator[str]:
    """Yield an output whose numbers grow by the difference, or the ratio, of the only number that changed."""
    numbers = set(changes) if all(type(old) in _NUMBERS for old, _ in changes) else set()
    if len(numbers) == 1:
        ((old, new),) = numbers
        yield _mapped(output, lambda value: value + new - old if type(value) in _NUMBERS else value, printed)
        if old:
            yield _mapped(output, lambda value: _scaled(value, new, old) if type(value) in _NUMBERS else value, printed)


def _scaled(value: Any, new: Any, old: Any) -> Any:
    product = value * new
    return product // old if type(product) is int and product % old == 0 else product / old


def _elements(output: str, before: Sequence[Any], after: Sequence[Any]) -> Iterator[str]:
    """Yield a list without the elements that the changed input lacks, and with those that it has in addition."""
    value = literal_or(output, None)
    if isinstance(value, list) and len(before) != len(after):
        elements = list(value)
        for kind, start, end, first, last in _opcodes(before, after):
            if kind in ("delete", "replace"):
                for element in before[start:end]:
                    if element in elements:
                        elements.remove(element)
            if kind in ("insert", "replace"):
                place = elements.index(before[start - 1]) + 1 if start and before[start - 1] in elements else 0
                elements[place:place] = after[first:last]
        yield repr(elements)
