"""Answers about the runtime behaviour of a program: parsing, and scoring by value or by REval's rules.

There are four questions. Is a line executed (coverage)? Which value does a variable have after it (state)? Which line
is next (path)? Which values are the output? The answer is the text between ``<answer>`` and ``</answer>`` or, without
these tags, the last text that looks like an answer.
"""

# ruff: noqa: SIM905
import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from lm_eval_codemind.answers.comparison import same_literal, same_output, same_value
from lm_eval_codemind.answers.filled import HOLE_NAME, in_holes
from lm_eval_codemind.answers.literals import NotALiteralError, is_literal, literal_or, parse_literal, parse_source
from lm_eval_codemind.answers.output import FENCE, Marks, final_fence, marked_answer
from lm_eval_codemind.answers.response import own_text, visible_text

NOT_EXECUTED = "not executed"
THE_END = "the end"

# The marks of our tasks, of IER and of REval.
_MARKS = Marks(
    re.compile(r"<answer>|<output>|\[ANSWER\]", re.IGNORECASE),
    re.compile(r"</answer>|</output>|\[/ANSWER\]", re.IGNORECASE),
    re.compile(r"^### Problem[ \t]*$|\[Question\]", re.MULTILINE),
)
_TAIL = 20_000
_LONGEST = 20_000

_BOXED = re.compile(r"\\boxed\{(?:\\text\{)?(?P<inside>[^\n{}]*)\}?\}")
_LABEL = re.compile(
    r"^[\s*_#>-]*(?:the\s+)?(?:final\s+)?(?:answer|output|result|value|state|next line|path|coverage)\b"
    r"(?:\s+is)?[\s*_]*(?::|=|\bis\b)[\s*_]*",
    re.IGNORECASE,
)

_NEVER = re.compile(
    r"\b(?:nil|unexecuted|unreached|unreachable|n/a)\b"
    r"|(?:\b(?:not|never)|n['\u2019]t)\s+(?:be\s+|been\s+|get\s+|ever\s+|actually\s+)*(?:executed?|reach(?:ed)?|run)\b",
    re.IGNORECASE,
)
_YES = re.compile(r"\b(?:yes|true|executed|reached|covered)\b", re.IGNORECASE)
_NO = re.compile(r"\b(?:no|false)\b", re.IGNORECASE)

_RIGHT = re.compile(r"\b(?:yes|true|correct|right)\b", re.IGNORECASE)
_WRONG = re.compile(r"\b(?:no|false|incorrect|wrong|buggy|bugs?)\b", re.IGNORECASE)
# A denied bug is a yes, and a denied yes is a no.
_DENIED_WRONG = re.compile(
    r"\b(?:not|no|without|n['\u2019]t)\s+(?:have\s+|contain\s+)?(?:an?y?\s+)?(?:obvious\s+)?"
    r"(?:incorrect|wrong|buggy|bugs?|errors?)\b",
    re.IGNORECASE,
)
_DENIED_RIGHT = re.compile(r"(?:\bnot|n['\u2019]t)\s+(?:\w+ly\s+)?(?:correct|right)\b", re.IGNORECASE)

_TYPE = re.compile(
    r"^(?:an?\s+|the\s+|python\s+|type\s*[:=]?\s*|of\s+type\s+)*[`'\"<(]*(?:class\s+)?['\"`]?"
    r"(?P<name>[A-Za-z_][\w.]*)(?:\[.*\])?['\"`>)]*\.?$",
    re.IGNORECASE | re.DOTALL,
)
_TYPE_NAMES = {
    "string": "str",
    "integer": "int",
    "double": "float",
    "boolean": "bool",
    "dictionary": "dict",
    "none": "NoneType",
    "nonetype": "NoneType",
    "null": "NoneType",
}
_PLAIN_TYPES = {
    "bool", "bytes", "complex", "dict", "ellipsis", "float", "frozenset", "int", "list", "nonetype", "set", "str",
    "tuple",
}  # fmt: skip

