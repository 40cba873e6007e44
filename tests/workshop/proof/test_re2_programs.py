"""The proof of RE2-Bench's labels of loops and branches, on a program that the test writes."""

import sys
from types import SimpleNamespace

import pytest

from lm_eval_codemind.studies.re2.task import proofs
from prove_re2 import decide_flow, decide_input, decide_output
from re2_program_runner import result_of

CODE = """class Basket:
    def __init__(self):
        self.prices = {}
    def total(self, discount=0, limit=None):
        result = 0
        for name, price in self.prices.items():
            if not all([part > 0 for part in (price,)]):
                continue
            if price > limit:
                result += limit
            elif (price < 2 and
                  name):
                result += 10
            else:
                result += price
        while discount > 1:
            discount -= 1
        return result - discount
"""
INPUTS = {"self": {"prices": {"a": 5, "b": -1, "c": 1, "d": 2}}, "args": {"limit": 3}, "kwargs": {"discount": 2}}
JOB = {"code": CODE, "name": "total", "class": "Basket", "script": False, "inputs": INPUTS}
LOOPS = {"6": {"name": ["'a'", "'b'", "'c'", "'d'"], "price": ["5", "-1", "1", "2"]}, "16": {"discount": ["2"]}}
BRANCHES = {"7": [False, True, False, False], "9": [True, False, False], "11": [True, False], "16": [True, False]}


@pytest.fixture(scope="module")
def flow():
    """What two executions show of the loops and branches."""
    return [result_of({**JOB, "flow": True}) for _ in range(2)]


def test_the_program_runs_on_the_rebuilt_object_and_a_plain_input_is_not_asked_for():
    assert result_of({**JOB, "flow": False}) == {"value": "14", "plain": False}
    assert result_of({**JOB, "flow": False, "inputs": {**INPUTS, "args": {}}}) == {"failed": "TypeError"}
    assert decide_input([{"value": "1", "plain": True}], {"status": "proven"})["status"] == "excluded"


@pytest.mark.parametrize(("task", "values"), [("loop", LOOPS), ("branch", BRANCHES)])
def test_two_records_agree_with_a_reading_by_hand(flow, task, values):
    own = {line: flow[0]["rewritten"][task][line] for line in values}
    assert own == {line: flow[0]["traced"][task][line] for line in values} == values
    # From Python 3.12 the tracer does not see the iterations of comprehensions.
    everywhere = {"7": {"part": ["5", "-1", "1", "2"]}} if task == "loop" else {}
    assert flow[0]["rewritten"][task] == {**values, **everywhere}
    if sys.version_info < (3, 12):
        assert flow[0]["traced"][task]["7"] == flow[0]["rewritten"][task]["7"]


def test_wrong_labels_are_corrected(flow):
    marked = CODE.split("\n")
    marked[5] += "  # name=??, price=??"
    listing = "\n".join(f"{number} {line}" for number, line in enumerate(marked, 1))
    right = {"name": ["a", "b", "c", "d"], "price": [5, -1, 1, 2]}
    record = {"code": listing, "label": {"6": right}}
    assert decide_flow(flow, record, "loop")["status"] == "proven"
    for label, reason in (
        ({}, "no label"),
        ({"7": right}, "another line"),
        ({"6": {"name": right["name"]}}, "another variable"),
        ({"6": {**right, "price": [5, -1, 1]}}, "other values"),
    ):
        value = {"6": LOOPS["6"]}
        corrected = {"status": "corrected", "value": value, "reason": reason}
        assert decide_flow(flow, {**record, "label": label}, "loop") == corrected
    other = {**flow[1], "rewritten": {"loop": {"6": {"name": ["'a'"]}}}}
    assert decide_flow([flow[0], other], record, "loop")["reason"] == "two executions differ"
    other = {**flow[0], "traced": {"loop": {}}}
    assert decide_flow([other, flow[1]], record, "loop")["reason"] == "two records differ"


@pytest.mark.parametrize(("values", "record"), [
    (("[1]", "[1]"), {"status": "proven"}),
    (("[2]", "[2]"), {"status": "corrected", "value": "[2]", "reason": "another output"}),
    (("[1]", "[2]"), {"status": "excluded", "reason": "two executions differ"}),
    (("<f at 0x7f00aa>",) * 2, {"status": "excluded", "reason": "address in the output"}),
    (("deque([])",) * 2, {"status": "excluded", "reason": "not a plain value"}),
])  # fmt: skip
def test_only_outputs_that_can_be_asked_for_become_labels(values, record):
    runs = [{"value": value, "plain": False} for value in values]
    assert decide_output(runs, [1], script=False) == record
    assert decide_input(runs, record)["status"] == ("excluded" if record["status"] == "excluded" else "proven")


def test_every_shipped_record_has_a_status_and_a_reason():
    statuses = set()
    for name, record in proofs().items():
        assert {"output", "input", "versions"} <= set(record) or "@@" not in name
        for task in set(record) - {"versions"}:
            entry = SimpleNamespace(**{"value": None, "reason": None, **record[task]})
            statuses.add(entry.status)
            # The proven labels of programs without a project are in the listing's lines, and repeated.
            if entry.status != "proven" or "@@" in name:
                assert (entry.value is not None) == (entry.status == "corrected"), (name, task)
            assert (entry.reason is None) == (entry.status == "proven"), (name, task)
    assert statuses == {"proven", "corrected", "excluded"}
