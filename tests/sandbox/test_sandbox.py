"""What each kind of job gives, at each level of isolation."""

import dataclasses
import os
import random
import subprocess
import sys
import time
import types

import pytest

from lm_eval_codemind.sandbox import (
    CaseOutcome,
    IsolationUnavailable,
    Job,
    Limits,
    Sandbox,
    SandboxClosed,
    StartFailed,
    Status,
    isolation,
    zygote,
)
from lm_eval_codemind.sandbox.judge import script_outcome

ADD = "def add(a, b):\n    return a + b\n"
CHECK = "def check(candidate):\n    assert candidate(1, 2) == 3\n    assert candidate('a', 'b') == 'ab'\n"
COUNTER = """
class Counter:
    def __init__(self, count):
        self.count = count
    def add(self, number):
        self.count += number
        return self.count
"""
COUNTER_TESTS = """
import unittest
class CounterTest(unittest.TestCase):
    def setUp(self):
        self.counter = Counter(1)
    def test_add(self):
        self.assertEqual(self.counter.add(1), 2)
    def test_exception(self):
        with self.assertRaises(TypeError):
            self.counter.add()
class OtherTest(unittest.TestCase):
    def test_wrong(self):
        self.assertEqual(Counter(1).count, 2)
"""


def run(sandbox: Sandbox, job: Job) -> tuple[Status, str]:
    outcome = sandbox.submit(job).result()
    return outcome.status, outcome.failed_test


def test_functions(sandbox_at):
    jobs = [
        Job.function(ADD, CHECK, "add", job_id="right"),
        Job.function(ADD.replace("+", "*"), CHECK, "add"),
        Job.function(ADD, "assert add(1, 2) == 3\nassert add(2, 2) == 5"),
        Job.function("def add(a, b):\n    return {}[a]", CHECK, "add"),
    ]
    right, wrong, plain, raising = sandbox_at.run(jobs)
    # The suite has no list.
    assert (right.status, right.job_id, right.tests_run, right.tamper_proof) == (Status.PASSED, "right", 1, False)
    assert (wrong.status, wrong.failed_test) == (Status.FAILED, "assert candidate(1, 2) == 3")
    assert (plain.status, plain.failed_test) == (Status.FAILED, "assert add(2, 2) == 5")
    assert (raising.status, raising.exception_type) == (Status.ERROR, "KeyError")
    assert right.cpu_seconds > 0 and right.wall_seconds > 0


def test_what_a_function_prints_is_kept_apart(sandbox_at):
    program = "import sys\ndef add(a, b):\n    print('é', a)\n    print(b, file=sys.stderr)\n    return a + b\n"
    outcome = sandbox_at.submit(Job.function(program, "assert add(1, 2) == 3", "add")).result()
    assert (outcome.status, outcome.stdout, outcome.stderr) == (Status.PASSED, "é 1\n", "2\n")


def test_helpers_of_the_program_are_told_from_trusted_ones(sandbox, listed):
    program = "def helper(x):\n    return x\ndef f(x):\n    return x\n"
    tests = "def check(candidate):\n    assert helper(candidate(1)) == 1\n"
    assert "helper" in listed(Job.function(program, tests, "f"))
    assert not sandbox.submit(Job.function(program, tests, "f")).result().tamper_proof
    job = Job.function(program, tests, "f", support="def helper(x): return x")
    assert not listed(job)
    trusted = sandbox.submit(job).result()
    assert (trusted.status, trusted.tamper_proof) == (Status.PASSED, True)


