"""Show that the sandbox loses nothing and leaves nothing: the long versions of what the tests check.

    python utils/check_execution_robustness.py kills [--jobs 5000]     servers killed at random while jobs run
    python utils/check_execution_robustness.py flat [--jobs 20000]     memory, descriptors and processes over many jobs
    python utils/check_execution_robustness.py load [--runs 20]        the same jobs under full load of all cores
    python utils/check_execution_robustness.py interrupt [--runs 10]   Ctrl-C in mid-run

Each prints its figures and ends with status 1 if they aren't as they should be.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from lm_eval_codemind.sandbox import Job, Limits, Sandbox, Status

HONEST = "def f(a, b):\n    return a + b\n"
CHECK = "def check(candidate):\n    for n in range(5):\n        assert candidate(n, 1) == n + 1\n"
LIMITS = Limits(cpu_seconds=0.5, wall_seconds=2)


def mixture(count: int) -> list[tuple[Job, Status]]:
    """Return jobs of all kinds with the status each must have."""
    kinds = [
        (Job.function(HONEST, CHECK, "f"), Status.PASSED),
        (Job.function(HONEST.replace("+", "-"), CHECK, "f"), Status.FAILED),
        (Job.script("print(int(input()) * 2)", [("21", "42"), ("1", "2")]), Status.PASSED),
        (Job.script("print(input())", [("1", "2")]), Status.FAILED),
        (Job.evaluate("x = [1, 2]", ["x", "x[5]"]), Status.PASSED),
        (Job.function("def f(a, b): raise KeyError(a)", CHECK, "f"), Status.ERROR),
        (Job.function("import os\ndef f(a, b): os.fork()", CHECK, "f"), Status.BLOCKED),
        (Job.function("import os\ndef f(a, b): open('left', 'w').write('x'); return a + b", CHECK, "f"), Status.PASSED),
        (Job.function("import os\ndef f(a, b): os.kill(os.getpid(), 9)", CHECK, "f"), Status.CRASHED),
    ]
    return [kinds[number % len(kinds)] for number in range(count)]


def descendants(pid: int) -> list[int]:
    """Return all processes below one."""
    table: dict[int, list[int]] = collections.defaultdict(list)
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        table[parent].append(int(path.parent.name))
    processes, fresh = [], [pid]
    while fresh:
        fresh = [child for parent in fresh for child in table[parent]]
        processes += fresh
    return processes


def running(pid: int) -> bool:
    """Whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def kills(count: int) -> bool:
    """Kill a random process of the sandbox every so often; each job must have exactly one outcome, in order."""
    jobs = mixture(count)
    stop = threading.Event()
    killed = 0

    def killer() -> None:
        nonlocal killed
        chance = random.Random(0)
        while not stop.wait(chance.uniform(0.2, 1.0)):
            victims = descendants(os.getpid())
            if victims:
                try:
                    os.kill(chance.choice(victims), signal.SIGKILL)
                    killed += 1
                except ProcessLookupError:
                    continue

    with Sandbox(workers=2) as sandbox:
        thread = threading.Thread(target=killer)
        thread.start()
        numbered = [dataclasses.replace(job, job_id=str(number)) for number, (job, _) in enumerate(jobs)]
        outcomes = sandbox.run(numbered)
        stop.set()
        thread.join()
    in_order = [outcome.job_id for outcome in outcomes] == [job.job_id for job in numbered]
    other = collections.Counter(
        f"{expected} became {outcome.status}"
        for (_, expected), outcome in zip(jobs, outcomes, strict=True)
        if outcome.status is not expected
    )
    wrong = {change: number for change, number in other.items() if not change.endswith("crashed")}
    print(f"{len(jobs)} jobs in, {len(outcomes)} outcomes out, in order: {in_order}; {killed} processes killed")
    print(f"outcomes changed by a kill: {dict(other) or 'none'}")
    return in_order and len(outcomes) == len(jobs) and not wrong


def memory(pid: int) -> int:
    """Return a process's own memory in KiB, without what it shares."""
    fields = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in fields if line.startswith(("Private_Dirty", "Private_Clean")))


def footprint() -> dict[str, tuple[int, int]]:
    """Return memory in KiB and descriptors, of this process and of all below it together, with their number."""
    own = os.getpid()
    below = descendants(own)
    return {
        "host": (memory(own), len(list(Path(f"/proc/{own}/fd").iterdir()))),
        f"{len(below)} servers": (
            sum(memory(pid) for pid in below),
            sum(len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in below),
        ),
    }


