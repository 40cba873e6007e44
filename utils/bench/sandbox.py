"""Measure the sandbox's speed and that of alternatives, in alternating rounds.

    python utils/bench/sandbox.py [python] [java] [--rounds 5] [--first N]

``python``: HumanEval's canonical solutions; ``java``: Avatar's programs on all their tests. The alternative starts a
process per program (per test in Java, compiled before), two at a time. It has no isolation, which none of these
programs needs. Prints runs per second, and how many times as fast the sandbox is, as medians. Needs the built data.
"""

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
from execution import measure

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.sandbox import Job, Limits, Sandbox
from lm_eval_codemind.sandbox.java import jdk
from lm_eval_codemind.sandbox.java.sandbox import JavaSandbox

PARTS = ("python", "java")
JAVA_LIMITS = Limits(cpu_seconds=20, wall_seconds=60)

# A contender runs all programs once and returns the number of runs.
Contender = Callable[[], int]


def in_sandbox(sandbox: Sandbox | JavaSandbox, jobs: Sequence[Job]) -> Contender:
    """Return what runs jobs in a sandbox; it fails unless all programs pass."""

    def run() -> int:
        wrong = [outcome for outcome in sandbox.run(jobs) if not outcome.passed]
        if wrong:
            raise SystemExit(f"{wrong[0].job_id}: {wrong[0].status} {wrong[0].exception_message}")
        return sum(max(1, len(job.cases)) for job in jobs)

    return run


def commands(runs: Sequence[tuple[list[str], str]]) -> Contender:
    """Return what starts a process for each run, two at a time."""

    def start(run: tuple[list[str], str]) -> None:
        subprocess.run(run[0], input=run[1], text=True, capture_output=True, check=False)

    def contender() -> int:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(start, runs))
        return len(runs)

    return contender


def as_files(jobs: Sequence[Job], folder: Path) -> Contender:
    """Return what runs each program with its tests as ``python file.py``."""
    runs = []
    for number, job in enumerate(jobs):
        file = folder / f"{number}.py"
        file.write_text(f"{job.program}\n{job.tests}\ncheck({job.entry_point})\n", encoding="utf-8")
        runs.append(([sys.executable, str(file)], ""))
    return commands(runs)


def python_contenders(jobs: Sequence[Job], sandbox: Sandbox, folder: Path) -> dict[str, Contender]:
    """Return the sandbox, and a process for each program."""
    return {"the sandbox": in_sandbox(sandbox, jobs), "python file.py": as_files(jobs, folder)}


def java_contenders(jobs: Sequence[Job], sandbox: JavaSandbox, folder: Path) -> dict[str, Contender]:
    """Return the sandbox, and a virtual machine for each test of programs that are compiled before."""
    java, runs = jdk.find(), []
    for number, job in enumerate(jobs):
        classes = folder / str(number)
        classes.mkdir()
        source = classes / f"{job.entry_point}.java"
        source.write_text(job.program, encoding="utf-8")
        subprocess.run([java.home / "bin" / "javac", "-nowarn", "-d", classes, source], capture_output=True, check=True)
        runs += [([str(java.java), "-cp", str(classes), job.entry_point], case.stdin) for case in job.cases]
    return {"the sandbox": in_sandbox(sandbox, jobs), "java, compiled before": commands(runs)}


def show(rates: dict[str, list[float]]) -> None:
    """Print the runs per second of each contender, and how many times as fast the sandbox is."""
    for name, values in rates.items():
        ratio = statistics.median(ours / rate for ours, rate in zip(rates["the sandbox"], values, strict=True))
        click.echo(f"  {name:24s} {statistics.median(values):9.1f} a second; the sandbox is x {ratio:.2f}")


def suite_jobs(benchmark: str, first: int | None) -> list[Job]:
    """Return the jobs that run a benchmark's own programs with their suites; without those that fail."""
    problems = [problem for problem in load_benchmark(benchmark) if problem.category != "excluded"]
    return [kind_of(problem).suite_job(problem, problem.code, limits=JAVA_LIMITS) for problem in problems[:first]]


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(PARTS))
@click.option("--rounds", default=5, show_default=True)
@click.option("--first", type=int, help="Only the first N programs.")
def main(parts: tuple[str, ...], rounds: int, first: int | None) -> None:
    """Measure and print."""
    for part in parts or PARTS:
        click.echo(part)
        with tempfile.TemporaryDirectory() as folder:
            if part == "java":
                with JavaSandbox(workers=2) as java:
                    show(measure(java_contenders(suite_jobs("avatar_java", first), java, Path(folder)), rounds))
            else:
                with Sandbox() as sandbox:
                    show(measure(python_contenders(suite_jobs("humaneval", first), sandbox, Path(folder)), rounds))


if __name__ == "__main__":
    main()
