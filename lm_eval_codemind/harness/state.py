"""What the modules of this folder tell each other while a run is in progress."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lm_eval_codemind.harness.profiles import Profile
    from lm_eval_codemind.harness.recordings import Recordings


@dataclass
class State:
    """The state of a run; outside of one it is as made. ``patch.multiple`` changes it for a while.

    Attributes:
        checked: Whether `codemind run`, which has checked the run, is in control.
        ends_process: Whether `lm_eval` is in control, which ends its process after the run.
        include_path: The directory in ``--include_path``.
        profile: What ``--profile`` names.
        recorded: Name of a task -> the recordings that it is scored with, if recordings are scored: each request is
            sent as often as there are responses to it.
        fewest: The smallest number of recorded responses to a question of the task that is being scored.
        openings: The tag that opens thinking at the end of each prompt of the task that is being read.
        faults: What this machine lacks is added here, so that the run ends with all of it; None if it ends at once.
        journal: The ``Journal`` with known outcomes of programs; None if everything is executed.
    """

    checked: bool = False
    ends_process: bool = False
    include_path: str = ""
    profile: Profile | None = None
    recorded: Callable[[str], Recordings] | None = None
    fewest: int | None = None
    openings: Sequence[str] = ()
    faults: list[str] | None = None
    journal: Any = None

    def responses(self, repeats: int | None) -> int:
        """Return how many responses to a question the run asks for, where a task has ``repeats``."""
        return self.profile.repeats if self.profile else int(repeats or 1)


state = State()
