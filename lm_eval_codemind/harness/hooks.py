"""The harness's hooks, for every family the same: data set, filters and ``process_results``.

The harness calls the function behind ``custom_dataset`` with the YAML's ``metadata`` (into which it merges
``--metadata`` and ``--model_args``) and ``dataset_kwargs``, and expects datasets by split. By our convention every
document, of whatever family, has the columns

- ``benchmark``, ``problem_id``, ``setting``, ``item``: its key;
- ``prompt``: what ``doc_to_text`` shows the model, rendered from the family's templates;
- ``target``: a complete response that gets full marks. ``doc_to_target`` shows it for few-shot examples, and the model
  ``codemind-oracle`` answers with it.
"""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from importlib.metadata import version
from itertools import product
from typing import TYPE_CHECKING, Any

from lm_eval_codemind.answers import thinking
from lm_eval_codemind.data.catalogue import get_benchmark
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.family import Family
from lm_eval_codemind.harness.aggregations import Value, pass_at_reported_k, unproven_passes
from lm_eval_codemind.harness.contract import use_own_evaluation
from lm_eval_codemind.harness.provenance import OPENED, SHORT_SEED, THINKING, record_task, splits
from lm_eval_codemind.harness.reply import SKIPPED
from lm_eval_codemind.harness.state import state
from lm_eval_codemind.harness.templates import Templates
from lm_eval_codemind.languages import Kind, get_language, kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import PLACE, Answer, Key, Question

if TYPE_CHECKING:
    from datasets import Dataset

    from lm_eval_codemind.sandbox import Job, Outcome

Filter = Callable[[Sequence[Sequence[str]], Sequence[Mapping[str, Any]]], list[list[Answer]]]


# Readings of responses without an answer.
_NONE = ("no_answer", "unfinished")


class Reader:
    """Reads the answers in responses to a family's questions and submits their jobs, equal ones once.

    It does not wait: programs run while the harness goes through the documents.

    Args:
        family: The family.
        filter: Name of one of its filters.
    """

    def __init__(self, family: Family, filter: str) -> None:
        self._family = family
        self._filter = filter
        self._running: dict[tuple[Job, Job | None], tuple[Future[Outcome], Future[Outcome | None] | None]] = {}

    def read(self, response: str, question: Question, opening: str = "") -> Answer:
        """Return the answer in a response; where something is executed for it, that is pending.

        Thinking without an end is unfinished. If the endpoint reports that the response ended by itself, it is read as
        an answer.

        Args:
            response: The model's unchanged response.
            question: What was asked.
            opening: The tag with which the chat template opened the thinking; empty if it did not.

        Raises:
            TypeError: If the family's ``read`` returns anything but an Answer.
        """
        return self.submit(read_answer(self._family, self._filter, response, question, opening), question)

    def submit(self, answer: Answer, question: Question) -> Answer:
        """Return an answer that was read, with its execution pending if something is executed for it."""
        job = None if answer.skipped else self._family.job(answer, question)
        if job is not None:
            witnesses = self._family.witness_job(answer, question)
            same = dataclasses.replace(job, job_id=""), witnesses and dataclasses.replace(witnesses, job_id="")
            if same not in self._running:
                from lm_eval_codemind.harness.jobs import executed

                self._running[same] = executed(job, witnesses)
            answer.pending, answer.further = self._running[same]
        return answer


def read_answer(family: Family, filter: str, response: str, question: Question, opening: str = "") -> Answer:
    """Return the answer in a response; see :meth:`Reader.read`. Nothing is executed."""
    if response == SKIPPED:
        return Answer(None, skipped=True)

    def read(text: str) -> Answer:
        answer = family.read(text, question, filter)
        if not isinstance(answer, Answer):
            raise TypeError(
                f"the family {family.name!r}: its read() returned {type(answer).__name__} and must return an "
                "Answer; write `return Answer(text)`, or `return Answer(None)` for a response without an answer"
            )
        return answer

    text = thinking.opened(response, opening) if opening else response
    answer = read(text)
    if answer.reading in _NONE and thinking.without_thinking(text) is None:
        if getattr(response, "cut", None) is False:
            answer = read(thinking.ended(text))
        if answer.reading in _NONE:
            answer.reading = "unfinished"
            answer.details["unfinished"] = "opened by the chat template" if text is not response else "never closed"
    return answer


