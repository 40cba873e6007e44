"""Outputs and results in README.md and docs/ are what the commands next to them print."""

import json
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

from lm_eval_codemind.data.manifest import DATA_VARIABLE
from lm_eval_codemind.harness import preflight
from lm_eval_codemind.results.runs import read_runs
from tests.cli import codemind, said
from tests.run_files import read_rows, read_run

ROOT = Path(__file__).parents[2]
MODELS = ("gpt-4-turbo", "deepseek-coder-33b-instruct")
BENCHMARKS = ("humaneval", "cruxeval", "classeval", "avatar")
_PRINTED = re.compile(r"^```bash\n((?:codemind|lm_eval) [^\n]+)\n```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def printed(page: str) -> dict[str, str]:
    """Return command -> the output that a page shows below it."""
    return dict(_PRINTED.findall((ROOT / page).read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def recorded(shared_data: Path, built_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A directory with the scored outputs of the two models: ``results``, and ``published`` by the published rules."""
    folder = tmp_path_factory.mktemp("printed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(DATA_VARIABLE, str(built_data))
        patch.chdir(folder)
        for model in MODELS:
            responses = str(shared_data / "recorded" / f"ier_{model}.jsonl.gz")
            for place, task in (("results", "codemind_ier"), ("published", "codemind_ier_published")):
                said("score", "--responses", responses, "--tasks", task, "--output_path", f"{place}/{model}")
        yield folder


@pytest.mark.timeout(1800)
def test_outputs_of_the_page_on_results(recorded, monkeypatch):
    monkeypatch.chdir(recorded)
    shown = printed("docs/results.md")
    for program in ("show", "compare"):
        (command,) = (command for command in shown if command.startswith(f"codemind {program} "))
        assert shown[command] in said(*command.split()[1:]), command


@pytest.mark.timeout(1800)
def test_the_results_of_the_readme(recorded, monkeypatch):
    monkeypatch.chdir(recorded)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    proven = said("show", "results", "-n", "0")
    published = said("show", "published", "-n", "0", "--all-metrics")
    for model in MODELS:
        rows = re.findall(rf"^\| {re.escape(model)} \| (.*) \|$", readme, re.MULTILINE)
        for name, row in zip(BENCHMARKS, rows, strict=True):
            title, correct, cell, published_correct, published_score = row.split(" | ")
            columns = r"([\d.]+)% +([\d.]+)% +([\d.]+)% +\S+ +(\d+) "
            pattern = rf"^codemind_ier_{name} +{re.escape(model)} +r_ier +{columns}"
            score, low, high, n = re.findall(pattern, proven, re.MULTILINE)[0]
            text = rf"^codemind_ier_published_{name} +{re.escape(model)} +r_ier_text[^ ]* +{columns}"
            value, _, _, asked = re.findall(text, published, re.MULTILINE)[0]
            assert title.lower() == name and cell == f"{score} ({low} to {high})" and published_score == value
            assert (n, asked) == (correct.split(" of ")[1], published_correct.split(" of ")[1]), (model, name)
            for counts, percent in ((correct, score), (published_correct, value)):
                right, of_all = map(int, counts.split(" of "))
                assert f"{100 * right / of_all:.1f}" == percent, (model, name)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("model", MODELS)
def test_the_published_folders_give_the_results_of_the_readme(model, recorded, shared_data, tmp_path):
    """The outputs in the folders in which CodeMind's authors publish them; of one output there is no file."""
    missing = set()
    for row in read_rows(shared_data / "recorded" / f"ier_{model}.jsonl.gz"):
        place = tmp_path / model / row["benchmark"].replace("avatar", "Avatar") / row["problem_id"]
        if row["response"] is None:
            missing.add(row["problem_id"])
            continue
        place.mkdir(parents=True)
        (place / "response.txt").write_bytes(row["response"].encode())
    said("score", "--responses", tmp_path / model, "--tasks", "codemind_ier", "--output_path", tmp_path / "out")
    verdicts = [
        {(row["doc"]["problem_id"], row["filter"]): row["r_ier"] for row in chain(*read_run(folder)[1].values())}
        for folder in (recorded / "results" / model, tmp_path / "out")
    ]
    of_file = {key: verdict for key, verdict in verdicts[0].items() if key[0] not in missing}
    assert verdicts[1] == of_file and missing == ({"atcoder_ABC164_D"} if model == "gpt-4-turbo" else set())
    names = {run.model for run in read_runs([tmp_path / "out"])}
    assert names == {model}


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("model", MODELS)
def test_published_figures_and_verdicts(model, recorded, shared_data):
    results, samples = read_run(recorded / "published" / model)
    for benchmark, figure in json.loads((shared_data / "recorded" / "published_ier.json").read_text())[model].items():
        score = results["results"][f"codemind_ier_published_{benchmark}"]["r_ier_text,strict-match"]
        assert f"{score:.4f}" == figure
    rows = read_rows(shared_data / "recorded" / f"ier_{model}.jsonl.gz")
    verdicts = {
        (row["doc"]["benchmark"].removeprefix("published_"), row["doc"]["problem_id"]): row["r_ier_text"]
        for row in chain(*samples.values())
    }
    assert verdicts == {(row["benchmark"], row["problem_id"]): row["published_verdict"] for row in rows}


def test_outputs_of_the_page_on_running(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # As where the backend is installed.
    monkeypatch.setattr(preflight, "find_spec", lambda package: True)
    shown = printed("docs/running.md")
    assert len(shown) == 2
    for command, text in shown.items():
        program, *arguments = command.split()
        arguments = arguments if program == "codemind" else ["run", *arguments]
        assert text in codemind(*arguments).output, command
