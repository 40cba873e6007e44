"""DER as in CodeMind's first study, with the artifact's prompts: the programs come from SR with a test."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from lm_eval_codemind.families.der import task
from lm_eval_codemind.families.ier.published import FORMS, PUBLISHED_IER, ier_prompt
from lm_eval_codemind.families.published.prompts import FORM, UpstreamPrompts
from lm_eval_codemind.family import Variant
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.harness.stages import PLACE
from lm_eval_codemind.languages import Kind
from lm_eval_codemind.questions import Answer, Question


class PublishedDependentReasoning(UpstreamPrompts, task.DependentReasoning):
    """DER with the artifact's prompts: an output is compared as text."""

    variants = (Variant("der_published", "DER published", task.VIEW, submittable=False, paper="codemind"),)
    prompt_texts = "ier_prompts"
    forms = FORMS
    options = (PLACE, "input_seed", FORM)

    def text(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> str:
        return ier_prompt(self.texts(), fields[FORM], kind, fields)

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return PUBLISHED_IER.target(kind, fields, setting)

    def read(self, response: str, question: Question, filter: str) -> Answer:
        return PUBLISHED_IER.read(response, question, filter)

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        scored = PUBLISHED_IER.score(question, answer)
        return {"r_der": scored["r_ier_text"], "answered": scored["answered"]}


PUBLISHED_DER = PublishedDependentReasoning()

dataset = partial(task.dataset, made=PublishedDependentReasoning)
_, process_results, strict_match, _ = Hooks(PUBLISHED_DER).functions
