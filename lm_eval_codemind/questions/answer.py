"""The answer in one response, and the outcome of its execution."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from lm_eval_codemind.languages import Unfinished

if TYPE_CHECKING:
    from lm_eval_codemind.execution import CaseOutcome, Outcome

# Of an outcome: what is logged with an answer.
_LOGGED = (
    *("status", "failed_test", "exception_type", "exception_message", "tests_run"),
    *("cpu_seconds", "wall_seconds", "tamper_proof", "isolation"),
)


class Answer:
    """The answer in a response: a text, a program or what else a family asks for.

    The harness logs what ``str`` makes of it, after the scores were computed: a JSON object, which
    :meth:`from_json` reads back.

    Attributes:
        found: The text or the code that counts; None if the response holds none.
        details: What the family adds to it, as plain values of JSON.
        outcome: How it fared when it was executed, as plain values; None if it was not executed, or not yet.
        program: The part of the answer to execute, unchanged: a whole program, or an input. It is not logged.
        observations: What was observed when it was executed; not logged.
        pending: Its execution while that is going on, until :meth:`wait`; None if there is none.
        skipped: Whether the question is to be left out of the scores: no response was recorded.
    """

    def __init__(
        self,
        found: str | None,
        details: Mapping[str, Any] | None = None,
        *,
        outcome: Mapping[str, Any] | None = None,
        skipped: bool = False,
    ) -> None:
        self.found = found
        self.details = dict(details or {})
        self.outcome = None if outcome is None else dict(outcome)
        self.skipped = skipped
        self.program: str | None = None
        self.observations: tuple[CaseOutcome, ...] = ()
        self.pending: Future[Outcome] | None = None

    @classmethod
    def of_program(cls, program: str | Unfinished | None) -> Answer:
        """Return the answer that a program is; one that a response breaks off in is found, and never executed."""
        from lm_eval_codemind.execution import Outcome, Status

        if isinstance(program, Unfinished):
            return cls(program.source, outcome=_described(Outcome(Status.UNFINISHED)))
        answer = cls(program)
        answer.program = program
        return answer

    def wait(self) -> None:
        """Wait until the answer was executed, if it is being executed, and keep what came out."""
        if self.pending is not None:
            outcome = self.pending.result()
            self.outcome, self.observations = _described(outcome), outcome.observations
            self.pending = None

    @property
    def passed(self) -> bool:
        """Whether it was executed and passed."""
        return self.outcome is not None and self.outcome.get("status") == "passed"

    @property
    def tamper_proof(self) -> bool:
        """Whether the program could not manipulate its verdict. Also true if no program was executed."""
        return self.outcome is None or bool(self.outcome.get("tamper_proof", True))

    def to_json(self) -> str:
        """Return the answer as a JSON object on one line."""
        record: dict[str, Any] = {"answer": self.found, **self.details}
        if self.outcome is not None:
            record["outcome"] = self.outcome
        if self.skipped:
            record["skipped"] = True
        return json.dumps(record, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Answer:
        """Return the answer that :meth:`to_json` wrote.

        Raises:
            ValueError: If the text is something else.
        """
        record = json.loads(text)
        if not isinstance(record, dict) or "answer" not in record:
            raise ValueError("no answer of this suite")
        found, outcome, skipped = record.pop("answer"), record.pop("outcome", None), record.pop("skipped", False)
        if not (found is None or isinstance(found, str)) or not (outcome is None or isinstance(outcome, dict)):
            raise ValueError("no answer of this suite")
        return cls(found, record, outcome=outcome, skipped=skipped)

    __str__ = to_json

    def __repr__(self) -> str:
        return f"Answer({self.to_json()})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Answer) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        # Other processes of a run get what was logged; an execution that is still going on cannot travel.
        return Answer.from_json, (self.to_json(),)


def _described(outcome: Outcome) -> dict[str, Any]:
    described = outcome.to_dict()
    return {name: described[name] for name in _LOGGED}
