import pytest

from lm_eval_codemind.languages.base import OUTPUT_TYPES
from lm_eval_codemind.languages.python.complexity import literal_type
from lm_eval_codemind.languages.python.kinds import Script


@pytest.mark.parametrize(
    ("literal", "expected"),
    [
        ("1", "Int"),
        ("-1.5", "Decimal"),
        ("float('inf')", "Decimal"),
        ("nan", "Decimal"),
        ("[nan]", "List"),
        ("(inf, -inf)", "Tuple"),
        ("{'a': nan}", "Object"),
        ("'a'", "String"),
        ("b'a'", "String"),
        ("True", "Binary"),
        ("[1, 2]", "List"),
        ("(1, 2)", "Tuple"),
        ("{'a': 1}", "Object"),
        ("{1, 2}", "Object"),
        ("set()", "Object"),
        ("None", "Object"),
        ("f(1)", None),
        ("[1,", None),
        ("[" * 6_000_000, None),
        ("[" * 6_000_000 + "]" * 6_000_000, None),
    ],
)
def test_literals(literal: str, expected: str | None) -> None:
    assert literal_type(literal) == expected
    assert expected is None or expected in OUTPUT_TYPES


@pytest.mark.parametrize(
    ("text", "expected"),
    [("670\n", "Int"), ("Yes\n", "String"), ("1 2\n", "String"), ("", "String"), ("0.5", "Decimal")],
)
def test_printed_text(text: str, expected: str) -> None:
    assert Script().output_type(text) == expected
