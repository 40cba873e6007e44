"""Input prediction: what counts as an answer, what is executed, and what comes out."""

import ast
import json
import textwrap
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from find_plain import find_plain_inputs
from lm_eval_codemind import family as question_family
from lm_eval_codemind.answers.comparison import same_computed
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.families.input import task as family
from lm_eval_codemind.harness.templates import Templates
from lm_eval_codemind.languages import get_language, kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Question
from lm_eval_codemind.sandbox import Job, Limits, Sandbox, ScriptCase
from lm_eval_codemind.workshop.benchmarks import sample
from lm_eval_codemind.workshop.build import PLAIN_INPUTS
from tests.run_files import read_rows

PROBLEMS = {problem.problem_id: problem for problem in sample.read()}
CODE = """
from collections import Counter
from typing import Dict, List

def helper(text):
    return 'ab'

def f(text, items=None):
    return text + (''.join(items) if items else '')

def total(counts: Counter, more: Dict[str, int] = None):
    return sum(counts.values())

def first(s, n=1):
    return s[:n]
"""


def problem(entry_point: str = "f", call: str = "f('a', ['b'])", output: str = "'ab'") -> Problem:
    return Problem("Made", "made", "function", "python", CODE, entry_point, call, output)


def made(monkeypatch: pytest.MonkeyPatch, asked: Problem) -> dict[str, Any]:
    """Return the document that asks about a problem."""
    monkeypatch.setattr(question_family, "load_problem", lambda *name, **witnessed: asked)
    monkeypatch.setattr(family, "load_side", lambda benchmark, family: {})
    (question,) = family.INPUT_PREDICTION.questions(asked, "steps")
    return question.document()


def judge(document: dict[str, Any], *texts: str) -> list[tuple[Answer, dict[str, float]]]:
    """Return what is read from answers between the markers, and their scores."""
    (answers,) = family.strict_match([[f"So <input>\n{text}\n</input>" for text in texts]], [document])
    judged = []
    for answer in answers:
        answer.wait()
        judged.append((answer, family.INPUT_PREDICTION.score(Question.from_document(document), answer)))
    return judged


def read(answer: str, asked: Problem) -> tuple[str, bool] | None:
    """Return the input that an answer states, and whether it is the recorded one."""
    prediction = kind_of(asked).read_input(answer, asked)
    return prediction and (prediction.input, prediction.recorded)


@pytest.mark.parametrize(("answer", "expected"), [
    ("f('a', ['b'])", ("f('a', ['b'])", True)),
    ('f( "a",\n  ["b",],)  # as before', ("f('a', ['b'])", True)),
    ("`f('a', items=['b'])`", ("f('a', items=['b'])", True)),
    ("```python\nf(items=['b'], text='a')\n```", ("f(items=['b'], text='a')", True)),
    *(("f('ab')", ("f('ab')", False)), ("f('ab');", ("f('ab')", False))),
    *(("f(tuple([1, 2]))", ("f((1, 2))", False)), ("f('a', ('b',))", ("f('a', ('b',))", False))),
    ("f(dict(a=1), items=list((1,)))", ("f({'a': 1}, items=[1])", False)),
    ("f(b'a', float('nan'), {1: {2}}, set(), -1.5e3, 1+2j, None)",
     ("f(b'a', float('nan'), {1: {2}}, set(), -1500.0, (1+2j), None)", False)),
    ("f(0x10, 'a' 'b', frozenset({1}))", ("f(16, 'ab', frozenset({1}))", False)),
    *((text, None) for text in ("f(Counter('ab'))", "f(" + "[" * 5_000, "f(" + "9" * 5_000 + ")", "")),
    ("f('" + "a" * 1_000_000 + "')", None),
])  # fmt: skip
def test_a_call_is_read_as_values(answer, expected):
    assert read(answer, problem()) == expected


