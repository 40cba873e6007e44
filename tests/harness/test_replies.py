"""What an endpoint returns goes to its own prompt, or has failed; with the cache of responses and without, twice."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.harness import replies
from lm_eval_codemind.harness.reply import FAILED
from lm_eval_codemind.harness.response_cache import ResponseCache
from tests.chat_server import SHAPES, ChatServer, Messages, chat_server

tenacity = pytest.importorskip("tenacity", reason="the extra `api` is not installed")
api_models = pytest.importorskip("lm_eval.models.openai_completions")
AnthropicChat = pytest.importorskip("lm_eval.models.anthropic_llms").AnthropicChat
SGLANGGENERATEAPI = pytest.importorskip("lm_eval.models.sglang_generate_API").SGLANGGENERATEAPI

PROMPTS = [f"question {number}" + "?" * (number % 3) for number in range(8)]
BATCH = 4


@pytest.fixture(scope="module", autouse=True)
def quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    with replies.all_replies_read():
        yield
    logging.disable(logging.NOTSET)


def right(prompt: str) -> str:
    return f"<output>{prompt}</output>"


def answer(messages: Messages) -> str:
    return right(messages[-1]["content"])


@contextmanager
def run(server: ChatServer, protocol: str, cache: Path | None, **arguments: Any) -> Iterator[list[str]]:
    """Give the responses of a model to all prompts, as a run of the harness asks for them."""
    options = {"model": "m", "max_retries": 1, **arguments}
    if protocol == "chat":
        lm = api_models.LocalChatCompletion(base_url=server.url, **options)
    else:
        plain = {"tokenizer_backend": None, "tokenized_requests": False, "batch_size": BATCH}
        lm = api_models.LocalCompletionsAPI(base_url=server.completions, **plain, **options)
    prompts = [lm.apply_chat_template([{"role": "user", "content": p}]) if protocol == "chat" else p for p in PROMPTS]
    sent = [SimpleNamespace(args=(prompt, {"until": [], "do_sample": False})) for prompt in prompts]
    model = ResponseCache(lm, str(cache)) if cache else lm
    replies.requests.start()
    responses = model.generate_until(sent)
    replies.requests.note(responses)
    yield responses


def expected(reading: str) -> list[str | None]:
    """Return the responses to all prompts; None for those that failed."""
    # The harness sends long prompts first.
    order = sorted(range(len(PROMPTS)), key=lambda place: -len(PROMPTS[place]))
    lost = {"second": [order[1], order[BATCH + 1]], "last": [order[BATCH - 1], order[-1]]}.get(reading, [])
    texts = {"right": right, "empty": lambda prompt: "", "failed": lambda prompt: None}.get(reading, right)
    return [None if place in lost else texts(prompt) for place, prompt in enumerate(PROMPTS)]


@pytest.mark.proof
@pytest.mark.parametrize("concurrent", [1, 3])
@pytest.mark.parametrize("protocol", ["chat", "batch"])
@pytest.mark.parametrize("name", SHAPES)
def test_every_shape(name, protocol, concurrent, tmp_path, monkeypatch):
    """The first run answers or fails, the second asks for what failed, and a third, without faults, for the rest."""
    monkeypatch.setattr(replies, "_FAILURES_AT_FIRST", 99)
    shape = SHAPES[name]
    reading = shape.reading if protocol == "chat" else shape.batch
    for cache in (None, tmp_path / "cache.db"):
        for turn in range(2):
            with (
                chat_server(answer, shape.change) as server,
                run(server, protocol, cache, num_concurrent=concurrent) as responses,
            ):
                sent = len(server.requests)
            shown = [None if getattr(text, "failed", False) else text[-99:].removeprefix("x ") for text in responses]
            # Only the length of a long response differs.
            shown = [text and text[text.find("<output>") :] for text in shown]
            if cache and turn and reading not in ("right", "empty", "failed"):
                # What failed is alone in its batch now.
                assert set(shown) - {None} and all(
                    one in (None, two) for one, two in zip(shown, expected("right"), strict=True)
                )
                continue
            assert shown == expected(reading)
            failed = shown.count(None)
            if failed:
                with pytest.raises(UserError, match=str(failed if failed < 8 else "any of the 8 requests")):
                    replies.requests.end(kept=bool(cache))
            else:
                assert replies.requests.end(kept=bool(cache)) == ""
            if cache and turn:
                assert (sent == 0) == (failed == 0)
    with chat_server(answer) as server, run(server, protocol, tmp_path / "cache.db") as responses:
        assert [text[text.find("<output>") :] for text in responses] == (
            expected("empty") if reading == "empty" else expected("right")
        )
        assert (not server.requests) == (reading in ("right", "empty"))


ANTHROPIC = {"type": "message", "stop_reason": "end_turn", "usage": {"output_tokens": 3}}


@pytest.mark.parametrize(("body", "text"), [
    ({**ANTHROPIC, "content": [{"type": "text", "text": "a"}]}, "a"),
    ({**ANTHROPIC, "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "a"}]}, "a"),
    ({**ANTHROPIC, "content": [{"type": "text", "text": ""}]}, ""),
    ({**ANTHROPIC, "content": []}, None),
    ({**ANTHROPIC, "content": [{"type": "thinking", "thinking": "hm"}]}, None),
    ({**ANTHROPIC, "content": [{"type": "thinking", "thinking": "hm"}], "stop_reason": "max_tokens"}, ""),
    ({"type": "error", "error": {"type": "overloaded_error"}}, None),
    ({"text": "a", "meta_info": {}}, "a"),
    ({"text": None}, ""),
    ({"text": 5}, None),
    ({}, None),
])  # fmt: skip
def test_bodies_without_choices(body, text):
    """Of Anthropic's messages and of SGLang's generate, whichever of the harness's classes reads them."""
    for model in (AnthropicChat, SGLANGGENERATEAPI, api_models.LocalChatCompletion):
        (reply,) = model.parse_generations(*([None] * (model is not SGLANGGENERATEAPI)), outputs=body, contexts=["p"])
        assert reply.failed == (text is None) and reply == (text or "")
        if "usage" in body and text:
            assert (reply.tokens, reply.cut) == (3, False)


