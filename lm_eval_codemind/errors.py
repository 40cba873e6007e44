"""Errors that the user can fix, the suggestion for a misspelled name, and long values in messages."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches


class UserError(ValueError):
    """The user can fix this; the message says how. The ``codemind`` command prints it without a traceback."""


class UpstreamError(RuntimeError):
    """Upstream data is missing or differs from the data the suite was made from. The message says how to fix it."""


class MissingExtra(RuntimeError):
    """The packages that the programs import are not installed."""


class HiddenPackages(RuntimeError):
    """Programs can't import what this interpreter can. The text names the packages, where they lie and what to do."""


_faults: list[str] | None = None
_complete = False


def report(error: ValueError | RuntimeError) -> None:
    """Raise an error, or add its message to the faults while these are being collected."""
    if _faults is None:
        raise error
    _faults.append(str(error))


def faulty() -> bool:
    """Whether a fault was collected, and the rest of its task is not needed."""
    return bool(_faults) and not _complete


@contextmanager
def collecting(faults: list[str], complete: bool = False) -> Iterator[None]:
    """Add the messages of :func:`report` to ``faults``. With ``complete``, all documents are made after one, too."""
    global _faults, _complete
    _faults, _complete = faults, complete
    try:
        yield
    finally:
        _faults, _complete = None, False


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean …"`` with the known names that resemble a name; empty if none does."""
    close = get_close_matches(name, list(known), n=3, cutoff=0.7)
    return f"; did you mean {' or '.join(close)}" if close else ""


def shortened(text: str, length: int = 80) -> str:
    """Return a text cut to a length, with dots at its end if it is longer."""
    return text if len(text) <= length else f"{text[: length - 3]}..."