def test_classes(sandbox_at):
    only, single, whole, broken = sandbox_at.run(
        Job.unittest(program, COUNTER_TESTS, "Counter", only=names)
        for program, names in (
            (COUNTER, ["CounterTest"]), (COUNTER, ["CounterTest.test_add"]), (COUNTER, []),
            (COUNTER.replace("+=", "-="), ["CounterTest"]),
        )
    )  # fmt: skip
    assert (only.status, only.tests_run, only.failed_test, only.tamper_proof) == (Status.PASSED, 2, "", False)
    assert (single.status, single.tests_run) == (Status.PASSED, 1)
    assert whole.status is Status.FAILED and whole.failed_test.startswith("OtherTest.test_wrong")
    assert broken.status is Status.FAILED and broken.failed_test.startswith("CounterTest.test_add")


def test_a_class_suite_with_a_list_is_tamper_proof(sandbox, listed):
    job = Job.unittest(COUNTER, COUNTER_TESTS.replace("CounterTest", "Listed"), "Counter", only=["Listed"])
    assert not listed(job)
    outcome = sandbox.submit(job).result()
    assert (outcome.status, outcome.tests_run, outcome.tamper_proof) == (Status.PASSED, 2, True), outcome


@pytest.mark.parametrize(("job", "kind", "said"), [
    (Job.unittest(COUNTER, COUNTER_TESTS, "Counter", only=["CounterTest", "Gone"]), "NoTests", "the suite has no Gone"),
    (Job.function("def other(): pass", CHECK, "add"), "NameError", "the program defines no 'add'"),
    (Job.function(ADD, CHECK), "NoTests", "the suite defines check(candidate), which needs the name of an entry point"),
])  # fmt: skip
def test_what_checks_nothing_is_an_error(sandbox, job, kind, said):
    outcome = sandbox.submit(job).result()
    assert (outcome.status, outcome.exception_type, outcome.exception_message) == (Status.ERROR, kind, said)


def test_scripts(sandbox_at):
    program = "n = int(input())\nfor _ in range(n):\n    print(n, ' ')\n"
    outcome = sandbox_at.submit(Job.script(program, [("1\n", "1"), ("2", "2  \n2\n\n"), ("3", None)])).result()
    assert (outcome.status, outcome.tests_run) == (Status.PASSED, 3)
    assert [seen.stdout for seen in outcome.observations] == ["1  \n", "2  \n" * 2, "3  \n" * 3]
    wrong = sandbox_at.submit(Job.script(program, [("1", "1"), ("2", "2"), ("3", "3")])).result()
    assert (wrong.status, wrong.failed_test, len(wrong.observations)) == (Status.FAILED, "case 1", 2)


def test_scripts_that_exit_early_by_their_own_word(sandbox):
    for end in ("exit()", "import sys; sys.exit(0)", "quit()", "import os, sys; sys.stdout.flush(); os._exit(0)"):
        assert run(sandbox, Job.script(f"print(1)\n{end}", [("", "1")])) == (Status.PASSED, ""), end
    assert run(sandbox, Job.script("print(1)\nimport sys; sys.exit('bad')", [("", "1")])) == (Status.ERROR, "case 0")


def test_scripts_read_all_forms_of_standard_input(sandbox):
    text = "1 2\n3\n" * 20_000
    for data in (
        "sys.stdin.read()", "b''.join(iter(lambda: os.read(0, 65536), b'')).decode()", "open(0).read()",
        "sys.stdin.buffer.read().decode()", "''.join(line for line in sys.stdin)",
    ):  # fmt: skip
        job = Job.script(f"import os, sys\nprint(len({data}))", [(text, str(len(text)))])
        assert run(sandbox, job) == (Status.PASSED, ""), data


