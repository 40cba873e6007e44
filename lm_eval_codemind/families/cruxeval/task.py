"""CRUXEval as published: predict an output or an input, with upstream's prompts.

A question is about a problem of the benchmark ``cruxeval``, whose label is proven; its prompt is a problem's text in
the benchmark ``cruxeval_prompts``, which is read from upstream's file when data is built.
"""

import abc
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from lm_eval_codemind.answers.thinking import without_thinking
from lm_eval_codemind.data.catalogue.limits import limits_of
from lm_eval_codemind.families.cruxeval import score as scores
from lm_eval_codemind.families.cruxeval.read import MARKS, block, closed, sides, upstream_answer, with_own_thoughts
from lm_eval_codemind.families.ier.score import s_ier
from lm_eval_codemind.families.ier.task import COLUMNS, Fields
from lm_eval_codemind.families.input.score import s_input
from lm_eval_codemind.families.input.task import guessed
from lm_eval_codemind.families.published.prompts import UpstreamPrompts
from lm_eval_codemind.family import Variant, problem_of
from lm_eval_codemind.harness.aggregations import reported_k
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.harness.state import state
from lm_eval_codemind.languages import Kind, kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Question
from lm_eval_codemind.sandbox import Job

DIRECT, COT, PHIND = "direct", "cot", "phind"
FILTER = "extract-answer"
THOUGHT = "[THOUGHT]\n"

# The texts that a response with full marks has around its assertion: in front of it and after it.
_AROUND = {DIRECT: ("", "\n[/ANSWER]"), COT: ("[/THOUGHT]\n[ANSWER]\n", "\n[/ANSWER]"), PHIND: ("", " # done")}


