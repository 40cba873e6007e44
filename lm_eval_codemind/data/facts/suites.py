"""Verdicts about test suites: does a program pass if somebody wrote it from the specification alone?

``proofs/suites.json`` has a verdict for each suite of HumanEval, MBPP and ClassEval's methods, with the outcomes of
programs whose writers were shown no test. ``utils/prove/prove_suites.py`` executes these programs again.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from lm_eval_codemind.data.facts import shipped

FILE = "proofs/suites.json"
STEPS = shipped.FOLDER / "suite_steps.xz"
"""The steps of the packaged suites, for the sandbox. ``utils/prove/prove_labels.py suites`` makes and proves them."""
FAIR = "fair"

CLASSES: dict[str, str] = {
    FAIR: "a program written from the specification passes",
    "contradicts": "a test contradicts the specification",
    "unstated": "a test asks for something that the specification leaves open",
    "types": "a test asks for another type, form or order of arguments than the specification says",
}
"""The classes of suites, with their meanings."""


@dataclass(frozen=True)
class Verdict:
    """The verdict about one test suite.

    Attributes:
        label: One of :data:`CLASSES`.
        reason: What the suite asks for; empty for a fair one.
        told: Whether a prompt with a test tells what the suite asks for.
        telling: The tests that tell it, as positions among those that a prompt may show; empty where every one does.
        programs: Writer -> outcome of the program that was written from the specification, such as ``passed``.
    """

    label: str
    reason: str = ""
    told: bool = True
    telling: tuple[int, ...] = ()
    programs: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.label not in CLASSES:
            raise ValueError(f"the class of a suite is {self.label!r}; set one of {', '.join(CLASSES)}")

    @property
    def answerable(self) -> bool:
        """Whether somebody who sees the specification and a test can know what the suite asks for."""
        return self.label == FAIR or (self.label != "contradicts" and self.told)


def load_verdicts() -> dict[str, dict[str, Verdict]]:
    """Return the verdicts: benchmark -> problem -> verdict."""
    return {
        benchmark: {problem_id: _verdict(record) for problem_id, record in records.items()}
        for benchmark, records in shipped.load(FILE).items()
    }


def verdict_of(benchmark: str, problem_id: str) -> Verdict:
    """Return the verdict about a problem's suite. A suite that was not examined counts as fair."""
    record = shipped.load(FILE).get(benchmark, {}).get(problem_id)
    return _verdict(record) if record else Verdict(FAIR)


def _verdict(record: Mapping[str, Any]) -> Verdict:
    return Verdict(
        record["class"],
        record.get("reason", ""),
        record.get("told", True),
        tuple(record.get("telling", ())),
        record["programs"],
    )
