"""The resource limits of a benchmark's programs."""

from lm_eval_codemind.data.catalogue import benchmarks
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Limits

_LIMITS_OF_SLOW = Limits(cpu_seconds=60, wall_seconds=120)


def limits_of(problem: Problem) -> Limits:
    """Return what a program that answers a problem may use. Of a class, all methods are judged by the same suite."""
    known = benchmarks().get(problem.benchmark)
    slow = known is not None and not {problem.problem_id, problem.problem_id.partition("@")[0]}.isdisjoint(known.slow)
    return _LIMITS_OF_SLOW if slow else Limits()
