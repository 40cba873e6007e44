"""Runs a function on many inputs in the sandbox, in Python or Java, and compares its values with a reference's."""

import ast
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lm_eval_codemind.sandbox import Job, Limits, SharedPool

_TOGETHER = 50
# Calls a function on some inputs and returns the literals of its values, or the names of exceptions.
_PYTHON_CALLS = """

def _results(function, inputs):
    results = []
    for arguments in inputs:
        try:
            results.append((repr(function(*eval(arguments, {}))), ""))
        except Exception as error:
            results.append((None, type(error).__name__))
    return results
"""
_LIMITS = Limits(cpu_seconds=6, wall_seconds=120)
_JAVA_LIMITS = Limits(cpu_seconds=60, wall_seconds=240, output_bytes=32 << 20)
_MOST_HANGING = 2
_CALLS = Path(__file__).with_name("ProgramCalls.java")
_TOLERANCE = 1e-6


@dataclass(frozen=True)
class Result:
    """What a call gives.

    Attributes:
        value: The value as a literal; None without one.
        failure: The exception's name, or "no result in time"; empty if there is a value.
        refused: Whether the input does not fit into the parameters' types, or the call was not made.
    """

    value: str | None = None
    failure: str = ""
    refused: bool = False

    @property
    def shown(self) -> str:
        """The value, or else the failure."""
        return self.failure if self.value is None else self.value


_REFUSED = Result(refused=True)
_HANGING = Result(failure="no result in time")


def reference_results(program: str, name: str, inputs: Sequence[str]) -> list[Result]:
    """Return what a reference gives for each input. It is the project's own code and runs in this process."""
    scope: dict[str, Any] = {}
    exec(program, scope)
    results = []
    for arguments in inputs:
        try:
            results.append(Result(repr(scope[name](*ast.literal_eval(arguments)))))
        except (ArithmeticError, ValueError) as error:
            results.append(Result(failure=type(error).__name__))
    return results


def python_results(program: str, name: str, inputs: Sequence[str], sandbox: SharedPool) -> list[Result]:
    """Return what a function gives for each input, the source of a tuple of arguments.

    After some inputs without a result in time the other inputs are not tried.
    """
    results: list[Result] = []
    width = _TOGETHER
    while len(results) < len(inputs):
        if results.count(_HANGING) >= _MOST_HANGING:
            return results + [_REFUSED] * (len(inputs) - len(results))
        left = inputs[len(results) :]
        chunks = [left[start : start + width] for start in range(0, len(left), width)]
        calls = [f"_results({name}, [{', '.join(map(repr, chunk))}])" for chunk in chunks]
        outcome = sandbox.submit(Job.evaluate(program + _PYTHON_CALLS, calls, limits=_LIMITS)).result()
        before = len(results)
        for each in outcome.observations:
            if each.literal is None:
                break
            results += [Result(value, failure) for value, failure in ast.literal_eval(each.literal)]
        if len(results) < len(inputs) and width == 1:
            results.append(_HANGING)
        width = 1 if len(results) == before else _TOGETHER
    return results


def java_results(
    source: str, classes: Sequence[str], name: str, inputs: Sequence[str], sandbox: SharedPool, most_hanging: int = 1
) -> list[list[Result]] | None:
    """Return what a method of each class gives for each input; None if the classes do not compile."""
    values = [ast.literal_eval(arguments) for arguments in inputs]
    tokens = "".join(itertools.chain.from_iterable(_tokens(value) for arguments in values for value in arguments))
    head = f"{name}\n{len(values[0])}\n{most_hanging}\n{' '.join(classes)}\n{len(inputs)}\n"
    program = f"{source}\n{_CALLS.read_text(encoding='utf-8')}"
    job = Job.script(program, [(head + tokens, None)], entry_point="ProgramCalls", limits=_JAVA_LIMITS, language="java")
    outcome = sandbox.submit(job).result()
    if outcome.exception_type == "compile error":
        return None
    if not outcome.observations:
        raise RuntimeError(f"{name}: {outcome.status.value} {outcome.exception_type} {outcome.exception_message}")
    results = list(_read_all(outcome.observations[0].stdout))
    return results + [[_HANGING] * len(inputs)] * (len(classes) - len(results))


