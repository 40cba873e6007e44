"""The families of tasks, one folder each: questions, prompt, reading, execution and score."""

from collections.abc import Mapping

from lm_eval_codemind.family import Family
from lm_eval_codemind.plugins import registered

__all__ = ["families", "family_named"]

# In the order in which results show them.
_PACKAGED = tuple(
    f"lm_eval_codemind.families.{place}"
    for place in (
        "ier.task:IER",
        "sr.task:SR",
        "sr.published:PUBLISHED_SR",
        "dsr.task:DSR",
        "dsr.published:PUBLISHED_DSR",
        "input.task:INPUT_PREDICTION",
        "cruxeval.task:CRUXEVAL_OUTPUT",
        "cruxeval.task:CRUXEVAL_INPUT",
        "cruxeval.lcb:LCB_EXECUTION",
        "der.task:DER",
        "der.published:PUBLISHED_DER",
        "repair.task:REPAIR",
        "verdict.task:VERDICT",
        "verdict.task:LOCATE",
        "ier.published:PUBLISHED_IER",
        "ier.published:PUBLISHED_LABELS",
        "unrolled.task:UNROLLED",
        "fresh.task:FRESH_IER",
        "horizon.task:HORIZON",
        "translation.task:TRANSLATION",
        "runtime.task:RUNTIME",
        "together.task:TOGETHER",
        "execution.flow:LOOP_REASONING",
        "execution.flow:BRANCH_REASONING",
        "execution.trace:TRACE",
        "own.task:OWN_IER",
        "own.task:OWN_INPUT",
        "own.task:OWN_LOOPS",
        "own.task:OWN_BRANCHES",
        "own.task:OWN_TRACE",
        "own.task:OWN_RUNTIME",
    )
)


def families() -> Mapping[str, Family]:
    """Return the families by name: this package's, and those that other packages bring."""
    return registered("families", _PACKAGED)


def family_named(variant: str) -> Family | None:
    """Return the family that has a variant of this name, as results record it; None if there is none."""
    every = (family for family in families().values() if any(one.name == variant for one in family.variants))
    return next(every, None)
