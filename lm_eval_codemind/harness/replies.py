"""What endpoints return, read so that no reply ends a run. Written for the API models of lm-evaluation-harness 0.4.13.

A reply is one of three: it has a text, it is empty (null or an empty text), or it has failed. The harness reads a reply
as its documentation says it looks. Endpoints also return lists of parts, errors with status 200 and bodies that are not
JSON. What can be read becomes a :class:`Reply`; a request whose reply cannot be read is sent again, and has failed in
the end.
"""

import inspect
import json
import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from functools import partial, wraps
from typing import Any
from unittest.mock import patch

from lm_eval_codemind.errors import UserError, shortened
from lm_eval_codemind.harness.reply import FAILED, Reply

logger = logging.getLogger(__name__)

# A run ends if so many requests in a row fail before the first reply. After a reply, the others are not sent.
_FAILURES_AT_FIRST, _FAILURES_LATER = 10, 50
# The largest share of failed requests with which a run ends well.
_TOLERATED = 0.05

# What the finish reason of a choice is if the endpoint failed in the middle of it.
_BROKEN_OFF = ("error", "abort")
_AT_THE_LIMIT = ("length", "max_tokens")
# Types of the parts of a content.
_TEXTS, _THOUGHTS = ("text", "output_text"), ("thinking", "redacted_thinking", "reasoning")

_CHECK = "check base_url, the name of the model, the key and the length of the prompts in --model_args"

# How many prompts the request in progress has.
_prompts: ContextVar[int] = ContextVar("prompts")

Texts = Callable[..., list[str | None]]


class _Unusable(ValueError):
    """A request that is sent again, as after an HTTP error, since a prompt has no reply."""

    def __init__(self, reason: str, replies: list[Reply]) -> None:
        super().__init__(reason)
        self.replies = replies


@contextmanager
def all_replies_read() -> Iterator[None]:
    """Have the harness's models for APIs read every reply, and go on where a request fails after all retries.

    Relies on ``TemplateAPI.parse_generations(outputs=..., contexts=...)``, which returns the texts of one or several
    JSON replies, and on ``retry(...)`` around ``model_call`` and ``amodel_call`` in ``lm_eval.models.api_models``. They
    are replaced for a while, if the module has been imported.
    """
    module: Any = sys.modules.get("lm_eval.models.api_models")
    with ExitStack() as stack:
        if hasattr(module, "retry"):
            stack.enter_context(patch.object(module, "retry", _going_on(module.retry)))
        classes = [module.TemplateAPI] if module else []
        for model in classes:
            classes += model.__subclasses__()
            usual = vars(model).get("parse_generations")
            if usual is not None:
                static = isinstance(usual, staticmethod)
                reading = _reading(usual.__func__ if static else usual)
                changed = staticmethod(reading) if static else reading
                stack.enter_context(patch.object(model, "parse_generations", changed))
        yield


def _reading(usual: Texts) -> Callable[..., list[Reply]]:
    @wraps(usual)
    def parse(*arguments: Any, outputs: Any, contexts: Sequence[Any] = (), **named: Any) -> list[Reply]:
        if isinstance(outputs, list) and outputs and all(isinstance(output, Reply) for output in outputs):
            # They were read where the request was sent.
            return outputs
        prompts = len(contexts) or _prompts.get(1)
        found = read(outputs, prompts, partial(usual, *arguments, contexts=contexts, **named))
        replies = [one if isinstance(one, Reply) else FAILED for one in found]
        faults = [one for one in found if not isinstance(one, Reply)]
        if faults and not contexts:
            raise _Unusable(faults[0], replies)
        return replies

    return parse


def read(output: Any, prompts: int, usual: Texts) -> list[Reply | str]:
    """Return for each prompt of a request its reply, or why there is none.

    Args:
        output: The body of the endpoint's answer.
        prompts: How many prompts the request had.
        usual: The harness's reading: ``outputs``, a list with one body, -> the texts in it.
    """
    if isinstance(output, list) and len(output) == 1:
        return read(output[0], prompts, usual)
    if isinstance(output, list) and len(output) == prompts:
        return [read(body, 1, usual)[0] for body in output]
    if not isinstance(output, dict):
        return [f"the reply is {_shape(output)}"] * prompts
    if output.get("error"):
        return [f"the endpoint reports an error: {_shape(output['error'])}"] * prompts
    if "choices" in output:
        choices = _by_prompt(output["choices"], prompts)
        return [one if isinstance(one, str) else _choice(one, output, usual, prompts == 1) for one in choices]
    end = output.get("stop_reason")
    for name in ("content", "text"):
        if prompts == 1 and name in output and (text := text_of(output[name], end)) is not None:
            return [_reply(text, output, end)]
    found = _usual(output, usual, prompts)
    # Some of the harness's classes find an empty text in anything.
    if isinstance(found, str) or not all(found):
        return [found if isinstance(found, str) else f"it has no choices: {_shape(output)}"] * prompts
    return [_reply(text, output if prompts == 1 else {}, end) for text in found]


