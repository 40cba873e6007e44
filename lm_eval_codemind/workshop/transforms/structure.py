"""Structure: guards, loops and handlers that change nothing, loops as recursive functions, and steps in threads."""

# ruff: noqa: SIM905

import ast
from random import Random

from lm_eval_codemind.languages.python.names import replaced
from lm_eval_codemind.workshop.transforms.moving import declare, escapes, has_walrus, jumps, reads_bound_names
from lm_eval_codemind.workshop.transforms.program import Program, Site, discards
from lm_eval_codemind.workshop.transforms.rule import StatementRule, expression, statements


def _wrap(site: Site, rng: Random, values: dict[str, int], header: str) -> None:
    """Put a statement under a header, after assignments to new variables at drawn places of its block."""
    block, index, node = site
    places = sorted(rng.randrange(block.start, index + 1) for _ in values)
    for (name, value), place in zip(reversed(values.items()), reversed(places), strict=True):
        block.statements[place:place] = statements(f"{name} = {value}")
    index += len(values)
    block.statements[index : index + 1] = statements(f"{header}\n    _BODY_", _BODY_=[node])


class AlwaysTrueGuard(StatementRule, rule="always_true_guard", group="structure", limit=2):
    """Puts an `if`, whole with its `else`, under `if a & b:`, two integers with a bit in common.

    An `elif` is not a site: it belongs to the `if` above it.
    """

    def fits(self, program: Program, site: Site) -> bool:
        return isinstance(site.node, ast.If) and not site.block.elif_arm

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        left, right = program.variable_name(rng), program.variable_name(rng)
        common = 1 << rng.randrange(2, 9)
        values = {left: rng.randrange(100, 1000) | common, right: rng.randrange(100, 1000) | common}
        _wrap(site, rng, values, f"if {left} & {right}:")


class SingleTripFor(StatementRule, rule="single_trip_for", group="structure", limit=2, builtins=("range",)):
    """Puts a `for` into `for _ in range(a // b)` with a = b + 1: one trip.

    Two numbers k and k - 1 with k >= 4 give k // (k - 1) == 1. A `break` or `continue` in the loop's `else` belongs to
    a loop further out and would now hit the new one: no site.
    """

    def fits(self, program: Program, site: Site) -> bool:
        return isinstance(site.node, ast.For) and not jumps([site.node])

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        left, right, turn = (program.variable_name(rng) for _ in range(3))
        size = rng.randrange(4, 1000)
        _wrap(site, rng, {left: size, right: size - 1}, f"for {turn} in range({left} // {right}):")


class SingleTripWhile(StatementRule, rule="single_trip_while", group="structure", limit=2):
    """Puts a loop into `while a % b == 1` with a = b + 1, which it increments first: one trip.

    With k >= 4: k % (k - 1) is 1, and (k + 1) % (k - 1) is 2. The increment comes first: no `continue` can skip it.
    """

    def fits(self, program: Program, site: Site) -> bool:
        return isinstance(site.node, (ast.For, ast.While)) and not jumps([site.node])

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        left, right = program.variable_name(rng), program.variable_name(rng)
        size = rng.randrange(4, 1000)
        _wrap(site, rng, {left: size, right: size - 1}, f"while {left} % {right} == 1:\n    {left} += 1")


# One frame a trip; Python's recursion limit is 1,000 frames by default, and the caller's count as well.
_DEPTH = 100


class LoopToRecursion(StatementRule, rule="loop_to_recursion", group="structure", builtins=("range", "len")):
    """Makes a `for` over a `range` a local recursive function with index, stop and step.

    Where the number of trips is written in the program and small, every trip is a call of the next. Else the function
    halves its stretch of the range, so that its depth is the logarithm of the number of trips and no input can
    exhaust the stack. A `continue` becomes a `return`; a loop with `break`, `return`, `yield` or `else` is not a site.
    """

    def fits(self, program: Program, site: Site) -> bool:
        if program.evaluating or "setrecursionlimit" in program.taken:
            return False
        if isinstance(site.block.function, ast.AsyncFunctionDef) or program.is_deep(site.block.function):
            return False
        match site.node:
            case ast.For(ast.Name(), ast.Call(ast.Name("range"), [_, *more] as arguments, []) as call, body, []):
                if len(more) > 2 or any(isinstance(argument, ast.Starred) for argument in arguments):
                    return False
                if jumps(body, (ast.Break,)) or any(escapes(part) for part in [call, *body]):
                    return False
                return declare(program, site, runs_once=False) is not None
        return False

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        block, index, node = site
        declarations = declare(program, site, runs_once=False)
        step = program.function_name(rng)
        position, stop, stride = (program.variable_name(rng) for _ in range(3))
        literal = _literal_range(node.iter)
        if literal is not None and len(literal) <= _DEPTH:
            text = f"""
def {step}({position}, {stop}, {stride}):
    _DECLARATIONS_
    if {position} {">=" if literal.step > 0 else "<="} {stop}:
        return None
    {node.target.id} = {position}
    _BODY_
    return {step}({position} + {stride}, {stop}, {stride})
{step}({literal.start}, {literal.stop}, {literal.step})
"""
            onward = f"return {step}({position} + {stride}, {stop}, {stride})"
        else:
            numbers, middle = program.variable_name(rng), program.variable_name(rng)
            text = f"""
{numbers} = _RANGE_
def {step}({position}, {stop}):
    _DECLARATIONS_
    if {stop} - {position} > 1:
        {middle} = ({position} + {stop}) // 2
        {step}({position}, {middle})
        {step}({middle}, {stop})
    elif {stop} - {position} == 1:
        {node.target.id} = {numbers}[{position}]
        _BODY_
{step}(0, len({numbers}))
"""
            onward = "return None"
        for jump in jumps(node.body, (ast.Continue,)):
            replaced(node, jump, statements(onward)[0])
        replacement = statements(text, _RANGE_=node.iter, _DECLARATIONS_=declarations or [], _BODY_=node.body)
        block.statements[index : index + 1] = replacement


