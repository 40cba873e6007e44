"""CRUXEval in its published form: prompts, reading, both scores, and the recorded verdicts of its authors."""

import hashlib
import json
import shutil
import tarfile
from collections import defaultdict
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.manifest import released_digests
from lm_eval_codemind.errors import UpstreamError
from lm_eval_codemind.families.cruxeval import task as family
from lm_eval_codemind.families.cruxeval.read import block, closed, sides, upstream_answer
from lm_eval_codemind.families.cruxeval.score import upstream_pass_at_k, upstream_verdict
from lm_eval_codemind.harness.aggregations import pass_at_k
from lm_eval_codemind.problems import Problem, digest, dump_side
from lm_eval_codemind.questions import Question
from lm_eval_codemind.sandbox import Job, shared_sandbox
from lm_eval_codemind.workshop.benchmarks import Upstream, cruxeval
from lm_eval_codemind.workshop.benchmarks.upstream import ArchivePart
from tests.cli import said
from tests.families.reference import reference_run
from tests.run_files import read_rows, read_run

# Functions of the form that upstream's have, with texts of our own.
PROMPTS_FILE = "".join(
    f"""
def make_{name}(s):
    code, {value} = s
    return f{text}
"""
    for name, value, text in (
        ("direct_output_prompt", "input", '"""Output.\n{{braces}}\n{code}\nassert f({input}) == ??\n[ANSWER]\n"""'),
        ("cot_output_prompt", "input", '"{code} thought f({input})"'),
        ("direct_output_prompt_phind", "input", r'"{code}\nassert f({input}) =="'),
        ("direct_input_prompt", "output", '"{code} from {output}"'),
        ("cot_input_prompt", "output", '"{code} thought {output}"'),
    )
)
RECORD = {"id": "sample_0", "code": "def f(x):\n    return x + 'a'", "input": "'b=='", "output": "'b==a'"}


class Files(Upstream):
    """CRUXEval's files, from texts."""

    def __init__(self, prompts: str) -> None:
        self._prompts = prompts

    def files(self, part: ArchivePart) -> dict[str, bytes]:
        name = part.patterns[0]
        return {name: (self._prompts if name == "prompts.py" else json.dumps(RECORD)).encode()}


def output_scores(response: str, setting: str, monkeypatch: pytest.MonkeyPatch) -> tuple[float, float]:
    """Return our score and upstream's, with the sandbox where it is needed."""
    call = f"f({RECORD['input']})"
    problem = Problem("sample_0", "cruxeval", "function", "python", RECORD["code"], "f", call, RECORD["output"])
    monkeypatch.setattr(family, "problem_of", lambda question: problem)
    asked = Question.about(problem, setting, {}, columns=family.COLUMNS)
    ((answer,),) = family.extract_output([[response]], [asked.document()])
    answer.wait()
    scores = family.CRUXEVAL_OUTPUT.score(asked, answer)
    return scores["pass@1"], scores["pass@1_upstream"]


def test_prompts_are_read_from_the_syntax_tree():
    (problem,) = cruxeval.read_prompts(Files(PROMPTS_FILE))
    prompts = json.loads(problem.upstream_questions)
    assert prompts["output_direct"] == (
        "Output.\n{braces}\ndef f(x):\n    return x + 'a'\nassert f('b==') == ??\n[ANSWER]\n"
    )
    assert prompts["output_phind"].endswith("assert f('b==') ==")
    assert prompts["input_cot"].endswith("thought 'b==a'")


@pytest.mark.parametrize(("old", "new"), [
    *(("{code} thought f({input})", "{code!r} {input}"), ("{code} thought f({input})", "{open(code)} {input}")),
    *(('return f"{code} from {output}"', "return code"), ("make_cot_input_prompt", "other")),
])  # fmt: skip
def test_prompts_of_another_form_are_refused(old, new):
    assert old in PROMPTS_FILE
    with pytest.raises(UpstreamError, match=r"prompts\.py"):
        cruxeval.read_prompts(Files(PROMPTS_FILE.replace(old, new)))


@pytest.mark.parametrize("form", ["checkout", "archive", "download"])
def test_prompts_are_read_from_every_form_of_upstreams_copy(form, shared_data, tmp_path):
    archive = shared_data / "upstream" / "cruxeval.tar.xz"
    if form == "checkout":
        with tarfile.open(archive) as tar:
            tar.extractall(tmp_path)
    elif form == "archive":
        shutil.copy(archive, tmp_path)
    upstream = Upstream(fetch=lambda wanted: archive) if form == "download" else Upstream(tmp_path)
    problems = cruxeval.read_prompts(upstream)
    assert digest(dump_side(problems, "questions")) == released_digests()["cruxeval_prompts.questions"]


