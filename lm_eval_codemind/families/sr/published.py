"""SR with the prompts of CodeMind's artifact, for replication. Its first study and its later versions share them.

The artifact describes problems of HumanEval without their examples where it shows no test. Those descriptions are not
in its repository, and ours take their place.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from lm_eval_codemind.families.published.prompts import FORM, UpstreamPrompts, filled
from lm_eval_codemind.families.sr.task import NO_TEST, WITH_TEST, SpecificationReasoning
from lm_eval_codemind.family import Variant
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.languages import Kind
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Question

FORMS = ("gpt", "codellama", "deepseek", "magicoder", "starcoder", "wizardcoder")
_VIEW = "lm_eval_codemind.families.sr.view:SpecificationView"
# Their assertions name variables that are not there.
_NO_ASSERTION = ("HumanEval_38", "HumanEval_50")
# What the forms ask to put around code: the others ask for a fence.
_AROUND = {"codellama": ("[PYTHON]", "[/PYTHON]"), "starcoder": ("[python]", "[/python]")}


class PublishedSpecificationReasoning(UpstreamPrompts, SpecificationReasoning):
    """SR with the artifact's prompts. The suites and the scores are those of SR."""

    variants = (Variant("sr_published", "SR published", _VIEW, submittable=False, paper="codemind"),)
    prompt_texts = "sr_prompts"
    witnesses = ""
    forms = FORMS
    options = (FORM,)

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        for question in super().questions(problem, setting):
            if setting == WITH_TEST:
                if problem.problem_id in _NO_ASSERTION:
                    return
                fields = {**question.fields, "test": self.texts(problem.problem_id)["assert"]}
                question = dataclasses.replace(question, fields=fields)
            yield question

    def text(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> str:
        texts = self.texts(fields["problem_id"])
        shown = {"nl": texts["nl"], "signature": "", "test": fields["test"]}
        if setting == NO_TEST:
            # A description of HumanEval is the head of the function, one of MBPP is a sentence.
            is_sentence = "signature" in texts
            shown |= {"signature": texts["signature"]} if is_sentence else {"nl": fields["specification"]}
        return sr_prompt(self.texts(), fields[FORM], **shown)

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        start, end = _AROUND.get(fields[FORM], ("```python", "```"))
        return {"answer": f"{start}\n{fields['answer'].strip()}\n{end}"}


def sr_prompt(upstream: Mapping[str, Any], form: str, nl: str, signature: str, test: str) -> str:
    """Return a prompt as ``create_prompt`` of ``create_prompt_sr.py`` composes it.

    Args:
        upstream: The texts of that script.
        form: One of the forms.
        nl: What the function must do.
        signature: The head of the function, or nothing.
        test: An assertion, or nothing.
    """
    assertion = filled(upstream["assertion"], {"test": test}) if test else ""
    prompt: str = upstream["forms"][form].format(signature=signature, nl=nl, assertion=assertion)
    return prompt


PUBLISHED_SR = PublishedSpecificationReasoning()

dataset, process_results, extract_code = Hooks(PUBLISHED_SR).functions