def _by_prompt(choices: Any, prompts: int) -> list[dict[str, Any] | str]:
    """Return the choice that answers each prompt, or why it is not known."""
    if not isinstance(choices, list) or not choices or not all(isinstance(choice, dict) for choice in choices):
        return [f"its choices are {_shape(choices)}"] * prompts
    indices = [choice.get("index") for choice in choices]
    if prompts == 1:
        # Even if the endpoint returns several.
        return [min(enumerate(choices), key=lambda pair: _whole(pair[1].get("index"), pair[0]))[1]]
    if len(set(map(repr, indices))) < len(indices) or any(_whole(index, -1) not in range(prompts) for index in indices):
        reason = (
            f"its choices have the indices {_shape(indices)}, which do not say which of {prompts} prompts each answers"
        )
        return [f"{reason}; use --batch_size 1"] * prompts
    by_prompt = dict(zip(indices, choices, strict=True))
    return [by_prompt.get(place, f"it has no choice for prompt {place}") for place in range(prompts)]


def _whole(index: Any, default: int) -> int:
    return index if isinstance(index, int) and not isinstance(index, bool) else default


def _choice(choice: dict[str, Any], output: dict[str, Any], usual: Texts, alone: bool) -> Reply | str:
    end = choice.get("finish_reason")
    if choice.get("error") or end in _BROKEN_OFF:
        return f"the endpoint reports an error: {_shape(choice)}"
    text = _text_of_choice(choice)
    if text is None:
        return f"its choice has no text: {_shape(choice)}"
    # The form in which the harness expects a choice, of a chat or of a completion.
    usual_form = {**choice, "index": 0, "text": text, "message": {"role": "assistant", "content": text}}
    found = _usual({**output, "choices": [usual_form]}, usual, 1)
    return found if isinstance(found, str) else _reply(found[0], output if alone else {}, end)


def _usual(output: dict[str, Any], usual: Texts, prompts: int) -> list[str] | str:
    """Return the texts that the harness finds in a body, one for each prompt, or why it finds none."""
    try:
        texts = usual(outputs=[output])
    except Exception as error:  # each of the harness's classes expects other fields
        return f"{type(error).__name__}: {error} in {_shape(output)}"
    if len(texts) != prompts or not all(text is None or isinstance(text, str) for text in texts):
        return f"it has {len(texts)} texts for {prompts} prompts: {_shape(output)}"
    return [text or "" for text in texts]


def _reply(text: str, output: dict[str, Any], end: Any) -> Reply:
    usage = output.get("usage")
    tokens = usage.get("completion_tokens", usage.get("output_tokens")) if isinstance(usage, dict) else None
    known = tokens if isinstance(tokens, int) else None
    return Reply(text, known, None if end is None else end in _AT_THE_LIMIT)


def _text_of_choice(choice: dict[str, Any]) -> str | None:
    """Return the text of a choice, which is empty where it is null; None where there is no text."""
    message, delta = choice.get("message"), choice.get("delta")
    end = choice.get("finish_reason")
    if isinstance(message, dict) and "content" in message:
        return text_of(message["content"], end)
    if isinstance(message, (str, list)):
        return text_of(message)
    if "text" in choice:
        return text_of(choice["text"])
    if isinstance(delta, dict) and "content" in delta:
        return text_of(delta["content"])
    # The token limit may end a response before its first character, and some endpoints leave empty fields out.
    return "" if isinstance(message, dict) and end in _AT_THE_LIMIT else None


def text_of(content: Any, end: Any = None) -> str | None:
    """Return the text of a content: a text, its parts that are texts, or null, which is empty; None for all else.

    A content of thoughts alone is empty if the token limit ended it, as the finish reason ``end`` says.
    """
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, dict) and content.get("type", "text") in _TEXTS:
        return content["text"] if isinstance(content.get("text"), str) else None
    if isinstance(content, list) and content:
        texts = [part if isinstance(part, str) else _text_part(part) for part in content]
        if any(text is not None for text in texts):
            return "".join(text or "" for text in texts)
        thoughts = all(isinstance(part, dict) and part.get("type") in _THOUGHTS for part in content)
        return "" if thoughts and end in _AT_THE_LIMIT else None
    return None


def _text_part(part: Any) -> str | None:
    return text_of(part) if isinstance(part, dict) else None


def _shape(value: Any) -> str:
    return shortened(json.dumps(value, default=repr), 200)


