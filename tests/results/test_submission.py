import csv
import io
import json
import re
import shutil
import tarfile
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

from lm_eval_codemind.data.catalogue import benchmarks
from lm_eval_codemind.data.manifest import released_digests
from lm_eval_codemind.questions import Key, digest, sealed
from lm_eval_codemind.results.bundles import write_bundle
from lm_eval_codemind.results.observations import observe
from lm_eval_codemind.results.runs import Run, read_runs
from lm_eval_codemind.results.submission import (
    Submission,
    description,
    eval_results,
    leaderboard_csv,
    leaderboard_rows,
    model_reasons,
    reasons_against,
)
from lm_eval_codemind.results.verification import verify
from lm_eval_codemind.samples import Metric, TaskRun
from tests.cli import refused, said
from tests.results.browser import Browser
from tests.results.conftest import TASK
from tests.results.harness import evaluate, task_manager
from tests.results.test_report import cut_tables
from tests.results.test_verification import add_a_character, change_sample, suite_of
from tests.run_files import change_results, write_rows

HEADER = "Dataset,Task,Gtask,Model,RIER,RDER,Pass1,WithTest,NoTest,MisleadingTest,src,tgt"


def arguments(run: Path, output: Path, *options: str, model: str = "org/scripts") -> list[object]:
    return ["submit", run, "--model", model, "--dataset", "org/codemind", "-o", output, *options]


def reasons(run: Path, again: Run) -> str:
    """Return the reasons why a run, which may be changed, is not submitted; ``again`` rescores it as it was."""
    (changed,) = read_runs([run])
    submission = Submission("org/scripts", "org/codemind")
    return "\n".join(reasons_against(changed, again, verify(changed, again), submission, released_digests()))


def test_a_complete_run_is_written_in_every_form(output, tmp_path):
    options = ["--model-was", "org/scripts", "--source-url", "https://example.org/r"]
    options += ["--user", "me", "--revision", "abc", "--notes", "on one GPU"]
    said(*arguments(output / "org__scripts", tmp_path, *options, model="org/model"))
    (run,) = read_runs([output / "org__scripts"])

    # The Hub's own library reads the entries.
    raw = yaml.safe_load((tmp_path / ".eval_results" / "codemind.yaml").read_text())
    (entry,) = parse_eval_result_entries(raw)
    assert (entry.dataset_id, entry.task_id, entry.dataset_revision) == ("org/codemind", TASK, "abc")
    assert entry.value == run.tasks[0].main_metrics["r_ier"].value
    assert isinstance(entry.date, str)
    assert run.date.startswith(datetime.fromisoformat(entry.date).strftime("%Y-%m-%dT%H-%M-%S"))
    assert (entry.source_url, entry.source_user) == ("https://example.org/r", "me")
    assert "on one GPU" in entry.notes
    assert "run as org/scripts" in entry.notes

    benchmark = yaml.safe_load((tmp_path / "eval.yaml").read_text())
    assert set(benchmark) == {"name", "description", "evaluation_framework", "tasks"}
    tasks = {task["id"]: task for task in benchmark["tasks"]}
    assert tasks["codemind_ier_humaneval"] == {"id": "codemind_ier_humaneval", "config": "humaneval", "split": "test"}
    assert entry.task_id in tasks
    assert all(set(task) == {"id", "config", "split"} and task["config"] in benchmarks() for task in tasks.values())

    # The sample is not a benchmark of the authors' leaderboard.
    assert (tmp_path / "leaderboard.csv").read_text().splitlines() == [HEADER]

    bundle = tmp_path / "org__model.codemind.tar.gz"
    with tarfile.open(bundle) as archive:
        assert {member.mode & 0o111 for member in archive} == {0}
        assert len(archive.getnames()) == 3
        described = json.load(archive.extractfile("submission.json"))  # type: ignore[arg-type]
        assert (described["model"], described["model_was"]) == ("org/model", "org/scripts")
    said("verify", bundle)


