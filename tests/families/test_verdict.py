"""Verdicts about programs and the lines of their bugs: questions, labels, scores, and what recorded answers give."""

import math
import re
import tarfile
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.families.verdict import task as verdict
from lm_eval_codemind.families.verdict.task import changed_line, changes_of, with_line
from lm_eval_codemind.results.associations import associations
from lm_eval_codemind.results.observations import observe
from lm_eval_codemind.results.runs import read_runs
from lm_eval_codemind.workshop.benchmarks import sample
from prove_programs import changed_lines
from tests.results.harness import evaluate
from tests.run_files import read_rows

SETTINGS = ["buggy", "correct"]
# The published files name no line: the fix only adds lines.
ONLY_ADDS = {"HumanEval_5", "HumanEval_33", "HumanEval_141", "HumanEval_143", "HumanEval_155"}
# A published line is the fix's, and changing it alone does not repair the program, while changing another line does.
OTHERS = {f"HumanEval_{number}" for number in (11, 22, 57, 64, 74, 99, 104, 110, 126, 144)}


def logged(row: dict[str, Any], *responses: str, locate: bool = False) -> dict[str, Any]:
    read, process = (
        (verdict.extract_line, verdict.process_located) if locate else (verdict.extract_answer, verdict.process_results)
    )
    (answers,) = read([list(responses)], [row])
    return process(row, [answers])


def verdicts(benchmark: str = "sample_bugs") -> list[dict[str, Any]]:
    return list(verdict.dataset(benchmark=benchmark, settings=SETTINGS)["test"])


def located(benchmark: str = "sample_bugs") -> list[dict[str, Any]]:
    return list(verdict.locate_dataset(benchmark=benchmark)["test"])


def check_prompts(benchmark: str) -> None:
    """Check that the two prompts of a problem differ by the lines of the fix alone, and in no layout."""
    documents = verdicts(benchmark)
    for buggy, correct in zip(documents[::2], documents[1::2], strict=True):
        assert buggy["problem_id"] == correct["problem_id"]
        assert buggy["prompt"].replace(buggy["program"], correct["program"]) == correct["prompt"]
        assert (buggy["answer"], correct["answer"]) == ("no", "yes")
        for program in (buggy["program"], correct["program"]):
            assert not re.search(r"[ \t]+;?$", program, re.MULTILINE)
        comment = r"(?://|/\*).*" if buggy["language"] == "java" else r"#.*"
        comments = [re.findall(comment, row["program"]) for row in (buggy, correct)]
        assert comments[0] == comments[1]


def test_the_prompts_of_the_sample():
    check_prompts("sample_bugs")
    first, second = verdict.dataset(benchmark="sample_bugs", settings=SETTINGS)["fewshot"]
    assert first["target"].endswith("<answer>\nno\n</answer>") and second["target"].endswith("<answer>\nyes\n</answer>")
    with pytest.raises(ValueError, match="no buggy programs"):
        verdict.dataset(benchmark="sample", settings=SETTINGS)
    for place in ("", "java"):
        path = verdict.VERDICT.templates / place / "examples.yaml"
        (example,) = yaml.safe_load(path.read_text(encoding="utf-8")).values()
        (line,) = changes_of(example["buggy"], example["code"])
        assert "best = current;" in example["buggy"].split("\n")[line - 1] + ";"


def test_lines_of_the_sample_and_which_lines_a_fix_changes():
    bugs = {f"Sample_{bug['problem']}": bug for bug in sample.bugs()}
    for row in located():
        lines, bug = row["program"].split("\n"), bugs[row["problem_id"]]
        for number in row["lines"]:
            assert bug["buggy"].strip() in lines[number - 1] or lines[number - 1].strip() in bug["buggy"]
        assert f"{row['lines'][0]:>{len(str(len(lines)))}}  {lines[row['lines'][0] - 1]}".rstrip() in row["prompt"]
    assert changed_lines("a\nb\nc", "a\nx\nc") == [2] and changed_lines("a\nb  \nc ;", "a\nb\nc;\nd") == [3]
    # Only added: the lines around the gap, also a brace in it.
    assert changed_lines("a {\nb\n}\nc", "a {\nb\n}\nx\nc") == [2, 3, 4]
    assert changed_lines("a\nb", "x\na\nb") == [1] and changed_lines("a\nb", "a\nb\nx") == [2]
    # Two lines exchanged: each shortest difference keeps one of the three.
    assert changed_lines("yes\nelse\nno", "no\nelse\nyes") == [1, 2, 3]


