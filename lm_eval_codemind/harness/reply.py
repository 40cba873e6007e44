"""A response as a model gave it, with what is known about it."""

import re
from typing import Any, Self

SKIPPED = "[codemind: no response recorded, leave this document out]"
"""The response of a replay model to a document that must be left out of the scores."""

# The attribute of a request of the harness that was answered from recordings: the prompts that their rows name.
RECORDED = "recorded_prompts"

_SURROGATE = re.compile("[\ud800-\udfff]")


class Reply(str):
    """A response with what its endpoint reported about it.

    Attributes:
        tokens: How many tokens it has; None without a report.
        cut: Whether the token limit ended it; None without a report.
        failed: Whether there is no response, since the request failed.
        replaced: How many lone surrogates, which UTF-8 cannot encode, were replaced by U+FFFD.
    """

    tokens: int | None
    cut: bool | None
    failed: bool
    replaced: int

    def __new__(
        cls, text: str = "", tokens: int | None = None, cut: bool | None = None, failed: bool = False, replaced: int = 0
    ) -> Self:
        """Return a reply; lone surrogates of the text are replaced and counted."""
        clean, count = _SURROGATE.subn("\ufffd", text)
        reply = super().__new__(cls, clean)
        reply.tokens, reply.cut, reply.failed, reply.replaced = tokens, cut, failed, replaced + count
        return reply

    def __str__(self) -> str:
        # A copy of each text, which `str` makes, would double the memory of a run that logs its samples.
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Reply, (self[:], self.tokens, self.cut, self.failed, self.replaced)


FAILED = Reply(failed=True)