def test_the_same_run_gives_the_same_bundle(output, tmp_path):
    for name in ("one", "two"):
        said(*arguments(output / "org__right", tmp_path / name, model="org/right"))
    one, two = (next((tmp_path / name).glob("*.gz")).read_bytes() for name in ("one", "two"))
    assert one == two


def run_of(*tasks: tuple[str, dict[str, Any], str, dict[str, float]]) -> Run:
    """Return a run with tasks of these names, records, filters and metrics."""
    read = []
    for name, suite, filter_name, scores in tasks:
        config = {"metadata": {"suite": suite}, "filter_list": [{"name": filter_name}]}
        metrics = tuple(Metric(metric, filter_name, value, 0.01) for metric, value in scores.items())
        read.append(TaskRun(name, config, metrics, 80, 80, None, lambda file: ()))
    return Run(Path("results_2026-01-31T12-00-00.000001.json"), "m", "m", tuple(read), {})


def csv_rows(run: Run) -> list[str]:
    return leaderboard_csv(leaderboard_rows(run, Submission("org/model", "org/data"))).splitlines()


def test_rows_for_the_authors_leaderboard():
    suite = {"benchmark": "cruxeval", "family": "ier"}
    run = run_of(("codemind_ier_cruxeval", suite, "strict-match", {"r_ier": 0.82375}))
    assert csv_rows(run) == [HEADER, "CRUXEval,IER,,org/model,82.38,,,,,,,"]
    (entry,) = eval_results(run, Submission("org/model", "org/data"))
    assert entry["date"] == "2026-01-31T12:00:00" and "source" not in entry


def test_a_translation_has_a_row_for_each_pair_of_languages():
    tasks = []
    for benchmark, languages, share in (("avatar_java", "java_python", 0.5), ("avatar", "python_java", 0.25)):
        paired = dict.fromkeys(("r_sr", "pass@1_no_test", "pass@1_with_test"), share)
        for name, scores in (("translation", paired), ("translation_misleading", {"pass@1": share / 2})):
            suite = {"benchmark": benchmark, "family": name}
            tasks.append((f"codemind_{name}_avatar_{languages}", suite, "extract-code", scores))
    assert csv_rows(run_of(*tasks))[1:] == [
        "Avatar,SR,translate,org/model,,,,50.00,50.00,25.00,Java,Python",
        "Avatar,SR,translate,org/model,,,,25.00,25.00,12.50,Python,Java",
    ]


@pytest.mark.parametrize(("family", "benchmark", "row"), [
    ("translation", "avatar_java", "Avatar,DER,translate,org/model,,50.00,,,,,Java,Python"),
    ("sr", "humaneval", "HumanEval,DER,synthesis,org/model,,50.00,,,,,,"),
])  # fmt: skip
def test_the_row_of_der_is_that_of_its_first_stage(family, benchmark, row):
    suite = {"family": "der", "benchmark": benchmark, "first_stage": {"family": family, "benchmark": benchmark}}
    assert csv_rows(run_of(("codemind_der", suite, "strict-match", {"r_der": 0.5})))[1:] == [row]


@pytest.mark.parametrize(("place", "name", "value", "reason"), [
    (suite_of, "version", "0.0.1", "outdated: made by release 0.0.1"),
    (suite_of, "data_sha256", "0" * 64, "unknown data: SHA-256 of sample is 000"),
    (lambda raw: raw, "system_instruction", "Think hard.", "a system instruction was given"),
])  # fmt: skip
def test_a_run_made_differently_is_refused(run, again, place, name, value, reason):
    assert reasons(run, again) == ""
    change_results(run, lambda raw: place(raw).update({name: value}))
    assert reason in reasons(run, again)


RUN_AS = "the run's model is org/scripts"


def made_with(model: str, arguments: str = "", name: str = "org/m") -> Run:
    """Return a run of no task, made with a model of the harness; results call it by a name."""
    return Run(Path("results.json"), name, name, (), {"config": {"model": model, "model_args": arguments}})


