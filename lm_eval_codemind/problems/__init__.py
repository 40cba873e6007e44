"""One record for every problem, its schema, and its form on disk."""

from lm_eval_codemind.problems.prompt_limits import (
    PROGRAM_CHARACTERS,
    SHOWN_CHARACTERS,
    TEST_CASES,
    as_text,
    beyond_prompt,
    shown_cases,
)
from lm_eval_codemind.problems.record import (
    CATEGORIES,
    EXCLUSION_REASONS,
    TRANSFORM_SEED,
    Case,
    Category,
    Complexity,
    Problem,
)
from lm_eval_codemind.problems.storage import (
    COLUMN_SIDES,
    digest,
    dump_problems,
    dump_records,
    dump_side,
    load_problems,
    load_records,
    side_path,
)

__all__ = [
    "CATEGORIES",
    "COLUMN_SIDES",
    "EXCLUSION_REASONS",
    "PROGRAM_CHARACTERS",
    "SHOWN_CHARACTERS",
    "TEST_CASES",
    "TRANSFORM_SEED",
    "Case",
    "Category",
    "Complexity",
    "Problem",
    "as_text",
    "beyond_prompt",
    "digest",
    "dump_problems",
    "dump_records",
    "dump_side",
    "load_problems",
    "load_records",
    "shown_cases",
    "side_path",
]
