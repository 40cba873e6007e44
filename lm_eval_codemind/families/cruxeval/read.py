"""The answer in a response to one of CRUXEval's prompts, by our rule and by upstream's."""

import re

from lm_eval_codemind.answers.blocks import Marks, blocks
from lm_eval_codemind.answers.thinking import without_thinking

MARKS = Marks.named("ANSWER")
OPEN, CLOSE = "[ANSWER]", "[/ANSWER]"
DONE = "# done"
# Strings, brackets and the operator of a comparison. An unclosed string ends with its line.
_TOKENS = re.compile(
    r"(?P<string>'''(?:[^\\]|\\.)*?(?:'''|\Z)|\"\"\"(?:[^\\]|\\.)*?(?:\"\"\"|\Z)"
    r"|'(?:[^'\\\n]|\\.)*(?:'|(?=\n)|\Z)|\"(?:[^\"\\\n]|\\.)*(?:\"|(?=\n)|\Z))"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<equal>==)",
    re.DOTALL,
)


def closed(response: str) -> str:
    """Return the response with the end of its block, which the harness removes where it stops at that mark."""
    return f"{response}\n{CLOSE}" if response.rfind(OPEN) > response.rfind(CLOSE) else response


def with_own_thoughts(response: str) -> str:
    """Return a response as upstream's rule sees it: without the thinking, but with what the prompts call a thought."""
    return (without_thinking(response.replace("THOUGHT]", "THOUGHT\0]"), MARKS) or "").replace("THOUGHT\0]", "THOUGHT]")


def block(text: str, form: str) -> str | None:
    """Return the block that holds the answer, in a closed response without thinking; None if there is none or blank.

    The last complete pair of marks counts. The form is ``direct``, ``cot`` or ``phind``. The prompt of ``direct`` opens
    a block itself, and that of ``phind`` ends in the middle of the assertion.
    """
    content = text.partition(DONE)[0] if form == "phind" else next(blocks(text, MARKS), None)
    if content is None and form == "direct" and OPEN not in text:
        content = text.partition(CLOSE)[0]
    return content if content and content.strip() else None


def sides(assertion: str) -> tuple[str, str | None]:
    """Return what is in front of the first ``==`` outside of strings and brackets, and what follows; None without it.

    The word ``assert`` in front is removed.
    """
    text = assertion.strip()
    text = text.removeprefix("assert").lstrip() if re.match(r"assert\b", text) else text
    depth = 0
    for token in _TOKENS.finditer(text):
        if token["open"]:
            depth += 1
        elif token["close"]:
            depth -= 1
        elif token["equal"] and depth == 0:
            return text[: token.start()].rstrip(), text[token.end() :].strip()
    return text, None


def upstream_answer(text: str, form: str, predicts_input: bool) -> str:
    """Return the answer that upstream cuts out of a response without thinking. The form is that of :func:`block`.

    Source: ``postprocess_generation`` in ``inference/tasks`` of facebookresearch/cruxeval, and its stop words.
    """
    answer = text.partition(DONE if form == "phind" else CLOSE)[0]
    if form == "cot" and OPEN in answer:
        answer = answer.split(OPEN)[1]
    if "==" in answer:
        answer = answer.split("==")[0 if predicts_input else 1]
    if predicts_input and "assert" in answer:
        answer = answer.split("assert")[1]
    return answer.strip()
