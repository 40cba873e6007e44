"""Tests on a program's answers: the tests run on stubs, and the answers to what they do with them come from elsewhere.

A step is what tests do with a program; the README here has their forms. Whatever else tests do with a stub ends the
suite, and so does a step that has no answer. A :class:`Player` remembers it, since tests may catch anything.
"""

import builtins
import contextlib
import hashlib
import json
import sys
import threading
from collections.abc import Callable, Collection, Sequence
from opcode import opmap
from typing import Any

from . import suites
from .values import Exchange, NotPlain

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

    __slots__ = ("_name", "_on", "_player")

    def __getattribute__(self, name: str) -> Any:
        player, on = _PLAYER(self), _ON(self)
        if name.startswith("__") or sys._getframe(1).f_code.co_filename not in TEST_FILES:
            player.refuse()
        if player.is_method(on, name):
            return make(Function, player, on, name)
        return player.step("get", on, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("__") or sys._getframe(1).f_code.co_filename not in TEST_FILES:
            _PLAYER(self).refuse()
        _PLAYER(self).step("set", _ON(self), name, (value,))


_PLAYER, _ON, _NAME = (_Stub.__dict__[name].__get__ for name in _Stub.__slots__)
_SPECIAL = (
    "hash bool len iter next reversed str repr bytes int float complex index round trunc floor ceil neg pos abs "
    "invert enter exit aenter aexit await aiter anext dir sizeof copy deepcopy reduce reduce_ex getstate fspath "
    "length_hint format eq ne lt le gt ge contains getitem setitem delitem instancecheck subclasscheck mro_entries "
    "buffer delattr"
)
_ARITHMETIC = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and or xor"
for _operation in (*_SPECIAL.split(), *(p + name for name in _ARITHMETIC.split() for p in ("", "r", "i"))):
    setattr(_Stub, f"__{_operation}__", lambda self, *_, **__: _PLAYER(self).refuse())


class Instance(_Stub):
    """An instance of the class under test, which the tests made."""

    __slots__ = ()

    def __del__(self) -> None:
        _PLAYER(self).drop(_ON(self))


class Class(_Stub):
    """The class under test."""

    __slots__ = ()

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        player = _PLAYER(self)
        player.step("new", -1, "", args, kwargs)
        return make(Instance, player, player.count, "")


class Function(_Stub):
    """The function under test, or a method."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        # ``assertRaises`` asks for it.
        if name == "__name__" and sys._getframe(1).f_code.co_filename not in TEST_FILES:
            return _NAME(self)
        return _PLAYER(self).refuse()

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
        return _PLAYER(self).step("call", _ON(self), _NAME(self), args, kwargs)

    # Python would bind a function that is an attribute of a class.
    def __get__(self, *_: Any) -> Any:
        return _PLAYER(self).refuse()


def make(kind: type, player: "Player", on: int, name: str) -> Any:
    """Return a stub."""
    stub: Any = object.__new__(kind)
    for slot, value in zip(_Stub.__slots__, (player, on, name), strict=True):
        _Stub.__dict__[slot].__set__(stub, value)
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
        self.drop: Callable[[int], None] = lambda number: None
        self._perform = perform
        self._exchange = Exchange(_encode_stub, _decode_other)
        self._thread = threading.get_ident()

    def refuse(self) -> Any:
        """End the suite, since it looks at a stub."""
        self.problem = self.problem or Elsewhere("the tests look at an object of the program")
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
        if exchange.changed():
            raise Elsewhere("the tests changed a container that the program has")
        exchange.begin()
        self.count += 1
        try:
            named = {key: exchange.encode(value) for key, value in kwargs.items()}
            step = [op, on, name, [exchange.encode(arg) for arg in args], named]
        except NotPlain as error:
            raise Elsewhere(f"the tests pass {error}") from None
        exchange.agree()
        answer = self._perform(step)
        if "long" in answer:
            raise NoAnswer("too long an answer", "output")
        if "lost" in answer or ("other" in answer and not _is_unread(sys._getframe(3))):
            raise NoAnswer(f"an answer that is not plain data: {answer.get('other', answer.get('lost'))}")
        raised = _exception(answer["raised"], exchange.decode(answer["args"])) if "raised" in answer else None
        value = exchange.decode(answer.get("value"))
        exchange.take_content(answer["content"])
        exchange.agree()
        return value, raised


def _encode_stub(value: Any) -> Any:
    if type(value) is Instance:
        return {"instance": _ON(value)}
    raise NotPlain(f"an object of the type {type(value).__name__}")


def _decode_other(tag: str, body: Any) -> Any:
    raise ValueError(f"unknown tag {tag!r:.50}")


def _is_unread(frame: Any) -> bool:
    """Whether a frame lets go of what it has just called for."""
    code, place = frame.f_code.co_code, frame.f_lasti + 2
    while code[place] == _CACHE:
        place += 2
    return bool(code[place] == _POP_TOP)


def _exception(described: dict[str, Any], arguments: Any) -> BaseException:
    """Return the exception to raise in the tests: of the nearest built-in class, with the same text."""
    kind: Any = next(_EXCEPTIONS[name] for name in described["bases"] if name in _EXCEPTIONS)
    text = described["message"]
    made: BaseException | None = None
    with contextlib.suppress(Exception):
        made = kind(text) if issubclass(kind, SyntaxError) else kind(*arguments)
    if made is None or str(made) != text:
        made = type(kind.__name__, (kind,), {"__str__": lambda self: text})()
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


def digest(replies: bytes) -> str:
    """Return the digest that a list has of the solution's answers, on which the tests passed."""
    return hashlib.sha256(replies).hexdigest()[:32]


def replay(job: dict[str, Any], recorded: dict[str, Any], replies: Sequence[str], seed: int = 0) -> suites.Result:
    """Run a job's tests on a program's answers in JSON, or raise how they end. ``recorded`` is the suite's list."""
    steps = [step for step in json.loads(recorded["steps"]) if step[0] != "drop"]
    methods = frozenset(recorded["methods"])

    def answer(step: Step) -> Answer:
        number = player.count
        if number >= len(steps) or json.dumps(step) != json.dumps(steps[number]):
            raise Elsewhere("the tests ask for more than the recorded steps")
        if number >= len(replies):
            raise NoAnswer("", "gone")
        reply: Answer = json.loads(replies[number])
        return reply

    player = Player(answer, lambda on, name: name in methods)
    result = run(job, player, recorded["class"], seed)
    if player.problem is not None:
        raise player.problem
    return result
