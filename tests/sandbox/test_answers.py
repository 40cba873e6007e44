"""Suites with a list of steps: what the list holds, which suites have none, and what a program's answers decide."""

import dataclasses
import json
import pickle
from collections.abc import Callable

import pytest

from lm_eval_codemind.sandbox import CaseOutcome, Job, Limits, Outcome, Sandbox, ScriptCase, Status

Listed = Callable[[Job], str]
STACK = """
class Stack:
    limit = 3
    def __init__(self, items=()):
        self.items = list(items)
    def push(self, item):
        if len(self.items) == self.limit:
            raise OverflowError("full")
        self.items.append(item)
        return self
    def pop(self):
        return self.items.pop()
    @staticmethod
    def double(value):
        return 2 * value
    def take(self, other, into):
        into.extend(other.items)
        return into
"""
STACK_TESTS = """
import unittest
class StackTest(unittest.TestCase):
    def setUp(self):
        self.stack = Stack([1])
    def test_push(self):
        self.stack.push(2)
        self.assertEqual(self.stack.items, [1, 2])
        self.stack.items = [1, 2, 3]
        with self.assertRaises(OverflowError) as context:
            self.stack.push(4)
        self.assertEqual(str(context.exception), "full")
        self.assertEqual(self.stack.pop(), 3)
    def test_class(self):
        self.assertEqual(Stack.double(4), 8)
        self.assertEqual(Stack.limit, 3)
    def test_arguments(self):
        held = []
        self.assertEqual(self.stack.take(Stack([5]), held), [5])
        self.assertEqual(self.stack.take(self.stack, held), [5, 1])
        self.assertEqual(held, [5, 1])
"""
STACK_JOB = Job.unittest(STACK, STACK_TESTS, "Stack")


def steps(sandbox: Sandbox, job: Job) -> list[list[object]]:
    outcome = sandbox.submit(dataclasses.replace(job, record=True)).result()
    assert outcome.passed, outcome
    parts = json.loads(outcome.observations[0].literal or "")["steps"]
    return [step for part in parts for step in json.loads(part)]


def test_the_steps_of_a_function(sandbox):
    tests = "def check(candidate):\n    x = [1]\n    candidate(x)\n    assert candidate(x, key={2: (3,)}) == 1\n"
    job = Job.function("def f(x, key=None): return len(x)", tests, "f")
    assert steps(sandbox, job) == [
        ["call", -1, "", [[1]], {}],
        ["call", -1, "", [{"same": 0}], {"key": {"dict": [{"tuple": [2, {"tuple": [3]}]}]}}],
    ]


def test_the_steps_of_a_class(sandbox):
    made = steps(sandbox, STACK_JOB)
    assert [step[0] for step in made].count("new") == 4 == [step[0] for step in made].count("drop")
    assert ["set", 4, "items", [[1, 2, 3]], {}] in [[step[0], 4, *step[2:]] for step in made]
    assert {step[1] for step in made if step[2] in ("double", "limit")} == {-1}
    assert any(step[3:4] == [[{"instance": step[1]}, {"same": step[3][1]["same"]}]]  # type: ignore[index]
               for step in made if step[2] == "take" and isinstance(step[3][0], dict)  # type: ignore[index]
               and "same" in step[3][1])  # type: ignore[index]  # fmt: skip


