"""LiveCodeBench's code execution: calls of LeetCode solutions, from a data set on the Hub.

Labels are executed when the data is built, since no proof of them is packaged. Upstream executes its programs after a
list of imports, which the data set does not have. A program here starts with those imports that it needs.
"""

from collections.abc import Mapping
from typing import Any

from lm_eval_codemind.answers.comparison import same_computed
from lm_eval_codemind.data.catalogue import ARCHIVES
from lm_eval_codemind.data.facts.imports import with_imports
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Job, Outcome, Sandbox
from lm_eval_codemind.workshop.benchmarks.published_prompts import text_problem
from lm_eval_codemind.workshop.benchmarks.scripts import constants, read_script
from lm_eval_codemind.workshop.benchmarks.upstream import PARTS, Upstream

NAME = "lcb_execution"
_ARCHIVE = ARCHIVES["execution-v2"]
_PROMPTS = "lcb_prompts"
# Form of a prompt -> upstream's function.
_FORMS = {"output_direct": "make_direct_output_prompt", "output_cot": "make_cot_output_prompt"}
# Outputs that depend on hashing differ between these.
_HASH_SEEDS = (0, 1)


def read(upstream: Upstream) -> list[Problem]:
    """Return the problems in upstream's order, with the labels that execution gives; others are excluded.

    Source: the columns ``id``, ``function_name``, ``code``, ``input`` and ``output`` of the split ``test``.
    """
    rows = [{**row, "code": with_imports(row["code"])} for row in upstream.rows(_ARCHIVE)]
    jobs = [Job.evaluate(row["code"], [row["input"]], job_id=row["id"]) for row in rows]
    runs = []
    for seed in _HASH_SEEDS:
        with Sandbox(hash_seed=seed) as sandbox:
            runs.append(sandbox.run(jobs))
    return [_problem(row, outcomes) for row, outcomes in zip(rows, zip(*runs, strict=True), strict=True)]


def read_prompts(upstream: Upstream) -> list[Problem]:
    """Return a problem for each row, with its prompts and the system message as JSON in ``upstream_questions``.

    Source: ``lcb_runner/prompts/code_execution.py`` of LiveCodeBench/LiveCodeBench.

    Raises:
        UpstreamError: If the file or the data set is not there, or the file has another form.
    """
    script = read_script(upstream, PARTS[_PROMPTS])
    system = constants(script.statements("format_prompt_execution_base"))["system_message"]
    problems = []
    for row in upstream.rows(_ARCHIVE):
        prompts = {form: script.filled(name, row) for form, name in _FORMS.items()} | {"system": system}
        code, entry_point = row["code"], row["function_name"]
        problems.append(text_problem(_PROMPTS, row["id"], script.place, prompts, code=code, entry_point=entry_point))
    return problems


def _problem(row: Mapping[str, Any], outcomes: tuple[Outcome, ...]) -> Problem:
    reason = _reason(row["output"], outcomes)
    return Problem(
        problem_id=row["id"],
        benchmark=NAME,
        kind="function",
        language="python",
        code=row["code"].strip() + "\n",
        entry_point=row["function_name"],
        input=row["input"],
        output=None if reason else row["output"],
        category="excluded" if reason else "confirmed",
        reason=reason,
        published_output=row["output"],
        provenance=f"{_ARCHIVE.repository}@{_ARCHIVE.revision}",
    )


def _reason(label: str, outcomes: tuple[Outcome, ...]) -> str:
    """Return why a label is not proven, as a key of the reasons for exclusion; empty if it is."""
    observed = [outcome.observations[0] for outcome in outcomes if outcome.passed]
    if len(observed) < len(outcomes) or any(one.exception_type for one in observed):
        return "no_output"
    literals = [one.literal for one in observed]
    if None in literals:
        return "no_literal"
    if not all(same_computed(literal or "", literals[0] or "", printed=False) for literal in literals):
        return "identity"
    return "" if same_computed(literals[0] or "", label, printed=False) else "other_output"