@pytest.mark.parametrize(("text", "form", "expected"), [
    ("assert f(1) == 2\n[/ANSWER] more", "direct", "assert f(1) == 2\n"), ("[ANSWER]\n2\n[/ANSWER]", "direct", "\n2\n"),
    ("steps [/THOUGHT]\n[ANSWER]\nassert f(1) == 2\n", "cot", "\nassert f(1) == 2\n\n"),
    ("[ANSWER]1[/ANSWER]\n[ANSWER]2[/ANSWER]\nin [/ANSWER]", "cot", "2"), ("it is 2", "cot", None),
    (" 2 # done\n\ndef f", "phind", " 2 "),
])  # fmt: skip
def test_the_block(text, form, expected):
    assert block(closed(text), form) == expected


@pytest.mark.parametrize(("text", "expected"), [
    ("assert f('a == b') == 'c == d'", ("f('a == b')", "'c == d'")),
    ("f([1, {2: (3 == 4)}]) == []", ("f([1, {2: (3 == 4)}])", "[]")), ('assert f("\\"==") == 1', ('f("\\"==")', "1")),
    ("f('''a\n==''') == 2", ("f('''a\n==''')", "2")), ("'it==", ("'it==", None)), ("assertion", ("assertion", None)),
])  # fmt: skip
def test_the_sides_of_an_assertion(text, expected):
    assert sides(text) == expected


@given(st.text(alphabet="'\"\\([{=}])\na", max_size=60), st.text(alphabet="'\"\\([{=}])\na", max_size=60))
def test_an_assertion_of_two_strings_is_split_between_them(one, other):
    assert sides(f"assert f({one!r}) == {other!r}") == (f"f({one!r})", repr(other))


@pytest.mark.proof
@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["'", '"', "'''", "\\'", "[", "(", "==", "[ANSWER]", "assert f(", "# done"])
def test_hostile_texts_are_read_in_linear_time(piece):
    text = piece * (250_000 // len(piece))
    for form in ("direct", "cot", "phind"):
        sides(block(text, form) or "")
        upstream_answer(text, form, predicts_input=True)


@pytest.mark.parametrize(("response", "setting", "expected"), [
    ("assert f('b==') == 'b==a'\n[/ANSWER]", "direct", (1, 0)),  # upstream cuts at the first "=="
    ('"b" + "=" * 2 + "a"', "direct", (0, 1)),
    *((r"'b\x3d=a'", "phind", (1, 1)), ("'b'", "direct", (0, 0)), ("0 or True", "phind", (0, 1))),
    ("thus [/THOUGHT]\n[ANSWER]\nassert f('b') == 'c'\n[/ANSWER]", "cot", (0, 0)),
    *(("f('b' + '=' * 2)", "phind", (0, 1)), ("f('b==')", "phind", (0, 0)), ("1 / 0", "phind", (0, 0))),
    ("", "direct", (0, 0)),
    # The prompt ends with this mark, so the harness puts it in front of the response.
    *(("[THOUGHT]\n[ANSWER]'b\\x3d=a'[/ANSWER]", "cot", (1, 1)), ("[THOUGHT]\n'b=' '=a'", "cot", (0, 1))),
    # Thinking is not an answer.
    ("<think>[ANSWER]'c'[/ANSWER]</think>[ANSWER]'b\\x3d=a'[/ANSWER]", "cot", (1, 1)),
])  # fmt: skip
def test_both_scores_of_an_output(response, setting, expected, monkeypatch):
    assert output_scores(response, setting, monkeypatch) == expected


@pytest.mark.parametrize(("answer", "output", "verdict"), [
    ("1", "True", True), ("'a'", '"a"', True), ("a", "'a'", None), ("0 or True", "0", None), ("[2]", "[1]", False),
    # What follows a comma is the message of the assertion, and what does not parse raises.
    *(("'a', 'why'", "'a'", None), ("1, 2", "(1, 2)", None), ("(1, 2)", "(1, 2)", True), ("1 is", "1", False)),
    *(("np.int64(1)", "1", None), ("nan", "1", None), ("1 == 1", "1", None), ("1\nassert False", "1", None)),
    # Not executed under any release of Python.
    ("1\0", "1", False),
])  # fmt: skip
def test_upstream_compares_literals_as_python_does(answer, output, verdict):
    assert upstream_verdict(answer, output) is verdict


@given(st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=7), st.integers(1, 7))
def test_upstreams_pass_at_k_draws_from_the_answers_that_are_not_excluded(verdicts, k):
    counted = [verdict for verdict in verdicts if verdict is not None]
    draws = list(combinations(counted, min(k, len(counted))))
    assert upstream_pass_at_k(verdicts, k) == pytest.approx(sum(map(any, draws)) / len(draws) if counted else 0)