def test_right_and_wrong_programs(sandbox, listed):
    assert not listed(STACK_JOB)
    programs = {
        STACK: Status.PASSED,
        STACK.replace("append(item)", "insert(0, item)"): Status.FAILED,
        STACK.replace('"full"', '"fill"'): Status.FAILED,
        # A kind of the same exception.
        STACK.replace("raise OverflowError", "raise type('Full', (OverflowError,), {})"): Status.PASSED,
        STACK.replace("raise OverflowError", "raise RuntimeError"): Status.ERROR,
        STACK.replace("into.extend(other.items)", "into = into + other.items"): Status.FAILED,
        STACK.replace("limit = 3", "limit = object()"): Status.FAILED,
        # What tests do not look at may be anything.
        STACK.replace("return self\n", "return Stack\n"): Status.PASSED,
        STACK.replace("return self.items.pop()", "import os; os._exit(0)"): Status.ERROR,
        STACK.replace("return self.items.pop()", "while True: pass"): Status.TIMEOUT,
        STACK.replace("return self.items.pop()", "return 'x' * (5 << 20)"): Status.OUTPUT,
        STACK.replace("class Stack", "class Pile"): Status.ERROR,
        f"{STACK}\nraise KeyError('Stack')": Status.ERROR,
        "while True: pass": Status.TIMEOUT,
    }
    limits = Limits(cpu_seconds=0.5)
    outcomes = sandbox.run(dataclasses.replace(STACK_JOB, program=each, limits=limits) for each in programs)
    assert [outcome.status for outcome in outcomes] == list(programs.values())
    assert all(outcome.tamper_proof for outcome in outcomes)


def test_objects_live_as_long_as_tests_hold_them(sandbox, listed):
    program = "class X:\n    alive = 0\n    def __init__(self): X.alive += 1\n    def __del__(self): X.alive -= 1\n"
    tests = UNIT + "        one, two = X(), X()\n        self.assertEqual(X.alive, 2)\n        del one\n"
    tests += "        self.assertEqual(X.alive, 1)\n    def test_z(self):\n        self.assertEqual(X.alive, 0)\n"
    job = Job.unittest(program, tests, "X")
    assert sandbox.submit(job).result().passed and not listed(job)
    wrong = dataclasses.replace(job, program=program.replace("X.alive -= 1", "X.alive -= 2"))
    outcomes = sandbox.run([job, wrong])
    assert [(outcome.passed, outcome.tamper_proof) for outcome in outcomes] == [(True, True), (False, True)]


UNIT = "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n"
CHECK = "def check(candidate):\n    "


@pytest.mark.parametrize(("program", "tests", "reason"), [
    ("def f(): return object()", CHECK + "assert candidate()", "not plain data"),
    ("def f(g): return g(1)", CHECK + "assert candidate(lambda n: n) == 1", "pass an object"),
    ("def f(): return 1", CHECK + "assert candidate() == 1 and candidate.x", "look at an object"),
    ("def f(): return 1", CHECK + "assert type(candidate) and candidate() == 1", "call type"),
    ("def f(): return 1", "import os\n" + CHECK + "assert candidate() == 1 and os.getcwd()", "use os"),
    ("def f(): return 1", "import math\n" + CHECK + "math.pi = candidate()", "change math"),
    ("def f(x): return x", CHECK + "x = [1]\n    assert candidate(x) is x", "identities"),
    ("def f(): open('x', 'w')", CHECK + "assert candidate() is None", "open x"),
    ("def f(): print(1)", CHECK + "candidate()\n    assert False", ""),
    ("held = []\ndef f(x): held[:] = [x]; return len(x)",
     CHECK + "x = [1]\n    candidate(x)\n    x.append(2)\n    assert candidate(x) == 2", "changed a container"),
    ("import time\ndef f(x): return x", "import datetime\n" + CHECK
     + "now = datetime.datetime.now().isoformat()\n    assert candidate(now) == now", "read the clock by now"),
    ("def f(x): return x", "import datetime\n" + CHECK
     + "assert candidate(str(datetime.date.today()))", "read the clock by today"),
    ("def f(x=''): return x + 'a'", CHECK + "assert candidate(candidate()).startswith('a')", "depend on the answers"),
    ("def f(x=0): return [x]", CHECK + "value = candidate()\n    assert candidate(value[0])", "depend on the answers"),
    ("def f(): return 1", CHECK + "pass", "ask nothing"),
])  # fmt: skip
def test_suites_that_look_at_more_than_answers_have_no_list(program, tests, reason, sandbox, listed):
    told = listed(Job.function(program, tests, "f"))
    assert told and reason in told


