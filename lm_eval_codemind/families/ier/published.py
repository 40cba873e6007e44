"""IER with the prompts, labels and rules of the CodeMind artifact, for replication."""

from collections.abc import Mapping
from typing import Any

from lm_eval_codemind.answers.pipeline import OUTPUT, read
from lm_eval_codemind.families.ier.task import STRICT, VIEW, ExecutionReasoning, marked_answer
from lm_eval_codemind.family import Variant
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.languages import Kind
from lm_eval_codemind.questions import Answer, Question


class PublishedExecutionReasoning(ExecutionReasoning):
    """IER on the artifact's own programs and labels, which are compared as text only."""

    variants = (Variant("ier_published", "IER published", VIEW, submittable=False),)
    filters = (STRICT,)
    metric = "r_ier_text"
    verdict = "r_ier_text"

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        """Return the variables of a prompt. The published prompts do not mention the working directory."""
        return super().prompt(kind, fields, "published")

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the text after the answer marker, which may be empty, as the artifact does."""
        published = marked_answer(response)
        block = read(response, OUTPUT, lambda text: text, empty=True)
        return Answer(block.text if published is None else published)

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        return self._as_text(question, answer)

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        return dict(means)


PUBLISHED_IER = PublishedExecutionReasoning()

_hooks = Hooks(PUBLISHED_IER)
dataset, process_results, strict_match = _hooks.dataset, _hooks.process_results, _hooks.filter(STRICT)
