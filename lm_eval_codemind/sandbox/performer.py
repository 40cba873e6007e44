"""Taking steps on a program, in the program's process. See :mod:`.answers` for what a step is."""

import itertools
from typing import Any

from . import suites
from .values import Exchange, NotPlain

_OF_A_PROGRAM = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_MOST_ITEMS = 10_000
_NOTHING = object()


class Performer:
    """Takes steps on the program's object for the entry point. Its answers are what :func:`json.dumps` takes."""

    def __init__(self, target: Any) -> None:
        self._objects: dict[int, Any] = {-1: target}
        self._exchange = Exchange(self._encode_other, self._decode_other)
        self._count = -1

    def perform(self, step: list[Any]) -> dict[str, Any]:
        """Return the answer to a step."""
        op, on, name, args, kwargs = step
        exchange = self._exchange
        answer: dict[str, Any] = {}
        try:
            if op == "drop":
                self._objects.pop(on, None)
                content = exchange.content()
                exchange.agree()
                return {"content": content} if content else {}
            self._count += 1
            args = [exchange.decode(arg) for arg in args]
            kwargs = {key: exchange.decode(arg) for key, arg in kwargs.items()}
            exchange.agree()
            try:
                value = self._take(op, on, name, args, kwargs)
            except BaseException as error:
                answer = {"raised": suites.describe(error), "args": None}
                value = list(error.args)
                error.__traceback__ = None
            else:
                answer = {"value": None}
            del args, kwargs
            try:
                answer["args" if "raised" in answer else "value"] = exchange.encode(value)
            except NotPlain as problem:
                exchange.forget()
                if "raised" not in answer:
                    answer = {"other": str(problem)}
            del value
            answer["content"] = exchange.content()
            exchange.agree()
        except BaseException as problem:
            answer = {"lost": f"{type(problem).__name__}: {problem}"[:200]}
        return answer

    def attribute(self, on: int, name: str) -> Any:
        """Return an attribute of an object without executing the program."""
        import inspect

        return inspect.getattr_static(self._objects[on], name, None)

    def _take(self, op: str, on: int, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        target = self._objects[on]
        if op == "new":
            made = self._objects[self._count] = target(*args, **kwargs)
            # The tests take for granted that it is an instance of the program's, whatever they ask of it.
            kind = type(made)
            is_instance = isinstance(made, target) if isinstance(target, type) else kind.__module__ == target.__module__
            return None if is_instance and not issubclass(kind, type) else _NOTHING
        if op == "set":
            return setattr(target, name, *args)
        if op == "get":
            return getattr(target, name)
        return (getattr(target, name) if name else target)(*args, **kwargs)

    def _decode_other(self, tag: str, body: Any) -> Any:
        if tag != "instance":
            raise ValueError(tag)
        return self._objects[body]

    def _encode_other(self, value: Any) -> Any:
        if _is_iterator(type(value)):
            # The tests read it to its end before the next step, or not at all. Read now, it gives them the same, if
            # the program's own containers stay what they are.
            before = self._exchange.changed()
            items = list(itertools.islice(value, _MOST_ITEMS + 1))
            if len(items) > _MOST_ITEMS or before or self._exchange.changed():
                raise NotPlain(f"an iterator with effects, or of more than {_MOST_ITEMS} items")
            return {"iterator": [self._exchange.encode(item, 2) for item in items]}
        message = self._exchange.encode_as_base(value)
        if message is None:
            raise NotPlain(f"an object of the type {type(value).__name__}")
        return message


def _is_iterator(kind: type) -> bool:
    """Whether a type is one of Python's own iterators, such as generators and those of :mod:`itertools`."""
    plain = kind.__module__ == "builtins" and not kind.__flags__ & _OF_A_PROGRAM
    return hasattr(kind, "__next__") and (plain or getattr(itertools, kind.__name__, None) is kind)
