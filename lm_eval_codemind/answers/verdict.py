"""Verdicts about a program in responses: is it right, yes or no?"""

import re

from lm_eval_codemind.answers.runtime import yes_or_no

_YES = re.compile(r"\b(?:yes|true|correct|right)\b", re.IGNORECASE)
_NO = re.compile(r"\b(?:no|false|incorrect|wrong|buggy|bugs?)\b", re.IGNORECASE)
# A denied bug is a yes, and a denied yes is a no.
_DENIED_NO = re.compile(
    r"\b(?:not|no|without|n['\u2019]t)\s+(?:have\s+|contain\s+)?(?:an?y?\s+)?(?:obvious\s+)?"
    r"(?:incorrect|wrong|buggy|bugs?|errors?)\b",
    re.IGNORECASE,
)
_DENIED_YES = re.compile(r"(?:\bnot|n['\u2019]t)\s+(?:\w+ly\s+)?(?:correct|right)\b", re.IGNORECASE)


def read_verdict(response: str) -> bool | None:
    """Return True if a response calls the program right, False if it calls it wrong, None without a verdict."""
    return yes_or_no(response, _YES, _NO, denied=((_DENIED_NO, True), (_DENIED_YES, False)))
