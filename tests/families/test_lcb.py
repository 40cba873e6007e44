"""LiveCodeBench's execution as published, on rows of our own: prompts, chats, reading, both scores."""

import hashlib
import json
import re
import tarfile
from pathlib import Path

import pytest

import baselines
from lm_eval_codemind.data.manifest import DATA_VARIABLE, read_manifest
from lm_eval_codemind.families.cruxeval import lcb, task
from lm_eval_codemind.harness.contract import own_requests
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Question
from lm_eval_codemind.sandbox import Job, shared_sandbox
from tables import published_requests
from tests.cli import said
from tests.families.lcb_rows import ROWS, UNPROVEN, built_lcb
from tests.families.reference import reference_run
from tests.results.harness import task_manager
from tests.run_files import read_rows, read_run

TASKS = [f"codemind_lcb_execution_{form}" for form in ("direct", "cot", "direct_02", "cot_02")]
PROBLEMS = {
    "pairs": (
        "def pairs(nums: List[int]) -> int:\n    return sum(n // 2 for n in Counter(nums).values())",
        *("pairs(nums = [1, 1, 2])", "1"),
    ),
    "joined": ("def joined(text: str) -> str:\n    return text + '=='", "joined(text = 'a')", "'a=='"),
    "counted": (
        "def counted(text: str) -> Dict[str, int]:\n    return dict(Counter(text))",
        *("counted(text = 'aab')", "{'a': 2, 'b': 1}"),
    ),
}
# Each has a response of our own, and the answer and the verdict that upstream's code gives for it (revision 28fef95).
OUTPUTS = read_rows(Path(__file__).with_name("lcb_outputs.jsonl"))
# What upstream's file imports.
STUBS = """
import sys, types
for name in ("lcb_runner", "lcb_runner.lm_styles", "lcb_runner.benchmarks"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["lcb_runner.lm_styles"].LMStyle = types.SimpleNamespace(OpenAIChat="chat", LLaMa3="", Claude="text")
sys.modules["lcb_runner.benchmarks"].CodeExecutionProblem = None
"""


