"""Try a directory of attack programs on the sandbox: ``python utils/try_attacks.py DIRECTORY [--workers N …]``.

The directory holds ``escape/*.py`` (scripts; one that prints a line beginning with ``GOT`` got what it must not),
``forged_passes*.jsonl`` (jobs that must not pass without a flag, unless ``weak_tests`` says that plain Python passes
them as well) and ``denial*.jsonl`` (functions that use something up). An honest program runs after each and must pass,
and what a program sees must be the same afterwards. In the scripts ``CANARY_DIR`` and ``DATA_DIR`` stand for a
directory with a secret, which is made here. Scripts named ``*_run.py`` drive a sandbox themselves and are left out.

Ends with status 1 if anything isn't as it must be.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from lm_eval_codemind.sandbox import Job, Limits, Outcome, Sandbox, Status

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.sandbox.attacks import VISIBLE_STATE

LIMITS = Limits(cpu_seconds=0.5, wall_seconds=2, memory_bytes=512 << 20)
# What they print says that they got something which the level's documented limits give.
DOCUMENTED = {
    "landlock": {
        "E17.py": "stat tells of any path whether it is there, also of a process",
        "E20.py": "stat tells a file's size",
    },
}
# E41 and E42 change what is the program's own, which nothing after it sees; E14 takes for found what glob says of a
# pattern that ends in ``**``, whose directory need not be there.
DRIVERS = {"E60_venv_in_project_root.py", "X01_stale_connection.py", "Z01_user_counts.py"}
# E24 takes for a lock what is answered as granted and not taken.
OWN = {"E24.py", "E14.py", "E41.py", "E42.py"}


def main() -> int:
    """Try everything and print what isn't as it must be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--levels", nargs="+", default=["bubblewrap", "landlock"])
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 4, 64])
    options = parser.parse_args()
    # What programs print may hold characters that the terminal's encoding has not.
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    bad = 0
    with tempfile.TemporaryDirectory() as canary:
        Path(canary).chmod(0o755)
        Path(canary, "secret.txt").write_text("CANARY")
        Path(canary, "link").symlink_to("secret.txt")
        os.environ["CANARY"] = "CANARY"
        for level in options.levels:
            for workers in options.workers:
                bad += attempt(options.directory, level, workers, canary)
    return 1 if bad else 0


def attempt(directory: Path, level: str, workers: int, canary: str) -> int:
    """Try everything at one level and return how many outcomes are wrong."""
    entries = [*escapes(directory, canary), *lines(directory, "forged_passes"), *lines(directory, "denial")]
    state = Job.script(VISIBLE_STATE, [("", None)])
    honest = Job.function("def f(a, b): return a + b", "assert f(20, 22) == 42", "f")
    problems = []
    with Sandbox(workers=workers, isolation=level) as sandbox:
        before = {outcome.stdout for outcome in sandbox.run([state] * (4 * workers))}
        started = time.monotonic()
        futures = [
            (name, kind, weak, sandbox.submit(job), sandbox.submit(honest), sandbox.submit(state))
            for name, kind, weak, job in entries
        ]
        for name, kind, weak, hostile, after, seen in futures:
            problem = judged(name, kind, weak, hostile.result(), level)
            if not after.result().passed:
                problem += f"; an honest program after it: {after.result().status} {after.result().exception_message}"
            if seen.result().stdout not in before:
                problem += f"; it left something: {difference(before, seen.result().stdout)}"
            if problem:
                problems.append(f"{name}: {problem}")
        seconds = time.monotonic() - started
    print(f"{level}, {workers} at a time, user {os.getuid()}: {len(entries)} programs in {seconds:.0f} s, "
          f"{len(problems)} not as they must be")  # fmt: skip
    for problem in problems:
        print(f"  {problem}")
    sys.stdout.flush()
    return len(problems)


def judged(name: str, kind: str, weak: bool, outcome: Outcome, level: str) -> str:
    """Return what is wrong with an outcome, or an empty text."""
    if kind == "escape":
        got = [line for line in outcome.stdout.splitlines() if line.startswith("GOT")]
        if got and name not in OWN and name not in DOCUMENTED.get(level, {}):
            return got[0][:200]
    elif outcome.status is Status.PASSED and outcome.tamper_proof and not weak:
        return "passed"
    return ""


def difference(before: set[str], now: str) -> str:
    """Return the lines that a program sees and didn't see before."""
    known = {line for text in before for line in text.splitlines()}
    return "; ".join(line for line in now.splitlines() if line not in known)[:300] or "less than before"


def escapes(directory: Path, canary: str) -> list[tuple[str, str, bool, Job]]:
    """Return the scripts that try to get at something."""
    attacks = []
    for path in sorted((directory / "escape").glob("*.py")):
        if not path.stem.endswith("_run") and path.name not in DRIVERS:
            source = path.read_text().replace("CANARY_DIR", canary).replace("DATA_DIR", canary)
            attacks.append((path.name, "escape", False, Job.script(source, [("", None)], limits=LIMITS)))
    return attacks


def lines(directory: Path, kind: str) -> list[tuple[str, str, bool, Job]]:
    """Return the jobs of a file of one JSON object a line."""
    attacks = []
    texts = [path.read_text() for path in sorted(directory.glob(f"{kind}*.jsonl"))]
    for row in [json.loads(line) for text in texts for line in text.splitlines()]:
        job = Job(
            row.get("kind", "function"), row["program"], row["tests"], row.get("entry_point", "f"),
            row.get("support", ""), limits=Limits(**row["limits"]) if row.get("limits") else LIMITS,
        )  # fmt: skip
        attacks.append((row["name"], kind, row.get("weak_tests", False), job))
    return attacks


if __name__ == "__main__":
    raise SystemExit(main())
