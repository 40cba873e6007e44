"""Tests on a program's answers: the tests run on stubs, and the answers to what they do with them come from elsewhere.

A step is what tests do with a program; the README here has their forms. Whatever else tests do with a stub ends the
suite, and so does a step that has no answer. A :class:`Player` remembers it, since tests may catch anything.
"""

import builtins
import contextlib
import hashlib
import json
import operator
import sys
import threading
from collections.abc import Callable, Collection, Sequence
from opcode import opmap
from typing import Any

from . import suites
from .connection import checked
from .values import BASES, Exchange, NotPlain

TEST_FILES = ("tests.py", "support.py")
Step = list[Any]
Answer = dict[str, Any]
# Exceptions are answers, as one of these. The arguments of the others are not only texts.
_EXCEPTIONS = {
    name: kind
    for name, kind in vars(builtins).items()
    if isinstance(kind, type) and issubclass(kind, BaseException) and not name.startswith("Unicode")
    and not name.endswith("ExceptionGroup")
}  # fmt: skip
_LIKE = {kind.__name__: kind for kind in BASES}
_CHANGED = "the tests changed a container that the program has"
_DROP = '["drop"'
# In all answers of a program together: each container takes the checker some microseconds.
_MOST_BRACKETS = 150_000
_CACHE, _POP_TOP = 0, opmap["POP_TOP"]


class Elsewhere(BaseException):
    """The tests look at more than answers. No test may catch this, so it is not an ``Exception``."""


class NoAnswer(BaseException):
    """The program has no answer that is plain data, or it ended before. ``status`` is the outcome's."""

    def __init__(self, message: str, status: str = "failed") -> None:
        super().__init__(message)
        self.status = status


