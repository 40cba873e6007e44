"""The prompts of CodeMind's artifact: the templates of its scripts, and the texts that they are filled with.

The problem :data:`TEMPLATES` of a benchmark has the templates in ``upstream_questions``, and the other problems have
what upstream fills in and no other benchmark holds.
"""

import json
from collections.abc import Iterator
from typing import Any

from lm_eval_codemind.problems import Category, Problem
from lm_eval_codemind.workshop.benchmarks.scripts import constants, read_script
from lm_eval_codemind.workshop.benchmarks.upstream import PARTS, Upstream, plain_text

TEMPLATES = "templates"
# Form of a prompt -> what upstream's functions for it are called after. A form is made for a family of models.
_FORMS = {
    "gpt": "gpt_codeqwen",
    "codellama": "codellama",
    "deepseek": "deepseekcoder",
    "magicoder": "magicoder",
    "starcoder": "starcoder",
    "wizardcoder": "wizardcoder",
}
_DSR_FORMS = {
    "gpt": "gpt_gemini",
    "codellama": "codellama",
    "deepseek": "deepseekcoder",
    "semcoder": "semcoder",
    "starcoder": "starcoder",
}


def text_problem(
    benchmark: str,
    name: str,
    place: str,
    texts: Any,
    kind: str = "function",
    code: str = "",
    entry_point: str = "",
    category: Category = "published",
) -> Problem:
    """Return a problem that holds what upstream says or asks, as JSON.

    Args:
        benchmark: Name of the benchmark.
        name: Name of the problem.
        place: The file of the texts.
        texts: The texts, or the questions: plain values.
        kind: The kind of programs that they are about.
        code: The program that they are about, if there is one.
        entry_point: Its function.
        category: Its category.
    """
    return Problem(
        problem_id=name,
        benchmark=benchmark,
        kind=kind,
        language="python",
        code=code,
        entry_point=entry_point,
        category=category,
        provenance=place,
        upstream_questions=json.dumps(texts),
    )


def read_ier(upstream: Upstream) -> list[Problem]:
    """Return the prompts of IER: the texts of ``create_prompt_ier.py``, and a template for each form.

    The fields of a template are ``code`` and ``code_input``; it has marks such as ``$QUESTION$`` for the texts.
    """
    script = read_script(upstream, PARTS["ier_prompts"])
    templates = {
        form: script.template("template", script.statements(f"create_prompt_{name}")) for form, name in _FORMS.items()
    }
    return [text_problem("ier_prompts", TEMPLATES, script.place, {"texts": script.constants, "forms": templates})]


def read_sr(upstream: Upstream) -> list[Problem]:
    """Return the prompts of SR: the templates of ``create_prompt_sr.py``, and the texts of each problem.

    A template is one for ``str.format`` with the fields ``signature``, ``nl`` and ``assertion``. Problems of MBPP
    have the prefix that they have in this package.
    """
    script = read_script(upstream, PARTS["sr_prompts"])
    forms = {
        form: constants(script.statements(f"create_prompt_{name}"))["prompt_template"] for form, name in _FORMS.items()
    }
    assertion = script.template("assertion_info", script.statements("create_prompt", "test"))
    problems = [text_problem("sr_prompts", TEMPLATES, script.place, {"forms": forms, "assertion": assertion})]
    for part, prefix in (("sr_humaneval", ""), ("sr_mbpp", "MBPP_")):
        for folder, texts in _folders(upstream, part):
            place = PARTS[part].place(folder)
            problems.append(text_problem("sr_prompts", f"{prefix}{folder}", place, texts))
    return problems


def read_dsr(upstream: Upstream) -> list[Problem]:
    """Return the prompts of DSR on ClassEval: the templates of ``create_prompt_dsr.py``, and each problem's tests.

    The template has the fields ``code``, ``tests`` and ``method_signature``; the template of a form has that prompt as
    the field ``prompt``. ``marks`` are the texts around code, which take the place of two marks.
    """
    script = read_script(upstream, PARTS["dsr_prompts"])
    forms = {}
    for form, name in _DSR_FORMS.items():
        statements = script.statements(f"create_prompt_{name}")
        texts = constants(statements)
        # Some forms only fill in the marks.
        wraps = script.puts_together("prompt", statements)
        template = script.template("prompt", statements) if wraps else [{"field": "prompt"}]
        forms[form] = {"template": template, "marks": [texts["start_code"], texts["end_code"]]}
    template = script.template("prompt", script.statements("prompt_constructor", "classeval"))
    problems = [text_problem("dsr_prompts", TEMPLATES, script.place, {"forms": forms, "template": template})]
    for folder, texts in _folders(upstream, "dsr_tests"):
        problems.append(text_problem("dsr_prompts", folder, PARTS["dsr_tests"].place(folder), texts, "method"))
    return problems


def _folders(upstream: Upstream, part: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each folder of a part, with the text of each of its files by the file's stem."""
    folders: dict[str, dict[str, str]] = {}
    for path, content in upstream.files(PARTS[part]).items():
        folder, _, name = path.partition("/")
        folders.setdefault(folder, {})[name.partition(".")[0]] = plain_text(content)
    yield from sorted(folders.items())
