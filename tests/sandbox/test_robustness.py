"""Servers that die, interrupts, and what is held after many jobs."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from lm_eval_codemind.sandbox import Job, Limits, Sandbox, Status
from tests.sandbox.processes import below, descriptors, server_pids

pytestmark = pytest.mark.proof

ADD = "def f(a, b):\n    return a + b\n"
CHECK = "def check(c):\n    assert c(1, 2) == 3\n"


def test_each_job_has_its_outcome_whatever_is_killed(sandbox_at):
    stop = threading.Event()
    killed = []

    def killer() -> None:
        chance = random.Random(0)
        while not stop.wait(0.3):
            pids = server_pids(sandbox_at)
            victims = [pid for server in pids for pid in (server, *below(server))]
            if victims:
                victim = chance.choice(victims)
                try:
                    os.kill(victim, signal.SIGKILL)
                except ProcessLookupError:
                    continue
                killed.append(victim)

    thread = threading.Thread(target=killer)
    thread.start()
    jobs = [Job.function(ADD if n % 3 else ADD.replace("+", "-"), CHECK, "f", job_id=str(n)) for n in range(400)]
    outcomes = sandbox_at.run(jobs)
    while len(killed) < 3:
        outcomes = sandbox_at.run(jobs)
    stop.set()
    thread.join()
    assert [outcome.job_id for outcome in outcomes] == [job.job_id for job in jobs]
    for number, outcome in enumerate(outcomes):
        expected = Status.PASSED if number % 3 else Status.FAILED
        assert outcome.status in (expected, Status.CRASHED), outcome


def test_a_server_killed_once_costs_nothing_and_twice_is_a_crash(sandbox):
    sandbox.run([Job.function(ADD, CHECK, "f")] * 4)
    for pid in server_pids(sandbox):
        os.kill(pid, signal.SIGKILL)
    assert {outcome.status for outcome in sandbox.run([Job.function(ADD, CHECK, "f")] * 8)} == {Status.PASSED}
    with Sandbox(workers=1) as one:
        one.run([Job.function(ADD, CHECK, "f")])
        future = one.submit(Job.script("import time; time.sleep(30)", [("", "")], limits=Limits(wall_seconds=60)))
        for _ in range(2):
            before = server_pids(one)
            time.sleep(0.5)
            os.kill(before[0], signal.SIGKILL)
            while not future.done() and (not server_pids(one) or server_pids(one) == before):
                time.sleep(0.05)
        assert future.result(30).status is Status.CRASHED
        assert one.submit(Job.function(ADD, CHECK, "f")).result().passed


def servers_left(source: str, end: signal.Signals, **variables: str) -> list[int]:
    """Run a program that prints a line when its sandbox works, end it by a signal, and return the servers left."""
    command, environment = [sys.executable, "-c", source], {**os.environ, **variables}
    pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, env=environment, stdout=pipe, stderr=nowhere) as process:
        assert process.stdout is not None
        process.stdout.readline()
        servers = below(process.pid)
        assert servers
        process.send_signal(end)
        try:
            process.wait(30)
        finally:
            process.kill()
    deadline = time.monotonic() + 20
    while any(map(running, servers)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return list(filter(running, servers))


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_an_interrupt_leaves_no_process_and_no_file(tmp_path):
    source = """
import signal
from lm_eval_codemind.sandbox import Job, Sandbox
# A job that a shell started in the background inherits an interrupt that is ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
with Sandbox(workers=2) as sandbox:
    jobs = [Job.script('import time; time.sleep(0.1)', [('', '')])]
    sandbox.run(jobs)
    print('started', flush=True)
    sandbox.run(jobs * 10000)
"""
    assert servers_left(source, signal.SIGINT, TMPDIR=str(tmp_path)) == []
    assert list(tmp_path.iterdir()) == []


def test_a_host_that_is_killed_takes_its_servers_along(level):
    source = f"""
import time
from lm_eval_codemind.sandbox import Job, Sandbox
sandbox = Sandbox(workers=1, isolation={level!r})
sandbox.run([Job.function('def f(): return 1', 'assert f() == 1', 'f')])
future = sandbox.submit(Job.script('while True: pass', [('', '')]))
print('started', flush=True)
time.sleep(60)
"""
    assert servers_left(source, signal.SIGKILL) == []


def test_nothing_grows_over_many_jobs(sandbox_at):
    def held() -> tuple[int, int, int]:
        servers = [pid for server in server_pids(sandbox_at) for pid in (server, *below(server))]
        return len(servers), sum(len(descriptors(pid)) for pid in servers), len(descriptors(os.getpid()))

    jobs = [
        Job.function(ADD, CHECK, "f"),
        Job.function(ADD.replace("+", "-"), CHECK, "f"),
        Job.script("open('left', 'w').write(input())", [("x", "")]),
        Job.function("import os\ndef f(a, b): os._exit(0)", CHECK, "f"),
    ]
    sandbox_at.run(jobs * 5)
    before = held()
    sandbox_at.run(jobs * 50)
    assert held() == before
