"""Structure: a counting loop becomes a local recursive function."""

import ast
from random import Random

from lm_eval_codemind.languages.python.names import replaced
from lm_eval_codemind.transforms.moving import declare, escapes, jumps
from lm_eval_codemind.transforms.program import Block, Program
from lm_eval_codemind.transforms.rule import Rule
from lm_eval_codemind.transforms.templates import statements

Site = tuple[Block, int, list[ast.stmt]]

# One frame a trip; Python's recursion limit is 1,000 frames by default, and the caller's count as well.
_DEPTH = 100


class LoopToRecursion(Rule):
    """Makes a `for` over a `range` a local recursive function with index, stop and step.

    Where the number of trips is written in the program and small, every trip is a call of the next. Else the function
    halves its stretch of the range, so that its depth is the logarithm of the number of trips and no input can
    exhaust the stack. A `continue` becomes a `return`; a loop with `break`, `return`, `yield` or `else` is not a site.
    """

    name = "loop_to_recursion"
    group = "structure"
    limit = 1

    def sites(self, program: Program) -> list[Site]:
        """Return the loops."""
        if program.reflective or program.evaluating or "setrecursionlimit" in program.taken:
            return []
        if not (program.is_builtin("range") and program.is_builtin("len")):
            return []
        found = []
        for block, index, node in program.statements():
            function = block.function
            if isinstance(function, ast.AsyncFunctionDef) or (function and program.is_deep(function)):
                continue
            if isinstance(node, ast.For) and self._fits(node):
                declarations = declare(program, block, index, runs_once=False)
                if declarations is not None:
                    found.append((block, index, declarations))
        return found

    @staticmethod
    def _fits(node: ast.For) -> bool:
        call = node.iter
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"):
            return False
        if call.keywords or not 1 <= len(call.args) <= 3 or any(isinstance(a, ast.Starred) for a in call.args):
            return False
        if not isinstance(node.target, ast.Name) or node.orelse:
            return False
        return not jumps(node.body, (ast.Break,)) and not any(escapes(part) for part in [call, *node.body])

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        block, index, declarations = site
        node = block.statements[index]
        assert isinstance(node, ast.For)
        assert isinstance(node.target, ast.Name)
        assert isinstance(node.iter, ast.Call)
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
        made = statements(text, _RANGE_=node.iter, _DECLARATIONS_=declarations, _BODY_=node.body)
        block.statements[index : index + 1] = made


def _literal_range(call: ast.Call) -> range | None:
    """Return the range whose bounds are written as integers, None if they are not."""
    try:
        numbers = [ast.literal_eval(argument) for argument in call.args]
        return range(*numbers) if all(type(number) is int for number in numbers) else None
    except ValueError:
        return None
