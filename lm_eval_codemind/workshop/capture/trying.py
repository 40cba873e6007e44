"""Executes calls twice: the cut program in the sandbox, and the installed package in a plain process."""

import ast
import json
import subprocess
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lm_eval_codemind.answers.comparison import same_computed
from lm_eval_codemind.answers.literals import NotALiteralError, parse_literal
from lm_eval_codemind.data.own import ERROR_OF
from lm_eval_codemind.languages.python.kinds import after_future_imports
from lm_eval_codemind.sandbox import CaseOutcome, Job, Limits
from lm_eval_codemind.workshop.capture import installed
from lm_eval_codemind.workshop.capture.recording import Call, Called
from lm_eval_codemind.workshop.facts.labels import plain_literal
from lm_eval_codemind.workshop.proof.prove_outputs import seeded_pools

# The items of an iterator that a question asks for if it has more than MOST.
FIRST, MOST = 10, 50
_SEEDS = (1, 2)
_LIMITS = Limits(cpu_seconds=5, wall_seconds=10)

# A value is what it is; of an iterator, its items, also inside of a tuple or list; of an exception, its text.
_TRY = f"""

def _codemind_try(call):
    from itertools import islice
    try:
        value = call()
        if hasattr(type(value), "__next__"):
            items = list(islice(value, {MOST + 1}))
            return ("items", items) if len(items) <= {MOST} else ("first", items[:{FIRST}])
        if isinstance(value, (tuple, list)) and any(hasattr(type(each), "__next__") for each in value):
            lists = [list(islice(each, {MOST + 1})) for each in value if hasattr(type(each), "__iter__")]
            if len(lists) == len(value) and max(map(len, lists)) <= {MOST}:
                return ("lists", lists)
        return ("value", value)
    except Exception as error:
        return ("error", f"{{type(error).__name__}}: {{error}}")
"""
_ERROR = """

def {function}({receiver}*arguments, **options):
    try:
        {called}(*arguments, **options)
    except Exception as error:
        return f"{{type(error).__name__}}: {{error}}"
"""


@dataclass(frozen=True)
class Tried:
    """A call with what the package gives for it.

    Attributes:
        function: The function.
        code: The program.
        call: The call, with what makes its result a plain value.
        label: The value as a literal.
        form: ``value``, ``items``, ``first``, ``lists`` or ``error``.
    """

    function: Called
    code: str
    call: str
    label: str
    form: str


@dataclass(frozen=True)
class Cut:
    """A call with the program that was cut out for it."""

    function: Called
    call: Call
    code: str


def tried(cuts: Sequence[Cut], python: str) -> tuple[list[Tried], list[tuple[Cut, str]]]:
    """Return the calls for which the cut programs and the installed package give the same, and why others do not.

    Args:
        cuts: The calls, each with its program.
        python: The interpreter in whose environment the package is installed.
    """
    values = _in_sandbox(cuts)
    fit, failed = [], []
    for cut, value in zip(cuts, values, strict=True):
        if isinstance(value, str):
            failed.append((cut, value))
        else:
            fit.append((cut, *value))
    agreeing = []
    for (cut, form, label), (kind, text) in zip(fit, _of_package([cut for cut, _, _ in fit], python), strict=True):
        if kind == "value" and same_computed(text, f"({form!r}, {label})", printed=False):
            agreeing.append(_as_asked(cut, form, label))
        else:
            failed.append((cut, f"the installed package gives something else ({kind})"))
    return agreeing, failed


def _as_asked(cut: Cut, form: str, label: str) -> Tried:
    code, call = cut.code, cut.call.text
    if form == "items":
        call = f"list({call})"
    elif form == "first":
        code = after_future_imports(code, "from itertools import islice")
        call = f"list(islice({call}, {FIRST}))"
    elif form == "lists":
        call = f"list(map(list, {call}))"
    elif form == "error":
        code, call = _with_error(code, call)
    return Tried(cut.function, code, call, label, form)


def _with_error(code: str, call: str) -> tuple[str, str]:
    """Return a program with a function that returns the text of the exception of a call, and its call."""
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    receiver = name = ""
    if isinstance(node.func, ast.Attribute):
        receiver, name = "receiver, ", node.func.attr
        node.args.insert(0, node.func.value)
    else:
        name = ast.unparse(node.func)
    node.func = function = ast.Name(f"{ERROR_OF}{name}")
    called = f"receiver.{name}" if receiver else name
    return code + _ERROR.format(function=function.id, receiver=receiver, called=called), ast.unparse(node)


def _in_sandbox(cuts: Sequence[Cut]) -> list[tuple[str, str] | str]:
    """Return, for each call, the form and the literal of its result, or why it has none."""
    together: dict[str, list[int]] = defaultdict(list)
    for place, cut in enumerate(cuts):
        together[cut.code].append(place)
    results: list[tuple[str, str] | str] = [""] * len(cuts)
    with seeded_pools(_SEEDS) as pools:
        futures = {
            code: [pool.submit(_job(code, [cuts[place] for place in places])) for pool in pools]
            for code, places in together.items()
        }
        alone: list[int] = []
        for code, places in together.items():
            seen = [future.result().observations for future in futures[code]]
            if all(len(each) == len(places) and each[-1].status == "passed" for each in seen):
                for place, of_call in zip(places, zip(*seen, strict=True), strict=True):
                    results[place] = _agreed(of_call)
            else:
                alone += places
        # A call that does not end takes those after it along.
        again = [[pool.submit(_job(cuts[place].code, [cuts[place]])) for pool in pools] for place in alone]
        for place, of_place in zip(alone, again, strict=True):
            outcomes = [future.result() for future in of_place]
            if all(len(outcome.observations) == 1 for outcome in outcomes):
                results[place] = _agreed([outcome.observations[0] for outcome in outcomes])
            else:
                results[place] = f"the program fails in the sandbox: {outcomes[0].status}"
    return results


def _job(code: str, cuts: Sequence[Cut]) -> Job:
    expressions = [f"_codemind_try(lambda: {cut.call.text})" for cut in cuts]
    return Job.evaluate(f"{code}{_TRY}", expressions, limits=_LIMITS)


def _agreed(observations: Sequence[CaseOutcome]) -> tuple[str, str] | str:
    values = []
    for observation in observations:
        if observation.status != "passed" or observation.exception_type:
            return f"the program fails in the sandbox: {observation.exception_type or observation.status}"
        try:
            form, value = parse_literal(observation.literal or "")
            values.append((form, plain_literal(value)))
        except NotALiteralError:
            return "the result is no plain value"
    return values[0] if values.count(values[0]) == len(values) else "two runs give different results"


def _of_package(cuts: Sequence[Cut], python: str) -> list[tuple[str, str]]:
    """Return what the installed package gives for calls: ``value`` and a literal, or what else came of it."""
    lines = [
        json.dumps(
            {
                "call": f"_codemind_try(lambda: {cut.call.text})",
                "needs": dict(cut.call.needs),
                "definitions": list(cut.call.definitions),
                "before": _TRY,
            }
        )
        for cut in cuts
    ]
    done = subprocess.run(
        [python, str(Path(installed.__file__))], input="\n".join(lines), capture_output=True, text=True, check=False
    )
    results = [tuple(json.loads(line)) for line in done.stdout.splitlines()]
    return [*results, *[("ends", "")] * (len(cuts) - len(results))]
