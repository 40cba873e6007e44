"""Independent execution reasoning (IER): predict what a program computes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lm_eval_codemind.answers.comparison import too_long
from lm_eval_codemind.answers.output import likely_answer, marked_answer
from lm_eval_codemind.benchmarks import Benchmark
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.languages import Kind, kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Family, Key, Part, Question, Unit
from lm_eval_codemind.questions.family import prompts, responses
from lm_eval_codemind.questions.samples import TaskRun
from lm_eval_codemind.scores.ier import s_ier, s_ier_text

STRICT, FLEXIBLE = "strict-match", "flexible-extract"
DIRECT = "direct"

# The columns of a problem that a document of this family shows; the rest is found by problem_id.
_COLUMNS = ("code", "entry_point", "input", "output", "category", "complexity")


class ExecutionReasoning(Family):
    """IER: one question a problem. Under the setting ``direct`` the model answers at once instead of step by step."""

    name = "ier"
    title = "IER"
    templates = "ier"
    filters: tuple[str, ...] = (STRICT, FLEXIBLE)
    metric = "r_ier"
    verdict = "r_ier"
    scores = ("S_IER",)
    authors_task = "IER"

    def variant(self, benchmark: Benchmark, settings: Sequence[str]) -> str:
        return DIRECT_IER.name if DIRECT in settings else self.name

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        row = problem.to_row()
        key = Key(problem.benchmark, problem.problem_id, setting)
        yield Question(key, problem.kind, problem.language, {column: row[column] for column in _COLUMNS})

    def example(self, kind: Kind, record: Mapping[str, Any], setting: str) -> Mapping[str, Any]:
        return record

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {
            "code": fields["code"].strip("\n"),
            "input": _shown(fields["input"]),
            "entry_point": fields["entry_point"],
            "setting": setting,
        }

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        reasoning = fields.get("reasoning", "").strip()
        return {"output": _shown(fields["output"]), "reasoning": reasoning, "setting": setting}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the text behind the answer marker or, flexibly, else the last text that looks like an answer."""
        find = marked_answer if filter == STRICT else likely_answer
        return Answer(find(response, kind_of(question).printed))

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        right = s_ier(answer.found, question["output"], kind_of(question).printed)
        return {"r_ier": float(right), **self._as_text(question, answer)}

    def _as_text(self, question: Question, answer: Answer) -> dict[str, float]:
        return {
            "r_ier_text": float(s_ier_text(answer.found, question["output"])),
            "answered": float(answer.found is not None),
        }

    def outcome(self, unit: Unit) -> str:
        if self.solved(unit):
            return "right output"
        return "no answer" if unit[0].answer.found is None else "wrong output"

    def predicts(self, unit: Unit) -> bool | None:
        return self.solved(unit)

    def type_match(self, unit: Unit) -> tuple[str, str | None, bool] | None:
        (sample,) = unit
        label = sample.doc.get("output")
        if label is None:
            return None
        type_of = kind_of(Question.from_document(sample.doc)).output_type
        true, answer = type_of(str(label)), sample.answer.found
        if true is None:
            return None
        # What the score does not parse has no type either.
        readable = answer is not None and not too_long(answer, str(label))
        return true, type_of(answer) if answer is not None and readable else None, self.solved(unit)

    def leaderboard(self, task: TaskRun) -> dict[str, float]:
        metric = task.metric(self.metric)
        return {"RIER": metric.value} if metric else {}

    def parts(self, unit: Unit) -> list[Part]:
        (sample,) = unit
        answer, language = sample.answer.found, str(sample.doc.get("language", ""))
        return [
            Part("Program C", "code", str(sample.doc.get("code", "")), language=language),
            Part("Input I", "code", str(sample.doc.get("input", "")), language=language),
            Part("Label C(I)", "text", str(sample.doc.get("output", "")), beside=True),
            Part("Answer", "text", "(none found)" if answer is None else answer, beside=True),
            *prompts(sample),
            *responses(sample),
        ]


class DirectExecutionReasoning(ExecutionReasoning):
    """IER without reasoning step by step, as results are shown; its questions are asked by :data:`IER`."""

    name = "ier_direct"
    title = "IER direct"
    in_overlap = False
    submittable = False


class PublishedExecutionReasoning(ExecutionReasoning):
    """IER on the artifact's own programs and labels, which are compared as text only."""

    name = "ier_published"
    title = "IER published"
    filters = (STRICT,)
    metric = "r_ier_text"
    verdict = "r_ier_text"
    in_overlap = False
    submittable = False

    def variant(self, benchmark: Benchmark, settings: Sequence[str]) -> str:
        return self.name

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return what is behind the answer marker, be it nothing, as the artifact does."""
        return Answer(marked_answer(response, printed=True))

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        return self._as_text(question, answer)

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        return dict(means)


def _shown(text: str) -> str:
    """Return a text as it stands between the lines around it."""
    return text.strip("\n")


IER, DIRECT_IER, PUBLISHED_IER = ExecutionReasoning(), DirectExecutionReasoning(), PublishedExecutionReasoning()

_hooks = Hooks(IER)
dataset, process_results = _hooks.dataset, _hooks.process_results
strict_match, flexible_extract = _hooks.filter(STRICT), _hooks.filter(FLEXIBLE)

_published = Hooks(PUBLISHED_IER)
published_dataset, process_published_results = _published.dataset, _published.process_results
published_match = _published.filter(STRICT)
