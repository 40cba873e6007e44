"""CRUXEval: 800 short functions, each with one call, and the prompts of its authors."""

from collections.abc import Mapping
from typing import Any

import jsonlines

from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.benchmarks.published_prompts import text_problem
from lm_eval_codemind.workshop.benchmarks.scripts import read_script
from lm_eval_codemind.workshop.benchmarks.upstream import PARTS, Upstream

NAME = "cruxeval"
_FILE = "cruxeval.jsonl"
_PROMPTS = "cruxeval_prompts"
# Form of a prompt -> upstream's function, and the field of a record that it gets besides the code.
_FORMS = {
    "output_direct": ("make_direct_output_prompt", "input"),
    "output_cot": ("make_cot_output_prompt", "input"),
    "output_phind": ("make_direct_output_prompt_phind", "input"),
    "input_direct": ("make_direct_input_prompt", "output"),
    "input_cot": ("make_cot_input_prompt", "output"),
}


def read(upstream: Upstream) -> list[Problem]:
    """Return CRUXEval's problems in upstream's order, their labels not yet proven.

    Source: ``data/cruxeval.jsonl`` of facebookresearch/cruxeval.
    """
    return [
        Problem(
            problem_id=record["id"],
            benchmark=NAME,
            kind="function",
            language="python",
            code=record["code"].strip() + "\n",
            entry_point="f",
            input=f"f({record['input']})",
            tests=f"assert f({record['input']}) == {record['output']}\n",
            published_output=record["output"],
            provenance=PARTS[NAME].place(_FILE),
        )
        for record in _records(upstream)
    ]


def read_prompts(upstream: Upstream) -> list[Problem]:
    """Return a problem for each of CRUXEval's, with its prompts as JSON in ``upstream_questions``: form -> text.

    Source: the functions of ``prompts.py`` of facebookresearch/cruxeval, each of which returns one f-string.

    Raises:
        UpstreamError: If the file is not there, or a function has another form.
    """
    script = read_script(upstream, PARTS[_PROMPTS])
    problems = []
    for problem, record in zip(read(upstream), _records(upstream), strict=True):
        prompts = {
            form: script.filled(name, {"code": record["code"], field: record[field]})
            for form, (name, field) in _FORMS.items()
        }
        name, place = problem.problem_id, script.place
        problems.append(
            text_problem(_PROMPTS, name, place, prompts, code=problem.code, entry_point=problem.entry_point)
        )
    return problems


def _records(upstream: Upstream) -> list[Mapping[str, Any]]:
    return list(jsonlines.Reader(upstream.files(PARTS[NAME])[_FILE].splitlines()))