class Requests:
    """Counts the requests of a run.

    Attributes:
        reason: Why the last one failed.
    """

    def __init__(self) -> None:
        self.reason = ""
        self._counts: Counter[bool] = Counter()

    def start(self) -> None:
        """Forget the requests of former runs in this process."""
        self.reason = ""
        self._counts.clear()

    def note(self, responses: Iterable[str]) -> None:
        """Count responses to requests, some of which may have failed."""
        self._counts.update(getattr(response, "failed", False) for response in responses)

    def end(self, kept: bool) -> str:
        """Return a line about failed requests; empty if there are none.

        Args:
            kept: Whether the responses to the others are kept for a later run.

        Raises:
            UserError: With the line, if all have failed or more than 5 %.
        """
        failed, total = self._counts[True], self._counts.total()
        if not failed:
            return ""
        if failed == total:
            raise UserError(f"the endpoint did not answer any of the {total} requests ({self.reason}); {_CHECK}")
        again = "the same arguments, and only these are sent" if kept else "--use_cache PATH, which keeps the responses"
        line = f"{failed} of {total} requests failed and count as wrong ({self.reason}); start again with {again}"
        if failed > _TOLERATED * total:
            raise UserError(line)
        return line


requests = Requests()
"""Those of the run in progress."""


class _Failures:
    """Counts a model's failed requests in a row, so that a run does not wait for an endpoint that is gone."""

    def __init__(self) -> None:
        self.answered = self.gone = False
        self.in_a_row = 0

    def unsent(self, prompts: int) -> list[Reply]:
        """Return failed replies to the prompts of a request if the endpoint is gone; none if it is to be sent."""
        _prompts.set(prompts)
        return [FAILED] * prompts if self.gone else []

    def none_in(self, replies: list[Reply]) -> list[Reply]:
        """Return the replies of a request that did not fail."""
        self.answered, self.gone, self.in_a_row = True, False, 0
        return replies

    def replies_after(self, error: Exception, prompts: int) -> list[Reply]:
        """Return the replies of a request that failed after all retries: some of its prompts may have one.

        Raises:
            UserError: If the endpoint has not answered a single request so far.
        """
        replies: list[Reply] = getattr(error, "replies", [FAILED] * prompts)
        if all(reply.failed for reply in replies):
            self._note(error)
            return replies
        requests.reason = str(error)
        logger.warning("a request failed for some of its prompts: %s", error)
        return self.none_in(replies)

    def _note(self, error: Exception) -> None:
        if self.gone:
            # It was sent at the same time as the one that said so.
            return
        self.in_a_row += 1
        body = getattr(getattr(error, "response", None), "text", "")
        kind = "" if isinstance(error, _Unusable) else f"{type(error).__name__}: "
        requests.reason = shortened(" ".join(f"{kind}{error} {body}".split()), 300)
        self.gone = self.in_a_row >= (_FAILURES_LATER if self.answered else _FAILURES_AT_FIRST)
        if self.gone and not self.answered:
            raise UserError(
                f"the endpoint did not answer the first {self.in_a_row} requests ({requests.reason}); {_CHECK}"
            )
        logger.warning("a request failed: %s", requests.reason)
        if self.gone:
            logger.warning("%d requests failed in a row; the remaining ones are not sent", self.in_a_row)


def _going_on(usual: Callable[..., Any]) -> Callable[..., Any]:
    """Return the harness's ``retry`` so that a request that fails after all retries has failed replies.

    What it retries is a model's ``model_call`` or ``amodel_call``. Those that generate no text are left as they are.
    """

    @wraps(usual)
    def retry(**options: Any) -> Callable[..., Any]:
        def retrying(call: Any) -> Any:
            model = call.__self__
            failures: _Failures = vars(model).setdefault("codemind_failures", _Failures())

            def ask(*arguments: Any, **named: Any) -> Any:
                if not named.get("generate"):
                    return call(*arguments, **named)
                unsent = failures.unsent(len(named["messages"]))
                return unsent or failures.none_in(model.parse_generations(outputs=call(*arguments, **named)))

            async def ask_concurrently(*arguments: Any, **named: Any) -> Any:
                if not named.get("generate"):
                    return await call(*arguments, **named)
                unsent = failures.unsent(len(named["messages"]))
                return unsent or failures.none_in(await call(*arguments, **named))

            def after_all_retries(state: Any) -> list[Reply]:
                error, named = state.outcome.exception(), state.kwargs
                if not named.get("generate"):
                    raise error
                replies = failures.replies_after(error, len(named["messages"]))
                # The harness keeps those of a concurrent request that has not failed.
                for key, reply in zip(named.get("cache_keys") or (), replies, strict=False):
                    model.cache_hook.add_partial("generate_until", key, reply)
                return replies

            asking = ask_concurrently if inspect.iscoroutinefunction(call) else ask
            return usual(**options, retry_error_callback=after_all_retries)(asking)

        return retrying

    return retry