def test_all_prompts_are_what_upstreams_functions_return(built, shared_data):
    with tarfile.open(shared_data / "upstream" / "cruxeval.tar.xz") as tar:
        file = tar.extractfile("cruxeval/prompts.py")
        assert file is not None
        program = f"{file.read().decode()}\nimport hashlib"
    records = {problem.problem_id: problem for problem in load_benchmark("cruxeval")}
    for form, (function, column) in cruxeval._FORMS.items():
        # The code without the line feed that ours ends with.
        values = [
            (each.code.rstrip("\n"), each.input.removeprefix("f(")[:-1] if column == "input" else each.output)
            for each in records.values()
        ]
        calls = [f"hashlib.sha256({function}({value!r}).encode()).hexdigest()" for value in values]
        observed = shared_sandbox().submit(Job.evaluate(program, calls)).result().observations
        kind, setting = form.split("_")
        rows = getattr(family, f"{kind}_dataset")(benchmark="cruxeval", setting=setting)["test"]
        assert [row["problem_id"] for row in rows] == list(records) and len(rows) == 800
        ours = [hashlib.sha256(row["prompt"].encode()).hexdigest() for row in rows]
        assert [each.literal for each in observed] == list(map(repr, ours)), form


def test_recorded_answers_are_scored_as_they_are_and_verified(built, tmp_path):
    """A file of CRUXEval's generations has answers, so nothing is taken out of them again."""
    problems = load_benchmark("cruxeval")[:5]
    for kind, task in (("input", "codemind_cruxeval_input_cot"), ("output", "codemind_cruxeval_output_cot")):
        answers = {
            each.problem_id: [getattr(each, kind), f"assert {each.input} == {each.output}", "f"] for each in problems
        }
        file = tmp_path / f"{kind}.json"
        file.write_text(json.dumps(answers))
        run = tmp_path / kind
        said("score", "--responses", file, "--tasks", task, "--output_path", run, "--confirm_run_unsafe_code")
        scores = read_run(run)[0]["results"][task]
        assert scores["pass@1,extract-answer"] == pytest.approx(2 / 3)
        # The assertion is no call, and it contains the call, so that upstream excludes it from the outputs.
        assert scores["pass@1_upstream,extract-answer"] == pytest.approx(1 / 2)
        assert "equal" in said("verify", run)


@pytest.mark.parametrize(("model", "value"), [("oracle", 1.0), ("null", 0.0)])
@pytest.mark.usefixtures("built")
def test_right_answers_score_one_and_empty_ones_zero_on_all_problems(model, value):
    results = reference_run(model, "codemind_cruxeval_output", "codemind_cruxeval_input", bootstrap_iters=0)
    tasks = {name: scores for name, scores in results["results"].items() if "pass@1,extract-answer" in scores}
    assert len(tasks) == 5
    for name, scores in tasks.items():
        assert results["n-samples"][name]["effective"] == 800
        for metric in ("pass@1", "pass@1_upstream", "answered"):
            assert scores[f"{metric},extract-answer"] == value, (name, metric)


def test_recorded_inputs_get_the_recorded_verdicts(built, shared_data):
    recorded: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in read_rows(shared_data / "recorded" / "cruxeval_input_codellama-7b.jsonl.gz"):
        recorded[row["problem_id"]].append(row)
    rows = family.input_dataset(benchmark="cruxeval", setting="direct")["test"]
    documents = {row["problem_id"]: row for row in rows}
    chosen = [documents[problem_id] for problem_id in recorded]
    responses = [[row["response"] for row in rows] for rows in recorded.values()]
    differing = []
    for document, rows, answers in zip(chosen, recorded.values(), family.extract_input(responses, chosen), strict=True):
        metrics = family.process_input(document, [answers])
        right = [bool(row["verdict"]) for row in rows]
        assert metrics["pass@1_upstream"] == pytest.approx(sum(right) / len(right))
        assert metrics["pass@5_upstream"] == pytest.approx(pass_at_k(len(right), sum(right), 5))
        if metrics["pass@1"] != metrics["pass@1_upstream"]:
            differing.append(document["problem_id"])
    assert sum(map(len, recorded.values())) == 4000
    # A function is not a value, so our rule does not read it as an input.
    assert differing == ["sample_344"]
