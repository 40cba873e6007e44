"""Checks of a run: its files against their digests, and its scores against a rescoring of its responses."""

import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lm_eval_codemind.errors import shortened
from lm_eval_codemind.questions import Answer, digest, sealed
from lm_eval_codemind.results.runs import Run
from lm_eval_codemind.samples import Sample, TaskRun

_MISSING = "(nothing)"
# The characters of a text that a difference shows.
_SHOWN = 60
# Fields of an outcome: times, messages that may hold addresses in memory, and the isolation level, a circumstance; and
# the tokens of a response, which only its endpoint knows.
_INCIDENTAL = ("cpu_seconds", "wall_seconds", "exception_message", "isolation", "tokens")
# Records of the suite: about the responses, and about the prompts, which differ for recorded responses.
_ABOUT_THE_MODEL = ("responses", "response_lengths", "readings")
_ABOUT_PROMPTS = ("prompts", "prompts_sha256", "prompt_texts", "templates", "templates_sha256", "recorded_prompts")


@dataclass(frozen=True)
class Difference:
    """An error in a run: what its files say of something, such as ``r_ier`` or ``output``, and what it must be.

    The problem has its setting, and its filter where there are several; it is empty where the task as a whole is meant.
    """

    task: str
    problem: str
    what: str
    recorded: str
    expected: str

    def __str__(self) -> str:
        where = f"{self.task}, {self.problem}" if self.problem else self.task
        return f"{where}: {self.what} is {self.recorded}, should be {self.expected}"


@dataclass(frozen=True)
class Verification:
    """The result of verifying a run.

    Attributes:
        differences: All errors; empty if the run is correct.
        circumstances: What the scoring depends on and is not the same here and in the run: (name, there, here).
        notes: What could not be checked, and why.
        samples: How many samples the run has.
    """

    differences: tuple[Difference, ...]
    circumstances: tuple[tuple[str, str, str], ...]
    notes: tuple[str, ...]
    samples: int

    @property
    def equal(self) -> bool:
        """Whether the run is correct."""
        return not self.differences


def verify(recorded: Run, rescored: Run) -> Verification:
    """Compare a run with a rescoring of its responses.

    This compares the digests that the harness and the suite recorded with each sample (document, prompt, target,
    response), the documents with the data set that is installed here, the answers and every metric of every sample with
    the rescoring, and the aggregated metrics, to the last digit, with the rescoring. The main scores of a group must be
    the mean of its tasks. Of a task without scores (``--predict_only``) it compares the digests alone.
    """
    differences: list[Difference] = []
    notes: list[str] = []
    isolation: dict[str, tuple[str, str]] = {}
    total = 0
    for task in recorded.tasks:
        again = rescored.task(task.task)
        find = _finder(again) if again and not task.predicted_only else None
        changed, different = list[Difference](), list[Difference]()
        hashes, seals = hashlib.sha256(), sealed_responses(task)
        seen: dict[tuple[str, str], int] = {}
        levels = set[str](), set[str]()
        for sample in task.each_sample():
            total += 1
            hashes.update("".join(str(sample.raw.get(f"{name}_hash")) for name in ("doc", "prompt", "target")).encode())
            changed += _digests(task, sample, seals)
            levels[0].update(_levels(sample))
            key = _key(sample)
            if key in seen:
                different.append(
                    Difference(task.task, _where(sample, task), "the number of its samples", "more than 1", "1")
                )
            elif find is not None:
                other = find(key)
                different += _compared(task, sample, other)
                levels[1].update(_levels(other) if other else ())
            seen[key] = sample.doc_id
        if not seen:
            differences.append(Difference(task.task, "", "the file of samples", _MISSING, "there, from --log_samples"))
            continue
        recorded_hash = recorded.raw.get("task_hashes", {}).get(task.task)
        if recorded_hash is not None and hashes.hexdigest() != recorded_hash:
            changed.append(_changed(task, "", "the list of samples"))
        unsealed = {question for question, _ in seen} - seals.keys()
        if unsealed:
            notes.append(
                f"{task.task}: the run recorded no digest for {len(unsealed)} responses; there, a change that alters "
                "no answer and no score is not seen"
            )
        if again is None:
            differences += [*changed, Difference(task.task, "", "the rescoring", _MISSING, "a result")]
            continue
        if task.predicted_only:
            notes.append(f"{task.task}: without scores, because of --predict_only; only the digests were compared")
            differences += [*changed, *different]
            continue
        differences += [*changed, *different, *_aggregates(task, again, len(set(seen.values())))]
        isolation[task.task] = ", ".join(sorted(levels[0])), ", ".join(sorted(levels[1]))
    differences += _groups(recorded, rescored)
    circumstances = _circumstances(recorded, rescored, isolation)
    return Verification(tuple(dict.fromkeys(differences)), tuple(circumstances), tuple(notes), total)


