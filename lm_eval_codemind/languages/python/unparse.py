"""From a syntax tree to source text, the same bytes on every Python version.

:func:`ast.unparse` prints one tree differently from version to version (parentheses around tuples, quotes of f-strings,
lambdas without arguments), and C+ must not depend on who builds it. This writer prints what Python 3.10 can read, so
an f-string that only newer versions can spell is refused.
"""

import ast
from collections.abc import Iterable, Sequence
from enum import IntEnum

from lm_eval_codemind.languages.python.names import DEFINITIONS, IMPORTS

INDENT = "    "

# The precedence of an expression, the lowest first.
_Level = IntEnum(
    "_Level",
    "TUPLE YIELD TEST OR AND NOT COMPARE BIT_OR BIT_XOR BIT_AND SHIFT ARITHMETIC TERM FACTOR POWER AWAIT ATOM",
)

_BINARY: dict[type[ast.operator], tuple[str, int]] = {
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
_UNARY: dict[type[ast.unaryop], tuple[str, int]] = {
    ast.Not: ("not ", _Level.NOT),
    ast.USub: ("-", _Level.FACTOR),
    ast.UAdd: ("+", _Level.FACTOR),
    ast.Invert: ("~", _Level.FACTOR),
}
# Statements without expressions, which every version of Python prints alike.
_PLAIN = (ast.Pass, ast.Break, ast.Continue, ast.Global, ast.Nonlocal, *IMPORTS)


class UnsupportedSyntaxError(ValueError):
    """A construct that can't be written for every supported Python version."""


def unparse(tree: ast.AST) -> str:
    """Return the source of a module, a statement or an expression, one statement a line.

    Comments and layout of the original are not kept. A module's text ends with a newline.

    Raises:
        UnsupportedSyntaxError: for type parameters, template strings, and f-strings no Python 3.10 could read.
    """
    if isinstance(tree, ast.expr):
        return _expression(tree, _Level.TUPLE)
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


def _unsupported(node: ast.AST) -> UnsupportedSyntaxError:
    return UnsupportedSyntaxError(f"{type(node).__name__} can't be written for Python 3.10")


# -- expressions -----------------------------------------------------------------------------------------------------


def _expression(node: ast.expr, level: int = _Level.TEST) -> str:
    """Return the text of an expression, parenthesised where it binds more loosely than `level`."""
    text, own = _written(node)
    return text if own >= level else f"({text})"


def _after(words: str, node: ast.expr | None, level: int = _Level.TEST) -> str:
    """Return some words and the expression after them; nothing without an expression."""
    return "" if node is None else words + _expression(node, level)


def _operand(word: str, node: ast.expr | None) -> str:
    """Return `return` or `yield` and what follows: a tuple goes without parentheses, a `yield` does not."""
    return word + _after(" ", node, _Level.TUPLE if isinstance(node, ast.Tuple) else _Level.TEST)


def _list(nodes: Iterable[ast.expr]) -> str:
    return ", ".join(map(_expression, nodes))


def _written(node: ast.expr) -> tuple[str, int]:
    """Return the text of an expression and its level."""
    match node:
        case ast.Name(name):
            return name, _Level.ATOM
        case ast.Constant(value):
            text = "..." if value is Ellipsis else repr(value)
            return text.replace("inf", "1e309") if isinstance(value, (float, complex)) else text, _Level.ATOM
        case ast.Attribute(value, name):
            text = _expression(value, _Level.ATOM)
            is_integer = isinstance(value, ast.Constant) and isinstance(value.value, int) and text.isdigit()
            return f"({text}).{name}" if is_integer else f"{text}.{name}", _Level.ATOM
        case ast.Call(function, [ast.GeneratorExp() as only], []):
            return _expression(function, _Level.ATOM) + _expression(only), _Level.ATOM
        case ast.Call(function, arguments, keywords):
            return f"{_expression(function, _Level.ATOM)}({_call_arguments(arguments, keywords)})", _Level.ATOM
        case ast.Subscript(value, index):
            bare = isinstance(index, ast.Tuple) and not any(isinstance(e, ast.Starred) for e in index.elts)
            inside = _expression(index, _Level.TUPLE if bare else _Level.YIELD)
            return f"{_expression(value, _Level.ATOM)}[{inside}]", _Level.ATOM
        case ast.Slice(lower, upper, step):
            return f"{_after('', lower)}:{_after('', upper)}{_after(':', step)}", _Level.ATOM
        case ast.Starred(value):
            return "*" + _expression(value, _Level.BIT_OR), _Level.ATOM
        case ast.NamedExpr(target, value):
            return f"({_expression(target)} := {_expression(value)})", _Level.ATOM
        case ast.BinOp(left, ast.Pow(), right):
            return f"{_expression(left, _Level.AWAIT)} ** {_expression(right, _Level.FACTOR)}", _Level.POWER
        case ast.BinOp(left, operator, right):
            sign, level = _BINARY[type(operator)]
            return f"{_expression(left, level)} {sign} {_expression(right, level + 1)}", level
        case ast.UnaryOp(operator, operand):
            sign, level = _UNARY[type(operator)]
            return sign + _expression(operand, level), level
        case ast.BoolOp(operator, values):
            word, level = (" and ", _Level.AND) if isinstance(operator, ast.And) else (" or ", _Level.OR)
            return word.join(_expression(value, level + 1) for value in values), level
        case ast.Compare(left, operators, others):
            signs = [f" {_COMPARE[type(operator)]} " for operator in operators]
            rest = [_after(sign, other, _Level.BIT_OR) for sign, other in zip(signs, others, strict=True)]
            return _expression(left, _Level.BIT_OR) + "".join(rest), _Level.COMPARE
        case ast.IfExp(test, body, other):
            branch = f"{_expression(body, _Level.OR)} if {_expression(test, _Level.OR)}"
            return f"{branch} else {_expression(other)}", _Level.TEST
        case ast.Lambda(parameters, body):
            text = _arguments(parameters)
            return f"lambda{' ' if text else ''}{text}: {_expression(body)}", _Level.TEST
        case ast.Tuple([]):
            return "()", _Level.ATOM
        case ast.Tuple(elements):
            return _list(elements) + ("," if len(elements) == 1 else ""), _Level.TUPLE
        case ast.List(elements):
            return f"[{_list(elements)}]", _Level.ATOM
        case ast.Set(elements):
            return "{" + (_list(elements) or "*()") + "}", _Level.ATOM
        case ast.Dict(keys, values):
            heads = ["**" if key is None else f"{_expression(key)}: " for key in keys]
            levels = [_Level.BIT_OR if key is None else _Level.TEST for key in keys]
            return "{" + ", ".join(map(_after, heads, values, levels)) + "}", _Level.ATOM
        case ast.ListComp(element, generators):
            return f"[{_expression(element)}{_generators(generators)}]", _Level.ATOM
        case ast.SetComp(element, generators):
            return f"{{{_expression(element)}{_generators(generators)}}}", _Level.ATOM
        case ast.GeneratorExp(element, generators):
            return f"({_expression(element)}{_generators(generators)})", _Level.ATOM
        case ast.DictComp(key, value, generators):
            return f"{{{_expression(key)}: {_expression(value)}{_generators(generators)}}}", _Level.ATOM
        case ast.Await(value):
            return f"await {_expression(value, _Level.ATOM)}", _Level.AWAIT
        case ast.Yield(value):
            return _operand("yield", value), _Level.YIELD
        case ast.YieldFrom(value):
            return f"yield from {_expression(value)}", _Level.YIELD
        case ast.JoinedStr(values):
            for quote in ("'", '"', '"""', "'''"):
                parts = _f_string_parts(values, quote)
                if parts is not None:
                    return f"f{quote}{parts}{quote}", _Level.ATOM
            raise UnsupportedSyntaxError("an f-string with nested quotes or backslashes that Python 3.10 can't read")
    raise _unsupported(node)


def _generators(parts: Iterable[ast.comprehension]) -> str:
    """Return the loops and conditions of a comprehension."""
    text = ""
    for part in parts:
        text += " async for " if part.is_async else " for "
        text += f"{_expression(part.target, _Level.TUPLE)} in {_expression(part.iter, _Level.OR)}"
        text += "".join(_after(" if ", test, _Level.OR) for test in part.ifs)
    return text


def _call_arguments(positional: Iterable[ast.expr], keywords: Iterable[ast.keyword]) -> str:
    """Return the arguments of a call, or the bases of a class."""
    named = [_after("**" if keyword.arg is None else f"{keyword.arg}=", keyword.value) for keyword in keywords]
    return ", ".join([*map(_expression, positional), *named])


def _f_string_parts(values: Iterable[ast.expr], quote: str, nested: bool = False) -> str | None:
    """Return the inside of an f-string in these quotes, or None where it can't be written with them."""
    parts = []
    for value in values:
        if isinstance(value, ast.Constant):
            text = "".join(_escape(character, quote[0]) for character in str(value.value))
            if nested and "\\" in text:
                return None
            parts.append(text.replace("{", "{{").replace("}", "}}"))
        elif isinstance(value, ast.FormattedValue):
            inside = _expression(value.value)
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


def _arguments(node: ast.arguments) -> str:
    """Return a parameter list, with annotations and defaults."""
    positional = [*node.posonlyargs, *node.args]
    defaults = [*[None] * (len(positional) - len(node.defaults)), *node.defaults]
    parts = list(map(_argument, positional, defaults))
    if node.posonlyargs:
        parts.insert(len(node.posonlyargs), "/")
    if node.vararg is not None:
        parts.append("*" + _argument(node.vararg))
    elif node.kwonlyargs:
        parts.append("*")
    parts += map(_argument, node.kwonlyargs, node.kw_defaults)
    if node.kwarg is not None:
        parts.append("**" + _argument(node.kwarg))
    return ", ".join(parts)


def _argument(node: ast.arg, default: ast.expr | None = None) -> str:
    return node.arg + _after(": ", node.annotation) + _after(" = " if node.annotation else "=", default)


# -- statements ------------------------------------------------------------------------------------------------------


class _Writer:
    """Collects the lines of a program."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0

    def line(self, text: str) -> None:
        self.lines.append(INDENT * self.depth + text)

    def body(self, statements: Sequence[ast.stmt], docstring: bool = False) -> None:
        """Write a block's statements, definitions set off by blank lines."""
        for number, node in enumerate(statements):
            if number and _needs_space(statements[number - 1], node):
                self.lines += ["", ""] if self.depth == 0 else [""]
            match node:
                case ast.Expr(ast.Constant(str(text))) if docstring and number == 0:
                    self.docstring(text)
                case _:
                    self.statement(node)

    def block(self, header: str, statements: Sequence[ast.stmt], docstring: bool = False) -> None:
        """Write a header and, indented, its statements; nothing without statements."""
        if not statements:
            return
        self.line(header)
        self.depth += 1
        self.body(statements, docstring)
        self.depth -= 1

    def docstring(self, text: str) -> None:
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
        keyword = "async " if isinstance(node, (ast.AsyncFor, ast.AsyncWith, ast.AsyncFunctionDef)) else ""
        for decorator in getattr(node, "decorator_list", []):
            self.line("@" + _expression(decorator))
        match node:
            case _ if isinstance(node, _PLAIN):
                self.line(ast.unparse(node))
            case ast.Expr(value):
                self.line(_expression(value, _Level.TUPLE))
            case ast.Assign(targets, value):
                self.line(" = ".join(_expression(part, _Level.TUPLE) for part in [*targets, value]))
            case ast.AugAssign(target, operator, value):
                sign = f" {_BINARY[type(operator)][0]}= "
                self.line(_expression(target) + _after(sign, value, _Level.TUPLE))
            case ast.AnnAssign(target, annotation, value, simple):
                name = _expression(target)
                if isinstance(target, ast.Name) and not simple:
                    name = f"({name})"
                self.line(f"{name}: {_expression(annotation)}{_after(' = ', value, _Level.YIELD)}")
            case ast.Return(value):
                self.line(_operand("return", value))
            case ast.Delete(targets):
                self.line("del " + _list(targets))
            case ast.Raise(error, cause):
                self.line(f"raise{_after(' ', error)}{_after(' from ', cause)}")
            case ast.Assert(test, message):
                self.line(f"assert {_expression(test)}{_after(', ', message)}")
            case ast.If():
                self.block(f"if {_expression(node.test)}:", node.body)
                while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
                    node = node.orelse[0]
                    self.block(f"elif {_expression(node.test)}:", node.body)
                self.block("else:", node.orelse)
            case ast.For() | ast.AsyncFor():
                header = f"for {_expression(node.target, _Level.TUPLE)} in {_expression(node.iter, _Level.YIELD)}:"
                self.block(keyword + header, node.body)
                self.block("else:", node.orelse)
            case ast.While(test, body, other):
                self.block(f"while {_expression(test)}:", body)
                self.block("else:", other)
            case ast.With() | ast.AsyncWith():
                items = [_expression(item.context_expr) + _after(" as ", item.optional_vars) for item in node.items]
                self.block(f"{keyword}with {', '.join(items)}:", node.body)
            case ast.Try(body, handlers, other, final):
                self.block("try:", body)
                for handler in handlers:
                    name = "" if handler.name is None else f" as {handler.name}"
                    self.block(f"except{_after(' ', handler.type)}{name}:", handler.body)
                self.block("else:", other)
                self.block("finally:", final)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                header = f"def {node.name}({_arguments(node.args)}){_after(' -> ', node.returns)}:"
                self.block(keyword + header, node.body, docstring=True)
            case ast.ClassDef(name, bases, keywords, body):
                arguments = _call_arguments(bases, keywords)
                self.block(f"class {name}{f'({arguments})' if arguments else ''}:", body, docstring=True)
            case ast.Match(subject, cases):
                self.line(f"match {_expression(subject, _Level.TUPLE)}:")
                self.depth += 1
                for case in cases:
                    self.block(f"case {_pattern(case.pattern, nested=False)}{_after(' if ', case.guard)}:", case.body)
                self.depth -= 1
            case _:
                raise _unsupported(node)


def _needs_space(previous: ast.stmt, node: ast.stmt) -> bool:
    if isinstance(previous, DEFINITIONS) or isinstance(node, DEFINITIONS):
        return True
    return isinstance(previous, IMPORTS) and not isinstance(node, IMPORTS)


def _pattern(node: ast.pattern, nested: bool = True) -> str:
    """Return a `match` pattern's text; a nested alternative or `as` pattern is parenthesised."""
    match node:
        case ast.MatchValue(value):
            return _expression(value, _Level.TUPLE)
        case ast.MatchSingleton(value):
            return repr(value)
        case ast.MatchSequence(patterns):
            return "[" + ", ".join(map(_pattern, patterns)) + "]"
        case ast.MatchStar(name):
            return "*" + (name or "_")
        case ast.MatchMapping(keys, patterns, rest):
            parts = [f"{_expression(key)}: {_pattern(part)}" for key, part in zip(keys, patterns, strict=True)]
            return "{" + ", ".join([*parts, *([f"**{rest}"] if rest else [])]) + "}"
        case ast.MatchClass(kind, patterns, names, named):
            parts = list(map(_pattern, patterns))
            parts += [f"{name}={_pattern(part)}" for name, part in zip(names, named, strict=True)]
            return f"{_expression(kind, _Level.ATOM)}({', '.join(parts)})"
        case ast.MatchAs(pattern, name):
            if pattern is None:
                return name or "_"
            text = f"{_pattern(pattern)} as {name}"
        case ast.MatchOr(patterns):
            text = " | ".join(map(_pattern, patterns))
        case _:
            raise _unsupported(node)
    return f"({text})" if nested else text
