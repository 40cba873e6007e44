"""One record for every problem, its schema, and the registry of benchmarks."""

from lm_eval_codemind.problems.record import (
    CATEGORIES,
    EXCLUSION_REASONS,
    KINDS,
    Case,
    Category,
    Complexity,
    Kind,
    Problem,
)
from lm_eval_codemind.problems.registry import BENCHMARKS, Benchmark, get_benchmark
from lm_eval_codemind.problems.shown import SHOWN_CHARACTERS, TEST_CASES, shown_cases
from lm_eval_codemind.problems.storage import digest, dump_problems, load_problems

__all__ = [
    "BENCHMARKS",
    "CATEGORIES",
    "EXCLUSION_REASONS",
    "KINDS",
    "SHOWN_CHARACTERS",
    "TEST_CASES",
    "Benchmark",
    "Case",
    "Category",
    "Complexity",
    "Kind",
    "Problem",
    "digest",
    "dump_problems",
    "get_benchmark",
    "load_problems",
    "shown_cases",
]
