"""IER on programs whose loops are unrolled: how much of a wrong prediction is the loop's fault?"""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from lm_eval_codemind.data import load_side
from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.families.ier.task import ExecutionReasoning
from lm_eval_codemind.family import Variant
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Question

_SIDE = "ier_unrolled"


class UnrolledReasoning(ExecutionReasoning):
    """IER on problems with a loop, after unrolling it: same input and same output, proven by execution.

    A document contains the complexity of the original program.
    """

    variants = (
        Variant("ier_unrolled", "IER unrolled", "lm_eval_codemind.families.ier.view:ExecutionView", changes="ier"),
    )

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        """Return the problems with a loop that runs on their input and with a proven unrolled program."""
        unrolled = load_side(benchmark.name, _SIDE)
        return [problem for problem in super().problems(benchmark, options) if problem.problem_id in unrolled]

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        code = load_side(problem.benchmark, _SIDE)[problem.problem_id]["code"]
        return super().questions(dataclasses.replace(problem, code=code), setting)


UNROLLED = UnrolledReasoning()
dataset, process_results, strict_match, flexible_extract = Hooks(UNROLLED).functions