@pytest.mark.parametrize(("run", "model", "was", "reason"), [
    (made_with("vllm", name="org/scripts"), "org/other", None, f"--model org/other: {RUN_AS}; if that is the same"),
    (made_with("vllm", name="org/scripts"), "org/other", "org/third", f"--model-was org/third: {RUN_AS}"),
    (made_with("vllm", name="org/scripts"), "org/scripts", "org/third", f"--model-was org/third: {RUN_AS}"),
    (made_with("vllm", name="org/scripts"), "org/other", "org/scripts", ""),
    (made_with("codemind-oracle"), "org/m", None, "made with codemind-oracle, which only checks the suite"),
    (made_with("codemind-oracle", "pretrained=org/m"), "org/m", None, "made with codemind-oracle"),
    (made_with("codemind-null"), "org/m", None, "made with codemind-null, which only checks the suite"),
    (made_with("codemind-replay", "responses=file"), "org/m", None, "does not say which model gave them"),
    (made_with("codemind-replay", "responses=file,model=codemind-oracle", "codemind-oracle"), "org/m",
     "codemind-oracle", "the responses are those of codemind-oracle"),
    (made_with("codemind-replay", "responses=file,model=org/m"), "org/m", None, ""),
])  # fmt: skip
def test_a_run_is_shown_under_its_own_models_name(run, model, was, reason):
    reasons = "\n".join(model_reasons(run, model, was))
    assert (reason in reasons) if reason else not reasons, reasons


def test_an_altered_run_is_refused_by_name_of_the_problem(run, again, tmp_path):
    problem = change_sample(run, 5, add_a_character)
    assert re.search(rf"rescoring differs: {TASK}, {problem}.*the response", reasons(run, again))
    # The command asks for these reasons, and writes nothing.
    options = ["--user", "me", "--model-was", "org/third"]
    message = refused(*arguments(run, tmp_path / "out", *options, model="model"))
    for reason in (
        f"rescoring differs: {TASK}, {problem}",
        "--model model: must be ORG/NAME",
        "--source-url, which is missing",
        f"--model-was org/third: {RUN_AS}",
    ):
        assert reason in message, reason
    assert not (tmp_path / "out").exists()


def test_a_limited_sampled_run_with_other_settings_gets_all_reasons_at_once(run, again):
    def change(raw: dict[str, Any]) -> None:
        raw["config"]["limit"] = 3
        raw["n-samples"][TASK]["effective"] = 3
        raw["configs"][TASK]["num_fewshot"] = 0
        raw["configs"][TASK]["generation_kwargs"] |= {"temperature": 0.7, "do_sample": True}
        raw["results"]["codemind_ier_direct_sample"] = raw["results"][TASK]
        raw["configs"]["codemind_ier_direct_sample"] = raw["configs"][TASK]

    change_results(run, change)
    texts = reasons(run, again)
    for reason in (
        "limited: run with --limit 3",
        f"{TASK}: not the default settings: num_fewshot is 0, by default 3",
        f"{TASK}: not the default settings: generation_kwargs is",
        f"{TASK}: sampled:",
    ):
        assert reason in texts, reason


def test_a_task_that_is_not_submitted_and_one_without_samples_are_refused_by_name(run, again):
    def change(raw: dict[str, Any]) -> None:
        for name, variant in (("codemind_ier_direct_sample", "ier_direct"), ("codemind_ier_again", None)):
            raw["results"][name] = raw["results"][TASK]
            raw["configs"][name] = json.loads(json.dumps(raw["configs"][TASK]))
            if variant:
                raw["configs"][name]["metadata"]["suite"]["family"] = variant

    change_results(run, change)
    texts = reasons(run, again)
    assert "codemind_ier_direct_sample: results of this task are not submitted" in texts
    assert "codemind_ier_again: no samples; run it with --log_samples" in texts
    assert f"{TASK}: no samples" not in texts


def test_a_run_without_samples_is_refused(run, tmp_path):
    next(run.glob("samples_*")).unlink()
    assert "--log_samples" in refused(*arguments(run, tmp_path / "out"))


def test_several_runs_are_named(output, tmp_path):
    message = refused(*arguments(output, tmp_path / "out"))
    assert "holds 2 runs" in message and message.count("results_") == 2


