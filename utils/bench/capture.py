"""Measures what recording costs the tests of a package: processor time with the recorder, and without it.

    python utils/bench/capture.py PACKAGE COMMAND ...

COMMAND runs the package's tests with pytest. Both run in turn, three times.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from statistics import median
from typing import TypeVar

from lm_eval_codemind.workshop.capture.recording import record

T = TypeVar("T")
_RUNS = 3


def _processor(action: Callable[[], T]) -> tuple[float, T]:
    """Return the processor time of the processes that an action starts and waits for, in seconds, and its result."""
    before = os.times()
    result = action()
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system, result


def main(package: str, command: Sequence[str]) -> None:
    """Print the processor times and their ratio."""
    plain, recorded, ratios = [], [], []
    for _ in range(_RUNS):
        plain.append(_processor(lambda: subprocess.run(command, check=False, stdout=subprocess.DEVNULL))[0])
        seconds, recording = _processor(lambda: record(package, command))
        recorded.append(seconds)
        ratios.append(seconds / plain[-1])
    print(
        f"{package}: {recording.method}, plain {median(plain):.1f} s, recorded {median(recorded):.1f} s, "
        f"ratio {median(ratios):.2f}; {len(recording.failed)} tests failed"
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
