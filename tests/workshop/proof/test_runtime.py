import ast
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import prove_runtime
from errata import REVAL
from lm_eval_codemind.answers.literals import parse_literal
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.facts import runtime_labels, shipped
from lm_eval_codemind.data.facts.runtime_inputs import inputs_of
from lm_eval_codemind.data.facts.runtime_labels import load_labels, load_published
from lm_eval_codemind.data.own import read_programs
from lm_eval_codemind.families.runtime.score import METRICS, Item, score
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.studies.reval import rules as answers
from lm_eval_codemind.workshop.build import read_proven
from lm_eval_codemind.workshop.proof.own import prove_programs
from lm_eval_codemind.workshop.proof.runtime_questions import Observations, agreeing
from prove_runtime import plain
from tests.run_files import read_rows

SHIPPED = ("reval_humaneval", "reval_classeval", "cruxeval", "avatar", "sample")
# Of each of the larger benchmarks one problem in so many is executed by an ordinary run of the tests.
EVERY = 40


def test_published_labels_are_upstream_s_item_by_item(shared_data):
    labels: dict[str, Any] = {}
    for row in read_rows(shared_data / "recorded" / "reval_upstream_labels.jsonl.gz"):
        state = [] if row["state"] == "Nil" else [[value["value"], value["type"]] for value in row["state"]]
        following = [line["line"] for line in row["next_lines"]]
        inputs = labels.setdefault(row["task_id"], {}).setdefault(str(row["input_index"]), [])
        inputs.append([row["line"], row["variable"], row["coverage"], state, following])
    assert sum(len(rows) for inputs in labels.values() for rows in inputs.values()) == 3152
    known = shipped.load("runtime_labels/reval_published.json.gz")
    for rows in (rows for programs in (labels, known) for inputs in programs.values() for rows in inputs.values()):
        for row in rows:
            row[-1] = sorted(row[-1])
    assert labels == known


def compare_with_execution(problems: list[Problem]) -> int:
    """Check the shipped labels of some problems against an execution here and now; return how many there are."""
    known = load_labels(problems[0].benchmark)
    count = 0
    for program, inputs in prove_runtime.observe(problems).items():
        for number, seen in inputs.items():
            of_input = known[program][number]
            if of_input.reason:
                continue
            for output, here in zip(of_input.outputs, seen["outputs"], strict=False):
                assert output in (None, here), (program, number)
            for label in of_input.labels:
                times, of_line = seen["lines"][str(label.line)]
                assert times == label.runs, (program, number, label)
                if label.run:
                    following, values = of_line[label.run - 1]
                    assert following == label.next_line, (program, number, label)
                    assert label.value is None or values[label.variable] == [label.type_name, label.value]
                count += 1
    return count


def rewritten_programs_log_the_labels(problems: list[Problem]) -> None:
    """Check labels without a tracer: the programs say themselves which lines they come to."""
    labels = load_labels(problems[0].benchmark)
    for problem in problems:
        for run_input in inputs_of(problem):
            known = labels.get(problem.problem_id, {}).get(run_input.number)
            if known is not None and not known.reason:
                assert prove_runtime.differences(problem, run_input, known) == []


@pytest.mark.proof
def test_executions_and_rewritten_programs_give_the_shipped_labels():
    """On every version of Python."""
    problems = load_benchmark("sample")
    assert compare_with_execution(problems) > 100
    assert all(not known.reason for inputs in load_labels("sample").values() for known in inputs.values())
    rewritten_programs_log_the_labels(problems)


@pytest.mark.parametrize("name", [name for name in SHIPPED if name != "sample"])
def test_executions_and_rewritten_programs_give_a_few_of_the_shipped_labels(name, upstream):
    """``utils/prove/prove_runtime.py check`` does it for all."""
    problems = read_proven(name, upstream)[::EVERY]
    assert compare_with_execution(problems) > 5
    rewritten_programs_log_the_labels(problems)


@pytest.mark.proof
def test_rewritten_programs_log_the_labels_of_a_user_s_programs():
    programs, _ = read_programs(Path(__file__).parents[2] / "commands" / "programs.jsonl")
    problems = [problem for problem in load_benchmark("sample") if problem.kind in ("function", "script")]
    proofs, _ = prove_programs([*problems, *(program.problem for program in programs)], 0, 0)
    asked: Counter[str] = Counter()
    for problem, execution in proofs:
        (only,) = inputs_of(problem)
        assert prove_runtime.differences(problem, only, execution.labels) == [], problem.problem_id
        for label in execution.labels.labels:
            asked.update(f"{kind}{label.executed}" for kind in label.asked)
    assert asked["cTrue"] == asked["cFalse"] >= 3 and min(asked["sTrue"], asked["pTrue"]) >= 10


