"""The faults of the harness that this suite mends. Where a test fails, the harness is mended: see docs/upstream."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

api_models = pytest.importorskip("lm_eval.models.openai_completions")
UPSTREAM = Path(__file__).parents[2] / "docs" / "upstream"

MENDED = "the harness no longer has this fault: remove what mends it, and its text in docs/upstream"


def plain(name: str) -> ModuleType:
    """Return a module of the harness as it is on disk, whatever this suite has replaced in the imported one."""
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def usual_reading(model: Any) -> Any:
    """Return the harness's own ``parse_generations`` of a class."""
    return getattr(model.parse_generations, "__wrapped__", model.parse_generations)


class Numbered:
    """A model that numbers its responses."""

    def __init__(self, name: str) -> None:
        self.name, self.sent = name, 0

    def set_cache_hook(self, hook: Any) -> None:
        """Ignore it."""

    def generate_until(self, requests: list[Any]) -> list[str]:
        self.sent += len(requests)
        return [f"{self.name}{number}" for number, _ in enumerate(requests)]


def test_batches():
    """A choice that is missing makes the list shorter, and others move to its prompt."""
    body = {"choices": [{"index": 0, "text": "first"}, {"index": 1, "text": "second"}]}
    texts = usual_reading(api_models.LocalCompletionsAPI)(outputs=body, contexts=["p", "q", "r"])
    assert texts == ["first", "second"], MENDED


def test_failed_replies():
    """An error with status 200 is read as an empty text."""
    model = SimpleNamespace(think_end_token=None)
    texts = usual_reading(api_models.LocalChatCompletion)(model, outputs={"detail": "out of credits"})
    assert texts == [""], MENDED


@pytest.mark.parametrize("options", [{}, {"do_sample": True}])
def test_repeats(options, tmp_path):
    """All repeats get one response from the cache, or none at all."""
    caching, model = plain("lm_eval.api.model").CachingLM, Numbered("a")
    requests = 3 * [SimpleNamespace(args=("prompt", options))]
    runs = [caching(model, str(tmp_path / "cache.db")).generate_until(requests) for _ in range(2)]
    assert runs[0] == ["a0", "a1", "a2"]
    assert (runs[1], model.sent) == (["a2", "a2", "a2"], 3) or model.sent == 6, MENDED


def test_models(tmp_path):
    """A second model gets the responses of the first."""
    caching, requests = plain("lm_eval.api.model").CachingLM, [SimpleNamespace(args=("prompt", {}))]
    first, second = (caching(Numbered(name), str(tmp_path / "cache.db")).generate_until(requests) for name in "ab")
    assert first == second == ["a0"], MENDED


def test_each_text_has_a_test():
    listed = re.findall(r"\]\((\w+)\.md\)", (UPSTREAM / "README.md").read_text(encoding="utf-8"))
    assert {path.stem for path in UPSTREAM.glob("*.md")} == {"README", *listed}
    assert {f"test_{name}" for name in listed} <= globals().keys()
