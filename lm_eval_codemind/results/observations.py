"""Observations: one model on one problem of one task, as analyses and the report's browser use them."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from lm_eval_codemind.families.view import Unit, View
from lm_eval_codemind.families.views import views
from lm_eval_codemind.languages import measured
from lm_eval_codemind.problems import Complexity
from lm_eval_codemind.questions import Key
from lm_eval_codemind.results.runs import Run

Group = TypeVar("Group", bound=Hashable)

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
    """

    model: str
    task: str
    view: View
    key: Key
    scores: Mapping[str, float]
    solved: bool
    unit: Unit
    programs: Mapping[str, Complexity | None]

    @cached_property
    def types(self) -> tuple[str, str | None, bool] | None:
        """Type of the true output, type of the predicted one, and whether their values are equal.

        None where no output is predicted or the true one is not known.
        """
        return self.view.type_match(self.unit)

    @cached_property
    def predicts(self) -> bool | None:
        """Whether all outputs that are asked for are predicted right; None where none is asked for."""
        return self.view.predicts(self.unit)

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
    observations = [
        Observation(
            model=run.label,
            task=task.task,
            view=view,
            key=view.unit_key(unit),
            scores=view.unit_scores(unit),
            solved=view.solved(unit),
            unit=unit,
            programs={name: complexity_of(unit[0].doc, *columns) for name, columns in view.programs.items()},
        )
        for run in runs
        for task, view in run.known_tasks
        for unit in view.units(task.scored_samples)
    ]
    return _apart(observations)


def _apart(observations: Sequence[Observation]) -> list[Observation]:
    """Return the observations, where tasks that ask a model the same questions have views of their own.

    The same questions at two temperatures, say, must not be in one cell of a table. A task that is named
    ``codemind_VARIANT_BENCHMARK`` keeps its view.
    """
    asked = grouped(observations, lambda o: (o.view.name, o.model, o.key))
    own = {
        (o.view.name, o.task): _of_task(o.view, o.task)
        for of_key in asked.values()
        if len({o.task for o in of_key}) > 1
        for o in of_key
        if o.task != f"codemind_{o.view.name}_{o.benchmark}"
    }
    places = [(o.view.name, o.task) for o in observations]
    return [replace(o, view=own[at]) if at in own else o for o, at in zip(observations, places, strict=True)]


def _of_task(view: View, task: str) -> View:
    """Return the view that a task has of its own: its title names the task, and overlaps of families leave it out."""
    variant = replace(view.variant, name=f"{view.name}, {task}", title=f"{view.title}, {task}", in_overlap=False)
    return replace(view, variant=variant)


def complexity_of(doc: Mapping[str, Any], column: str = "complexity", code: str = "code") -> Complexity | None:
    """Return the complexity of a problem: the column of its document, else measured from the program in another."""
    stored = doc.get(column)
    if isinstance(stored, Mapping):
        return Complexity.from_row(stored)
    return measured(str(doc.get("language") or "python"), str(doc.get(code) or ""))


def by_problem(observations: Sequence[Observation], score: str) -> list[float]:
    """Return a score of each problem, so that their mean is the mean over observations.

    P problems have Q observations. The score of a problem is the sum over its observations times P / Q.
    """
    sums: dict[tuple[str, ...], float] = defaultdict(float)
    for o in observations:
        sums[o.key[:2]] += o.scores[score]
    return [total * len(sums) / len(observations) for total in sums.values()]


def grouped(
    observations: Iterable[Observation], group: Callable[[Observation], Group]
) -> dict[Group, list[Observation]]:
    """Return the observations by their group, groups and observations in order."""
    groups: dict[Group, list[Observation]] = defaultdict(list)
    for o in observations:
        groups[group(o)].append(o)
    return groups


def by_view(observations: Iterable[Observation]) -> list[tuple[View, list[Observation]]]:
    """Return the observations of each view, in the order in which results show views."""
    groups = grouped(observations, lambda o: o.view.name)
    # Views that tasks have of their own come last.
    names = [name for name in dict.fromkeys([*views(), *groups]) if name in groups]
    return [(groups[name][0].view, groups[name]) for name in names]


def by_model(observations: Iterable[Observation]) -> dict[str, list[Observation]]:
    """Return the observations by model, each in order."""
    return grouped(observations, lambda o: o.model)


def distinct(items: Iterable[str]) -> list[str]:
    """Return the distinct items, in the order of their first appearance."""
    return list(dict.fromkeys(items))
