"""``codemind run`` and ``codemind score``, as a user calls them."""

import gzip
import json
import re
from collections import Counter
from itertools import combinations
from pathlib import Path
from statistics import fmean, stdev

import pytest

from lm_eval_codemind.commands.score import _model_name
from lm_eval_codemind.harness.aggregations import pass_at_k
from lm_eval_codemind.harness.recordings import Recordings
from lm_eval_codemind.workshop.benchmarks import sample
from tests.cli import refused, said
from tests.run_files import read_rows, read_run, write_rows


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """Responses to four problems of the sample: right, wrong, right in other words, none."""
    problems = sample.read()[:5]
    right, in_words = f"<output>{problems[0].output}</output>", f"So:\n```\n{problems[2].output}\n```"
    texts = [right, "<output>wrong</output>", in_words, None]
    path = tmp_path / "responses.jsonl.gz"
    with gzip.open(path, "wt") as file:
        for problem, text in zip(problems, texts, strict=False):
            row = {"model": "me", "benchmark": "sample", "problem_id": problem.problem_id, "response": text}
            file.write(json.dumps(row) + "\n")
    return path


def test_score_evaluates_what_is_recorded(recorded, tmp_path, caplog):
    out = tmp_path / "out"
    tasks = ("codemind_ier_sample", "codemind_ier_sample_java")
    table = said("score", "--responses", recorded, "--tasks", *tasks, "--output_path", out)
    assert "codemind_ier_sample" in table
    assert "codemind_ier_sample_java: no recorded response belongs to one of its questions" in caplog.text
    results, by_task = read_run(out)
    samples = by_task["codemind_ier_sample"]
    scores = results["results"]["codemind_ier_sample"]
    assert (scores["r_ier,strict-match"], scores["answered,strict-match"]) == (0.25, 0.5)
    assert (scores["r_ier,flexible-extract"], scores["answered,flexible-extract"]) == (0.5, 0.75)
    assert results["n-samples"]["codemind_ier_sample"]["effective"] == 4
    assert results["model_name"] == "me"
    assert len(samples) == 8
    assert {row["doc"]["problem_id"] for row in samples} == {problem.problem_id for problem in sample.read()[:4]}

    # The sample file is a recording as well.
    again = tmp_path / "again"
    (sample_file,) = out.rglob("samples_*.jsonl")
    said("score", "--tasks", "codemind_ier_sample", "--responses", sample_file, "--output_path", again)
    assert read_run(again)[0]["results"] == results["results"]


def write(path: Path, responses: list[str], **further: str) -> Path:
    rows = [
        {"benchmark": "sample", "problem_id": problem.problem_id, "response": response, **further}
        for problem, response in zip(sample.read(), responses, strict=False)
    ]
    write_rows(path, rows)
    return path


def right_answers(count: int) -> list[str]:
    return [f"<output>{problem.output}</output>" for problem in sample.read()[:count]]


def test_what_follows_an_answer_is_another_problem(tmp_path):
    # After its answer the model goes on with the next problem, in which our program stands once more.
    after = f"\n[END-OF-RESPONSE]\nConsider\n{sample.read()[0].code}\n<output>wrong</output>"
    path = write(tmp_path / "responses.jsonl", [answer + after for answer in right_answers(3)])
    out = tmp_path / "out"
    said("score", "--responses", path, "--tasks", "codemind_ier_sample", "--output_path", out)
    assert read_run(out)[0]["results"]["codemind_ier_sample"]["r_ier,strict-match"] == 1


@pytest.mark.parametrize(("names", "models", "expected"), [
    (["mine.jsonl.gz"], [], "mine"), (["mine.jsonl"], ["one", "two"], "mine"),
    (["first.part.jsonl", "second.txt"], [], "first.part+second.txt"), (["mine.jsonl"], ["me"], "me"),
])  # fmt: skip
def test_a_run_is_named_after_its_model_or_its_files(names, models, expected):
    assert _model_name(Recordings(models=set(models)), list(map(Path, names))) == expected


