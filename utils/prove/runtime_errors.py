"""How much standard errors grow if fewer questions about runtime behaviour are asked, on a simulated model.

    python utils/prove/runtime_errors.py [--runs N]

No responses to these questions are recorded. The simulated model answers the questions of a kind about a program
right with a probability that it draws for this program and kind, from a beta distribution. The intraclass correlation
says how alike its answers about one program are: 0 if all programs are equally hard for it, 1 if it answers all
questions about a program alike. In recorded answers to IER on ClassEval it is 0.35 (gpt-4-turbo) and 0.24
(deepseek-coder-33b-instruct), with a class as the program.

Prints the table of ``tasks/runtime/README.md``. Needs the data of the benchmarks (`codemind data build`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean

import click
import numpy as np
from lm_eval.api.metrics import pooled_sample_stderr

from lm_eval_codemind.data.catalogue import get_benchmark
from lm_eval_codemind.families.runtime.items import NEEDS, SETTINGS, Record, items
from lm_eval_codemind.families.runtime.score import averaged_over, clustered_stderr
from lm_eval_codemind.families.runtime.selection import ALL, USUAL, select
from lm_eval_codemind.families.runtime.task import RUNTIME
from lm_eval_codemind.questions import Key, Question

BENCHMARKS = {
    "HumanEval": "reval_humaneval",
    "ClassEval": "reval_classeval",
    "CRUXEval": "cruxeval",
    "Avatar": "avatar",
}
GROUP = "`codemind_runtime`"
CORRELATIONS = (0.1, 0.3, 0.5)
# The mean of the simulated probabilities.
MEAN = 0.7
# Errors must grow by less than a quarter.
MOST = 1.25
_COUNTS = (USUAL, 3, 4, 5, 6, 7, 8, 9, 10)

# The task or group, and the metric -> the standard error.
Errors = Mapping[tuple[str, str], float]


def questions_of(benchmark: str) -> list[Question]:
    """Return all questions about a benchmark."""
    problems = RUNTIME.problems(get_benchmark(benchmark), {})
    return [question for problem in problems for way in SETTINGS for question in RUNTIME.questions(problem, way)]


def simulated(questions: Iterable[Question], correlation: float, drawn: np.random.Generator) -> Iterator[Record]:
    """Yield the records of the simulated model's answers."""
    scale = 1 / correlation - 1
    solves: dict[tuple[str, str], float] = {}
    for question in questions:
        place = question.key.problem_id, question.key.setting
        if place not in solves:
            solves[place] = drawn.beta(MEAN * scale, (1 - MEAN) * scale)
        right = bool(drawn.random() < solves[place])
        yield {
            "program": question.key.problem_id,
            "run": question["run"],
            "line": question["line"],
            "setting": question.key.setting,
            "executed": question["executed"],
            "goes_on": question["goes_on"],
            "right": [right],
            "said_executed": [question["executed"] is right],
        }


def errors(answered: Mapping[str, Sequence[Record]]) -> Errors:
    """Return the standard errors of the tasks and of the group, from the records of each benchmark."""
    by_task = {}
    for metric in RUNTIME.joint_metrics:
        of_metric = {
            name: items([record for record in records if record["setting"] in NEEDS[metric]], metric)
            for name, records in answered.items()
        }
        stderrs = {name: clustered_stderr(metric, of_task) for name, of_task in of_metric.items()}
        sizes = [averaged_over(metric, of_task) for of_task in of_metric.values()]
        stderrs[GROUP] = pooled_sample_stderr(list(stderrs.values()), sizes)
        by_task |= {(name, metric): stderr for name, stderr in stderrs.items()}
    return by_task


def simulate(questions: Mapping[str, Sequence[Question]], runs: int) -> dict[float, dict[int | str, Errors]]:
    """Return correlation -> most questions of a kind about a problem -> the mean standard errors over runs."""
    asked: dict[int | str, set[Key]] = {
        count: {question.key for of_task in questions.values() for question in select(of_task, count)}
        for count in _COUNTS
    }
    asked[ALL] = {question.key for of_task in questions.values() for question in of_task}
    drawn = np.random.default_rng(0)
    means: dict[float, dict[int | str, Errors]] = {}
    for correlation in CORRELATIONS:
        seen: dict[int | str, list[Errors]] = {count: [] for count in asked}
        for _ in range(runs):
            records = {name: list(simulated(of_task, correlation, drawn)) for name, of_task in questions.items()}
            for count, keys in asked.items():
                answered = {
                    name: [r for q, r in zip(of_task, records[name], strict=True) if q.key in keys]
                    for name, of_task in questions.items()
                }
                seen[count].append(errors(answered))
        means[correlation] = {
            count: {place: fmean(one[place] for one in all_runs) for place in all_runs[0]}
            for count, all_runs in seen.items()
        }
    return means


def table(means: Mapping[float, Mapping[int | str, Errors]]) -> Iterator[str]:
    """Yield the lines of the table: errors with two questions and with all, their ratio, and how many suffice."""
    yield "| task or group | metric | " + " | ".join(f"correlation {correlation}" for correlation in means) + " |"
    yield "|---|---|" + "---|" * len(means)
    for place in next(iter(means.values()))[ALL]:
        cells = []
        for by_count in means.values():
            complete = by_count[ALL][place]
            growth = {count: by_count[count][place] / complete for count in _COUNTS}
            enough = next(count for count, ratio in growth.items() if ratio < MOST)
            cell = f"{100 * by_count[USUAL][place]:.1f}, {100 * complete:.1f} ({100 * (growth[USUAL] - 1):+.0f} %)"
            cells.append(cell if enough == USUAL else f"{cell}: {enough}")
        yield f"| {place[0]} | `{place[1]}` | {' | '.join(cells)} |"


@click.command()
@click.option("--runs", type=click.IntRange(1), default=20, help="Simulated runs that errors are averaged over.")
def main(runs: int) -> None:
    """Print how much standard errors grow with two questions of a kind about each problem."""
    questions = {title: questions_of(name) for title, name in BENCHMARKS.items()}
    click.echo("\n".join(table(simulate(questions, runs))))


if __name__ == "__main__":
    main()
