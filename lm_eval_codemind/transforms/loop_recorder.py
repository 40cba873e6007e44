"""What loops do when a program runs, seen from inside: runs in the sandbox, so it knows nothing of this package.

The program was rewritten by :func:`lm_eval_codemind.transforms.unrolling.instrumented` and calls the functions that
:func:`record` defines in its namespace.
"""

import ast
import io
import sys
import types

_PLAIN = (int, float, str, bytes, bool, type(None))
_LONGEST = 200


def literal_of(value):
    """Return an immutable plain value as a Python literal; None for all others, which may be changed or shared."""
    if type(value) is tuple:
        parts = [literal_of(part) for part in value]
        if None in parts:
            return None
        text = "(" + ", ".join(parts) + ("," if len(parts) == 1 else "") + ")"
    elif type(value) in _PLAIN:
        text = repr(value)
    else:
        return None
    return None if len(text) > _LONGEST or text in ("nan", "inf", "-inf") else text


def record(module, expression, stdin, limit):
    """Run a rewritten program and return what its loops did, as plain values.

    Args:
        module: Source.
        expression: Evaluated after the module has run, statements may come before it; None for a script.
        stdin: What it reads.
        limit: Iterations and calls after which nothing more is recorded.

    Returns:
        ``frames``: of each execution of a function with loops its number, whether a noted call led there, and its
        record; and ``full``: whether the limit was reached.
    """
    frames = []
    pending = []
    events = [0]

    def full():
        events[0] += 1
        return events[0] > limit

    def enter(function, name):
        site = pending.pop() if pending else None
        pending.clear()
        if site is not None and site[1] != name:
            site = None
        new = {}
        if not full():
            if site is not None:
                site[0].append(len(frames))
            frames.append([function, site is not None, new])
        return new

    def call(inside, number, name, function, /, *args, **kwargs):
        if number not in inside:
            inside[number] = {"call": []}
        pending[:] = [(inside[number]["call"], name)]
        try:
            return function(*args, **kwargs)
        finally:
            pending.clear()

    def items(inside, number, iterable, fresh):
        entry = inside[number] = {"for": [], "end": 0}
        iterator = iter(iterable)
        shared = iterator is iterable and not fresh
        for value in iterator:
            within = {}
            if not full():
                entry["for"].append([None if shared else literal_of(value), within])
            yield within, value
        entry["end"] = 1

    def start(inside, number):
        entry = inside[number] = {"while": [], "end": 0}
        return entry

    def turn(entry):
        within = {}
        if not full():
            entry["while"].append([0, within])
        return within

    def body(entry):
        if entry["while"]:
            entry["while"][-1][0] = 1

    def end(entry):
        entry["end"] = 1

    def test(inside, number, value):
        taken = bool(value)
        inside[number] = {"if": int(taken)}
        return taken

    def jump(inside, number):
        inside[number] = 1

    program = types.ModuleType("__main__" if expression is None else "program")
    sys.modules[program.__name__] = program
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    helpers = (enter, call, items, start, turn, body, end, test, jump)
    program.__dict__.update({"_u_" + helper.__name__: helper for helper in helpers})
    try:
        exec(compile(module, "program.py", "exec"), program.__dict__)
        if expression is not None:
            tree = ast.parse(expression)
            last = tree.body.pop()
            exec(compile(tree, "call.py", "exec"), program.__dict__)
            eval(compile(ast.Expression(last.value), "call.py", "eval"), program.__dict__)
    except SystemExit:
        pass
    return {"frames": frames, "full": events[0] > limit}
