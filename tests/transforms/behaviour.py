"""Running programs of the tests' own and writing down what can be seen of them."""

import contextlib
import io
from collections.abc import Iterator
from random import Random
from typing import Any

from lm_eval_codemind.transforms import RULES, Program


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
                value = type(error).__name__
        seen.append((text, value, printed.getvalue()))
    return seen


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
