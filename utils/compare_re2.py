"""Score recorded responses to RE2-Bench by its own rules and labels, and on proven labels.

    python utils/compare_re2.py RE2_TASK_MODEL.jsonl.gz... [--list]

A recorded row has ``task``, ``model``, ``problem_id``, ``difficulty``, ``source``, ``response`` and
``published_verdict``. Prints Markdown: shares by RE2-Bench's rules, with the recorded verdicts that agree (with --list
also those that differ), then scores on proven labels with their intervals.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lm_eval_codemind.statistics import mean
from lm_eval_codemind.studies.re2 import task as re2
from lm_eval_codemind.studies.re2.data import DIFFICULTIES, INPUT, TASKS
from lm_eval_codemind.studies.re2.published import task as re2_published

# Problems of a task and a difficulty. Upstream counts problems without a label as wrong for outputs and inputs.
_SIZES = {("output", "difficult"): 250, ("input", "difficult"): 250}

Scores = dict[str, float]


def read(path: Path) -> list[dict[str, Any]]:
    """Return the recorded rows of a file: one task, one model."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def scores(module: Any, task: str, rows: Iterable[Mapping[str, Any]]) -> tuple[list[dict[str, Any]], list[Scores]]:
    """Return the documents of a task that have a recorded response, and the metrics of each."""
    prefix = "input_" if task == INPUT else ""
    dataset, process = (getattr(module, f"{prefix}{name}") for name in ("dataset", "process_results"))
    extract = module.extract_input if task == INPUT else module.extract_answer
    responses = {row["problem_id"]: row["response"] for row in rows}
    documents = [row for row in dataset(benchmark="re2", setting=task)["test"] if row["problem_id"] in responses]
    answers = extract([[responses[document["problem_id"]]] for document in documents], documents)
    return documents, [process(document, answer) for document, answer in zip(documents, answers, strict=True)]


def report(paths: Iterable[Path], listing: bool) -> Iterator[str]:
    """Yield the lines of the report."""
    yield "| model | task | easy | difficult | judgements that agree |"
    yield "|---|---|---:|---:|---:|"
    differing = []
    executed: dict[str, list[str]] = {}
    for (model, task), rows in _recordings(paths):
        recorded = {row["problem_id"]: row["published_verdict"] for row in rows}
        documents, of_documents = scores(re2_published, task, rows)
        shares = []
        for difficulty in DIFFICULTIES:
            right = [score["accuracy"] for score in of_documents if score[f"accuracy_{difficulty}"] is not None]
            shares.append(f"{100 * sum(right) / _SIZES.get((task, difficulty), len(right)):.1f}")
        compared = 0
        for document, score in zip(documents, of_documents, strict=True):
            name = document["problem_id"]
            # The projects that upstream executes inputs in are not installed here.
            if recorded[name] is not None and (task != INPUT or document["source"] in re2_published.SELF_CONTAINED):
                compared += 1
                if score["accuracy"] != recorded[name]:
                    differing.append(
                        f"- {model}, {task}, {name}: recorded {recorded[name]}, here {score['accuracy']:.0f}"
                    )
            elif recorded[name] is not None and score["accuracy"] != recorded[name]:
                executed.setdefault(name, []).append(model if recorded[name] else f"{model} (here only)")
        different = sum(line.startswith(f"- {model}, {task},") for line in differing)
        agreement = f"{compared - different} of {compared}" if compared else "none recorded"
        yield f"| {model} | {task} | {shares[0]} | {shares[1]} | {agreement} |"
    if listing:
        yield from ("", *differing, "")
        yield f"RE2-Bench executes inputs of projects. So {sum(map(len, executed.values()))} of their verdicts differ:"
        yield from ("", *(f"- {name}: {', '.join(executed[name])}" for name in sorted(executed)))


def on_proven_labels(paths: Iterable[Path]) -> Iterator[str]:
    """Yield the lines of a table of the scores on proven labels, with 95% intervals."""
    yield "| model | task | easy, programs | easy, projects | difficult |"
    yield "|---|---|---:|---:|---:|"
    for (model, task), rows in _recordings(paths):
        groups: dict[tuple[str, bool], list[float]] = {}
        for document, score in zip(*scores(re2, task, rows), strict=True):
            own = document["source"] in re2_published.SELF_CONTAINED
            groups.setdefault((document["difficulty"], own), []).append(score["accuracy"])
        cells = [_interval(groups.get(group, [])) for group in (("easy", True), ("easy", False), ("difficult", False))]
        yield f"| {model} | {task} | {' | '.join(cells)} |"


def _interval(values: list[float]) -> str:
    if not values:
        return ""
    estimate = mean(values)
    return f"{100 * estimate.value:.1f} [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}] of {len(values)}"


def _recordings(paths: Iterable[Path]) -> list[tuple[tuple[str, str], list[dict[str, Any]]]]:
    """Return (model, task) and rows of each file, by model and task."""
    recordings = {(rows[0]["model"], rows[0]["task"].partition("_")[0]): rows for rows in map(read, paths)}
    return sorted(recordings.items(), key=lambda item: (item[0][0], TASKS.index(item[0][1])))


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recorded", nargs="+", type=Path)
    parser.add_argument("--list", action="store_true", help="list the verdicts that differ")
    options = parser.parse_args()
    print("\n".join([*report(options.recorded, options.list), "", *on_proven_labels(options.recorded)]))


if __name__ == "__main__":
    main()
