"""The form and the comparison of answers in the CodeMind artifact, whose recorded responses can be scored unchanged."""

from lm_eval_codemind.answers.thinking import without_thinking

_BEGIN, _END = "<<<Output>>>", "[END-OF-RESPONSE]"


def marked_answer(response: str) -> str | None:
    """Return the text after the artifact's mark, up to the end of the response; None without the mark.

    APIs remove the text that ends a response, because it is their stop sequence. The last mark before it counts.
    """
    _, mark, after = (without_thinking(response) or "").partition(_BEGIN)
    return after.partition(_END)[0].rpartition(_BEGIN)[2] if mark else None


def same_text(answer: str, output: str) -> bool:
    """Whether an answer equals the output by CodeMind's published comparison.

    The rule reproduces every verdict that the CodeMind artifact recorded: strip both texts, remove spaces, replace
    double quotes with single ones and unify line ends. Then the texts must be identical.
    """
    return _published(answer) == _published(output)


def _published(text: str) -> str:
    return text.replace("\r\n", "\n").strip().replace(" ", "").replace('"', "'")
