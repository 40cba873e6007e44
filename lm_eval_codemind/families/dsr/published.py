"""DSR on the artifact's C+ of ClassEval, with the artifact's prompts, for replication."""

from collections.abc import Mapping
from typing import Any

from lm_eval_codemind.families.dsr.task import VIEW, SemanticsReasoning
from lm_eval_codemind.families.published.prompts import FORM, UpstreamPrompts, filled, plain_lines
from lm_eval_codemind.family import Variant
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.languages import Kind

# The marks of upstream's templates for what stands around code.
_MARKS = ("$CODE_START$", "$CODE_END$")


class PublishedSemanticsReasoning(UpstreamPrompts, SemanticsReasoning):
    """DSR with the artifact's C+ and prompts. The suites and the scores are those of DSR."""

    witnesses = ""
    variants = (Variant("dsr_published", "DSR published", VIEW, submittable=False, paper="codemind"),)
    prompt_texts = "dsr_prompts"
    forms = ("gpt", "codellama", "deepseek", "semcoder", "starcoder")
    options = (FORM,)

    def text(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> str:
        tests = self.texts(fields["problem_id"])["asserts"]
        method = fields["entry_point"].rpartition(".")[2]
        return dsr_prompt(self.texts(), fields[FORM], plain_lines(fields["transformed"]), tests, method)

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        start, end = self.texts()["forms"][fields[FORM]]["marks"]
        return {"answer": f"{start}\n{fields['answer'].strip()}\n{end}"}


def dsr_prompt(upstream: Mapping[str, Any], form: str, code: str, tests: str, method: str) -> str:
    """Return a prompt as ``create_prompt`` of ``create_prompt_dsr.py`` composes it.

    Args:
        upstream: The texts of that script.
        form: One of the forms.
        code: C+.
        tests: The tests of the method.
        method: The name of the method.
    """
    prompt = filled(upstream["template"], {"code": code, "tests": tests, "method_signature": method})
    of_form = upstream["forms"][form]
    prompt = filled(of_form["template"], {"prompt": prompt})
    for mark, text in zip(_MARKS, of_form["marks"], strict=True):
        prompt = prompt.replace(mark, text)
    return prompt


PUBLISHED_DSR = PublishedSemanticsReasoning()

dataset, process_results, extract_code = Hooks(PUBLISHED_DSR).functions
