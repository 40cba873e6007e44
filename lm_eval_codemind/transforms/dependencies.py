"""Rules that add dependencies: a value passes through a new function, a wrapper or a list."""

import ast
from random import Random

from lm_eval_codemind.languages.python.scopes import FunctionNode
from lm_eval_codemind.transforms.moving import escapes, has_private_names, has_walrus, surely_bound
from lm_eval_codemind.transforms.program import Block, Program
from lm_eval_codemind.transforms.rule import Rule
from lm_eval_codemind.transforms.templates import expression, statements

Site = tuple[Block, int]

_ARITHMETIC = (
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.FloorDiv,
    ast.Mod,
    ast.Pow,
    ast.BitAnd,
    ast.BitOr,
    ast.BitXor,
    ast.LShift,
    ast.RShift,
)


class ExtractAssignment(Rule):
    """Moves the arithmetic on the right of `x = ...` into a new function that takes the names it reads.

    The names' values are read before the expression runs instead of while it does. So each must surely have one, and
    nothing the expression calls may change it: no global or nonlocal statement names it. What belongs to the module
    (functions, imports, globals) is not passed but looked up by the new function, as before.
    """

    name = "extract_assignment"
    group = "dependency"
    limit = 2

    def sites(self, program: Program) -> list[tuple[Block, int, list[str]]]:
        """Return the assignments, with the names to be passed."""
        if program.reflective:
            return []
        found = []
        for block, index, node in program.statements():
            if block.function and program.is_deep(block.function):
                continue
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp) and self._fits(node.value):
                passed = self._passed(program, block, index, node.value)
                if passed is not None:
                    found.append((block, index, passed))
        return found

    @staticmethod
    def _fits(value: ast.BinOp) -> bool:
        if not isinstance(value.op, _ARITHMETIC) or not any(isinstance(part, ast.Name) for part in ast.walk(value)):
            return False
        return not (escapes(value) or has_walrus(value) or has_private_names(value))

    @staticmethod
    def _passed(program: Program, block: Block, index: int, value: ast.expr) -> list[str] | None:
        symbols = program.symbols
        passed = []
        for name in symbols.free_names(value, block.scope):
            home = block.scope.resolve(name)
            if home.kind == "module" and block.scope.kind != "module":
                continue
            if home.kind == "module" and (name not in home.bound or not _is_variable(program, name)):
                continue
            shared = any(o.attribute == "names" for o in symbols.variable(home, name))
            if shared or home is not block.scope or not surely_bound(program, block, index, name):
                return None
            passed.append(name)
        # Called functions look the module's own variables up themselves and may change them.
        return passed

    def apply(self, program: Program, site: tuple[Block, int, list[str]], rng: Random) -> None:
        block, index, passed = site
        node = block.statements[index]
        assert isinstance(node, ast.Assign)
        name, arguments = program.function_name(rng), ", ".join(passed)
        (function,) = statements(f"def {name}({arguments}):\n    return _VALUE_", _VALUE_=node.value)
        program.add_function(function, [node])
        node.value = expression(f"{name}({arguments})")


def _is_variable(program: Program, name: str) -> bool:
    """Whether a name of the module is a plain variable, not a function, class or import."""
    occurrences = program.symbols.variable(program.symbols.scopes[program.tree], name)
    return all(isinstance(o.node, ast.Name) for o in occurrences)


class ExtractReturn(Rule):
    """Changes `return L op R` to `return f(L, R)` with a new function f. L and R are evaluated at the same place."""

    name = "extract_return"
    group = "dependency"
    limit = 2

    def sites(self, program: Program) -> list[Site]:
        """Return the `return` statements with arithmetic or one comparison."""
        if program.reflective:
            return []
        return [
            (block, index)
            for block, index, node in program.statements()
            if isinstance(node, ast.Return) and self._fits(node.value) and not _in_helper(block, node)
        ]

    @staticmethod
    def _fits(value: ast.expr | None) -> bool:
        arithmetic = isinstance(value, ast.BinOp) and isinstance(value.op, _ARITHMETIC)
        return arithmetic or (isinstance(value, ast.Compare) and len(value.ops) == 1)

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        block, index = site
        node = block.statements[index]
        assert isinstance(node, ast.Return)
        value = node.value
        name = program.function_name(rng)
        first, second = program.variable_name(rng), program.variable_name(rng)
        left, right = ast.Name(first, ast.Load()), ast.Name(second, ast.Load())
        operation: ast.expr
        if isinstance(value, ast.BinOp):
            operands, operation = (value.left, value.right), ast.BinOp(left, value.op, right)
        else:
            assert isinstance(value, ast.Compare)
            operands, operation = (value.left, value.comparators[0]), ast.Compare(left, value.ops, [right])
        (function,) = statements(f"def {name}({first}, {second}):\n    return _VALUE_", _VALUE_=operation)
        program.add_function(function, [node])
        node.value = expression(f"{name}(_LEFT_, _RIGHT_)", _LEFT_=operands[0], _RIGHT_=operands[1])


def _in_helper(block: Block, node: ast.Return) -> bool:
    """Whether a function consists of this `return` with two plain names, as those that extraction makes do."""
    value = node.value
    sides = [value.left, value.right] if isinstance(value, ast.BinOp) else []
    return block.is_top and len(block.statements) == 1 and bool(sides) and all(isinstance(s, ast.Name) for s in sides)


