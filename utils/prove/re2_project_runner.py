"""Executes problems of RE2-Bench with the project that they were taken from.

Runs inside the project's environment, so it needs the standard library of Python 3.7 only. Reads a job from a file and
prints one JSON object: problem -> what the executions showed.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import gc
import importlib
import inspect
import itertools
import json
import math
import os
import re
import signal
import sys
import tempfile
import time
import traceback
import types
from pathlib import Path
from typing import Any

import flow_records as flow

SHOWN = "<shown>"
SECONDS = 90
MOST_ATTEMPTS = 12


ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+|\bid=\d{9,}|id='\d{9,}'")
# How an output relates to the recorded one: equal; with other last digits, because the recorded input has fewer digits
# than the real one; equal but for quotes inside a text; with a part that is null in the record; an object whose
# attributes are recorded, which the prompt asks for as text; another one.
RELATIONS = ("same", "rounded", "quotes", "lost", "object", "other")
ROUNDING = 1e-5


class CannotRebuild(Exception):
    """A recorded input does not contain the value. The message says why."""


class Names(dict):  # type: ignore[type-arg]
    """The names in which recorded texts are read. A setup may define ``missing(name)`` and ``convert(value)``."""

    def __init__(self, module: Any, names: dict[str, Any]) -> None:
        super().__init__(names)
        self._module = module

    def __missing__(self, name: str) -> Any:
        if name in self._module.__dict__:
            return self._module.__dict__[name]
        if "missing" in self and not hasattr(builtins, name):
            return self["missing"](name)
        raise KeyError(name)

    def read(self, text: str) -> Any:
        """Return the value that a text shows, or the text."""
        named = re.fullmatch(r"<class '([\w.]+)'>", text)
        if named:
            path, _, name = named.group(1).rpartition(".")
            return getattr(importlib.import_module(path or "builtins"), name)
        named = re.match(r"<module '([\w.]+)'", text)
        if named:
            return importlib.import_module(named.group(1))
        named = re.match(r"<function (\w+)(?: at 0x\w+)?>", text)
        if named and named.group(1) in self._module.__dict__:
            return self._module.__dict__[named.group(1)]
        if "..." in text and ("[" in text or "(" in text):
            raise CannotRebuild("the recorded input is shortened")
        for candidate in (text, text.replace('"', ""), commas(text)):
            try:
                value = eval(candidate, self)
            except Exception:
                continue
            texts = (squeezed(str(value)), squeezed(repr(value)))
            if squeezed(candidate) in texts or squeezed(text) in texts:
                return self["convert"](value) if "convert" in self else value
        if ADDRESS.search(text):
            raise CannotRebuild("the recorded input is an address")
        return text


def commas(text: str) -> str:
    """Return the text of a printed array of numbers or of strings as an expression."""
    if re.fullmatch(r"\[[\[\]\d\s.e+naif-]*\]", text):
        return "array(" + re.sub(r"(?<=[\d.nf\]])\s+(?=[\[\d.n+-])", ", ", text) + ")"
    if re.fullmatch(r"\[(?:[\[\]\s]|'[^']*')*\]", text):
        return "array(" + re.sub(r"(?<=['\]])\s+(?=['\[])", ", ", text) + ")"
    return text


def squeezed(text: str) -> str:
    """Return a text without white space."""
    return re.sub(r"\s+", "", text)


def readings_of(value: Any) -> list[str]:
    """Return the ways to read a recorded value."""
    text = json.dumps(value)
    return ["values", *(["tuples"] if "[" in text else []), *(["text"] if '"' in text else [])]


def made(owner: Any, state: dict[str, Any]) -> Any:
    """Return an object of a class with these attributes, without running ``__init__``."""
    # A concrete class where the function belongs to an abstract one: the record does not say which.
    owner = type(owner)(owner.__name__, (owner,), {}) if inspect.isabstract(owner) else owner
    if inspect.isabstract(owner):
        owner.__abstractmethods__ = frozenset()
    try:
        value = owner.__new__(owner)
    except TypeError:
        value = object.__new__(owner)
    for name, part in state.items():
        object.__setattr__(value, name, part)
    return value


def compared(recorded: Any, value: Any) -> str:
    """Return how a value relates to the recorded one: one of :data:`RELATIONS`."""
    if recorded is None:
        return "same" if value is None else "lost" if isinstance(value, (list, tuple, dict, set)) else "other"
    if isinstance(recorded, bool) or isinstance(value, bool):
        return "same" if recorded is value else "other"
    if isinstance(recorded, (int, float)):
        if not isinstance(value, (int, float)):
            return "same" if str(value) == str(recorded) else "other"
        equal = recorded == value or (recorded != recorded and value != value)
        return "same" if equal else "rounded" if math.isclose(recorded, value, rel_tol=ROUNDING) else "other"
    if isinstance(recorded, str):
        texts = [squeezed(text) for text in (str(value), repr(value))]
        if squeezed(recorded) in texts:
            return "same"
        if any(nearly(recorded, text) for text in (str(value), repr(value))):
            return "rounded"
        return "quotes" if squeezed(recorded).replace('"', "") in [text.replace('"', "") for text in texts] else "other"
    if isinstance(recorded, list):
        if not isinstance(value, (list, tuple, set, frozenset)) or len(value) != len(recorded):
            return "other"
        parts = list(value)
        return worst(compared(recorded[index], parts[index]) for index in range(len(parts)))
    if isinstance(value, dict):
        values = {str(key): part for key, part in value.items()}
        if set(values) != set(recorded):
            return "other"
        return worst(compared(part, values[key]) for key, part in recorded.items())
    if not recorded or not all(hasattr(value, key) for key in recorded):
        return "other"
    return worst(["object", *(compared(part, getattr(value, key)) for key, part in recorded.items())])


def worst(relations: Any) -> str:
    """Return the weakest of several relations."""
    return RELATIONS[max([RELATIONS.index(relation) for relation in relations] or [0])]


def nearly(recorded: str, text: str) -> bool:
    """Whether two texts are equal apart from the last digits of their decimal fractions."""
    number = r"-?\d+\.\d*(?:e[+-]?\d+)?"
    mine, other = re.findall(number, recorded), re.findall(number, text)
    same = bool(mine) and len(mine) == len(other)
    same = same and squeezed(re.sub(number, "#", recorded)) == squeezed(re.sub(number, "#", text))
    pairs = [(float(mine[index]), float(other[index])) for index in range(len(mine))] if same else []
    return same and all(math.isclose(one, two, rel_tol=ROUNDING, abs_tol=ROUNDING) for one, two in pairs)


def plain(value: Any) -> Any:
    """Return a value as JSON: containers and numbers unchanged, others as text."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, float):
        return float(value)
    if type(value) in (list, tuple):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    return repr(value) if type(value).__module__.split(".")[0] == "numpy" else str(value)


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
        """The class of a method; None for a function."""
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
    """Return what work gives in a process of its own."""
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
    """Execute a job of a file and write its results."""
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
