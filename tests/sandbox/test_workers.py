"""Where workers' servers and programs run, and how many work at a time."""

import os
import signal
import subprocess
import sys

import pytest

from lm_eval_codemind.sandbox import Job, Sandbox, Status
from lm_eval_codemind.sandbox.connection import ending
from tests.sandbox.processes import innermost, server_pids

PROCESSORS = sorted(os.sched_getaffinity(0))
SLEEP = "import time\ntime.sleep(1)\nprint(1)"
ASK = "import os\nprint(sorted(os.sched_getaffinity(0)))"


def printed(source: str) -> Job:
    return Job.script(source, [("", "nothing like it")])


def test_servers_keep_to_one_processor_and_programs_do_not():
    with Sandbox(workers=len(PROCESSORS)) as sandbox:
        # All at a time, so that each worker has its servers.
        outcomes = sandbox.run([Job.script(SLEEP, [("", "1")])] * len(PROCESSORS))
        assert [outcome.status for outcome in outcomes] == [Status.PASSED] * len(PROCESSORS)
        pids = server_pids(sandbox)
        assert len(pids) == 2 * len(PROCESSORS)
        places = [os.sched_getaffinity(innermost(pid)) for pid in pids]
        assert places[0::2] == places[1::2] == [{processor} for processor in PROCESSORS]
        (outcome,) = sandbox.run([printed(ASK)])
        assert outcome.stdout == f"{PROCESSORS}\n"


def test_a_program_does_not_choose_its_processors(sandbox_at):
    """Its server may, which it is forked from."""
    source = """
import os, threading
def attempt():
    try:
        print(os.sched_setaffinity(0, os.sched_getaffinity(0)))
    except PermissionError:
        print("refused")
attempt()
thread = threading.Thread(target=attempt)
thread.start()
thread.join()
"""
    assert sandbox_at.run([printed(source)])[0].stdout == "refused\nrefused\n"


@pytest.mark.skipif(len(PROCESSORS) < 2, reason="one processor only")
def test_servers_fewer_than_processors_run_anywhere():
    with Sandbox(workers=1) as sandbox:
        (outcome,) = sandbox.run([printed(ASK)])
        assert outcome.stdout == f"{PROCESSORS}\n"
        assert [os.sched_getaffinity(innermost(pid)) for pid in server_pids(sandbox)] == [set(PROCESSORS)] * 2


def test_a_program_that_takes_long_leaves_its_place_to_another():
    workers = 2 * len(PROCESSORS)
    with Sandbox(workers=workers) as sandbox:
        outcomes = sandbox.run([Job.script(SLEEP, [("", "1")])] * workers)
        assert {outcome.status for outcome in outcomes} == {Status.PASSED}
        # None has waited for another: each ran on its own servers.
        assert len(server_pids(sandbox)) == 2 * workers


def test_a_fork_leaves_python_as_os_fork_does():
    """In the child: its own numbers, threads, locks, exceptions, a collection, and forks by Python itself."""
    source = """
import gc, os, sys, threading
from lm_eval_codemind.sandbox import kernel
before = os.getpid()
pid = kernel.fork()
if pid == 0:
    try:
        threading.main_thread()._set_native_id()
        assert os.getpid() != before and os.getppid() == before
        assert threading.current_thread() is threading.main_thread()
        assert threading.get_native_id() == threading.main_thread().native_id == os.getpid()
        done = []
        threads = [threading.Thread(target=done.append, args=(number,)) for number in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(done) == list(range(5))
        gc.collect()
        inner = os.fork()
        if inner == 0:
            os._exit(3)
        assert os.WEXITSTATUS(os.waitpid(inner, 0)[1]) == 3
        import subprocess
        assert subprocess.run([sys.executable, "-c", "print(1)"], capture_output=True).stdout == b"1\\n"
        os._exit(0)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        sys.stderr.flush()
        os._exit(1)
assert pid != before and os.waitpid(pid, 0) == (pid, 0)
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_fork_that_fails_is_an_error():
    source = """
import resource
from lm_eval_codemind.sandbox import kernel
import os
os.setresuid(54321, 54321, 54321) if os.geteuid() == 0 else None
resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
try:
    if kernel.fork() == 0:
        os._exit(0)
except OSError as error:
    print(error.errno)
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False, timeout=60)
    assert (done.stdout, done.stderr) == ("11\n", "")


@pytest.mark.parametrize(
    ("reason", "status"), [("memory", "memory"), ("output", "output"), ("wall", "timeout"), ("", "timeout")]
)
def test_the_limit_that_a_killed_program_crossed_comes_before_its_processor_time(reason, status):
    report = {"reason": reason, "signal": signal.SIGKILL, "exit": None, "cpu": 3.0}
    assert ending(report)["status"] == status