class Hooks:
    """What the YAML files of a family name.

    Args:
        family: The family.
        short: Whether the tasks are short forms: they ask so many of their questions as their files say.
    """

    def __init__(self, family: Family, short: bool = False) -> None:
        self._family, self._short = family, short
        # Responses that were read for a filter, and their answers for the other filters, which read them next.
        self._ahead: tuple[Sequence[Sequence[str]], dict[str, list[list[Answer]]]] = ((), {})

    @property
    def options(self) -> tuple[str, ...]:
        """What ``--metadata`` may set."""
        return ("prompts", THINKING, *self._family.options, *([SHORT_SEED] if self._short else []))

    def announcement(self, suite: Mapping[str, Any]) -> str:
        """Return what users must know before the first request of a task, from its record."""
        return self._family.announcement(suite)

    def dataset(
        self,
        *,
        benchmark: str,
        setting: str = "",
        settings: Sequence[str] = (),
        prompts: str | None = None,
        thinking: str | None = None,
        suite: dict[str, Any] | None = None,
        requests: int = 0,
        **options: Any,
    ) -> dict[str, Dataset]:
        """Return a document for each question, and as few-shot examples a worked one for each kind of program.

        Args:
            benchmark: Name of a benchmark.
            setting: How the problems are posed; or
            settings: in which ways. The documents of a problem follow each other in this order.
            prompts: Directory of the user's own templates, from ``--metadata prompts=DIR``.
            thinking: ``opened`` if the chat template of an endpoint opens the thinking, from ``--metadata``.
            suite: Where to record what the results must record; see :mod:`lm_eval_codemind.harness.provenance`.
            requests: How many questions a short form asks.
            options: ``--metadata`` and ``--model_args``; the family picks what it knows.

        Raises:
            UserError: If there is no such benchmark, an option has an unusable value, nothing is asked, two questions
                have the same key, or what programs need is not installed. The message says how to fix it.
            HiddenPackages: If what the programs import is installed and cannot be imported in the sandbox.
        """
        if thinking not in (None, OPENED):
            raise UserError(
                f"--metadata thinking={thinking}: the only value is {OPENED!r}, for an endpoint whose chat template "
                "opens the thinking; leave it out for any other model"
            )
        use_own_evaluation()
        family = self._family
        entry = get_benchmark(benchmark)
        ways = tuple(settings) or (setting,)
        family_options = {name: options[name] for name in self.options if options.get(name) is not None}
        templates = Templates(family.templates, prompts)
        problems = family.problems(entry, family_options)
        if family.executes:
            require_runnable(problems, family.answered_in)
        if suite is not None:
            record_task(suite, family, entry, ways, family_options, templates)
            suite.update({THINKING: thinking} if thinking else {})
            family.record(suite, entry, family_options)
        every = [question for problem in problems for way in ways for question in family.questions(problem, way)]
        questions = family.selected(every, family_options)
        _require_questions(family, benchmark, problems, ways, questions)
        if self._short:
            from lm_eval_codemind.harness.short import short_form

            questions, drawn = short_form(questions, family, requests, family_options)
            if suite is not None:
                suite.update({"family": f"{suite['family']}_short", "short": drawn})
        documents = [with_texts(question, family, templates).document() for question in questions]
        if suite is not None:
            suite["questions"] = len(documents)
        examples = templates.examples()
        worked = [
            _example(kind, examples[kind.template], family, templates, way)
            for kind in _kinds(problems)
            if kind.template in examples
            for way in family.shown_settings(ways)
        ]
        return splits(documents, worked)

    @property
    def functions(self) -> tuple[Any, ...]:
        """What the YAML files name: the data set, ``process_results``, and the family's filters in their order."""
        return (self.dataset, self.process_results, *map(self.filter, self._family.filters))

    def filter(self, name: str) -> Filter:
        """Return the filter of a name, one of the family's."""
        family = self._family
        if name not in family.filters:
            raise UserError(f"{family.name} has no filter {name!r}; it has {', '.join(family.filters)}")

        def read(responses: Sequence[Sequence[str]], documents: Sequence[Mapping[str, Any]]) -> list[list[Answer]]:
            """Return the answers in the responses; what is to be executed is submitted to the sandbox."""
            reader, questions = Reader(family, name), list(map(Question.from_document, documents))
            return [
                [reader.submit(answer, question) for answer in answers]
                for answers, question in zip(self._read(name, responses, questions), questions, strict=True)
            ]

        return read

    def _read(
        self, name: str, responses: Sequence[Sequence[str]], questions: Sequence[Question]
    ) -> Iterator[list[Answer]]:
        """Yield the answers to each question under a filter. Those under the other filters are kept until they ask."""
        before, ahead = self._ahead
        if name in ahead and len(before) == len(responses) and all(map(operator.is_, before, responses)):
            yield from ahead.pop(name)
            return
        family = self._family
        ahead = {filter: [] for filter in family.filters if filter != name}
        openings = state.openings or [""] * len(responses)
        for texts, question, opening in zip(responses, questions, openings, strict=True):
            answers: dict[str, list[Answer]] = {filter: [] for filter in (name, *ahead)}
            # The thinking of a response is looked for once if all filters read it in turn.
            for text, (filter, read) in product(texts, answers.items()):
                read.append(read_answer(family, filter, text, question, opening))
            yield answers.pop(name)
            for filter, read in answers.items():
                ahead[filter].append(read)
        self._ahead = responses, ahead

    def process_results(
        self, document: Mapping[str, Any], results: Sequence[Sequence[Answer]] | Sequence[Answer]
    ) -> dict[str, Any]:
        """Return the metrics of one document; over several responses (``repeats``) their means, and pass@k.

        Args:
            document: A row of the data set.
            results: What the filter made of the responses to the document.

        Returns:
            Metric -> value; nothing for a document that is to be left out.
        """
        answers = _repeats(results)
        if any(answer.skipped for answer in answers):
            return {}
        question = Question.from_document(document)
        scores = []
        for answer in answers:
            answer.wait()
            scores.append(_scores(self._family, question, answer))
        means = {metric: sum(score[metric] for score in scores) / len(scores) for metric in scores[0]}
        verdicts = [bool(score[self._family.verdict]) for score in scores]
        pass_at_k = pass_at_reported_k(verdicts, state.fewest)
        metrics = self._family.logged(question, means, pass_at_k)
        metrics.update(self._family.joint(question, answers))
        # Several documents about a problem are not independent: each number knows its problem.
        problem = question.key.problem_id
        place = question.fields.get(PLACE)
        metrics = {name: Value.of(x, problem, place) if isinstance(x, float) else x for name, x in metrics.items()}
        if self._family.executes:
            metrics["unproven_passes"] = unproven_passes((answer.passed, answer.tamper_proof) for answer in answers)
        return metrics


