"""How fast programs in Java run in the sandbox, against starting the JDK's own programs, and whether it stays so.

    python utils/bench_java.py avatar --upstream DIR [--rounds 5] [--tests N] [--programs N]
    python utils/bench_java.py codenet --upstream DIR [--programs N]
    python utils/bench_java.py flat [--programs N]

``DIR`` holds ``CodeMind.tar.xz`` and ``CodeMind-v1.tar.xz``. All ways do the same runs, two at a time; they take turns,
a few programs each, so that whatever else the machine does slows all of them. Each way's rate is of runs per second:

- ``each``: one ``javac`` and one ``java`` a run;
- ``once``: one ``javac`` a program, one ``java`` a run;
- ``bare``: one ``java -cp`` a run, on class files compiled before;
- ``sandbox``: this suite.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import tarfile
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from lm_eval_codemind.sandbox import Job, Limits
from lm_eval_codemind.sandbox.java import jdk
from lm_eval_codemind.sandbox.java.sandbox import JavaSandbox

LIMITS = Limits(cpu_seconds=20, wall_seconds=60)
BATCH = 6
# The programs that compile on no current JDK, or read a file of their author's instead of their input.
LEFT_OUT = {"atcoder_ABC143_A", "codeforces_373_B", "codeforces_99_A"}


@dataclass(frozen=True)
class Program:
    """A program with its runs: (input, expected output)."""

    name: str
    stem: str
    source: str
    cases: tuple[tuple[str, str], ...]


def archive(path: Path, wanted: str) -> dict[str, str]:
    """Return the texts of the archive's files whose names a pattern finds."""
    shape = re.compile(wanted)
    with tarfile.open(path) as files:
        return {
            member.name: files.extractfile(member).read().decode("utf-8", "replace").replace("\r\n", "\n")  # type: ignore[union-attr]
            for member in files
            if member.isfile() and shape.search(member.name)
        }


