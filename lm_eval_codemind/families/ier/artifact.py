"""The form of answers in the CodeMind artifact, whose recorded responses and prompts can be scored unchanged."""

from lm_eval_codemind.answers.thinking import without_thinking

_BEGIN, _END = "<<<Output>>>", "[END-OF-RESPONSE]"


def marked_answer(response: str) -> str | None:
    """Return the text after the artifact's mark, up to the end of the response; None without the mark.

    APIs remove the text that ends a response, because it is their stop sequence. The last mark before it counts.
    """
    _, mark, after = (without_thinking(response) or "").partition(_BEGIN)
    return after.partition(_END)[0].rpartition(_BEGIN)[2] if mark else None
