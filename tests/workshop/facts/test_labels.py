"""Reading published labels, comparing them with proven outputs, applying proofs."""

import ast
import dataclasses
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.answers.literals import NotALiteralError
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.problems import Case, Problem, shown_cases
from lm_eval_codemind.workshop.facts.labels import (
    Proof,
    agrees,
    apply_proof,
    observed_label,
    plain_literal,
    published_literal,
)
from ship import record_of, save

NUMBERS = st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
plain = st.recursive(
    st.none() | NUMBERS | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(st.integers() | st.text(), inner, max_size=4)
        | st.sets(st.integers() | st.text(), max_size=4)
    ),
    max_leaves=12,
)


@given(plain)
def test_a_literal_reads_back_as_the_same_value(value):
    text = plain_literal(value)
    back = ast.literal_eval(text)
    assert back == value and type(back) is type(value)


@given(st.sets(st.text(min_size=1), min_size=2, max_size=8), st.randoms())
def test_a_set_has_one_literal_whatever_order_it_was_filled_in(members, chance):
    shuffled = list(members)
    chance.shuffle(shuffled)
    assert plain_literal(set(shuffled)) == plain_literal(members)


@pytest.mark.parametrize("value", [object(), float("nan"), [float("inf")], {"a": object()}, (1, int), frozenset({1})])
def test_what_cannot_be_written_down_has_no_literal(value):
    with pytest.raises(NotALiteralError):
        plain_literal(value)


@pytest.mark.parametrize(("label", "text"), [
    *((" True", "True"), ("[1,2]\n", "[1, 2]"), ('"a"', "'a'"), ("1,2", "(1, 2)"), ("1 +", "'1 +'")),
    ("plain words", "'plain words'"), ("(" * 10_000, repr("(" * 10_000)),
])  # fmt: skip
def test_a_published_label_reads_as_a_literal(label, text):
    assert published_literal(label) == text


@pytest.mark.parametrize(("label", "output", "same"), [
    *((" [3,3,3]", "[3, 3, 3]", True), ("'a'", "'a'", True), ("a", "'a'", True), ("101", "'101'", True)),
    *(("101", "101", True), ("1", "True", False), ("1", "1.0", False), ("tuple([1])", "(1,)", False)),
    ('[1], "Error"', "[1]", False),
])  # fmt: skip
def test_agreement_of_a_label_with_an_output(label, output, same):
    assert agrees(label, output) is same


def problem(**changes: object) -> Problem:
    asked = Problem("p", "b", "function", "python", "", "f", "f()", None, published_output="[ 1 ]")
    return dataclasses.replace(asked, **changes)


def test_what_a_proof_makes_of_a_problem():
    assert apply_proof(problem(), Proof("confirmed")).output == "[1]"
    proven = apply_proof(problem(), Proof("corrected", output="[2]"))
    assert (proven.output, proven.category, proven.published_output) == ("[2]", "corrected", "[ 1 ]")
    excluded = apply_proof(problem(tests="assert f() == [1]"), Proof("excluded", "time"))
    assert (excluded.output, excluded.reason, excluded.tests) == (None, "time", "assert f() == [1]")
    with pytest.raises(ValueError, match="p: no label is published"):
        apply_proof(problem(published_output=None), Proof("repaired"))
    cases = (Case("1", "one"), Case("2", "wrong"), Case("3", "unprovable"), Case("4", "nothing"))
    script = problem(kind="script", input="0", published_output="zero\n", cases=cases)
    proven = apply_proof(script, Proof("confirmed", cases={1: "two\n", 2: None, 3: ""}))
    assert proven.cases == (Case("0", "zero\n"), Case("1", "one"), Case("2", "two\n"), Case("4", ""))


def test_a_script_is_asked_about_a_case_that_a_prompt_can_show_and_shown_cases_fit_together():
    long = "1 " * 1_000
    cases = (Case(long, "a\n"), Case("unprovable", "?"), Case("2", "x" * 2_000), Case("3", "wrong"), Case("4", "d\n"))
    script = problem(kind="script", input=long, published_output="a\n", cases=cases)
    proven = apply_proof(script, Proof("confirmed", cases={1: None, 3: "c\n"}))
    assert (proven.input, proven.output, proven.published_output) == ("3", "c\n", "wrong")
    assert proven.category == "corrected" and [case.input for case in proven.cases] == [long, "2", "3", "4"]
    confirmed = apply_proof(script, Proof("corrected", output="b\n", cases={1: None, 3: None}))
    assert (confirmed.input, confirmed.output, confirmed.category) == ("4", "d\n", "confirmed")
    cases = [Case("a" * 999, "b"), Case("c" * 1_000, "d"), Case("e", "f"), Case("g", "h")]
    assert shown_cases(cases, 1) == (cases[0],) and shown_cases(cases, 2) == (cases[0], cases[2])
    assert shown_cases([Case("i" * 1_000, "j" * 1_001)], 2) == ()


@given(
    st.builds(
        Proof,
        category=st.sampled_from(["confirmed", "corrected", "repaired"]),
        output=st.none() | st.text(),
        cases=st.dictionaries(st.integers(0, 200), st.none() | st.text(), max_size=3),
    )
)
def test_a_proof_survives_its_file(proof):
    assert Proof.from_json(json.loads(json.dumps(record_of(proof)))) == proof


@pytest.mark.parametrize(("literal", "label"), [
    *(("np.int64(-111)", "-111"), ("(np.float64(0.25), [np.float64(0.25)])", "(0.25, [0.25])")),
    *(("{2, 1}", "{1, 2}"), ("np.array([1])", None), ("float('nan')", None), (None, None)),
])  # fmt: skip
def test_the_label_that_an_observed_value_gives(literal, label):
    assert observed_label(literal) == label


# Benchmark or program -> problem or input -> record; in the other files the records lie at the first level.
LEVELS = {
    **dict.fromkeys(("buggy_outputs", "bug_lines", "fixed_programs", "loop_lengths", "revealing_tests"), 2),
    **dict.fromkeys(("asked_otherwise", "sr_exceptions", "suites"), 2),
}
FILES = sorted(path.relative_to(shipped.FOLDER) for path in shipped.FOLDER.rglob("*.json"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    shipped.load.cache_clear()
    return tmp_path


@pytest.mark.parametrize("file", FILES, ids=str)
def test_a_file_is_made_again_from_its_content(file, tmp_path, monkeypatch):
    content = (shipped.FOLDER / file).read_bytes()
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    written = save(file.name, json.loads(content), LEVELS.get(file.stem, 1))
    assert written.read_bytes() == content


@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
def test_what_is_saved_is_loaded(folder, name):
    assert shipped.load(name) == {}
    records = {"one": {"text": "é\n"}, "two": {}}
    save(name, records)
    assert shipped.load(name) == records and list(shipped.load(name)) == ["one", "two"]


@pytest.mark.parametrize(("name", "content"), [
    ("a.json", b"{"), ("a.json", b"[]"), ("a.json.gz", b"{}"), ("a.json.gz", gzip.compress(b"{", mtime=0)),
])  # fmt: skip
def test_a_damaged_file_is_named(folder, name, content):
    (folder / name).write_bytes(content)
    with pytest.raises(ValueError, match=rf"{name}: not .*install lm-eval-codemind again"):
        shipped.load(name)
