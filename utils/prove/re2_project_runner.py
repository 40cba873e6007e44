"""Executes problems of RE2-Bench with the project that they were taken from.

Runs inside the project's environment, so it needs the standard library of Python 3.7 only. Reads a job from a file and
prints one JSON object: problem -> what the executions showed.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import importlib
import inspect
import itertools
import json
import os
import signal
import sys
import tempfile
import time
import traceback
import types
from pathlib import Path
from typing import Any

import flow_records as flow
from re2_project_values import CannotRebuild, Names, compared, made, plain, readings_of

SHOWN = "<shown>"
SECONDS = 90
MOST_ATTEMPTS = 12


class Problem:
    """A problem inside the project.

    Args:
        job: ``module``, ``qualname``, ``shown``, ``inputs``, ``returned``, and ``hand``: expressions for inputs that
            the record lost, by name of the parameter.
        names: The names for ``hand`` and for recorded texts.
    """

    def __init__(self, job: dict[str, Any], names: dict[str, Any]) -> None:
        self.job = job
        self.module = importlib.import_module(job["module"])
        self.names = Names(self.module, names)
        self.installed = functions_of(self.module)
        if job["qualname"] not in self.installed:
            nested = job["qualname"].rpartition(".")[0] in self.installed
            raise CannotRebuild("a nested function" if nested else "the version differs")
        self.function = self.installed[job["qualname"]]

    def owner(self) -> Any:
        value: Any = self.module
        for part in self.job["qualname"].split(".")[:-1]:
            value = getattr(value, part)
        return None if value is self.module else value

    def show(self, tree: ast.Module, **extra: Any) -> bool:
        """Give the installed functions the code that the prompt shows. Whether the called one could take it."""
        names = self.module.__dict__
        for node in tree.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                imported = {"__name__": self.module.__name__, "__package__": names.get("__package__")}
                with contextlib.suppress(Exception):
                    exec(compile(ast.Module([node], []), SHOWN, "exec"), imported)
                names.update({name: value for name, value in imported.items() if name not in names})
        names.update(extra)
        done = False
        for qualname, code in codes_of(compile(tree, SHOWN, "exec", dont_inherit=True)):
            function = self.installed.get(qualname)
            if function is not None and signature_of(function.__code__) == signature_of(code):
                function.__code__ = code
                done = done or function is self.function
        return done

    def same_source(self) -> bool:
        """Whether the installed function equals the shown one, apart from documentation and annotations."""
        installed = definitions(ast.parse(Path(str(self.module.__file__)).read_text(encoding="utf-8")))
        return installed.get(self.job["qualname"]) == definitions(ast.parse(self.job["shown"]))[self.job["qualname"]]

    def choices(self) -> list[list[str]]:
        """Return the ways to read the inputs, one per input: see :meth:`read`."""
        inputs = self.job["inputs"]
        leaves = [inputs.get("self"), *inputs.get("args", {}).values(), *inputs.get("kwargs", {}).values()]
        options = [readings_of(value) for value in leaves]
        return [list(choice) for choice in itertools.islice(itertools.product(*options), MOST_ATTEMPTS)]

    def call(self, choice: list[str]) -> Any:
        """Rebuild the inputs and return a function that calls the problem's function with them."""
        inputs, hand = self.job["inputs"], self.job.get("hand", {})
        parameters = inspect.signature(self.function).parameters
        readings = iter(choice)
        reading, arguments = next(readings), {}
        if "self" in parameters:
            arguments["self"] = self.value("self", inputs.get("self"), reading, hand)
        for group in ("args", "kwargs"):
            for name, value in inputs.get(group, {}).items():
                arguments[name] = self.value(name, value, next(readings), hand)
        for name in hand:
            if name not in arguments:
                arguments[name] = eval(hand[name], self.names)
        positional: list[Any] = []
        keywords: dict[str, Any] = {}
        default = False
        for name, parameter in parameters.items():
            if name not in arguments:
                # The parameters after one that keeps its default are passed by name.
                default = True
            elif parameter.kind is parameter.VAR_POSITIONAL:
                positional.extend(arguments.pop(name))
            elif parameter.kind is parameter.VAR_KEYWORD:
                keywords.update(arguments.pop(name))
            elif parameter.kind is parameter.KEYWORD_ONLY or default:
                keywords[name] = arguments.pop(name)
            else:
                positional.append(arguments.pop(name))
        keywords.update(arguments)
        function = self.function
        return lambda: function(*positional, **keywords)

    def value(self, name: str, recorded: Any, reading: str, hand: dict[str, str]) -> Any:
        """Return one input: from its expression, or from the record."""
        if name in hand:
            return eval(hand[name], self.names)
        if name == "self" and isinstance(recorded, dict):
            owner = self.owner()
            if owner is None:
                return None
            return made(owner, {key: self.read(value, reading) for key, value in recorded.items()})
        return self.read(recorded, reading)

    def read(self, recorded: Any, reading: str) -> Any:
        """Return the value of a recorded input.

        Args:
            recorded: JSON.
            reading: ``values``: texts are values of the project where they can be; ``tuples``: also, lists are
                tuples; ``text``: texts are strings.
        """
        if isinstance(recorded, list):
            parts = [self.read(value, reading) for value in recorded]
            return tuple(parts) if reading == "tuples" else parts
        if isinstance(recorded, dict):
            return {self.read(key, reading): self.read(value, reading) for key, value in recorded.items()}
        return self.names.read(recorded) if reading != "text" and isinstance(recorded, str) else recorded


