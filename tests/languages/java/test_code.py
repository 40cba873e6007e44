"""Programs read out of every shape of the fixture; laws on arbitrary text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lm_eval_codemind.languages.java import code as java
from lm_eval_codemind.languages.java.measures import measure

HERE = Path(__file__).parent
SHAPES: list[dict[str, Any]] = yaml.safe_load((HERE / "code_shapes.yaml").read_text(encoding="utf-8"))


def test_there_are_a_hundred_shapes() -> None:
    assert len(SHAPES) >= 100
    assert len({shape["id"] for shape in SHAPES}) == len(SHAPES)


@pytest.mark.parametrize("shape", SHAPES, ids=[shape["id"] for shape in SHAPES])
def test_shape(shape: dict[str, Any]) -> None:
    found = java.code(shape["response"])
    if shape["main"] is None:
        assert found is None
        return
    assert found is not None
    assert found.main_class == shape["main"]
    assert found.source == shape.get("exact", found.source)
    for text in shape.get("has", []):
        assert text in found.source
    for text in shape.get("absent", []):
        assert text not in found.source


def test_a_class_may_be_asked_for_by_name() -> None:
    program = "class {0} {{\n    public static void main(String[] args) {{ System.out.println({1}); }}\n}}\n"
    response = f"```java\n{program.format('A', 1)}```\n```java\n{program.format('B', 2)}```\n"
    for wanted, chosen in (("A", "A"), ("B", "B"), ("", "B"), ("C", "B")):
        found = java.code(response, wanted)
        assert found is not None and found.main_class == chosen


def test_an_answer_replaces_the_program() -> None:
    assert java.splice("print(1)", java.Code("class A {}\n", "A"), "") == "class A {}\n"


# Pieces that a reader may stumble over, in any order.
_PIECES = [
    "```", "```java\n", "~~~\n", "class A {", "public class Main {", "}", "{",
    "public static void main(String[] args) {",
    "import java.util.*;", "package a;",
    '"', "'", '"""', '"""\n', "/*", "*/", "//", "\n", " ", "\\", "<think>", "</think>",
    "static int x = 1;",
    "(", ")", "@A(", "record R(int a) {", "extends", "<", ">", "\ud800", "\0", "ä", "[JAVA]", "1 | ",
]  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(), st.lists(st.sampled_from(_PIECES), max_size=40).map("".join)))
@example("import " + "a." * 3000)
@example("class A extends\n" * 3000)
@example("@A(" * 3000)
@example("public class Main {" * 3000)
@example("class A {" + "(" * 20_000 + "}")
@example("class A { int x = " + "-(" * 5_000 + "1" + ")" * 5_000 + "; }")
def test_extraction_never_raises(text: str) -> None:
    found = java.code(text)
    if found is not None:
        measure(found.source)


@settings(max_examples=50, deadline=None)
@given(st.sampled_from([shape for shape in SHAPES if shape["main"]]))
def test_a_program_is_read_out_of_itself(shape: dict[str, Any]) -> None:
    found = java.code(shape["response"])
    assert found is not None
    again = java.code(f"```java\n{found.source}```")
    assert again == found


@given(st.sampled_from([shape for shape in SHAPES if "exact" in shape]), st.integers(1, 400))
def test_what_breaks_off_is_no_program(shape: dict[str, Any], characters: int) -> None:
    program = shape["exact"].rstrip()
    found = java.code("```java\n" + program[: max(0, len(program) - characters)])
    assert found is None