def java_classes(programs: Sequence[str]) -> tuple[str, list[str]]:
    """Return one source of several programs whose class is called Solution, and the names of the classes in it."""
    imports: dict[str, None] = {}
    bodies = []
    for number, program in enumerate(programs):
        head, _, body = program.partition("class Solution")
        imports |= dict.fromkeys(head.strip().split("\n"))
        bodies.append(f"class Solution{number}{body}")
    return "\n".join([*imports, *bodies]), [f"Solution{number}" for number in range(len(programs))]


def _tokens(value: Any) -> Iterator[str]:
    if value is None:
        yield "N\n"
    elif isinstance(value, bool):
        yield f"B {value:d}\n"
    elif isinstance(value, int):
        yield f"I {value}\n"
    elif isinstance(value, float):
        yield f"D {value!r}\n"
    elif isinstance(value, str):
        yield f"S {value.encode('utf-16-be').hex()}\n"
    elif isinstance(value, dict):
        yield f"M {len(value)}\n"
        for item in itertools.chain.from_iterable(value.items()):
            yield from _tokens(item)
    else:
        yield f"L {len(value)}\n"
        for item in value:
            yield from _tokens(item)


def _read_all(text: str) -> Iterator[list[Result]]:
    results: list[Result] = []
    lines = iter(text.splitlines())
    for line in lines:
        if line[0] == "C":
            yield results
            results = []
        elif line[0] == "U":
            results.append(_REFUSED)
        elif line[0] == "T":
            results.append(_HANGING)
        elif line[0] == "E":
            results.append(Result(failure=line[2:]))
        else:
            results.append(Result(_literal(_read(line, lines))))


def _literal(value: Any) -> str:
    return (
        repr(value).replace("nan", "float('nan')").replace("inf", "float('inf')")
        if isinstance(value, float)
        else repr(value)
    )


def _read(line: str, lines: Iterator[str]) -> Any:
    kind, rest = line[0], line[2:]
    if kind == "N":
        return None
    if kind == "B":
        return rest == "1"
    if kind == "I":
        return int(rest)
    if kind == "D":
        return float(rest)
    if kind == "S":
        return bytes.fromhex(rest).decode("utf-16-be", "surrogatepass")
    if kind == "L":
        return [_read(next(lines), lines) for _ in range(int(rest))]
    return {_read(next(lines), lines): _read(next(lines), lines) for _ in range(int(rest))}


def agree(number: int, arguments: str, right: Result, result: Result) -> bool:
    """Whether a result is right for an input, by the result of the reference.

    Floats are compared with a relative and absolute tolerance of 1e-6, and a tuple equals a list with the same items.
    Of problems 20 and 32 the specification allows several results.
    """
    if result.value is None or right.value is None:
        return False
    if result.value == right.value:
        return True
    try:
        expected, value = _value(right.value), _value(result.value)
    except (SyntaxError, NameError):
        return False
    if number == 20:
        (numbers,) = ast.literal_eval(arguments)
        return len(value) == 2 and _of(list(value), numbers) and _close(value[1] - value[0], expected[1] - expected[0])
    if number == 32:
        (coefficients,) = ast.literal_eval(arguments)
        return isinstance(value, float) and _is_root(coefficients, value)
    return _close(expected, value)


def _of(values: list[Any], numbers: list[Any]) -> bool:
    left = list(numbers)
    for value in values:
        if value not in left:
            return False
        left.remove(value)
    return values == sorted(values)


def _is_root(coefficients: list[int], value: float) -> bool:
    def polynomial(x: float) -> float:
        return sum(coefficient * x**power for power, coefficient in enumerate(coefficients))

    width = 1e-6 * max(1.0, abs(value))
    return polynomial(value - width) * polynomial(value + width) <= 0 or abs(polynomial(value)) < 1e-6


def _value(literal: str) -> Any:
    return eval(literal, {"float": float, "__builtins__": {}})


def _close(expected: Any, value: Any) -> bool:
    if isinstance(expected, (list, tuple)):
        return (
            isinstance(value, (list, tuple))
            and len(expected) == len(value)
            and all(_close(*pair) for pair in zip(expected, value, strict=True))
        )
    if isinstance(expected, bool) or isinstance(value, bool):
        return type(expected) is type(value) and expected == value
    if isinstance(expected, (int, float)) and isinstance(value, (int, float)):
        if isinstance(expected, int) and isinstance(value, int):
            return expected == value
        return expected == value or math.isclose(expected, value, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
    if isinstance(expected, dict) and isinstance(value, dict):
        return expected.keys() == value.keys() and all(_close(expected[key], value[key]) for key in expected)
    return bool(expected == value)
