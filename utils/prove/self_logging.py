"""The independent record of an execution: a program rewritten so that it logs what it does.

It shares nothing with the tracer that labels come from: no tracing function is set. A program is rewritten so that it
says which statement it comes to and when a function is left.
"""

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval_codemind.data.facts.runtime_inputs import RuntimeInput

# Goes in front of a rewritten program. An event is a line that a call comes to; what the call's variables hold when it
# comes to the next one, or is left, is what they hold after the line. The name "" stands for the loop variable at the
# start of an iteration, and for the truth of a condition.
_LOG = """
import json as _json
import sys as _sys
__name__ = "program"
_EVENTS = []
_OPEN = {{}}
_WATCHED = {watched!r}

def _text(value):
    kind = type(value)
    if kind in (list, tuple, set, frozenset):
        parts = [_text(each) for each in value]
        return kind.__name__ + "(" + ", ".join(sorted(parts) if kind in (set, frozenset) else parts) + ")"
    if kind is dict:
        return "{{" + ", ".join(_text(key) + ": " + _text(each) for key, each in value.items()) + "}}"
    return repr(value) if kind in (int, float, str, bool, bytes, complex, type(None)) else "<" + kind.__name__ + ">"

def _close(frame):
    event = _OPEN.pop(id(frame), None)
    for name in _WATCHED.get(event[0], ()) if event else ():
        try:
            if "." in name:
                value = getattr(frame.f_locals["self"], _mangled(frame, name))
            else:
                value = frame.f_locals[name] if name in frame.f_locals else frame.f_globals[name]
            event[1][name] = [type(value).__name__, _text(value)]
        except (KeyError, AttributeError):
            pass

def _mangled(frame, name):
    attribute = name.split(".")[1]
    if attribute.startswith("__") and not attribute.endswith("__"):
        for kind in type(frame.f_locals["self"]).__mro__:
            if hasattr(frame.f_locals["self"], "_" + kind.__name__.lstrip("_") + attribute):
                return "_" + kind.__name__.lstrip("_") + attribute
    return attribute

def _begin(frame, line):
    if _ON[0]:
        _close(frame)
        event = _OPEN[id(frame)] = [line, {{}}]
        _EVENTS.append(event)

def _at(line):
    _begin(_sys._getframe(1), line)

def _left():
    _close(_sys._getframe(1))

class _Head:
    # The first time the head has been logged already, as any statement.
    def __init__(self, line, values=(), frame=None):
        self.line, self.values, self.frame, self.first = line, values, frame, True
    def again(self, frame=None):
        if not self.first:
            _begin(frame or _sys._getframe(1), self.line)
        self.first = False
        return True
    def __iter__(self):
        return self
    def __next__(self):
        self.again(self.frame)
        return next(self.values)

def _over(line, values):
    return _Head(line, iter(values), _sys._getframe(1))

def _note(frame, text):
    if id(frame) in _OPEN:
        _OPEN[id(frame)][1][""] = text

def _turn(value):
    _note(_sys._getframe(1), _text(value))

def _test(value):
    _note(_sys._getframe(1), str(bool(value)))
    return value

def _caught(line, kinds):
    _begin(_sys._getframe(1), line)
    return kinds

_ON = [{on!r}]
_SEEN = []

def _codemind_see(value):
    _SEEN.append(_text(value))
    return value

"""


class SelfLogging(ast.NodeTransformer):
    """Rewrites a program so that it logs every line it comes to."""

    def visit_Module(self, node: ast.Module) -> ast.Module:
        """Put the log in front of the program."""
        future = [each for each in node.body if isinstance(each, ast.ImportFrom) and each.module == "__future__"]
        rest = [each for each in node.body if each not in future]
        return ast.Module([*future, ast.Try(self._block(rest), [], [], [ast.Expr(_call("_left"))])], [])

    def _block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        statements: list[ast.stmt] = []
        for statement in body:
            silent = isinstance(statement, (ast.Global, ast.Nonlocal)) or (
                isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            )
            if not silent:
                statements.append(ast.Expr(_call("_at", ast.Constant(_first(statement)))))
            statements.append(self.visit(statement))
        return statements

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        """Log the end of a call."""
        body = self._block(node.body)
        node.body = [ast.Try(body, [], [], [ast.Expr(_call("_left"))])]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        """Rewrite the members."""
        node.body = [self.visit(each) for each in node.body]
        return node

    def visit_If(self, node: ast.If) -> ast.stmt:
        """Log the condition."""
        node.test = _call("_test", node.test)
        node.body, node.orelse = self._block(node.body), self._block(node.orelse)
        return node

    def visit_While(self, node: ast.While) -> ast.stmt:
        """Log each test of the condition."""
        head = f"_head_{node.lineno}"
        start = ast.Assign([ast.Name(head, ast.Store())], _call("_Head", ast.Constant(node.lineno)))
        again = ast.Call(ast.Attribute(ast.Name(head, ast.Load()), "again", ast.Load()), [], [])
        node.test = ast.BoolOp(ast.And(), [again, _call("_test", node.test)])
        node.body, node.orelse = self._block(node.body), self._block(node.orelse)
        return ast.If(ast.Constant(True), [start, node], [])

    def visit_For(self, node: ast.For) -> ast.stmt:
        """Log each turn."""
        turn = ast.Expr(_call("_turn", ast.parse(ast.unparse(node.target), mode="eval").body))
        node.iter = _call("_over", ast.Constant(node.lineno), node.iter)
        node.body, node.orelse = [turn, *self._block(node.body)], self._block(node.orelse)
        return node

    def visit_With(self, node: ast.With) -> ast.stmt:
        """Rewrite the body."""
        node.body = self._block(node.body)
        return node

    def visit_Try(self, node: ast.Try) -> ast.stmt:
        """Rewrite the bodies, and log what a handler catches."""
        node.body, node.orelse = self._block(node.body), self._block(node.orelse)
        node.finalbody = self._block(node.finalbody)
        for handler in node.handlers:
            kinds = handler.type or ast.Name("BaseException", ast.Load())
            handler.type = _call("_caught", ast.Constant(handler.lineno), kinds)
            handler.body = self._block(handler.body)
        return node


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _first(node: ast.stmt) -> int:
    line: int = min(each.lineno for each in (node, *getattr(node, "decorator_list", ())))
    return line


def self_logging(run_input: RuntimeInput, watched: Mapping[int, Sequence[str]]) -> str:
    """Return a script that runs an input and prints what it logs, as JSON on its last line."""
    program = ast.unparse(ast.fix_missing_locations(SelfLogging().visit(ast.parse(run_input.code))))
    log = _LOG.format(watched=dict(watched), on=run_input.expression is None)
    say = "_ON[0] = False\n_sys.stdout.write('\\n' + _json.dumps([_EVENTS, _SEEN]))\n"
    if run_input.expression is None:
        names = "_NAMES = {**globals(), '__name__': '__main__'}\n"
        run = f"try:\n    exec(compile({program!r}, 'program', 'exec'), _NAMES)\nexcept SystemExit:\n    pass\n"
        return f"{log}\n{names}{run}{say}"
    return f"{log}\n{program}\n{run_input.before}\n_ON[0] = True\n{run_input.expression}\n{say}"


_names: dict[str, Any] = {}
exec(_LOG.format(watched={}, on=False), _names)
text_of = _names["_text"]
