"""Input prediction: find an input that makes a program give its output."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from lm_eval_codemind.answers.pipeline import INPUT, read
from lm_eval_codemind.answers.thinking import without_thinking
from lm_eval_codemind.data import load_side
from lm_eval_codemind.data.catalogue.limits import limits_of
from lm_eval_codemind.data.facts.executions import Execution
from lm_eval_codemind.families.ier.task import COLUMNS, DIRECT, FLEXIBLE, STRICT
from lm_eval_codemind.families.ier.task import Fields as ProblemFields
from lm_eval_codemind.families.input.score import s_input
from lm_eval_codemind.family import Family, Variant
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.languages import Kind, PredictedInput, kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Question
from lm_eval_codemind.sandbox import Job, ScriptCase

# Characters of a computed output that are logged.
_LOGGED = 1_000


_VIEW = "lm_eval_codemind.families.input.view:InputView"
_USUAL = Variant("input", "Input", _VIEW, in_overlap=True)
_DIRECT = Variant("input_direct", "Input direct", _VIEW, DIRECT, submittable=False)


class Fields(ProblemFields):
    """The columns of a document: those of its problem, and its own.

    Attributes:
        masked: The input with a placeholder for each value that is asked for.
        answer: The values of the recorded input.
        plain: Whether an input that says nothing is right.
    """

    masked: str
    answer: str
    plain: bool


class InputPrediction(Family):
    """One question per problem. Under the setting ``direct`` the model answers at once, not step by step."""

    variants: ClassVar[tuple[Variant, ...]] = (_USUAL, _DIRECT)
    templates = Path(__file__).with_name("templates")
    executes = True
    filters = (STRICT, FLEXIBLE)
    metric = "r_input"
    verdict = "r_input"

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        """Return the question, if there is anything to predict: some tests hand nothing to the program."""
        if kind_of(problem).masked_input(problem) is None:
            return []
        return _questions(problem, setting, plain=problem.problem_id in load_side(problem.benchmark, "input"))

    def own_questions(self, problem: Problem, execution: Execution, setting: str) -> Iterable[Question]:
        """Return the question, if the arguments are literals: no answer can hand over functions, types or iterators."""
        # Without literals in the recorded input, there is no usual input either.
        return _questions(problem, setting, plain=False) if kind_of(problem).default_inputs(problem) else []

    def idle_responses(self, question: Question) -> Iterable[str]:
        return [f"<input>\n{text}\n</input>" for text in kind_of(question).default_inputs(self.posed(question))]

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        texts = {name: fields[name].strip("\n") for name in ("code", "masked", "output")}
        return {**texts, "entry_point": fields["entry_point"], "setting": setting}

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {"input": fields["answer"].rstrip("\n")}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the input between the marks or, with the flexible filter, also one that is stated without them."""
        kind, problem = kind_of(question), self.posed(question)
        block = read(
            response,
            INPUT,
            lambda text: kind.read_input(text, problem),
            empty=kind.printed,
            anywhere=filter == FLEXIBLE,
        )
        guess = block.value
        if guess is None and filter == FLEXIBLE:
            # A base model answers with the input alone.
            guess = kind.read_input(without_thinking(response) or "", problem)
        return guessed(block.text, guess, block.reading)

    def job(self, answer: Answer, question: Question) -> Job | None:
        """Return the job that runs the problem's program on the values of the answer; None if there is no need."""
        if answer.program is None:
            return None
        problem = self.posed(question)
        execution = kind_of(problem).execution(replace(problem, input=answer.program))
        limits, name = limits_of(problem), problem.problem_id
        if execution.expression is None:
            return Job.script(execution.module, [ScriptCase(execution.stdin)], limits=limits, job_id=name)
        return Job.evaluate(execution.module, [execution.expression], limits=limits, job_id=name)

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        printed = kind_of(question).printed
        computed = _computed(answer, printed)
        if computed is not None:
            answer.details["computed"] = computed[:_LOGGED]
        recorded = bool(answer.details.get("as_recorded"))
        return {
            "r_input": float(s_input(recorded, computed, question.typed(Fields)["output"], printed)),
            "as_recorded": float(recorded),
            "answered": float(answer.text is not None),
        }

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        """Return the metrics of a document; ``r_input_searched`` is None where an input that says nothing is right."""
        searched = None if question.typed(Fields)["plain"] else means["r_input"]
        return {**means, "r_input_searched": searched, **pass_at_k}


def _questions(problem: Problem, setting: str, plain: bool) -> Iterable[Question]:
    masked = kind_of(problem).masked_input(problem)
    if masked is not None:
        fields = {"masked": masked, "answer": kind_of(problem).input_answer(problem), "plain": plain}
        yield Question.about(problem, setting, fields, columns=COLUMNS)


def guessed(text: str | None, guess: PredictedInput | None, reading: str = "") -> Answer:
    """Return the answer that states an input, if its text is one. What is recorded need not be executed."""
    if guess is None:
        return Answer(text, {"readable": False, "as_recorded": False}, reading)
    program = None if guess.recorded else guess.input
    return Answer(text, {"readable": True, "as_recorded": guess.recorded}, "read", program=program)


def _computed(answer: Answer, printed: bool) -> str | None:
    """Return the program's output on the answer; None if it was not executed or has no output."""
    if not answer.passed or len(answer.observations) != 1:
        return None
    (observation,) = answer.observations
    if printed:
        return observation.stdout
    return None if observation.exception_type else observation.literal


INPUT_PREDICTION = InputPrediction()

dataset, process_results, strict_match, flexible_extract = Hooks(INPUT_PREDICTION).functions
