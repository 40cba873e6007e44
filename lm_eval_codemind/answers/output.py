r"""Extraction of the answer from a response: the block between marks, or the last text that looks like an answer.

The functions return the answer's text unchanged, with code fences and quotes.
:mod:`lm_eval_codemind.answers.comparison` interprets these.
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from lm_eval_codemind.answers.literals import is_literal
from lm_eval_codemind.answers.response import END_OF_OWN_TEXT, own_text, visible_text


class Marks(NamedTuple):
    """The marks around an answer.

    Attributes:
        begin: The mark before the answer.
        end: The mark after the answer.
        stop: Text that a base model writes when it continues after its answer.
    """

    begin: re.Pattern[str]
    end: re.Pattern[str]
    stop: re.Pattern[str] = END_OF_OWN_TEXT


# Our marks, and those of the CodeMind artifact, so that its recorded responses and its prompts can be scored unchanged.
OUTPUT = Marks(
    re.compile(r"<<<Output>>>|<output>", re.IGNORECASE), re.compile(r"</output>|\[END-OF-RESPONSE\]", re.IGNORECASE)
)
INPUT = Marks(re.compile(r"<input>", re.IGNORECASE), re.compile(r"</input>|\[END-OF-RESPONSE\]", re.IGNORECASE))
# Marks that models write although the prompt does not ask for them.
_ANSWER = Marks(
    re.compile(r"<(?:final_)?answer>|\[(?:ANSWER|OUTPUT)\]", re.IGNORECASE),
    re.compile(r"</(?:final_)?answer>|\[/(?:ANSWER|OUTPUT)\]|\[END-OF-RESPONSE\]", re.IGNORECASE),
)
# A mark without the matching other mark.
_STRAY = re.compile(r"</?(?:output|input|(?:final_)?answer)>", re.IGNORECASE)
_KEYS = ("output", "answer", "result", "final_answer")

# The search for an answer covers this many characters at the end of a response, and this many candidates.
_TAIL = 20_000
_CANDIDATES = 200
# Characters of a line before and after a mark that are examined.
_NEAR = 200
FENCE = re.compile(r"```[^\n`]*\n(?P<answer>.*?)\n?```", re.DOTALL)
_EMPHASIS = re.compile(r"\\boxed\{(?P<boxed>[^\n]*)\}|(?<!`)`(?P<ticks>[^`\n]+)`(?!`)|\*\*(?P<bold>[^*\n]+)\*\*")
# The rest of the line is a lookahead: "the result of f(3) is 5" contains two candidates.
_PHRASE = re.compile(
    r"(?:\b(?:outputs?|answer|results?|value|returns?|returned|prints?|printed|be|is|are)\b[*_]*:?[*_]*|==|=>|->|[=→⇒])"
    r"[ \t]+(?=(?P<answer>[^\n]+))",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(r"\b(?:outputs?|answer|results?|prints?|printed)\b", re.IGNORECASE)
# "Answer: X", "prints `X`" and similar sentences about a printed text.
_PRINTED = re.compile(
    r"\b(?:outputs?|answer|results?)\b[*_]*(?:\s+is)?:?[*_]*[ \t]+`(?P<said>[^`\n]+)`"
    r"|\bprint(?:s|ed|ing)?:?[*_]*[ \t]+`(?P<ticks>[^`\n]+)`"
    r"|\\boxed\{(?P<boxed>[^\n]*)\}"
    r"|\b(?:outputs?|answer|result)\b[*_]*[ \t]*[:=][*_]*[ \t]*(?P<rest>\S[^\n]*)",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"\b(?:I|we)\s+(?:really\s+)?(?:do\s*n[o'\u2019]t|do not|can\s*n?[o'\u2019]t|could\s*n[o'\u2019]t|could not"
    r"|am\s+(?:not|unable|sorry))\b"
    r"|\b(?:I'm|I\u2019m)\s+(?:not|unable|sorry)\b|\b(?:unable|impossible) to\b|\bnot sure\b|\bno idea\b",
    re.IGNORECASE,
)
# A sentence that only mentions two marks has these words between them.
_MENTIONED = {"", "and", "or", "to", "tag and", "tags and", "answer", "the answer", "your answer", "output", "result"}


def marked_answer(response: str, printed: bool, marks: Marks = OUTPUT) -> str | None:
    """Return the text between the answer's marks; None if there are no marks or only white space between them.

    White space that belongs to the marks is removed: a blank next to a mark, and the indentation of the marks' lines.
    If there are several blocks, the last closed block counts, or else the last open one. Marks that a sentence only
    mentions do not form a block. Text after the end of the response to this problem is ignored.

    Args:
        response: The model's unchanged response.
        printed: Whether the output is printed text, and not a value. A program may print nothing, so an empty block
            is then an answer: the empty text.
        marks: The marks around the answer.
    """
    text = visible_text(response)
    begins = list(marks.begin.finditer(text))
    if not begins:
        return None
    rambling = marks.stop.search(text, begins[0].end())
    if rambling:
        # Keep an end mark that is also a stop, so that the block before it is closed.
        text = text[: rambling.end()] if marks.end.fullmatch(rambling.group()) else text[: rambling.start()]
        begins = [begin for begin in begins if begin.end() <= len(text)]
    best, best_rank = None, 0
    for begin, following in zip(begins, [*begins[1:], None], strict=True):
        limit = following.start() if following else len(text)
        end = marks.end.search(text, begin.end(), limit)
        line = text[max(begin.start() - _NEAR, 0) : begin.start()].rpartition("\n")[2]
        content = text[begin.end() : end.start() if end else limit]
        block = _without_layout(content, line)
        after = text[end.end() : end.end() + _NEAR].partition("\n")[0] if end else ""
        rank = _rank(content, line, after, end is not None, printed, marks)
        if rank >= max(best_rank, 1):
            best, best_rank = block, rank
    return best


def _rank(content: str, before: str, after: str, closed: bool, printed: bool, marks: Marks) -> int:
    """Return the rank of a block as the answer, from its content and the text around it; 0 if it is not an answer."""
    in_sentence = re.search(r"\w", marks.begin.sub("", marks.end.sub("", before))) is not None
    bare = content.strip(" \t\n`'\".,\u2026").lower()
    if (in_sentence and bare in _MENTIONED and bare != content.lower()) or not (content.strip() or printed):
        return 0
    if not closed:
        return 1 if in_sentence and not marks.begin.search(before) else 3
    inside = in_sentence and re.search(r"\w", after) and not is_literal(content)
    return 2 if inside else 4


def _without_layout(block: str, margin: str) -> str:
    """Return the text between two marks without their layout, such as the margin of the first mark."""
    lines = block.removeprefix(" ").removesuffix(" ").split("\n")
    if len(lines) > 1 and not lines[-1].strip():
        lines[-1] = ""
    if margin and not margin.strip() and all(line.startswith(margin) for line in lines[1:] if line.strip()):
        lines[1:] = [line.removeprefix(margin) for line in lines[1:]]
    return "\n".join(lines)


def likely_answer(response: str, printed: bool) -> str | None:
    """Return the answer between the marks, or else the last text of the response that looks like one.

    Other marks and the key ``output`` of a JSON object have priority. For values, the next choice is the end of the
    response, if it is a code fence or follows a heading such as "Output:". The last choice is a candidate: a code
    fence, boxed or emphasised text, back-ticks, text after "output", "returns" or an equals sign, or the last line.
    The last candidate of the last line counts, or else the last one anywhere; Python literals have priority. For
    printed text see :func:`likely_text`. A sentence such as "I do not know." is not an answer.

    Args:
        response: The model's unchanged response.
        printed: Whether the output is printed text, and not a value.
    """
    marked = marked_answer(response, printed)
    if marked is not None:
        return marked
    block = marked_answer(response, printed, _ANSWER)
    text = block or _spoken(response)
    stated = _json_answer(text[-_TAIL:])
    if stated is not None or block is not None or not text:
        return block if stated is None else stated
    answer = _last_printed(text) if printed else _last_value(text)
    return None if _REFUSES.search(_last_line(text)) and not is_literal(answer) else answer


def likely_text(response: str) -> str | None:
    """Return the last text of a response that looks like printed output; None if the response has no text.

    The order of preference: a code fence at the end, the text that the last line states, another fence, the text after
    the last heading, the text that another line states, the last line.
    """
    text = _spoken(response)
    return _last_printed(text) if text else None


def likely_code(response: str) -> Iterator[str]:
    """Yield parts of a response that may be an answer in code, the likeliest first, limited in number and length.

    These are the whole response, its code fences, its text in back-ticks and its lines, each kind from last to first.
    """
    text = _spoken(response)
    yield text
    fenced = [match["answer"] for match in FENCE.finditer(text)]
    ticked = [match["ticks"] for match in _EMPHASIS.finditer(text) if match["ticks"]]
    lines = [_without_full_stop(line) for line in text.split("\n") if line.strip()]
    for pieces in (fenced, ticked, lines):
        yield from reversed(pieces[-_CANDIDATES:])


def _spoken(response: str) -> str:
    """Return the end of the response to this problem, without text about further problems."""
    return _STRAY.sub("", own_text(visible_text(response))).strip()[-_TAIL:]


def _json_answer(text: str) -> str | None:
    """Return the value of a key such as ``output`` in the last JSON object of a text; a string without its quotes."""
    decoder = json.JSONDecoder()
    for start in [match.start() for match in re.finditer(r"\{\s*\"", text)][: -_CANDIDATES - 1 : -1]:
        try:
            record, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        for key in _KEYS:
            if key in record:
                return record[key] if isinstance(record[key], str) else repr(record[key])
    return None


def final_fence(text: str) -> str | None:
    """Return the content of the code fence at the end of a text."""
    # Search from the end: an odd number of fences before it would give wrong pairs.
    fence = FENCE.fullmatch(text, max(text.rfind("```", 0, -3), 0)) if text.endswith("```") else None
    return fence["answer"] if fence else None


def _last_value(text: str) -> str:
    fenced = final_fence(text)
    if fenced is not None:
        return fenced
    before, _, last_line = text.rpartition("\n")
    heading = before.rstrip().rpartition("\n")[2]
    if _announces(heading):
        return _without_full_stop(last_line)
    return _best(_candidates(last_line)) or _best(_candidates(text)) or _without_full_stop(last_line)


def _best(candidates: Iterator[tuple[int, str]]) -> str | None:
    """Return the last candidate that is a literal, or else the last candidate; None if there are no candidates."""
    last = sorted(candidates)[-_CANDIDATES:]
    for _, candidate in reversed(last):
        if is_literal(candidate):
            return candidate
    return last[-1][1] if last else None


def _candidates(text: str) -> Iterator[tuple[int, str]]:
    """Yield parts of a text that may be an answer, each with its start position."""
    for match in FENCE.finditer(text):
        yield match.start("answer"), match["answer"]
    for match in _EMPHASIS.finditer(text):
        group = match.lastgroup or 0
        yield match.start(group), match[group].strip()
    for match in _PHRASE.finditer(text):
        yield match.start("answer"), _without_full_stop(match["answer"])
    line = _without_full_stop(_last_line(text))
    if is_literal(line):
        yield text.rfind("\n") + 1, line


def _announces(line: str) -> bool:
    """Whether a line is a heading for the answer, such as ``**Output:**``."""
    line = line.rstrip(" *_")
    return line.endswith(":") and _ANNOUNCES.search(line) is not None


def _without_full_stop(text: str) -> str:
    text = text.strip().strip("*_").strip()
    return text[:-1].rstrip() if text.endswith(".") and not text.endswith("...") else text


def _last_line(text: str) -> str:
    return text.rsplit("\n", 1)[-1]


def _last_printed(text: str) -> str:
    fences = [match["answer"] for match in FENCE.finditer(text)]
    fence = final_fence(text)
    stated = None if fence is not None else _stated(_last_line(text))
    answer = next((one for one in (fence, stated, *fences[-1:]) if one is not None), None)
    if answer is not None:
        return answer
    lines = text.split("\n")
    for index in range(len(lines) - 2, -1, -1):
        if _announces(lines[index]):
            return "\n".join(lines[index + 1 :]).strip("\n")
    return _stated(text) or _last_line(text)


def _stated(text: str) -> str | None:
    """Return the last printed text that a sentence states, as in "prints `X`" or "Answer: X"."""
    matches = list(_PRINTED.finditer(text))
    return _without_full_stop(str(matches[-1][matches[-1].lastgroup or 0])) if matches else None
