"""Digests of responses: results record them, so that a change to a logged response shows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def document_key(document: Mapping[str, Any]) -> str:
    """Return what tells a document from the others of its task: its problem, with its setting if it has one."""
    setting = document.get("setting")
    return f"{document.get('problem_id')}/{setting}" if setting else str(document.get("problem_id"))


def response_digest(responses: Sequence[str]) -> str:
    """Return the digest of the responses to one document, in order: 16 hexadecimal digits of a SHA-256."""
    return hashlib.sha256(json.dumps(list(responses), ensure_ascii=True).encode("ascii")).hexdigest()[:16]


def seal(digests: Iterable[tuple[str, str]]) -> str:
    """Return the digests of a task's responses as one text: ``KEY=DIGEST`` for each, separated by spaces."""
    return " ".join(f"{key}={digest}" for key, digest in digests)


def sealed(text: str) -> dict[str, str]:
    """Return the digests that :func:`seal` wrote, by key."""
    return dict(entry.rpartition("=")[::2] for entry in text.split())
