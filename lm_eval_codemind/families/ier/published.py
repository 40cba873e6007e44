"""IER on the CodeMind artifact's programs and labels, by its rule, for replication.

:data:`PUBLISHED_IER` sends the artifact's prompts. The artifact has none for ClassEval: there :data:`PUBLISHED_LABELS`
has the published labels and rules, and our prompts.
"""

from collections.abc import Mapping
from typing import Any

from lm_eval_codemind.answers.pipeline import OUTPUT, read
from lm_eval_codemind.families.ier.task import STRICT, VIEW, ExecutionReasoning, marked_answer
from lm_eval_codemind.families.published.prompts import FORM, UpstreamPrompts, filled, plain_lines
from lm_eval_codemind.family import Variant
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.languages import Kind
from lm_eval_codemind.questions import Answer, Question

FORMS = ("gpt", "codellama", "deepseek", "magicoder", "starcoder", "wizardcoder")
# Marks in a template, and the texts that take their place: for functions, those of CRUXEval, and scripts.
_MARKS = ("$EXAMPLE_CODE$", "$QUESTION$", "$EXAMPLE_INPUT$", "$EXAMPLE_REASONING$")
_FUNCTION = ("example_python_function", "question_return_value", "example_input_function", "example_reasoning_python")
_CRUXEVAL = (
    "example_python_cruxeval",
    "question_return_value",
    "example_input_cruxeval",
    "example_reasoning_python_cruxeval",
)
_SCRIPT = ("example_{}", "question_print_output", "example_input", "example_reasoning_{}")


class PublishedLabels(ExecutionReasoning):
    """IER with published labels and rules, and our prompts: outputs are compared as text only."""

    variants = (
        Variant("ier_published_labels", "IER published labels, our prompts", VIEW, submittable=False, paper="codemind"),
    )
    filters = (STRICT,)
    metric = "r_ier_text"
    verdict = "r_ier_text"

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        """Return the variables of a prompt. The artifact's prompts do not mention the working directory."""
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


class PublishedExecutionReasoning(UpstreamPrompts, PublishedLabels):
    """IER with the artifact's prompts, labels and rules."""

    variants = (Variant("ier_published", "IER published", VIEW, submittable=False, paper="codemind"),)
    prompt_texts = "ier_prompts"
    forms = FORMS
    options = (FORM,)

    def text(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> str:
        return ier_prompt(self.texts(), fields[FORM], kind, fields)

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {"answer": f"<<<Output>>>\n{fields['output']}\n[END-OF-RESPONSE]"}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        return Answer(marked_answer(response))


def ier_prompt(upstream: Mapping[str, Any], form: str, kind: Kind, fields: Mapping[str, Any]) -> str:
    """Return a prompt as ``create_prompt`` of ``create_prompt_ier.py`` composes it.

    Args:
        upstream: The texts of that script: ``texts`` by name, and a template for each form.
        form: One of the forms.
        kind: The kind of program.
        fields: The code, its input, and the name of its benchmark, as a document has them.
    """
    texts = upstream["texts"]
    if kind.printed:
        names = [name.format(kind.language) for name in _SCRIPT]
    else:
        names = list(_CRUXEVAL if fields["benchmark"].endswith("cruxeval") else _FUNCTION)
    # The artifact's scripts read the program as it is, and the input without the line feeds at its ends.
    values = {"code": plain_lines(fields["code"]), "code_input": plain_lines(fields["input"]).strip("\n")}
    prompt = filled(upstream["forms"][form], values)
    instruction = texts["instruction"].format(language=kind.language.capitalize())
    replaced = {"$PROMPT_INSTRUCTION$": instruction}
    replaced |= {mark: texts[name] for mark, name in zip(_MARKS, names, strict=True)}
    for mark, text in {**replaced, "$?$": "" if kind.printed else "?"}.items():
        prompt = prompt.replace(mark, text)
    return prompt


PUBLISHED_IER, PUBLISHED_LABELS = PublishedExecutionReasoning(), PublishedLabels()

dataset, process_results, strict_match = Hooks(PUBLISHED_IER).functions
labels_dataset, process_labels, match_labels = Hooks(PUBLISHED_LABELS).functions
