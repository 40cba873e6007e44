"""What programs do on many inputs in one process. The sandbox gets this module as a text.

It needs nothing but Python, and knows nothing of this package.
"""

import builtins
import contextlib
import io
import signal
import sys
import tempfile
import time
import types
from collections.abc import Iterator
from typing import Any

# What an observation starts with: a value, an exception, or nothing that counts.
VALUE, RAISED, NOTHING = "=", "!", "?"
_TOO_LATE, _GIVEN_UP = f"{NOTHING}late", f"{NOTHING}given up"
# A run that sleeps, or waits for something, ends after so many seconds.
_ASLEEP = 4.0
# Processor time of all runs of a program that is not the problem's own.
_ALTOGETHER = 0.1
# Nothing is learned from these: they depend on the machine.
_OF_MACHINE = (RecursionError, MemoryError, OSError)


class Late(BaseException):
    """A run takes too long."""


def _late(*_: object) -> None:
    raise Late


def observe(
    program: str, runs: list[dict[str, str]], printed: bool, seconds: float, longest: int, own: bool
) -> list[str]:
    """Return what a program does on each input.

    Args:
        program: The source.
        runs: Of each input the standard input, the statements before its expression, and the expression.
        printed: Whether what is printed counts, instead of the value of the expression.
        seconds: Processor time of a run.
        longest: The longest text of a value or of what is printed.
        own: Whether it is the problem's own program. Another one is given up when a run exceeds its time, or all runs
            together :data:`_ALTOGETHER`.
    """
    for number in (signal.SIGVTALRM, signal.SIGALRM):
        signal.signal(number, _late)
    try:
        code = compile(program, "program", "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return [NOTHING] * len(runs)
    row: list[str] = []
    start = time.process_time()
    for run in runs:
        late = row[-1:] in ([_TOO_LATE], [_GIVEN_UP]) or time.process_time() - start > _ALTOGETHER
        if late and not own:
            row.append(_GIVEN_UP)
            continue
        prepare = compile(run["before"], "input", "exec")
        expression = compile(run["expression"] or "None", "input", "eval")
        # What tests of a class write, the next ones must not find.
        with contextlib.nullcontext() if printed else _elsewhere():
            row.append(_run(code, run["stdin"], prepare, expression, printed, seconds, longest))
    return row


@contextlib.contextmanager
def _elsewhere() -> Iterator[None]:
    with tempfile.TemporaryDirectory(dir=".", ignore_cleanup_errors=True) as fresh, contextlib.chdir(fresh):
        yield


def _run(
    code: types.CodeType,
    stdin: str,
    prepare: types.CodeType,
    expression: types.CodeType,
    printed: bool,
    seconds: float,
    longest: int,
) -> str:
    streams, module = (sys.stdin, sys.stdout), types.ModuleType("__main__" if printed else "program")
    names, written = vars(module), io.BytesIO()
    names["__builtins__"] = builtins
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    # Without this name the stream is closed as soon as the program names another one.
    output = sys.stdout = io.TextIOWrapper(written, encoding="utf-8", write_through=True)
    try:
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds)
            signal.setitimer(signal.ITIMER_REAL, _ASLEEP, seconds)
            exec(code, names)
            exec(prepare, names)
            value = eval(expression, names)
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            text = "" if printed else plain(value)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
    except Late:
        return _TOO_LATE
    except SystemExit as error:
        if not printed or error.code not in (None, 0):
            return f"{RAISED}SystemExit"
        text = ""
    except _OF_MACHINE:
        return NOTHING
    except NotPlain as error:
        return f"{NOTHING}{error}"
    except BaseException as error:
        return f"{RAISED}{type(error).__name__}"
    finally:
        sys.stdin, sys.stdout = streams
    if printed:
        with contextlib.suppress(ValueError):  # a program may close its output
            output.flush()
            text = written.getvalue().decode("utf-8", "replace")
    return f"{VALUE}{text}" if len(text) <= longest else NOTHING


class NotPlain(Exception):
    """A value has a part that no literal can say."""


def plain(value: Any) -> str:
    """Return the literal of a value, in one order for sets and dicts.

    Raises:
        NotPlain: If it is another value, or has ``nan`` or ``inf`` in it. The message names its type.
    """
    kind = type(value)
    if kind in (bool, int, str, bytes, type(None)):
        return repr(value)
    if kind is float and value - value == 0:
        return repr(value)
    if kind in (list, tuple):
        inner = ", ".join(map(plain, value))
        return f"[{inner}]" if kind is list else f"({inner}{',' * (len(value) == 1)})"
    if kind in (set, frozenset):
        inner = "{" + ", ".join(sorted(map(plain, value))) + "}" if value else "set()"
        return inner if kind is set else f"frozenset({inner})"
    if kind is dict:
        return "{" + ", ".join(sorted(f"{plain(key)}: {plain(item)}" for key, item in value.items())) + "}"
    raise NotPlain(kind.__name__)
