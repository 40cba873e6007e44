"""Translation: the questions, why answers fail, the scores, and DER on what was translated."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from lm_eval_codemind.answers.comparison import printed_lines
from lm_eval_codemind.data import load_problem
from lm_eval_codemind.data.catalogue import get_benchmark
from lm_eval_codemind.families.der.task import DER
from lm_eval_codemind.families.ier.task import IER
from lm_eval_codemind.families.sr import score as sr_score
from lm_eval_codemind.families.translation.task import CAUSES, TRANSLATION, cause, gained, misleading_output
from lm_eval_codemind.families.views import views
from lm_eval_codemind.harness.cli import run_harness
from lm_eval_codemind.harness.templates import Templates
from lm_eval_codemind.languages import get_language, languages
from lm_eval_codemind.questions import Answer, Question
from lm_eval_codemind.results.runs import Run, read_runs
from lm_eval_codemind.samples import Sample
from tests.run_files import write_rows


def questions(benchmark: str, setting: str = "no_test") -> list[Question]:
    problems = TRANSLATION.problems(get_benchmark(benchmark), {})
    return [question for problem in problems for question in TRANSLATION.questions(problem, setting)]


@pytest.mark.parametrize(("benchmark", "count", "target"), [("sample_java", 13, "python"), ("sample", 5, "java")])
def test_every_program_is_asked_for_in_the_other_language(benchmark, count, target):
    plain, with_test = questions(benchmark, "no_test"), questions(benchmark, "with_test")
    assert len(plain) == len(with_test) == count
    for one, other in zip(plain, with_test, strict=True):
        assert one["target_language"] == target != one.language and not one["test"]
        assert other["test"].startswith("Input:") and other["answer"] == one["answer"]
        fence = get_language(target).fence
        answer = TRANSLATION.read(f"```{fence}\n{one['answer']}\n```", one, "extract-code")
        job = TRANSLATION.job(answer, one)
        assert job is not None and job.language == target and len(job.cases) >= 4


def test_the_misleading_test_alone_counts():
    for question in questions("sample", "misleading"):
        answer = TRANSLATION.read(f"```java\n{question['answer']}\n```", question, "extract-code")
        job = TRANSLATION.job(answer, question)
        assert job is not None and len(job.cases) == 1
        assert printed_lines(job.cases[0].stdout or "") != printed_lines(question["output"])


@pytest.mark.parametrize(("output", "other"), [
    *(("7\n", "8\n"), ("a 19 b\n", "a 10 b\n"), ("YES\n", "NO\n"), ("false", "true")),
    *(("ab\n", "ba\n"), ("aa", "aax\n"), ("", "x\n")),
])  # fmt: skip
def test_misleading_outputs_look_like_outputs(output, other):
    assert misleading_output(output) == other


@pytest.mark.parametrize(("status", "kind", "why"), [
    *(("passed", "", ""), ("failed", "", "wrong_output"), ("timeout", "", "timeout")),
    *(("error", "compile error", "compile_error"), ("error", "SyntaxError", "compile_error")),
    *(("unfinished", "", "compile_error"), ("error", "ValueError", "runtime_error")),
    *(("memory", "", "runtime_error"), ("blocked", "PermissionError", "runtime_error")),
])  # fmt: skip
def test_causes(status, kind, why):
    answer = Answer("code", outcome={"status": status, "exception_type": kind})
    assert cause(answer) == why
    (question, *_) = questions("sample", "no_test")
    metrics = TRANSLATION.score(question, answer)
    assert {name for name in CAUSES if metrics[name]} == ({why} if why else set())
    assert metrics["pass@1"] == (status == "passed")


def test_gained_is_the_share_of_the_unsolved_that_the_test_solves():
    pairs = [(1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0), (0.0, 0.0)]
    assert sr_score.gained(pairs) == pytest.approx(1 / 3)
    assert math.isnan(sr_score.gained([(1.0, 1.0)])) and math.isnan(sr_score.gained_stderr(pairs[:2]))
    # The variance of the mean of three zeros and ones, whose number is itself drawn.
    assert sr_score.gained_stderr(pairs) == pytest.approx(math.sqrt((4 / 9 + 1 / 9 + 1 / 9) / 4 / 5) / 0.6)
    halves = [(number, *half) for number, pair in enumerate(pairs) for half in zip(("no", "with"), pair, strict=True)]
    records = [{"problem_id": str(n), "setting": f"{way}_test", "passed": passed} for n, way, passed in halves]
    assert gained(records) == pytest.approx(1 / 3)


def test_the_interval_of_gained_is_that_of_its_ratio():
    """Four responses each: a problem counts for as much as is not solved without the test."""
    generator = np.random.default_rng(3)
    without = generator.integers(0, 5, 200) / 4
    table = np.stack([without, np.maximum(without, generator.integers(0, 5, 200) / 4)], axis=1)
    doc = {"benchmark": "b", "item": ""}
    samples = [
        Sample({**doc, **record}, 0, "", (), (), (), "f", {"r_sr": record, "gained": record}, {})
        for number, pair in enumerate(table.tolist())
        for setting, passed in zip(("no_test", "with_test"), pair, strict=True)
        for record in [{"problem_id": f"p{number}", "setting": setting, "passed": passed}]
    ]
    estimate = views()["translation"].estimate(samples, "gained")
    drawn = table[generator.integers(0, 200, (4000, 200))]
    ratios = ((1 - drawn[..., 0]) * drawn[..., 1]).sum(axis=1) / (1 - drawn[..., 0]).sum(axis=1)
    of_harness = gained([sample.scores["gained"] for sample in samples])
    assert (estimate.value, estimate.n) == (pytest.approx(of_harness), of_harness.size)
    assert (estimate.low, estimate.high) == pytest.approx(tuple(np.quantile(ratios, [0.025, 0.975])), abs=0.01)


# As tests/families/test_prompt_lengths.py has it.
LONGEST = 16_000
DIRECTIONS = {"codemind_der_sample_java_python": 13, "codemind_der_sample_python_java": 5}
BY_CHANCE = "\nimport random\nprint(''.join(random.choices(' \\t', k=64)), end='')\n"


def run(output: Path, tasks: str, model: str, *more: str) -> list[Run]:
    arguments = ["--model", model, *more, "--tasks", tasks, "--output_path", str(output)]
    run_harness([*arguments, "--log_samples", "--confirm_run_unsafe_code"])
    return sorted(read_runs([output]), key=lambda one: one.date)


def scores(run: Run, task: str) -> dict[str, float]:
    of_task = run.task(task)
    assert of_task is not None
    return {one.name: one.value for one in of_task.metrics if one.filter == "strict-match"}


@pytest.mark.proof
@pytest.mark.parametrize("model", ["codemind-oracle", "codemind-null"])
@pytest.mark.usefixtures("java")
def test_ceiling_and_floor(tmp_path, model):
    first, second = run(tmp_path, ",".join(DIRECTIONS), model)
    assert {task.task for task in first.tasks} == {name.replace("_der_", "_translation_") for name in DIRECTIONS}
    for task, count in DIRECTIONS.items():
        metrics = scores(second, task)
        suite = next(one.suite for one in second.tasks if one.task == task)
        if model == "codemind-oracle":
            assert (metrics["r_der"], metrics["s_der"], metrics["pass@1"], metrics["answered"]) == (1, 1, 1, 1)
            assert suite["first_stage"]["asked"] == count and suite["first_stage"]["left_out"] == {}
        else:
            assert (metrics["s_der"], metrics["pass@1"]) == (0, 0) and math.isnan(metrics["r_der"])


def test_the_models_own_translation_is_what_is_asked_about(tmp_path):
    asked = questions("sample_java")
    known = [question for question in asked if TRANSLATION.posed(question).code]
    assert len(asked) == 13 and len(known) == 5
    rows, programs, outputs = [], {}, {}
    for question in asked:
        name, program = question.key.problem_id, question["answer"]
        output = TRANSLATION.posed(question).output or ""
        if question is asked[0]:
            # It passes, since white space at the end does not count, and has no separate output.
            program += BY_CHANCE
        elif question is asked[1]:
            # What counts is what this very program prints.
            program, output = program + "\nprint(' ')\n", output + " \n"
        elif question is asked[2]:
            program = "print('nothing')\n"
        programs[name], outputs[name] = program, output
        row = {"model": "org/translates", "benchmark": "sample_java", "problem_id": name}
        rows += [{**row, "setting": way, "response": f"```python\n{program}```"} for way in ("no_test", "with_test")]
        rows.append({**row, "setting": "own_program", "response": f"<output>\n{output}</output>"})
    for question in known[1:]:
        problem = load_problem("sample", question.key.problem_id)
        row = {"model": "org/translates", "benchmark": "sample", "problem_id": problem.problem_id, "setting": "steps"}
        rows.append({**row, "response": f"<output>\n{problem.output}</output>"})
    responses = tmp_path / "responses.jsonl"
    write_rows(responses, rows)
    arguments = json.dumps({"responses": str(responses), "model": "org/translates", "missing": "empty"})
    task = "codemind_der_sample_java_python"
    _, second = run(tmp_path / "out", f"codemind_ier_sample,{task}", "codemind-replay", "--model_args", arguments)

    metrics = scores(second, task)
    stage = second.tasks[0].suite["first_stage"]
    assert (stage["responses"], stage["passed"], stage["asked"]) == (13, 12, 11)
    assert stage["left_out_programs"] == {"unstable": f"{asked[0].key.problem_id}/own_program"}
    assert metrics["pass@1"] == pytest.approx(12 / 13)
    assert metrics["r_der"] == 1 and metrics["s_der"] == pytest.approx(11 / 12)

    python = get_language("python")
    logged = [one.doc for one in second.tasks[0].read_samples() if one.filter == "strict-match"]
    documents = {document["problem_id"]: document for document in logged}
    assert list(documents) == [question.key.problem_id for question in (asked[1], *asked[3:])]
    same = []
    for name, document in documents.items():
        assert (document["benchmark"], document["language"], document["kind"]) == ("sample_java", "python", "script")
        assert python.normal_form(document["code"]) == python.normal_form(programs[name])
        assert document["output"] == outputs[name]
        assert document["input"] in [case.input for case in load_problem("sample_java", name).cases]
        assert "```python" in document["prompt"] and document["code"].strip() in document["prompt"]
        # The benchmark's own program is the one in the language of the model's.
        reference = next((load_problem("sample", name).code for one in known if one.key.problem_id == name), "")
        assert document["reference"] == reference and bool(document["reference_complexity"]) == bool(reference)
        if document["ier_same"] is not None:
            assert reference
            same.append(document["ier_same"])
    names = [question.key.problem_id for question in known if question.key.problem_id in documents]
    assert len(same) == len(names)
    right = sum(name in {one.key.problem_id for one in known[1:]} for name in names)
    assert metrics["r_ier_same"] == pytest.approx(right / len(names))


def test_no_document_is_beyond_the_limit():
    templates = Templates(IER.templates)
    for language in languages().values():
        # Of the kinds whose output is asked for: methods in Java, say, are repaired only.
        asked = [kind for kind in language.kinds if (templates.directory / f"{kind.template}.txt").is_file()]
        assert asked
        for kind in asked:
            # A program of the greatest length with the greatest input and output; see workshop/proof/prove_outputs.py.
            fields = {"code": "#" * 10_000, "entry_point": "f" * 50, "input": "1" * 1_000, "output": "2" * 1_000}
            prompt = templates.render(kind.template, **DER.prompt(kind, fields, "own_program"))
            target = templates.render("response", reasoning="", **DER.target(kind, fields, "own_program"))
            assert len(prompt) > 11_000 and len(prompt) + len(target) <= LONGEST - 1_000


@pytest.mark.parametrize("benchmark", ["avatar", "avatar_java", "codenet_python", "codenet_java"])
def test_every_translation_solves_a_problem(benchmark, built):
    known = 0
    for question in questions(benchmark):
        posed = TRANSLATION.posed(question)
        assert (posed.benchmark, posed.problem_id) == (benchmark, question.key.problem_id)
        assert posed.language == question["target_language"] != question.language
        assert {case.input: case.output for case in posed.cases}[posed.input] == posed.output
        assert "\r\n" not in posed.input and len(posed.input) <= 2_000
        known += bool(posed.code)
    assert known >= 45