def test_several_bodies_in_a_list_are_those_of_several_prompts():
    bodies = [{"text": "a"}, {"text": None}, {"detail": "busy"}]
    read = SGLANGGENERATEAPI.parse_generations(outputs=bodies, contexts=["p", "q", "r"])
    assert read == ["a", "", ""] and [reply.failed for reply in read] == [False, False, True]


def test_a_few_failures_are_a_line_and_more_end_the_run():
    requests = replies.Requests()
    assert requests.end(kept=True) == ""
    requests.note([FAILED, *["a"] * 19])
    assert requests.end(kept=True).startswith("1 of 20 requests failed and count as wrong")
    assert "--use_cache PATH" in requests.end(kept=False)
    requests.note([FAILED])
    with pytest.raises(UserError, match="2 of 21 requests failed"):
        requests.end(kept=True)
    requests.start()
    requests.note([FAILED])
    with pytest.raises(UserError, match="did not answer any of the 1 requests"):
        requests.end(kept=True)


def test_an_endpoint_that_never_answers_is_said_once():
    """Requests that were sent at the same time fail later, and no other is sent."""
    failures, error = replies._Failures(), OSError("refused")
    for _ in range(replies._FAILURES_AT_FIRST - 1):
        assert failures.unsent(2) == [] and failures.replies_after(error, 2) == [FAILED, FAILED]
    with pytest.raises(UserError, match="did not answer the first 10 requests"):
        failures.replies_after(error, 1)
    assert failures.replies_after(error, 1) == failures.unsent(1) == [FAILED]


def test_a_reply_is_tried_again_and_the_good_ones_of_a_batch_are_kept(tmp_path, monkeypatch):
    """An interruption later loses nothing, with and without several requests at a time."""
    monkeypatch.setattr(tenacity.wait_exponential, "__call__", lambda self, retry_state: 0)
    for concurrent in (1, 3):
        file = tmp_path / f"{concurrent}.db"
        with chat_server(answer, SHAPES["second broken"].change) as server:
            with run(server, "batch", file, max_retries=2, num_concurrent=concurrent):
                pass
            assert len(server.requests) == 4
        cache = ResponseCache(SimpleNamespace(set_cache_hook=lambda hook: None), str(file))
        (kept,) = cache._database.execute("SELECT count(*) FROM unnamed").fetchone()
        assert kept == len(PROMPTS) - 2


def test_a_model_that_completes_the_options_is_resumed(tmp_path):
    """As vLLM does; where a prompt is asked with two sets of options, only the model's own names tell them apart."""

    class Completing:
        def set_cache_hook(self, hook: Any) -> None:
            self.hook = hook

        def generate_until(self, requests: list[Any]) -> list[str]:
            for request in requests:
                prompt, options = request.args
                self.hook.add_partial("generate_until", (prompt, {**options, "temperature": 0.0}), prompt.upper())
            raise KeyboardInterrupt

    sent = [SimpleNamespace(args=(prompt, {"max_gen_toks": 9})) for prompt in ("a", "a", "b", "c")]
    sent.append(SimpleNamespace(args=("c", {"max_gen_toks": 5})))
    with pytest.raises(KeyboardInterrupt):
        ResponseCache(Completing(), str(tmp_path / "cache.db")).generate_until(sent)
    asked: list[str] = []
    rest = SimpleNamespace(set_cache_hook=lambda hook: None)
    rest.generate_until = lambda requests: [asked.append(one.args[0]) or "new" for one in requests]
    assert ResponseCache(rest, str(tmp_path / "cache.db")).generate_until(sent) == ["A", "A", "B", "new", "new"]
    assert asked == ["c", "c"]
