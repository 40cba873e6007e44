"""Objects that packages bring by entry points."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from lm_eval_codemind import plugins

OWN = ("lm_eval_codemind.languages.python:PYTHON",)


def named(*names: str) -> object:
    """Return an entry point as ``importlib.metadata`` gives it, that loads one object or a tuple of several."""
    objects = tuple(SimpleNamespace(name=name) for name in names)
    return SimpleNamespace(load=lambda: objects if len(objects) > 1 else objects[0])


def forget() -> None:
    plugins.loaded.cache_clear()
    plugins.registered.cache_clear()


@pytest.fixture(autouse=True)
def nothing_is_remembered() -> Iterator[None]:
    forget()
    yield
    forget()


def bring(monkeypatch: pytest.MonkeyPatch, **brought: list[object]) -> None:
    def entry_points(*, group: str) -> list[object]:
        prefix, _, name = group.rpartition(".")
        assert prefix == "lm_eval_codemind"
        return brought.get(name, [])

    monkeypatch.setattr(plugins, "entry_points", entry_points)


def test_those_of_this_package_come_first(monkeypatch):
    bring(monkeypatch, benchmarks=[named("b", "a"), named("c")], families=[named("f")])
    assert list(plugins.registered("benchmarks", OWN)) == ["python", "b", "a", "c"]
    assert list(plugins.registered("families", ())) == ["f"]
    assert list(plugins.registered("languages", ())) == []


@pytest.mark.parametrize("brought", [[named("python")], [named("a"), named("a")], [named("a", "a")]])
def test_two_of_one_name_are_refused(monkeypatch, brought):
    bring(monkeypatch, benchmarks=brought)
    with pytest.raises(ValueError, match=r"there are two benchmarks named '(python|a)'; uninstall the package"):
        plugins.registered("benchmarks", OWN)
