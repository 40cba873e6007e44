"""What is shipped has the form in which it is written: made again from its content, each file is the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lm_eval_codemind import proof
from lm_eval_codemind.proof.shipped import one_a_line

FOLDER = Path(proof.__file__).parent
NESTED = [FOLDER / "proofs" / f"{name}.json" for name in ("buggy_outputs", "loop_lengths", "revealing_tests")]
INDENTED = [FOLDER / "proofs" / "plain_inputs.json"]
RECIPES = sorted((FOLDER / "recipes").glob("*.json"))
LABELS = [FOLDER / "proofs" / f"{name}.json" for name in ("avatar_java", "codenet_java", "cruxeval", "humaneval")]


@pytest.mark.parametrize(
    ("paths", "indent", "levels"), [(NESTED, " ", 2), (INDENTED, " ", 1), (RECIPES, "", 1), (LABELS, "", 1)]
)
def test_the_files_are_made_again_from_their_content(paths: list[Path], indent: str, levels: int) -> None:
    assert paths
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert one_a_line(json.loads(text), indent, levels) + "\n" == text, path.name
