"""What every reader of a response does first: line ends made uniform, thinking and special tokens taken away."""

from __future__ import annotations

import re

# The first line of every prompt of ours. A base model that goes on after its answer writes it next.
END_OF_OWN_TEXT = re.compile(r"^### Problem[ \t]*$|\[END-OF-RESPONSE\]", re.MULTILINE)

# What a replaying model hands over instead of a response where the document is to be left out of the scores.
SKIPPED = "[codemind: no response recorded, leave this document out]"

# All tags that the harness, with its tasks and the `think_end_token` of its models, knows are among them.
_THINKING = r"(?:(?:seed:)?think|thinking|thoughts?|reasoning|reflection)"
_TAG = re.compile(
    rf"(?P<end></{_THINKING}>|\[/(?:THINK|THOUGHT)\]|<\|end_of_thought\|>|<\|channel\|>final(?:[^<\n]*)<\|message\|>)"
    rf"|^[ \t]*(?P<start><{_THINKING}>|\[(?:THINK|THOUGHT)\]|<\|begin_of_thought\|>"
    r"|(?:<\|start\|>assistant)?<\|channel\|>analysis(?:[^<\n]*)<\|message\|>)",
    re.IGNORECASE | re.MULTILINE,
)
# `<|im_end|>`, `<|eot_id|>` and their kin; `</s>` only where nothing follows, since it is an HTML tag as well.
_SPECIAL_TOKEN = re.compile(r"<\|[a-z0-9_]+\|>|<\uff5c[^\uff5c\n]{1,40}\uff5c>|</s>\s*\Z|<end_of_turn>", re.IGNORECASE)


def visible_text(response: str) -> str:
    r"""Return the part of a response that is meant for its reader, with ``\n`` as its line end.

    Reasoning models think aloud between tags such as ``<think>`` and ``</think>``, or in a channel of their own. Chat
    templates often put the opening tag into the prompt, so a closing tag alone ends the thinking as well. Where nothing
    is said besides the thinking, what was thought before the closing tag counts; a response that its token budget cut
    off has no closing tag, and then nothing counts. The first of the tokenizer's special tokens that follows any text
    ends the response. Takes time linear in the response.
    """
    spoken, thought = _parted(response.replace("\r\n", "\n").replace("\r", "\n"))
    said = _up_to_special_token(spoken)
    return said if said.strip() else _up_to_special_token(thought)


def own_text(text: str, end: re.Pattern[str] = END_OF_OWN_TEXT) -> str:
    """Return what a text says about its own problem, without what a base model goes on with.

    Args:
        text: The text.
        end: What it goes on with.
    """
    match = end.search(text)
    return text[: match.start()] if match and text[: match.start()].strip() else text


def _parted(text: str) -> tuple[str, str]:
    """Return what a text says, and what it thinks in parts that are closed."""
    spoken: list[str] = []
    thought: list[str] = []
    position = 0
    thinking = False
    for tag in _TAG.finditer(text):
        if thinking and not tag["end"]:
            continue
        part = text[position : tag.start()]
        position = tag.end()
        if thinking:
            thought.append(part)
        elif tag["end"]:
            # Without an opening tag all that came before was thinking.
            thought += [*spoken, part]
            spoken.clear()
        else:
            spoken.append(part)
        thinking = not tag["end"]
    if not thinking:
        spoken.append(text[position:])
    return "".join(spoken), "".join(thought)


def _up_to_special_token(text: str) -> str:
    start = 0
    for token in _SPECIAL_TOKEN.finditer(text):
        if text[start : token.start()].strip():
            return text[start : token.start()]
        start = token.end()
    return text[start:]