def sealed_responses(task: TaskRun) -> dict[str, str]:
    """Return the recorded digests of a task's responses by document; empty where the run recorded none."""
    return sealed(str(task.suite.get("responses", "")))


def _digests(task: TaskRun, sample: Sample, seals: Mapping[str, str]) -> Iterator[Difference]:
    """Yield what differs from its digest."""
    where = _where(sample, task)
    contents = {
        "doc": ("the document", json.dumps(sample.doc, indent=2, ensure_ascii=False, default=str)),
        "prompt": ("the prompt", sample.prompts[0] if sample.prompts else ""),
        "target": ("the target", sample.target),
    }
    for name, (what, content) in contents.items():
        if hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest() != sample.raw.get(f"{name}_hash"):
            yield _changed(task, where, what)
    expected = seals.get(sample.key.within_task())
    if expected is not None and expected != digest([text for repeats in sample.responses for text in repeats]):
        yield _changed(task, where, "the response")


def _changed(task: TaskRun, where: str, what: str) -> Difference:
    return Difference(task.task, where, what, "changed since the run", "as its digest says")


def _key(sample: Sample) -> tuple[str, str]:
    return sample.key.within_task(), sample.filter


def _finder(task: TaskRun) -> Callable[[tuple[str, str]], Sample | None]:
    """Return a function that finds a sample by its key, once. It keeps only samples that nobody asked for yet."""
    samples, passed = task.each_sample(), dict[tuple[str, str], Sample]()

    def find(key: tuple[str, str]) -> Sample | None:
        while key not in passed and (sample := next(samples, None)) is not None:
            passed[_key(sample)] = sample
        return passed.pop(key, None)

    return find


def _compared(task: TaskRun, sample: Sample, other: Sample | None) -> Iterator[Difference]:
    where = _where(sample, task)
    if other is None:
        yield Difference(task.task, where, "the problem", "in the run", "not in the task")
        return
    for column in dict.fromkeys([*sample.doc, *other.doc]):
        if sample.doc.get(column) != other.doc.get(column):
            yield _difference(task, where, column, sample.doc.get(column), other.doc.get(column))
    if sample.target != other.target:
        yield _difference(task, where, "the target", sample.target, other.target)
    answers = _comparable(sample.answers), _comparable(other.answers)
    if answers[0] != answers[1]:
        yield _difference(task, where, "the answer", *answers)
    for metric in dict.fromkeys([*sample.scores, *other.scores]):
        if not _same(sample.scores.get(metric), other.scores.get(metric)):
            yield _difference(task, where, metric, sample.scores.get(metric), other.scores.get(metric))


def _aggregates(task: TaskRun, again: TaskRun, problems: int) -> Iterator[Difference]:
    here = {(metric.name, metric.filter): metric for metric in again.metrics}
    there = {(metric.name, metric.filter): metric for metric in task.metrics}
    for key in dict.fromkeys([*there, *here]):
        name = ",".join(key)
        recorded, expected = there.get(key), here.get(key)
        if recorded is None or expected is None or not _same(recorded.value, expected.value):
            yield _difference(task, "", name, recorded and recorded.value, expected and expected.value)
        elif not _same(recorded.stderr, expected.stderr) and None not in (recorded.stderr, expected.stderr):
            yield _difference(task, "", f"the standard error of {name}", recorded.stderr, expected.stderr)
    if task.effective != problems:
        yield _difference(task, "", "the number of problems", task.effective, problems)
    if task.original != again.original:
        yield _difference(task, "", "the number of questions in the task", task.original, again.original)