def avatar(upstream: Path, tests: int | None) -> list[Program]:
    """Return Avatar's Java programs with all their tests, or some."""
    sources = archive(upstream / "CodeMind-v1.tar.xz", r"dataset/Avatar/Avatar-Java/.*\.java$")
    texts = archive(upstream / "CodeMind.tar.xz", r"dataset/Avatar/Avatar-(?:Java|Python)/.*/all_tests/")
    cases: dict[str, dict[int, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for name, text in texts.items():
        match = re.search(r"/([^/]+)/all_tests/(input|output)/(\d+)_", name)
        if match:
            cases[match[1]][int(match[3])][match[2]] = text
    programs = []
    for name, source in sorted(sources.items()):
        problem, stem = Path(name).parent.name, Path(name).stem
        runs = [(case["input"], case["output"]) for _, case in sorted(cases[problem].items()) if len(case) == 2]
        if runs and problem not in LEFT_OUT:
            programs.append(Program(problem, stem, source, tuple(runs[:tests])))
    return programs


def codenet(upstream: Path) -> list[Program]:
    """Return CodeNet's Java programs with their one input."""
    files = archive(upstream / "CodeMind-v1.tar.xz", r"dataset/CodeNet/CodeNet-Java/")
    folders = sorted({name.rsplit("/", 1)[0] for name in files})
    return [
        Program(
            Path(folder).name,
            "Main",
            files[f"{folder}/Main.java"],
            ((files[f"{folder}/input.txt"], files[f"{folder}/output.txt"]),),
        )
        for folder in folders
    ]


class Ways:
    """The ways to run programs, two at a time."""

    def __init__(self, java: jdk.Jdk, sandbox: JavaSandbox, scratch: Path) -> None:
        self._java = java
        self._sandbox = sandbox
        self._scratch = scratch
        self._pool = ThreadPoolExecutor(2)

    def compile(self, program: Program, folder: Path) -> None:
        """Compile a program into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / f"{program.stem}.java"
        source.write_text(program.source, encoding="utf-8")
        javac = self._java.home / "bin" / "javac"
        subprocess.run([javac, "-nowarn", "-d", folder, source], capture_output=True, check=True)

    def _start(self, program: Program, folder: Path, text: str) -> None:
        command = [self._java.java, "-cp", folder, program.stem]
        subprocess.run(command, input=text.encode(), capture_output=True, timeout=100)

    def each(self, programs: Sequence[Program]) -> None:
        """One javac and one java a run."""

        def run(item: tuple[Program, int, str]) -> None:
            program, number, text = item
            folder = self._scratch / "each" / f"{program.name}_{number}"
            self.compile(program, folder)
            self._start(program, folder, text)
            shutil.rmtree(folder)

        list(self._pool.map(run, [(one, n, case[0]) for one in programs for n, case in enumerate(one.cases)]))

    def once(self, programs: Sequence[Program]) -> None:
        """One javac a program."""

        def run(program: Program) -> None:
            folder = self._scratch / "once" / program.name
            self.compile(program, folder)
            for text, _ in program.cases:
                self._start(program, folder, text)
            shutil.rmtree(folder)

        list(self._pool.map(run, programs))

    def bare(self, programs: Sequence[Program]) -> None:
        """Class files that are there already."""
        runs = [(one, case[0]) for one in programs for case in one.cases]
        list(self._pool.map(lambda run: self._start(run[0], self._scratch / "bare" / run[0].name, run[1]), runs))

    def sandbox(self, programs: Sequence[Program]) -> None:
        """This suite."""
        self._sandbox.run([Job.script(one.source, [(text, None) for text, _ in one.cases], limits=LIMITS)
                           for one in programs])  # fmt: skip


def compare(programs: Sequence[Program], rounds: int, each: int | None) -> None:
    """Print the rates of all ways, and their ratios."""
    java = jdk.find()
    scratch = Path(tempfile.mkdtemp())
    with JavaSandbox(workers=2, java=java) as sandbox:
        ways = Ways(java, sandbox, scratch)
        for program in programs:
            ways.compile(program, scratch / "bare" / program.name)
        ways.sandbox(programs[:BATCH])
        chosen: dict[str, Callable[[Sequence[Program]], None]] = {
            "bare": ways.bare, "sandbox": ways.sandbox, "once": ways.once,
        }  # fmt: skip
        if each:
            chosen["each"] = ways.each
        rates: dict[str, list[float]] = defaultdict(list)
        for number in range(rounds):
            seconds: Counter[str] = Counter()
            runs: Counter[str] = Counter()
            for start in range(0, len(programs), BATCH):
                batch = programs[start : start + BATCH]
                order = list(chosen) if (number + start // BATCH) % 2 else list(reversed(chosen))
                for name in order:
                    # A compiler a run takes so long that some of the runs must do.
                    mine = (
                        [Program(p.name, p.stem, p.source, p.cases[:each]) for p in batch] if name == "each" else batch
                    )
                    began = time.monotonic()
                    chosen[name](mine)
                    seconds[name] += time.monotonic() - began
                    runs[name] += sum(len(program.cases) for program in mine)
            for name in chosen:
                rates[name].append(runs[name] / seconds[name])
            print(f"round {number + 1}: " + ", ".join(f"{name} {rates[name][-1]:.2f}/s" for name in chosen), flush=True)
    for name in [name for name in chosen if name != "sandbox"]:
        ratios = [ours / other for ours, other in zip(rates["sandbox"], rates[name], strict=True)]
        print(f"sandbox / {name}: median {statistics.median(ratios):.2f} (from {min(ratios):.2f} to {max(ratios):.2f})")
    shutil.rmtree(scratch)


def run_all(programs: Sequence[Program]) -> None:
    """Run programs on their input; print the time and the outcomes."""
    with JavaSandbox(workers=2) as sandbox:
        began = time.monotonic()
        outcomes = sandbox.run([Job.script(one.source, one.cases, limits=LIMITS, job_id=one.name) for one in programs])
        print(f"{len(programs)} programs in {time.monotonic() - began:.0f} s: "
              f"{dict(Counter(str(outcome.status) for outcome in outcomes))}")  # fmt: skip
        for outcome in outcomes:
            if outcome.status not in ("passed", "failed"):
                print(
                    f"  {outcome.job_id}: {outcome.status} {outcome.exception_type} {outcome.exception_message[:120]}"
                )


def flat(count: int) -> None:
    """Run one program after the other; print memory, processes and descriptors on the way."""
    with JavaSandbox(workers=2) as sandbox:
        for number in range(0, count, max(1, count // 10)):
            text = "public class Main { public static void main(String[] a) { System.out.println(%d); } }"
            jobs = [Job.script(text % (number + n), [("", str(number + n))]) for n in range(max(1, count // 10))]
            assert all(outcome.passed for outcome in sandbox.run(jobs))
            pids = below(os.getpid())
            resident = sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4 for pid in pids)
            descriptors = len(list(Path("/proc/self/fd").iterdir()))
            print(f"{number + len(jobs)} programs: {len(pids)} processes, {resident / 1024:.0f} MiB in the servers, "
                  f"{descriptors} descriptors in the host", flush=True)  # fmt: skip


def below(pid: int) -> list[int]:
    """Return all processes below one."""
    processes = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            processes += [int(child), *below(int(child))]
    return processes


def main() -> None:
    """Read the arguments and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["avatar", "codenet", "flat"])
    parser.add_argument("--upstream", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tests", type=int, help="of a program, at most")
    parser.add_argument("--each", type=int, default=1, help="runs of a program in the way `each`; 0 leaves it out")
    parser.add_argument("--programs", type=int)
    arguments = parser.parse_args()
    if arguments.what == "flat":
        flat(arguments.programs or 5000)
        return
    if arguments.upstream is None:
        parser.error(f"{arguments.what} needs --upstream")
    if arguments.what == "avatar":
        programs = avatar(arguments.upstream, arguments.tests)[: arguments.programs]
        print(f"{len(programs)} programs, {sum(len(program.cases) for program in programs)} runs")
        compare(programs, arguments.rounds, arguments.each)
    else:
        run_all(codenet(arguments.upstream)[: arguments.programs])


if __name__ == "__main__":
    main()
