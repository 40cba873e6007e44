"""The families of tasks, as the analyses and the report see them."""

from lm_eval_codemind.results.families.base import Family, Part, Unit
from lm_eval_codemind.results.families.dsr import SemanticsReasoning
from lm_eval_codemind.results.families.ier import ExecutionReasoning
from lm_eval_codemind.results.families.sr import MisleadingTest, SpecificationReasoning

FAMILIES: tuple[Family, ...] = (
    ExecutionReasoning("IER", "codemind_ier_", "r_ier", default=True),
    SpecificationReasoning(),
    SemanticsReasoning("DSR", "codemind_dsr_", default=True),
    ExecutionReasoning("IER direct", "codemind_ier_direct_", "r_ier", default=False),
    ExecutionReasoning("IER published", "codemind_ier_published_", "r_ier_text", default=False),
    MisleadingTest(),
    SemanticsReasoning("DSR published", "codemind_dsr_published_", default=False),
)

__all__ = ["FAMILIES", "Family", "Part", "Unit", "family_of"]


def family_of(task: str) -> Family | None:
    """Return the family a task belongs to, the one with the longest prefix; None for tasks of no family."""
    owners = [family for family in FAMILIES if task.startswith(family.prefix)]
    return max(owners, key=lambda family: len(family.prefix), default=None)
