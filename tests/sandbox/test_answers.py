"""Suites with a list of steps: what the list holds, which suites have none, and what a program's answers decide."""

import dataclasses
import json
import pickle
from collections.abc import Callable
from random import Random

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


def parts(sandbox: Sandbox, job: Job) -> list[list[object]]:
    outcome = sandbox.submit(dataclasses.replace(job, record=True)).result()
    assert outcome.passed, outcome
    return list(map(json.loads, json.loads(outcome.observations[0].literal or "")["steps"]))


def steps(sandbox: Sandbox, job: Job) -> list[object]:
    return [step for part in parts(sandbox, job) for step in part]


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
    limits = Limits(cpu_seconds=0.2)
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


EQUAL = CHECK + "assert candidate([3, 1]) == %s\n    assert candidate([2]) == %s\n"


@pytest.mark.parametrize(("program", "tests"), [
    ("import collections\nP = collections.namedtuple('P', 'lo hi')\ndef f(xs): return P(min(xs), max(xs))",
     EQUAL % ("(1, 3)", "(2, 2)")),
    ("import enum\nclass C(enum.IntEnum):\n    A = 1\n    B = 2\ndef f(xs): return C(min(xs))", EQUAL % (1, 2)),
    ("import enum\nclass C(str, enum.Enum):\n    A = 'a'\ndef f(xs): return C.A", EQUAL % ("'a'", "'a'")),
    ("import collections\ndef f(xs):\n    d = collections.defaultdict(list)\n    for x in xs: d[x].append(x)\n"
     "    return d", EQUAL % ("{3: [3], 1: [1]}", "{2: [2]}")),
    ("import collections\ndef f(xs): return collections.deque(xs)", EQUAL.replace("candidate(", "list(candidate(")
     .replace(") ==", ")) ==") % ("[3, 1]", "[2]")),
    ("def f(xs):\n    for x in xs: yield x", EQUAL.replace("candidate(", "list(candidate(").replace(") ==", ")) ==")
     % ("[3, 1]", "[2]")),
    ("def f(xs): return dict.fromkeys(xs).keys()", EQUAL % ("{1, 3}", "{2}")),
    ("import collections\ndef f(xs): return collections.OrderedDict.fromkeys(xs).keys()", EQUAL % ("{1, 3}", "{2}")),
    ("def f(xs): return memoryview(bytes(xs))[:1]", EQUAL % ("b'\\3'", "b'\\2'")),
    *((f"import itertools\ndef f(xs): return {made}", EQUAL.replace("candidate(", "list(candidate(")
       .replace(") ==", ")) ==") % ("[3, 1]", "[2]"))
      for made in ("iter(xs)", "itertools.chain(xs)", "itertools.islice(xs, 5)", "reversed(xs[::-1])")),
])  # fmt: skip
def test_derived_classes_and_iterators_are_plain_if_nothing_can_tell(program, tests, sandbox, listed):
    right = program[: program.rindex("def f")] + "def f(xs):\n    return {}"
    expected = tests.split("== ")[1].split("\n")[0], tests.split("== ")[2].split("\n")[0]
    job = Job.function(right.format(f"{expected[0]} if len(xs) > 1 else {expected[1]}"), tests, "f")
    assert not listed(job)
    outcome = sandbox.submit(dataclasses.replace(job, program=program)).result()
    assert (outcome.status, outcome.tamper_proof) == (Status.PASSED, True), outcome


