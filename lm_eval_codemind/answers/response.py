"""The first step of reading a response: unify line ends, remove thinking and special tokens."""

import re

# The first line of each of our prompts. A base model that continues after its answer writes it next.
END_OF_OWN_TEXT = re.compile(r"^### Problem[ \t]*$|\[END-OF-RESPONSE\]", re.MULTILINE)

# A replay model returns this instead of a response if the document must be left out of the scores.
SKIPPED = "[codemind: no response recorded, leave this document out]"

# Includes all tags that the harness knows from its tasks and from the `think_end_token` of its models.
_THINKING = r"(?:(?:seed:)?think|thinking|thoughts?|reasoning|reflection)"
_TAG = re.compile(
    rf"(?P<end></{_THINKING}>|\[/(?:THINK|THOUGHT)\]|<\|end_of_thought\|>|<\|channel\|>final(?:[^<\n]*)<\|message\|>)"
    rf"|^[ \t]*(?P<start><{_THINKING}>|\[(?:THINK|THOUGHT)\]|<\|begin_of_thought\|>"
    r"|(?:<\|start\|>assistant)?<\|channel\|>analysis(?:[^<\n]*)<\|message\|>)",
    re.IGNORECASE | re.MULTILINE,
)
# Tags around code.
_CODE_TAG = re.compile(
    r"\[/?(?:PYTHON|JAVA|CODE|ANSWER|SOLUTION|TESTS?|OUTPUT|INST)\]"
    r"|</?(?:python|java|code|answer|solution|program|implementation|pre|response)>",
    re.IGNORECASE,
)
# `<|im_end|>`, `<|eot_id|>` and similar tokens; `</s>` only at the end of the text, because it is also an HTML tag.
_SPECIAL_TOKEN = re.compile(r"<\|[a-z0-9_]+\|>|<\uff5c[^\uff5c\n]{1,40}\uff5c>|</s>\s*\Z|<end_of_turn>", re.IGNORECASE)


def visible_text(response: str) -> str:
    r"""Return the part of a response that is not thinking, with ``\n`` as line end.

    Reasoning models think between tags such as ``<think>`` and ``</think>``, or in a separate channel. Chat templates
    often put the opening tag into the prompt, so a closing tag alone ends the thinking as well. If there is no text
    outside the thinking, the closed thinking counts. If the token limit cut off the response, the thinking has no
    closing tag and nothing counts. The first special token of the tokenizer that follows some text ends the response.
    The time is linear in the length of the response.
    """
    spoken, thought = _parted(response.replace("\r\n", "\n").replace("\r", "\n"))
    text = _up_to_special_token(spoken)
    return text if text.strip() else _up_to_special_token(thought)


def own_text(text: str, end: re.Pattern[str] = END_OF_OWN_TEXT) -> str:
    """Return the part of a text that is about this problem, without a base model's continuation.

    Args:
        text: The text.
        end: The pattern at which the continuation starts.
    """
    match = end.search(text)
    return text[: match.start()] if match and text[: match.start()].strip() else text


def without_tags(text: str) -> str:
    """Return the text with tags such as ``[PYTHON]`` or ``</code>`` turned into line breaks."""
    return _CODE_TAG.sub("\n", text)


def _parted(text: str) -> tuple[str, str]:
    """Return the text outside the thinking, and the closed parts of the thinking."""
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
            # Without an opening tag, all text before the closing tag is thinking.
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
