import ast
import sysconfig
from pathlib import Path

import pytest

from lm_eval_codemind.transforms import UnsupportedSyntaxError, unparse

LIBRARY = Path(sysconfig.get_path("stdlib"))


def normal(tree: ast.AST) -> str:
    """Return a dump without what does not change a program's meaning: the `u` in front of strings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.kind = None
    return ast.dump(tree)


@pytest.mark.slow
def test_the_standard_library_comes_back_as_the_same_tree() -> None:
    checked = 0
    for path in sorted(LIBRARY.glob("*.py")):
        for node in ast.parse(path.read_bytes()).body:
            module = ast.Module([node], [])
            try:
                text = unparse(module)
            except UnsupportedSyntaxError:
                continue
            assert normal(ast.parse(text)) == normal(module), f"{path}:{node.lineno}"
            checked += 1
    assert checked > 3000


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("x = (1, 2)", "x = 1, 2"),
        ("for (a, b) in c: pass", "for a, b in c:\n    pass"),
        ("return_ = lambda : 0", "return_ = lambda: 0"),
        ("[x for (x, y) in z]", "[x for x, y in z]"),
        (
            "f'{x!r:>{width}} {{}} {d[\"k\"]}'",
            "f'{x!r:>{width}} {{}} {d[\"k\"]}'".replace("'", '"').replace('"k"', "'k'"),
        ),
        ("f'it\\'s {x}'", "f'it\\'s {x}'"),
        ("f\"{'a'}\"", "f\"{'a'}\""),
        ("x[1:2, ...]", "x[1:2, ...]"),
        ("-(2 ** -1)", "-2 ** -1"),
        ("(-2) ** 2", "(-2) ** 2"),
        ("(a or b) and not c", "(a or b) and not c"),
        ("(yield)", "(yield)"),
        ("print(*a, **b, end='')", "print(*a, **b, end='')"),
        ("a = b = c; d = 1", "a = b = c\nd = 1"),
        ("if a: b\nelif c: d\nelse: e", "if a:\n    b\nelif c:\n    d\nelse:\n    e"),
        ("1 .real", "(1).real"),
        ("x = 1e999", "x = 1e309"),
        ("match p:\n case [1, *_, {'a': b}] | C(x=2) as d if b: pass", None),
        ("async def f(a, /, b: int = 1, *, c=2, **d) -> None:\n async with x as y: await z", None),
        ("try: a\nexcept (B, C) as e: raise D from e\nelse: f\nfinally: g", None),
    ],
)
def test_the_text_is_the_same_on_every_version(source: str, text: str | None) -> None:
    tree = ast.parse(source)
    written = unparse(tree)
    assert ast.dump(ast.parse(written)) == ast.dump(tree)
    if text is not None and not source.startswith(("f'{x!r", "(yield)")):
        assert written == text + "\n"


def test_docstrings_are_written_over_several_lines() -> None:
    code = 'def f():\n    """First.\n\n    Second \\\\ \\"quoted\\"\n    """\n    return 1\n'
    assert unparse(ast.parse(code)) == code.replace('\\"', '"')


@pytest.mark.skipif("sys.version_info < (3, 12)", reason="needs the newer grammar")
@pytest.mark.parametrize("source", ["def f[T](x: T): pass", "type A = int", "f'{a[\"x\\n\"]}'"])
def test_what_only_newer_versions_can_read_is_refused(source: str) -> None:
    with pytest.raises(UnsupportedSyntaxError):
        unparse(ast.parse(source))