@pytest.fixture(scope="module")
def lcb_data(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_lcb(shared_data, tmp_path_factory.mktemp("lcb"))


@pytest.fixture
def lcb_built(lcb_data: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(DATA_VARIABLE, str(lcb_data))
    return lcb_data


def as_json(messages: list[dict[str, str]], **_: object) -> str:
    return json.dumps([{"role": each["role"], "content": each["content"]} for each in messages])


def test_prompts_and_chats_are_what_upstreams_functions_return(lcb_built, shared_data):
    with tarfile.open(shared_data / "upstream" / "LiveCodeBench.tar.xz") as tar:
        file = tar.extractfile("LiveCodeBench/lcb_runner/prompts/code_execution.py")
        assert file is not None
        program = STUBS + file.read().decode()
    for form, function in (("direct", "format_prompt_execution"), ("cot", "format_prompt_execution_cot")):
        name = f"codemind_lcb_execution_{form}"
        asked = task_manager().load([name])["tasks"][name]
        asked.build_all_requests(apply_chat_template=False)
        texts = [json.dumps(instance.args[0]) for instance in asked.instances]
        with own_requests():
            asked.build_all_requests(apply_chat_template=True, chat_template=as_json, tokenizer_name="")
        chats = [instance.args[0] for instance in asked.instances]
        questions = [f"types.SimpleNamespace(code={row['code']!r}, input={row['input']!r})" for row in ROWS]
        calls = [f"{function}({question}, {style!r})" for question in questions for style in ("text", "chat")]
        job = Job.evaluate(
            f"{program}\nimport hashlib, json",
            [f"hashlib.sha256(json.dumps({call}).encode()).hexdigest()" for call in calls],
        )
        digests = [
            json.loads(one.literal.replace("'", '"')) for one in shared_sandbox().submit(job).result().observations
        ]
        ours = [prompt for pair in zip(texts, chats, strict=True) for prompt in pair]
        assert [hashlib.sha256(prompt.encode()).hexdigest() for prompt in ours] == digests
        assert len(ours) == 2 * 479


@pytest.mark.parametrize(("model", "value"), [("oracle", 1.0), ("null", 0.0)])
def test_published_answers_score_one_and_empty_ones_zero(model, value, lcb_built):
    """All problems are asked about; those whose label is not proven count only by upstream's rule."""
    results = reference_run(model, *TASKS, bootstrap_iters=0, limit=60)
    for name in TASKS:
        assert results["n-samples"][name]["effective"] == 60
        scores = results["results"][name]
        metrics = ("pass@1", "pass@1_upstream", "answered", *(["pass@5"] if name.endswith("_02") else []))
        assert [scores[f"{metric},extract-answer"] for metric in metrics] == [value] * len(metrics)
        logged = {sample["doc"]["problem_id"]: sample for sample in results["samples"][name]}
        assert {problem for problem, sample in logged.items() if sample["pass@1"] is None} == UNPROVEN.keys()
        assert all(isinstance(sample["pass@1_upstream"], float) for sample in logged.values())
    recorded = results["configs"]["codemind_lcb_execution_cot"]["metadata"]["suite"]
    assert (
        recorded["data_sha256"]
        and recorded["prompt_texts"]["sha256"]["lcb_prompts.questions"]
        and recorded["system_message"]
    )


@pytest.mark.parametrize("row", OUTPUTS, ids=range(len(OUTPUTS)))
def test_answers_and_verdicts_are_those_of_upstreams_code(row, monkeypatch):
    code, call, output = PROBLEMS[row["problem"]]
    problem = Problem("sample_0", "lcb_execution", "function", "python", code, row["problem"], call, output)
    monkeypatch.setattr(task, "problem_of", lambda question: problem)
    question = Question.about(problem, row["form"], {}, columns=task.COLUMNS)
    ((answer,),) = lcb.extract([[row["response"]]], [question.document()])
    answer.wait()
    scores = lcb.LCB_EXECUTION.score(question, answer)
    assert answer.details["published_answer"] == row["answer"]
    assert answer.details["excluded_upstream"] == (row["verdict"] == "excluded")
    assert scores["pass@1_upstream"] == (row["verdict"] is True)
    assert scores["pass@1"] == row["by_value"]


def test_recorded_outputs_are_scored_verified_shown_and_cited(lcb_built, tmp_path):
    answers = [[f"assert {row['input']} == {row['output']}\n[/ANSWER]", "0", row["input"]] for row in ROWS[:40]]
    file = tmp_path / "outputs.json"
    file.write_text(json.dumps([{**row, "output_list": texts} for row, texts in zip(ROWS, answers, strict=False)]))
    run = tmp_path / "run"
    said("score", "--responses", file, "--tasks", TASKS[0], "--output_path", run, "--confirm_run_unsafe_code")
    scores = read_run(run)[0]["results"][TASKS[0]]
    # Upstream leaves the third response out, which contains the call.
    assert scores["pass@1,extract-answer"] == pytest.approx(1 / 3)
    assert scores["pass@1_upstream,extract-answer"] == pytest.approx(1 / 2)
    assert "equal" in said("verify", run)
    said("report", run, "-o", tmp_path / "report.html")
    assert "40 of 479" in said("cite", run)


def test_a_run_is_submitted_with_the_digest_of_its_data(lcb_built, tmp_path):
    """There is no released digest to compare it with."""
    run = tmp_path / "run"
    file = tmp_path / "outputs.json"
    file.write_text(json.dumps([{**row, "output_list": [f"{row['output']}\n[/ANSWER]"]} for row in ROWS]))
    said("score", "--responses", file, "--tasks", TASKS[0], "--output_path", run, "--confirm_run_unsafe_code")
    bundle = tmp_path / "bundle"
    said(
        *("submit", run, "--recorded", "--dataset", "org/data", "-o", bundle),
        *("--model", "org/m", "--model-was", "outputs"),
    )
    data = read_manifest(lcb_built)["lcb_execution"].digests["lcb_execution"]
    assert any(data in path.read_text() for path in bundle.rglob("*.yaml"))


def test_plan_counts_all_problems(lcb_built):
    counted = {name: count for name, count in published_requests().items() if name.startswith("codemind_lcb_")}
    assert counted.keys() == set(TASKS[:2])
    for name, count in counted.items():
        assert re.search(rf"{name} +{count} ", said("plan", "--tasks", name))


def test_baselines_can_be_measured(lcb_built):
    tasks = baselines.FAMILIES[baselines.LCB]
    documents = baselines.documents_of(tasks, "lcb_execution")
    scores = baselines.scores(tasks, documents, baselines.LCB)
    # No two labels are the same.
    assert scores["pass@1"]["best constant"] == pytest.approx(1 / 476)
    assert scores["pass@1_upstream"]["best constant"] == pytest.approx(1 / 479)