DOUBLED = [(str(number), str(2 * number)) for number in range(1, 7)]
READ = "import os, sys\nx = int(input())\n"
# What one run leaves to the next ones, or does to the process that they share.
SHARING = {
    "right": READ + "print(2 * x)",
    "exits": READ + "print(2 * x)\nsys.exit()",
    "exits otherwise": READ + "print(2 * x)\nsys.exit(x == 3)",
    "ends the process": READ + "print(2 * x, flush=True)\nos._exit(0)",
    "closes its output": READ + "print(2 * x)\nsys.stdout.close()",
    "closes its input": "print(2 * int(open(0).read()))",
    "another output": READ + "import io\nout = sys.stdout\nsys.stdout = io.StringIO()\nout.write(str(2 * x))",
    "bytes": "import os\nos.write(1, str(2 * int(os.read(0, 9))).encode())",
    "at the end": READ + "import atexit\natexit.register(lambda: print(2 * x))",
    "a thread": "import threading\nthreading.Thread(target=lambda: print(2 * int(input()))).start()",
    "counts its runs": READ + "sys.count = getattr(sys, 'count', 0) + 1\nprint(2 * x * sys.count)",
    "wrong at once": READ + "print(x)",
    "wrong later": READ + "print(2 * x if x != 3 else 0)",
    "raises later": READ + "print(2 * x)\nif x == 3:\n    raise ValueError(x)",
    "hangs later": READ + "print(2 * x, flush=True)\nwhile x == 3:\n    pass",
    "prints too much later": READ + "print(2 * x)\nif x == 3:\n    print('a' * 6_000_000)",
    "closes everything": READ + "print(2 * x, flush=True)\nos.closerange(0, 99)",
}


@pytest.mark.parametrize("program", SHARING.values(), ids=SHARING)
def test_cases_that_share_a_process_have_the_outcome_of_one_alone(sandbox, program):
    limits = Limits(cpu_seconds=0.2, wall_seconds=4)
    together = sandbox.run([Job.script(program, DOUBLED, limits=limits)])[0]
    alone = []
    for case in DOUBLED:
        alone += sandbox.run([Job.script(program, [case], limits=limits)])
        if not alone[-1].passed:
            break
    said = ("status", "exception_type", "exception_message", "stdout", "stderr")
    assert [getattr(together, name) for name in said] == [getattr(alone[-1], name) for name in said]
    assert together.observations == tuple(outcome.observations[0] for outcome in alone)


GUESSES = """
import json, os
os.write(1, b"No")
os.write(4, json.dumps({"value": 0, "out": 2, "err": 0}).encode() + b"\\n")
os.write(3, b"\\n")
if os.read(3, 99).strip() == b"false":
    os.ftruncate(1, 0)
    os.pwrite(1, b"Yes", 0)
"""


def test_a_script_has_one_guess_at_an_output(sandbox):
    """Whoever hears that an output is wrong can't take it back."""
    for answer, status in (("No", Status.PASSED), ("Yes", Status.FAILED)):
        assert run(sandbox, Job.script(GUESSES, [("", answer), ("", "No")]))[0] is status, answer


def test_what_does_not_pass_among_others_ends_their_sharing():
    """So a program that draws its answers by chance gains one more draw, at most."""
    sizes = []

    def run_cases(cases):
        sizes.append(len(cases))
        seen = {"status": "passed", "stdout": "1", "cpu_seconds": 0.5, "wall_seconds": 1.0}
        return [seen, *({**seen, "stdout": "0"} for _ in cases[1:])]

    cases = [{"stdin": "", "stdout": "1"}] * 4
    outcome = script_outcome({"job_id": "", "cases": cases}, run_cases)
    assert (outcome["status"], outcome["tests_run"], sizes) == ("passed", 4, [4, 1, 1, 1])
    cases[2] = {"stdin": "", "stdout": "2"}
    sizes.clear()
    outcome = script_outcome({"job_id": "", "cases": cases}, run_cases)
    assert (outcome["status"], outcome["failed_test"], sizes) == ("failed", "case 2", [4, 1, 1])
    sizes.clear()
    script_outcome({"job_id": "", "cases": [{"stdin": "", "stdout": None}] * 2}, run_cases)
    assert sizes == [1, 1]


def test_main_is_main_for_scripts_only(sandbox):
    program = "if __name__ == '__main__':\n    print(1)\nelse:\n    x = 2\n"
    assert run(sandbox, Job.script(program, [("", "1")])) == (Status.PASSED, "")
    assert run(sandbox, Job.function(program, "assert x == 2"))[0] is Status.PASSED


