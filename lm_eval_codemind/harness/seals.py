"""Digests of responses: results record them, so that a change to a logged response shows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from urllib.parse import quote, unquote

from lm_eval_codemind.questions import Key


def response_digest(responses: Sequence[str]) -> str:
    """Return the digest of the responses to one question, in order: 16 hexadecimal digits of a SHA-256."""
    return hashlib.sha256(json.dumps(list(responses), ensure_ascii=True).encode("ascii")).hexdigest()[:16]


def seal(digests: Iterable[tuple[Key, str]]) -> str:
    """Return the digests of a task's responses as one text: ``KEY=DIGEST`` for each, separated by spaces."""
    return " ".join(f"{quote(key.within_task(), safe='/@.,:+-_')}={digest}" for key, digest in digests)


def sealed(text: str) -> dict[str, str]:
    """Return the digests that :func:`seal` wrote, by what the key is within the task."""
    return {unquote(key): digest for key, _, digest in (entry.rpartition("=") for entry in text.split())}