class Cruxeval(UpstreamPrompts):
    """What the two kinds of prediction share: the prompts, the forms, and upstream's verdict next to ours."""

    options = ("extracted",)
    executes = True
    filters = (FILTER,)
    metric = "pass@1"
    verdict = "pass@1"
    # The benchmark with the texts of the prompts.
    prompt_texts = "cruxeval_prompts"

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        yield Question.about(problem, setting, {}, columns=COLUMNS)

    def selected(self, questions: Sequence[Question], options: Mapping[str, Any]) -> Sequence[Question]:
        """Return the questions, marked if the responses to them are answers that somebody took out already."""
        if not options.get("extracted"):
            return questions
        return [replace(question, fields={**question.fields, "extracted": True}) for question in questions]

    def text(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> str:
        return str(self.texts(fields["problem_id"])[f"{self.asks_for}_{setting}"])

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        before, after = _AROUND[setting]
        assertion = f"assert {fields['input']} == {fields['output']}"
        return {"answer": f" {fields['output']}{after}" if setting == PHIND else f"{before}{assertion}{after}"}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        # The prompts with CoT end with this mark, which a response may repeat.
        response = response.removeprefix(THOUGHT)
        if question.fields.get("extracted"):
            published, text = response, response if response.strip() else None
        else:
            published = self.published_answer(with_own_thoughts(response), question.key.setting)
            text = self.block(without_thinking(closed(response), MARKS) or "", question.key.setting)
        answer, fields = self.answer(text, question), question.typed(Fields)
        excluded = scores.excluded_upstream(published, fields["input"], self.asks_for == "input")
        verdict = False if excluded else scores.upstream_verdict(published, fields["output"])
        answer.details |= {"published_answer": published, "excluded_upstream": excluded, "upstream": verdict}
        return answer

    def block(self, response: str, form: str) -> str | None:
        """Return the block with the answer in a response without thinking; None if there is none."""
        return block(response, form)

    def published_answer(self, response: str, form: str) -> str:
        """Return what upstream cuts out of a response."""
        return upstream_answer(response, form, self.asks_for == "input")

    def executed(self, code: str, statement: str) -> str:
        """Return the program after which a statement with an answer is executed."""
        return code

    @abc.abstractmethod
    def answer(self, text: str | None, question: Question) -> Answer:
        """Return the answer in a block. Its program is an input to execute."""

    def job(self, answer: Answer, question: Question) -> Job | None:
        """Return the job that calls the function on the answer's input and executes upstream's assertion, as needed."""
        problem = problem_of(question)
        code, expressions = problem.code, [] if answer.program is None else [answer.program]
        if answer.details["upstream"] is None:
            assertion = scores.upstream_assertion(answer.details["published_answer"], question.typed(Fields)["output"])
            code = self.executed(code, assertion)
            # The value of an assertion that passes.
            expressions.append(f"{assertion}\nTrue")
        if not expressions:
            return None
        return Job.evaluate(code, expressions, limits=limits_of(problem), job_id=problem.problem_id)

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        observed = list(answer.observations)
        computed = observed.pop(0) if answer.program is not None and observed else None
        if answer.details["upstream"] is None:
            answer.details["upstream"] = bool(observed) and observed[0].literal == "True"
        right = self.right(question, answer, computed.literal if computed else None)
        return {
            "pass@1": float(right),
            "pass@1_upstream": float(answer.details["upstream"]),
            "answered": float(answer.text is not None),
        }

    @abc.abstractmethod
    def right(self, question: Question, answer: Answer, computed: str | None) -> bool:
        """Whether an answer is right. ``computed`` is the program's output on it, None without one."""

    def joint(self, question: Question, answers: Sequence[Answer]) -> dict[str, Any]:
        """Return pass@k by upstream's rule."""
        verdicts = [None if answer.details["excluded_upstream"] else answer.details["upstream"] for answer in answers]
        largest = min(state.fewest or len(answers), len(answers))
        return {f"pass@{k}_upstream": scores.upstream_pass_at_k(verdicts, k) for k in sorted({1, *reported_k(largest)})}


_OUTPUT_VIEW = "lm_eval_codemind.families.cruxeval.view:CruxevalOutputView"
_INPUT_VIEW = "lm_eval_codemind.families.cruxeval.view:CruxevalInputView"


class CruxevalOutput(Cruxeval):
    """CRUXEval-O: complete the assertion with the output."""

    variants: ClassVar[tuple[Variant, ...]] = (
        Variant("cruxeval_output", "CRUXEval-O direct", _OUTPUT_VIEW, DIRECT, paper="gu2024cruxeval"),
        Variant("cruxeval_output_cot", "CRUXEval-O CoT", _OUTPUT_VIEW, COT, paper="gu2024cruxeval"),
        Variant("cruxeval_output_phind", "CRUXEval-O Phind", _OUTPUT_VIEW, PHIND, paper="gu2024cruxeval"),
        Variant("cruxeval_output_short", "CRUXEval-O short", _OUTPUT_VIEW),
    )

    def answer(self, text: str | None, question: Question) -> Answer:
        if text is None:
            return Answer(None)
        before, after = sides(text)
        return Answer(before if after is None else after)

    def right(self, question: Question, answer: Answer, computed: str | None) -> bool:
        return s_ier(answer.text, question.typed(Fields)["output"], printed=False)


class CruxevalInput(Cruxeval):
    """CRUXEval-I: complete the assertion with an input that gives the output."""

    variants = (
        Variant("cruxeval_input", "CRUXEval-I direct", _INPUT_VIEW, DIRECT, paper="gu2024cruxeval"),
        Variant("cruxeval_input_cot", "CRUXEval-I CoT", _INPUT_VIEW, COT, paper="gu2024cruxeval"),
        Variant("cruxeval_input_short", "CRUXEval-I short", _INPUT_VIEW),
    )
    asks_for = "input"

    def answer(self, text: str | None, question: Question) -> Answer:
        call = None if text is None else sides(text)[0]
        guess = None if call is None else kind_of(question).read_input(call, problem_of(question))
        return guessed(call, guess)

    def right(self, question: Question, answer: Answer, computed: str | None) -> bool:
        if computed is not None:
            answer.details["computed"] = computed
        return s_input(bool(answer.details["as_recorded"]), computed, question.typed(Fields)["output"], printed=False)


CRUXEVAL_OUTPUT, CRUXEVAL_INPUT = CruxevalOutput(), CruxevalInput()

output_dataset, process_output, extract_output = Hooks(CRUXEVAL_OUTPUT).functions
input_dataset, process_input, extract_input = Hooks(CRUXEVAL_INPUT).functions

short_output_dataset = Hooks(CRUXEVAL_OUTPUT, short=True).dataset
short_input_dataset = Hooks(CRUXEVAL_INPUT, short=True).dataset