def test_evaluation(sandbox_at):
    program = "total = 0\ndef f(x):\n    global total\n    total += 1\n    print('called', x)\n    return {x: {x}}\n"
    expressions = ["f(2)", "f()", "total", "f([])", "object()", "x = 5\nx + 1", "float('nan'), -1e400", "1 +"]
    outcome = sandbox_at.submit(Job.evaluate(program, expressions)).result()
    assert outcome.status is Status.PASSED
    assert outcome.observations == (
        CaseOutcome("{2: {2}}", "dict", "called 2\n"),
        CaseOutcome(exception_type="TypeError", exception_message="f() missing 1 required positional argument: 'x'"),
        CaseOutcome("1", "int"),
        CaseOutcome(stdout="called []\n", exception_type="TypeError", exception_message="unhashable type: 'list'"),
        CaseOutcome(None, "object"),
        CaseOutcome("6", "int"),
        CaseOutcome("(float('nan'), float('-inf'))", "tuple"),
        CaseOutcome(exception_type="SyntaxError", exception_message="invalid syntax (<expression>, line 1)"),
    )


def test_evaluation_that_ends_midway(sandbox):
    limits = Limits(cpu_seconds=0.3)
    outcome = sandbox.submit(Job.evaluate("def f(): \n  while 1: pass", ["1", "f()", "2"], limits=limits)).result()
    assert (outcome.status, outcome.exception_message) == (Status.TIMEOUT, "processor time used up")
    assert [seen.status for seen in outcome.observations] == [Status.PASSED, Status.TIMEOUT]
    outcome = sandbox.submit(Job.evaluate("raise ValueError('no')", ["1"])).result()
    assert (outcome.status, outcome.exception_type, outcome.observations) == (Status.ERROR, "ValueError", ())


def test_limits_end_programs(sandbox_at):
    limits = Limits(cpu_seconds=0.3, wall_seconds=0.6, memory_bytes=64 << 20, output_bytes=1000)
    cases = {
        "while True: pass": Status.TIMEOUT,
        "import time; time.sleep(60)": Status.TIMEOUT,
        "x = bytearray(200 << 20)": Status.MEMORY,
        "print('x' * 2000)": Status.OUTPUT,
        "import os; os.kill(os.getpid(), 11)": Status.CRASHED,
        "import os; os.fork()": Status.BLOCKED,
        "import socket; socket.socket()": Status.BLOCKED,
    }
    outcomes = sandbox_at.run([Job.script(program, [("", "")], limits=limits) for program in cases])
    assert {program: outcome.status for program, outcome in zip(cases, outcomes, strict=True)} == cases


@pytest.mark.proof
def test_time_of_the_checks_is_not_time_of_the_program(sandbox, listed):
    tests = "def check(f):\n    assert f(1) == 1\n    assert all(n >= 0 for n in range(20_000_000))\n"
    job = Job.function("def f(x): return x", tests, "f", limits=Limits(cpu_seconds=30, wall_seconds=60))
    assert not listed(job)
    outcome = sandbox.submit(dataclasses.replace(job, limits=Limits(cpu_seconds=0.3, wall_seconds=0.3))).result()
    assert outcome.cpu_seconds < 0.3
    # The checks have a second more than the program.
    assert outcome.status in (Status.PASSED, Status.TIMEOUT) and outcome.tamper_proof


def test_larger_limits_than_usual_are_given(sandbox):
    # Memory that nobody writes to counts against the limit, and takes no time on any machine.
    program = "x = bytes(1500 << 20)\nprint('x' * (5 << 20))"
    assert run(sandbox, Job.script(program, [("", None)]))[0] is Status.MEMORY
    limits = Limits(memory_bytes=2 << 30, output_bytes=8 << 20)
    assert run(sandbox, Job.script(program, [("", None)], limits=limits))[0] is Status.PASSED


