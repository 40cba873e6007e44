"""Values of RE2-Bench's record as objects of a project, and objects as the record writes them.

Runs inside the project's environment, so it needs the standard library of Python 3.7 only.
"""

from __future__ import annotations

import builtins
import importlib
import inspect
import json
import math
import re
from typing import Any

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+|\bid=\d{9,}|id='\d{9,}'")
# How an output relates to the recorded one: equal; with other last digits, because the recorded input has fewer digits
# than the real one; equal but for quotes inside a text; with a part that is null in the record; an object whose
# attributes are recorded, which the prompt asks for as text; another one.
RELATIONS = ("same", "rounded", "quotes", "lost", "object", "other")
ROUNDING = 1e-5


class CannotRebuild(Exception):
    """A recorded input does not contain the value. The message says why."""


class Names(dict):  # type: ignore[type-arg]
    """The names in which recorded texts are read. A setup may define ``missing(name)`` and ``convert(value)``."""

    def __init__(self, module: Any, names: dict[str, Any]) -> None:
        super().__init__(names)
        self._module = module

    def __missing__(self, name: str) -> Any:
        if name in self._module.__dict__:
            return self._module.__dict__[name]
        if "missing" in self and not hasattr(builtins, name):
            return self["missing"](name)
        raise KeyError(name)

    def read(self, text: str) -> Any:
        """Return the value that a text shows, or the text."""
        named = re.fullmatch(r"<class '([\w.]+)'>", text)
        if named:
            path, _, name = named.group(1).rpartition(".")
            return getattr(importlib.import_module(path or "builtins"), name)
        named = re.match(r"<module '([\w.]+)'", text)
        if named:
            return importlib.import_module(named.group(1))
        named = re.match(r"<function (\w+)(?: at 0x\w+)?>", text)
        if named and named.group(1) in self._module.__dict__:
            return self._module.__dict__[named.group(1)]
        if "..." in text and ("[" in text or "(" in text):
            raise CannotRebuild("the recorded input is shortened")
        for candidate in (text, text.replace('"', ""), commas(text)):
            try:
                value = eval(candidate, self)
            except Exception:
                continue
            texts = (squeezed(str(value)), squeezed(repr(value)))
            if squeezed(candidate) in texts or squeezed(text) in texts:
                return self["convert"](value) if "convert" in self else value
        if ADDRESS.search(text):
            raise CannotRebuild("the recorded input is an address")
        return text


def commas(text: str) -> str:
    """Return the text of a printed array of numbers or of strings as an expression."""
    if re.fullmatch(r"\[[\[\]\d\s.e+naif-]*\]", text):
        return "array(" + re.sub(r"(?<=[\d.nf\]])\s+(?=[\[\d.n+-])", ", ", text) + ")"
    if re.fullmatch(r"\[(?:[\[\]\s]|'[^']*')*\]", text):
        return "array(" + re.sub(r"(?<=['\]])\s+(?=['\[])", ", ", text) + ")"
    return text


def squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def readings_of(value: Any) -> list[str]:
    """Return the ways to read a recorded value."""
    text = json.dumps(value)
    return ["values", *(["tuples"] if "[" in text else []), *(["text"] if '"' in text else [])]


def made(owner: Any, state: dict[str, Any]) -> Any:
    """Return an object of a class with these attributes, without running ``__init__``."""
    # A concrete class where the function belongs to an abstract one: the record does not say which.
    owner = type(owner)(owner.__name__, (owner,), {}) if inspect.isabstract(owner) else owner
    if inspect.isabstract(owner):
        owner.__abstractmethods__ = frozenset()
    try:
        value = owner.__new__(owner)
    except TypeError:
        value = object.__new__(owner)
    for name, part in state.items():
        object.__setattr__(value, name, part)
    return value


def compared(recorded: Any, value: Any) -> str:
    """Return how a value relates to the recorded one: one of :data:`RELATIONS`."""
    if recorded is None:
        return "same" if value is None else "lost" if isinstance(value, (list, tuple, dict, set)) else "other"
    if isinstance(recorded, bool) or isinstance(value, bool):
        return "same" if recorded is value else "other"
    if isinstance(recorded, (int, float)):
        if not isinstance(value, (int, float)):
            return "same" if str(value) == str(recorded) else "other"
        equal = recorded == value or (recorded != recorded and value != value)
        return "same" if equal else "rounded" if math.isclose(recorded, value, rel_tol=ROUNDING) else "other"
    if isinstance(recorded, str):
        texts = [squeezed(text) for text in (str(value), repr(value))]
        if squeezed(recorded) in texts:
            return "same"
        if any(nearly(recorded, text) for text in (str(value), repr(value))):
            return "rounded"
        return "quotes" if squeezed(recorded).replace('"', "") in [text.replace('"', "") for text in texts] else "other"
    if isinstance(recorded, list):
        if not isinstance(value, (list, tuple, set, frozenset)) or len(value) != len(recorded):
            return "other"
        parts = list(value)
        return worst(compared(recorded[index], parts[index]) for index in range(len(parts)))
    if isinstance(value, dict):
        values = {str(key): part for key, part in value.items()}
        if set(values) != set(recorded):
            return "other"
        return worst(compared(part, values[key]) for key, part in recorded.items())
    if not recorded or not all(hasattr(value, key) for key in recorded):
        return "other"
    return worst(["object", *(compared(part, getattr(value, key)) for key, part in recorded.items())])


def worst(relations: Any) -> str:
    return RELATIONS[max([RELATIONS.index(relation) for relation in relations] or [0])]


def nearly(recorded: str, text: str) -> bool:
    """Whether two texts are equal apart from the last digits of their decimal fractions."""
    number = r"-?\d+\.\d*(?:e[+-]?\d+)?"
    mine, other = re.findall(number, recorded), re.findall(number, text)
    same = bool(mine) and len(mine) == len(other)
    same = same and squeezed(re.sub(number, "#", recorded)) == squeezed(re.sub(number, "#", text))
    pairs = [(float(mine[index]), float(other[index])) for index in range(len(mine))] if same else []
    return same and all(math.isclose(one, two, rel_tol=ROUNDING, abs_tol=ROUNDING) for one, two in pairs)


def plain(value: Any) -> Any:
    """Return a value as JSON: containers and numbers unchanged, others as text."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, float):
        return float(value)
    if type(value) in (list, tuple):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    return repr(value) if type(value).__module__.split(".")[0] == "numpy" else str(value)
