"""From a syntax tree to source text, the same bytes on every Python version.

:func:`ast.unparse` prints one tree differently from version to version (parentheses around tuples, quotes of f-strings,
lambdas without arguments), and C+ must not depend on who builds it. This writer prints what Python 3.10 can read, so
an f-string that only newer versions can spell is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum, auto
from typing import Any

from lm_eval_codemind.languages.python.names import is_text

INDENT = "    "


class UnsupportedSyntaxError(ValueError):
    """A construct that can't be written for every supported Python version."""


class _Level(IntEnum):
    """The precedence of an expression, the lowest first."""

    TUPLE = auto()
    YIELD = auto()
    TEST = auto()
    OR = auto()
    AND = auto()
    NOT = auto()
    COMPARE = auto()
    BIT_OR = auto()
    BIT_XOR = auto()
    BIT_AND = auto()
    SHIFT = auto()
    ARITHMETIC = auto()
    TERM = auto()
    FACTOR = auto()
    POWER = auto()
    AWAIT = auto()
    ATOM = auto()

    @property
    def tighter(self) -> _Level:
        """The next tighter level."""
        return _Level(min(self + 1, _Level.ATOM))


_BINARY: dict[type[ast.operator], tuple[str, _Level]] = {
    ast.BitOr: ("|", _Level.BIT_OR),
    ast.BitXor: ("^", _Level.BIT_XOR),
    ast.BitAnd: ("&", _Level.BIT_AND),
    ast.LShift: ("<<", _Level.SHIFT),
    ast.RShift: (">>", _Level.SHIFT),
    ast.Add: ("+", _Level.ARITHMETIC),
    ast.Sub: ("-", _Level.ARITHMETIC),
    ast.Mult: ("*", _Level.TERM),
    ast.Div: ("/", _Level.TERM),
    ast.FloorDiv: ("//", _Level.TERM),
    ast.Mod: ("%", _Level.TERM),
    ast.MatMult: ("@", _Level.TERM),
    ast.Pow: ("**", _Level.POWER),
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_UNARY: dict[type[ast.unaryop], tuple[str, _Level]] = {
    ast.Not: ("not ", _Level.NOT),
    ast.USub: ("-", _Level.FACTOR),
    ast.UAdd: ("+", _Level.FACTOR),
    ast.Invert: ("~", _Level.FACTOR),
}


def unparse(tree: ast.AST) -> str:
    """Return the source of a module, a statement or an expression, one statement a line.

    Comments and layout of the original are not kept. A module's text ends with a newline.

    Raises:
        UnsupportedSyntaxError: for type parameters, template strings, and f-strings no Python 3.10 could read.
    """
    if isinstance(tree, ast.expr):
        return _expression(tree)
    writer = _Writer()
    if isinstance(tree, ast.Module):
        writer.body(tree.body, docstring=True)
        return "\n".join(writer.lines) + "\n" if writer.lines else ""
    writer.statement(tree)
    return "\n".join(writer.lines)


def normal_form(source: str) -> str:
    """Return a program as :func:`unparse` writes it; unchanged where it does not parse or cannot be written."""
    try:
        return unparse(ast.parse(source))
    except (SyntaxError, UnsupportedSyntaxError, ValueError, RecursionError):
        return source


# -- expressions -----------------------------------------------------------------------------------------------------


def _expression(node: ast.expr, level: _Level = _Level.TUPLE) -> str:
    """Return the text of an expression, parenthesised where it binds more loosely than `level`."""
    writer = _EXPRESSIONS.get(type(node))
    if writer is None:
        raise UnsupportedSyntaxError(f"{type(node).__name__} can't be written for Python 3.10")
    text, own = writer(node)
    return text if own >= level else f"({text})"


def _operand(node: ast.expr) -> str:
    """Return the text after `return` or `yield`: a tuple goes without parentheses, a `yield` does not."""
    return _expression(node, _Level.TUPLE if isinstance(node, ast.Tuple) else _Level.TEST)


def _list(nodes: Iterable[ast.expr]) -> str:
    return ", ".join(_expression(node, _Level.TEST) for node in nodes)


def _constant(node: ast.Constant) -> tuple[str, _Level]:
    value = node.value
    if value is Ellipsis:
        return "...", _Level.ATOM
    text = repr(value)
    if isinstance(value, (float, complex)):
        text = text.replace("inf", "1e309")
    return text, _Level.ATOM


def _bool_op(node: ast.BoolOp) -> tuple[str, _Level]:
    word, level = (" and ", _Level.AND) if isinstance(node.op, ast.And) else (" or ", _Level.OR)
    return word.join(_expression(value, level.tighter) for value in node.values), level


def _bin_op(node: ast.BinOp) -> tuple[str, _Level]:
    sign, level = _BINARY[type(node.op)]
    if isinstance(node.op, ast.Pow):
        left, right = level.tighter, _Level.FACTOR
    else:
        left, right = level, level.tighter
    return f"{_expression(node.left, left)} {sign} {_expression(node.right, right)}", level


def _unary_op(node: ast.UnaryOp) -> tuple[str, _Level]:
    sign, level = _UNARY[type(node.op)]
    return sign + _expression(node.operand, level), level


def _lambda(node: ast.Lambda) -> tuple[str, _Level]:
    arguments = _arguments(node.args)
    return f"lambda{' ' if arguments else ''}{arguments}: {_expression(node.body, _Level.TEST)}", _Level.TEST


def _if_exp(node: ast.IfExp) -> tuple[str, _Level]:
    body, test = _expression(node.body, _Level.OR), _expression(node.test, _Level.OR)
    return f"{body} if {test} else {_expression(node.orelse, _Level.TEST)}", _Level.TEST


def _dict(node: ast.Dict) -> tuple[str, _Level]:
    items = [
        f"**{_expression(value, _Level.BIT_OR)}"
        if key is None
        else f"{_expression(key, _Level.TEST)}: {_expression(value, _Level.TEST)}"
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    return "{" + ", ".join(items) + "}", _Level.ATOM


def _tuple(node: ast.Tuple) -> tuple[str, _Level]:
    if not node.elts:
        return "()", _Level.ATOM
    return _list(node.elts) + ("," if len(node.elts) == 1 else ""), _Level.TUPLE


def _comprehension(opening: str, closing: str) -> Callable[[Any], tuple[str, _Level]]:
    def write(node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> tuple[str, _Level]:
        if isinstance(node, ast.DictComp):
            text = f"{_expression(node.key, _Level.TEST)}: {_expression(node.value, _Level.TEST)}"
        else:
            text = _expression(node.elt, _Level.TEST)
        for part in node.generators:
            text += " async for " if part.is_async else " for "
            text += f"{_expression(part.target)} in {_expression(part.iter, _Level.OR)}"
            text += "".join(f" if {_expression(test, _Level.OR)}" for test in part.ifs)
        return opening + text + closing, _Level.ATOM

    return write


def _yield(node: ast.Yield) -> tuple[str, _Level]:
    return ("yield" if node.value is None else f"yield {_operand(node.value)}"), _Level.YIELD


def _compare(node: ast.Compare) -> tuple[str, _Level]:
    text = _expression(node.left, _Level.BIT_OR)
    for operator, right in zip(node.ops, node.comparators, strict=True):
        text += f" {_COMPARE[type(operator)]} {_expression(right, _Level.BIT_OR)}"
    return text, _Level.COMPARE


def _call(node: ast.Call) -> tuple[str, _Level]:
    function = _expression(node.func, _Level.ATOM)
    if len(node.args) == 1 and not node.keywords and isinstance(node.args[0], ast.GeneratorExp):
        return function + _expression(node.args[0]), _Level.ATOM
    return f"{function}({_given(node.args, node.keywords)})", _Level.ATOM


def _given(positional: Iterable[ast.expr], keywords: Iterable[ast.keyword]) -> str:
    """Return the arguments of a call, or the bases of a class."""
    arguments = [_expression(argument, _Level.TEST) for argument in positional]
    for keyword in keywords:
        name = "**" if keyword.arg is None else f"{keyword.arg}="
        arguments.append(name + _expression(keyword.value, _Level.TEST))
    return ", ".join(arguments)


def _attribute(node: ast.Attribute) -> tuple[str, _Level]:
    value = _expression(node.value, _Level.ATOM)
    if isinstance(node.value, ast.Constant) and isinstance(node.value.value, int) and value.isdigit():
        value = f"({value})"
    return f"{value}.{node.attr}", _Level.ATOM


def _subscript(node: ast.Subscript) -> tuple[str, _Level]:
    index = node.slice
    bare = isinstance(index, ast.Tuple) and index.elts and not any(isinstance(e, ast.Starred) for e in index.elts)
    inside = _expression(index, _Level.TUPLE if bare else _Level.YIELD)
    return f"{_expression(node.value, _Level.ATOM)}[{inside}]", _Level.ATOM


def _slice(node: ast.Slice) -> tuple[str, _Level]:
    lower = "" if node.lower is None else _expression(node.lower, _Level.TEST)
    upper = "" if node.upper is None else _expression(node.upper, _Level.TEST)
    step = "" if node.step is None else ":" + _expression(node.step, _Level.TEST)
    return f"{lower}:{upper}{step}", _Level.ATOM


def _joined(node: ast.JoinedStr) -> tuple[str, _Level]:
    for quote in ("'", '"', '"""', "'''"):
        text = _f_string_parts(node.values, quote)
        if text is not None:
            return f"f{quote}{text}{quote}", _Level.ATOM
    raise UnsupportedSyntaxError("an f-string with nested quotes or backslashes that Python 3.10 can't read")


def _f_string_parts(values: Sequence[ast.expr], quote: str, nested: bool = False) -> str | None:
    """Return the inside of an f-string in these quotes, or None where it can't be written with them."""
    parts = []
    for value in values:
        if isinstance(value, ast.Constant):
            text = "".join(_escape(character, quote[0]) for character in str(value.value))
            if nested and "\\" in text:
                return None
            parts.append(text.replace("{", "{{").replace("}", "}}"))
        elif isinstance(value, ast.FormattedValue):
            inside = _expression(value.value, _Level.TEST)
            if quote in inside or "\\" in inside or "\n" in inside:
                return None
            parts.append("{" + (" " if inside.startswith("{") else "") + inside)
            if value.conversion != -1:
                parts.append("!" + chr(value.conversion))
            if value.format_spec is not None:
                assert isinstance(value.format_spec, ast.JoinedStr)
                spec = _f_string_parts(value.format_spec.values, quote, nested=True)
                if spec is None:
                    return None
                parts.append(":" + spec)
            parts.append("}")
        else:
            raise UnsupportedSyntaxError(f"{type(value).__name__} inside an f-string")
    return "".join(parts)


def _escape(character: str, quote: str) -> str:
    """Return a character as it is written inside a string in these quotes."""
    if character in ("\\", quote):
        return "\\" + character
    return character if character.isprintable() else repr(character)[1:-1]


_EXPRESSIONS: dict[type[ast.expr], Callable[[Any], tuple[str, _Level]]] = {
    ast.Constant: _constant,
    ast.Name: lambda node: (node.id, _Level.ATOM),
    ast.NamedExpr: lambda node: (
        f"({_expression(node.target)} := {_expression(node.value, _Level.TEST)})",
        _Level.ATOM,
    ),
    ast.BoolOp: _bool_op,
    ast.BinOp: _bin_op,
    ast.UnaryOp: _unary_op,
    ast.Lambda: _lambda,
    ast.IfExp: _if_exp,
    ast.Dict: _dict,
    ast.Set: lambda node: ("{" + (_list(node.elts) or "*()") + "}", _Level.ATOM),
    ast.List: lambda node: (f"[{_list(node.elts)}]", _Level.ATOM),
    ast.Tuple: _tuple,
    ast.ListComp: _comprehension("[", "]"),
    ast.SetComp: _comprehension("{", "}"),
    ast.DictComp: _comprehension("{", "}"),
    ast.GeneratorExp: _comprehension("(", ")"),
    ast.Await: lambda node: (f"await {_expression(node.value, _Level.ATOM)}", _Level.AWAIT),
    ast.Yield: _yield,
    ast.YieldFrom: lambda node: (f"yield from {_expression(node.value, _Level.TEST)}", _Level.YIELD),
    ast.Compare: _compare,
    ast.Call: _call,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Starred: lambda node: ("*" + _expression(node.value, _Level.BIT_OR), _Level.ATOM),
    ast.JoinedStr: _joined,
}


def _arguments(node: ast.arguments) -> str:
    """Return a parameter list, with annotations and defaults."""
    positional = [*node.posonlyargs, *node.args]
    missing = len(positional) - len(node.defaults)
    parts = []
    for number, argument in enumerate(positional):
        parts.append(_argument(argument, node.defaults[number - missing] if number >= missing else None))
        if number + 1 == len(node.posonlyargs):
            parts.append("/")
    if node.vararg is not None:
        parts.append("*" + _argument(node.vararg, None))
    elif node.kwonlyargs:
        parts.append("*")
    parts += [_argument(argument, value) for argument, value in zip(node.kwonlyargs, node.kw_defaults, strict=True)]
    if node.kwarg is not None:
        parts.append("**" + _argument(node.kwarg, None))
    return ", ".join(parts)


def _argument(node: ast.arg, default: ast.expr | None) -> str:
    text = node.arg
    if node.annotation is not None:
        text += f": {_expression(node.annotation, _Level.TEST)}"
    if default is not None:
        equals = " = " if node.annotation is not None else "="
        text += equals + _expression(default, _Level.TEST)
    return text


# -- statements ------------------------------------------------------------------------------------------------------


class _Writer:
    """Collects the lines of a program; one method a statement."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0

    def line(self, text: str) -> None:
        self.lines.append(INDENT * self.depth + text)

    def body(self, statements: Sequence[ast.stmt], docstring: bool = False) -> None:
        """Write a block's statements, definitions set off by blank lines."""
        previous: ast.stmt | None = None
        for number, node in enumerate(statements):
            if previous is not None and _needs_space(previous, node):
                self.lines += ["", ""] if self.depth == 0 else [""]
            if docstring and number == 0 and is_text(node):
                self.docstring(node)
            else:
                self.statement(node)
            previous = node

    def block(self, header: str, statements: Sequence[ast.stmt], docstring: bool = False) -> None:
        """Write a header and, indented, its statements; nothing without statements."""
        if not statements:
            return
        self.line(header)
        self.depth += 1
        self.body(statements, docstring)
        self.depth -= 1

    def docstring(self, node: ast.stmt) -> None:
        assert isinstance(node, ast.Expr)
        assert isinstance(node.value, ast.Constant)
        text = str(node.value.value)
        if not all(character.isprintable() or character == "\n" for character in text):
            self.line(repr(text))
            return
        text = text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        if text.endswith('"'):
            text = text[:-1] + '\\"'
        first, *rest = f'"""{text}"""'.split("\n")
        self.line(first)
        self.lines += rest

    def statement(self, node: ast.AST) -> None:
        """Write the source of one statement."""
        if getattr(node, "type_params", None):
            raise UnsupportedSyntaxError("type parameters can't be written for Python 3.10")
        method = getattr(self, "write_" + type(node).__name__, None)
        if method is None:
            raise UnsupportedSyntaxError(f"{type(node).__name__} can't be written for Python 3.10")
        method(node)

    def write_Expr(self, node: ast.Expr) -> None:
        self.line(_expression(node.value))

    def write_Assign(self, node: ast.Assign) -> None:
        targets = "".join(f"{_expression(target)} = " for target in node.targets)
        self.line(targets + _expression(node.value))

    def write_AugAssign(self, node: ast.AugAssign) -> None:
        self.line(f"{_expression(node.target)} {_BINARY[type(node.op)][0]}= {_expression(node.value)}")

    def write_AnnAssign(self, node: ast.AnnAssign) -> None:
        target = _expression(node.target)
        if isinstance(node.target, ast.Name) and not node.simple:
            target = f"({target})"
        value = "" if node.value is None else f" = {_expression(node.value, _Level.YIELD)}"
        self.line(f"{target}: {_expression(node.annotation, _Level.TEST)}{value}")

    def write_Return(self, node: ast.Return) -> None:
        self.line("return" if node.value is None else f"return {_operand(node.value)}")

    def write_Delete(self, node: ast.Delete) -> None:
        self.line("del " + _list(node.targets))

    def write_words(self, node: ast.stmt) -> None:
        """Write a statement without expressions, which every Python version prints alike."""
        self.line(ast.unparse(node))

    write_Pass = write_Break = write_Continue = write_words
    write_Global = write_Nonlocal = write_Import = write_ImportFrom = write_words

    def write_Raise(self, node: ast.Raise) -> None:
        text = "raise"
        if node.exc is not None:
            text += f" {_expression(node.exc, _Level.TEST)}"
        if node.cause is not None:
            text += f" from {_expression(node.cause, _Level.TEST)}"
        self.line(text)

    def write_Assert(self, node: ast.Assert) -> None:
        message = "" if node.msg is None else f", {_expression(node.msg, _Level.TEST)}"
        self.line(f"assert {_expression(node.test, _Level.TEST)}{message}")

    def write_If(self, node: ast.If) -> None:
        self.block(f"if {_expression(node.test, _Level.TEST)}:", node.body)
        while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
            node = node.orelse[0]
            self.block(f"elif {_expression(node.test, _Level.TEST)}:", node.body)
        self.block("else:", node.orelse)

    def write_For(self, node: ast.For | ast.AsyncFor) -> None:
        header = f"for {_expression(node.target)} in {_expression(node.iter, _Level.YIELD)}:"
        self.block(_async(node) + header, node.body)
        self.block("else:", node.orelse)

    write_AsyncFor = write_For

    def write_While(self, node: ast.While) -> None:
        self.block(f"while {_expression(node.test, _Level.TEST)}:", node.body)
        self.block("else:", node.orelse)

    def write_With(self, node: ast.With | ast.AsyncWith) -> None:
        items = []
        for item in node.items:
            text = _expression(item.context_expr, _Level.TEST)
            if item.optional_vars is not None:
                text += f" as {_expression(item.optional_vars, _Level.TEST)}"
            items.append(text)
        self.block(f"{_async(node)}with {', '.join(items)}:", node.body)

    write_AsyncWith = write_With

    def write_Try(self, node: ast.Try) -> None:
        self.block("try:", node.body)
        for handler in node.handlers:
            kind = "" if handler.type is None else f" {_expression(handler.type, _Level.TEST)}"
            name = "" if handler.name is None else f" as {handler.name}"
            self.block(f"except{kind}{name}:", handler.body)
        self.block("else:", node.orelse)
        self.block("finally:", node.finalbody)

    def write_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.decorators(node.decorator_list)
        returns = "" if node.returns is None else f" -> {_expression(node.returns, _Level.TEST)}"
        header = f"{_async(node)}def {node.name}({_arguments(node.args)}){returns}:"
        self.block(header, node.body, docstring=True)

    write_AsyncFunctionDef = write_FunctionDef

    def write_ClassDef(self, node: ast.ClassDef) -> None:
        self.decorators(node.decorator_list)
        bases = _given(node.bases, node.keywords)
        self.block(f"class {node.name}{f'({bases})' if bases else ''}:", node.body, docstring=True)

    def decorators(self, nodes: Iterable[ast.expr]) -> None:
        for node in nodes:
            self.line("@" + _expression(node, _Level.TEST))

    def write_Match(self, node: ast.Match) -> None:
        self.line(f"match {_expression(node.subject)}:")
        self.depth += 1
        for case in node.cases:
            guard = "" if case.guard is None else f" if {_expression(case.guard, _Level.TEST)}"
            self.block(f"case {_pattern(case.pattern, nested=False)}{guard}:", case.body)
        self.depth -= 1


def _async(node: ast.stmt) -> str:
    return "async " if isinstance(node, (ast.AsyncFor, ast.AsyncWith, ast.AsyncFunctionDef)) else ""


def _needs_space(previous: ast.stmt, node: ast.stmt) -> bool:
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    imports = (ast.Import, ast.ImportFrom)
    if isinstance(previous, definitions) or isinstance(node, definitions):
        return True
    return isinstance(previous, imports) and not isinstance(node, imports)


def _pattern(node: ast.pattern, nested: bool = True) -> str:
    """Return a `match` pattern's text; a nested alternative or `as` pattern is parenthesised."""
    if isinstance(node, ast.MatchValue):
        return _expression(node.value)
    if isinstance(node, ast.MatchSingleton):
        return repr(node.value)
    if isinstance(node, ast.MatchSequence):
        return "[" + ", ".join(_pattern(part) for part in node.patterns) + "]"
    if isinstance(node, ast.MatchStar):
        return "*" + (node.name or "_")
    if isinstance(node, ast.MatchMapping):
        parts = [f"{_expression(key)}: {_pattern(part)}" for key, part in zip(node.keys, node.patterns, strict=True)]
        if node.rest is not None:
            parts.append("**" + node.rest)
        return "{" + ", ".join(parts) + "}"
    if isinstance(node, ast.MatchClass):
        parts = [_pattern(part) for part in node.patterns]
        parts += [f"{name}={_pattern(part)}" for name, part in zip(node.kwd_attrs, node.kwd_patterns, strict=True)]
        return f"{_expression(node.cls, _Level.ATOM)}({', '.join(parts)})"
    if isinstance(node, ast.MatchAs):
        if node.pattern is None:
            return node.name or "_"
        text = f"{_pattern(node.pattern)} as {node.name}"
    else:
        assert isinstance(node, ast.MatchOr)
        text = " | ".join(_pattern(part) for part in node.patterns)
    return f"({text})" if nested else text
