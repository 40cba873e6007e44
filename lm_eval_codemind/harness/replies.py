"""What endpoints return, read so that no reply ends a run. Written for the API models of lm-evaluation-harness 0.4.13.

The harness reads a reply as its documentation says it looks. Endpoints also return lists of parts, objects, numbers,
errors with status 200 and bodies that are not JSON. Here each becomes a :class:`Reply`, which ``--use_cache`` keeps.
"""

import inspect
import json
import logging
import pickle
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial, wraps
from pathlib import Path
from typing import Any

from lm_eval_codemind.errors import UserError, shortened
from lm_eval_codemind.harness.reply import FAILED, Reply

logger = logging.getLogger(__name__)

# A run ends if so many requests in a row fail before the first reply. After a reply, the others are not sent.
_FAILURES_AT_FIRST, _FAILURES_LATER = 10, 50


class _Unusable(ValueError):
    """A reply without a response; the request is sent again, as after an HTTP error."""


def read_all_replies() -> None:
    """Have the harness's models for APIs read every reply, and go on where a request fails after all retries.

    Relies on ``TemplateAPI.parse_generations(outputs=..., contexts=...)``, which returns the texts of one or several
    JSON replies, and on ``retry(...)`` around ``model_call`` and ``amodel_call`` in ``lm_eval.models.api_models``.
    """
    module: Any = sys.modules.get("lm_eval.models.api_models")
    if module is None:
        return
    if hasattr(module, "retry") and not hasattr(module.retry, "goes_on"):
        module.retry = _going_on(module.retry)
    classes = [module.TemplateAPI]
    for model in classes:
        classes += model.__subclasses__()
        usual = vars(model).get("parse_generations")
        if usual is not None and not hasattr(getattr(usual, "__func__", usual), "reads_all"):
            static = isinstance(usual, staticmethod)
            reading = _reading(usual.__func__ if static else usual)
            model.parse_generations = staticmethod(reading) if static else reading


def _reading(usual: Callable[..., Any]) -> Callable[..., list[Reply]]:
    @wraps(usual)
    def parse(*arguments: Any, outputs: Any, contexts: Sequence[Any] = (), **named: Any) -> list[Reply]:
        replies: list[Reply] = []
        for output in outputs if isinstance(outputs, list) else [outputs]:
            fault = _fault(output)
            if fault and not contexts:
                # The asynchronous models read a reply where they send the request, so it is sent again.
                raise _Unusable(fault)
            reading = partial(usual, *arguments, contexts=contexts, **named)
            replies += [FAILED] if fault else _replies(output, reading)
        # The harness pairs responses with prompts by their places.
        return [*replies, *[FAILED] * (len(contexts) - len(replies))]

    parse.reads_all = True  # type: ignore[attr-defined]
    return parse


def _replies(output: dict[str, Any], usual: Callable[..., Any]) -> list[Reply]:
    choices = output.get("choices")
    if choices is not None:
        if isinstance(choices[0].get("message", ""), dict):
            # A chat has one prompt and needs one response, even if the endpoint returns several.
            choices = choices[:1]
        choices = [_normal(choice, place) for place, choice in enumerate(choices)]
        output = {**output, "choices": choices}
    try:
        texts = usual(outputs=[output])
    except Exception as error:  # each of the harness's classes expects other fields
        _warn(type(error).__name__, f"{error} in {_shape(output)}")
        return [FAILED]
    usage = output.get("usage")
    tokens = usage.get("completion_tokens", usage.get("output_tokens")) if isinstance(usage, dict) else None
    if len(texts) != 1 or not isinstance(tokens, int):
        tokens = None
    ends = [choice.get("finish_reason") for choice in choices] if choices else [output.get("stop_reason")]
    ends = ends if len(ends) == len(texts) else [None] * len(texts)
    return [
        Reply(_text_of(text), tokens, None if end is None else end in ("length", "max_tokens"))
        for text, end in zip(texts, ends, strict=True)
    ]


def _fault(output: Any) -> str:
    """Return why a reply holds no response; empty if it may hold one."""
    if not isinstance(output, dict):
        return f"the reply is {_shape(output)}"
    if output.get("error"):
        return f"the endpoint reports an error: {_shape(output['error'])}"
    choices = output.get("choices", [{}])
    if not isinstance(choices, list) or not choices or not all(isinstance(choice, dict) for choice in choices):
        return f"its choices are {_shape(choices)}"
    return ""


