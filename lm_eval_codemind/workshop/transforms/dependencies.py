"""Rules that add dependencies: a value passes through a new function, a wrapper or a list."""

import ast
from collections.abc import Iterable, Sequence
from random import Random

from lm_eval_codemind.workshop.transforms.moving import escapes, has_private_names, has_walrus, surely_bound
from lm_eval_codemind.workshop.transforms.program import Program, Site
from lm_eval_codemind.workshop.transforms.rule import Rule, StatementRule, expression, statements
from lm_eval_codemind.workshop.transforms.scopes import FunctionNode


def _is_arithmetic(node: ast.AST | None) -> bool:
    return isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult)


class ExtractAssignment(StatementRule, rule="extract_assignment", group="dependency", limit=2):
    """Moves the arithmetic on the right of `x = ...` into a new function that takes the names it reads.

    The names' values are read before the expression runs instead of while it does. So each must surely have one, and
    nothing the expression calls may change it: no global or nonlocal statement names it. What belongs to the module
    (functions, imports, globals) is not passed but looked up by the new function, as before.
    """

    def fits(self, program: Program, site: Site) -> bool:
        node = site.node
        if not isinstance(node, ast.Assign) or not _is_arithmetic(node.value) or program.is_deep(site.block.function):
            return False
        if escapes(node.value) or has_walrus(node.value) or has_private_names(node.value):
            return False
        reads = any(isinstance(part, ast.Name) for part in ast.walk(node.value))
        return reads and self._passed(program, site) is not None

    @staticmethod
    def _passed(program: Program, site: Site) -> list[str] | None:
        """Return the names whose values the new function takes; None if one has no certain value."""
        symbols, scope = program.symbols, site.block.scope
        passed = []
        for name in symbols.free_names(site.node.value, scope):
            home = scope.resolve(name)
            if home.kind == "module" and scope.kind != "module":
                continue
            variable = symbols.variable(home, name)
            is_variable = name in home.bound and all(isinstance(o.node, ast.Name) for o in variable)
            if home.kind == "module" and not is_variable:
                continue
            shared = any(o.attribute == "names" for o in variable)
            if shared or home is not scope or not surely_bound(program, site, name):
                return None
            passed.append(name)
        # Called functions look the module's own variables up themselves and may change them.
        return passed

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        node = site.node
        name, arguments = program.function_name(rng), ", ".join(self._passed(program, site) or [])
        (function,) = statements(f"def {name}({arguments}):\n    return _VALUE_", _VALUE_=node.value)
        program.add_function(function, [node])
        node.value = expression(f"{name}({arguments})")


class ExtractReturn(StatementRule, rule="extract_return", group="dependency", limit=2):
    """Changes `return L op R` to `return f(L, R)` with a new function f. L and R are evaluated at the same place."""

    def fits(self, program: Program, site: Site) -> bool:
        """Whether a statement is a `return` with arithmetic or one comparison, and is not all of its function."""
        match site.node:
            case ast.Return(ast.BinOp(ast.Name(), _, ast.Name())) if site.block.is_top:
                # Functions that extraction made consist of this `return`.
                return len(site.block.statements) > 1 and _is_arithmetic(site.node.value)
            case ast.Return(ast.BinOp() as value):
                return _is_arithmetic(value)
            case ast.Return(ast.Compare(_, [_], _)):
                return True
        return False

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        node = site.node
        name = program.function_name(rng)
        first, second = program.variable_name(rng), program.variable_name(rng)
        left, right = ast.Name(first, ast.Load()), ast.Name(second, ast.Load())
        operation: ast.expr
        match node.value:
            case ast.BinOp(one, op, other):
                operation = ast.BinOp(left, op, right)
            case ast.Compare(one, operators, [other]):
                operation = ast.Compare(left, operators, [right])
        (function,) = statements(f"def {name}({first}, {second}):\n    return _VALUE_", _VALUE_=operation)
        program.add_function(function, [node])
        node.value = expression(f"{name}(_LEFT_, _RIGHT_)", _LEFT_=one, _RIGHT_=other)


