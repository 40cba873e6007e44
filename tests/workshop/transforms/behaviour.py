"""Running programs of the tests' own and writing down what can be seen of them."""

import contextlib
import importlib
import io
import multiprocessing
import resource
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import reject

from lm_eval_codemind.workshop.transforms.composer import RULES
from lm_eval_codemind.workshop.transforms.program import Program


def observe(code: str, calls: list[str], stdin: str = "") -> list[Any]:
    """Return, for the program and for each call, the value's repr or the exception's type, and what was printed."""
    seen: list[Any] = []
    namespace: dict[str, Any] = {"__name__": "program"}
    lines = iter(stdin.splitlines())

    def read(prompt: str = "") -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    namespace["input"] = read
    for text in ["", *calls]:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                if text:
                    value = repr(eval(text, namespace))
                else:
                    exec(compile(code, "program", "exec", dont_inherit=True), namespace)
                    value = ""
            except BaseException as error:
                # A name without a value is an UnboundLocalError where it is the function's own, else its parent.
                value = NameError.__name__ if isinstance(error, NameError) else type(error).__name__
        seen.append((text, value, printed.getvalue()))
    return seen


def observe_drawn(codes: Sequence[str], calls: list[str], stdin: str = "") -> list[list[Any]]:
    """As :func:`observe`, for programs drawn by hypothesis: those that do not end or outgrow the memory are rejected.

    They run in a separate process, for nothing inside a process can stop a product of two huge numbers.
    """
    # The process inherits what the rules' library calls import, instead of importing it each time.
    for module in ("cryptography.fernet", "dateutil.parser", "http.client", "scipy.stats", "sklearn.utils"):
        importlib.import_module(module)
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_observe_bounded, args=(sending, codes, calls, stdin))
    process.start()
    sending.close()
    try:
        if not receiving.poll(20):
            reject()
        seen: list[list[Any]] = receiving.recv()
    except EOFError:
        reject()
    finally:
        process.kill()
        process.join()
        receiving.close()
    if any(value == "MemoryError" for one in seen for _, value, _ in one):
        reject()
    return seen


def _observe_bounded(sending: Connection, codes: Sequence[str], calls: list[str], stdin: str) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    memory = pages * resource.getpagesize() + (1 << 30)
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    sending.send([observe(code, calls, stdin) for code in codes])


def variants(name: str, code: str, **settings: Any) -> Iterator[str]:
    """Yield the program with one rule applied, at each of its sites in turn."""
    rule = RULES[name]
    for index in range(len(rule.sites(Program(code, **settings)))):
        program = Program(code, **settings)
        rule.apply(program, rule.sites(program)[index], Random(index))
        yield program.code


def count_sites(name: str, code: str, **settings: Any) -> int:
    """Return how many sites a rule sees in a program."""
    return len(RULES[name].sites(Program(code, **settings)))