_END_WORDS = re.compile(
    r"^(?:-1|0|(?:the\s+)?end(?:\s+of\s+(?:the\s+)?(?:program|function|call|execution))?|eof|none|exit|return)$"
    r"|\b(?:program|execution|function|call|it)\s+(?:then\s+)?(?:ends|terminates|finishes|stops|returns|is over)\b"
    r"|\bno\s+(?:more|further|next|other|subsequent)\s+lines?\b",
    re.IGNORECASE,
)
_LINE_NUMBER = re.compile(r"\b(?:line|l\.?|ln\.?)\s*(?:number|no\.?|#)?\s*[:=]?\s*[#`*]*(?P<number>\d+)", re.IGNORECASE)
_LEADING_NUMBER = re.compile(r"^[#`*L]*(?P<number>\d+)[`*]*(?:\s*[:|.)\]-]|\s|$)")
_NUMBERS = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
""".split()
_VALUES = {word: value for value, word in enumerate(_NUMBERS)} | {
    word: 10 * tens for tens, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}


@dataclass(frozen=True)
class State:
    """An answer about a variable.

    Attributes:
        value: Text of the value; empty for "not executed".
        type_name: Python's name of the type; "" if the answer states no type.
        executed: False if the answer is that the line is not executed.
    """

    value: str
    type_name: str = ""
    executed: bool = True


def read_coverage(response: str) -> bool | None:
    """Return True if the response states that the line is executed, False if not executed, None without an answer."""
    return _yes_or_no(response, _YES, _NO, denied=((_NEVER, False),))


def read_verdict(response: str) -> bool | None:
    """Return True if a response calls the program right, False if it calls it wrong, None without a verdict."""
    return _yes_or_no(response, _RIGHT, _WRONG, denied=((_DENIED_WRONG, True), (_DENIED_RIGHT, False)))


def _yes_or_no(
    response: str,
    yes: re.Pattern[str],
    no: re.Pattern[str],
    denied: Sequence[tuple[re.Pattern[str], bool]],
) -> bool | None:
    """Return True or False if the response answers a question with yes or no, None without an answer.

    An answer that begins with "yes" or "no" is clear. Otherwise a denial counts, and else the last word for yes or no.

    Args:
        response: The model's response.
        yes: Words that mean yes.
        no: Words that mean no.
        denied: Phrases that deny one of these words, with their meaning; the first one in the answer counts.
    """
    text, marked = _answer(response)
    words = _strip(text if marked else _last_lines(text, 3))
    first = re.match(r"(?:(?P<yes>yes|true)|no|false)\b(?!\s+(?:bugs?|errors?)\b)", words, re.IGNORECASE)
    if first:
        return first["yes"] is not None
    for pattern, meaning in denied:
        if pattern.search(words):
            return meaning
    last = {meaning: _last(pattern, words) for meaning, pattern in ((True, yes), (False, no))}
    meanings = {match.start(): meaning for meaning, match in last.items() if match}
    return meanings[max(meanings)] if meanings else None


def read_state(response: str) -> State | None:
    """Return the value and the type that a response states, in either order; None without an answer.

    The type may follow the last ``;`` or precede the first one. It may also be on a separate line, in parentheses after
    the value, or under the key ``type``. If no type is stated, the type of the literal counts.
    """
    text = _strip(_stated(response))
    if not text or len(text) > _LONGEST:
        return None
    if _says_never(text):
        return State("", executed=False)
    for value, type_text in _pairs(text):
        name = _type_name(type_text)
        value = _strip(_LABEL.sub("", value, count=1))
        if name and value:
            return State(value, name)
    return State(_strip(_LABEL.sub("", text, count=1)))


def read_path(response: str, lines: Sequence[str]) -> int | str | None:
    """Return the number of the line that a response names as the next one.

    The response may name a line by its number, in digits or in words. It may also name it by its text if only one line
    of the program has that text.

    Args:
        response: The model's response.
        lines: The program's lines.

    Returns:
        The number, :data:`THE_END`, :data:`NOT_EXECUTED`, or None without an answer.
    """
    text = _stated(response)
    text = _strip(_LABEL.sub("", _strip(text), count=1))
    if not text or len(text) > _LONGEST:
        return None
    bare = text.rstrip(".").strip()
    by_text = _with_text(bare, lines)
    if len(by_text) == 1:
        return by_text[0]
    if _says_never(text):
        return NOT_EXECUTED
    if _END_WORDS.search(bare):
        return THE_END
    return None if by_text else _number_of_line(bare)


def read_line(response: str, lines: Sequence[str]) -> int | None:
    """Return the number of the line that a response names, by its number or its text; None without an answer.

    If the answer has several lines, the first one that names a line of the program counts.

    Args:
        response: The model's response.
        lines: The program's lines.
    """
    text = _strip(_stated(response))
    for part in (text, *text.splitlines()):
        bare = _strip(_LABEL.sub("", _strip(part), count=1)).rstrip(".").strip()
        by_text = _with_text(bare, lines)
        number = by_text[0] if len(by_text) == 1 else None if by_text else _number_of_line(bare)
        if number is not None:
            return number
    return None


def _with_text(text: str, lines: Sequence[str]) -> list[int]:
    """Return the numbers of the lines with a text; indentation does not count."""
    return [number for number, line in enumerate(lines, 1) if line.strip() and line.strip() == text]


def _number_of_line(bare: str) -> int | None:
    """Return the number of a line that a text names, in digits or in words."""
    number = _LEADING_NUMBER.match(bare) or _last(_LINE_NUMBER, bare)
    if number is not None:
        return int(number["number"]) if len(number["number"]) < 10 else None
    return _number_in_words(re.sub(r"^(?:the\s+)?line\s+", "", bare.lower()))


def read_outputs(response: str, masked: str) -> tuple[str, ...] | None:
    """Return the texts of the values that a response states for the masks; None if there are fewer values than masks.

    The answer may be the values alone, one per line, with or without numbers, or the completed source lines. In
    completed lines all text outside the masks must be unchanged, so an answer cannot insert other code.

    Args:
        response: The model's response.
        masked: Source with ``??`` for each value; ``??`` alone if the answer is the value itself.
    """
    text = _stated(response)
    if masked.strip() == "??":
        # A printed text: its indentation counts, and no part of it is a heading such as "Answer:".
        text = _fence_content(text.strip("\n"))
        return (text,) if text.strip() else None
    text = _fence_content(text.strip())
    count = _with_names(masked).count(HOLE_NAME)
    if not text or len(text) > 10 * _LONGEST:
        return None
    completed = _filled(text, masked)
    if completed is not None:
        return completed
    if count == 1:
        return (_strip(_LABEL.sub("", text, count=1)),)
    values = [re.sub(r"^(?:\(?\d+[.):]|\?\?\s*\d*\s*[:=]|[-*])\s+", "", line.strip()) for line in text.splitlines()]
    values = [value.rstrip(",").strip() for value in values if value]
    if len(values) == count:
        return tuple(_strip(value) for value in values)
    return None


def same_state(answer: State | None, value: str | None, type_name: str) -> bool:
    """Whether an answer states the value and the type of a variable.

    The value is compared as IER compares outputs. A stated type must equal the value's type; case does not count. If
    no type is stated, the answer must be a literal of the value's type.

    Args:
        answer: The result of :func:`read_state`.
        value: The literal; None if the line is not executed.
        type_name: Name of the value's type.
    """
    if answer is None:
        return False
    if value is None:
        return not answer.executed
    if not answer.executed or not same_literal(answer.value, value):
        return False
    if answer.type_name:
        return answer.type_name.rpartition(".")[2].lower() == type_name.lower()
    return type(literal_or(answer.value, "")).__name__ == type_name


def same_path(answer: int | str | None, next_line: int | None, last_line: int | None = None) -> bool:
    """Whether an answer names the next line.

    Args:
        answer: The result of :func:`read_path`.
        next_line: First line of the next statement; 0 for the end; None if the line is not executed.
        last_line: Last line of that statement, or of its header. Each line from the first to the last is correct.
    """
    if next_line is None:
        return answer == NOT_EXECUTED
    if next_line == 0:
        return answer == THE_END
    return isinstance(answer, int) and next_line <= answer <= max(next_line, last_line or 0)


def same_outputs(answers: Sequence[str] | None, outputs: Sequence[str], printed: bool = False) -> bool:
    """Whether all values are correct. Each is compared as IER compares outputs.

    Args:
        answers: The result of :func:`read_outputs`.
        outputs: The labels: literals, or the text that a script prints.
        printed: Whether the labels are printed text.
    """
    return (
        answers is not None
        and len(answers) == len(outputs)
        and all(same_output(answer, output, printed) for answer, output in zip(answers, outputs, strict=True))
    )


def _answer(response: str) -> tuple[str, bool]:
    """Return the text of the answer and True if it has marks; otherwise the end of the visible response and False."""
    marked = marked_answer(response, printed=False, marks=_MARKS)
    if marked is not None:
        return marked, True
    text = own_text(visible_text(response), _MARKS.stop)
    # In REval's prompts the opening tag is the last word of the prompt.
    closing = _MARKS.end.search(text)
    if closing and not _MARKS.begin.search(text) and text[: closing.start()].strip():
        return text[: closing.start()], True
    return text.strip()[-_TAIL:], False


def _stated(response: str) -> str:
    """Return the text with marks, or the end of a response that is most likely the answer: a fence or a line."""
    text, marked = _answer(response)
    if marked:
        return text
    text = text.strip()
    fence = final_fence(text)
    if fence is not None:
        return fence
    boxed = _last(_BOXED, text)
    if boxed:
        return str(boxed["inside"])
    line = _last_lines(text, 1)
    emphasised = re.findall(r"(?<!`)`([^`\n]+)`(?!`)|\*\*([^*\n]+)\*\*", line)
    says = re.search(r"\b(?:is|be|are|:|=|->)\s*[`*]*([^`*\n]+?)[`*]*\.?$", line)
    if len(emphasised) == 1 and not _LABEL.match(emphasised[0][1] + ":"):
        return str(emphasised[0][0] or emphasised[0][1])
    if _says_never(line) or _END_WORDS.search(line):
        return line
    return says[1] if says else line


def _last_lines(text: str, count: int) -> str:
    return "\n".join([line for line in text.splitlines() if line.strip()][-count:])


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    matches = list(pattern.finditer(text))
    return matches[-1] if matches else None


def _fence_content(text: str) -> str:
    fenced = FENCE.fullmatch(text)
    return fenced["answer"] if fenced else text


def _strip(text: str) -> str:
    """Return a text without the fence, the back-ticks or the emphasis around it."""
    text = _fence_content(text.strip())
    for mark in ("```", "**", "`", "__"):
        inner = text[len(mark) : -len(mark)]
        if len(text) > 2 * len(mark) and text.startswith(mark) and text.endswith(mark) and mark not in inner:
            text = inner.strip()
    return text.strip()


def _says_never(text: str) -> bool:
    """Whether an answer states that the line is not executed, and states no value."""
    if not _NEVER.search(text) or len(text) > 200:
        return False
    if is_literal(text):
        return not isinstance(parse_literal(text), (str, list, tuple, dict, set))
    # The word may be the variable's value, a string, as in "nil; str".
    return _type_name(text.rpartition(";")[2]).lower() not in _PLAIN_TYPES - {"nonetype"} or ";" not in text


def _type_name(text: str) -> str:
    """Return Python's name of a type; "" if the text does not name a type."""
    match = _TYPE.match(_strip(text).strip())
    if match is None:
        return ""
    name = match["name"]
    return _TYPE_NAMES.get(name.lower(), name)


