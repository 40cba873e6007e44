"""Families that send upstream's prompts, never ours: the texts are in the benchmark that ``prompt_texts`` names.

Upstream may have a form of the prompt for each family of models. ``--metadata '{"prompt_form": "gpt"}'`` asks for one;
nothing looks at the name of a model.
"""

import dataclasses
import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from lm_eval_codemind.data import load_problem
from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.errors import UserError, did_you_mean
from lm_eval_codemind.family import Family
from lm_eval_codemind.languages import Kind
from lm_eval_codemind.questions import Question

FORM = "prompt_form"
# The problem of a benchmark of prompts that has the templates.
TEMPLATES = "templates"


class UpstreamPrompts(Family):
    """A family with upstream's prompts.

    Attributes:
        forms: The forms of the prompt, the usual one first; empty if there is only one. A family with forms has
            :data:`FORM` among its options, and its questions the form as a column.
    """

    templates = Path(__file__).with_name("templates")
    forms: ClassVar[tuple[str, ...]] = ()

    def template(self, kind: Kind, setting: str) -> str:
        return "prompt"

    def selected(self, questions: Sequence[Question], options: Mapping[str, Any]) -> Sequence[Question]:
        """Return the questions with the form that is asked for."""
        selected = super().selected(questions, options)
        form = self.form(options)
        return [dataclasses.replace(one, fields={**one.fields, FORM: form}) for one in selected] if form else selected

    def record(self, suite: dict[str, Any], benchmark: Benchmark, options: Mapping[str, Any]) -> None:
        super().record(suite, benchmark, options)
        form = self.form(options)
        suite["prompt_texts"] |= {"form": form} if form else {}

    def form(self, options: Mapping[str, Any]) -> str:
        """Return the form of the prompts that the options ask for; empty if there is only one.

        Raises:
            UserError: If there is no such form.
        """
        form = str(options.get(FORM, next(iter(self.forms), "")))
        if form not in (self.forms or ("",)):
            raise UserError(
                f"{FORM} is {form!r}, and the prompts of {self.title} have the forms {', '.join(self.forms)}"
                f"{did_you_mean(form, self.forms)}"
            )
        return form

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {"prompt": self.text(kind, fields, setting)}

    @abstractmethod
    def text(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> str:
        """Return the prompt of a question as upstream has it, from the question's fields and its key."""

    def texts(self, name: str = TEMPLATES) -> Mapping[str, Any]:
        """Return the texts of a problem in the benchmark of prompts.

        Raises:
            UpstreamError: If upstream's files are not there. Our prompts never take their place.
        """
        return _texts(load_problem(self.prompt_texts, name).upstream_questions)


@lru_cache(maxsize=2048)
def _texts(content: str) -> Mapping[str, Any]:
    texts: Mapping[str, Any] = json.loads(content)
    return texts


def filled(template: Sequence[str | Mapping[str, str]], values: Mapping[str, str]) -> str:
    """Return a template of :mod:`lm_eval_codemind.workshop.benchmarks.scripts` with values in its fields."""
    return "".join(part if isinstance(part, str) else values[part["field"]] for part in template)


def plain_lines(text: str) -> str:
    """Return a text as upstream's scripts read it from a file, with plain line feeds."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
