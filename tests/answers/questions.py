"""Made-up questions."""

from typing import Any

from lm_eval_codemind.questions import Question


def question(setting: str = "", **fields: Any) -> Question:
    """Return a question with the columns that all have, and these."""
    document = {"benchmark": "b", "problem_id": "P", "kind": "function", "language": "python", "setting": setting}
    return Question.from_document({**document, **fields})
