"""Execute the programs that are asked about their runtime behaviour, and write the labels that the package ships.

PYTHON utils/prove/prove_runtime.py trace --upstream DIR --output PROOF.json  (once with each version of Python)
PYTHON utils/prove/prove_runtime.py convert reval_upstream_labels.jsonl.gz
PYTHON utils/prove/prove_runtime.py runnable --upstream DIR  (with the packages of today)
PYTHON utils/prove/prove_runtime.py merge --upstream DIR PROOF.json ...  (the version to ship first)

"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import runtime_proof
import runtime_questions
from lm_eval_codemind.data.benchmarks import Upstream, reval
from lm_eval_codemind.data.build import read_proven
from lm_eval_codemind.data.facts.runtime_labels import UNRUNNABLE
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Sandbox
from ship import save

NAMES = ("reval_humaneval", "reval_classeval", "cruxeval", "avatar", "sample")
SEED = "codemind runtime 2"

_UPSTREAM = click.option("--upstream", required=True, type=click.Path(exists=True, file_okay=False, path_type=Path))
_FILE = click.Path(dir_okay=False, path_type=Path)


def _problems(upstream: Path, names: Sequence[str]) -> dict[str, list[Problem]]:
    source = Upstream(upstream)
    return {name: read_proven(name, source) for name in names}


def _programs(upstream: Path) -> list[reval.TracedProgram]:
    return reval.read_programs(Upstream(upstream))


@click.group()
def main() -> None:
    """Prove the labels of runtime behaviour."""


@main.command()
@_UPSTREAM
@click.option("--output", required=True, type=_FILE)
@click.option("--hash-seed", "seeds", multiple=True, default=(1, 2), show_default=True)
@click.option("--benchmark", "names", multiple=True, type=click.Choice(NAMES), default=NAMES, help="Trace these only.")
@click.option("--workers", default=2, show_default=True)
def trace(upstream: Path, output: Path, seeds: tuple[int, ...], names: tuple[str, ...], workers: int) -> None:
    """Trace all programs under this version of Python, with each hash seed."""
    problems = _problems(upstream, names)
    proofs = []
    for seed in seeds:
        with Sandbox(workers=workers, hash_seed=seed) as sandbox:
            proofs.append({name: runtime_proof.observe(problems[name], sandbox) for name in names})
    record = {"version": "{}.{}".format(*sys.version_info), "proofs": proofs}
    output.write_text(json.dumps(record), encoding="utf-8")


def published(file: Path) -> dict[str, Any]:
    """Return the labels that REval's own code gave, out of a recording of them, as they are shipped."""
    labels: dict[str, Any] = {}
    with gzip.open(file, "rt", encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            state = [] if row["state"] == "Nil" else [[value["value"], value["type"]] for value in row["state"]]
            following = [line["line"] for line in row["next_lines"]]
            inputs = labels.setdefault(row["task_id"], {}).setdefault(str(row["input_index"]), [])
            inputs.append([row["line"], row["variable"], row["coverage"], state, following])
    return labels


@main.command()
@click.argument("file", type=_FILE)
def convert(file: Path) -> None:
    """Write the labels that REval's own code gave; the file has a row for each item."""
    save("runtime_labels/reval_published.json.gz", published(file))


@main.command()
@_UPSTREAM
@click.option("--workers", default=2, show_default=True)
def runnable(upstream: Path, workers: int) -> None:
    """Write on which inputs REval's own assertions fail with the packages that are installed."""
    with Sandbox(workers=workers) as sandbox:
        unrunnable = runtime_proof.find_unrunnable(_programs(upstream), sandbox)
    save(UNRUNNABLE, unrunnable)
    click.echo(f"unrunnable: {unrunnable}")


@main.command()
@_UPSTREAM
@click.argument("files", nargs=-1, required=True, type=_FILE)
def merge(upstream: Path, files: tuple[Path, ...]) -> None:
    """Choose the lines to ask about from what all executions agree on, and write their labels."""
    read = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    for name, problems in _problems(upstream, NAMES).items():
        proofs = [(each["version"], proof[name]) for each in read for proof in each["proofs"] if name in proof]
        labels = runtime_questions.choose(problems, runtime_proof.agreeing(proofs), SEED)
        save(f"runtime_labels/{name}.json.gz", runtime_questions.plain(labels))
        inputs = [of_input for numbers in labels.values() for of_input in numbers.values()]
        asked = Counter(question for of_input in inputs for label in of_input.labels for question in label.asked)
        asked["o"] = sum(any(output is not None for output in of_input.outputs) for of_input in inputs)
        left_out = Counter(of_input.reason for of_input in inputs if of_input.reason)
        click.echo(
            f"{name}: {len(labels)} programs; {dict(asked)}; {len(proofs)} executions; left out {dict(left_out)}"
        )


if __name__ == "__main__":
    main()
