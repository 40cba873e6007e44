import pytest

from lm_eval_codemind.languages.base import CONSTRUCTS
from lm_eval_codemind.languages.python.complexity import measure


@pytest.mark.parametrize(
    ("code", "tags", "nested"),
    [
        ("x = 1", ("basic",), 0),
        ("x = [i for i in y for j in i] if z else 0", ("basic",), 0),
        ("for i in x:\n  pass", ("for",), 0),
        ("while x:\n  pass", ("while",), 0),
        ("for i in x:\n  while i:\n    pass", ("for", "while", "nested_loop"), 1),
        ("for i in x:\n  if i:\n    for j in i:\n      pass", ("for", "if", "nested_loop"), 2),
        ("if x:\n  pass\nelif y:\n  pass\nelse:\n  pass", ("if",), 0),
        ("if x:\n  pass\nelse:\n  if y:\n    pass", ("if", "nested_if"), 1),
        ("if x:\n  pass\nelif y:\n  if z:\n    pass", ("if", "nested_if"), 1),
        ("if x:\n  for i in x:\n    if i:\n      pass", ("for", "if", "nested_if"), 2),
        ("try:\n  if x:\n    pass\nfinally:\n  pass", ("if", "try"), 1),
        ("match x:\n  case 1:\n    if x:\n      pass", ("if", "match"), 1),
        ("for i in x:\n  def f(y):\n    for j in y:\n      pass", ("for",), 0),
        ("async def f(x):\n  async for i in x:\n    pass", ("for",), 0),
    ],
)
def test_tags_and_nesting(code: str, tags: tuple[str, ...], nested: int) -> None:
    measures = measure(code)
    assert measures is not None and (measures.constructs, measures.nc) == (tags, nested)


@pytest.mark.slow
@pytest.mark.upstream
@pytest.mark.parametrize("benchmark", ["humaneval", "cruxeval", "classeval", "avatar", "transformed"])
def test_every_program_has_the_constructs_that_another_parser_finds(
    programs: dict[str, list[str]], benchmark: str
) -> None:
    parso = pytest.importorskip("parso")
    kinds = {"for_stmt": "for", "while_stmt": "while", "if_stmt": "if", "try_stmt": "try"}

    def constructs(node, around: tuple[str, ...] = ()):
        if node.type in ("funcdef", "classdef", "lambdef"):
            around = ()
        if node.type in kinds:
            yield kinds[node.type], around
            around = (*around, kinds[node.type])
        for child in getattr(node, "children", ()):
            yield from constructs(child, around)

    assert len(programs[benchmark]) >= 86
    for code in programs[benchmark]:
        pairs = list(constructs(parso.parse(code)))
        tags = {kind for kind, _ in pairs}
        tags |= {"nested_loop" for kind, around in pairs if kind in ("for", "while") and {"for", "while"} & {*around}}
        tags |= {"nested_if" for kind, around in pairs if kind == "if" and "if" in around}
        measures = measure(code)
        assert measures is not None
        assert measures.constructs == tuple(tag for tag in CONSTRUCTS if tag in (tags or {"basic"}))
        assert measures.nc == sum(bool(around) for _, around in pairs)


def test_an_f_string_that_only_newer_versions_read_has_no_measures() -> None:
    assert measure("text = f'{names['a']}'\n") is None
    assert measure("text = f'{names[\"a\"]}' + 'a'\nother = f'{f\"{1}\"}'\n") is not None