def test_score_of_several_responses_is_a_mean_with_pass_at_k(tmp_path):
    """By upstream's formula; the run verifies."""
    right = [0, 1, 2, 3, 4, 4]
    path = tmp_path / "responses.jsonl"
    with path.open("w") as file:
        for problem, count in zip(sample.read(), right, strict=False):
            responses = [f"<output>{problem.output}</output>"] * count + ["<output>wrong</output>"] * (4 - count)
            row = {"benchmark": "sample", "problem_id": problem.problem_id, "responses": responses}
            file.write(json.dumps(row) + "\n")
    out = tmp_path / "out"
    said("score", "--responses", path, "--tasks", "codemind_ier_sample", "--output_path", out)
    scores = read_run(out)[0]["results"]["codemind_ier_sample"]
    for k in (1, 2, 4):
        # Drawing k of the four responses in every way.
        shares = [fmean(any(place < count for place in draw) for draw in combinations(range(4), k)) for count in right]
        assert scores[f"pass@{k},strict-match"] == pytest.approx(fmean(shares))
        assert scores[f"pass@{k}_stderr,strict-match"] == pytest.approx(stdev(shares) / 6**0.5)
    assert scores["r_ier,strict-match"] == scores["pass@1,strict-match"] == pytest.approx(14 / 24)
    assert "equal" in said("verify", out)


def test_score_with_different_numbers_of_responses(tmp_path):
    path = write(tmp_path / "responses.jsonl", right_answers(3))
    with path.open("a") as file:
        file.write(path.read_text().splitlines()[0] + "\n")
    out = tmp_path / "out"
    said("score", "--responses", path, "--tasks", "codemind_ier_sample", "--output_path", out)
    results, samples = read_run(out)
    assert not [name for name in results["results"]["codemind_ier_sample"] if name.startswith("pass@")]
    assert sorted(len(row["resps"][0]) for row in samples["codemind_ier_sample"]) == [1, 1, 1, 1, 2, 2]


def test_the_responses_to_a_task_do_not_decide_about_another(tmp_path, caplog):
    """Each task has pass@k up to its own number of responses, also when its run is verified."""
    path, out = tmp_path / "responses.jsonl", tmp_path / "out"
    write_rows(
        path,
        [
            {"benchmark": problem.benchmark, "problem_id": problem.problem_id, "responses": ["1"] * count}
            for problems, several in ((sample.read(), [2, 2, 2]), (sample.read_java(), [4, 5, 4]))
            for problem, count in zip(problems, several, strict=False)
        ],
    )
    said("score", "--responses", path, "--tasks", "codemind_ier_sample,codemind_ier_sample_java", "-o", out)
    results = read_run(out)[0]["results"]
    for task, expected in (("codemind_ier_sample", {1, 2}), ("codemind_ier_sample_java", {1, 2, 4})):
        names = [re.fullmatch(r"pass@(\d+),strict-match", name) for name in results[task]]
        assert {int(name[1]) for name in names if name} == expected
    (warning,) = [line for line in caplog.messages if "the problems have" in line]
    assert warning.startswith("codemind_ier_sample_java: the problems have 4 to 5 responses")
    assert "equal (2 tasks" in said("verify", out)


def test_generations_of_cruxeval(shared_data, built, tmp_path):
    """The same verdicts as for the recorded rows, ten responses a problem."""
    file = shared_data / "cases" / "cruxeval_generations_codellama-7b_input.json.gz"
    out = tmp_path / "out"
    said("score", "--responses", file, "--tasks", "codemind_input_cruxeval", "--output_path", out)
    scores = read_run(out)[0]["results"]["codemind_input_cruxeval"]
    assert scores["pass@1,flexible-extract"] == pytest.approx(1468 / 4000)
    rows = read_rows(shared_data / "recorded" / "cruxeval_input_codellama-7b.jsonl.gz")
    verdicts = Counter(row["problem_id"] for row in rows if row["verdict"])
    recorded = fmean(pass_at_k(10, verdicts[f"sample_{number}"], 5) for number in range(800)) * 2
    assert scores["pass@5,flexible-extract"] == pytest.approx(recorded, abs=0.01)


def test_score_names_faults(recorded, tmp_path):
    other = tmp_path / "other.jsonl"
    scored = ("score", "--tasks", "codemind_ier_sample", "--responses")
    other.write_text('{"benchmark": "sample", "problem_id": "none", "response": "x"}\n')
    message = refused(*scored, other)
    assert "other.jsonl: no response belongs to a problem of codemind_ier_sample" in message
    assert "named like Sample_bit_masks, Sample_collatz_trace, those of the responses like none" in message
    assert "did you mean codemind_ier_sample" in refused(
        "score", "--responses", other, "--tasks", "codemind_ier_smaple"
    )
    assert "leave out --model" in refused(*scored, other, "--model", "gpt-4", status=2)
    write_rows(other, [{"benchmark": "sample", "problem_id": "a", "response": "x", "model": name} for name in "ab"])
    assert "other.jsonl: responses of 2 models (a, b); score each model with its own file" in refused(*scored, other)
    other.write_text("oops\n")
    assert "line 1: not a recorded response" in refused(*scored, other)
    assert "does not exist" in refused(*scored, tmp_path / "none", status=2)
    results = tmp_path / "results" / "m"
    results.mkdir(parents=True)
    (results / "samples_x.jsonl").write_text("")
    assert f"name a sample file in this folder: {results}/samples_x.jsonl" in refused(*scored, tmp_path / "results")
    assert "no task of this suite: gsm8k" in refused("score", "--responses", recorded, "--tasks", "gsm8k")


