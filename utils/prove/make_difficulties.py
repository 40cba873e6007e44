"""Estimate how hard each problem is from recorded responses, for the short forms of tasks.

    python utils/prove/make_difficulties.py --upstream DIR

Beside DIR are ``cruxeval_recordings``, with a file for each setting of CRUXEval's site, and ``recorded``, with
responses to IER's questions. Data is read from ``$CODEMIND_DATA``. It writes ``data/difficulties.json.gz``: what
is asked for (``output`` or ``input``) -> benchmark -> problem -> its difficulty, and its place on a second axis.

The difficulty of a problem is the share of wrong responses. With f the sum of that share over the m settings that were
recorded of it, and p what the regression predicts from its size,

    difficulty = (3 p + f) / (3 + m)

So a problem of which nothing is recorded, such as REval's, has the predicted difficulty. The regression is linear in
the logarithms of the program's lines, cyclomatic complexity, nested constructs, loop iterations and characters, and of
the input's characters. It is fitted to all problems with recordings, and has an intercept for each kind of program.

On the second axis are problems that some models find easier than their difficulty says, and others harder: the first
singular vector of the settings' shares of wrong responses without what the difficulty explains. Only CRUXEval has one.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

import lm_eval_codemind.data
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.families.ier.task import COLUMNS, IER, STRICT
from lm_eval_codemind.harness.recordings import read_lines
from lm_eval_codemind.languages import measured
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Question
from options import UPSTREAM
from ship import save

OUTPUTS = ("humaneval", "cruxeval", "classeval", "avatar", "reval_humaneval", "reval_classeval")
INPUTS = ("cruxeval",)
# How many settings the prediction counts for.
PRIOR = 3.0
# Starts the answer in the recordings that repeat the prompt.
_ANSWERED = "@@ Response"
Shares = dict[str, dict[str, list[float]]]


def settings_of(folder: Path, asked: str) -> NDArray[np.float64]:
    """Return the shares of wrong responses on CRUXEval's site, shape (settings, problems); NaN where none is there."""
    names = [problem.problem_id for problem in load_benchmark("cruxeval")]
    shares = []
    for path in sorted(folder.glob(f"*_{asked}.jsonl.gz")):
        rows = map(json.loads, read_lines(path))
        wrong = {row["problem_id"]: 1 - float(np.mean(row["verdicts"])) for row in rows if row["verdicts"]}
        shares.append([wrong.get(name, np.nan) for name in names])
    return np.array(shares)


def recorded_outputs(folder: Path) -> Shares:
    """Return 1 for a wrong and 0 for a right response to IER's questions: benchmark -> problem -> by model."""
    shares: Shares = defaultdict(lambda: defaultdict(list))
    problems = {name: {problem.problem_id: problem for problem in load_benchmark(name)} for name in OUTPUTS}
    for path in (*sorted(folder.glob("ier_*.jsonl.gz")), *sorted(folder.glob("v1_ier_*.jsonl.gz"))):
        for row in map(json.loads, read_lines(path)):
            problem = problems.get(row["benchmark"], {}).get(row["problem_id"])
            if problem is None or problem.category == "excluded" or not row["response"]:
                continue
            question = Question.about(problem, "steps", {}, columns=COLUMNS)
            answer = IER.read(row["response"].rpartition(_ANSWERED)[2], question, STRICT)
            shares[problem.benchmark][problem.problem_id].append(1 - IER.score(question, answer)["r_ier"])
    return shares


def measures(problem: Problem) -> list[float]:
    """Return the logarithms of a problem's lines, complexity, nesting, iterations and lengths, each increased by 1."""
    complexity = problem.complexity or measured(problem.language, problem.code)
    sizes = (complexity.loc, complexity.cc, complexity.nc, complexity.ll or 0) if complexity else (0, 0, 0, 0)
    return [float(np.log1p(value)) for value in (*sizes, len(problem.code), len(problem.input))]


def difficulties(
    benchmarks: Sequence[str], shares: Mapping[str, Mapping[str, Sequence[float]]]
) -> dict[str, dict[str, float]]:
    """Return the difficulty of every problem of some benchmarks, by benchmark and problem."""
    every = (problem for name in benchmarks for problem in load_benchmark(name))
    problems = [problem for problem in every if problem.category != "excluded"]
    kinds = sorted({problem.kind for problem in problems})
    table = np.array([[*(float(problem.kind == kind) for kind in kinds), *measures(problem)] for problem in problems])
    known = [shares.get(problem.benchmark, {}).get(problem.problem_id, ()) for problem in problems]
    rows = [place for place, values in enumerate(known) if values]
    slopes, *_ = np.linalg.lstsq(table[rows], np.array([np.mean(known[place]) for place in rows]))
    predicted = np.clip(table @ slopes, 0.02, 0.98)
    by_benchmark: dict[str, dict[str, float]] = defaultdict(dict)
    for problem, values, prediction in zip(problems, known, predicted, strict=True):
        difficulty = (PRIOR * prediction + sum(values)) / (PRIOR + len(values))
        by_benchmark[problem.benchmark][problem.problem_id] = round(float(difficulty), 3)
    return by_benchmark


def second_axis(wrong: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the place of each problem on the second axis, from shape (settings, problems)."""
    filled = np.where(np.isnan(wrong), np.nanmean(wrong, axis=0), wrong)
    centred = filled - filled.mean(axis=1, keepdims=True)
    difficulty = centred.mean(axis=0)
    rest = centred - np.outer(centred @ difficulty / (difficulty @ difficulty), difficulty)
    axis = np.linalg.svd(rest, full_matrices=False)[2][0]
    return np.asarray(axis * np.sign(axis[np.abs(axis).argmax()]))


@click.command(help=__doc__)
@UPSTREAM
def main(upstream: Path) -> None:
    """Write the file."""
    recordings, recorded = upstream.parent / "cruxeval_recordings", upstream.parent / "recorded"
    names = [problem.problem_id for problem in load_benchmark("cruxeval")]
    asked: dict[str, dict[str, dict[str, list[float]]]] = {}
    for name, benchmarks, shares in (("output", OUTPUTS, recorded_outputs(recorded)), ("input", INPUTS, {})):
        wrong = settings_of(recordings, name)
        for problem, of_problem in zip(names, wrong.T, strict=True):
            values = shares.setdefault("cruxeval", {}).setdefault(problem, [])
            values += [float(value) for value in of_problem if not np.isnan(value)]
        axis = dict(zip(names, second_axis(wrong), strict=True))
        asked[name] = {
            benchmark: {
                problem: [difficulty, round(float(axis[problem]), 4) if benchmark == "cruxeval" else 0.0]
                for problem, difficulty in of_benchmark.items()
            }
            for benchmark, of_benchmark in difficulties(benchmarks, shares).items()
        }
        click.echo(f"{name}: {', '.join(f'{key} {len(value)}' for key, value in asked[name].items())}")
    save("difficulties.json.gz", asked, folder=Path(lm_eval_codemind.data.__path__[0]))


if __name__ == "__main__":
    main()