def require_runnable(
    problems: Iterable[Problem],
    language_of: Callable[[Problem], str] = operator.attrgetter("language"),
    columns: Sequence[str] = ("code",),
) -> None:
    """Check that right answers can run here: their language and the packages that programs and tests import.

    Args:
        problems: The problems of the task.
        language_of: The language of a problem's answers; empty if they are not executed. The imports of a program in
            another language do not matter.
        columns: The columns of programs that an answer may resemble. Columns that only documents have are ignored.

    Raises:
        UserError: If something is not installed. The message says what, and the command that installs it.
        HiddenPackages: If an installed package cannot be imported in the sandbox.
    """
    sources: dict[str, set[str]] = {}
    for problem in problems:
        language = language_of(problem)
        texts = {problem.tests, *(getattr(problem, column, "") for column in columns)}
        sources.setdefault(language, set()).update(texts if language == problem.language else ())
    sources.pop("", None)
    for language, programs in sources.items():
        try:
            get_language(language).require(programs)
        except (ValueError, RuntimeError) as error:
            if state.faults is None:
                raise
            state.faults.append(str(error))


def _repeats(results: Sequence[Sequence[Answer]] | Sequence[Answer]) -> list[Answer]:
    """Return the answers that the filter read from the responses to one document.

    The harness's branch for 0.5 passes the list of repeats to ``process_results``, 0.4.13 a list with one such list.

    Raises:
        TypeError: If the harness passes something else.
    """
    repeats = results[0] if len(results) == 1 and isinstance(results[0], (list, tuple)) else results
    answers = [item for item in repeats if isinstance(item, Answer)]
    if len(answers) < len(repeats):
        raise TypeError(
            f"lm-eval {version('lm_eval')} hands process_results {type(results[0]).__name__} instead of "
            "Answer; install a release that this suite knows: pip install 'lm-eval<0.6'"
        )
    return answers


