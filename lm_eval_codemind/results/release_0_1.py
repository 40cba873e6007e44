"""Answers as release 0.1 logged them: as text, or as the printed form of a Python dict."""

from typing import Any

from lm_eval_codemind.answers.literals import NotALiteralError, parse_literal
from lm_eval_codemind.harness.reply import SKIPPED
from lm_eval_codemind.questions import Answer

# Stands for "no answer", as in the harness's regex filter.
_NO_ANSWER = "[invalid]"


def answer_of_0_1(logged: Any) -> Answer:
    """Return the answer that release 0.1 logged."""
    if isinstance(logged, str) and logged.startswith("{'code': "):
        try:
            logged = parse_literal(logged)
        except NotALiteralError:
            return Answer(logged)
    if isinstance(logged, dict) and {"code", "outcome"} <= logged.keys():
        details = {name: value for name, value in logged.items() if name not in ("code", "outcome")}
        return Answer(logged["code"], details, outcome=logged["outcome"])
    if logged == SKIPPED:
        return Answer(None, skipped=True)
    return Answer(None if logged == _NO_ANSWER else str(logged))
