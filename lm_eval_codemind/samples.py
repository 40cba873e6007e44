"""The harness's log of a run: its tasks, their samples and their metrics."""

import gc
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from lm_eval_codemind.questions import Answer, Key


@dataclass(frozen=True)
class Sample:
    """One question of one task with what a model answered and what that scored, as the harness logged it.

    Attributes:
        doc: The question as the task saw it: a row of the data set.
        doc_id: The question's place in the task.
        target: The label the harness recorded.
        prompts: What the model was given, one text per request; of a chat its messages as JSON, as they were sent.
        responses: What the model said, one list of repeats a request.
        answers: What the task's filter found in the responses, in their order.
        filter: Name of that filter.
        scores: Metric -> value for this sample.
        raw: The whole line.
        chat: Whether the prompts are messages of a chat.
        recorded: Whether the response was recorded elsewhere; what the model was given is then not known here.
    """

    doc: Mapping[str, Any]
    doc_id: int
    target: str
    prompts: tuple[str, ...]
    responses: tuple[tuple[str, ...], ...]
    answers: tuple[Answer, ...]
    filter: str
    scores: Mapping[str, Any]
    raw: Mapping[str, Any] = field(repr=False)
    chat: bool = False
    recorded: bool = False

    @cached_property
    def key(self) -> Key:
        """The question's key; where the data gives the problem no name, its place in the task stands for it."""
        return Key.of({"benchmark": "", "problem_id": self.doc_id, **self.doc})

    @property
    def answer(self) -> Answer:
        """The first answer; an empty one where there is none."""
        return self.answers[0] if self.answers else Answer(None)


def response_text(logged: Any) -> str:
    """Return the text of a logged response; null is an empty one."""
    return "" if logged is None else str(logged)


def logged_responses(resps: Any) -> list[Any]:
    """Return the responses that the harness logged for a document: of each request a list, or the only one.

    Raises:
        TypeError: If it is not a list.
    """
    if not isinstance(resps, list):
        raise TypeError(f"resps are {type(resps).__name__}, and must be a list")
    return [text for of_request in resps for text in (of_request if isinstance(of_request, list) else [of_request])]


def prompt_as_sent(request: Any) -> tuple[str, bool]:
    """Return the prompt of a request as the harness logged it, and whether it is a chat.

    The harness logs a text as ``arg_0``. For a chat API it logs a list with one text there: the messages as JSON.

    Args:
        request: A value of a sample's ``arguments``: a dict with ``arg_0``, or a list that begins with it.
    """
    prompt = request.get("arg_0", "") if isinstance(request, Mapping) else request[0]
    if isinstance(prompt, list):
        return str(prompt[0]) if prompt else "", True
    return str(prompt), False


@dataclass(frozen=True)
class Metric:
    """An aggregated metric as the harness reports it; ``stderr`` is None where it gives none."""

    name: str
    filter: str
    value: float
    stderr: float | None


@dataclass(frozen=True)
class TaskRun:
    """One task of one run.

    Attributes:
        task: The task's name.
        config: The task's configuration as the harness wrote it.
        metrics: Its aggregated metrics.
        original: Number of questions of the task.
        effective: Number of questions that were run; smaller under ``--limit``.
        samples_file: The file the samples come from; None where samples were not logged.
        read: Reads such a file, but the samples under the filters ``without``.
    """

    task: str
    config: Mapping[str, Any]
    metrics: tuple[Metric, ...]
    original: int
    effective: int
    samples_file: Path | None
    read: Callable[..., Iterator[Sample]] = field(repr=False)

    def each_sample(self, main_filter: bool = False) -> Iterator[Sample]:
        """Read the samples one by one, in the order of the file; none where they were not logged.

        Nothing is kept here: they are what is large in a run, and few who look at a task need them.

        Args:
            main_filter: Whether those under the task's other filters may be left out, which takes less time.
        """
        names = [str(entry.get("name")) for entry in self.config.get("filter_list") or ()] if main_filter else []
        others = [name for name in names if name != self.main_filter]
        return self.read(self.samples_file, without=others) if self.samples_file else iter(())

    def read_samples(self) -> tuple[Sample, ...]:
        """Read all samples."""
        return tuple(self.each_sample())

    @cached_property
    def scored_samples(self) -> list[Sample]:
        """The samples that have scores, each question once: under the main filter. Unlike others they are kept."""
        with _without_collection():
            samples = list(self.each_sample(main_filter=True))
        filters = dict.fromkeys(sample.filter for sample in samples)
        main = self.main_filter if self.main_filter in filters else next(iter(filters), None)
        return [sample for sample in samples if sample.filter == main and sample.scores]

    @cached_property
    def metadata(self) -> Mapping[str, Any]:
        """The metadata of the task's configuration."""
        metadata = self.config.get("metadata")
        return metadata if isinstance(metadata, Mapping) else {}

    @cached_property
    def suite(self) -> Mapping[str, Any]:
        """This suite's record of the task; empty if there is no record."""
        suite = self.metadata.get("suite")
        return suite if isinstance(suite, Mapping) else {}

    @property
    def predicted_only(self) -> bool:
        """Whether the run kept the responses without scoring them (``--predict_only``)."""
        return [metric.get("metric") for metric in self.config.get("metric_list") or ()] == ["bypass"]

    @property
    def version(self) -> Any:
        """The version of the task; None where the run does not record it."""
        return self.metadata.get("version")

    @property
    def benchmark(self) -> str:
        """The name of the benchmark that it asks about."""
        return str(self.suite.get("benchmark"))

    @cached_property
    def main_filter(self) -> str | None:
        """The first of the task's filters, by which its answers and scores are shown; None where there is none."""
        filters = self.config.get("filter_list") or [{}]
        name = filters[0].get("name")
        return None if name is None else str(name)

    @cached_property
    def main_metrics(self) -> Mapping[str, Metric]:
        """The metrics by name, each under the main filter, else under the first filter that has it; in their order."""
        metrics: dict[str, Metric] = {}
        for metric in self.metrics:
            if metric.name not in metrics or metric.filter == self.main_filter:
                metrics[metric.name] = metric
        return metrics


@contextmanager
def _without_collection() -> Iterator[None]:
    """Have Python look for no cycles of garbage, now or later, in what is read: searching takes as long as reading."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if enabled:
            gc.enable()
