"""Responses that repeat the prompt they were given, as endpoints for text generation do that return the full text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lm_eval_codemind.answers.output import ANSWER_MARK

# Where a prompt ends and the answer is to begin, in our prompts, in the artifact's and in common chat formats.
_TURN = re.compile(
    r"^[ \t]*(?:### ?(?:Answer|Response|Assistant)|@@ Response|\[Answer\]|\[/INST\]|<\|assistant\|>"
    r"|(?:<\|im_start\|>)?assistant|ASSISTANT|Assistant|<start_of_turn>model)[ \t]*:?[ \t]*(?:\n|\Z)|\[/INST\]",
    re.MULTILINE,
)
# Beginnings that are shorter than this may be alike by chance.
_SHORTEST_HEAD = 200
# The column of a document that its prompt shows whatever the template: the program, or for SR the specification.
_SHOWN = ("transformed", "specification", "code")


def without_prompt(response: str, document: Mapping[str, Any], prompts: Iterable[str] = ()) -> str | None:
    """Return what follows the prompt that a response repeats; None if it repeats none.

    A response repeats its prompt if it begins with one of the given ones, white space aside; if it holds the document's
    rendered prompt; or if it holds, verbatim, the program that the prompt shows, followed by what ends a prompt, or
    with answers both before it (the in-context example's) and after it.

    Args:
        response: The recorded text.
        document: What it answers, with its columns ``prompt``, ``kind`` and those of its family.
        prompts: What the model was given, as recorded beside the response or as the harness renders it.
    """
    for prompt in prompts:
        end = _end_of(prompt, response)
        if end is not None:
            return response[end:]
    rendered = str(document.get("prompt") or "").strip()
    at = response.find(rendered) if rendered else -1
    if at >= 0:
        return response[at + len(rendered) :]
    return _after_program(response, document)


def without_prompts(
    responses: Sequence[str], documents: Sequence[Mapping[str, Any]], prompts: Sequence[Sequence[str]]
) -> list[str | None]:
    """Return what :func:`without_prompt` gives for each response, with what the others show of their prompts.

    A response in which no prompt is recognised, since the model was shown another version of the program, repeats one
    all the same if it begins as all the recognised ones of its benchmark do: with the same instructions and example.
    """
    found = [without_prompt(*one) for one in zip(responses, documents, prompts, strict=True)]
    heads = _heads(responses, documents, found)
    return [
        _after_turn(response, len(head))
        if rest is None and (head := heads.get(document.get("benchmark"), "")) and response.startswith(head)
        else rest
        for response, document, rest in zip(responses, documents, found, strict=True)
    ]


def _heads(
    responses: Sequence[str], documents: Sequence[Mapping[str, Any]], rests: Sequence[str | None]
) -> dict[Any, str]:
    """Return, by benchmark, how all the repeated prompts begin that were recognised, where that is no chance."""
    repeated: dict[Any, list[str]] = {}
    for response, document, rest in zip(responses, documents, rests, strict=True):
        if rest is not None:
            repeated.setdefault(document.get("benchmark"), []).append(response[: len(response) - len(rest)])
    heads = {benchmark: _common_beginning(texts) for benchmark, texts in repeated.items() if len(texts) > 1}
    return {benchmark: head for benchmark, head in heads.items() if len(head) >= _SHORTEST_HEAD}


def _common_beginning(texts: Sequence[str]) -> str:
    # Of the first and the last in order all others are in between.
    first, last = min(texts), max(texts)
    length = next((n for n, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    return first[:length]


def _end_of(prompt: str, response: str) -> int | None:
    """Return where a prompt ends that a response begins with, white space and the tokenizer's tokens aside, or None."""
    wanted = "".join(prompt.split())
    if not wanted:
        return None
    start = re.match(r"(?:\s*<[|\uff5c]?[\w\u2581]+[|\uff5c]?>)*", response)
    for at in {start.end() if start else 0, 0}:
        position, matched = at, 0
        while position < len(response) and matched < len(wanted):
            if not response[position].isspace():
                if response[position] != wanted[matched]:
                    break
                matched += 1
            position += 1
        if matched == len(wanted):
            return position
    return None


def _after_program(response: str, document: Mapping[str, Any]) -> str | None:
    """Return what follows the prompt that is recognised by the program it shows; None if there is none."""
    shown = next((str(document[column]).strip() for column in _SHOWN if document.get(column)), "")
    at = response.find(shown) if shown else -1
    if at < 0:
        return None
    predicts = "output" in document and "transformed" not in document
    example = bool(ANSWER_MARK.search(response, 0, at))
    rest = _after_turn(response, at + len(shown))
    if rest is None:
        rest = response[at + len(shown) :]
        return rest if predicts and example and ANSWER_MARK.search(rest) else None
    return rest if not predicts or example or ANSWER_MARK.search(rest) else None


def _after_turn(response: str, position: int) -> str | None:
    """Return what follows the first end of a prompt after a position; None if there is none or nothing follows it."""
    turn = _TURN.search(response, position)
    if turn is None:
        return None
    end = turn.end()
    while following := _TURN.match(response, _next_text(response, end)):
        end = following.end()
    return response[end:] if response[end:].strip() else None


def _next_text(text: str, position: int) -> int:
    """Return where the next line that is not blank begins."""
    while (end := text.find("\n", position)) >= 0 and not text[position:end].strip():
        position = end + 1
    return position