@given(st.lists(st.sampled_from("abc"), min_size=1), st.lists(st.sampled_from("abc"), min_size=1))
def test_some_line_is_changed_whenever_programs_differ(old, new):
    lines = changed_lines("\n".join(old), "\n".join(new))
    assert bool(lines) == (old != new) and all(1 <= line <= len(old) for line in lines)
    # Every shortest difference keeps the other lines, in their order.
    rest = iter(new)
    assert all(line in rest for number, line in enumerate(old, 1) if number not in lines)


def test_answers_that_never_change_and_pairs_with_their_standard_errors(caplog):
    documents = verdicts()
    for answer, recall in (("yes", (0, 1)), ("no", (1, 0))):
        rows = [logged(row, f"<answer>{answer}</answer>") for row in documents]
        assert verdict.verdict([row["verdict"] for row in rows]) == 0.5
        assert verdict.verdict_pair([row["verdict_pair"] for row in rows]) == 0
        assert {row["recall_buggy"] for row in rows} == {None, recall[0]}
        assert {row["recall_correct"] for row in rows} == {None, recall[1]}
    rights = [("a", 1, 1), ("b", 1, 0), ("c", 0, 0)]
    halves = [(name, *half) for name, *rest in rights for half in zip(SETTINGS, rest, strict=True)]
    halves.append(("d", "buggy", 1))
    records = [{"problem_id": name, "setting": setting, "passed": float(right)} for name, setting, right in halves]
    assert verdict.verdict(records) == 0.5 and verdict.verdict_pair(records) == pytest.approx(1 / 3)
    assert "leaves out 1 problem" in caplog.text
    assert verdict.verdict.stderr(records) == pytest.approx(0.5 / math.sqrt(3)) and verdict.verdict(records).size == 3
    assert math.isnan(verdict.verdict([]))


def test_a_line_and_its_replacement():
    row = next(row for row in located() if row["problem_id"] == "Sample_moving_average")
    (line,) = row["lines"]
    text = row["program"].split("\n")[line - 1]
    new = text.replace("- width - 1", "- width")
    right = {"locate": 1, "locate_suite": 1, "line": 1, "answered": 1, "witnessed": 0}
    for written in (
        f"{line}: {new}",
        f"{line}: {new.strip()}",
        f"line {line}:{new}",
        f"{line}:\n{new}",
        f"{line}  {new}",
    ):
        assert logged(row, f"<answer>\n{written}\n</answer>", locate=True).items() >= right.items(), written
    # A repair somewhere else is as good, though it is not among the proven ones.
    scores = logged(row, "<answer>4: averages, width = [], width - 1</answer>", locate=True)
    assert 4 not in row["lines"] and scores.items() >= {**right, "line": 0}.items()
    # The line alone, the line unchanged, and the right line in the wrong place repair nothing.
    for answer, named in ((f"{line}", 1), (f"{line}: {text}", 1), (f"{line + 1}: {new}", 0)):
        scores = logged(row, f"<answer>{answer}</answer>", locate=True)
        assert (scores["locate"], scores["line"], scores["answered"]) == (0, named, 1), answer
    assert logged(row, "<answer>99: x = 1</answer>", locate=True)["locate"] == 0
    assert set(logged(row, "I see no bug.", locate=True).values()) == {0}
    both = logged(row, f"<answer>{line}: {new}</answer>", "<answer>1: x</answer>", locate=True)
    assert (both["locate"], both["line"]) == (0.5, 0.5)


@pytest.mark.parametrize(("number", "new", "expected"), [
    *((2, "return 1", "    return 1"), (2, "  return 1", "    return 1"), (2, "         return 1", "        return 1")),
    *((2, "        return 1", "        return 1"), (1, " def g():", "def g():"), (2, "", None)),
])  # fmt: skip
def test_a_new_line_is_indented_as_a_line_of_the_program(number, new, expected):
    program = ["def f():", "    if 1:", "        return 2"]
    rest = program[: number - 1], program[number:]
    assert with_line("\n".join(program), number, new) == "\n".join([*rest[0], *([expected] * bool(expected)), *rest[1]])
    assert with_line("\n".join(program), 4, new) is None and with_line("\n".join(program), 0, new) is None


def test_only_bugs_of_one_line_are_asked_about():
    assert changes_of("a\nb\nc", "a\nx\nc") == {2: "x"}
    assert changes_of("a\nb", "x\ny") == changes_of("a\nb", "a\nb\nc") == changes_of("a", "a") == {}
    asked = {row["problem_id"] for row in located()}
    others = {bug["bug"] for bug in sample.bugs() if f"Sample_{bug['problem']}" not in asked}
    assert others == {"missing case", "missing return", "wrong order"}


