"""Whether two programs do the same: on a problem's test suite, and on further inputs beyond it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from lm_eval_codemind.catalogue.limits import limits_of
from lm_eval_codemind.execution import CaseOutcome, Limits, Sandbox, Status
from lm_eval_codemind.languages.python import python_kind
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.proof.further_inputs import further_inputs
from lm_eval_codemind.proof.single_threaded import SingleThreadedMap

FURTHER_INPUTS = 26
_INPUTS_OF_SCRIPTS = 12  # each is a process of its own
_UNFINISHED = 6  # so many inputs may be left out before the rest is, too

# Mutated inputs may make a program run for ever; what C does not do within its limits is not compared. C+ gets longer
# since it may call libraries and functions of its own on the way.
_LIMITS_OF_ORIGINAL = Limits(cpu_seconds=1, wall_seconds=10)
_LIMITS_OF_OTHER = Limits(cpu_seconds=20, wall_seconds=60)

Verdict = tuple[tuple[str, str, str], ...]


class Equivalence:
    """Compares programs with a problem's own, which is run once and remembered.

    Args:
        sandbox: Where programs run.
        inputs: How many further inputs to compare on; there may be fewer different ones.
    """

    def __init__(self, sandbox: Sandbox | SingleThreadedMap, inputs: int = FURTHER_INPUTS) -> None:
        self._sandbox = sandbox
        self._inputs = inputs
        self.original_verdict = lru_cache(maxsize=None)(self._original_verdict)
        self.original_behaviour = lru_cache(maxsize=None)(self._original_behaviour)

    def difference(self, problem: Problem, code: str) -> str:
        """Return in words how a program differs from the problem's own; the empty string if it does not."""
        expected = self.original_verdict(problem)
        in_detail = not _passes(expected)
        found = self._verdict(problem, code, in_detail)
        if found != expected:
            # What a second run does not show again, or C shows as well, comes of the clock or of a busy machine.
            found = self._verdict(problem, code, in_detail)
        if found != expected and found != self._verdict(problem, problem.code, in_detail):
            place = next((pair for pair in zip(expected, found, strict=False) if pair[0] != pair[1]), (expected, found))
            return f"tests: {place[0]} became {place[1]}"
        return self.further_difference(problem, code)

    def original_passes(self, problem: Problem) -> bool:
        """Whether the problem's own program passes all of its tests."""
        return _passes(self.original_verdict(problem))

    def further_difference(self, problem: Problem, code: str) -> str:
        """As :meth:`difference`, for the further inputs alone."""
        texts, expected = self.original_behaviour(problem)
        if not expected:
            return ""
        found = self._observe(problem, code, texts, _LIMITS_OF_OTHER)
        for text, one, other in zip(texts, expected, [*found, *[None] * len(expected)], strict=False):
            if other is None or _seen(one) != _seen(other):
                difference = self._difference_alone(problem, code, text)
                if difference:
                    return difference
        return ""

    def _difference_alone(self, problem: Problem, code: str, text: str) -> str:
        """Return how programs differ on one input, run by itself: files that earlier inputs left are gone then.

        What C does differently from one run to the next says nothing of C+.
        """

        def run(program: str, limits: Limits) -> tuple[str | None, ...] | None:
            observed = self._observe(problem, program, [text], limits)
            return _seen(observed[0]) if observed else None

        one, other = run(problem.code, _LIMITS_OF_ORIGINAL), run(code, _LIMITS_OF_OTHER)
        if one == other or one != run(problem.code, _LIMITS_OF_ORIGINAL):
            return ""
        return f"input {text!r}: {one} became {other}"

    def compared_inputs(self, problem: Problem) -> int:
        """Return on how many further inputs a problem's programs are compared."""
        return len(self.original_behaviour(problem)[1])

    def _original_verdict(self, problem: Problem) -> Verdict:
        verdict = self._verdict(problem, problem.code)
        return verdict if _passes(verdict) else self._verdict(problem, problem.code, in_detail=True)

    def _verdict(self, problem: Problem, code: str, in_detail: bool = False) -> Verdict:
        """Return status, failed test and exception of the suite; in detail, of each test method on its own."""
        kind = python_kind(problem)
        # Alone, each test tells its own outcome.
        names = kind.test_names(problem) if in_detail else ()
        chosen: list[tuple[str, ...]] = [(name,) for name in names] or [()]
        jobs = [kind.suite_job(problem, code, limits=limits_of(problem), only=only) for only in chosen]
        return tuple((str(o.status), o.failed_test, o.exception_type) for o in self._sandbox.run(jobs))

    def _original_behaviour(self, problem: Problem) -> tuple[list[str], list[CaseOutcome]]:
        printed = python_kind(problem).printed
        texts = further_inputs(problem, min(self._inputs, _INPUTS_OF_SCRIPTS) if printed else self._inputs)
        observed: list[CaseOutcome] = []
        kept: list[str] = []
        unfinished = 0
        # An input that C does not finish on is left out, and the rest is tried again.
        while texts and unfinished < _UNFINISHED:
            found = self._observe(problem, problem.code, texts, _LIMITS_OF_ORIGINAL)
            good = next((i for i, o in enumerate(found) if o.status is not Status.PASSED), len(found))
            observed += found[:good]
            kept += texts[:good]
            texts = texts[good + 1 :]
            unfinished += 1
        return kept, observed

    def _observe(self, problem: Problem, code: str, texts: Sequence[str], limits: Limits) -> list[CaseOutcome]:
        job = python_kind(problem).observing_job(code, texts, limits)
        return list(self._sandbox.run([job])[0].observations)


def _passes(verdict: Verdict) -> bool:
    return all(status == Status.PASSED.value for status, _, _ in verdict)


def _seen(observation: CaseOutcome) -> tuple[str | None, ...]:
    """Return what must be the same: value, type, printed output, exception's type, and how it ended."""
    return (
        observation.literal,
        observation.type_name,
        observation.stdout,
        observation.exception_type,
        str(observation.status),
    )