def _groups(recorded: Run, rescored: Run) -> Iterator[Difference]:
    """Yield the scores of groups that are no mean of the rescored tasks, be it weighted by size or not."""
    again = {task.task: (task, view) for task, view in rescored.known_tasks}
    for group in recorded.groups:
        members = [again[name] for name in group.tasks if name in again]
        for metric, value in group.metrics.items() if len(members) == len(group.tasks) else ():
            scored = [(task, view) for task, view in members if metric in task.main_metrics]
            values = [task.main_metrics[metric].value for task, _ in scored]
            sizes = [view.estimate(task.scored_samples, metric).n or task.effective for task, view in scored]
            defined = [(score, size) for score, size in zip(values, sizes, strict=True) if not math.isnan(score)]
            means = [_mean(defined), _mean([(score, 1) for score, _ in defined])]
            if not any(_same(value, mean) or math.isclose(value, mean, abs_tol=1e-12) for mean in means):
                yield Difference(group.name, "", metric, repr(value), repr(means[0]))


def _mean(parts: Sequence[tuple[float, int]]) -> float:
    """Return the mean of scores, weighted by their sizes; NaN if there are none."""
    return math.fsum(score * size for score, size in parts) / sum(size for _, size in parts) if parts else math.nan


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal; NaN equals NaN."""
    return bool(one == other) or (one != one and other != other)


def _comparable(answers: Iterable[Answer]) -> list[tuple[Any, ...]]:
    """Return answers without the fields that differ between executions of the same code."""

    def lasting(fields: Mapping[str, Any] | None) -> dict[str, Any] | None:
        return None if fields is None else {name: value for name, value in fields.items() if name not in _INCIDENTAL}

    return [
        (answer.text, lasting(answer.details), lasting(answer.outcome), lasting(answer.witnesses)) for answer in answers
    ]


def _circumstances(
    recorded: Run, rescored: Run, isolation: Mapping[str, tuple[str, str]]
) -> Iterator[tuple[str, str, str]]:
    there, here = recorded.raw.get("lm_eval_version"), rescored.raw.get("lm_eval_version")
    if there != here:
        yield "lm-eval", str(there), str(here)
    for task in recorded.tasks:
        again = rescored.task(task.task)
        if again is None:
            continue
        versions = (task.version, again.version)
        if versions[0] != versions[1]:
            yield f"{task.task}: version", str(versions[0]), str(versions[1])
        suites = [one.suite for one in (task, again)]
        for name in dict.fromkeys([*suites[0], *suites[1]]):
            if name in _ABOUT_THE_MODEL or (recorded.recorded and name in _ABOUT_PROMPTS):
                continue
            if suites[0].get(name) != suites[1].get(name):
                there, here = (shortened(_text(suite.get(name))) for suite in suites)
                yield f"{task.task}: {name}", there, here
        levels = isolation.get(task.task, ("", ""))
        if levels[0] != levels[1]:
            yield f"{task.task}: isolation of the sandbox", *levels


def _levels(sample: Sample) -> set[str]:
    """Return the levels of isolation that a sample's answers were executed at."""
    outcomes = (answer.outcome for answer in sample.answers)
    return {str(one["isolation"]) for one in outcomes if one and one["isolation"]}


def _where(sample: Sample, task: TaskRun) -> str:
    filters = task.config.get("filter_list") or []
    return f"{sample.key.within_task()} ({sample.filter})" if len(filters) > 1 else sample.key.within_task()


def _difference(task: TaskRun, where: str, what: str, recorded: Any, expected: Any) -> Difference:
    return Difference(task.task, where, what, *_contrast(_text(recorded), _text(expected)))


def _text(value: Any) -> str:
    return _MISSING if value is None else value if isinstance(value, str) else repr(value)


def _contrast(one: str, other: str) -> tuple[str, str]:
    """Return two texts shortened around the first place where they differ, with control characters escaped."""
    place = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(0, place - _SHOWN // 3)

    def cut(text: str) -> str:
        piece = text[start : start + _SHOWN]
        line = ("…" if start else "") + piece + ("…" if start + _SHOWN < len(text) else "")
        return json.dumps(line, ensure_ascii=False) if line != line.strip() or not line.isprintable() else line

    return cut(one), cut(other)
