"""Bugs of our own in programs of the sample, as HumanEvalFix has them in HumanEval's; packaged.

``sample_bugs`` holds the correct programs and ``sample_bugs_buggy`` the buggy ones, under the sample's names.
"""

import dataclasses
from functools import partial
from importlib.resources import files
from typing import Any

import yaml

from lm_eval_codemind.benchmarks import sample
from lm_eval_codemind.benchmarks.upstream import Upstream
from lm_eval_codemind.problems import Problem

NAME, BUGGY = "sample_bugs", "sample_bugs_buggy"


def bugs() -> list[dict[str, Any]]:
    """Return the bugs as ``sample_bugs.yaml`` has them."""
    file = files("lm_eval_codemind.benchmarks").joinpath("sample_bugs.yaml")
    found: list[dict[str, Any]] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return found


def _read(upstream: Upstream | None = None, *, buggy: bool) -> list[Problem]:
    """Return the problems with the correct or with the buggy programs.

    Args:
        upstream: Not used: the problems come with the package.
        buggy: Whether to return the buggy programs.

    Raises:
        ValueError: If the text that a bug replaces is not in the program exactly once. The message names the bug.
    """
    programs = {problem.problem_id: problem for problem in sample.read()}
    return [_problem(programs[f"Sample_{bug['problem']}"], bug, buggy) for bug in bugs()]


read = partial(_read, buggy=False)
read_buggy = partial(_read, buggy=True)


def _problem(problem: Problem, bug: dict[str, Any], buggy: bool) -> Problem:
    if problem.code.count(bug["correct"]) != 1:
        raise ValueError(f"sample_bugs.yaml: {bug['problem']} does not hold {bug['correct']!r} exactly once")
    return dataclasses.replace(
        problem,
        benchmark=BUGGY if buggy else NAME,
        code=problem.code.replace(bug["correct"], bug["buggy"]) if buggy else problem.code,
        input=bug["call"],
        output=bug["returns" if buggy else "output"],
        cases=(),
        hint_test=f"assert {bug['call']} == {bug['output']}\n",
        misleading_test="",
        provenance="lm-eval-codemind:lm_eval_codemind/benchmarks/sample_bugs.yaml",
    )
