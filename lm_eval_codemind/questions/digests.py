"""Digests of a task's texts, question by question, as one text that results record."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from urllib.parse import quote, unquote

from lm_eval_codemind.questions.question import Key


def digest(texts: Sequence[str]) -> str:
    """Return the digest of the responses to one question, or of its prompts, in order: 16 digits of a SHA-256."""
    return hashlib.sha256(json.dumps(list(texts), ensure_ascii=True).encode("ascii")).hexdigest()[:16]


def seal(digests: Iterable[tuple[Key, str]]) -> str:
    """Return the digests of a task's questions as one text: ``KEY=DIGEST`` for each, separated by spaces."""
    return " ".join(f"{quote(key.within_task(), safe='/@.,:+-_')}={digest}" for key, digest in digests)


def sealed(text: str) -> dict[str, str]:
    """Return the digests that :func:`seal` wrote, by the part of the key that tells questions of a task apart."""
    return {unquote(key): digest for key, _, digest in (entry.rpartition("=") for entry in text.split())}