def test_results_do_not_depend_on_the_run(sandbox):
    job = Job.evaluate("import random", ["random.random()", "list({'a', 'b', 'c', 'd', 'e', 'f'})", "hash('x')"])
    first, *others = sandbox.run([job] * 6)
    assert first.observations[0].literal == repr(random.Random(0).random())
    assert all(other.observations == first.observations for other in others)
    with Sandbox(workers=1, hash_seed=1) as other:
        assert other.submit(job).result().observations[2] != first.observations[2]


def test_a_program_sees_nothing_of_the_one_before(sandbox_at):
    first = "builtins.mine = 1\nsys.modules['mine'] = sys\nopen('mine', 'w').write('x')\nprint(1)"
    second = "print(hasattr(builtins, 'mine'), 'mine' in sys.modules, os.listdir('.'))"
    programs = {first: "1", second: "False False []"}
    jobs = [Job.script(f"import builtins, sys, os\n{each}", [("", said)]) for each, said in programs.items()]
    assert {outcome.status for outcome in sandbox_at.run(jobs * 4)} == {Status.PASSED}


def test_waiting_for_the_disk_is_not_the_programs_time():
    """The kernel shows a process that waits for its new child to execute as one that waits for a disk."""
    program = """
import os, subprocess, tempfile
os.chdir(tempfile.mkdtemp())
os.mkfifo('f')
subprocess.Popen(['sh', '-c', 'sleep 1.5; : > f'])
actions = [(os.POSIX_SPAWN_OPEN, 0, 'f', os.O_RDONLY, 0)]
os.waitpid(os.posix_spawn('/bin/true', ['true'], {}, file_actions=actions), 0)
"""
    process = subprocess.Popen([sys.executable, "-S", "-c", program])
    server = types.SimpleNamespace(_cores=1, _listener=None)
    limits = {"cpu_seconds": 10, "wall_seconds": 0.7}
    child = os.pidfd_open(process.pid)
    assert zygote.Zygote._follow(server, process.pid, child, limits, time.monotonic()) == ""  # type: ignore[arg-type]
    os.close(child)
    process.wait()


def test_closing_cancels_and_refuses():
    sandbox = Sandbox(workers=1)
    running = sandbox.submit(Job.script("import time; time.sleep(60)", [("", "")], limits=Limits(wall_seconds=60)))
    waiting = sandbox.submit(Job.function(ADD, CHECK, "add"))
    while not running.running():
        pass
    sandbox.close()
    assert waiting.cancelled()
    assert isinstance(running.exception(), SandboxClosed)
    with pytest.raises(SandboxClosed):
        sandbox.submit(Job.function(ADD, CHECK, "add"))


def test_no_isolation_is_an_error_that_says_what_to_do(monkeypatch):
    nothing = (isolation.Isolation("none", "", ("bubblewrap: not found", "landlock: the kernel has none")),)
    monkeypatch.setattr(isolation, "available", lambda: nothing)
    monkeypatch.delenv("CODEMIND_SANDBOX", raising=False)
    with pytest.raises(IsolationUnavailable, match="CODEMIND_SANDBOX=none"):
        Sandbox()
    monkeypatch.setenv("CODEMIND_SANDBOX", "none")
    with Sandbox(workers=1) as unprotected:
        outcome = unprotected.submit(Job.function(ADD, CHECK, "add")).result()
    assert (outcome.status, outcome.isolation) == (Status.PASSED, "none")
    monkeypatch.setenv("CODEMIND_SANDBOX", "some")
    with pytest.raises(ValueError, match="CODEMIND_SANDBOX is 'some'"):
        Sandbox()


def test_a_server_that_never_starts_stops_the_run(monkeypatch):
    monkeypatch.setattr(isolation, "_PYTHON", "/bin/false")
    sandbox = Sandbox(workers=1, isolation="none")
    with sandbox, pytest.raises(StartFailed):
        sandbox.run([Job.function(ADD, CHECK, "add")])


