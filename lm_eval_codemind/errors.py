"""Errors that the user can fix, the suggestion for a misspelled name, and numbers and long values in messages."""

from collections.abc import Iterable
from difflib import get_close_matches


class UserError(ValueError):
    """The user can fix this; the message says how. The ``codemind`` command prints it without a traceback."""


class UpstreamError(RuntimeError):
    """Upstream data is missing or differs from the data the suite was made from. The message says how to fix it."""


class MissingExtra(RuntimeError):
    """The packages that the programs import are not installed."""


class HiddenPackages(RuntimeError):
    """Programs can't import what this interpreter can. The text names the packages, where they lie and what to do."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean …"`` with the known names that resemble a name; empty if none does."""
    close = get_close_matches(name, list(known), n=3, cutoff=0.7)
    return f"; did you mean {' or '.join(close)}" if close else ""


def count(number: int, noun: str) -> str:
    """Return a number with its noun, as in ``1 run`` and ``2 runs``."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def shortened(text: str, length: int = 80) -> str:
    """Return a text cut to a length, with dots at its end if it is longer."""
    return text if len(text) <= length else f"{text[: length - 3]}..."
