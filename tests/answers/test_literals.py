import ast
import contextlib
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lm_eval_codemind.answers.comparison import same_value
from lm_eval_codemind.answers.literals import (
    MAX_DEPTH,
    MAX_LENGTH,
    Arguments,
    NotALiteralError,
    arguments_of,
    check_limits,
    is_literal,
    literal_or,
    parse_literal,
    value_of,
)
from lm_eval_codemind.languages.values import in_brackets, render

_keys = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(), st.binary(), st.complex_numbers()
)
_hashable = st.recursive(_keys, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=5)
values: st.SearchStrategy[Any] = st.recursive(
    st.one_of(_keys, st.floats(), st.just(...)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.sets(_hashable, max_size=4),
        st.dictionaries(_hashable, inner, max_size=4),
    ),
    max_leaves=12,
)


@given(values)
@example(complex(-0.0, float("nan")))
def test_reads_what_repr_writes(value):
    assert same_value(parse_literal(repr(value)), value)


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
@pytest.mark.parametrize("text", [
    "1", "-1", "+1", "1_000", "0x_ff", "0b11", "0o17", "1.", ".5", "1e5", "1E-5", "1j", "1+2j", "(1-2j)", "-1.5e-3",
    "'a'", '"a"', "'''a\nb'''", '"""a"b"""', r"'\n\x41\u20ac\''", r"r'\n'", "b'\\x00'", "rb'a'", "u'a'",
    "()", "(1,)", "(1)", "((1), 2)", "1, 2", "1,", "[1, [2], ]", "{}", "{1}", "{1, 2,}",
    "{1: 2, 'a': [3], }", "set()", "None", "True", "...", " \n[ 1 ,\n 2 ] \n", "{(1, 2): 3}", "'é\U0001f600'", r"'\d'",
])  # fmt: skip
def test_agrees_with_python(text):
    assert same_value(parse_literal(text), ast.literal_eval(text.strip()))


@pytest.mark.parametrize(("text", "value"), [
    ("nan", float("nan")), ("[-inf, inf]", [float("-inf"), float("inf")]), ("float('-inf')", float("-inf")),
    ("(nan+1j)", complex(float("nan"), 1)), ("frozenset({1})", {1}), ("frozenset()", set()), ("set([1, 2])", {1, 2}),
    ("np.int64(-111)", -111), ("numpy.float64(0.5)", 0.5), ("[np.float32(1.5), np.uint8(2)]", [1.5, 2]),
    ("{'a': np.True_, 'b': np.bool_(False)}", {"a": True, "b": False}), ("np.complex128(1+2j)", 1 + 2j),
    ("(np.str_('a'), np.bytes_(b'b'))", ("a", b"b")), ("np.float64(nan)", float("nan")),
])  # fmt: skip
def test_reads_what_repr_writes_and_python_does_not_read(text, value):
    assert same_value(parse_literal(text), value)


@pytest.mark.parametrize("text", [
    "", " ", "x", "f(1)", "1 2", "[1 2]", "[1", "1]", "(1, 2", "{1: }", "{1: 2, 3}", "{1, 2: 3}", "'a", "'a' b'b'",
    "f'a'", "1 + 1", "1j + 1", "1 + 2j + 3j", "--1", "- True", "[[]", "{[1]}", "{[1]: 2}", "{{}}", "007", "1__0", "0x",
    "1e", "1a", "lambda: 0", "__import__('os')", "[].append", "a.b", "{**{}}", "[*[]]", "set(1)", "float('x')",
    "float(1)", "1.2.3", "(,)", "),(", "1), (2", "[,]", ",", "'\\xg'", "b'é'", "`1`", "1;", "#1", "9" * 5000,
    "np.array(1)", "np.int64('1')", "np.int64(True)", "np.int64(1, 2)", "np.sin(1)", "os.int64(1)", "np.str_(1)",
])  # fmt: skip
def test_refuses(text):
    with pytest.raises(NotALiteralError):
        parse_literal(text)


@given(st.text(alphabet="[](){}<>'\"\\,:+-.0123456789ejxbfnuTreNoFalsi \n", max_size=40))
def test_accepts_nothing_that_python_refuses(text):
    try:
        value = parse_literal(text)
    except NotALiteralError:
        return
    plain = text.strip()
    if any(word in plain for word in ("nan", "inf", "set", "float")):
        return
    assert same_value(value, ast.literal_eval("(\n" + plain + "\n)"))


