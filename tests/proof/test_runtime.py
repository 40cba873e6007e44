from __future__ import annotations

import ast
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from lm_eval_codemind.answers.literals import parse_literal
from lm_eval_codemind.benchmarks import Upstream, reval
from lm_eval_codemind.execution import Sandbox
from lm_eval_codemind.facts.reval_differences import PATH_CAUSES, STATE_CAUSES, load_differences
from lm_eval_codemind.facts.runtime_labels import (
    REASONS,
    THE_END,
    InputLabels,
    Label,
    Labels,
    load_labels,
    load_published,
    plain,
    read_labels,
)
from lm_eval_codemind.proof import runtime
from lm_eval_codemind.proof.runtime import agreeing
from lm_eval_codemind.proof.runtime_constant import (
    GAMING,
    NO,
    PUBLISHED_NO,
    PUBLISHED_YES,
    YES,
    items,
    published_items,
    scores,
)

SHIPPED = ("reval", "cruxeval", "avatar", "sample")
# They import none of the packages that may be missing: recursion, callees, comprehensions, one-line loops, setUp.
EXECUTED = ("DREval/0", "DREval/4", "DREval/47", "DREval/49", "DREval/56", "DREval/86", "DREval/92", "DREval/94")


@pytest.fixture(scope="module")
def programs(upstream: Upstream) -> list[reval.TracedProgram]:
    found = reval.read_programs(upstream)
    return [program for program in found if program.task_id in EXECUTED]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(workers=2) as started:
        yield started


@pytest.mark.upstream
def test_published_labels_are_upstream_s_item_by_item(shared_data: Path) -> None:
    with gzip.open(shared_data / "recorded" / "reval_upstream_labels.jsonl.gz") as file:
        recorded = [json.loads(line) for line in file]
    published = {
        (program, int(number), label.line): label
        for program, inputs in load_published().items()
        for number, labels in inputs.items()
        for label in labels
    }
    assert len(published) == len(recorded) == 3152
    for item in recorded:
        label = published[item["task_id"], item["input_index"], item["line"]]
        values = () if item["state"] == "Nil" else tuple((each["value"], each["type"]) for each in item["state"])
        assert label.variable == item["variable"]
        assert (label.executed, label.values) == (item["coverage"], values), item
        assert set(label.next_lines) == {each["line"] for each in item["next_lines"]}, item


@pytest.mark.upstream
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="upstream's labels are those of Python 3.11")
def test_executing_gives_the_published_labels(programs: list[reval.TracedProgram], sandbox: Sandbox) -> None:
    executed = runtime.replicate_reval(programs, sandbox)
    for program, inputs in load_published().items():
        for number, labels in inputs.items():
            if program in executed:
                rows = executed[program][number]
                assert [(tuple(map(tuple, values)), tuple(lines)) for *_, values, lines in rows] == [
                    (label.values, label.next_lines) for label in labels
                ]


@pytest.mark.upstream
def test_executing_gives_the_proven_labels(programs: list[reval.TracedProgram], sandbox: Sandbox) -> None:
    """On every version of Python."""
    executed = runtime.prove_reval(programs, sandbox)
    for program, inputs in executed.items():
        for number, given in inputs.items():
            shipped = load_labels("reval")[program][number]
            assert shipped.outputs == given.outputs
            for label, known in zip(given.labels, shipped.labels, strict=True):
                assert known == label or known.reason in ("version", "hashing")


def test_proven_labels_of_known_faults() -> None:
    """Read off the programs by hand, from the list of upstream's faults."""
    labels = load_labels("reval")

    def label(program: int, number: int, line: int) -> tuple[int, str | None, int | None]:
        (found,) = (each for each in labels[f"DREval/{program}"][str(number)].labels if each.line == line)
        assert not found.reason
        return found.times, found.value, found.next_line

    # for j in range(1, i + 1): x *= j, for i = 2 and 4: three and five looks at the range.
    assert label(47, 0, 15) == (8, "24", 16)
    # frq[i] += 1 for i in [5, 5, 5, 5, 1]
    assert label(29, 0, 15) == (5, "1", 14)
    # ''.join(filter(lambda x: ..., ...)) ends the constructor's last call and with it the program.
    assert label(94, 0, 7) == (1, "'0110100001100101011011000110110001101111'", 0)


def test_coverage_is_where_upstream_has_it() -> None:
    proven = load_labels("reval")
    for program, inputs in load_published().items():
        for number, labels in inputs.items():
            for published, label in zip(labels, proven[program][number].labels, strict=True):
                assert (published.line, published.variable) == (label.line, label.variable)
                if not label.reason:
                    assert label.executed == published.executed