@pytest.mark.parametrize(("right", "wrong", "tests"), [
    ("def f(): return {}", "import collections\ndef f(): return collections.defaultdict(int)",
     CHECK + "try: candidate()['x']\n    except KeyError: return\n    assert False"),
    ("def f(): return (1, 2)", "import collections\ndef f(): return collections.namedtuple('P', 'a b')(1, 2)",
     CHECK + "assert str(candidate()) == '(1, 2)'"),
    ("def f(n):\n    if n < 0: raise ValueError(n)\n    return [n]",
     "def f(n):\n    if n < 0: raise ValueError(n)\n    yield n",
     CHECK + "assert list(candidate(1)) == [1]\n    try: candidate(-1)\n"
     "    except ValueError: return\n    assert False"),
    ("def f(x=[]):\n    return list(x)", "def f(x=[]):\n    while x: yield x.pop()",
     CHECK + "x = [1]\n    assert list(candidate(x)) == [1] and x == [1]"),
    ("def f(n): raise ValueError(n)", "class Fake(Exception): pass\nFake.__name__ = 'ValueError'\n"
     "Fake.__module__ = 'builtins'\ndef f(n): raise Fake(n)",
     CHECK + "try: candidate(1)\n    except ValueError: return\n    assert False"),
    ("def f(n): raise ValueError(n)", "class Both(ValueError, IndexError): pass\ndef f(n): raise Both(n)",
     CHECK + "try: candidate(1)\n    except LookupError: assert False\n    except ValueError: pass"),
    ("def f(n): raise ValueError(n)", "class Own(ValueError): pass\ndef f(n): raise Own(n)",
     CHECK + "try: candidate(1)\n    except ValueError as e: assert repr(e) == 'ValueError(1)'"),
    ("def f(n): return -n", "import json, sys\nframe = sys._getframe()\n"
     "while 'steps' not in frame.f_locals.get('request', {}):\n    frame = frame.f_back\n"
     "told = iter(json.loads(frame.f_locals['request']['steps'])[1:])\n"
     "def f(n): return next(told, [0, 0, 0, [41]])[3][0]",
     CHECK + "assert candidate(41) == -41\n    assert candidate(-41) == 41"),
])  # fmt: skip
def test_programs_that_only_seem_to_answer_rightly(right, wrong, tests, sandbox, listed):
    job = Job.function(right, tests, "f")
    assert not listed(job)
    outcomes = sandbox.run([job, dataclasses.replace(job, program=wrong)])
    assert [(outcome.passed, outcome.tamper_proof) for outcome in outcomes] == [(True, True), (False, True)], outcomes


@pytest.mark.parametrize(("right", "wrong", "test"), [
    ("class X: pass", "class X:\n    def __new__(cls): return None", "        self.assertIsNotNone(X())\n"),
    ("class X:\n    def __init__(self, log): pass",
     "class X:\n    def __init__(self, log): self.log = log\n    def __del__(self): self.log.append(1)",
     "        log = []\n        x = X(log)\n        del x\n        self.assertEqual(log, [])\n"),
    ("class X:\n    def f(self): return 1", "import os\nclass X:\n    def f(self): return 1\n"
     "    def __del__(self): os._exit(0)", "        x = X()\n        self.assertEqual(x.f(), 1)\n        del x\n"),
])  # fmt: skip
def test_instances_that_only_seem_right(right, wrong, test, sandbox, listed):
    job = Job.unittest(right, UNIT + test, "X")
    assert not listed(job)
    outcomes = sandbox.run([job, dataclasses.replace(job, program=wrong)])
    assert [(outcome.passed, outcome.tamper_proof) for outcome in outcomes] == [(True, True), (False, True)], outcomes


def test_answers_may_be_as_long_as_those_of_the_solution(sandbox, listed):
    tests = CHECK + "for n in range(3):\n        assert candidate('x') == 'xxx' * 100_000\n"
    job = Job.function("def f(x): return x * 300_000", tests, "f", limits=Limits(output_bytes=50_000))
    assert not listed(job)
    longer = dataclasses.replace(job, program="def f(x): return x * 400_000")
    outcomes = sandbox.run([job, longer])
    assert [(outcome.status, outcome.tamper_proof) for outcome in outcomes] == [("passed", True), ("failed", True)]


