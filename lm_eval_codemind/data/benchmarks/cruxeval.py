"""CRUXEval: 800 short functions, each with one call, and the prompts of its authors."""

import ast
import json
from collections.abc import Mapping
from typing import Any

import jsonlines

from lm_eval_codemind.data.benchmarks.upstream import PARTS, Upstream, UpstreamError, plain_text
from lm_eval_codemind.problems import Problem

NAME = "cruxeval"
_FILE = "cruxeval.jsonl"
_PROMPTS, _PROMPTS_FILE = "cruxeval_prompts", "prompts.py"
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

    Source: the functions of ``prompts.py`` of facebookresearch/cruxeval. Each returns one f-string, which is read from
    the syntax tree; nothing is executed.

    Raises:
        UpstreamError: If the file is not there, or a function has another form.
    """
    source = plain_text(upstream.files(PARTS[_PROMPTS])[_PROMPTS_FILE])
    functions = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    problems = []
    for problem, record in zip(read(upstream), _records(upstream), strict=True):
        prompts = {
            form: _filled(functions.get(name), {"code": record["code"], field: record[field]})
            for form, (name, field) in _FORMS.items()
        }
        problems.append(
            Problem(
                problem_id=problem.problem_id,
                benchmark=_PROMPTS,
                kind=problem.kind,
                language=problem.language,
                code=problem.code,
                entry_point=problem.entry_point,
                category="published",
                provenance=PARTS[_PROMPTS].place(_PROMPTS_FILE),
                upstream_questions=json.dumps(prompts),
            )
        )
    return problems


def _records(upstream: Upstream) -> list[Mapping[str, Any]]:
    return list(jsonlines.Reader(upstream.files(PARTS[NAME])[_FILE].splitlines()))


def _filled(function: ast.FunctionDef | None, values: Mapping[str, str]) -> str:
    """Return the f-string that a function returns, with values in place of the names in it."""
    statement = function.body[-1] if function else None
    if isinstance(statement, ast.Return) and isinstance(statement.value, ast.JoinedStr):
        parts = statement.value.values
        texts = [_text(part, values) for part in parts]
        if None not in texts:
            return "".join(text or "" for text in texts)
    name = function.name if function else "a function of the prompts"
    raise UpstreamError(f"{PARTS[_PROMPTS].place(_PROMPTS_FILE)}: {name} does not return one f-string of plain names")


def _text(part: ast.expr, values: Mapping[str, str]) -> str | None:
    match part:
        case ast.Constant(value=str(text)):
            return text
        case ast.FormattedValue(value=ast.Name(id=name), conversion=-1, format_spec=None):
            return values.get(name)
    return None