@pytest.mark.parametrize(("call", "recorded", "other", "unread"), [
    # What a program can tell apart is not the recorded input.
    ("total({'a': 1, 'b': 2}, more=None)",
     ["total({'a': 1, 'b': 2}, None)", "total(more=None, counts={'a': 1, 'b': 2})"],
     ["total({'b': 2, 'a': 1}, None)", "total({'a': 1.0, 'b': 2}, None)", "total({'a': True, 'b': 2}, None)"], []),
    # Constructors are those of the signature.
    ("total(Counter({'a': 2}))", ["total(Counter({'a': 2}))"],
     ["total(Counter(['a', 'a']))", "total({'a': 2}, dict(b=1))"],
     ["total(range(3))", "total(Counter(x for x in 'a'))"]),
    # A recorded input that is no literal counts as it stands.
    ("first([2, 1], (lambda x: x)(1))",
         ["first([2,1], (lambda x: x)(1))", "(first([2, 1], ((lambda x: x))(1)))"], [],
         ["first([2, 1], (lambda x: 1)(1))", "(" * 150 + "first([2, 1], (lambda x: x)(1))" + ")" * 150,
          "first([2, 1], lambda x: (x)(1))"]),
])  # fmt: skip
def test_which_input_is_the_recorded_one(call, recorded, other, unread):
    asked = problem(call.partition("(")[0], call)
    answers = [read(answer, asked) for answer in (*recorded, *other)]
    assert [answer and answer[1] for answer in answers] == [True] * len(recorded) + [False] * len(other)
    assert "lambda" not in call or {answer and answer[0] for answer in answers} == {call}
    assert [read(answer, asked) for answer in unread] == [None] * len(unread)


def method(test: str) -> Problem:
    code = "class C:\n    def m(self, x):\n        return x\n"
    return Problem("P", "made", "method", "python", code, "C.m", f"def test(self):\n    {test}\n", "None")


def test_what_surrounds_the_recorded_call_stays_and_holes_are_read_in_order():
    asked = problem("first", "tuple(first([1, 2], 1))", "(1,)")
    assert kind_of(asked).masked_input(asked) == "tuple(first(??))"
    for answer in ("first([1, 3])", "tuple(first([1, 3]))"):
        assert read(answer, asked) == ("tuple(first([1, 3]))", False)
    assert read("list(first([1, 3]))", asked) is None
    asked = method("c = C()\n    return c.m({'a': 1, 'b': c.m([2])}), c.m(3 if c.m(4) else 5)")
    changed = asked.input.replace("'b'", "'c'").translate(str.maketrans("2345", "6789"))
    assert read(changed, asked) == (changed.strip("\n"), False)


def test_a_test_method_has_holes_where_it_hands_literals_over():
    asked = PROBLEMS["Sample_ledger_withdraw"]
    masked = kind_of(asked).masked_input(asked)
    assert masked is not None and "Ledger(limit=??)" in masked and "ledger.withdraw(??, ??), ledger.withdraw" in masked
    answer = asked.input.replace('"ann"', "'bob'")
    body = textwrap.dedent("\n".join(answer.splitlines()[1:]))
    for text in (answer, body, textwrap.indent(body, "  "), textwrap.indent(body, "    ").strip()):
        assert read(text, asked) == (answer.strip(), False)
    for changed in (
        answer.replace("return results", "return [20, -50, 'overdrawn']"),
        answer.replace("ledger = Ledger", "import os\n    ledger = Ledger"),
        answer.replace("ledger.withdraw", "ledger.deposit"),
        answer.replace("(limit=50)", "(limit=eval('50'))"),
        answer + "\ndef test(self):\n    return [20, -50, 'overdrawn']\n",
    ):
        assert changed != answer and read(changed, asked) is None


def test_literals_that_never_reach_the_program_are_no_holes():
    body = "expected = 3\n    value = 4\n    self.other = [5]\n    c = C()\n    c.state = 'new'\n"
    asked = method(f"{body}    return expected, c.m(value), c.m(self.other), c.m(1 + 2j), f'{{c.m(6)}}'")
    expected = asked.input.replace("= 4", "= ??").replace("[5]", "??").replace("'new'", "??").replace("1 + 2j", "??")
    assert kind_of(asked).masked_input(asked) == expected.strip("\n")
    assert list(family.INPUT_PREDICTION.questions(method("return C()"), "steps")) == []