def test_differences_by_cause() -> None:
    causes = [
        (state, path)
        for inputs in load_differences().values()
        for lines in inputs.values()
        for state, path in lines.values()
    ]
    states = Counter(state for state, _ in causes if state)
    paths = Counter(path for _, path in causes if path)
    assert set(states) <= set(STATE_CAUSES) and set(paths) <= set(PATH_CAUSES)
    assert paths == {"again": 21, "return": 24, "expression": 3, "merged": 9, "later": 2}
    # Where two causes meet the first one counts. Seven values without a literal are among them.
    assert states == {
        "callee": 41, "later": 35, "expression": 25, "undefined": 24, "last": 19, "pairs": 19, "return": 15,
        "caller": 14, "merged": 6, "index": 5,
    }  # fmt: skip
    assert len(causes) == 208 and states.total() == 203
    found = load_differences()
    assert found["DREval/100"]["4"]["24"] == found["DREval/149"]["4"]["17"] == ["later", ""]
    assert found["DREval/122"]["1"]["37"] == ["pairs", ""]


def test_where_nothing_differs_the_label_is_one_that_upstream_accepts() -> None:
    """And where something does, and upstream accepts no other value besides, it is not."""
    differences, proven = load_differences(), load_labels("reval")
    for program, inputs in load_published().items():
        for number, labels in inputs.items():
            for published, label in zip(labels, proven[program][number].labels, strict=True):
                if label.reason or not label.executed:
                    continue
                state, path = differences.get(program, {}).get(number, {}).get(str(label.line), ("", ""))
                following = -1 if label.next_line == THE_END else label.next_line
                assert path or following in published.next_lines
                assert label.value is not None
                accepted = [(repr(_value(text)), kind.rpartition(".")[2]) for text, kind in published.values]
                assert state or (repr(_value(label.value)), label.type_name) in accepted, (program, number, label)


def _value(text: str) -> object:
    try:
        value = parse_literal(text)
    except ValueError:
        return text
    return sorted(value, key=repr) if isinstance(value, set) else value


def test_all_labels_are_well_formed() -> None:
    for name in SHIPPED:
        labels = load_labels(name)
        assert read_labels(json.loads(json.dumps(plain(labels)))) == labels
        for inputs in labels.values():
            for given in inputs.values():
                assert given.reason in ("", *REASONS)
                for label in given.labels:
                    assert label.reason in ("", *REASONS)
                    if label.reason:
                        continue
                    ast.parse(label.variable, mode="eval")
                    assert label.executed == (label.value is not None) == (label.next_line is not None)
                    if label.value is not None:
                        assert type(parse_literal(label.value)).__name__.lower() == label.type_name.lower()
                        assert not re.search(r"\bat 0x", label.value)
                if name != "reval":
                    assert sum(not label.reason for label in given.labels) <= 3


def test_what_constant_answers_score_by_reval_s_rules() -> None:
    labels = [
        (program, label) for program, inputs in load_published().items() for rows in inputs.values() for label in rows
    ]
    no, yes = scores(published_items(labels, PUBLISHED_NO)), scores(published_items(labels, PUBLISHED_YES))
    rounded = {name: round(100 * score, 1) for name, score in no.items()}
    assert rounded["path"] == 58.7 and rounded["state"] == 50.2 and rounded["ic"] == 23.1
    assert rounded["coverage"] == 46.3 and rounded["coverage_f1"] == 0
    assert (round(100 * yes["coverage"], 1), round(100 * yes["coverage_f1"], 1)) == (53.7, 69.9)
    assert round(100 * yes["ic"], 1) == 5.8


@pytest.mark.parametrize("name", SHIPPED)
def test_constant_answers_earn_nothing_on_the_headline_metrics(name: str) -> None:
    labels = [(program, given) for program, inputs in load_labels(name).items() for given in inputs.values()]
    for constant in (NO, YES, GAMING):
        found = scores(items(labels, constant))
        assert found["coverage_balanced"] == pytest.approx(0.5)
        assert found["state_executed"] == found["path_executed"] == found["output"] == 0


def _labels(*labels: Label, outputs: tuple[str, ...] = ("1",), reason: str = "") -> Labels:
    return {"p": {"0": InputLabels(outputs, labels, reason)}}


def test_what_executions_differ_in_is_excluded() -> None:
    one, two = Label(1, "x", 1, "int", "1", 2), Label(2, "y", 1, "int", "2", 0)
    other = Label(2, "y", 1, "int", "3", 0)
    same = _labels(one, two)
    assert agreeing([("3.11", same), ("3.12", same)]) == same
    (found,) = agreeing([("3.11", same), ("3.12", _labels(one, other))])["p"].values()
    assert found.labels == (one, Label(2, "y", reason="version"))
    (found,) = agreeing([("3.11", same), ("3.11", _labels(one, other))])["p"].values()
    assert found.labels == (one, Label(2, "y", reason="hashing"))
    (found,) = agreeing([("3.11", same), ("3.13", _labels(one, two, outputs=("2",)))])["p"].values()
    assert found.reason == "version"
    # A version that cannot run the program says nothing.
    assert agreeing([("3.11", same), ("3.13", _labels(one, reason="dependency"))]) == same
