"""IER on programs whose loops are unrolled: how much of a wrong prediction is the loop's fault?"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lm_eval_codemind.benchmarks import Benchmark
from lm_eval_codemind.families.ier import FLEXIBLE, STRICT, ExecutionReasoning
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.proof.unrolled import load_unrollings, unrolled_code
from lm_eval_codemind.questions import Question, Variant


class UnrolledReasoning(ExecutionReasoning):
    """IER on the problems that have a loop, without it: same input, same output, proven by execution.

    The measures of complexity that a document shows are those of the program as it was.
    """

    variants = (Variant("ier_unrolled", "IER unrolled", "lm_eval_codemind.views.unrolled:UnrolledView"),)

    def variant(self, benchmark: Benchmark, settings: Sequence[str]) -> Variant:
        return self.variants[0]

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        """Return the problems with a loop that runs on their input and with a proven unrolled program."""
        shipped = load_unrollings(benchmark.name)
        return [
            problem
            for problem in super().problems(benchmark, options)
            if problem.problem_id in shipped and not shipped[problem.problem_id].reason
        ]

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        code = unrolled_code(problem)
        assert code is not None
        return super().questions(dataclasses.replace(problem, code=code), setting)


UNROLLED = UnrolledReasoning()
_hooks = Hooks(UNROLLED)
dataset, process_results = _hooks.dataset, _hooks.process_results
strict_match, flexible_extract = _hooks.filter(STRICT), _hooks.filter(FLEXIBLE)
