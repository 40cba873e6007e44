"""`codemind cite` prints what belongs into a paper, and each statement is true of the run."""

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from lm_eval.models.utils import normalize_gen_kwargs

from lm_eval_codemind import __version__
from lm_eval_codemind.data.catalogue import SOURCES
from lm_eval_codemind.families.views import views
from lm_eval_codemind.results import citing
from lm_eval_codemind.statistics import proportion
from tests.chat_server import chat_server
from tests.cli import refused, said
from tests.run_files import change_results, read_rows, read_run

TASK = "codemind_ier_sample"
_SENTENCE = re.compile(
    r"^(?P<model>\S+)(?: \(backend (?P<backend>[^,)]+)(?:, (?P<precision>\w+))?\))? scores "
    r"(?P<scores>.+?) on (?P<group>\w+) \((?P<title>.+?), a task of (?P<origin>.+?)\), "
    r"(?P<how>.+), read by the filter (?P<filter>\S+) "
    r"and scored by lm-eval-codemind (?P<suite>\S+) with lm-eval (?P<harness>\S+)\.$",
    re.MULTILINE,
)
# Families of the tests: their titles, and whose tasks they are.
_CODEMIND = "CodeMind (arXiv 2402.09664)"
TITLES = {
    "ier": ("IER", _CODEMIND),
    "ier_published": ("IER published", _CODEMIND),
    "sr": ("SR", _CODEMIND),
    "der": ("DER", _CODEMIND),
}
_HOW = re.compile(
    r"^with (?P<shots>\d+) few-shot examples?, (?P<prompts>.+?) "
    r"(?P<form>with chat template|without chat template|as chat messages), "
    r"(?:the system instruction '(?P<system>.+)', )?(?P<decoding>greedy decoding|sampling \(.+?\)), "
    r"(?P<repeats>\d+) responses? to a question, at most (?P<limit>[\d,]+) tokens each, "
    r"for (?P<asked>\d+) of (?P<all>\d+) questions$"
)


def cited(run: Path) -> dict[str, Mapping[str, str]]:
    """Return the statements of each sentence, by group."""
    return {match["group"]: match.groupdict() for match in _SENTENCE.finditer(said("cite", run))}


def run_of(folder: Path, *options: str, model: str = "codemind-oracle", task: str = TASK) -> Path:
    """Evaluate the oracle, and return the folder of its results."""
    said("run", "--model", model, "--tasks", task, "--log_samples", "--output_path", folder, *options)
    return folder