LITERALS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.tuples(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(LITERALS, LITERALS)
@example(None, [float("inf"), -float("inf")])
def test_reading_gives_back_the_values_that_were_written(one, other):
    prediction = kind_of(problem()).read_input(f"f({one!r}, items={other!r})", problem())
    assert prediction is not None
    call = ast.parse(prediction.input, mode="eval").body
    assert isinstance(call, ast.Call)
    # Infinity has no literal, and is written as a call of its constructor.
    written = [ast.unparse(call.args[0]), ast.unparse(call.keywords[0].value)]
    assert [eval(text, {"__builtins__": {"float": float}}) for text in written] == [one, other]


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="f(['a\"\\b#,:=.*{})]0 \n", max_size=40))
def test_what_is_read_holds_nothing_but_values(text):
    prediction = kind_of(problem()).read_input(f"f({text})", problem())
    if prediction is not None:
        call = ast.parse(prediction.input, mode="eval").body
        assert isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "f"
        for argument in (*call.args, *(keyword.value for keyword in call.keywords)):
            ast.literal_eval(argument)


def test_right_inputs_count_whichever_they_are(monkeypatch):
    document = made(monkeypatch, problem())
    texts = ["f('a', ['b'])", "f('ab')", "f('', ('a', 'b'))", "f(text='a', items={'b': 1})", "f('ba')", "f(1)", "f()"]
    judgements = judge(document, *texts)
    assert [scores["r_input"] for _, scores in judgements] == [1, 1, 1, 1, 0, 0, 0]
    assert [scores["as_recorded"] for _, scores in judgements] == [1, 0, 0, 0, 0, 0, 0]
    assert all(scores["answered"] for _, scores in judgements)
    assert judgements[0][0].outcome is None, "the recorded input needs no execution"
    assert judgements[1][0].details["computed"] == "'ab'"
    assert json.loads(str(judgements[4][0]))["computed"] == "'ba'"


def test_an_endless_program_is_an_outcome(monkeypatch):
    code = "def f(n):\n    while n:\n        pass\n    return n\n"
    monkeypatch.setattr(family, "limits_of", lambda asked: Limits(cpu_seconds=0.5))
    asked = Problem("Loop", "made", "function", "python", code, "f", "f(0)", "0")
    (answer, scores), (_, other) = judge(made(monkeypatch, asked), "f(1)", "f(False)")
    assert answer.outcome is not None and answer.outcome["status"] == "timeout" and scores["r_input"] == 0
    assert other["r_input"] == 0, "False is not 0 as an output"


def test_scripts_are_given_what_is_typed():
    rows = family.dataset(benchmark="sample", setting="steps")["test"]
    document = next(row for row in rows if row["kind"] == "script")
    known = document["input"].strip("\n")
    judgements = judge(document, known, f"```\n{known}\n```", known + "\n\n", "nothing of the kind")
    assert [scores["r_input"] for _, scores in judgements] == [1, 1, 1, 0]
    assert [scores["as_recorded"] for _, scores in judgements] == [1, 1, 1, 0]


@pytest.mark.parametrize(("answer", "stdin"), [
    *(("3\n 1 2", "3\n 1 2\n"), ("\n 3\n1\n\n", " 3\n1\n\n"), ("Input:\n3\n1", "3\n1\n")),
    ("**Standard input:**\n```\n3\n1\n```\nIt prints 4.", "3\n1\n"),
    *(("```text\n3\n1\n```", "3\n1\n"), ("```\nInput: 3\n```", "3\n")),
    *(("\ufeff3 -1\u200b", "3 -1\n"), ('{"input": "3\\n1"}', "3\n1\n")),
    *(("*..*", "*..*\n"), ("f(3) = 4", "f(3) = 4\n"), ("", "")),
])  # fmt: skip
def test_standard_input_is_read_without_label_fence_and_invisible_characters(answer, stdin):
    script = Problem("Made", "made", "script", "python", CODE, "", "7\n", "7")
    assert read(answer, script) == (stdin, False)
    for layout in ("7", "**7**", "Input: 7", "\ufeff7", "`7`"):
        assert read(layout, script) == ("7\n", True)


