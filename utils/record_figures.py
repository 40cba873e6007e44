"""Write down every figure of the suite, and compare two such records to the last digit.

    python utils/record_figures.py record OUT.jsonl.gz --work DIR
    python utils/record_figures.py compare BEFORE.jsonl.gz AFTER.jsonl.gz

For whoever rebuilds the inside of the package: record before the first change, record after the last one, compare. Only
what users see is relied on: the command line, the harness's result and sample files, and the YAML files.

``record`` runs each group, and each task that is in no group, with these responses, called the *run*:

- ``oracle`` and ``null``: the models of that name;
- ``mixed``, for IER, SR and DSR: see :func:`mixed`.

What has been run under ``--work`` is not run again. ``utils/compare/recorded.py`` scores what real models said. A line
of OUT has a kind, a key and figures:

- ``sample``: the metrics of a document under one filter; its key is run, task, problem, setting, item, filter;
- ``aggregate``: the scores of a task or group in a run;
- ``document``: digests of the prompt as the model gets it, of the target, and of label, test and C+ in the document.

Times, dates and outcomes' details are left out, for no two runs agree on them.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

from lm_eval.tasks._yaml_loader import load_yaml

ROOT = Path(__file__).parents[1]
CODEMIND = str(Path(sys.executable).with_name("codemind"))

# Columns of a document that are worth a digest besides its prompt and target.
SHOWN = ("input", "output", "specification", "test", "transformed")

Row = dict[str, Any]


class Line(NamedTuple):
    """One line of a record, as the module's docstring has it; figures by name."""

    kind: str
    key: tuple[str, ...]
    figures: Row


def main() -> None:
    """Run the subcommand."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(required=True, dest="command")
    one = commands.add_parser("record", help="write down every figure")
    one.add_argument("out", type=Path, metavar="OUT.jsonl.gz")
    one.add_argument("--work", type=Path, required=True, help="where runs and responses are kept")
    one.add_argument("--only", nargs="+", metavar="NAME", help="these groups and tasks only")
    one.add_argument("--parallel", type=int, default=1, help="how many runs at once")
    two = commands.add_parser("compare", help="print what differs between two records")
    two.add_argument("before", type=Path)
    two.add_argument("after", type=Path)
    options = parser.parse_args()
    if options.command == "compare":
        sys.exit(compare(options.before, options.after))
    record(options.out, options.work.resolve(), options.only, options.parallel)


def record(out: Path, work: Path, only: list[str] | None, parallel: int) -> None:
    """Write the record, each unit when it ends."""
    names = units(ROOT / "tasks")
    if unknown := set(only or ()) - set(names):
        raise SystemExit(f"nothing to record by the name of {', '.join(sorted(unknown))}; choose of {', '.join(names)}")
    out.unlink(missing_ok=True)
    failed = []
    with ThreadPoolExecutor(parallel) as pool:
        futures = {pool.submit(lambda name: list(unit(work, name)), name): name for name in only or names}
        for future in as_completed(futures):
            name = futures[future]
            try:
                lines = future.result()
            except (subprocess.CalledProcessError, ValueError) as error:
                failed.append(f"{name}: {error}; the logs are below {work}")
                print(failed[-1], flush=True)
                continue
            with gzip.open(out, "at", encoding="utf-8") as file:
                for line in lines:
                    file.write(json.dumps(line) + "\n")
            print(f"{time.strftime('%X')} {name}: {len(lines)} lines", flush=True)
    if failed:
        sys.exit("\n".join(failed))


def units(directory: Path) -> list[str]:
    """Return the names of all groups and of the tasks in no group."""
    groups: dict[str, list[str]] = {}
    tasks: set[str] = set()
    for path in directory.rglob("*.yaml"):
        content = load_yaml(path, resolve_func=False)
        if "group" in content:
            groups[content["group"]] = content["task"]
        elif isinstance(content.get("task"), str):
            tasks.add(content["task"])
    members = {member for of_group in groups.values() for member in of_group}
    return sorted({*groups, *(tasks - members)})


def family_of(name: str) -> str:
    """Return the family in the name of a task or group, such as ``ier`` in ``codemind_ier_direct``."""
    return name.split("_")[1]


def call(*arguments: str, log: Path) -> None:
    """Run ``codemind ARGUMENTS``."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a", encoding="utf-8") as file:
        subprocess.run([CODEMIND, *arguments], check=True, stdout=file, stderr=file)


def unit(work: Path, name: str) -> Iterator[Line]:
    """Yield the lines of all runs of a group or task."""
    common = ("--confirm_run_unsafe_code",)
    for model in ("oracle", "null"):
        run = ("run", "--model", f"codemind-{model}", "--tasks", name, "--log_samples")
        yield from _run(work, model, name, (*run, *common))
    samples = list(_samples(work, "oracle", name))
    yield from document_lines(samples)
    if family_of(name) in ("ier", "sr", "dsr"):
        path = work / "responses" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = mixed([row["doc"] for _, row in samples])
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        yield from _run(work, "mixed", name, ("score", "--responses", str(path), "--tasks", name, *common))


