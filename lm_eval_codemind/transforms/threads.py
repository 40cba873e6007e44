"""Structure: a step of the program runs in a thread that is joined at once."""

import ast
from random import Random

from lm_eval_codemind.transforms.moving import declare, escapes, has_walrus, jumps, reads_bound_names
from lm_eval_codemind.transforms.program import Block, Program, discards
from lm_eval_codemind.transforms.rule import Rule
from lm_eval_codemind.transforms.templates import expression, statements

Site = tuple[Block, int, list[ast.stmt] | None]

# What belongs to a thread (connections, contexts, event loops, signals), or is about threads.
_BOUND_TO_THREADS = {
    "_thread",
    "asyncio",
    "concurrent",
    "contextvars",
    "curses",
    "decimal",
    "faulthandler",
    "locale",
    "logging",
    "multiprocessing",
    "numpy",
    "pandas",
    "queue",
    "resource",
    "select",
    "selectors",
    "signal",
    "socket",
    "socketserver",
    "sqlite3",
    "ssl",
    "subprocess",
    "threading",
    "tkinter",
    "turtle",
    "unittest",
    "warnings",
}


class RunInThread(Rule):
    """Runs an expression, a loop or an `if` in a thread and joins it.

    The value comes back through a list; an exception is caught in the thread and raised again behind the join, so that
    its type is what it was. Programs that use anything bound to a thread are refused, and so is code that runs often.
    """

    name = "thread"
    group = "structure"
    limit = 1

    def sites(self, program: Program) -> list[Site]:
        """Return the statements; for loops and branches with what their new function must declare."""
        if program.reflective or program.modules & _BOUND_TO_THREADS or "setrecursionlimit" in program.taken:
            return []
        if not program.is_builtin("BaseException"):
            return []
        found: list[Site] = []
        for block in program.blocks:
            function = block.function
            if block.handling or block.elif_arm or isinstance(block.owner, (ast.ClassDef, ast.AsyncFunctionDef)):
                continue
            if program.is_repeated(block) or (function is not None and program.is_deep(function)):
                continue
            for index, node in enumerate(block.statements):
                if index < block.start or discards(node):
                    continue
                if isinstance(node, (ast.Assign, ast.Return, ast.Expr)):
                    value = node.value
                    if value is None or not _computes(value) or escapes(value) or has_walrus(value):
                        continue
                    if reads_bound_names(program, block, index, value):
                        found.append((block, index, None))
                elif isinstance(node, (ast.For, ast.If, ast.While)) and not program.evaluating:
                    if escapes(node) or jumps([node]):
                        continue
                    declarations = declare(program, block, index, runs_once=True)
                    if declarations is not None:
                        found.append((block, index, declarations))
        return found

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        block, index, declarations = site
        node = block.statements[index]
        module = program.imported("import threading", rng)
        # The import may have moved the statement within the module's own block.
        index = next(i for i, other in enumerate(block.statements) if other is node)
        work = program.function_name(rng)
        failures, failure, runner = (program.variable_name(rng) for _ in range(3))
        if declarations is None:
            assert isinstance(node, (ast.Assign, ast.Return, ast.Expr))
            assert node.value is not None
            results = program.variable_name(rng)
            prepare = f"{results} = []\n{failures} = []"
            body = statements(f"{results}.append(_VALUE_)", _VALUE_=node.value)
            node.value = expression(f"{results}[0]")
            after = [] if isinstance(node, ast.Expr) else [node]
        else:
            prepare = f"{failures} = []"
            body, after = [node], []
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
        made = statements(text, _DECLARATIONS_=declarations or [], _BODY_=body, _AFTER_=after)
        block.statements[index : index + 1] = made


def _computes(value: ast.expr) -> bool:
    return any(isinstance(part, (ast.Call, ast.BinOp, ast.Compare, ast.ListComp)) for part in ast.walk(value))