@pytest.mark.parametrize("name", ["../evil.json", "/evil.json", "folder/evil.json"])
def test_a_bundle_cannot_write_outside(tmp_path, name):
    bundle = tmp_path / "evil.tar.gz"
    with tarfile.open(bundle, "w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.size = 2
        archive.addfile(member, io.BytesIO(b"{}"))
    assert "does not belong in a bundle" in refused("verify", bundle)


@pytest.fixture(scope="module")
def bundles(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Bundles of five models of which number i is right on every problem whose position is divisible by i + 1."""
    folder = tmp_path_factory.mktemp("bundles")
    files = []
    for number in range(5):
        answered: list[str] = []

        def answer(doc: dict[str, Any], number: int = number, answered: list[str] = answered) -> str:
            answered.append(doc["problem_id"])
            return str(doc["target"]) if len(answered) % (number + 1) == 0 else "no idea"

        evaluate(folder / str(number), f"org/model-{number}", answer, [TASK])
        (run,) = read_runs([folder / str(number)])
        files.append(folder / f"model-{number}.tar.gz")
        write_bundle(files[-1], run, description(run, Submission(run.model, "org/codemind")))
    return files


@pytest.fixture(scope="module")
def site(bundles: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    said("leaderboard", *bundles, "-o", folder)
    return folder


def models(browser: Browser) -> list[str]:
    return list(
        browser.run("return [...document.querySelectorAll('#codemind_ier_sample tbody th a')].map(a => a.textContent)")
    )


@pytest.mark.proof
def test_the_leaderboard_sorts(browser, site):
    browser.open(site / "index.html")
    by_score = [f"org/model-{i}" for i in range(5)]
    assert models(browser) == by_score
    buttons = browser.driver.find_elements("css selector", "#codemind_ier_sample thead button")
    buttons[1].click()
    assert models(browser) == by_score[::-1]
    sort = "return document.querySelectorAll('#codemind_ier_sample thead th')[1].getAttribute('aria-sort')"
    assert browser.run(sort) == "ascending"
    buttons[0].click()
    assert models(browser) == by_score
    buttons[0].click()
    assert models(browser) == by_score[::-1]
    assert browser.errors() == []


def test_each_row_leads_to_its_report(browser, site):
    for number in (0, 4):
        browser.open(site / "index.html")
        browser.driver.find_element("link text", f"org/model-{number}").click()
        browser.wait(lambda: browser.run("return document.documentElement.dataset.ready === 'yes'"))
        assert browser.driver.title == f"org/model-{number}: CodeMind report"
        assert browser.text("#count") == "24 of 24 samples"
    assert browser.errors() == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [360, 390, 1400])
def test_the_leaderboard_fits_the_screen(browser, site, width, dark):
    browser.open(site / "index.html", width=width, height=900, dark=dark)
    assert browser.run("return document.documentElement.scrollWidth") <= width
    browser.wait(lambda: not cut_tables(browser))
    assert browser.run("return document.querySelectorAll('.figure g[data-series]').length") == 5
    assert browser.errors() == []


def shown(browser: Browser, selector: str) -> list[str]:
    script = (
        "return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility()).map(e => e.textContent)"
    )
    return list(browser.run(script, selector))


@pytest.mark.proof
def test_the_leaderboard_filters_by_model_and_family(browser, tmp_path):
    bundles: list[Path] = []
    for name in ("org/one", "org/two"):
        evaluate(tmp_path / "runs" / name, name, lambda doc: str(doc["target"]), [TASK, "codemind_input_sample"])
        said(*arguments(tmp_path / "runs" / name, tmp_path / name, model=name))
        bundles += (tmp_path / name).glob("*.tar.gz")
    said("leaderboard", *bundles, "-o", tmp_path / "site")
    browser.open(tmp_path / "site" / "index.html")
    assert shown(browser, "#overall tbody th") == ["org/one", "org/two"]
    assert shown(browser, "#overall figcaption") == ["IER", "Input"]
    browser.choose("f-family", "Input")
    assert shown(browser, "#overall figcaption") == ["Input"]
    assert shown(browser, "h2 .metric") == ["codemind_input_sample"]
    assert shown(browser, "#overall thead th")[1:2] == [
        "codemind_input_sampleinput predicted correctly, no trivial inputs (r_input_searched)"
    ]
    browser.driver.find_element("id", "f-model").send_keys("TWO")
    assert shown(browser, "#overall tbody th") == ["org/two"]
    displayed = "[...document.querySelectorAll('g[data-series]')].map(g => [g.dataset.series, g.style.display])"
    assert {tuple(one) for one in browser.run(f"return {displayed}")} == {("org/one", "none"), ("org/two", "")}
    browser.click("#filters [type=reset]")
    browser.wait(lambda: shown(browser, "#overall tbody th") == ["org/one", "org/two"])
    assert browser.errors() == []


def test_two_models_side_by_side(browser, site):
    browser.open(site / "index.html")
    browser.choose("first", "org/model-3")
    browser.choose("second", "org/model-1")
    cells = (
        "return [...document.querySelectorAll('#side tbody td')].map(c => [...c.childNodes].map(n => n.textContent))"
    )
    row = browser.run(cells)
    assert row[0] == ["IER", "output predicted correctly (S_IER)"]
    assert row[1:3] == [[share, "on 24 of its 24 problems"] for share in ("25.0%", "50.0%")]
    difference, interval = row[3]
    low, high = (float(end.rstrip("%")) for end in interval.split(" to "))
    assert difference == "-25.0%" and low < -25 < high < 0
    browser.choose("first", "org/model-1")
    browser.choose("second", "org/model-3")
    assert browser.text("#side tbody td:nth-child(4)") == f"25.0%{-high:.1f}% to {-low:.1f}%"
    assert browser.run("return document.querySelectorAll('#two table').length") == 1
    assert browser.errors() == []


@pytest.mark.parametrize("width", [390, 1400])
def test_the_leaderboard_leads_to_incorrect_answers(browser, site, width):
    browser.open(site / "index.html", width=width)
    link = "#overall tbody tr:nth-child(2) small a"
    assert browser.text(link) == "12 incorrect"
    assert browser.run("return document.querySelector(arguments[0]).getBoundingClientRect().bottom", link) < 900
    browser.click(link)
    browser.wait(lambda: browser.run("return document.documentElement.dataset.ready === 'yes'"))
    assert browser.text("#count") == "12 of 24 samples"
    browser.click(".row")
    browser.wait(lambda: "✗" in browser.text("#detail"))
    assert browser.errors() == []


def test_the_leaderboard_has_the_overall_scores(site):
    rows = list(csv.DictReader((site / "overall.csv").open()))
    assert {row["model"]: float(row["value"]) for row in rows}["org/model-1"] == 0.5


def test_the_leaderboard_has_the_harness_s_numbers(site, bundles):
    records = json.loads((site / "results.json").read_text())
    rows = list(csv.DictReader((site / "results.csv").open()))
    assert [row["value"] for row in rows] == [str(record["value"]) for record in records]
    for bundle in bundles:
        with tarfile.open(bundle) as archive:
            name = next(name for name in archive.getnames() if name.startswith("results_"))
            raw = json.load(archive.extractfile(name))  # type: ignore[arg-type]
        (record,) = [r for r in records if r["model"] == raw["model_name"] and r["metric"] == "r_ier"]
        assert record["value"] == raw["results"][TASK]["r_ier,strict-match"]


def test_the_leaderboard_shows_what_a_renamed_model_was_called(browser, output, bundles, tmp_path):
    said(*arguments(output / "org__scripts", tmp_path, "--model-was", "org/scripts", model="org/new"))
    said("leaderboard", tmp_path / "org__new.codemind.tar.gz", bundles[0], "-o", tmp_path / "site")
    records = json.loads((tmp_path / "site" / "results.json").read_text())
    assert {(r["model"], r["model_was"]) for r in records} == {("org/new", "org/scripts"), ("org/model-0", "")}
    browser.open(tmp_path / "site" / "index.html")
    assert browser.text("tbody tr:nth-child(2) th") == "org/new run as org/scripts"
    assert not browser.run("return document.querySelector('.badge')")
    assert "run as" not in browser.text("tbody tr:nth-child(1) th")


@pytest.mark.parametrize(("name", "before", "after", "message"), [
    # A name that it does not own.
    ("submission.json", "org/model-0", "org/famous", "--model org/famous: the run's model is org/model-0"),
    (
        "results_*",
        '"r_ier,strict-match": 1.0',
        '"r_ier,strict-match": 0.99',
        "r_ier,strict-match is 0.99, should be 1.0",
    ),
])  # fmt: skip
def test_an_altered_bundle_is_refused(bundles, tmp_path, name, before, after, message):
    shutil.unpack_archive(bundles[0], tmp_path / "in")
    (file,) = (tmp_path / "in").glob(name)
    file.write_text(file.read_text().replace(before, after))
    with tarfile.open(tmp_path / "altered.tar.gz", "w:gz") as archive:
        for path in (tmp_path / "in").iterdir():
            archive.add(path, path.name)
    assert message in refused("leaderboard", bundles[1], tmp_path / "altered.tar.gz", "-o", tmp_path / "site")
    assert not (tmp_path / "site").exists()


ELSEWHERE = "org/elsewhere"


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The output of scoring recorded responses of which every second names its prompt."""
    folder = tmp_path_factory.mktemp("recorded")
    documents = list(task_manager().load([TASK])["tasks"][TASK].eval_docs)
    rows = [
        {"benchmark": "sample", "problem_id": one["problem_id"], "response": one["target"], "model": ELSEWHERE}
        | ({"prompt": f"What does {one['problem_id']} return?"} if number % 2 else {})
        for number, one in enumerate(documents)
    ]
    recordings = folder / "responses.jsonl"
    write_rows(recordings, rows)
    said("score", "--responses", recordings, "--tasks", TASK, "--output_path", folder / "out")
    return folder / "out"


def test_results_say_recorded_and_digest_only_prompts_that_are_named(elsewhere):
    (run,) = read_runs([elsewhere])
    suite = run.tasks[0].suite
    assert run.recorded and suite["prompts"] == "recorded" and "prompts_sha256" not in suite
    assert suite["templates"] == "packaged" and len(suite["templates_sha256"]) == 64
    documents = [sample.doc for sample in run.tasks[0].read_samples() if sample.filter == "strict-match"]
    named = {Key.of(doc).within_task(): f"What does {doc['problem_id']} return?" for doc in documents[1::2]}
    expected = {key: digest([prompt]) for key, prompt in named.items()}
    assert sealed(suite["recorded_prompts"]) == expected


def test_the_report_does_not_show_our_prompt(elsewhere, tmp_path):
    observations = observe(read_runs([elsewhere]))
    titles = {part.title for one in observations for part in one.view.parts(one.unit)}
    assert "Response" in titles and "Prompt" not in titles
    said("report", elsewhere, "-o", tmp_path / "report.html")
    assert "logged outputs" in (tmp_path / "report.html").read_text()


def test_they_verify_and_their_prompts_are_said_to_be_theirs(elsewhere):
    assert f"prompts: those of the recorded responses ({TASK})" in said("verify", elsewhere)


def test_they_are_submitted_when_asked_for_and_marked(elsewhere, tmp_path):
    arguments = ["submit", elsewhere, "--model", ELSEWHERE, "--dataset", "org/data", "-o", tmp_path]
    refusal = refused(*arguments)
    assert "recorded elsewhere" in refusal and "add --recorded" in refusal
    said(*arguments, "--recorded")
    (entry,) = yaml.safe_load((tmp_path / ".eval_results" / "codemind.yaml").read_text())
    assert "recorded elsewhere and replayed" in entry["notes"]
    (bundle,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(bundle) as archive:
        assert json.load(archive.extractfile("submission.json"))["recorded"] is True  # type: ignore[arg-type]
    said("leaderboard", bundle, "-o", tmp_path / "site")
    assert "logged outputs" in (tmp_path / "site" / "index.html").read_text()
    assert json.loads((tmp_path / "site" / "results.json").read_text())[0]["recorded"] is True
