"""Recording the steps that a suite takes on its own solution.

Tests and program run together, in one process: the solution is trusted as the tests are.
"""

import ast
import json
import os
import random
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

from . import answers, kernel, values
from .performer import Performer

# Modules without a state that a program could change.
_PURE = {
    "bisect", "collections", "copy", "datetime", "fractions", "functools", "heapq", "itertools", "json", "math",
    "numpy", "operator", "random", "re", "statistics", "string", "typing", "unittest",
}  # fmt: skip
_PACKED = {"list", "tuple", "set", "frozenset", "deque"}
# An answer of so many characters is told by a longer text that it is a part of.
_LONG_TEXT = 3
_MOST_WRITTEN = 32 << 20
# What looks at more than the value of an answer, or of an exception.
_LOOKS = {
    "type", "dir", "vars", "id", "globals", "locals", "open", "eval", "exec", "compile", "super", "getattr", "hasattr",
    "setattr", "callable", "__import__", "__builtins__", "__file__", "attrgetter", "methodcaller",
}  # fmt: skip
# What reads the clock; the first without arguments only, since `datetime.time(1, 2)` makes a value.
_CLOCK_WITHOUT_ARGUMENTS = {"time", "localtime", "gmtime", "ctime", "asctime"}
_CLOCK = {"now", "today", "utcnow", "time_ns", "monotonic", "perf_counter", "process_time"}
# What looks at, or changes, the state of the process.
_STATES = {
    "getstate", "setstate", "filename", "strerror", "errno", "assertIs", "assertIsNot", "errstate",
    "assertLogs", "assertNoLogs", "assertWarns", "assertWarnsRegex", "attrgetter", "methodcaller",
    # Of arrays: where their values lie.
    "base", "flags", "strides", "ctypes", "setflags", "shares_memory", "may_share_memory",
}  # fmt: skip


def record(program: dict[str, Any], job: dict[str, Any], seed: int) -> dict[str, Any]:
    """Return the list of a suite, see :mod:`.lists`, and as ``replies`` what the solution answers to the steps.

    ``program`` is the namespace in which the solution ran. Raises what ends the tests, if they look at more.
    """
    for reason in _looks(job["tests"], job["support"]):
        raise answers.Elsewhere(reason)
    target = program[job["entry_point"]]
    performer = Performer(target)
    steps: list[answers.Step] = []
    replies = ["{}"]
    methods: set[str] = set()
    # Tests and program draw from separate generators, as they will in two processes.
    generators = [random.getstate()]
    watch = _watch()

    def perform(step: answers.Step) -> answers.Answer:
        steps.append(json.loads(json.dumps(step)))
        generators.append(random.getstate())
        random.setstate(generators.pop(0))
        replies.append(json.dumps(performer.perform(steps[-1])))
        generators.append(random.getstate())
        random.setstate(generators.pop(0))
        return dict(json.loads(replies[-1]))

    def is_method(on: int, name: str) -> bool:
        value = performer.attribute(on, name)
        is_callable = (callable(value) or isinstance(value, staticmethod | classmethod)) and not isinstance(value, type)
        if is_callable:
            methods.add(name)
        elif name in methods:
            raise answers.Elsewhere(f"{name} is a method of one object and not of another")
        return is_callable

    player = answers.Player(perform, is_method)
    result = answers.run(job, player, isinstance(target, type), seed)
    player.end()
    if result.problem is not None:
        raise result.problem
    if len(replies) == 1:
        raise answers.Elsewhere("the tests ask nothing")
    if watch():
        raise answers.Elsewhere(f"tests or program use {watch()}")
    written = "".join(f"{reply}\n" for reply in replies)
    if len(written) > _MOST_WRITTEN:
        raise answers.Elsewhere(f"the solution's answers take more than {_MOST_WRITTEN} bytes")
    return {
        "class": isinstance(target, type),
        "methods": sorted(methods),
        "steps": list(map(json.dumps, _parts(steps, replies[1:]))),
        "tests": result.tests_run,
        "size": len(written),
        "answers": answers.digest(job, written.encode()),
        "replies": written,
    }


def _parts(steps: list[answers.Step], replies: list[str]) -> list[list[answers.Step]]:
    """Return steps in parts. No argument in a part holds the answer to another of its steps, which it would tell.

    A program gets a part when it has answered the one before. A step that is repeated tells nothing of itself.
    """
    parts: list[list[answers.Step]] = [[]]
    told: set[Any] = set()
    texts: list[str] = []
    is_repeated = True
    for step, reply in zip(steps, replies, strict=True):
        arguments = [*step[3], *step[4].values()]
        written = json.dumps(arguments)
        is_repeated = is_repeated and step == (parts[-1] or [step])[0]
        if not is_repeated and (_tells(arguments, told) or any(text in written for text in texts)):
            parts.append([])
            told, texts, is_repeated = set(), [], True
        parts[-1].append(step)
        answer = _untagged(json.loads(reply).get("value"))
        if isinstance(answer, str) and len(answer) >= _LONG_TEXT:
            texts.append(json.dumps(answer)[1:-1])
        elif step[0] in ("call", "get") and answer is not None:
            told.add(json.dumps(answer) if isinstance(answer, list) else (type(answer), answer))
    return parts