def flat(count: int) -> bool:
    """Run many jobs and look at what the sandbox holds every tenth of the way."""
    with Sandbox(workers=2) as sandbox:
        first: dict[str, tuple[int, int]] = {}
        share = count // 10
        for part in range(11):
            jobs = mixture(share if part else 500)
            outcomes = sandbox.run([job for job, _ in jobs])
            assert [outcome.status for outcome in outcomes] == [expected for _, expected in jobs]
            del outcomes, jobs
            now = footprint()
            first = first or now
            text = ", ".join(f"{name} {size} KiB {files} descriptors" for name, (size, files) in now.items())
            print(f"after {part * share + 500:6d} jobs: {text}", flush=True)
    same = now.keys() == first.keys() and all(now[name][1] == first[name][1] for name in now)
    growth = {name: now[name][0] - first[name][0] for name in now if name in first}
    print(f"growth of memory in KiB: {growth}; descriptors and processes the same: {same}")
    return same and all(size < 4096 for size in growth.values())


def load(runs: int) -> bool:
    """Run the same jobs again and again with twice as many busy processes as cores; all statuses must be the same."""
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * len(os.sched_getaffinity(0)))
    ]
    heavy = "def f(a, b):\n    x = 0\n    for i in range(3_000_000):\n        x += i\n    return a + b\n"
    jobs = [
        *mixture(18),
        (Job.function(heavy, "def check(c):\n    assert c(1, 2) == 3\n", "f"), Status.PASSED),
        (Job.function("import time\ndef f(a, b):\n    time.sleep(0.2)\n    return a + b", CHECK, "f"), Status.PASSED),
        (Job.script("while True: pass", [("", "")], limits=LIMITS), Status.TIMEOUT),
        (Job.script("import time\ntime.sleep(60)", [("", "")], limits=LIMITS), Status.TIMEOUT),
    ]
    seen: collections.Counter[tuple[Status, ...]] = collections.Counter()
    try:
        with Sandbox(workers=2) as sandbox:
            for _ in range(runs):
                seen[tuple(outcome.status for outcome in sandbox.run([job for job, _ in jobs]))] += 1
    finally:
        for process in busy:
            process.kill()
            process.wait()
    right = set(seen) == {tuple(expected for _, expected in jobs)}
    print(f"{runs} runs of {len(jobs)} jobs with {len(busy)} busy processes")
    print(f"{len(seen)} different lists of statuses; all as they must be: {right}")
    return right and len(seen) == 1


def interrupt(runs: int) -> bool:
    """Interrupt a process that runs jobs, at a random moment; it must end soon and leave no process and no file."""
    source = (
        "from lm_eval_codemind.sandbox import Job, Sandbox\n"
        "print('started', flush=True)\n"
        "with Sandbox(workers=2) as sandbox:\n"
        "    sandbox.run([Job.script('import time; time.sleep(0.05)', [('', '')])] * 100000)\n"
    )
    chance = random.Random(0)
    worst, left = 0.0, 0
    for _ in range(runs):
        directory = Path(subprocess.run(["mktemp", "-d"], capture_output=True, text=True, check=True).stdout.strip())
        process = subprocess.Popen(
            [sys.executable, "-c", source], env={**os.environ, "TMPDIR": str(directory)},
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.uniform(0.1, 3))
        below = descendants(process.pid)
        os.killpg(process.pid, signal.SIGINT)
        started = time.monotonic()
        process.wait(60)
        worst = max(worst, time.monotonic() - started)
        time.sleep(0.5)
        left += sum(running(pid) for pid in below) + len(list(directory.iterdir()))
        subprocess.run(["rm", "-rf", str(directory)], check=True)
    print(f"{runs} interrupts: ended within {worst:.2f} s, {left} processes or files left")
    return left == 0


def main() -> None:
    """Run one of the checks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=["kills", "flat", "load", "interrupt"])
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--runs", type=int)
    arguments = parser.parse_args()
    good = {
        "kills": lambda: kills(arguments.jobs or 5000),
        "flat": lambda: flat(arguments.jobs or 20_000),
        "load": lambda: load(arguments.runs or 20),
        "interrupt": lambda: interrupt(arguments.runs or 10),
    }[arguments.check]()
    if not good:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
