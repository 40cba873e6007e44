"""Random changes of inputs: other values of the same types in the same structure.

An input is parsed into a tree of its literals; all text between them stays unchanged. A change first replaces words,
other letters and numbers in the whole input, so that equal values stay equal. Then it edits a few places. Words are
replaced by words. All random numbers come from a :class:`random.Random` with a text as its seed, so the changes are
the same on every machine. Which numbers are drawn, and in which order, decides the fresh inputs that are shipped, and
those of every seed: other draws need another :data:`~lm_eval_codemind.data.facts.fresh.VERSION`.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from random import Random
from typing import Any

from lm_eval_codemind.languages.python.layout import Spans
from lm_eval_codemind.workshop.python.words import in_case, is_word, other_word, tokens

# Sets of characters that may replace each other: vowels, common consonants, and digits except for leading zeros.
POOLS = ("aeiou", "bcdfghklmnprstvw", "123456789")
# For six candidates, one after the other: whether letters and numbers are renamed, and the number of edited places.
_MODES = ((True, 0), (True, 1), (False, 1), (True, 2), (False, 2), (True, 3))

_PLAIN_CHARACTERS = "abcdeikmnorst ABCDEIKMNORST 0123456789 .-,_"
# A longer sequence of digits on standard input is a text.
_LONGEST_NUMBER = 19


@dataclass
class Leaf:
    """A literal of an input.

    Attributes:
        value: Its value.
        text: Its source text.
    """

    value: Any
    text: str

    def __str__(self) -> str:
        return self.text

    def copied(self) -> Leaf:
        """Return a copy, which can be changed."""
        return Leaf(self.value, self.text)

    def change(self, value: Any) -> None:
        """Change the value, and write it with the same quotes if possible."""
        if value == self.value and type(value) is type(self.value):
            return
        quote = self.text[:1] if self.text != self.value else ""
        plain = isinstance(value, str) and quote in ("", "'", '"') and value.isprintable()
        self.text = f"{quote}{value}{quote}" if plain and not set(value) & {quote, "\\"} else repr(value)
        self.value = value


@dataclass
class Branch:
    """A part of an input with literals in it.

    Attributes:
        kind: ``list``, ``tuple``, ``set``, ``dict``, ``words`` or, for anything else, ``text``.
        segments: The texts before, between and after the children; one more segment than children.
        children: The parts between the segments.
    """

    kind: str
    segments: list[str]
    children: list[Node]

    def __str__(self) -> str:
        parts = [self.segments[0]]
        for child, segment in zip(self.children, self.segments[1:], strict=True):
            parts += [str(child), segment]
        return "".join(parts)

    def copied(self) -> Branch:
        """Return a copy, whose parts can be changed."""
        return Branch(self.kind, [*self.segments], [child.copied() for child in self.children])

    def shape(self) -> tuple[str, ...]:
        """Return the types of the children."""
        return tuple(type(each.value).__name__ if isinstance(each, Leaf) else each.kind for each in self.children)

    def leaves(self) -> Iterator[Leaf]:
        """Yield the literals in their order."""
        for child in self.children:
            if isinstance(child, Leaf):
                yield child
            else:
                yield from child.leaves()

    def branches(self) -> Iterator[Branch]:
        """Yield this part and all parts below it."""
        yield self
        for child in self.children:
            if isinstance(child, Branch):
                yield from child.branches()


Node = Leaf | Branch


def source_tree(source: str, nodes: Iterable[ast.expr], keys: bool = True) -> Branch:
    """Return Python source as a tree of the literals in some of its expressions.

    Args:
        nodes: The expressions. They must not overlap.
        keys: Whether the keys of dicts may change as well.
    """
    spans = Spans(source)
    parts = [(spans.of(node), _read(node, source, spans, keys)) for node in nodes]
    return _branch("text", 0, len(source), parts, source)


def _read(node: ast.expr, source: str, spans: Spans, keys: bool) -> Node | None:
    start, end = spans.of(node)
    if isinstance(node, ast.Constant) or (isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)):
        try:
            return Leaf(ast.literal_eval(node), source[start:end])
        except ValueError:
            return None
    if isinstance(node, ast.JoinedStr):
        return None  # before Python 3.12 its parts have no separate positions
    if isinstance(node, ast.Dict):
        pairs = []
        for key, value in zip(node.keys, node.values, strict=True):
            if key is not None:
                first, last = spans.of(key)[0], spans.of(value)[1]
                own = (key, value) if keys else (value,)
                inner = [(spans.of(part), _read(part, source, spans, keys)) for part in own]
                pairs.append(((first, last), _branch("pair", first, last, inner, source)))
        return _branch("dict", start, end, pairs, source)
    parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, (ast.expr, ast.keyword))]
    values = [part.value if isinstance(part, ast.keyword) else part for part in parts]
    kind = {ast.List: "list", ast.Tuple: "tuple", ast.Set: "set"}.get(type(node), "text")
    return _branch(kind, start, end, [(spans.of(part), _read(part, source, spans, keys)) for part in values], source)


def _branch(
    kind: str, start: int, end: int, parts: Sequence[tuple[tuple[int, int], Node | None]], source: str
) -> Branch:
    children = sorted(((span, node) for span, node in parts if node is not None), key=itemgetter(0))
    borders = [start, *(edge for span, _ in children for edge in span), end]
    segments = [source[borders[i] : borders[i + 1]] for i in range(0, len(borders), 2)]
    return Branch(kind, segments, [node for _, node in children])


_WORD = re.compile(r"-?\d+\.\d+|-?\d+|[^\s]+")


def text_tree(text: str) -> Branch:
    """Return the text of standard input as a tree: a branch for each line, a literal for each word or number."""
    lines: list[Node] = []
    for line in re.findall(r"[^\r\n]*[\r\n]+|[^\r\n]+", text):
        words = [Leaf(word_value(word), word) for word in _WORD.findall(line)]
        lines.append(Branch("words", _WORD.split(line), [*words]))
    return Branch("text", [""] * (len(lines) + 1), lines)


def word_value(word: str) -> Any:
    """Return a word of standard input as an int or a float if ``repr`` gives the same text; otherwise the word."""
    for kind in (int, float):
        try:
            if len(word) <= _LONGEST_NUMBER and repr(kind(word)) == word:
                return kind(word)
        except ValueError:
            continue
    return word


def mutations(
    tree: Branch, known: frozenset[str], rng: Random, pools: Sequence[str] = POOLS, bold: bool = False
) -> Iterator[Branch]:
    """Yield changed copies of a tree. The generator never ends.

    Args:
        known: Texts that the program contains, such as keys and modes; most copies keep them.
        pools: Sets of characters that may replace each other in texts, in lower case.
        bold: Whether the edits may be large enough that the program takes other branches.
    """
    for turn in itertools.count():
        renames, edits = _MODES[turn % len(_MODES)]
        renames = renames and not (bold and turn % 2)
        keep = known if turn % 4 < 3 else frozenset()
        copied = tree.copied()
        if renames:
            _rename(copied, keep, rng, pools)
        if bold:
            for _ in range(1 + edits):
                _edit_boldly(copied, known, rng, pools)
            edits = 0 if turn % 3 else edits
        for _ in range(edits):
            _edit(copied, keep, known, rng, pools)
        yield copied


def changed_inputs(
    tree: Branch, known: frozenset[str], rng: Random, count: int, pools: Sequence[str] = POOLS, bold: bool = False
) -> Iterator[str]:
    """Yield the distinct changed inputs from the first `count` of the :func:`mutations` with the same arguments."""
    seen = {str(tree)}
    for changed in itertools.islice(mutations(tree, known, rng, pools, bold), count):
        text = str(changed)
        if text not in seen:
            seen.add(text)
            yield text


# -- renaming


def _rename(tree: Branch, keep: frozenset[str], rng: Random, pools: Sequence[str]) -> None:
    """Replace a random selection of words, letters and numbers in the whole tree, equal values by equal values.

    Where not all letters may replace each other, words are only letters.
    """
    leaves = [leaf for leaf in tree.leaves() if not (isinstance(leaf.value, str) and leaf.value in keep)]
    share = rng.choice((1.0, 1.0, 0.5, 0.25))
    pieces = [piece for leaf in leaves if isinstance(leaf.value, str) for piece in _pieces(leaf.value, pools)]
    distinct = sorted({piece.lower() for piece in pieces if is_word(piece) and piece not in keep})
    words = {word: other_word(word, rng) for word in distinct if rng.random() < share}
    letters = _letter_map([piece for piece in pieces if not is_word(piece)], keep, share, rng, pools)
    ordered = rng.random() < 0.7
    numbers: dict[tuple[type, Any], Any] = {}
    for kind in (int, float):
        sizes = sorted({leaf.value for leaf in leaves if type(leaf.value) is kind})
        values = [value for value in sizes if rng.random() < share]
        others = [_near(value, rng) for value in values]
        numbers |= {(kind, old): new for old, new in zip(values, sorted(others) if ordered else others, strict=True)}
    for leaf in leaves:
        if isinstance(leaf.value, str):
            parts = leaf.value.split(" ")
            leaf.change(" ".join(part if part in keep else _renamed(part, words, letters, pools) for part in parts))
        else:
            leaf.change(numbers.get((type(leaf.value), leaf.value), leaf.value))


def _renamed(text: str, words: Mapping[str, str], letters: Mapping[str, str], pools: Sequence[str]) -> str:
    pieces = _pieces(text, pools)
    return "".join(
        in_case(words.get(piece.lower(), piece), piece) if is_word(piece) else letters.get(piece, piece)
        for piece in pieces
    )


def _pieces(text: str, pools: Sequence[str]) -> list[str]:
    """Return the parts of a text that may be replaced: words and other characters, or characters alone."""
    return tokens(text) if pools == POOLS else list(text)


def _letter_map(
    texts: Sequence[str], keep: frozenset[str], share: float, rng: Random, pools: Sequence[str]
) -> dict[str, str]:
    used = sorted({char.lower() for text in texts for char in text})
    mapped: dict[str, str] = {}
    for pool in pools:
        own = [char for char in used if char in pool and not {char, char.upper()} & keep]
        letters = [char for char in own if rng.random() < share]
        free = [char for char in pool if char in letters or char not in used]
        rng.shuffle(free)
        mapped.update(zip(letters, free, strict=False))
    return mapped | {old.upper(): new.upper() for old, new in mapped.items()}


def _near(value: Any, rng: Random) -> Any:
    """Return a random number of the same sign, between half of the number and twice the number."""
    if isinstance(value, float):
        _, _, digits = repr(value).partition(".")
        if not digits.isdigit() or abs(value) > 1e12:
            return value
        places = 0 if digits == "0" else len(digits)
        return round(_near(round(value * 10**places), rng) / 10**places, places)
    size = abs(value)
    if size == 0:
        return rng.choice((0, 0, 1, 2))
    return rng.randrange((size + 1) // 2, max(2 * size, size + 2) + 1) * (1 if value > 0 else -1)


# -- editing


def _edit_boldly(tree: Branch, known: frozenset[str], rng: Random, pools: Sequence[str]) -> None:
    """Change one place so that the program may take another branch.

    A text changes its case, gets words or characters of other texts, or keeps only a part. A number gets the value of
    another number or changes within its range. A list loses elements; an empty list gets one.
    """
    leaves = [leaf for leaf in tree.leaves() if leaf.value not in (None, ...)]
    empty = [branch for branch in tree.branches() if branch.kind in ("list", "dict") and not branch.children]
    rows = [branch for branch in tree.branches() if branch.kind == "list" and len(branch.children) > 1]
    if empty and (not leaves or rng.random() < 0.5):
        _fill(rng.choice(empty), rng)
    elif rows and rng.random() < 0.3:
        _cut(rng.choice(rows), rng)
    elif leaves:
        leaf = rng.choice(leaves)
        others = [other.value for other in leaves if type(other.value) is type(leaf.value) and other is not leaf]
        if isinstance(leaf.value, str):
            leaf.change(_changed_boldly(leaf.value, others, sorted(known), rng, pools))
        elif type(leaf.value) is int:
            leaf.change(_moved(leaf.value, others, rng, pools))
        elif others and rng.random() < 0.7:
            leaf.change(rng.choice(others))
        else:
            _edit(tree, frozenset(), known, rng, pools)


def _cut(row: Branch, rng: Random) -> None:
    """Keep a random selection of a list's elements, at least one, in their order."""
    left = sorted(rng.sample(range(len(row.children)), 1 + rng.randrange(len(row.children) - 1)))
    row.segments[1:-1] = row.segments[1 : len(left)]
    row.children[:] = [row.children[place] for place in left]


