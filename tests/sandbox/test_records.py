"""Jobs and outcomes as records: what is refused, and the way to other processes and through JSON."""

import json
import pickle

import pytest

from lm_eval_codemind.sandbox import CaseOutcome, Job, Limits, Outcome, ScriptCase, Status


def test_a_job_reaches_another_process():
    for job in (
        Job.function("def f(): pass", "assert f() is None", "f", support="import math", job_id="a"),
        Job.unittest("class A: pass", "x", "A", only=["T"], limits=Limits(cpu_seconds=2)),
        Job.script("print(1)", [("", "1"), ScriptCase("2", None)]),
        Job.evaluate("x = 1", ["x", "x + 1"]),
    ):
        assert pickle.loads(pickle.dumps(job)) == job


def test_an_outcome_comes_back_from_json():
    outcome = Outcome(Status.FAILED, "a", observations=(CaseOutcome("1", "int", status=Status.TIMEOUT),))
    assert pickle.loads(pickle.dumps(outcome)) == outcome
    assert Outcome.from_dict(json.loads(json.dumps(outcome.to_dict()))) == outcome
    assert outcome.to_dict()["status"] == "failed"


def test_jobs_that_would_check_nothing_are_refused():
    with pytest.raises(ValueError, match="without tests"):
        Job.function("def f(): pass", "  ", "f")
    with pytest.raises(ValueError, match="at least one case"):
        Job.script("print(1)", [])
    with pytest.raises(ValueError, match="at least one expression"):
        Job.evaluate("x = 1", [])
    with pytest.raises(ValueError, match="kind"):
        Job("other", "x")  # type: ignore[arg-type]


def test_limits_must_be_above_nothing():
    with pytest.raises(ValueError, match="cpu_seconds"):
        Limits(cpu_seconds=0)
    with pytest.raises(ValueError, match="threads"):
        Limits(threads=-1)