def test_the_row_in_the_documentation_is_one_of_the_sample(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "running.md").read_text()
    (row,) = re.findall(r'^\{"benchmark": .*\}$', page, re.MULTILINE)
    (tmp_path / "responses.jsonl").write_text(row)
    said("score", "--responses", tmp_path / "responses.jsonl", "--tasks", "codemind_ier_sample")


def test_run_replays_and_skips(recorded, tmp_path):
    out = tmp_path / "out"
    said(
        *("run", "--model", "codemind-replay", "--model_args", f"responses={recorded},missing=skip"),
        *("--tasks", "codemind_ier_sample", "--output_path", out, "--log_samples"),
    )
    results, samples = read_run(out)
    assert results["results"]["codemind_ier_sample"]["r_ier,strict-match"] == 0.25
    assert results["n-samples"]["codemind_ier_sample"] == {"original": 24, "effective": 4}
    assert sum("r_ier" in row for row in samples["codemind_ier_sample"]) == 8


def test_run_keeps_the_users_own_tasks(tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    included = Path(__file__).parents[2] / "tasks/ier/codemind_ier_sample.yaml"
    (mine / "mine.yaml").write_text(f"task: mine\ninclude: {included}\n")
    tasks = ("--tasks", "mine,codemind_ier_sample", "--include_path", mine)
    table = said("run", "--model", "codemind-oracle", *tasks, "--limit", 2)
    assert "|mine " in table and "codemind_ier_sample" in table


def test_score_leaves_out_answers_to_other_questions(recorded, tmp_path, caplog):
    """The rows of a sample file name their input. One has another input than the task asks about."""
    said("score", "--responses", recorded, "--tasks", "codemind_ier_sample", "--output_path", tmp_path / "out")
    (sample_file,) = (tmp_path / "out").rglob("samples_*.jsonl")
    # Another family asks another question about the same program and input. The results beside the file name it.
    other = ("score", "--responses", sample_file, "--tasks", "codemind_input_sample", "--confirm_run_unsafe_code")
    assert "no response belongs" in refused(*other)
    assert "codemind_input_sample: 4 recorded responses are left out, because the task asks another" in caplog.text
    rows = read_rows(sample_file)
    first = rows[0]["doc"]["problem_id"]
    for row in rows:
        if row["doc"]["problem_id"] == first:
            row["doc"]["input"] = "another_call()"
    changed = tmp_path / "changed.jsonl"
    write_rows(changed, rows)
    said("score", "--responses", changed, "--tasks", "codemind_ier_sample", "--output_path", tmp_path / "again")
    results, samples = read_run(tmp_path / "again")
    assert results["n-samples"]["codemind_ier_sample"]["effective"] == 3
    assert first not in {row["doc"]["problem_id"] for row in samples["codemind_ier_sample"]}


def test_score_says_what_it_leaves_out_and_reads_odd_files(tmp_path, caplog):
    """Rows of no question, an empty list, a mark of the encoding, and a text where the harness logs a list."""
    problems = sample.read()
    rows = [
        {"benchmark": "sample", "problem_id": problem.problem_id, "response": f"<output>{problem.output}</output>"}
        for problem in problems[:4]
    ]
    rows[0] = {**{name: rows[0][name] for name in ("benchmark", "problem_id")}, "responses": []}
    logged = {"benchmark": "sample", "problem_id": problems[4].problem_id, "setting": "steps", "item": ""}
    rows.append(
        {"doc": logged, "doc_id": 4, "filter": "strict-match", "resps": [f"<output>{problems[4].output}</output>"]}
    )
    rows += [{"benchmark": name, "problem_id": "nosuch", "response": "x"} for name in ("sample", "humaneval")]
    path, out = tmp_path / "responses.jsonl", tmp_path / "out"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8-sig")
    said("score", "--responses", path, "--tasks", "codemind_ier_sample", "--output_path", out)
    assert (
        "2 of 7 responses belong to no question of codemind_ier_sample: sample/nosuch, humaneval/nosuch" in caplog.text
    )
    results, samples = read_run(out)
    assert results["results"]["codemind_ier_sample"]["r_ier,strict-match"] == 4 / 5
    assert [len(row["resps"][0]) for row in samples["codemind_ier_sample"]] == [1] * 10