_KEY = r"[\"']?\b{}[\"']?\s*[:=]\s*"
_VALUE_KEY, _TYPE_KEY = _KEY.format("value"), _KEY.format(r"(?:data\s*)?type")
_FLAGS = re.IGNORECASE | re.DOTALL
# value: 5, type: int
_KEYED = (
    re.compile(rf"{_VALUE_KEY}(?P<value>.+?)\s*[,;\n]\s*{_TYPE_KEY}(?P<type>[^\n}}]+?)\s*}}?\s*$", _FLAGS),
    re.compile(rf"{_TYPE_KEY}(?P<type>[^\n,;}}]+?)\s*[,;\n]\s*{_VALUE_KEY}(?P<value>.+?)\s*}}?\s*$", _FLAGS),
)
_IN_WORDS = (
    # 5 (int)
    re.compile(r"(?P<value>.+?)\s*[,:]?\s*[(\[]\s*(?P<type>[^()\[\]]+)[)\]]\.?", re.DOTALL),
    # 5 of type int, 5 and its type is int
    re.compile(
        r"(?P<value>.+?),?\s+(?:and\s+)?(?:(?:of|with|its|the|has)\s+)*(?:the\s+)?type\s*(?:is|:|=|of)?\s*(?P<type>\S+)",
        re.DOTALL,
    ),
    # 5, int
    re.compile(r"(?P<value>.+?)\s*[,:|/]\s*(?P<type>[`'\"]?[A-Za-z_<][\w .'\"<>]*[`]?)", re.DOTALL),
    # int 5, int = 5
    re.compile(r"(?P<type>[A-Za-z_]\w*)\s*[:,=|]?\s+(?P<value>.+)", re.DOTALL),
    # int:5
    re.compile(r"(?P<type>[A-Za-z_]\w*)\s*:\s*(?P<value>.+)", re.DOTALL),
)


