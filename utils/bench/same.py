"""Check that two checkouts give the same scores, samples, reports and messages on recorded responses.

    python utils/bench/same.py BEFORE AFTER DIRECTORY TASK=FILE...

Each checkout has its virtual environment in `.venv`. Both score every file on its task (or group); results and samples
are compared without dates, times and paths. Then both read the results of BEFORE: `show`, `report` with its tables and
figures, `cite` and `verify`, run by run, and `show`, `report` and `compare` for all runs of a task. These must be equal
to the byte. Results in DIRECTORY are kept: what BEFORE scored is not scored again.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

# What no two runs have in common.
INCIDENTAL = {
    *("date", "start_time", "end_time", "total_evaluation_time_seconds", "pretty_env_info", "git_hash"),
    *("cpu_seconds", "wall_seconds", "exception_message"),
}
DATE = re.compile(r"\d{4}-\d\d-\d\d[T :]\d\d[-:]\d\d([-:]\d\d(\.\d+)?)?")
# Progress bars.
BAR = re.compile(r"[^\r\n]*\r|[^\n]*it/s\][^\n]*\n?|[^\n]*\d+%\|[^\n]*\n?")
VARIABLE = re.compile(r"\d+\.\d+ ?s\b|0x[0-9a-f]+|/tmp/[\w./-]+")


def plain(value: Any) -> Any:
    """Return a JSON value without what no two runs have in common; texts that are JSON objects are read."""
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items() if name not in INCIDENTAL}
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, str) and value.startswith("{"):
        try:
            return plain(json.loads(value))
        except ValueError:
            return value
    return value


def said(checkout: Path, directory: Path, arguments: Sequence[object]) -> str:
    """Return the status of `codemind ARGUMENTS` and what it prints; a line that is logged several times counts once."""
    command = [checkout.resolve() / ".venv" / "bin" / "codemind", *arguments]
    directory.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=directory)
    logged = "\n".join(dict.fromkeys(alike(BAR.sub("", done.stderr), checkout, directory).splitlines()))
    return "\n".join([str(done.returncode), alike(done.stdout, checkout, directory), logged])


def alike(text: str, checkout: Path, directory: Path) -> str:
    """Return a text without dates, times, addresses and paths."""
    for place in (directory, checkout.resolve()):
        text = text.replace(str(place), "HERE")
    return VARIABLE.sub("…", DATE.sub("DATE", text))


def digest(text: str | bytes) -> str:
    """Return the SHA-256 of a text or of bytes."""
    return hashlib.sha256(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")).hexdigest()


def files_of(directory: Path, checkout: Path | None = None) -> dict[str, str]:
    """Return the digest of each file, of JSON without what is incidental if ``checkout`` made it."""
    digests = {}
    for path in sorted(path for path in directory.rglob("*") if path.is_file()):
        content: str | bytes = path.read_bytes()
        if checkout is not None:
            text = alike(path.read_text(encoding="utf-8"), checkout, directory)
            rows = [json.loads(text)] if path.suffix == ".json" else map(json.loads, text.splitlines())
            content = "\n".join(json.dumps(plain(row), sort_keys=True) for row in rows)
        digests[DATE.sub("DATE", str(path.relative_to(directory)))] = digest(content)
    return digests


def scored(checkout: Path, directory: Path, task: str, file: Path) -> dict[str, str]:
    """Return the digests of what scoring a file prints and writes."""
    messages = directory / "messages.txt"
    if not messages.is_file():
        shutil.rmtree(directory, ignore_errors=True)
        arguments = ["score", "--responses", file.resolve(), "--tasks", task, "-o", directory / "runs"]
        text = said(checkout, directory, arguments)
        messages.write_text(text, encoding="utf-8")
    return {"messages": digest(messages.read_bytes()), **files_of(directory / "runs", checkout)}


def read(checkout: Path, directory: Path, runs: Sequence[Path], verify: bool) -> dict[str, str]:
    """Return the digests of what the commands print and write that read runs."""
    shutil.rmtree(directory, ignore_errors=True)
    written = directory / "written"
    report = ["report", *runs, "-o", written / "report.html", "--tables", written / "t", "--figures", written / "f"]
    texts = {
        "show": said(checkout, directory, ["show", *runs]),
        "show --all-metrics": said(checkout, directory, ["show", "--all-metrics", "-n", "3", *runs]),
        "cite": said(checkout, directory, ["cite", *runs]),
        "report": said(checkout, directory, report),
    }
    if verify:
        texts["verify"] = said(checkout, directory, ["verify", *runs])
    for one, other in pairwise(runs):
        texts[f"compare {one} {other}"] = said(checkout, directory, ["compare", one, other])
    (directory / "texts.json").write_text(json.dumps(texts, indent=1), encoding="utf-8")
    return {**{name: digest(text) for name, text in texts.items()}, **files_of(written)}


def differences(before: dict[str, str], after: dict[str, str]) -> Iterator[str]:
    """Yield the names of what is not the same."""
    yield from (name for name in dict.fromkeys([*before, *after]) if before.get(name) != after.get(name))


def main() -> None:
    """Print, for each file and each task, how much was compared and what differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("directory", type=Path)
    parser.add_argument("files", nargs="+", metavar="TASK=FILE")
    parser.add_argument("--no-verify", action="store_true", help="Do not score again to verify.")
    options = parser.parse_args()
    os.nice(10)
    directory = options.directory.resolve()
    by_task: dict[str, list[Path]] = {}
    equal = True

    def told(name: str, before: dict[str, str], after: dict[str, str]) -> bool:
        different = list(differences(before, after))
        print(f"{name}: {len(before)} digests, {f'DIFFERENT: {different}' if different else 'all equal'}", flush=True)
        return not different

    for given in options.files:
        task, _, file = given.partition("=")
        place = f"{task}-{Path(file).name.partition('.jsonl')[0]}"
        sides = [
            scored(checkout, directory / name / place, task, Path(file))
            for name, checkout in (("before", options.before), ("after", options.after))
        ]
        equal &= told(f"score {place}", sides[0], sides[1])
        by_task.setdefault(task, []).append(directory / "before" / place / "runs")
    for task, runs in by_task.items():
        for chosen in [[run] for run in runs] + ([runs] if len(runs) > 1 else []):
            verify = not options.no_verify and len(chosen) == 1
            sides = [
                read(checkout, directory / f"{name}-read" / task, chosen, verify)
                for name, checkout in (("before", options.before), ("after", options.after))
            ]
            equal &= told(f"read {', '.join(run.parent.name for run in chosen)}", sides[0], sides[1])
    raise SystemExit(not equal)


if __name__ == "__main__":
    main()