@pytest.mark.proof
def test_from_a_run_to_the_report(tmp_path):
    tasks = ["codemind_verdict_sample", "codemind_locate_sample", "codemind_repair_sample"]

    def answer(doc: dict[str, Any]) -> str:
        known = len(doc["problem_id"]) % 4 != 0
        return str(doc["target"]) if known or doc["setting"] == "correct" else "<answer>1</answer>"

    results = evaluate(tmp_path, "org/all", answer, tasks, confirm_run_unsafe_code=True)["results"]
    shares = {name.split(",")[0]: value for name, value in results[tasks[0]].items() if "," in name}
    missed = sum(len(f"Sample_{bug['problem']}") % 4 == 0 for bug in sample.bugs())
    assert 0 < missed < 9 and shares["recall_correct"] == 1
    assert shares["verdict_pair"] == shares["recall_buggy"] == pytest.approx(1 - missed / 9)
    assert shares["verdict"] == pytest.approx(1 - missed / 18)
    observations = observe(read_runs([tmp_path]))
    shown = {part.title: part.text for part in observations[0].view.parts(observations[0].unit)}
    assert shown["Is the correct program correct?"] == "yes"
    assert shown["The buggy program"] != shown["The correct program"]
    outcomes = {(o.view.name, o.view.outcome(o.unit)) for o in observations if o.view.name in ("verdict", "locate")}
    assert outcomes == {
        *(("verdict", outcome) for outcome in ("both correct", "only the correct one judged correctly")),
        *(("locate", outcome) for outcome in ("repaired by one line", "another line, not repaired")),
    }
    rows = associations(observations).rows
    row = next(row for row in rows if (row["first"], row["second"]) == ("Verdict", "Locate"))
    missed = sum(len(document["problem_id"]) % 4 == 0 for document in located())
    assert (row["both"], row["neither"], row["first_only"], row["second_only"]) == (6 - missed, missed, 0, 0)


@pytest.mark.parametrize("benchmark", ["humanevalfix", "humanevalfix_java"])
def test_the_prompts_of_humanevalfix(benchmark, built):
    check_prompts(benchmark)
    rows = located(benchmark)
    assert all(row["lines"] and logged(row, row["target"], locate=True)["locate"] for row in rows)
    assert len(rows) == {"humanevalfix": 136, "humanevalfix_java": 116}[benchmark]


def test_every_change_of_one_line_that_repairs_a_program_is_right(shared_data, built):
    rows = {row["problem_id"]: row for row in located("humanevalfix")}
    repairs = read_rows(shared_data / "cases" / "locate_right_lines.jsonl")
    assert len(repairs) == 13
    for repair in repairs:
        scores = logged(
            rows[repair["problem"]], f"<answer>\n{repair['line']}: {repair['repair']}\n</answer>", locate=True
        )
        assert (scores["locate"], scores["line"]) == (1, 0), repair


def test_lines_are_those_that_the_study_publishes(shared_data, built):
    published = {}
    with tarfile.open(shared_data / "upstream" / "CES.tar.xz") as archive:
        for member in archive:
            if member.name.endswith("/buggy_line.txt"):
                name = member.name.split("/")[-2].partition("__")[0]
                published[name] = archive.extractfile(member).read().decode()  # type: ignore[union-attr]
    assert len(published) == 157
    accepted = {}
    for row in located("humanevalfix"):
        texts = row["program"].split("\n")
        accepted[row["problem_id"]] = {texts[line - 1].strip() for line in row["lines"]}
    upstream_lines = {name: {*map(str.strip, text.split("\n"))} - {""} for name, text in published.items()}
    assert {name for name, lines in upstream_lines.items() if not lines} == ONLY_ADDS
    known = accepted.keys() & upstream_lines.keys()
    assert {name for name in known if not upstream_lines[name] <= accepted[name]} == OTHERS


@pytest.mark.parametrize(("text", "line"), [
    ("4: `x = 1`", (4, " x = 1")), ("4:  ``x = 1`` ", (4, "  x = 1")), ("4: x = `1`", (4, " x = `1`")),
    ("4:", (4, "")), ("4\n    x = 1", (4, "    x = 1")),
])  # fmt: skip
def test_the_new_line_may_be_in_back_ticks(text, line):
    assert changed_line(text) == line