def functions_of(module: Any) -> dict[str, Any]:
    """Return the functions that a module's file defines, below their decorators: qualified name -> function."""
    functions = {}
    for value in gc.get_objects():
        if type(value) is not types.FunctionType or value.__code__.co_filename != module.__file__:
            continue
        if value.__code__.co_name == value.__qualname__.rpartition(".")[2]:
            functions[value.__qualname__] = value
    return functions


def signature_of(code: types.CodeType) -> tuple[Any, ...]:
    """Return what a function's code must share with the code that replaces it: parameters and free variables."""
    count = code.co_argcount + code.co_kwonlyargcount
    return code.co_argcount, code.co_varnames[:count], code.co_flags & 0x0C, len(code.co_freevars)


def codes_of(code: types.CodeType, prefix: str = "") -> list[tuple[str, types.CodeType]]:
    """Return the code objects of functions and classes: qualified name, code."""
    codes = []
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            codes.append((prefix + constant.co_name, constant))
            codes += codes_of(constant, prefix + constant.co_name + ".")
    return codes


def definitions(tree: ast.AST, prefix: str = "") -> dict[str, str]:
    """Return the functions of a program without documentation, annotations and decorators: name -> syntax."""
    by_name = {}
    for node in ast.iter_child_nodes(tree):
        name, inner = prefix, prefix
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            name = prefix + node.name
            inner = name + "."
        if isinstance(node, ast.FunctionDef):
            for part in ast.walk(node):
                if isinstance(part, ast.arg):
                    part.annotation = None
                elif isinstance(part, ast.FunctionDef):
                    part.returns, part.decorator_list = None, []
                    if ast.get_docstring(part) is not None:
                        part.body = part.body[1:] or [ast.Pass()]
            by_name[name] = ast.dump(node)
        by_name.update(definitions(node, inner))
    return by_name


def attempt(problem: Problem, choice: list[str], mode: str) -> dict[str, Any]:
    """Execute a problem once and return its output, or what its loops and conditions did."""
    try:
        call = problem.call(choice)
    except Exception as error:
        reason = str(error) if isinstance(error, CannotRebuild) else "cannot be rebuilt"
        return {"failed": reason, "detail": traceback.format_exc(limit=-2)}
    record = flow.Record()
    source = problem.job["shown"]
    try:
        if mode == "rewritten":
            notes = {"_re2_iteration": record.iteration, "_re2_condition": record.condition}
            shown = problem.show(flow.rewritten(source), **notes)
            value = call()
        else:
            shown = problem.show(ast.parse(source))
            with flow.Tracer(source, SHOWN, record, active=mode == "traced"):
                value = call()
    except BaseException as error:
        reason = "raises an exception: " + type(error).__name__
        return {"failed": reason, "detail": traceback.format_exc(limit=-3)}
    if mode != "output":
        return {**record.to_json(), "shown": shown}
    recorded = problem.job["returned"]
    # Only a part is lost: a null as a whole is an output.
    relation = compared(recorded, value) if recorded is not None else "same" if value is None else "other"
    return {"relation": relation, "value": plain(value), "shown": shown}


def apart(work: Any) -> dict[str, Any]:
    with tempfile.NamedTemporaryFile() as file:
        child = os.fork()
        if child == 0:
            try:
                signal.alarm(SECONDS)
                sys.stdout = sys.stderr
                result = work()
                Path(file.name).write_text(json.dumps(result), encoding="utf-8")
            except BaseException:
                traceback.print_exc()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        text = file.read()
    return json.loads(text) if text else {"failed": "takes too long" if status else "cannot be written"}


def executed(job: dict[str, Any], names: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what the executions of a problem show, for each way to read its inputs until one fits."""
    try:
        problem = Problem(job, names)
        same = "returned" in job and problem.same_source()
    except CannotRebuild as error:
        return [{"failed": str(error), "detail": ""}]
    except Exception:
        return [{"failed": "cannot be imported", "detail": traceback.format_exc(limit=-2)}]
    results = []
    for choice in problem.choices():
        if "returned" in job:
            results.append(apart(lambda choice=choice: attempt(problem, choice, "output")))
            results[-1]["same_source"] = same
        else:
            modes = {}
            for mode in ("traced", "rewritten"):
                modes[mode] = apart(lambda choice=choice, mode=mode: attempt(problem, choice, mode))
                if "failed" in modes[mode]:
                    modes.update(modes[mode])
                    break
            results.append(modes)
        if results[-1].get("relation", "" if "failed" in results[-1] else "same") == "same":
            break
    return results


def main() -> None:
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    now = time.time
    time.time = lambda: now() + job["shift"]
    exec(job["prepare"], {})
    names: dict[str, Any] = {}
    exec(job["setup"], names)
    results = {name: executed(problem, names) for name, problem in job["problems"].items()}
    Path(sys.argv[2]).write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main()