def _require_questions(
    family: Family, benchmark: str, problems: Sequence[Problem], settings: Sequence[str], questions: Sequence[Question]
) -> None:
    """Raise a ValueError where a task has no questions, or two with the same key."""
    if not problems:
        raise UserError(
            f"{benchmark}: {family.title} asks about none of its problems: problems() of the family {family.name!r} "
            "leaves none; choose another benchmark, or, if its data are from another release, run "
            f"`codemind data build --benchmark {benchmark}`"
        )
    if not questions:
        ways = ", ".join(repr(way) for way in settings)
        raise UserError(
            f"{benchmark}: {family.title} asks nothing about its {len(problems)} problems: questions() of the family "
            f"{family.name!r} returns none under the setting {ways}; check `settings` in the task's dataset_kwargs"
        )
    seen: set[Key] = set()
    for question in questions:
        if question.key in seen:
            raise UserError(
                f"{benchmark}: the family {family.name!r} asks two questions with the key {tuple(question.key)}; "
                "give them different items: Key(benchmark, problem_id, setting, item)"
            )
        seen.add(question.key)


def _scores(family: Family, question: Question, answer: Answer) -> dict[str, float]:
    scores = family.score(question, answer)
    if family.verdict not in scores:
        raise UserError(
            f"the family {family.name!r}: score() returned {', '.join(scores) or 'no metric'} and lacks "
            f"{family.verdict!r}, which the family names as its verdict; return it, or change `verdict`"
        )
    return scores


def _kinds(problems: Sequence[Problem]) -> list[Kind]:
    """Return the kinds of the problems' programs, in the order of their languages."""
    pairs = {(problem.language, problem.kind) for problem in problems}
    known = [(name, kind) for name in dict.fromkeys(p.language for p in problems) for kind in get_language(name).kinds]
    return [kind for name, kind in known if (name, kind.name) in pairs]


def with_texts(question: Question, family: Family, templates: Templates) -> Question:
    """Return a question with its prompt and its target."""
    kind = kind_of(question)
    fields = {**question.key._asdict(), **question.fields}
    return dataclasses.replace(question, **_texts(kind, fields, family, templates, question.key.setting))


def _example(
    kind: Kind, record: Mapping[str, Any], family: Family, templates: Templates, setting: str
) -> dict[str, Any]:
    try:
        fields = family.example(kind, record, setting)
        return {"kind": kind.name, **fields, **_texts(kind, fields, family, templates, setting)}
    except (AttributeError, KeyError, TypeError) as error:
        if templates.packaged:
            raise
        raise UserError(
            f"{templates.directory}/examples.yaml: the few-shot example {kind.template!r} is incomplete ({error!r}); "
            "start from the packaged one"
        ) from error


def _texts(kind: Kind, fields: Mapping[str, Any], family: Family, templates: Templates, setting: str) -> dict[str, Any]:
    prompt = templates.render(family.template(kind, setting), **family.prompt(kind, fields, setting))
    response = {"reasoning": (fields.get("reasoning") or "").strip(), "setting": setting}
    response |= family.target(kind, fields, setting)
    return {"prompt": prompt, "target": templates.render("response", **response).rstrip()}