def test_differences_by_cause():
    causes = [cause for inputs in REVAL["items"].values() for lines in inputs.values() for cause in lines.values()]
    states, paths = (Counter(filter(None, causes_of)) for causes_of in zip(*causes, strict=True))
    assert set(states) <= set(REVAL["state"]) and set(paths) <= set(REVAL["path"])
    assert paths == {"again": 21, "return": 24, "expression": 3, "merged": 9, "later": 2}
    # Where two causes meet the first one counts. Seven values without a literal are among them.
    assert states == {
        "callee": 41, "later": 35, "expression": 25, "undefined": 24, "last": 19, "pairs": 19, "return": 15,
        "caller": 14, "merged": 6, "index": 5,
    }  # fmt: skip
    assert len(causes) == 208 and states.total() == 203
    differences = REVAL["items"]
    assert differences["DREval/100"]["4"]["24"] == differences["DREval/149"]["4"]["17"] == ["later", ""]
    assert differences["DREval/122"]["1"]["37"] == ["pairs", ""]


def test_all_labels_are_well_formed():
    for name in SHIPPED:
        labels = load_labels(name)
        assert json.loads(json.dumps(plain(labels))) == shipped.load(f"runtime_labels/{name}.json.gz")
        for inputs in labels.values():
            for of_input in inputs.values():
                assert of_input.reason in ("", *runtime_labels.REASONS)
                assert not of_input.reason or not of_input.labels
                for label in of_input.labels:
                    assert label.asked in ("c", "s", "p", "cs", "cp", "sp", "csp")
                    assert label.executed == (label.next_line is not None) == (1 <= label.run <= label.runs)
                    # State and path are asked about lines that are executed.
                    assert label.executed or label.asked == "c"
                    assert ("s" in label.asked) == bool(label.variable) == (label.value is not None)
                    assert "p" not in label.asked or label.next_line != runtime_labels.THE_END
                    if label.value is not None:
                        ast.parse(label.variable, mode="eval")
                        assert type(parse_literal(label.value)).__name__ == label.type_name
                        assert not re.search(r"\bat 0x", label.value)


def test_what_constant_answers_score_by_reval_s_rules():
    """The figures that READMEs show; REval's own labels, whatever our questions are."""

    def scores(coverage: str) -> dict[str, float]:
        items = []
        for program, inputs in load_published().items():
            for label in (label for rows in inputs.values() for label in rows):
                goes_on, ends = any(line != -1 for line in label.next_lines), -1 in label.next_lines
                said, state = answers.coverage(coverage), answers.state("Nil", label.values)
                items.append(Item(program, label.executed, goes_on, said, state, ends, False))
        return {name: round(100 * score(name, items), 1) for name in METRICS}

    no, yes = scores("NO"), scores("YES")
    assert (no["path"], no["state"], no["ic"], no["coverage"], no["coverage_f1"]) == (58.7, 50.2, 23.1, 46.3, 0)
    assert (yes["coverage"], yes["coverage_f1"], yes["ic"]) == (53.7, 69.9, 5.8)


def _seen(
    following: int = 2, value: str = "1", outputs: tuple[str, ...] = ("1",), reason: str = "", runs: int = 1
) -> Observations:
    lines = {"1": [runs, [[following, {"x": ["int", value], "y": ["int", "5"]}]]], "4": [0, []]}
    return {"p": {"0": {"reason": reason, "outputs": list(outputs), "lines": lines}}}


def test_what_executions_differ_in_is_not_asked():
    same = _seen()
    assert agreeing([("3.11", same), ("3.12", same)]) == same
    (one,) = agreeing([("3.11", same), ("3.12", _seen(value="2"))])["p"].values()
    assert one["lines"] == {"1": [1, [[2, {"y": ["int", "5"]}]]], "4": [0, []]} and not one["reason"]
    for other in (_seen(following=3), _seen(runs=2)):
        (one,) = agreeing([("3.11", same), ("3.12", other)])["p"].values()
        assert list(one["lines"]) == ["4"]
    for version, reason in (("3.11", "hashing"), ("3.13", "version")):
        (one,) = agreeing([("3.11", same), (version, _seen(outputs=("2",)))])["p"].values()
        assert one["reason"] == reason
    # A version that cannot run the program says nothing.
    silent: Observations = {"p": {"0": {"reason": "dependency", "outputs": [], "lines": {}}}}
    assert agreeing([("3.11", same), ("3.13", silent)]) == same
