"""One record for every problem, its schema, and its form on disk."""

from lm_eval_codemind.problems.record import (
    CATEGORIES,
    EXCLUSION_REASONS,
    Case,
    Category,
    Complexity,
    Problem,
)
from lm_eval_codemind.problems.shown import (
    PROGRAM_CHARACTERS,
    SHOWN_CHARACTERS,
    TEST_CASES,
    as_text,
    beyond_prompt,
    plain_lines,
    shown_cases,
)
from lm_eval_codemind.problems.storage import SIDES, digest, digests, dump_problems, dump_side, load_problems, side_path

__all__ = [
    "CATEGORIES",
    "EXCLUSION_REASONS",
    "PROGRAM_CHARACTERS",
    "SHOWN_CHARACTERS",
    "SIDES",
    "TEST_CASES",
    "Case",
    "Category",
    "Complexity",
    "Problem",
    "as_text",
    "beyond_prompt",
    "digest",
    "digests",
    "dump_problems",
    "dump_side",
    "load_problems",
    "plain_lines",
    "shown_cases",
    "side_path",
]