def test_inputs_drawn_by_tests_are_others_for_each_job(sandbox, listed):
    tests = "import random\n" + CHECK + "for _ in range(5):\n        n = random.getrandbits(64)\n"
    tests += "        assert candidate(n) == n\n"
    job = Job.function("def f(n): return n", tests, "f")
    assert not listed(job)
    guesses = [f"import random\nrandom.seed({seed})\ndef f(n): return random.getrandbits(64)" for seed in (0, 1)]
    guesses.append("import random\ndef f(n): return random.getrandbits(64)")
    outcomes = sandbox.run([job, *(dataclasses.replace(job, program=guess) for guess in guesses)])
    assert [(outcome.passed, outcome.tamper_proof) for outcome in outcomes] == [(True, True), *[(False, True)] * 3]


def test_a_pass_takes_exactly_the_recorded_steps(sandbox, listed):
    tests = CHECK + "assert candidate(0) in (0, 5)\n    if candidate(1) == 5: candidate(2)\n"
    job = Job.function("def f(n): return n", tests, "f")
    assert not listed(job)
    outcomes = sandbox.run([job, dataclasses.replace(job, program="def f(n): return 5")])
    assert [(outcome.status, outcome.tamper_proof) for outcome in outcomes] == [
        (Status.PASSED, True), (Status.FAILED, True),
    ]  # fmt: skip


def test_no_test_can_swallow_that_there_is_no_answer(sandbox, listed):
    tests = "try: value = candidate()\n    except: return\n    assert value == 1\n"
    job = Job.function("def f(): return 1", CHECK + tests, "f", limits=Limits(cpu_seconds=0.5))
    programs = ["def f(): return object()", "import os\ndef f(): os._exit(0)", "def f(): return 'x' * (5 << 20)",
                "def f():\n    while True: pass"]  # fmt: skip
    jobs = [dataclasses.replace(job, program=each) for each in programs]
    without_a_list = sandbox.run(jobs)
    assert not listed(job)
    assert not any(outcome.passed for outcome in [*without_a_list, *sandbox.run(jobs)])


def test_values_that_keep_the_checks_busy(sandbox, listed):
    job = Job.function(
        "def f(): return [2]", CHECK + "value = candidate()\n    assert value == [2] or sum(value) == 3", "f"
    )
    assert not listed(job)
    programs = {
        "def f(): return range(10**14)": (Status.TIMEOUT, Status.FAILED),
        "def f():\n    x = []\n    for _ in range(60): x = [x, x]\n    return x": (Status.TIMEOUT, Status.FAILED),
        "def f():\n    x = []\n    x.append(x)\n    return x": (Status.FAILED,),
        "M = (1 << 61) - 1\ndef f(): return {M * k for k in range(1, 2)} and [M]": (Status.FAILED,),
    }
    limits = Limits(cpu_seconds=0.5, wall_seconds=2)
    outcomes = sandbox.run(dataclasses.replace(job, program=each, limits=limits) for each in programs)
    for outcome, expected in zip(outcomes, programs.values(), strict=True):
        assert outcome.status in expected, outcome
    assert sandbox.submit(job).result().passed


# Looks for a test through all memory that a process can write to, its server's included.
SEARCH = """
import ctypes, re
def f(n):
    count = 0
    for line in open("/proc/self/maps"):
        place, mode, *_ = line.split()
        if mode.startswith("rw"):
            start, end = (int(each, 16) for each in place.split("-"))
            count += len(re.findall(rb"a text.of the tests [0-9]{5}", ctypes.string_at(start, end - start)))
    return count > 0
"""


def test_no_test_of_a_suite_with_a_list_is_in_a_programs_process(sandbox, listed):
    tests = CHECK + "assert candidate(1) is False, 'a text of the tests 12345'\n"
    job = Job.function("def f(n): return False", tests, "f")
    hostile = dataclasses.replace(job, program=SEARCH)
    # Without a list, program and tests share a process, and no later program has one that shared it.
    assert not sandbox.submit(hostile).result().passed
    assert not listed(job)
    outcomes = sandbox.run([job, hostile, hostile])
    assert [(outcome.passed, outcome.tamper_proof) for outcome in outcomes] == [(True, True)] * 3


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