def _pairs(text: str) -> list[tuple[str, str]]:
    """Return the possible splits of a text into value and type, the likeliest first."""
    pairs = [(match["value"], match["type"]) for match in (key.search(text) for key in _KEYED) if match][:1]
    before, mark, after = text.rpartition(";")
    if mark:
        first, _, rest = text.partition(";")
        split = [(before, after), (rest, first)] if _is_type(first) else [(before, after)]
        # The type comes first, unless the text after it is a type too.
        pairs += split if _is_type(after) else split[::-1]
    rows = [line for line in text.splitlines() if line.strip()]
    if len(rows) == 2:
        pairs += [(one, other) for one, other in (rows, rows[::-1]) if _is_type(other)]
    matches = [pattern.fullmatch(text) for pattern in _IN_WORDS]
    return pairs + [(match["value"], match["type"]) for match in matches if match and _is_type(match["type"])]


def _is_type(text: str) -> bool:
    return _type_name(text).rpartition(".")[2].lower() in _PLAIN_TYPES


def _number_in_words(text: str) -> int | None:
    """Return the value of a number below a thousand that is written in words."""
    words = re.findall(r"[a-z]+", text)
    if not words or len(words) > 6:
        return None
    total = 0
    for word in words:
        if word in _VALUES:
            total += _VALUES[word]
        elif word == "hundred":
            total = 100 * max(total, 1)
        elif word != "and":
            return None
    return total