def test_hostile_answers(monkeypatch, tmp_path):
    canary = tmp_path / "canary"
    texts = yaml.safe_load((Path(__file__).parent / "hostile_inputs.yaml").read_text())
    answers = [text.format(canary=canary) for text in texts]
    assert len(set(answers)) == len(answers) >= 50
    for text, (answer, scores) in zip(answers, judge(made(monkeypatch, problem()), *answers), strict=True):
        assert scores["r_input"] == 0, text
        if answer.program is not None:
            # What was executed was a call with literals, to which the program itself said no.
            call = ast.parse(answer.program, mode="eval").body
            assert isinstance(call, ast.Call) and ast.unparse(call.func) == "f"
            assert all(isinstance(ast.literal_eval(part.value), object) for part in call.keywords)
            assert all(isinstance(ast.literal_eval(part), object) for part in call.args)
    assert not canary.exists()


def test_the_flexible_filter_reads_answers_without_markers(monkeypatch):
    document = made(monkeypatch, problem())
    responses = [
        *("f('ab')", "It is `f('x')`.\n\nNo: ```python\nf('ab')\n```", "The call is f('ab').", "I take `f('ab')`."),
        *("<input>f('x')</input> and not `f('ab')`", "f('x') or 'ab'", "no idea"),
    ]
    (answers,) = family.flexible_extract([responses], [document])
    (strict,) = family.strict_match([responses], [document])
    for answer in answers:
        answer.wait()
    question = Question.from_document(document)
    scores = [family.INPUT_PREDICTION.score(question, answer) for answer in answers]
    assert [score["r_input"] for score in scores] == [1, 1, 1, 1, 0, 0, 0]
    assert [score["answered"] for score in scores] == [1, 1, 1, 1, 1, 0, 0]
    assert [answer.text is not None for answer in strict] == [False] * 4 + [True] + [False] * 2


def test_the_worked_examples_are_true():
    examples = Templates(family.INPUT_PREDICTION.templates).examples()
    assert list(examples) == ["function", "method", "script"]
    with Sandbox(workers=1) as sandbox:
        for name, example in examples.items():
            kind = get_language("python").kind(name)
            asked = Problem(
                name, "made", name, "python", example["code"], example["entry_point"], example["answer"],
                example["output"],
            )  # fmt: skip
            assert (kind.masked_input(asked) or "").strip() == example["masked"].strip()
            prediction = kind.read_input(example["answer"], asked)
            assert prediction is not None and prediction.recorded
            execution = kind.execution(asked)
            if execution.expression is None:
                job = Job.script(execution.module, [ScriptCase(execution.stdin)])
            else:
                job = Job.evaluate(execution.module, [execution.expression])
            (observation,) = sandbox.submit(job).result().observations
            computed = observation.stdout if kind.printed else observation.literal
            assert computed is not None and same_computed(computed, example["output"], kind.printed)


def test_problems_that_an_input_solves_that_says_nothing_are_named():
    assert sorted(find_plain_inputs(PROBLEMS.values())) == shipped.load(PLAIN_INPUTS)["sample"]
    rows = family.dataset(benchmark="sample", setting="steps")["test"]
    assert [row["problem_id"] for row in rows if row["plain"]] == shipped.load(PLAIN_INPUTS)["sample"]
    question = Question.from_document(rows[0])
    metrics = family.INPUT_PREDICTION.logged(question, {"r_input": 0.5}, {})
    assert metrics["r_input_searched"] == (None if rows[0]["plain"] else 0.5)


# Answer -> recorded verdict, where ours is another: docs/replication.md says why.
DIFFERENT = {("sample_344", "f([6, 4, 2, 8, 15], lambda x: x.sort())"): True}


def test_recorded_verdicts(built, shared_data):
    rows = read_rows(shared_data / "recorded" / "cruxeval_input_codellama-7b.jsonl.gz")
    assert len(rows) == 4000
    different = {(row["problem_id"], row["response"]): row["verdict"] for row in rows}
    documents = {row["problem_id"]: row for row in family.dataset(benchmark="cruxeval", setting="steps")["test"]}
    asked = list(different)
    chosen = [documents[name] for name, _ in asked]
    answers = family.flexible_extract([[text] for _, text in asked], chosen)
    disagree, others = {}, 0
    for key, document, (answer,) in zip(asked, chosen, answers, strict=True):
        answer.wait()
        scores = family.INPUT_PREDICTION.score(Question.from_document(document), answer)
        right = bool(scores["r_input"])
        others += right and not scores["as_recorded"]
        if right != different[key]:
            disagree[key] = different[key]
    assert disagree == DIFFERENT
    # Right inputs that are not the recorded ones count.
    assert others >= 200