class PassThroughDecorator(Rule, rule="decorator", group="dependency", limit=2):
    """Puts a decorator on a function or method that passes everything through.

    It comes innermost, so that `staticmethod`, `classmethod` and `property` get what they expect, and it keeps the
    function's name and documentation by `functools.wraps`. Recursive functions would fill the stack twice as fast,
    coroutines would no longer be known as such, and unknown decorators may look into the function: no sites.
    """

    _KNOWN = {"staticmethod", "classmethod", "property", "abstractmethod", "setter", "getter", "deleter"}
    _SPECIAL = {"__new__", "__init_subclass__", "__class_getitem__", "__del__", "__getattribute__"}

    def find(self, program: Program) -> Iterable[FunctionNode]:
        for block in program.blocks:
            node = block.function
            if not block.is_top or not isinstance(node, ast.FunctionDef) or program.is_deep(node):
                continue
            known = all(getattr(d, "attr", getattr(d, "id", "")) in self._KNOWN for d in node.decorator_list)
            if known and node.name not in program.made_names | self._SPECIAL:
                yield node

    def apply(self, program: Program, site: FunctionNode, rng: Random) -> None:
        module = program.imported("import functools", rng)
        decorator, wrapper = program.function_name(rng), program.function_name(rng)
        function, result = program.variable_name(rng), program.variable_name(rng)
        text = f"""
def {decorator}({function}):

    @{module}.wraps({function})
    def {wrapper}(*args, **kwargs):
        {result} = {function}(*args, **kwargs)
        return {result}
    return {wrapper}
"""
        (definition,) = statements(text)
        program.add_function(definition, [site])
        site.decorator_list.append(ast.Name(decorator, ast.Load()))


class BoxAndIndex(StatementRule, rule="box_and_index", group="dependency", limit=2):
    """Makes `x = v` into `x = [v][0]`."""

    def sites(self, program: Program) -> list[Site]:
        """Return the assignments outside of class bodies, those of a reflective program too."""
        return list(self.find(program))

    def fits(self, program: Program, site: Site) -> bool:
        match site.node:
            case ast.Assign(_, ast.Subscript(ast.List()) | ast.Yield() | ast.YieldFrom() | ast.List()):
                return False
            case ast.Assign(targets):
                return not any(isinstance(target, ast.Name) and target.id.startswith("__") for target in targets)
        return False

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        site.node.value = expression("[_VALUE_][0]", _VALUE_=site.node.value)


class ExpandAugmentedAssignment(Rule, rule="augmented_assignment", group="dependency", limit=2):
    """Makes `x += e` into `x = x + e`, where x can only hold numbers or text.

    For other objects `+=` may change the object itself, which others may share. Only for local variables; in scripts
    also for the module's.
    """

    def find(self, program: Program) -> Iterable[Site]:
        plain = PlainValues(program)
        for site in program.statements():
            match site.node:
                case ast.AugAssign(ast.Name() as target) if plain.is_plain(target):
                    yield site

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        block, index, node = site
        value = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        block.statements[index] = ast.Assign([node.target], value, None)


class PlainValues:
    """Says of a variable whether it can only hold numbers and text, which no operation changes in place."""

    _MAKERS = frozenset({"int", "float", "complex", "str", "len", "ord", "chr", "input", "repr", "bool"})

    def __init__(self, program: Program) -> None:
        self._program = program
        self._values: dict[int, ast.expr] = {}
        for node in ast.walk(program.tree):
            match node:
                case ast.Assign(targets, value):
                    for target in targets:
                        self._add(target, value)
                case ast.AnnAssign(target, _, ast.expr() as value) | ast.AugAssign(target, _, value):
                    self._values[id(target)] = value
                case ast.For(target, ast.Call(function)) | ast.comprehension(target, ast.Call(function)):
                    if isinstance(function, ast.Name) and function.id == "range" and program.is_builtin("range"):
                        self._values[id(target)] = ast.Constant(0)

    def _add(self, target: ast.expr, value: ast.expr) -> None:
        match target, value:
            case ast.Tuple(parts), ast.Tuple(items) if len(parts) == len(items):
                for part, item in zip(parts, items, strict=True):
                    self._add(part, item)
            # Scripts read their input by `map(int, ...)`.
            case ast.Tuple(parts), ast.Call(ast.Name("map"), [ast.Name(maker), _]) if self._makes(maker, "map"):
                for part in parts:
                    self._values[id(part)] = ast.Constant(0)
            case _:
                self._values[id(target)] = value

    def _makes(self, maker: str, *others: str) -> bool:
        """Whether a function, and others that are used with it, are builtins, and it makes numbers or text."""
        return maker in self._MAKERS and all(map(self._program.is_builtin, (maker, *others)))

    def is_plain(self, node: ast.expr, visited: frozenset[ast.AST] = frozenset()) -> bool:
        """Whether an expression is sure to be a number or text."""
        parts: Sequence[ast.expr | None]
        match node:
            case ast.Constant(value):
                return isinstance(value, (int, float, complex, str, bytes))
            case ast.JoinedStr() | ast.UnaryOp(ast.Not()):
                return True
            case ast.Call(ast.Name(maker)):
                return self._makes(maker)
            case ast.UnaryOp(_, operand):
                parts = [operand]
            case ast.BinOp(left, _, right) | ast.IfExp(_, left, right):
                parts = [left, right]
            case ast.Name():
                places = self._program.bindings(node)
                # A variable that depends on itself is plain if everything else it gets is.
                if places and places[0] in visited:
                    return True
                parts = [self._values.get(id(place)) for place in places]
                visited = visited.union(places[:1])
            case _:
                return False
        return bool(parts) and all(part is not None and self.is_plain(part, visited) for part in parts)