def test_a_repeated_step_tells_nothing_of_itself(sandbox):
    calls = ["assert candidate([1]) == [1] == candidate([1])", "assert candidate([2, 1]) == [1, 2]", "candidate([1])"]
    for count, sizes in ((1, [2]), (2, [3]), (3, [3, 1])):
        job = Job.function("def f(x): return sorted(x)", CHECK + "; ".join(calls[:count]), "f")
        assert list(map(len, parts(sandbox, job))) == sizes


def test_what_was_answered_before_the_next_part_stays(sandbox, listed):
    tests = CHECK + "assert candidate(1) == 2 and candidate(2) == 3\n"
    job = Job.function("def f(n): return n + 1", tests, "f")
    # Both programs wait until they are stopped.
    waits = Limits(wall_seconds=1)
    assert not listed(job)
    # Asks for the second part at once, and then writes all answers.
    early = "import os\nos.write(3, b'\\n')\nos.write(4, b'{}\\n')\n"
    early += (
        'line = os.read(3, 99)\nfor n in (2, 3): os.write(4, b\'{"value": %d, "content": []}\\n\' % n)\nos._exit(0)'
    )
    # Changes the first answer when it has the second part.
    late = 'import os\ndef f(n):\n    if n == 2: os.pwrite(4, b\'{}\\n{"value": 2, "content": []}\', 0)\n    return 3'
    outcomes = sandbox.run([job, *(dataclasses.replace(job, program=each, limits=waits) for each in (early, late))])
    assert [(outcome.passed, outcome.tamper_proof) for outcome in outcomes] == [(True, True), *[(False, True)] * 2]


def odd_lines(random: Random) -> bytes:
    """Return what no program of ours would write: lines of odd types, sizes and depths."""
    kinds: list[Callable[[], object]] = [
        lambda: None, lambda: random.choice([1, -1, 1 << 70, 0.5, True]),
        lambda: random.choice("xhiqd") + "A" * random.choice([0, 1, 4, 9000, 200_000]),
        lambda: [value(), value()], lambda: {random.choice(TAGS): value()}, lambda: deep(random.choice([3, 200, 5000])),
        lambda: {"ndarray": [random.choice(["<i8", "<U99999", "O", 3]), [random.choice([0, 1 << 30])], [1] * 4, [1]]},
    ]  # fmt: skip

    def value() -> object:
        return random.choice(kinds)()

    def deep(levels: int) -> object:
        made: object = 1
        for _ in range(levels):
            made = [made] if random.random() < 0.5 else {"tuple": [made]}
        return made

    lines = []
    for _ in range(random.randrange(4)):
        try:
            lines.append(json.dumps({random.choice(KEYS): value() for _ in range(random.randrange(4))}))
        except RecursionError:
            lines.append("[" * 100_000)
    return "\n".join(["{}", *lines, ""]).encode()


KEYS = ("value", "content", "raised", "args", "other", "lost", "long", "out", "type", "message", "bases")
TAGS = (
    "list",
    "dict",
    "same",
    "like",
    "iterator",
    "keys",
    "int",
    "Decimal",
    "generic",
    "float",
    "type",
    "str",
    "instance",
)


@pytest.mark.proof
def test_odd_replies_burden_no_outcome_and_no_worker(sandbox, listed):
    random = Random(61)
    job = Job.function("def f(): return [2]", CHECK + "assert candidate() == [2]", "f", limits=Limits(cpu_seconds=2))
    assert not listed(job)
    write = "import os\ndata = {!r}\nwhile data: data = data[os.write(4, data):]\nos._exit(0)"
    programs = [write.format(odd_lines(random)) for _ in range(2000)]
    jobs = [dataclasses.replace(job, program=each) for each in programs]
    jobs += [Job.evaluate(each, ["1"]) for each in programs[:100]] + [
        Job.script(each, [("", "")]) for each in programs[:100]
    ]
    for outcome in sandbox.run(jobs):
        assert not outcome.passed and len(json.dumps(outcome.to_dict())) < 64_000
        texts = (outcome.failed_test, outcome.exception_type, outcome.exception_message)
        assert all(type(text) is str and len(text) <= 4000 for text in texts)
    assert sandbox.submit(job).result().passed