# A string, in which question marks are plain text, or a mask.
_STRING_OR_MASK = re.compile(r"""('(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")|\?\?""")


def _with_names(masked: str) -> str:
    """Return masked source with a name in place of each mask, so that it parses."""
    return _STRING_OR_MASK.sub(lambda match: match[1] or HOLE_NAME, masked)


def _filled(text: str, masked: str) -> tuple[str, ...] | None:
    """Return the text at each mask if the answer is the completed source, or only its lines with masks."""
    try:
        template, answer = parse_source(_with_names(masked)), parse_source(text)
    except NotALiteralError:
        return None
    for pattern in (template, [node for node in template if HOLE_NAME in ast.unparse(node)]):
        content = in_holes(pattern, answer)
        if content is not None:
            return tuple(map(ast.unparse, content))
    return None


# --- REval's own rules -----------------------------------------------------------------------------------------------

_TRIVIAL = ("assertTrue(True)", "assertFalse(False)", "assert True", "assert False", "assertTrue(False)")


def published_answer(response: str) -> str:
    """Return the text that REval scores: between ``[ANSWER]`` and ``[/ANSWER]``, or the whole response."""
    text = response.rpartition("[ANSWER]")[2]
    return text.partition("[/ANSWER]")[0].strip()


def published_coverage(answer: str) -> bool:
    """Return REval's reading of a coverage answer: True if the first three letters are YES, otherwise False."""
    return answer.strip()[:3].upper() == "YES"


