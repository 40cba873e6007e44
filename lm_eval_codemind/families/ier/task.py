"""Independent execution reasoning (IER): predict what a program computes."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypedDict

from lm_eval_codemind.answers.forms import literal_at_start
from lm_eval_codemind.answers.pipeline import ANSWER, OUTPUT, read
from lm_eval_codemind.answers.thinking import without_thinking
from lm_eval_codemind.families.ier.score import s_ier, s_ier_text
from lm_eval_codemind.family import Family, Variant
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.languages import Kind, kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Question

STRICT, FLEXIBLE = "strict-match", "flexible-extract"
DIRECT = "direct"


class Fields(TypedDict):
    """The columns of a problem that a document of this family has; the rest is looked up by problem_id."""

    code: str
    entry_point: str
    input: str
    output: str
    category: str
    complexity: Mapping[str, Any] | None


COLUMNS = tuple(Fields.__annotations__)

# The marks of the CodeMind artifact, whose recorded responses can be scored unchanged.
_BEGIN, _END = "<<<Output>>>", "[END-OF-RESPONSE]"

VIEW = "lm_eval_codemind.families.ier.view:ExecutionView"
_USUAL = Variant("ier", "IER", VIEW, in_overlap=True, authors_task="IER", paper="codemind")
_DIRECT = Variant("ier_direct", "IER direct", VIEW, DIRECT, submittable=False, paper="codemind")
# Results on buggy programs: the output to predict is the wrong one that the program returns.
_BUGGY = Variant("ier_buggy", "IER buggy", VIEW, buggy=True)
_SHORT = Variant("ier_short", "IER short", VIEW)


class ExecutionReasoning(Family):
    """IER: one question per problem. Under the setting ``direct`` the model answers at once, not step by step."""

    variants: ClassVar[tuple[Variant, ...]] = (_USUAL, _DIRECT, _BUGGY, _SHORT)
    templates = Path(__file__).with_name("templates")
    filters: ClassVar[tuple[str, ...]] = (STRICT, FLEXIBLE)
    metric = "r_ier"
    verdict = "r_ier"

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        yield Question.about(problem, setting, {}, columns=COLUMNS)

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {
            "code": fields["code"].strip("\n"),
            "input": fields["input"].strip("\n"),
            "entry_point": fields["entry_point"],
            "setting": setting,
        }

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {"output": fields["output"].strip("\n")}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the text between the marks or, with the flexible filter, also one that is stated without them."""
        printed = kind_of(question).printed

        published = marked_answer(response)
        if published is not None and (printed or published.strip()):
            return Answer(published)
        flexible = filter == FLEXIBLE
        form = str if printed else literal_at_start
        block = read(response, ANSWER if flexible else OUTPUT, form, empty=printed, anywhere=flexible)
        return Answer(block.text, reading=block.reading)

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        right = s_ier(answer.text, question.typed(Fields)["output"], kind_of(question).printed)
        return {"r_ier": float(right), **self._as_text(question, answer)}

    def _as_text(self, question: Question, answer: Answer) -> dict[str, float]:
        return {
            "r_ier_text": float(s_ier_text(answer.text, question.typed(Fields)["output"])),
            "answered": float(answer.text is not None),
        }


def marked_answer(response: str) -> str | None:
    """Return the text after the artifact's mark, up to the end of the response; None without the mark.

    APIs remove the text that ends a response, because it is their stop sequence. The last mark before it counts.
    """
    _, mark, after = (without_thinking(response) or "").partition(_BEGIN)
    return after.partition(_END)[0].rpartition(_BEGIN)[2] if mark else None


IER = ExecutionReasoning()

dataset, process_results, strict_match, flexible_extract = Hooks(IER).functions
short_dataset = Hooks(IER, short=True).dataset