def test_the_checker_reads_as_much_as_the_limits_allow(sandbox, listed):
    job = Job.function("def f(): return 2", CHECK + "assert candidate() == 2", "f")
    assert not listed(job)
    flood = "import os\ndata = b'{}\\n' * (1 << 18)\nfor _ in range(60): os.write(%d, data)\nos._exit(0)"
    programs = [flood % descriptor for descriptor in (1, 2, 4)]
    jobs = [dataclasses.replace(job, program=each) for each in programs]
    jobs += [
        make(each)
        for each in programs
        for make in (lambda p: Job.script(p, [("", "")]), lambda p: Job.evaluate(p, ["1"]))
    ]
    outcomes = sandbox.run(jobs)
    most = max(len(outcome.stdout) + len(outcome.stderr) for outcome in outcomes)
    assert not any(outcome.passed for outcome in outcomes) and most <= job.limits.output_bytes


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


FURTHER = (
    Job.function("def f(x):\n    return [x]\n", "def check(f):\n    assert f(1) == [1]\n    assert f(2) == [2]\n", "f"),
    "def check(f):\n    assert f(3) == [3]\n    assert f(4) == [4]\n",
)
FURTHER_OF_CLASS = (STACK_JOB, STACK_TESTS.replace("[1, 2, 3]", "[3, 1, 2]").replace("pop(), 3", "pop(), 2"))


@pytest.mark.parametrize(("job", "tests", "old", "new", "status", "further"), [
    (*FURTHER, "", "", "passed", "passed"),
    (*FURTHER, "[x]", "[min(x, 3)]", "passed", "failed"),
    (*FURTHER, "[x]", "[x] if x < 4 else 1 / 0", "passed", "error"),
    (*FURTHER, "[x]", "[x % 2]", "failed", None),
    # The tests' own verdict stays, whatever becomes of the process then.
    (*FURTHER, "[x]", "[x] if x < 4 else __import__('os')._exit(0)", "passed", None),
    (*FURTHER, "return [x]", "return f.__dict__.setdefault(x // 3, [x]) and [x]", "passed", "passed"),
    (*FURTHER, "def f", "def g", "error", None),
    (*FURTHER_OF_CLASS, "", "", "passed", "passed"),
    (*FURTHER_OF_CLASS, "self.items.pop()", "max(self.items)", "passed", "failed"),
])  # fmt: skip
def test_further_tests_look_at_answers_of_the_same_process(job, tests, old, new, status, further, sandbox, listed):
    """What programs do on further tests is the same as on these tests alone."""
    for each in (job.tests, tests):
        listed(dataclasses.replace(job, tests=each))
    program = dataclasses.replace(job, program=job.program.replace(old, new))
    together, apart = sandbox.run([dataclasses.replace(program, further=tests), program])
    assert together.status == status and together.tamper_proof
    names = ("status", "failed_test", "exception_type", "exception_message", "tests_run", "isolation", "tamper_proof")
    assert all(getattr(together, name) == getattr(apart, name) for name in names)
    assert (together.further and together.further.status) == further
    if together.further:
        (alone,) = sandbox.run([dataclasses.replace(program, tests=tests)])
        assert all(getattr(together.further, name) == getattr(alone, name) for name in names)
        assert Outcome.from_dict(together.to_dict()) == together


def test_further_tests_need_lists(sandbox, listed):
    job, tests = FURTHER
    (outcome,) = sandbox.run([dataclasses.replace(job, further=f"{tests}\n# without a list\n")])
    assert outcome.passed and outcome.further is None


def test_no_test_can_swallow_that_there_is_no_answer(sandbox, listed):
    tests = "try: value = candidate()\n    except: return\n    assert value == 1\n"
    job = Job.function("def f(): return 1", CHECK + tests, "f", limits=Limits(cpu_seconds=0.2))
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
    limits = Limits(cpu_seconds=0.2, wall_seconds=2)
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
