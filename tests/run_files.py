"""Reading back what the harness writes, and recorded rows."""

import gzip
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any


def read_run(directory: Path) -> tuple[dict[str, Any], dict[str, list[dict[str, Any]]]]:
    """Return the content of the one result file below a directory, and the lines of its sample files by task."""
    (path,) = directory.rglob("results_*.json")
    results = json.loads(path.read_text(encoding="utf-8"))
    stamp = path.stem.removeprefix("results_")
    samples = {
        task: [json.loads(line) for line in (path.parent / f"samples_{task}_{stamp}.jsonl").open(encoding="utf-8")]
        for task in results["configs"]
    }
    return results, samples


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file of JSON lines, which may be compressed."""
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    return [json.loads(line) for line in text.decode("utf-8").split("\n") if line]


def write_rows(path: Path, rows: Iterable[object]) -> None:
    """Write values as JSON lines."""
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def change_results(run: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change the content of the one result file below a directory."""
    (file,) = run.rglob("results_*.json")
    raw = json.loads(file.read_text(encoding="utf-8"))
    change(raw)
    file.write_text(json.dumps(raw), encoding="utf-8")