def _literal_range(call: ast.Call) -> range | None:
    try:
        numbers = [ast.literal_eval(argument) for argument in call.args]
        return range(*numbers) if all(type(number) is int for number in numbers) else None
    except ValueError:
        return None


class TryExcept(StatementRule, rule="try_except", group="structure", limit=2, builtins=("Exception",)):
    """Puts a statement into `try` with a handler that raises the exception again."""

    _SIMPLE = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.If, ast.For, ast.While, ast.With)

    def fits(self, program: Program, site: Site) -> bool:
        """Whether a statement computes a value; definitions, imports and jumps don't."""
        block, index, node = site
        if index < block.start or block.elif_arm:
            return False
        return isinstance(node, self._SIMPLE) and not _is_trivial(node) and not discards(node)

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        block, index, node = site
        kind = rng.choice(["Exception", "ArithmeticError", "LookupError", "TypeError", "ValueError"])
        if not program.is_builtin(kind):
            kind = "Exception"
        if rng.randrange(2):
            name = program.variable_name(rng)
            text = f"try:\n    _BODY_\nexcept {kind} as {name}:\n    raise {name}"
        else:
            text = f"try:\n    _BODY_\nexcept {kind}:\n    raise"
        block.statements[index : index + 1] = statements(text, _BODY_=[node])


def _is_trivial(node: ast.stmt) -> bool:
    """Whether a statement can't fail: a bare `return`, or only constants or a name on the right."""
    if not isinstance(node, (ast.Return, ast.Assign, ast.AnnAssign, ast.Expr)):
        return False
    value = node.value
    if value is None or isinstance(value, ast.Name):
        return True
    plain = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.Subscript, ast.expr_context)
    return all(isinstance(part, plain) for part in ast.walk(value))


# What belongs to a thread (connections, contexts, event loops, signals), or is about threads.
_BOUND_TO_THREADS = set(
    """
    _thread asyncio concurrent contextvars curses decimal faulthandler locale logging multiprocessing numpy pandas queue
    resource select selectors signal socket socketserver sqlite3 ssl subprocess threading tkinter turtle unittest
    warnings
    """.split()
)


class RunInThread(StatementRule, rule="thread", group="structure", builtins=("BaseException",)):
    """Runs an expression, a loop or an `if` in a thread and joins it.

    The value comes back through a list; an exception is caught in the thread and raised again behind the join, so that
    its type is what it was. Programs that use anything bound to a thread are refused, and so is code that runs often.
    """

    def fits(self, program: Program, site: Site) -> bool:
        block, index, node = site
        if program.modules & _BOUND_TO_THREADS or "setrecursionlimit" in program.taken:
            return False
        if block.handling or block.elif_arm or index < block.start or discards(node):
            return False
        if isinstance(block.function, ast.AsyncFunctionDef) or program.is_deep(block.function):
            return False
        if program.is_repeated(block):
            return False
        if isinstance(node, (ast.Assign, ast.Return, ast.Expr)):
            value = node.value
            if value is None or not _computes(value) or escapes(value) or has_walrus(value):
                return False
            return reads_bound_names(program, site, value)
        if not isinstance(node, (ast.For, ast.If, ast.While)) or program.evaluating or escapes(node) or jumps([node]):
            return False
        return declare(program, site, runs_once=True) is not None

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        block, _, node = site
        is_compound = isinstance(node, (ast.For, ast.If, ast.While))
        declarations = declare(program, site, runs_once=True) if is_compound else None
        module = program.imported("import threading", rng)
        work = program.function_name(rng)
        failures, failure, runner = (program.variable_name(rng) for _ in range(3))
        prepare = f"{failures} = []"
        body, after = [node], []
        if not is_compound:
            results = program.variable_name(rng)
            prepare = f"{results} = []\n{prepare}"
            body = statements(f"{results}.append(_VALUE_)", _VALUE_=node.value)
            node.value = expression(f"{results}[0]")
            after = [] if isinstance(node, ast.Expr) else [node]
        text = f"""
{prepare}
def {work}():
    _DECLARATIONS_
    try:
        _BODY_
    except BaseException as {failure}:
        {failures}.append({failure})
{runner} = {module}.Thread(target={work})
{runner}.start()
{runner}.join()
if {failures}:
    raise {failures}[0]
_AFTER_
"""
        replacement = statements(text, _DECLARATIONS_=declarations or [], _BODY_=body, _AFTER_=after)
        # The import may have moved the statement within the module's own block.
        index = block.statements.index(node)
        block.statements[index : index + 1] = replacement


def _computes(value: ast.expr) -> bool:
    return any(isinstance(part, (ast.Call, ast.BinOp, ast.Compare, ast.ListComp)) for part in ast.walk(value))