def _run(work: Path, run: str, name: str, arguments: tuple[str, ...]) -> Iterator[Line]:
    directory = work / "runs" / run / name
    if not any(directory.rglob("results_*.json")):
        started = time.monotonic()
        call(*arguments, "--output_path", str(directory), log=work / "logs" / f"{run}.{name}.txt")
        print(f"{time.strftime('%X')}   {run} {name}: {time.monotonic() - started:.0f} s", flush=True)
    yield from _aggregates(run, directory)
    seen = set()
    for task, row in _samples(work, run, name):
        key = (run, task, *key_of(row["doc"]), str(row["filter"]))
        if key in seen:
            raise ValueError(f"{directory}: two samples of {key}")
        seen.add(key)
        yield Line("sample", key, {metric: without_key(row[metric]) for metric in row["metrics"]})


def _aggregates(run: str, directory: Path) -> Iterator[Line]:
    for _, content in results(directory):
        for part in ("results", "groups"):
            for task, figures in content.get(part, {}).items():
                named = {name: value for name, value in figures.items() if name not in ("name", "alias")}
                yield Line("aggregate", (run, task, part), named)
        for task, shots in content["n-shot"].items():
            yield Line("aggregate", (run, task, "n-shot"), {"n-shot": shots})


def _samples(work: Path, run: str, name: str) -> Iterator[tuple[str, Row]]:
    for result, content in results(work / "runs" / run / name):
        stamp = result.stem.removeprefix("results_")
        for task in content["configs"]:
            for row in read_lines(result.parent / f"samples_{task}_{stamp}.jsonl"):
                yield task, row


def results(directory: Path) -> list[tuple[Path, Row]]:
    """Return the result files below a directory, with what they hold: a run in two stages writes two."""
    files = [(path, json.loads(path.read_text(encoding="utf-8"))) for path in directory.rglob("results_*.json")]
    tasks = [task for _, content in files for task in content["configs"]]
    if not files or len(set(tasks)) != len(tasks):
        raise ValueError(f"{directory}: {len(files)} result files; remove the directory and run this again")
    return files


def read_lines(path: Path) -> Iterator[Any]:
    """Yield the JSON values of a file, gzipped or not."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def digest(value: object) -> str:
    """Return the SHA-256 of a text, or of the JSON of another value."""
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def key_of(document: Row) -> tuple[str, str, str]:
    """Return problem, setting and item of a document."""
    return str(document["problem_id"]), str(document.get("setting") or ""), str(document.get("item") or "")


def without_key(value: object) -> object:
    """Return a sample's metric; of a record, what is not the document's key."""
    if isinstance(value, dict):
        return {name: one for name, one in value.items() if name not in ("benchmark", "problem_id", "setting", "item")}
    return value


def mixed(documents: list[Row]) -> Iterator[Row]:
    """Yield responses, in the format of ``codemind score``: a third is right, a third a neighbour's, a third empty."""
    for number, document in enumerate(documents):
        texts = (document["target"], documents[number - 1]["target"], "")
        row = {"benchmark": document["benchmark"], "problem_id": document["problem_id"], "response": texts[number % 3]}
        yield {**row, **{name: document[name] for name in ("setting", "item") if document.get(name)}}


def document_lines(samples: Iterable[tuple[str, Row]]) -> Iterator[Line]:
    """Yield a line for each document among samples."""
    seen = set()
    for task, row in samples:
        document = row["doc"]
        key = (task, *key_of(document))
        if key not in seen:
            seen.add(key)
            figures = {"prompt with examples": row["prompt_hash"], "target": digest(row["target"])}
            yield Line("document", key, {**figures, **{one: digest(document[one]) for one in SHOWN if one in document}})


def compare(before: Path, after: Path) -> int:
    """Print every difference between two records; what is only in the second one is counted, but is not a difference.

    What is gone is counted by task.
    """
    old, new = (read_record(path) for path in (before, after))
    gone = Counter(scope(key) for key in old if key not in new)
    lines = [f"{' · '.join(place)}: {count} lines are not in {after}" for place, count in gone.items()]
    compared: Counter[str] = Counter()
    for key in (key for key in old if key in new):
        for name, value in old[key].items():
            compared[key[0]] += 1
            # As JSON: NaN equals NaN, and 1 is not 1.0.
            one, other = json.dumps(value, sort_keys=True), json.dumps(new[key].get(name), sort_keys=True)
            if one != other:
                lines.append(f"{' · '.join(key)} · {name}: {one} -> {other if name in new[key] else 'none'}")
    listed = ", ".join(f"{count} of kind {kind}" for kind, count in sorted(compared.items()))
    print(*lines, sep="\n")
    print(
        f"{len(lines)} differences; compared figures: {listed or 'none'}; {len(new.keys() - old.keys())} lines are new"
    )
    return 1 if lines or not compared else 0


def scope(key: tuple[str, ...]) -> tuple[str, ...]:
    """Return the part of a line's key that names its run and task."""
    return key[: 2 if key[0] == "document" else 3]


def read_record(path: Path) -> dict[tuple[str, ...], Row]:
    """Return a record: kind and key -> figures. A task in several groups was recorded with each of them."""
    lines: dict[tuple[str, ...], Row] = {}
    for kind, key, figures in read_lines(path):
        # As JSON: NaN equals NaN.
        if json.dumps(lines.setdefault((kind, *key), figures)) != json.dumps(figures):
            raise ValueError(f"{path}: two lines of {kind} {key} differ")
    return lines


if __name__ == "__main__":
    main()