def published_state(answer: str, values: Sequence[tuple[str, str]]) -> bool:
    """Whether REval accepts an answer about a variable.

    The answer ``value; type`` is split at the last semicolon. The type in lower case must be an accepted value's type.
    Floats may differ by 1e-6; other values must equal an accepted value. Without accepted values, "Nil" is right.

    Args:
        answer: The text.
        values: Accepted values, each as ``repr`` and the type's name with its module.
    """
    if not values:
        return answer.strip().lower() == "nil"
    text, mark, type_text = answer.rpartition(";")
    if not mark or type_text.strip().lower() not in _published_types(values):
        return False
    value = literal_or(text, NotALiteralError)
    if value is NotALiteralError:
        return any(text.strip() == accepted for accepted, _ in values)
    return any(_published_same(value, accepted) for accepted, _ in values)


def published_answerable(values: Sequence[tuple[str, str]]) -> bool:
    """Whether there is an answer that :func:`published_state` accepts.

    There is no such answer if all type names contain capitals, because REval compares them with a lower-case name.
    """
    return not values or any(name == name.lower() for name in _published_types(values))


def _published_types(values: Sequence[tuple[str, str]]) -> set[str]:
    return {name.rpartition(".")[2] for _, name in values} | {name for _, name in values}


def _published_same(value: object, accepted: str) -> bool:
    right = literal_or(accepted, NotALiteralError)
    if isinstance(value, float) and isinstance(right, (int, float)):
        return abs(value - right) <= 1e-6
    try:
        return bool(value == right)
    except RecursionError:
        return same_value(value, right)


def published_path(answer: str, next_lines: Sequence[int], lines: Sequence[str]) -> bool:
    """Whether REval accepts an answer about the next line: the line's text, or -1 for the end.

    Args:
        answer: The text.
        next_lines: Accepted line numbers, -1 for the end.
        lines: The program's lines. An answer names every line with the same text.
    """
    accepted = {"-1" if number == -1 else lines[number - 1].strip() for number in next_lines}
    return answer.strip() in accepted


def published_assertions(answer: str, masked: str) -> str | None:
    """Return the statements that REval executes to score an output; None for an answer that it refuses to execute.

    Missing lines are copied from the start of the question. The answer must have as many ``assert`` as the question,
    and none may be trivial. The answer is right if its execution raises no exception.

    Args:
        answer: The text.
        masked: The question.
    """
    lines, masked_lines = answer.strip().splitlines(), masked.splitlines()
    if len(lines) < len(masked_lines):
        lines = masked_lines[: len(masked_lines) - len(lines)] + lines
    text = "\n".join(lines)
    if text.count("assert") < masked.count("assert") or any(each in text for each in _TRIVIAL):
        return None
    return text