def _moved(number: int, others: Sequence[int], rng: Random, pools: Sequence[str]) -> int:
    """Return a number of the same sign: near another one, with another digit, or up to ten times larger or smaller."""
    kind, size = rng.randrange(3), abs(number)
    digits = [char for char in pools[-1] if char.isdigit()]
    if kind == 0 or not size or not digits:
        near = [value + step for value in (number, *others) for step in (-1, 0, 1)]
        return rng.choice([value for value in near if (value > 0) - (value < 0) == (number > 0) - (number < 0)])
    if kind == 1:
        text, place = str(size), rng.randrange(len(str(size)))
        size = int(text[:place] + rng.choice(digits) + text[place + 1 :]) or size
    else:
        size = rng.randrange((size + 9) // 10, size + 1) * rng.choice((1, 1, 10)) + rng.randrange(2)
    return size if number > 0 else -size


def _changed_boldly(text: str, others: Sequence[str], known: Sequence[str], rng: Random, pools: Sequence[str]) -> str:
    pieces = _pieces(text, pools)
    place, end = sorted((rng.randrange(len(pieces) + 1), rng.randrange(len(pieces) + 1)))
    source = _pieces(rng.choice((*others, *known, "")), pools) or list(_PLAIN_CHARACTERS)
    start, middle, rest = pieces[:place], pieces[place:end], pieces[end:]
    kind = rng.randrange(9)
    if kind == 0:
        return rng.choice((text.swapcase, text.upper, text.lower, text.capitalize, text.title))()
    if kind == 1:
        return "".join([*start, *(piece.swapcase() for piece in middle), *rest])
    if kind == 2:
        first = rng.randrange(len(source))
        new = source[first : first + 1 + rng.randrange(4)]
        return "".join([*start, *new, *pieces[place + len(new) :]])
    if kind == 3:
        return "".join(middle if rng.random() < 0.5 else [*start, *pieces[place + 1 :]])
    if kind == 4:
        return _of_one_kind(text, rng)
    if kind == 5:
        word = rng.choice((*others, *known, text))
        return rng.choice((word, word + text, text + word))
    if kind == 6:
        return "".join([*start, *[rng.choice(source)] * 2, *pieces[place + 2 :]])
    return "".join([*start, rng.choice(source), *pieces[place + (1 if kind == 7 else 0) :]])


def _of_one_kind(text: str, rng: Random) -> str:
    """Return a text with only one class of its characters (letters, digits, white space, others), or without it."""
    kinds = (str.isalpha, str.isdigit, str.isspace, lambda char: not (char.isalnum() or char.isspace()))
    kind, holds = rng.choice(kinds), rng.random() < 0.5
    return "".join(char for char in text if kind(char) == holds)


def _fill(row: Branch, rng: Random) -> None:
    """Put a number, a word or an empty value into an empty list, or a key with a value into an empty dict."""
    number, word = str(rng.randrange(10)), repr(other_word("abc", rng, (0, 1, 2)))
    items = [rng.choice((number, word, "[]", "''"))]
    if row.kind == "dict":
        items = [f"{word}: {number}"]
    elif rng.random() < 0.5:
        items *= 2
    middle = row.segments[0].strip()
    row.segments[:] = [middle[0] + ", ".join(items) + middle[-1]]


def _edit(tree: Branch, keep: frozenset[str], known: frozenset[str], rng: Random, pools: Sequence[str]) -> None:
    """Change one place: swap two neighbours of the same type, change a literal, or repeat or remove an element."""
    leaves = [leaf for leaf in tree.leaves() if not (isinstance(leaf.value, str) and leaf.value in keep)]
    leaves = [leaf for leaf in leaves if leaf.value not in (None, ..., "", b"")]
    rows = [branch for branch in tree.branches() if branch.kind not in ("text", "pair") and len(branch.children) > 1]
    kind = rng.randrange(8)
    if kind > 5 and _replace_word(tree, known, rng):
        return
    if rows and (kind < 3 or not leaves):
        row = rng.choice(rows)
        first, second = rng.sample(range(len(row.children)), 2)
        if kind == 0 and row.kind == "list" and rng.random() < 0.5:
            del row.children[first], row.segments[max(first, 1)]
        elif kind == 0 and row.kind == "list":
            row.children.insert(second, row.children[first].copied())
            row.segments.insert(1, row.segments[1])
        elif _alike(row.children[first], row.children[second]):
            _exchange(row, first, second)
    elif leaves:
        leaf = rng.choice(leaves)
        if isinstance(leaf.value, bool):
            leaf.change(not leaf.value)
        elif isinstance(leaf.value, (int, float)):
            leaf.change(_near(leaf.value, rng))
        elif isinstance(leaf.value, str):
            leaf.change(_changed_text(leaf.value, rng, pools))


def _replace_word(tree: Branch, known: frozenset[str], rng: Random) -> bool:
    """Replace a word that the program contains by another such word. Returns False if there is no such word."""
    words = sorted(word for word in known if word.isalpha() and len(word) > 1)
    places = [
        (leaf, number)
        for leaf in tree.leaves()
        if isinstance(leaf.value, str)
        for number, word in enumerate(leaf.value.split(" "))
        if word in words
    ]
    if places:
        leaf, number = rng.choice(places)
        parts = leaf.value.split(" ")
        parts[number] = rng.choice(words)
        leaf.change(" ".join(parts))
    return bool(places)


def _exchange(row: Branch, first: int, second: int) -> None:
    one, other = row.children[first], row.children[second]
    if isinstance(one, Branch) and isinstance(other, Branch) and row.kind == "dict":
        # The values are swapped, the keys stay.
        one.children[-1], other.children[-1] = other.children[-1], one.children[-1]
    else:
        row.children[first], row.children[second] = other, one


def _alike(one: Node, other: Node) -> bool:
    if isinstance(one, Leaf) and isinstance(other, Leaf):
        return type(one.value) is type(other.value)
    if isinstance(one, Branch) and isinstance(other, Branch) and one.kind == other.kind:
        return one.kind != "pair" or _alike(one.children[-1], other.children[-1])
    return False


def _changed_text(text: str, rng: Random, pools: Sequence[str]) -> str:
    """Return a text with swapped parts, or with one part added, removed or changed: a word or another character."""
    words = text.split(" ")
    if len(words) > 2 and rng.random() < 0.4:
        first, second = rng.sample(range(len(words)), 2)
        words[first], words[second] = words[second], words[first]
        return " ".join(words)
    pieces = _pieces(text, pools)
    place, other = rng.randrange(len(pieces)), rng.randrange(len(pieces))
    kind = rng.randrange(5)
    if is_word(pieces[place]) and (kind > 1 or len(pieces) < 3):
        pieces[place] = other_word(pieces[place], rng, (-1, 0, 0, 1))
    elif kind == 0 and len(pieces) > 2:
        del pieces[place]
    elif kind == 1:
        pieces.insert(place, pieces[other])
    elif kind == 2:
        pieces[place] = pieces[other]
    elif kind == 3:
        pieces[place], pieces[other] = pieces[other], pieces[place]
    else:
        mapped = _letter_map([pieces[place]], frozenset(), 1.0, rng, pools)
        pieces[place] = mapped.get(pieces[place], pieces[place])
    return "".join(pieces)


def string_constants(code: str) -> frozenset[str]:
    """Return the strings that a program names in its code, without its docstrings.

    Raises:
        SyntaxError: If it does not parse.
    """
    tree = ast.parse(code)
    aside = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in aside]
    return frozenset(node.value for node in constants if isinstance(node.value, str))
