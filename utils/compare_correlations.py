"""Recompute the paper's form of RQ4 on recorded responses: with the authors' complexity, and with ours.

    python utils/compare_correlations.py exerscope_analyses.json ier_*.jsonl.gz

Responses are scored over proven labels and by value (``r_ier,strict-match``); excluded problems and rows without
a response are left out. Loop lengths are without Avatar, as the authors' tool has them. Uses the built data.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import click

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.families.ier.task import IER, STRICT
from lm_eval_codemind.results.association import spearman_of_groups

BENCHMARKS = ("humaneval", "cruxeval", "classeval", "avatar")
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command()
@click.argument("analyses", type=_FILE)
@click.argument("responses", nargs=-1, required=True, type=_FILE)
def main(analyses: Path, responses: tuple[Path, ...]) -> None:
    """Print rho of every measure for every file of responses."""
    published = json.loads(analyses.read_text(encoding="utf-8"))
    problems = {
        (name, problem.problem_id): problem
        for name in BENCHMARKS
        for problem in load_benchmark(name)
        if problem.category != "excluded"
    }
    for path in responses:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        columns: dict[str, list[tuple[float, bool]]] = {}
        for row in rows:
            problem = problems.get((row["benchmark"], row["problem_id"]))
            if problem is None or row["response"] is None:
                continue
            (question,) = IER.questions(problem, "steps")
            right = bool(IER.score(question, IER.read(row["response"], question, STRICT))["r_ier"])
            measures = {"CC, ours": problem.complexity and problem.complexity.cc}
            measures["CC, the authors'"] = published["cc"].get(row["problem_id"])
            if row["benchmark"] != "avatar":
                measures["loop length, ours"] = problem.complexity and problem.complexity.ll
                measures["loop length, the authors'"] = published["loops"].get(row["problem_id"])
            for name, value in measures.items():
                if value is not None:
                    columns.setdefault(name, []).append((value, right))
        for name, pairs in sorted(columns.items()):
            rho = spearman_of_groups([value for value, _ in pairs], [right for _, right in pairs]).rho
            click.echo(f"{path.name}: {name}: rho {rho:.4f} over {len(pairs)} problems")


if __name__ == "__main__":
    main()
