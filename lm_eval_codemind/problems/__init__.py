"""One record for every problem, its schema, and its form on disk."""

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
from lm_eval_codemind.problems.storage import digest, dump_problems, load_problems

__all__ = [
    "CATEGORIES",
    "EXCLUSION_REASONS",
    "KINDS",
    "Case",
    "Category",
    "Complexity",
    "Kind",
    "Problem",
    "digest",
    "dump_problems",
    "load_problems",
]