class _Stub:
    """Stands for an object of the program. Reading or setting an attribute is a step."""

    __slots__ = ("_held", "_name", "_on", "_player")

    def __getattribute__(self, name: str) -> Any:
        player, on = _PLAYER.__get__(self), _ON.__get__(self)
        if name.startswith("__") or sys._getframe(1).f_code.co_filename not in TEST_FILES:
            player.refuse()
        if player.is_method(on, name):
            # A method holds its object.
            return make(Function, player, on, name, self)
        return player.step("get", on, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__") or sys._getframe(1).f_code.co_filename not in TEST_FILES:
            _PLAYER.__get__(self).refuse()
        _PLAYER.__get__(self).step("set", _ON.__get__(self), name, (value,))


_HELD, _NAME, _ON, _PLAYER = (_Stub.__dict__[name] for name in _Stub.__slots__)
_SPECIAL = (
    "hash bool len iter next reversed str repr bytes int float complex index round trunc floor ceil neg pos abs "
    "invert enter exit aenter aexit await aiter anext dir sizeof copy deepcopy reduce reduce_ex getstate fspath "
    "length_hint format eq ne lt le gt ge contains getitem setitem delitem instancecheck subclasscheck mro_entries "
    "buffer delattr"
)
_ARITHMETIC = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor"
for _operation in (*_SPECIAL.split(), *(p + name for name in _ARITHMETIC.split() for p in ("", "r", "i"))):
    setattr(_Stub, f"__{_operation}__", lambda self, *_, **__: _PLAYER.__get__(self).refuse())


class Instance(_Stub):
    """An instance of the class under test, which the tests made."""

    __slots__ = ()

    def __del__(self) -> None:
        _PLAYER.__get__(self).drop(_ON.__get__(self))


class Class(_Stub):
    """The class under test."""

    __slots__ = ()

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        player = _PLAYER.__get__(self)
        player.step("new", -1, "", args, kwargs)
        return make(Instance, player, player.count, "")


class Function(_Stub):
    """The function under test, or a method."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        # ``assertRaises`` asks for it.
        if name == "__name__" and sys._getframe(1).f_code.co_filename not in TEST_FILES:
            return _NAME.__get__(self)
        return _PLAYER.__get__(self).refuse()

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        return _PLAYER.__get__(self).step("call", _ON.__get__(self), _NAME.__get__(self), args, kwargs)

    # Python would bind a function that is an attribute of a class.
    def __get__(self, *_: Any) -> Any:
        return _PLAYER.__get__(self).refuse()


def make(kind: type, player: "Player", on: int, name: str, held: Any = None) -> Any:
    """Return a stub, which holds another object as long as it lives."""
    stub: Any = object.__new__(kind)
    for slot, value in ((_PLAYER, player), (_ON, on), (_NAME, name), (_HELD, held)):
        slot.__set__(stub, value)
    return stub


class Player:
    """Answers what tests do with stubs.

    ``perform`` returns the answer to a step, or raises :class:`Elsewhere` or :class:`NoAnswer`.

    Attributes:
        problem: The first exception that ended the suite. It rules out a pass, whatever the tests make of it.
        count: The number of the last step.
    """

    def __init__(self, perform: Callable[[Step], Answer], is_method: Callable[[int, str], bool]) -> None:
        self.is_method = is_method
        self.problem: BaseException | None = None
        self.count = -1
        self._perform = perform
        self._exchange = Exchange(_encode_stub, self._decode_other)
        self._thread = threading.get_ident()
        self._iterator: _Iterator | None = None

    def refuse(self, problem: BaseException | None = None) -> Any:
        """End the suite, since it looks at a stub."""
        self.problem = self.problem or problem or Elsewhere("the tests look at an object of the program")
        raise self.problem

    def step(
        self, op: str, on: int, name: str, args: Collection[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Return the answer to a step, or raise the exception that is the answer."""
        if self.problem is not None:
            raise self.problem
        try:
            value, error = self._step(op, on, name, args, kwargs or {})
        except BaseException as problem:
            self.problem = problem if isinstance(problem, Elsewhere | NoAnswer) else NoAnswer(f"malformed: {problem}")
            raise self.problem from None
        if error is not None:
            raise error
        return value

    def _step(
        self, op: str, on: int, name: str, args: Collection[Any], kwargs: dict[str, Any]
    ) -> tuple[Any, BaseException | None]:
        exchange = self._exchange
        if threading.get_ident() != self._thread:
            raise Elsewhere("the tests call the program from a thread")
        if self._iterator is not None and not self._iterator.ended:
            raise NoAnswer("an iterator that the tests read later")
        self.count += 1
        try:
            named = {key: exchange.encode(value) for key, value in kwargs.items()}
            step = [op, on, name, [exchange.encode(arg) for arg in args], named]
        except NotPlain as error:
            raise Elsewhere(f"the tests pass {error}") from None
        if exchange.touched():
            raise Elsewhere(_CHANGED)
        exchange.agree()
        answer = self._perform(step)
        if "long" in answer:
            raise NoAnswer("too long an answer", "output")
        if "lost" in answer or ("other" in answer and not _is_unread(sys._getframe(3))):
            raise NoAnswer(f"an answer that is not plain data: {answer.get('other', answer.get('lost'))}")
        raised = None
        if "raised" in answer:
            raised = _exception(checked(answer["raised"]), exchange.decode(answer["args"]))
        value = exchange.decode(answer.get("value"))
        self._take_content(answer["content"])
        return value, raised

    def _take_content(self, contents: list[Any]) -> None:
        try:
            self._exchange.take_content(contents)
        except NotPlain:
            raise Elsewhere(_CHANGED) from None
        self._exchange.agree()

    def drop(self, number: int) -> None:
        """Let go of an instance."""
        if self.problem is not None:
            return
        try:
            self._take_content(self._perform(["drop", number, "", [], {}]).get("content", []))
        except BaseException as problem:
            self.problem = problem if isinstance(problem, Elsewhere | NoAnswer) else NoAnswer(f"malformed: {problem}")

    def end(self) -> None:
        """Raise what rules out a pass, if anything does."""
        if self.problem is None and self._exchange.changed():
            self.problem = Elsewhere(_CHANGED)
        if self.problem is not None:
            raise self.problem

    def _decode_other(self, tag: str, body: Any) -> Any:
        if tag == "iterator":
            self._iterator = _Iterator([self._exchange.decode(item) for item in body], self._iterator)
            return self._iterator
        if tag != "like":
            raise ValueError(f"unknown tag {tag!r:.50}")
        has_repr, has_str, name, data = body
        kind = self._derived(_LIKE[name], not has_repr, not has_str)
        return (
            self._exchange.fill(kind(), data) if name in ("list", "dict", "set") else kind(self._exchange.decode(data))
        )

    def _derived(self, base: type, *refused: bool) -> Any:
        """Return a class like a plain one, of which the tests can't use what a program's class may have changed."""
        names = ["__reduce_ex__", "__missing__", "__getattr__", "copy", "__copy__", "__deepcopy__", "__or__", "__ror__"]
        names += ["__repr__"] * refused[0] + ["__str__", "__format__"] * refused[1]
        refuse = lambda *_: self.refuse(NoAnswer("an answer whose class may change what the tests use"))  # noqa: E731
        return type(base.__name__, (base,), dict.fromkeys(names, refuse))


def _encode_stub(value: Any) -> Any:
    if type(value) is Instance:
        return {"instance": _ON.__get__(value)}
    raise NotPlain(f"an object of the type {type(value).__name__}")


class _Iterator:
    """Stands for an iterator of the program. The tests read it to its end before the next step."""

    def __init__(self, items: list[Any], before: "_Iterator | None") -> None:
        self._items, self._before, self._at_end = iter(items), before, False

    def __iter__(self) -> "_Iterator":
        return self

    def __next__(self) -> Any:
        for item in self._items:
            return item
        self._at_end = True
        raise StopIteration

    @property
    def ended(self) -> bool:
        """Whether this one and those before it were read to their ends."""
        return self._at_end and (self._before is None or self._before.ended)


def _is_unread(frame: Any) -> bool:
    """Whether a frame lets go of what it has just called for."""
    code, place = frame.f_code.co_code, frame.f_lasti + 2
    while code[place] == _CACHE:
        place += 2
    return bool(code[place] == _POP_TOP)


def _exception(described: dict[str, Any], arguments: Any) -> BaseException:
    """Return the exception to raise in the tests: of the nearest built-in class, with the same text."""
    names = [name for name in described["bases"] if name in _EXCEPTIONS]
    bases = [_EXCEPTIONS[name] for name in (*names, "BaseException")]
    # The nearest ones that have all others as bases.
    nearest = [kind for place, kind in enumerate(bases) if not any(issubclass(other, kind) for other in bases[:place])]
    kind: Any = type(described["type"], tuple(nearest), {"__str__": lambda self: described["message"]})
    made: BaseException = kind()
    with contextlib.suppress(Exception):
        made = kind(*arguments)
    made.args = tuple(arguments or ())
    vars(made)["from_program"] = described
    return made


def run(job: dict[str, Any], player: Player, is_class: bool, seed: int = 0) -> suites.Result:
    """Run a job's tests on stubs, or raise how they end. A pass also needs ``player.problem`` to be None."""
    namespace = suites.new_module()
    if job["support"].strip():
        exec(suites.compiled(job["support"], "support.py"), namespace)
    namespace[job["entry_point"]] = make(Class if is_class else Function, player, -1, "")
    tests = suites.compiled(job["tests"], "tests.py")
    return suites.run(namespace, tests, job["kind"], job["entry_point"], job["only"], seed)


def _key(job: dict[str, Any]) -> bytes:
    """Return what only those know who have a job's tests: no program does."""
    return repr([job["kind"], job["tests"], job["support"], job["entry_point"], *job["only"]]).encode(
        "utf-8", "replace"
    )


def digest(job: dict[str, Any], replies: bytes) -> str:
    """Return the digest that a list has of the solution's answers, on which the tests passed.

    It is of the tests as well. So a program that could read a list could not try answers on it.
    """
    made = hashlib.sha256(_key(job) + b"\0")
    made.update(replies)
    return made.hexdigest()[:32]


def sealed(job: dict[str, Any], text: bytes) -> bytes:
    """Return a text that only those can read who have a job's tests, or what was so sealed."""
    mask = hashlib.shake_256(_key(job)).digest(len(text))
    return bytes(map(operator.xor, text, mask))


def replay(job: dict[str, Any], recorded: dict[str, Any], replies: Sequence[str], seed: int = 0) -> suites.Result:
    """Run a job's tests on a program's answers in JSON, or raise how they end. ``recorded`` is the suite's list."""
    steps = [json.dumps(step) for part in recorded["steps"] for step in json.loads(part)]
    methods = frozenset(recorded["methods"])
    position, brackets = 0, 0

    def answer(step: Step) -> Answer:
        nonlocal position, brackets
        text = json.dumps(step)
        for place in range(position, len(steps)):
            if place >= len(replies):
                raise NoAnswer("", "gone")
            written = replies[place]
            brackets += written.count("[") + written.count("{")
            if brackets > _MOST_BRACKETS:
                raise NoAnswer("answers of too many containers", "output")
            reply: Answer = json.loads(written)
            if text == steps[place]:
                position = place + 1
                return reply
            # Another Python may let go of an object at another time. That matters only if something comes of it.
            if reply or not steps[place].startswith(_DROP):
                break
        if step[0] == "drop":
            return {}
        raise Elsewhere("the tests ask for more than the recorded steps")

    player = Player(answer, lambda on, name: name in methods)
    result = run(job, player, recorded["class"], seed)
    player.end()
    return result