def test_depth_and_length_are_bounded():
    assert parse_literal("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert is_literal("'" + "a" * (MAX_LENGTH - 2) + "'") and not is_literal("'" + "a" * (MAX_LENGTH - 1) + "'")
    nesting = ("[", "(", "{", "frozenset(", "{1:", "[1,", "-", "1,", "1+", "'a' ", "0x")
    others = ("'", '"', "'''", "\\", "'\\", "1", "1_", "0", ".", "e", "a", " ", "\n", "é", "\x00")
    for piece in (*nesting, *others):
        for count in (MAX_DEPTH + 1, 10_000, MAX_LENGTH // len(piece), 200_000):
            for start, end in (("", ""), ("", "]" * count), ("", ")" * count), ("", "1"), ("[", ""), ("'", "'")):
                with contextlib.suppress(NotALiteralError):
                    parse_literal(start + piece * count + end)


@given(values)
def test_python_gives_the_value_of_what_is_rendered(value):
    assert same_value(eval(render(value), {}), value)


@pytest.mark.parametrize(("value", "text"), [
    (float("nan"), "float('nan')"), (float("-inf"), "float('-inf')"), (complex("inf"), "complex('(inf+0j)')"),
    (1.5, "1.5"), (True, "True"), (10**600, str(10**600)), (2**1999, hex(2**1999)), (2**1998, str(2**1998)),
    (..., "..."), (frozenset(), "frozenset()"), (frozenset({1}), "frozenset({1})"), (set(), "set()"), ((1,), "(1,)"),
    ((1, 2), "(1, 2)"), ((), "()"), ({"a": [1]}, "{'a': [1]}"), (b"a", "b'a'"),
])  # fmt: skip
def test_rendered(value, text):
    assert render(value) == text


def test_only_values_of_literals_are_rendered_and_the_items_of_a_set_may_be_ordered():
    with pytest.raises(TypeError, match="object"):
        render([object()])
    assert in_brackets({3, 1, 2}, str, sorted) == "{1, 2, 3}" and in_brackets([3, 1], str, sorted) == "[3, 1]"


CONSTRUCTORS = frozenset({"Counter", "deque", "list", "tuple", "dict", "range", "set"})


def tree(source: str) -> Any:
    return ast.parse(source, mode="eval").body


def test_arguments_are_named_by_the_parameters():
    read = arguments_of(tree("f(1, [2], z=3, b=4)"))
    assert render(read) == "1, [2], z=3, b=4"
    assert render(read.named(("a", "c", "b"))) == "a=1, c=[2], b=4, z=3"
    assert render(read.named(("a",))) == "[2], a=1, z=3, b=4"
    assert read.named(()) == read and render(Arguments(())) == ""


@pytest.mark.parametrize("source", ["f(**{'a': 1})", "f(a=1, **{})", "f(x)", "f(*[1])", "f(a=x)"])
def test_arguments_that_are_not_literals(source):
    with pytest.raises(NotALiteralError):
        arguments_of(tree(source))


@pytest.mark.parametrize(("source", "text"), [
    ("Counter({'a': 2})", "Counter({'a': 2})"), ("deque([1], maxlen=3)", "deque([1], maxlen=3)"),
    ("list((1, 2))", "[1, 2]"), ("tuple([1])", "(1,)"), ("dict(a=1)", "{'a': 1}"),
    ("dict({'a': 1}, b=2)", "{'a': 1, 'b': 2}"), ("list(range(3))", "list(range(3))"), ("[deque(), 1]", "[deque(), 1]"),
    ("set([1])", "{1}"),
])  # fmt: skip
def test_calls_of_plain_constructors_are_values(source, text):
    value = value_of(tree(source), CONSTRUCTORS)
    assert render(value) == text and same_value(value, value_of(tree(text), CONSTRUCTORS))
    if source == text:
        with pytest.raises(NotALiteralError):
            value_of(tree(source))


def test_calls_differ_by_their_name_and_their_arguments():
    texts = ("deque([1])", "deque([1], maxlen=1)", "deque([2])", "Counter([1])")
    calls = [value_of(tree(text), CONSTRUCTORS) for text in texts]
    for one in calls:
        assert [same_value(one, other) for other in calls].count(True) == 1


@pytest.mark.parametrize("source", ["list(1, 2)", "list(a=1)", "tuple(1)", "dict(1)", "set(1)"])
def test_constructors_with_wrong_arguments(source):
    with pytest.raises(NotALiteralError):
        value_of(tree(source), CONSTRUCTORS)


def test_an_omission_is_no_literal_in_a_response():
    assert literal_or("a b", 5) == 5 and literal_or("4", 5) == 4
    assert parse_literal("...") is ... and not is_literal("...")


@pytest.mark.parametrize(("text", "value"), [
    ("np.int_(1)", 1), ("np.uint(1)", 1), ("np.float16(1)", 1.0), ("np.bool(True)", True), ("numpy.False_", False),
    ("numpy.True_", True), ("Ellipsis", ...), ("'''a'b'''", "a'b"), ("'''a''b'''", "a''b"), ("'''a\\'''b'''", "a'''b"),
    ('"""a""b"""', 'a""b'), ("'''[[['''", "[[["), ("[1, # ]\n2]", [1, 2]), ("1 # 'a' 'b'", 1), ("1\n,2", (1, 2)),
    ("-np.int64(1)", -1), ("b''", b""), ("['a','b']", ["a", "b"]), ("infj", complex("infj")), ("'''a\n'''", "a\n"),
    ("['''[''', ']']", ["[", "]"]),
])  # fmt: skip
def test_other_literals(text, value):
    assert same_value(parse_literal(text), value)


@pytest.mark.parametrize("text", [
    "np.float64('1')", "np.u8(1)", "np.longlong(1)", "np.nan", "np.True", "float(inf)", "a.float('1')",
    "np.int64(1.0)", "np.float32(True)", "np.complex64(1)", "np.int64()", "'a'  rb'b'", "'a'\n'b'", "{'a': 'b' 'c'}",
    "['a' \t'b']", "'a'u'b'", "f''", "set((1))", "frozenset([1], 2)", "frozenset(x=1)", "Counter()", "'a' + 'b'",
    "np.int64(1, dtype=2)", "sp.True_",
])  # fmt: skip
def test_other_texts_that_are_refused(text):
    assert not is_literal(text)


def test_the_limits_of_a_literal_are_these():
    assert is_literal("[" * 100 + "]" * 100) and not is_literal("[" * 101 + "]" * 101)
    assert is_literal(f"'{'a' * 99_998}'") and not is_literal(f"'{'a' * 99_999}'")


@pytest.mark.parametrize(("text", "readable"), [
    ("-" * 400, True), ("-" * 401, False), ("-\n" * 401, True), ("[" + "-\n" * 399, True), ("[" + "-\n" * 400, False),
    ("[" + "-," * 401, True), ("[" + "\n" * 401, True), ("-" * 400 + "," + "-" * 400, True), ("1," * 401, True),
    ("[" * 100, True), ("[" * 101, False), ("(]{)" * 101, False), ("()" * 200, True), ("()" * 201, False),
    ("]", False), ("[]]", False), ("']'", True), ("# ]\n", True), ("", True), ("a" * 100_000, True),
    ("a" * 100_001, False),
])  # fmt: skip
def test_what_the_parser_can_read_safely(text, readable):
    if readable:
        check_limits(text)
        return
    with pytest.raises(NotALiteralError):
        check_limits(text)


@pytest.mark.parametrize("text", [
    '"""a\\"""]"""', "'''a\\''']'''", "'a\\']'", '"a\\"]"', "'''a']'''", "'''a'']'''", '"""a"]"""', '"""a""]"""',
    "'''\n]'''", '"""\n]"""', "'''\"]'''", '"""\']"""', "'\"]'", '"\']"', "'''\\\\'''", '"""\\\\"""', "'''\\\n]'''",
    "'a\\\n]'", "('', ']')", '("", "]")',
])  # fmt: skip
def test_a_bracket_in_a_string_is_text(text):
    assert parse_literal(text) == ast.literal_eval(text)
    assert parse_literal(f"[{text}]") == [ast.literal_eval(text)]
