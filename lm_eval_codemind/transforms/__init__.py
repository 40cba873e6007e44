"""C to C+: rules that make a program more complex without changing what it means, and the composer that draws them."""

from lm_eval_codemind.languages.python.unparse import UnsupportedSyntaxError, unparse
from lm_eval_codemind.transforms.composer import (
    GROUPS,
    RULES,
    RecipeError,
    Step,
    Transformation,
    compose,
    compose_verified,
    recreate,
    text_digest,
)
from lm_eval_codemind.transforms.program import Program
from lm_eval_codemind.transforms.rule import Rule

__all__ = [
    "GROUPS",
    "RULES",
    "Program",
    "RecipeError",
    "Rule",
    "Step",
    "Transformation",
    "UnsupportedSyntaxError",
    "compose",
    "compose_verified",
    "recreate",
    "text_digest",
    "unparse",
]