def _normal(choice: dict[str, Any], place: int) -> dict[str, Any]:
    """Return a choice in the form that the harness expects: with its place as index, and a text or null."""
    choice = {**choice, "index": place}
    if isinstance(choice.get("message"), dict):
        return {**choice, "message": {**choice["message"], "content": _text_of(choice["message"].get("content"))}}
    if "text" in choice:
        return {**choice, "text": _text_of(choice["text"])}
    _warn("choice without a message", _shape(choice))
    return {**choice, "message": {"content": ""}, "text": ""}


def _text_of(content: Any) -> str:
    """Return the text of a message's content: the text itself, or the text parts of a list; else it is empty."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = [part if isinstance(part, str) else _text_part(part) for part in content]
        if any(text is not None for text in texts):
            return "".join(text or "" for text in texts)
    _warn(type(content).__name__, _shape(content))
    return ""


def _text_part(part: Any) -> str | None:
    if isinstance(part, dict) and part.get("type", "text") in ("text", "output_text"):
        text = part.get("text")
        return text if isinstance(text, str) else None
    return None


_warned: set[str] = set()


def _warn(kind: str, shape: str) -> None:
    if kind not in _warned:
        _warned.add(kind)
        logger.warning("a response that is not a text counts as empty (%s): %s", kind, shape)


def _shape(value: Any) -> str:
    return shortened(json.dumps(value, default=repr), 200)


class _Failures:
    """Counts failed requests in a row, so that a run does not wait for an endpoint that is gone."""

    def __init__(self) -> None:
        self.answered = False
        self.in_a_row = 0

    def note(self, error: Exception) -> None:
        """Count a failure.

        Raises:
            UserError: If the endpoint has not answered a single request so far.
        """
        self.in_a_row += 1
        body = getattr(getattr(error, "response", None), "text", "")
        reason = shortened(" ".join(f"{type(error).__name__}: {error} {body}".split()), 300)
        if not self.answered and self.in_a_row >= _FAILURES_AT_FIRST:
            raise UserError(
                f"the endpoint did not answer the first {self.in_a_row} requests ({reason}); check "
                "base_url, the name of the model, the key and the length of the prompts in --model_args"
            )
        logger.warning("a request failed and counts as an empty response: %s", reason)
        if self.in_a_row == _FAILURES_LATER:
            logger.warning("%d requests failed in a row; the remaining ones are not sent", self.in_a_row)


def _going_on(usual: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(usual)
    def retry(*settings: Any, **options: Any) -> Callable[..., Any]:
        def decorate(call: Any) -> Callable[..., Any]:
            failures: _Failures = vars(call.__self__).setdefault("codemind_failures", _Failures())

            @wraps(call)
            def ask(*arguments: Any, **named: Any) -> Any:
                output = call(*arguments, **named)
                for one in output if isinstance(output, list) else [output]:
                    if named.get("generate") and (fault := _fault(one)):
                        raise _Unusable(fault)
                return output

            retried = usual(*settings, **options)(call if inspect.iscoroutinefunction(call) else ask)

            @wraps(call)
            def going_on(*arguments: Any, **named: Any) -> Any:
                if not named.get("generate"):
                    return retried(*arguments, **named)
                if failures.in_a_row >= _FAILURES_LATER:
                    return None
                try:
                    output = retried(*arguments, **named)
                except Exception as error:  # of requests, of JSON, or of the harness
                    failures.note(error)
                    return None
                failures.answered, failures.in_a_row = True, 0
                return output

            @wraps(call)
            async def going_on_async(*arguments: Any, **named: Any) -> Any:
                if not named.get("generate"):
                    return await retried(*arguments, **named)
                failed = [FAILED] * len(named.get("messages") or [None])
                if failures.in_a_row >= _FAILURES_LATER:
                    return failed
                try:
                    replies = await retried(*arguments, **named)
                except Exception as error:  # of aiohttp, of JSON, or of the harness
                    failures.note(error)
                    return failed
                failures.answered, failures.in_a_row = True, 0
                return [*replies, *failed][: len(failed)]

            return going_on_async if inspect.iscoroutinefunction(call) else going_on

        return decorate

    retry.goes_on = True  # type: ignore[attr-defined]
    return retry


def forget_failed(cache_path: str) -> None:
    """Remove failed requests from the files that ``--use_cache`` names, so that they are sent again."""
    value = sqlite3.Binary(pickle.dumps(FAILED, protocol=pickle.HIGHEST_PROTOCOL))
    path = Path(cache_path)
    for file in path.parent.glob(f"{path.name}_rank*.db"):
        with closing(sqlite3.connect(file)) as database, database:
            if database.execute("SELECT 1 FROM sqlite_master WHERE name = 'unnamed'").fetchone():
                database.execute("DELETE FROM unnamed WHERE value = ?", (value,))
