"""The families of tasks, one module each: questions, prompt, reading, execution and score."""

from collections.abc import Mapping

from lm_eval_codemind.plugins import registered
from lm_eval_codemind.questions import Family

__all__ = ["families", "family_named"]

# In the order in which results show them.
_PACKAGED = tuple(
    f"lm_eval_codemind.families.{place}"
    for place in (
        "ier:IER",
        "sr:SR",
        "dsr:DSR",
        "input:INPUT_PREDICTION",
        "cruxeval.task:CRUXEVAL_OUTPUT",
        "cruxeval.task:CRUXEVAL_INPUT",
        "der:DER",
        "repair:REPAIR",
        "verdict:VERDICT",
        "verdict:LOCATE",
        "ier:PUBLISHED_IER",
        "unrolled:UNROLLED",
        "fresh:FRESH_IER",
        "translation:TRANSLATION",
        "runtime:RUNTIME",
        "runtime_published:PUBLISHED_RUNTIME",
        "trace_published:COCONUT",
        "trace_published:CES",
        "re2:RE2",
        "re2:RE2_INPUT",
        "re2_published:PUBLISHED_RE2",
        "re2_published:PUBLISHED_RE2_INPUT",
        "flow:LOOP_REASONING",
        "flow:BRANCH_REASONING",
        "trace:TRACE",
    )
)


def families() -> Mapping[str, Family]:
    """Return the families by name: this package's, and those that other packages bring."""
    return registered("families", _PACKAGED)


def family_named(variant: str) -> Family | None:
    """Return the family that has a variant of this name, as results record it; None if there is none."""
    every = (family for family in families().values() if any(one.name == variant for one in family.variants))
    return next(every, None)
