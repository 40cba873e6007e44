"""Traces that watch expressions: what the proofs of runtime labels read."""

from __future__ import annotations

import ast
import inspect
import types
from functools import lru_cache
from pathlib import Path
from typing import Any

from lm_eval_codemind.workshop.python.recorder import Recorder, vars_of
from lm_eval_codemind.workshop.python.tracing import recorder_source

_INSIDE = "\n# -- inside the sandbox\n"


@lru_cache(maxsize=1)
def watching_source() -> str:
    """Return the recorder's source with a ``record`` that has the further parameter ``watches``."""
    inside = Path(__file__).read_text(encoding="utf-8").partition(_INSIDE)[2]
    last = "record = functools.partial(record, make=Watching)"
    return f"{recorder_source()}\n{inside}\n{last}\n"


# -- inside the sandbox


class Watching(Recorder):
    """Notes what expressions give whenever a step ends."""

    def __init__(self, *arguments: Any, watches: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._watches = {
            int(unit): [(text, ast.parse(text, mode="eval").body) for text in texts] for unit, texts in watches.items()
        }

    def seen(self, record: Any) -> list[list[Any]]:
        """Return each watched expression of a step with the number of its value."""
        frame, rows = record.frame, []
        for text, expression in self._watches.get(record.unit, ()):
            try:
                value = evaluate(expression, frame.f_locals, frame.f_globals, self._class_name(record.unit))
            except Unreadable:
                number = self._texts.setdefault(("", None), len(self._texts))
            except Unknown:
                number = -1
            else:
                number = self.number(value)
            rows.append([text, number])
        return rows

    def _class_name(self, unit: int) -> str:
        """Return the name of the innermost class around a unit, which private names are mangled with; may be empty."""
        while (unit := self._units[unit].parent) >= 0:
            node = self._units[unit].node
            if isinstance(node, ast.ClassDef):
                return node.name
        return ""


class Unknown(Exception):
    """An expression has no value here: a name, or an attribute does not exist."""


class Unreadable(Unknown):
    """An expression may have a value, but it cannot be told without running code of the program or of a library."""


def evaluate(expression: ast.expr, local: Any, world: Any, class_name: str = "") -> Any:
    """Return the value of a name, an attribute or a tuple of these without running any code of the program."""
    if isinstance(expression, ast.Name):
        for scope in (local, world):
            if expression.id in scope:
                return scope[expression.id]
        raise Unknown(expression.id)
    if isinstance(expression, ast.Tuple):
        return tuple([evaluate(item, local, world, class_name) for item in expression.elts])
    if isinstance(expression, ast.Attribute):
        name = expression.attr
        if class_name.strip("_") and name.startswith("__") and not name.endswith("__"):
            name = f"_{class_name.lstrip('_')}{name}"
        return _attribute(evaluate(expression.value, local, world, class_name), name)
    raise Unreadable(type(expression).__name__)


def _attribute(value: Any, name: str) -> Any:
    attributes = vars_of(value)
    attribute = inspect.getattr_static(value, name, Unknown)
    if type(attributes) is dict and name in attributes and not isinstance(attribute, property):
        return attributes[name]
    if isinstance(attribute, types.MemberDescriptorType):
        try:
            return attribute.__get__(value)
        except AttributeError:
            raise Unknown(name) from None
    if attribute is Unknown:
        dynamic = inspect.getattr_static(type(value), "__getattr__", None) is not None
        raise Unreadable(name) if dynamic else Unknown(name)
    if hasattr(type(attribute), "__get__"):
        raise Unreadable(name)
    return attribute
