"""Execute every problem and write the proofs and digests that the package ships.

    python utils/prove/prove_labels.py labels --upstream DIR [--benchmark NAME ...]
    python utils/prove/prove_labels.py suites

Read the difference in version control before committing it: every changed line is a label that changed.

``suites`` runs each benchmark's own program with its suite, in the built data, records the steps that the suite takes,
and runs the tests again on the recorded answers alone. Suites that pass so have a list, in ``suite_steps.xz``.
`codemind data verify --only suites` compares that file with another recording.
"""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from lm_eval_codemind.data.catalogue import benchmarks
from lm_eval_codemind.data.facts.suites import STEPS
from lm_eval_codemind.data.load import load_benchmark
from lm_eval_codemind.sandbox import Sandbox, lists
from lm_eval_codemind.workshop import build as building
from lm_eval_codemind.workshop.benchmarks.upstream import Upstream
from lm_eval_codemind.workshop.proof.suites import BENCHMARKS
from lm_eval_codemind.workshop.proof.verify import execute_benchmark
from options import UPSTREAM
from ship import record_of, save

DIGESTS = Path(building.__file__).with_name("released_digests.json")


def proven_benchmarks() -> list[str]:
    """Return the benchmarks with packaged proofs of their labels."""
    return [name for name, benchmark in benchmarks().items() if benchmark.labels == "proven"]


@click.group()
def main() -> None:
    """Prove labels and suites."""


@main.command()
@UPSTREAM
@click.option("--benchmark", "names", multiple=True, type=click.Choice(proven_benchmarks()), help="Prove these only.")
@click.option("--digests-only", is_flag=True, help="Prove nothing; only write the digests of the build.")
@click.option("--workers", default=1, show_default=True)
def labels(upstream: Path, names: tuple[str, ...], digests_only: bool, workers: int) -> None:
    """Write ``proofs/NAME.json`` and the digests of the build."""
    source = Upstream(upstream)
    for name in () if digests_only else names or proven_benchmarks():
        proofs = {
            problem_id: record_of(proof) for problem_id, proof in execute_benchmark(name, source, workers).items()
        }
        save(f"proofs/{name}.json", proofs)
    with TemporaryDirectory() as folder:
        entries = building.build(benchmarks(), source, Path(folder))
    digests = {file: digest for entry in entries.values() for file, digest in entry.digests.items()}
    DIGESTS.write_text(json.dumps(digests, indent=2) + "\n", encoding="utf-8")


@main.command()
def suites() -> None:
    """Write ``suite_steps.xz``, and print how many suites have a list, and why others have none."""
    recorded: dict[str, str] = {}
    with Sandbox() as sandbox:
        for benchmark in BENCHMARKS:
            jobs = building.suite_jobs(load_benchmark(benchmark))
            steps, reasons = lists.record(sandbox, jobs)
            recorded |= steps
            for name, reason in reasons.items():
                print(f"  {name}: {reason[:200]}")
            print(f"{benchmark}: {len(jobs) - len(reasons)} of {len(jobs)} suites have a list", flush=True)
    STEPS.write_bytes(lists.pack(recorded))


if __name__ == "__main__":
    main()
