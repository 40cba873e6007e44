"""The first step of reading a response: unify line ends, remove thinking and special tokens."""

import re

from lm_eval_codemind.answers.thinking import without_thinking

# The first line of each of our prompts. A base model that continues after its answer writes it next.
END_OF_OWN_TEXT = re.compile(r"^### Problem[ \t]*$|\[END-OF-RESPONSE\]", re.MULTILINE)

# A replay model returns this instead of a response if the document must be left out of the scores.
SKIPPED = "[codemind: no response recorded, leave this document out]"

# Tags around code.
_CODE_TAG = re.compile(
    r"\[/?(?:PYTHON|JAVA|CODE|ANSWER|SOLUTION|TESTS?|OUTPUT|INST)\]"
    r"|</?(?:python|java|code|answer|solution|program|implementation|pre|response)>",
    re.IGNORECASE,
)


def visible_text(response: str) -> str:
    """Return the part of a response that is not thinking; the empty text if the thinking is unfinished."""
    return without_thinking(response) or ""


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