class PassThroughDecorator(Rule):
    """Puts a decorator on a function or method that passes everything through.

    It comes innermost, so that `staticmethod`, `classmethod` and `property` get what they expect, and it keeps the
    function's name and documentation by `functools.wraps`. Recursive functions would fill the stack twice as fast,
    coroutines would no longer be known as such, and unknown decorators may look into the function: no sites.
    """

    name = "decorator"
    group = "dependency"
    limit = 2
    _KNOWN = {"staticmethod", "classmethod", "property", "abstractmethod", "setter", "getter", "deleter"}

    def sites(self, program: Program) -> list[FunctionNode]:
        """Return the functions that can have a new decorator."""
        if program.reflective:
            return []
        functions = [block.function for block in program.blocks if block.is_top and block.function is not None]
        return [node for node in functions if self._fits(program, node)]

    def _fits(self, program: Program, node: FunctionNode) -> bool:
        if isinstance(node, ast.AsyncFunctionDef) or program.is_deep(node) or node.name in program.made_names:
            return False
        if node.name in ("__new__", "__init_subclass__", "__class_getitem__", "__del__", "__getattribute__"):
            return False
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Attribute):
                known = decorator.attr in self._KNOWN
            else:
                known = isinstance(decorator, ast.Name) and decorator.id in self._KNOWN
            if not known:
                return False
        return True

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


class BoxAndIndex(Rule):
    """Makes `x = v` into `x = [v][0]`."""

    name = "box_and_index"
    group = "dependency"
    limit = 2

    def sites(self, program: Program) -> list[Site]:
        """Return the assignments outside of class bodies."""
        return [
            (block, index)
            for block, index, node in program.statements()
            if isinstance(node, ast.Assign) and self._fits(node)
        ]

    @staticmethod
    def _fits(node: ast.Assign) -> bool:
        if any(isinstance(target, ast.Name) and target.id.startswith("__") for target in node.targets):
            return False
        boxed = isinstance(node.value, ast.Subscript) and isinstance(node.value.value, ast.List)
        return not boxed and not isinstance(node.value, (ast.Yield, ast.YieldFrom, ast.List))

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        block, index = site
        node = block.statements[index]
        assert isinstance(node, ast.Assign)
        node.value = expression("[_VALUE_][0]", _VALUE_=node.value)


class ExpandAugmentedAssignment(Rule):
    """Makes `x += e` into `x = x + e`, where x can only hold numbers or text.

    For other objects `+=` may change the object itself, which others may share.
    """

    name = "augmented_assignment"
    group = "dependency"
    limit = 2

    def sites(self, program: Program) -> list[Site]:
        """Return the augmented assignments to local variables (in scripts also to the module's)."""
        if program.reflective:
            return []
        plain = PlainValues(program)
        return [
            (block, index)
            for block, index, node in program.statements()
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and plain.is_plain(node.target)
        ]

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        block, index = site
        node = block.statements[index]
        assert isinstance(node, ast.AugAssign)
        assert isinstance(node.target, ast.Name)
        value = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        block.statements[index] = ast.Assign([node.target], value, None)


class PlainValues:
    """Says of a variable whether it can only hold numbers and text, which no operation changes in place."""

    _MAKERS = frozenset({"int", "float", "complex", "str", "len", "ord", "chr", "input", "repr", "bool"})

    def __init__(self, program: Program) -> None:
        self._program = program
        self._values: dict[int, ast.expr] = {}
        for node in ast.walk(program.tree):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self._add(target, node.value)
            elif isinstance(node, (ast.AnnAssign, ast.AugAssign)) and node.value is not None:
                self._values[id(node.target)] = node.value
            elif isinstance(node, (ast.For, ast.comprehension)) and self._is_call(node.iter, "range"):
                self._values[id(node.target)] = ast.Constant(0)

    def _add(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            for part, item in zip(target.elts, value.elts, strict=True):
                self._add(part, item)
        elif isinstance(target, ast.Tuple) and self._reads_numbers(value):
            for part in target.elts:
                self._values[id(part)] = ast.Constant(0)
        else:
            self._values[id(target)] = value

    def _reads_numbers(self, node: ast.expr) -> bool:
        """Whether a node is `map(int, ...)`, as scripts read their input."""
        if not isinstance(node, ast.Call) or not self._is_call(node, "map") or len(node.args) != 2:
            return False
        maker = node.args[0]
        return isinstance(maker, ast.Name) and maker.id in self._MAKERS and self._program.is_builtin(maker.id)

    def _is_call(self, node: ast.expr, name: str) -> bool:
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
        return is_call and self._program.is_builtin(name)

    def is_plain(self, node: ast.expr, visited: frozenset[ast.AST] = frozenset()) -> bool:
        """Whether an expression is sure to be a number or text."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, (int, float, complex, str, bytes))
        if isinstance(node, ast.JoinedStr):
            return True
        if isinstance(node, ast.BinOp):
            return self.is_plain(node.left, visited) and self.is_plain(node.right, visited)
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.Not) or self.is_plain(node.operand, visited)
        if isinstance(node, ast.IfExp):
            return self.is_plain(node.body, visited) and self.is_plain(node.orelse, visited)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return node.func.id in self._MAKERS and self._program.is_builtin(node.func.id)
        if isinstance(node, ast.Name):
            places = self._program.bindings(node)
            # A variable that depends on itself is plain if everything else it gets is.
            if places and places[0] in visited:
                return True
            values = [self._values.get(id(place)) for place in places]
            return bool(values) and all(v is not None and self.is_plain(v, visited | {places[0]}) for v in values)
        return False
