"""What releases of the harness hand over, and mistakes in a family: a message names it and says how to fix it."""

import re
import tomllib
from collections.abc import Callable
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
from lm_eval.tasks import TaskManager

from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.families.ier import task as ier
from lm_eval_codemind.family import Variant
from lm_eval_codemind.harness import contract
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.harness.location import task_directories
from lm_eval_codemind.harness.provenance import splits
from lm_eval_codemind.harness.reply import SKIPPED
from lm_eval_codemind.questions import Answer
from tests.results.harness import evaluate

ROOT = Path(__file__).parents[2]
VALUE = {"benchmark": "sample", "problem_id": "P", "kind": "function", "language": "python", "output": "[1, 2]"}


class Mine(ier.ExecutionReasoning):
    """A family without a mistake; the tests make one each."""

    variants = (Variant("mine", "Mine"),)
    filters = ("strict-match",)

    def variant(self, benchmark: Benchmark, settings: Any) -> Variant:
        return self.variants[0]


def mistaken(method: str, function: Callable[..., Any]) -> Hooks:
    """Return the hooks of a family with one wrong method."""
    return Hooks(type("Mistaken", (Mine,), {method: function})())


def test_read_and_score_must_return_what_they_should():
    document = Hooks(Mine()).dataset(benchmark="sample")["test"][0]
    hooks = mistaken("read", lambda self, response, question, filter: "7")
    with pytest.raises(TypeError, match=r"'mine': its read\(\) returned str .*write `return Answer\(text\)`"):
        hooks.filter("strict-match")([["7"]], [document])
    hooks = mistaken("score", lambda self, question, answer: {"other": 1.0})
    with pytest.raises(ValueError, match=r"'mine': score\(\) returned other and lacks 'r_ier'"):
        hooks.process_results(document, [Answer("7")])


@pytest.mark.parametrize(("method", "function", "message"), [
    ("questions", lambda self, problem, setting: 2 * list(Mine.questions(self, problem, setting)),
     r"sample: the family 'mine' asks two questions with the key .*different items"),
    ("problems", lambda self, benchmark, options: [],
     r"none of its problems: problems\(\) of the family 'mine' leaves none"),
    ("questions", lambda self, problem, setting: (),
     r"nothing about its 24 problems: questions\(\) of the family 'mine' returns none under the setting 'steps'"),
])  # fmt: skip
def test_a_family_must_ask_each_question_once_and_one_at_least(method, function, message):
    with pytest.raises(ValueError, match=message):
        mistaken(method, function).dataset(benchmark="sample", setting="steps")


@pytest.mark.parametrize(("count", "share"), [(1, 1.0), (4, 0.25)])
def test_both_shapes_of_filtered_responses_are_scored_alike_and_others_refused(count, share):
    """Releases of the harness hand over a list of answers, or a list with that list."""
    filtered = [Answer("[1, 2]"), Answer("[1]"), Answer(None), Answer("(1, 2)")][:count]
    nested, flat = ier.process_results(VALUE, [filtered]), ier.process_results(VALUE, filtered)
    assert nested == flat and flat["r_ier"] == share
    (skipped,) = ier.strict_match([[SKIPPED]], [VALUE])
    assert ier.process_results(VALUE, skipped) == {} == ier.process_results(VALUE, [skipped])
    for another in (["[1, 2]"], [["[1, 2]"]], [[Answer("1")], [Answer("2")]]):
        with pytest.raises(TypeError, match=r"pip install 'lm-eval<0.6'"):
            ier.process_results(VALUE, another)


def test_the_import_contract_covers_every_family():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (contract,) = [one for one in contracts if one["name"] == "Nobody knows a family by name"]
    modules = [path.parent.name for path in (ROOT / "lm_eval_codemind" / "families").glob("*/__init__.py")]
    assert len(modules) >= 12
    for name in [*modules, "new"]:
        for module in ("task", "view"):
            dotted = f"lm_eval_codemind.families.{name}.{module}"
            assert any(fnmatch(dotted, forbidden) for forbidden in contract["forbidden_modules"]), dotted
    assert not re.search(r"families\.(ier|sr|dsr)", str(contract["forbidden_modules"]))


@pytest.mark.parametrize(("end", "option", "read"), [
    ("", {}, True), ("<think>\n", {}, False), ("", {"thinking": "opened"}, False),
    ("<think>\n\n</think>\n\n", {}, True),
])  # fmt: skip
def test_the_prompt_or_an_option_tells_whether_the_template_opened_the_thinking(end, option, read):
    manager = TaskManager(include_path=list(task_directories()), include_defaults=False, metadata=option)
    (task,) = manager.load(["codemind_ier_sample"])["tasks"].values()
    with contract.own_requests():
        task.build_all_requests(limit=2, rank=0, world_size=1)
        for request in task.instances:
            request.arguments = (f"{request.args[0]}{end}", *request.args[1:])
            request.resps = ["I think <output>1</output> is not it."]
        task.instances[0].resps = ["So.\n</think>\n<output>1</output>"]
        task.apply_filters()
    answers = [request.filtered_resps["strict-match"][0] for request in task.instances]
    assert [answer.text for answer in answers] == ["1", "1" if read else None]
    suite = task.config.metadata["suite"]
    assert suite.get("thinking") == (None if read else "opened")
    assert suite["readings"]["unfinished"] == suite["readings"]["unfinished_opened"] == (0 if read else 1)


def test_an_unknown_value_of_the_option_is_refused():
    with pytest.raises(UserError, match="the only value is 'opened'"):
        ier.dataset(benchmark="sample", thinking="yes")


def test_a_task_without_examples_has_no_few_shot_examples():
    made = splits([{"prompt": "1 + 1"}, {"prompt": "1 + 2"}], [])
    assert [row["prompt"] for row in made["test"]] == ["1 + 1", "1 + 2"] and len(made["fewshot"]) == 0


def test_a_model_that_returns_none_has_empty_responses(tmp_path):
    results = evaluate(tmp_path, "m", lambda document: None, ["codemind_ier_sample"])  # type: ignore[arg-type,return-value]
    readings = results["configs"]["codemind_ier_sample"]["metadata"]["suite"]["readings"]
    assert (readings["responses"], readings["empty"], readings["failed"]) == (24, 24, 0)
