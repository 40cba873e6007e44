"""Independent execution reasoning (IER): predict what a program computes."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from lm_eval_codemind.answers.comparison import same_output
from lm_eval_codemind.answers.forms import literal_at_start
from lm_eval_codemind.answers.pipeline import ANSWER, OUTPUT, read
from lm_eval_codemind.answers.published import codemind
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.languages import Kind, kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Family, Question, Variant
from lm_eval_codemind.scores.ier import s_ier, s_ier_text

STRICT, FLEXIBLE = "strict-match", "flexible-extract"
DIRECT = "direct"

# The columns of a problem that a document of this family has; the rest is looked up by problem_id.
COLUMNS = ("code", "entry_point", "input", "output", "category", "complexity")


_VIEW = "lm_eval_codemind.views.outputs:ExecutionView"
_USUAL = Variant("ier", "IER", _VIEW, in_overlap=True, authors_task="IER")
_DIRECT = Variant("ier_direct", "IER direct", _VIEW, DIRECT, submittable=False)
# Results on buggy programs: the output to predict is the wrong one that the program returns.
_BUGGY = Variant("ier_buggy", "IER buggy", _VIEW, buggy=True)


class ExecutionReasoning(Family):
    """IER: one question per problem. Under the setting ``direct`` the model answers at once, not step by step."""

    variants: ClassVar[tuple[Variant, ...]] = (_USUAL, _DIRECT, _BUGGY)
    templates = "ier"
    filters: ClassVar[tuple[str, ...]] = (STRICT, FLEXIBLE)
    metric = "r_ier"
    verdict = "r_ier"

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        yield Question.about(problem, setting, {}, columns=COLUMNS)

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
        """Return the text between the marks or, with the flexible filter, also one that is stated without them."""
        printed = kind_of(question).printed

        def known(text: str) -> str | None:
            """Return a printed text, or a literal; a string may lack its quotes if it is the output."""
            right = printed or same_output(text, question["output"], printed)
            return text if right else literal_at_start(text)

        published = codemind.marked_answer(response)
        if published is not None and (printed or published.strip()):
            return Answer(published)
        flexible = filter == FLEXIBLE
        block = read(response, ANSWER if flexible else OUTPUT, known, empty=printed, anywhere=flexible)
        return Answer(block.text, reading=block.reading)

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        right = s_ier(answer.text, question["output"], kind_of(question).printed)
        return {"r_ier": float(right), **self._as_text(question, answer)}

    def _as_text(self, question: Question, answer: Answer) -> dict[str, float]:
        return {
            "r_ier_text": float(s_ier_text(answer.text, question["output"])),
            "answered": float(answer.text is not None),
        }


class PublishedExecutionReasoning(ExecutionReasoning):
    """IER on the artifact's own programs and labels, which are compared as text only."""

    variants = (Variant("ier_published", "IER published", _VIEW, submittable=False),)
    filters = (STRICT,)
    metric = "r_ier_text"
    verdict = "r_ier_text"

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        """Return the variables of a prompt. The published prompts do not mention the working directory."""
        return super().prompt(kind, fields, "published")

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the text after the answer marker, which may be empty, as the artifact does."""
        published = codemind.marked_answer(response)
        block = read(response, OUTPUT, lambda text: text, empty=True)
        return Answer(block.text if published is None else published)

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        return self._as_text(question, answer)

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        return dict(means)


def _shown(text: str) -> str:
    """Return a text without the line breaks around it."""
    return text.strip("\n")


IER, PUBLISHED_IER = ExecutionReasoning(), PublishedExecutionReasoning()

_hooks = Hooks(IER)
dataset, process_results = _hooks.dataset, _hooks.process_results
strict_match, flexible_extract = _hooks.filter(STRICT), _hooks.filter(FLEXIBLE)

_published = Hooks(PUBLISHED_IER)
published_dataset, process_published_results = _published.dataset, _published.process_results
published_match = _published.filter(STRICT)
