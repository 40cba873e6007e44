"""What the task families that execute responses share: a response whose program is running or has run."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

from lm_eval_codemind.answers.code import Unfinished
from lm_eval_codemind.execution import Outcome, Status

_LOGGED = (
    *("status", "failed_test", "exception_type", "exception_message", "tests_run"),
    *("cpu_seconds", "wall_seconds", "tamper_proof", "isolation"),
)


class Submission(dict[str, Any]):
    """A response on its way: ``code`` (what runs, None if none was found) and ``outcome``, once it is there.

    The harness logs it as the filtered response, after the scores were computed: so the log holds both. To other
    processes and to JSON it is a plain dict.
    """

    def __init__(self, code: str | None, pending: Future[Outcome] | None) -> None:
        super().__init__(code=code, outcome=None)
        self._pending = pending

    @classmethod
    def unfinished(cls, code: Unfinished) -> Submission:
        """Return the submission of code that the response breaks off in: it is not executed, and does not pass."""
        outcome: Future[Outcome] = Future()
        outcome.set_result(Outcome(Status.UNFINISHED))
        return cls(code.source, outcome)

    def passed(self) -> bool:
        """Wait for the outcome, keep it, and say whether the code passed."""
        if self._pending is None:
            return False
        outcome = self._pending.result()
        described = outcome.to_dict()
        self["outcome"] = {name: described[name] for name in _LOGGED}
        return outcome.passed

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)
