"""Observations: one model on one problem of one task, as analyses and the report's browser use them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lm_eval_codemind.families.view import Unit, View
from lm_eval_codemind.languages import measured
from lm_eval_codemind.problems import Complexity
from lm_eval_codemind.questions import Key
from lm_eval_codemind.results.runs import Run
from lm_eval_codemind.samples import Sample, TaskRun

# Stands for all benchmarks of a family in tables.
ALL = "all"


@dataclass(frozen=True)
class Observation:
    """One model on one problem of one task: the samples that the harness logged, and what is read from them once.

    Attributes:
        model: Label of the run.
        task: Name of the task.
        view: The view of the task's results.
        key: The key of the problem, without the setting of its questions.
        scores: The view's scores of the problem, by name, the S score first.
        solved: Whether the problem counts as solved.
        unit: The samples of the problem: one, or one per setting. Only the family's own analyses and the report's
            browser look at them.
        programs: Measures of the problem's programs by name, C first; None where there is none that parses.
        types: Type of the true output, type of the predicted one, and whether their values are equal; None where no
            output is predicted or the true one is not known.
        predicts: Whether all outputs that are asked for are predicted right; None where none is asked for.
    """

    model: str
    task: str
    view: View
    key: Key
    scores: Mapping[str, float]
    solved: bool
    unit: Unit
    programs: Mapping[str, Complexity | None]
    types: tuple[str, str | None, bool] | None = None
    predicts: bool | None = None

    @property
    def score(self) -> float:
        """The S score."""
        return self.scores[self.view.scores[0]]

    @property
    def complexity(self) -> Complexity | None:
        """Measures of C."""
        return self.programs["C"]

    @property
    def benchmark(self) -> str:
        """The benchmark that the problem comes from."""
        return self.key.benchmark or self.task

    @property
    def problem_id(self) -> str:
        """Upstream's name of the problem."""
        return self.key.problem_id


def observe(runs: Iterable[Run]) -> list[Observation]:
    """Return the observations of all problems of all runs, in order; tasks without a view are left out."""
    return [
        Observation(
            model=run.label,
            task=task.task,
            view=view,
            key=view.unit_key(unit),
            scores=view.unit_scores(unit),
            solved=view.solved(unit),
            unit=unit,
            programs={name: complexity_of(unit[0].doc, *columns) for name, columns in view.programs.items()},
            types=view.type_match(unit),
            predicts=view.predicts(unit),
        )
        for run in runs
        for task, view in run.known_tasks
        for unit in view.units(scored_samples(task))
    ]


def scored_samples(task: TaskRun) -> list[Sample]:
    """Read a task's samples under its main filter, so that a problem appears once."""
    samples = task.read_samples()
    filters = dict.fromkeys(sample.filter for sample in samples)
    main = task.main_filter if task.main_filter in filters else next(iter(filters), None)
    return [sample for sample in samples if sample.filter == main]


def complexity_of(doc: Mapping[str, Any], column: str = "complexity", code: str = "code") -> Complexity | None:
    """Return the complexity of a problem: the column of its document, else measured from the program in another."""
    stored = doc.get(column)
    if isinstance(stored, Mapping):
        return Complexity.from_row(stored)
    return measured(str(doc.get("language") or "python"), str(doc.get(code) or ""))


def distinct(items: Iterable[str]) -> list[str]:
    """Return the distinct items, in the order of their first appearance."""
    return list(dict.fromkeys(items))