def _untagged(data: Any) -> Any:
    """Return an encoded value without its tag, and numbers as a list; None for a value that crossed before."""
    if not isinstance(data, dict):
        return data
    ((tag, body),) = data.items()
    if tag in _PACKED and isinstance(body, str):
        return values.unpacked(body)
    return None if tag in ("same", "instance") else body


def _tells(data: Any, told: set[Any]) -> bool:
    """Whether an encoded value is, or holds, one of those told."""
    data = _untagged(data)
    if not isinstance(data, list):
        return (type(data), data) in told
    if {list, dict}.isdisjoint(map(type, data)):
        return not told.isdisjoint(zip(map(type, data), data, strict=True)) or json.dumps(data) in told
    return json.dumps(data) in told or any(_tells(item, told) for item in data)


def _looks(tests: str, support: str) -> Iterator[str]:
    """Yield what in the source of tests looks at more than answers, such as the state of the process."""
    nodes = [node for source in (support, tests) for node in ast.walk(ast.parse(source))]
    modules: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            modules.update({alias.asname or alias.name.partition(".")[0]: alias.name for alias in node.names})
        elif isinstance(node, ast.ImportFrom):
            modules.update({alias.asname or alias.name: node.module or "" for alias in node.names})
            if any(alias.name == "mock" for alias in node.names):
                yield "the tests patch modules"
    for node in nodes:
        if isinstance(node, ast.Name):
            if modules.get(node.id, "unittest").partition(".")[0] not in _PURE or "mock" in modules.get(node.id, ""):
                yield f"the tests use {modules[node.id]}"
            if node.id in _LOOKS:
                yield f"the tests call {node.id}"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in _CLOCK_WITHOUT_ARGUMENTS and not node.args:
                yield f"the tests read the clock by {node.func.attr}"
        elif isinstance(node, ast.Attribute):
            if node.attr in _CLOCK:
                yield f"the tests read the clock by {node.attr}"
            if node.attr in _STATES or (node.attr.startswith("__") and node.attr.endswith("__")):
                yield f"the tests use {node.attr}"
            if not isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name) and node.value.id in modules:
                yield f"the tests change {node.value.id}"
        elif (
            isinstance(node, ast.Compare)
            and any(isinstance(operator, ast.Is | ast.IsNot) for operator in node.ops)
            and not any(isinstance(part, ast.Constant) for part in (node.left, *node.comparators))
        ):
            yield "the tests compare identities"


class _Other(list[str]):
    """The solution's answers. At each of them a child of this process goes on with another answer, to its end.

    Attributes:
        depends: Whether the steps of a child were others.
        is_child: Whether this is such a child.
    """

    def __init__(self, replies: list[str], seconds: float) -> None:
        super().__init__(replies)
        self._seconds = seconds
        self.depends = self.is_child = False

    def __getitem__(self, place: Any) -> Any:
        reply = super().__getitem__(place)
        answer = json.loads(reply)
        if self.is_child or answer.get("value") is None:
            return reply
        pid = kernel.fork()
        if pid == 0:
            self.is_child = True
            signal.setitimer(signal.ITIMER_PROF, self._seconds)
            return json.dumps({**answer, "value": _changed(answer["value"])})
        self.depends = self.depends or os.waitpid(pid, 0)[1] != 0
        return reply


def dependence(job: dict[str, Any], made: dict[str, Any], replies: str, seed: int) -> dict[str, Any]:
    """Return the verdict ``failed`` if tests take other steps where an answer is another one, else ``passed``.

    The answers are changed one by one. A list would then fail right programs with other answers than the solution's.
    The message of an assertion does not count: tests that need it have failed. ``made`` and ``replies`` come
    from :func:`record`.
    """
    tree = ast.parse(job["tests"])
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            node.msg = None
    job = {**job, "tests": ast.unparse(tree)}
    others = _Other(replies.splitlines()[1:], job["checker_seconds"])
    try:
        result = answers.replay(job, made, others, seed)
        depends = isinstance(result.problem, answers.Elsewhere)
    except BaseException as problem:
        depends = isinstance(problem, answers.Elsewhere)
    if others.is_child:
        os._exit(depends)
    if others.depends:
        return {"status": "failed", "exception_message": "the steps depend on the answers"}
    return {"status": "passed"}


def _changed(data: Any) -> Any:
    """Return an encoded value with all of its texts, numbers and truth values changed."""
    if isinstance(data, bool):
        return not data
    if isinstance(data, int | float):
        return data + 1
    if isinstance(data, str):
        return f"{data}x"
    if isinstance(data, list):
        return [_changed(item) for item in data]
    if isinstance(data, dict):
        ((tag, body),) = data.items()
        return {tag: body if tag == "same" else _changed(_untagged(data))}
    return data


def _watch() -> Callable[[], str]:
    """Return a function that says what tests or program have used of the system since: a file, a socket, a program."""
    used: list[str] = []

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event.startswith(("os.", "shutil.", "tempfile.", "sqlite3.", "socket.", "subprocess.")) or event == "open":
            path = arguments[0] if arguments else None
            outside = isinstance(path, str) and os.path.isabs(path) and not path.startswith(os.getcwd() + "/")
            reads = event in ("os.listdir", "os.scandir") or (
                event == "open" and not arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            )
            if not (outside and reads):
                used.append(f"{event} {path}")

    sys.addaudithook(hook)
    return lambda: used[0] if used else ""