def recorded(run: Path, task: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the result file of a task and the task's samples."""
    for file in run.rglob("results_*.json"):
        results = json.loads(file.read_text(encoding="utf-8"))
        if task in results["configs"]:
            return results, read_rows(file.with_name(f"samples_{task}_{file.stem.removeprefix('results_')}.jsonl"))
    raise AssertionError(task)


def form_of(results: Mapping[str, Any], rows: list[dict[str, Any]]) -> str:
    """Return the form of the prompts by the requests that the samples log."""
    # An API gets messages, which the harness logs as a list; other models get a text.
    if isinstance(rows[0]["arguments"]["gen_args_0"]["arg_0"], list):
        return "as chat messages"
    return "with chat template" if results["chat_template_sha"] else "without chat template"


def compared(run: Path, task: str, statements: Mapping[str, str]) -> Mapping[str, str]:
    """Compare what a sentence says with what the run recorded; return what it says of the requests."""
    results, rows = recorded(run, task)
    config, numbers, suite = results["configs"][task], results["n-samples"][task], results["config"]
    arguments, metadata = config["generation_kwargs"], config["metadata"]["suite"]
    how = _HOW.match(statements["how"])
    assert how is not None, statements["how"]
    # The harness makes up a name for a model without arguments.
    assert statements["model"] == (results["model_name"] if suite["model_args"] else suite["model"])
    assert statements["backend"] == suite["model"]
    precision = suite.get("model_dtype") or suite["model_args"].get("dtype")
    assert statements["precision"] == (precision and precision.removeprefix("torch."))
    assert int(how["shots"]) == config["num_fewshot"] and int(how["repeats"]) == config["repeats"]
    assert how["limit"] == f"{arguments['max_gen_toks']:,}"
    assert (how["decoding"] == "greedy decoding") is not arguments["do_sample"]
    if arguments["do_sample"]:
        assert how["decoding"] == f"sampling (temperature {arguments['temperature']})"
    texts = metadata.get("prompt_texts")
    assert how["prompts"] == (
        f"upstream's, {texts['source']}, form {texts['form']}" if texts else "the suite's prompts"
    )
    assert how["form"] == form_of(results, rows) and how["system"] == results["system_instruction"]
    assert (int(how["asked"]), int(how["all"])) == (numbers["effective"], numbers["original"])
    assert int(how["asked"]) == len({row["doc_hash"] for row in rows})
    assert statements["filter"] == config["filter_list"][0]["name"]
    assert (statements["suite"], statements["harness"]) == (__version__, results["lm_eval_version"])
    assert metadata["version"] == __version__
    title, origin = TITLES[metadata["family"]]
    assert (statements["title"], statements["origin"]) == (title, origin)
    scores = re.findall(r"(\S+) ([\d.]+)% \(95% interval ([\d.]+)% to ([\d.]+)%\)", statements["scores"])
    assert len(scores) == statements["scores"].count("interval") >= 1
    for name, value, low, high in scores:
        assert f"{results['results'][task][name + ',' + statements['filter']]:.1%}" == f"{value}%"
        assert float(low) <= float(value) <= float(high)
    return how.groupdict()


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The usual run of the oracle."""
    return run_of(tmp_path_factory.mktemp("usual"))


def test_a_usual_run(usual):
    (statements,) = cited(usual).values()
    how = compared(usual, TASK, statements)
    interval = proportion(24, 24)
    assert statements["scores"] == f"r_ier 100.0% (95% interval {interval.low:.1%} to {interval.high:.1%})"
    assert (statements["title"], statements["origin"]) == ("IER", "CodeMind (arXiv 2402.09664)")
    assert (how["prompts"], how["form"], how["system"]) == ("the suite's prompts", "without chat template", None)


def test_other_settings_and_repeats(tmp_path):
    text = {"include": str(Path("tasks/ier/codemind_ier_sample.yaml").resolve()), "task": "my_codemind_ier_sample"}
    (tmp_path / "task.yaml").write_text(yaml.safe_dump({**text, "repeats": 3}))
    options = ("--limit", "5", "--num_fewshot", "1", "--system_instruction", "Think", "--include_path", str(tmp_path))
    sampled = ("--gen_kwargs", "max_gen_toks=99,do_sample=True,temperature=0.8")
    run = run_of(tmp_path / "run", *options, *sampled, task=text["task"])
    how = compared(run, text["task"], cited(run)[text["task"]])
    assert (how["decoding"], how["system"], how["repeats"]) == ("sampling (temperature 0.8)", "Think", "3")


def test_a_temperature_without_sampling_is_not_called_sampling(tmp_path):
    """The task's ``do_sample: false`` stays, and then Hugging Face and vLLM decode greedily."""
    run = run_of(tmp_path, "--limit", "1", "--gen_kwargs", "temperature=0.8")
    assert not normalize_gen_kwargs(recorded(run, TASK)[0]["configs"][TASK]["generation_kwargs"])["temperature"]
    assert ", temperature 0.8 without do_sample (greedy decoding with Hugging Face and vLLM), " in said("cite", run)


def test_recorded_responses_say_only_what_is_known(tmp_path):
    row = {"benchmark": "sample", "problem_id": "Sample_bit_masks", "response": "<output>1</output>", "model": "theirs"}
    (tmp_path / "responses.jsonl").write_text(json.dumps(row) + "\n")
    said("score", "--responses", tmp_path / "responses.jsonl", "--tasks", TASK, "--output_path", tmp_path / "run")
    (statements,) = cited(tmp_path / "run").values()
    assert statements["model"] == "theirs" and statements["backend"] is None
    assert statements["how"] == "from recorded responses to 1 of 24 questions, whose prompts and decoding are not known"
    table = said("cite", tmp_path / "run", "--format", "markdown")
    assert "| questions | 1 of 24 |" in table
    for name in ("few-shot", "max_gen_toks", "do_sample", "chat template"):
        assert name not in table


def hf(folder: Path) -> Path:
    """A run as the backend hf records it."""
    config = {"model": "hf", "model_dtype": "torch.bfloat16", "model_args": {"pretrained": "org/small"}}
    return as_recorded_by(config, folder, chat_template_sha="0" * 64)


def vllm(folder: Path) -> Path:
    config = {"model": "vllm", "model_args": {"pretrained": "org/small", "dtype": "half"}}
    return as_recorded_by(config, folder, system_instruction="Think")


def as_recorded_by(config: Mapping[str, Any], folder: Path, **others: str) -> Path:
    def change(raw: dict[str, Any]) -> None:
        raw.update(others, model_source=config["model"], model_name="org/small")
        raw["config"].update(config)

    run = run_of(folder / "run", "--limit", "6")
    change_results(run, change)
    return run


def api(folder: Path) -> Path:
    """A run on a server with OpenAI's protocol, which is right about nothing."""
    with chat_server(lambda messages: "<output>\n'?'\n</output>") as server:
        arguments = ("--model_args", f"model=served,base_url={server.url}", "--apply_chat_template", "--limit", "3")
        return run_of(folder, *arguments, model="local-chat-completions")


def der(folder: Path) -> Path:
    return run_of(folder, "--confirm_run_unsafe_code", task="codemind_der_sample")


def published(folder: Path) -> Path:
    return run_of(folder, "--limit", "4", task="codemind_ier_published_humaneval")


@pytest.mark.parametrize("kind", [hf, vllm, api, der, pytest.param(published, marks=pytest.mark.proof)])
def test_each_statement_is_true_of_the_run(kind, request, tmp_path):
    if kind is published:
        request.getfixturevalue("built")
    run = kind(tmp_path)
    statements = cited(run)
    names = {task for file in run.rglob("results_*.json") for task in json.loads(file.read_text())["configs"]}
    assert set(statements) == names
    for task in names:
        compared(run, task, statements[task])


def test_what_this_suite_added_is_not_the_papers(tmp_path):
    names = ("codemind_trace_lines_sample", "codemind_verdict_sample")
    statements = cited(run_of(tmp_path, "--limit", "2", task=",".join(names)))
    assert [statements[name]["origin"] for name in names] == ["lm-eval-codemind"] * 2
    assert "prefix" not in statements[names[0]]["scores"] and "lucky" not in statements[names[0]]["scores"]
    assert "@misc{" not in said("cite", tmp_path)


def test_two_models(usual, tmp_path):
    other = run_of(tmp_path, model="codemind-null")
    sentences = [match["model"] for match in _SENTENCE.finditer(said("cite", usual, other))]
    assert sorted(sentences) == ["codemind-null", "codemind-oracle"]
    for run in (usual, other):
        compared(run, TASK, cited(run)[TASK])


def test_a_setting_that_differs_within_a_group_is_told_for_each_task(tmp_path):
    metrics = [{"metric": "r_ier", "weight_by_size": True}]
    group = {"group": "codemind_both", "task": [TASK, "codemind_ier_sample_java"], "aggregate_metric_list": metrics}
    (tmp_path / "group.yaml").write_text(json.dumps(group))
    run = run_of(tmp_path / "run", "--include_path", str(tmp_path), task="codemind_both")
    assert "scores r_ier 100.0%" in said("cite", run) and " on codemind_both (IER, a task of CodeMind" in said(
        "cite", run
    )
    assert f"24 of 24 ({TASK})" in said("cite", run, "--format", "markdown")


def test_the_table_of_settings(usual):
    suite = read_run(usual)[0]["configs"][TASK]["metadata"]["suite"]
    markdown, latex = (said("cite", usual, "--format", form) for form in ("markdown", "latex"))
    for name, value in (("data", suite["data_sha256"][:12]), ("prompts", suite["prompts_sha256"][:12])):
        assert f"| {name} | {value} |" in markdown and f"\n{name} & {value} \\\\\n" in latex
    assert "codemind\\_ier\\_sample" in latex and latex.startswith("\\begin{tabular}{ll}\n")


def test_failed_requests_are_told_also_in_a_comparison(usual, tmp_path):
    shutil.copytree(usual, tmp_path / "run")

    def change(raw: dict[str, Any]) -> None:
        raw["configs"][TASK]["metadata"]["suite"]["readings"]["failed"] = 5

    change_results(tmp_path / "run", change)
    assert "for 24 of 24 questions (5 of 24 requests failed and count as wrong), read" in said("cite", tmp_path / "run")
    told = "failed requests, which count as wrong"
    assert f"| {told} | 5 of 24 |" in said("cite", tmp_path / "run", "--format", "markdown")
    assert f"note: {TASK}: {told}: 0 and 5 of 24" in said("compare", usual, tmp_path / "run")
    assert "failed" not in said("cite", usual) + said("cite", usual, "--format", "markdown")


def test_references_are_of_families_and_sources_that_exist():
    content = citing._CONTENT
    assert set(SOURCES) <= set(content["sources"])
    of_families = {view.variant.paper for view in views().values()} - {""}
    assert of_families | set(content["sources"].values()) == set(content["papers"])
    assert {"codemind", "ces", "re2bench"} <= of_families


def test_bibtex_of_what_was_used(usual):
    shown = said("cite", usual)
    assert re.findall(r"^@\w+{([\w-]+),$", shown, re.MULTILINE) == ["lm-eval-codemind", "codemind"]
    assert f"version = {{{__version__}}}" in shown and "eprint = {2402.09664}" in shown


def test_nothing_to_cite(tmp_path):
    assert str(tmp_path) in refused("cite", tmp_path)