def test_the_host_never_forks_and_leaves_nothing(tmp_path):
    source = """
import os
os.register_at_fork(before=lambda: print("forked", flush=True))
from lm_eval_codemind.sandbox import Job, shared_sandbox
job = Job.function("def f(): return 1", "assert f() == 1", "f")
print([str(outcome.status) for outcome in shared_sandbox().run([job] * 4)], flush=True)
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path), "CODEMIND_SANDBOX_WORKERS": "2"}
    done = subprocess.run([sys.executable, "-c", source], env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout == "['passed', 'passed', 'passed', 'passed']\n", done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_programs_source_is_there_for_those_who_show_it(sandbox_at):
    body = """
import inspect
import traceback

def f(x):
    try:
        return 1 // x  # this line
    except ZeroDivisionError:
        return traceback.format_exc(), inspect.getsource(f)
"""
    check = "def check(candidate):\n    shown, source = candidate(0)\n    assert '# this line' in shown\n"
    check += "    assert source.startswith('def f(x):') and source.endswith('inspect.getsource(f)\\n')\n"
    script = f"{body}\nshown, source = f(0)\nprint('# this line' in shown, len(source.splitlines()))"
    outcomes = sandbox_at.run([Job.function(body, check, "f"), Job.script(script, [("", "True 5")])])
    assert [outcome.status for outcome in outcomes] == [Status.PASSED] * 2


def test_programs_copy_files_and_make_them(sandbox_at):
    program = """
import os, pathlib, shutil, tarfile
os.makedirs('a/b'); pathlib.Path('a/b/x').write_text('1'); pathlib.Path('a/y').touch(); pathlib.Path('a/y').touch()
shutil.copy2('a/b/x', 'z'); shutil.copytree('a', 'c')
with tarfile.open('t.tar', 'w') as archive: archive.add('c')
safe = {'filter': 'data'} if hasattr(tarfile, 'data_filter') else {}
with tarfile.open('t.tar') as archive: archive.extractall('d', **safe)
print(sorted(path.as_posix() for path in pathlib.Path('.').rglob('[xyz]')))
"""
    printed = "['a/b/x', 'a/y', 'c/b/x', 'c/y', 'd/c/b/x', 'd/c/y', 'z']\n"
    (outcome,) = sandbox_at.run([Job.script(program, [("", printed)])])
    assert outcome.passed, outcome


def test_programs_import_what_they_write_and_use_all_of_a_files_calls(sandbox_at):
    program = (
        "import os\n"
        "with open('made.py', 'w') as file: file.write('def answer(): return 42')\n"
        "import made\n"
        "def f():\n"
        "    os.mkdir('parts')\n"
        "    with open('parts/later.py', 'w') as file: file.write('from made import answer')\n"
        "    from parts import later\n"
        "    file = os.open('data', os.O_RDWR | os.O_CREAT)\n"
        "    os.posix_fallocate(file, 0, 10)\n"
        "    os.pwritev(file, [b'ab', b'c'], 1)\n"
        "    buffers = [bytearray(2), bytearray(3)]\n"
        "    read = os.preadv(file, buffers, 1)\n"
        "    return later.answer(), os.fstat(file).st_size, read, *buffers\n"
    )
    expected = "(42, 10, 5, b'ab', b'c\\0\\0')"
    jobs = [
        Job.function(program, f"def check(candidate):\n    assert candidate() == {expected}\n", "f"),
        Job.script(f"{program}print(f() == {expected})", [("", "True")]),
        Job.evaluate(program, ["f()"]),
    ]
    outcomes = sandbox_at.run(jobs)
    assert [outcome.status for outcome in outcomes] == ["passed"] * 3, outcomes
    assert outcomes[2].observations[0].literal == "(42, 10, 5, bytearray(b'ab'), bytearray(b'c\\x00\\x00'))"
