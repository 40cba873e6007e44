"""Taking steps on a program, in the program's process. See :mod:`.answers` for what a step is."""

from typing import Any

from . import suites
from .values import Exchange, NotPlain


class Performer:
    """Takes steps on the program's object for the entry point. Its answers are what :func:`json.dumps` takes."""

    def __init__(self, target: Any) -> None:
        self._objects: dict[int, Any] = {-1: target}
        self._exchange = Exchange(_refuse, self._decode_other)
        self._count = -1

    def perform(self, step: list[Any]) -> dict[str, Any]:
        """Return the answer to a step."""
        op, on, name, args, kwargs = step
        exchange = self._exchange
        if op == "drop":
            self._objects.pop(on, None)
            return {}
        exchange.begin()
        self._count += 1
        answer: dict[str, Any]
        try:
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
            self._objects[self._count] = target(*args, **kwargs)
            return None
        if op == "set":
            return setattr(target, name, *args)
        if op == "get":
            return getattr(target, name)
        return (getattr(target, name) if name else target)(*args, **kwargs)

    def _decode_other(self, tag: str, body: Any) -> Any:
        if tag != "instance":
            raise ValueError(tag)
        return self._objects[body]


def _refuse(value: Any) -> Any:
    raise NotPlain(f"an object of the type {type(value).__name__}")
