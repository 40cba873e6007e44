"""Programs drawn by hypothesis: small, terminating, full of names that depend on each other."""

import textwrap

from hypothesis import strategies as st

CALLS = ["f([1, 2, 3], 2)", "f([], 0)", "f('ab', 1)", "f([[1], [2, 3]], 3)", "f(None, -1)", "f({'a': 1}, 1.5)"]

_NAMES = st.sampled_from(["a", "b", "c", "i", "n", "xs"])
_TARGETS = st.sampled_from(["a", "b", "c", "n"])


def _expressions() -> st.SearchStrategy[str]:
    leaves = _NAMES | st.sampled_from(["0", "1", "7", "2.5", "'s'", "[]", "None", "len(xs)", "xs[0]", "a"])

    def extend(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        operator = st.sampled_from(["+", "-", "*", "//", "%", "==", "<", "and", "or", "in"])
        return (
            st.builds("({} {} {})".format, inner, operator, inner)
            | st.builds("({} if {} else {})".format, inner, inner, inner)
            | st.builds("len({})".format, inner)
            | st.builds("max({}, {})".format, inner, inner)
            | st.builds("max(len(xs), {})".format, inner)
            | st.builds("[{} for i in xs]".format, inner)
            | st.builds("sum(len(str(j)) for j in {})".format, inner)
            | st.builds("(lambda n: {})({})".format, inner, inner)
            | st.builds("helper({}, b={})".format, inner, inner)
            | st.builds("f'{{{}}}-{{{}!r}}'".format, _NAMES, _NAMES)
        )

    return st.recursive(leaves, extend, max_leaves=5)


def _indent(lines: list[str]) -> str:
    return textwrap.indent("\n".join(lines), "    ")


def _statements(returning: bool) -> st.SearchStrategy[str]:
    expression = _expressions()
    simple = (
        st.builds("{} = {}".format, _TARGETS, expression)
        # Two different targets: to `a, a = 1, 2`, CPython before 3.11.4 assigns in the wrong order (gh-104615).
        | st.builds(
            "{0[0]}, {0[1]} = {1}, {2}".format,
            st.lists(_TARGETS, min_size=2, max_size=2, unique=True),
            expression,
            expression,
        )
        | st.builds("{} += {}".format, _TARGETS, expression)
        | st.builds("print({})".format, expression)
        | st.builds("del {}".format, _TARGETS)
        | st.sampled_from(["pass", "a = 0", "n = 0", "b = ''", "c = len(xs)", "n += 1"])
        | (st.builds("return {}".format, expression) if returning else st.just("pass"))
    )

    def compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        body = st.lists(inner, min_size=1, max_size=3).map(_indent)
        loop_body = st.lists(inner | st.sampled_from(["continue", "break"]), min_size=1, max_size=3).map(_indent)
        return (
            st.builds("if {}:\n{}".format, expression, body)
            | st.builds("if {}:\n{}\nelif {}:\n{}\nelse:\n{}".format, expression, body, expression, body, body)
            | st.builds("for {} in range({}):\n{}".format, st.sampled_from("abi"), st.integers(0, 4), body | loop_body)
            | st.builds("for i in range(len(xs)):\n{}".format, body)
            | st.builds("for i in xs:\n{}\nelse:\n{}".format, loop_body, body)
            | st.builds("w = 3\nwhile w:\n    w -= 1\n{}".format, loop_body)
            | st.builds("try:\n{}\nexcept TypeError as e:\n{}\nfinally:\n    pass".format, body, body)
            | st.builds("def g(a=n):\n    nonlocal c\n    c = a\n{}\ng()".format, body)
            if returning
            else st.builds("if {}:\n{}\nelse:\n{}".format, expression, body, body)
            | st.builds("for {} in range({}):\n{}".format, st.sampled_from("abi"), st.integers(0, 4), body | loop_body)
            | st.builds("try:\n{}\nexcept TypeError as e:\n{}".format, body, body)
        )

    return st.recursive(simple, compound, max_leaves=6)


_HELPER = "def helper(a, b=1):\n    total = a + b\n    return total * 2\n\n\n"


@st.composite
def functions(draw: st.DrawFn) -> str:
    """A module with `f(xs, n)` and a helper that some of its expressions call."""
    body = draw(st.lists(_statements(returning=True), min_size=1, max_size=6))
    return f"{_HELPER}def f(xs, n):\n    a = b = c = 1\n{_indent(body)}\n    return a, b, c\n"


@st.composite
def scripts(draw: st.DrawFn) -> str:
    """A script that reads two lines."""
    body = draw(st.lists(_statements(returning=False), min_size=1, max_size=6))
    return f"{_HELPER}n = int(input())\nxs = input()\na = b = c = 1\n" + "\n".join(body) + "\nprint(a, b, c)\n"
