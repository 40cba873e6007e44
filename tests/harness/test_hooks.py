"""Mistakes in a family end in a message that names it and says how to fix it."""

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.families.ier.task import ExecutionReasoning
from lm_eval_codemind.family import Variant
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Question

tomllib = pytest.importorskip("tomllib", reason="part of Python since 3.11")
ROOT = Path(__file__).parents[2]


class Mine(ExecutionReasoning):
    """A family without a mistake; the tests make one each."""

    variants = (Variant("mine", "Mine"),)
    filters = ("strict-match",)

    def variant(self, benchmark: Benchmark, settings: Any) -> Variant:
        return self.variants[0]


@pytest.fixture
def document() -> dict[str, Any]:
    return dict(Hooks(Mine()).dataset(benchmark="sample")["test"][0])


def test_read_that_returns_a_text(document: dict[str, Any]) -> None:
    class ReadsText(Mine):
        def read(self, response: str, question: Question, filter: str) -> Any:
            return "7"

    with pytest.raises(TypeError, match=r"'mine': its read\(\) returned str .*write `return Answer\(text\)`"):
        Hooks(ReadsText()).filter("strict-match")([["7"]], [document])


def test_score_without_the_verdict(document: dict[str, Any]) -> None:
    class Unscored(Mine):
        def score(self, question: Question, answer: Answer) -> dict[str, float]:
            return {"other": 1.0}

    with pytest.raises(ValueError, match=r"'mine': score\(\) returned other and lacks 'r_ier'"):
        Hooks(Unscored()).process_results(document, [Answer("7")])


def test_two_questions_with_one_key() -> None:
    class Twice(Mine):
        def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
            return 2 * list(super().questions(problem, setting))

    with pytest.raises(
        ValueError, match=r"sample: the family 'mine' asks two questions with the key .*different items"
    ):
        Hooks(Twice()).dataset(benchmark="sample")


def test_no_problem_is_left() -> None:
    class Nothing(Mine):
        def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
            return []

    with pytest.raises(ValueError, match=r"none of its problems: problems\(\) of the family 'mine' leaves none"):
        Hooks(Nothing()).dataset(benchmark="sample")


def test_no_question_is_left() -> None:
    class Silent(Mine):
        def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
            return ()

    expected = (
        r"nothing about its 24 problems: questions\(\) of the family 'mine' returns none under the setting 'steps'"
    )
    with pytest.raises(ValueError, match=expected):
        Hooks(Silent()).dataset(benchmark="sample", setting="steps")


def test_the_import_contract_covers_every_family() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (contract,) = [one for one in contracts if one["name"] == "Nobody knows a family by name"]
    modules = [path.parent.name for path in (ROOT / "lm_eval_codemind" / "families").glob("*/__init__.py")]
    assert len(modules) >= 12
    for name in [*modules, "new"]:
        for module in ("task", "view"):
            dotted = f"lm_eval_codemind.families.{name}.{module}"
            assert any(fnmatch(dotted, forbidden) for forbidden in contract["forbidden_modules"]), dotted
    assert not re.search(r"families\.(ier|sr|dsr)", str(contract["forbidden_modules"]))
