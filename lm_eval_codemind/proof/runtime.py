"""Labels of questions on runtime behaviour, proven by execution."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any

from tqdm.auto import tqdm

from lm_eval_codemind.benchmarks import reval
from lm_eval_codemind.execution import Job, Sandbox
from lm_eval_codemind.facts.runtime_labels import ONLY, THE_END, InputLabels, Label, Labels
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.languages.python.tracing import Trace, Traced, TraceFailed, line_of, runs, submit
from lm_eval_codemind.languages.python.tracing.recorder import units
from lm_eval_codemind.languages.python.tracing.run import LIMITS, job_source, result_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.proof.runtime_questions import candidates, choose

MAX_STEPS = 100_000
# Nobody should be asked for a value longer than this, in characters of its literal.
MAX_VALUE = 300


def prove_reval(programs: Sequence[reval.TracedProgram], sandbox: Sandbox) -> Labels:
    """Execute REval's inputs and return the right labels of its questions, under this Python and hash seed."""
    pending = []
    for program in programs:
        tree = units(ast.parse(program.code))
        for given in program.inputs:
            asked = [(line_of(tree, each.line) or each.line, each.variable) for each in given.questions]
            before, expression = _observed(program, given)
            traced = Traced(program.code, expression, before, watches=_watches(asked))
            job_id = f"{program.task_id} input {given.index}"
            pending.append((program, given, asked, submit(sandbox, traced, max_steps=MAX_STEPS, max_value=MAX_VALUE,
                                                          job_id=job_id)))  # fmt: skip
    found: Labels = {program.task_id: {} for program in programs}
    for program, given, asked, (future, read) in tqdm(pending, desc="tracing", unit="input"):
        try:
            seen = read(future.result())
        except TraceFailed:
            labels = tuple(Label(each.line, each.variable) for each in given.questions)
            found[program.task_id][str(given.index)] = InputLabels((), labels, "dependency")
            continue
        labels = tuple(
            _label(seen, each.line, line, variable)
            for each, (line, variable) in zip(given.questions, asked, strict=True)
        )
        outputs = _outputs(program, given, seen)
        reason = _unfit(seen) or ("" if outputs else "output")
        found[program.task_id][str(given.index)] = InputLabels(outputs, labels, reason)
    return found


def prove_problems(problems: Iterable[Problem], sandbox: Sandbox) -> Labels:
    """Execute our own benchmarks' programs and return the right labels of all lines that may be asked about.

    Args:
        problems: Of any kind; those without a proven output are left out, and those without a line worth asking about.
        sandbox: Where they run.
    """
    pending = []
    for problem in problems:
        if problem.output is None or (not kind_of(problem).printed and not problem.input.strip()):
            continue
        asked = candidates(problem.code)
        if not asked:
            continue
        execution = kind_of(problem).execution(problem, code="")
        traced = Traced(
            problem.code,
            execution.expression,
            before=execution.module,
            stdin=execution.stdin,
            watches=_watches([(each.line, each.variable) for each in asked]),
        )
        pending.append((problem, asked, submit(sandbox, traced, max_value=MAX_VALUE, job_id=problem.problem_id)))
    found: Labels = {}
    for problem, asked, (future, read) in tqdm(pending, desc="tracing", unit="problem"):
        assert problem.output is not None
        outputs = (problem.output,)
        try:
            seen = read(future.result())
        except TraceFailed:
            found[problem.problem_id] = {ONLY: InputLabels(outputs, (), "dependency")}
            continue
        labels = tuple(
            Label(each.line, each.variable, reason="unchanged")
            if each.effect and not _changes(seen, each.line, each.variable)
            else _label(seen, each.line, each.line, each.variable)
            for each in asked
        )
        found[problem.problem_id] = {ONLY: InputLabels(outputs, labels, _unfit(seen))}
    return found


def choose_lines(problems: Iterable[Problem], proven: Labels, seed: str) -> Labels:
    """Return the labels of the lines that are asked about: at most three a program, drawn.

    Kept beside them are those excluded because a version of Python or hashing decides.

    Args:
        problems: The problems, for their programs.
        proven: Labels of all lines that may be asked about.
        seed: Draws the lines, together with the problem's id.
    """
    found: Labels = {}
    for problem in problems:
        if problem.problem_id not in proven:
            continue
        given = proven[problem.problem_id][ONLY]
        known = {(label.line, label.variable): label for label in given.labels if not label.reason}
        fit = [
            (each, known[each.line, each.variable])
            for each in candidates(problem.code)
            if (each.line, each.variable) in known
        ]
        labels = choose(fit, f"{seed}/{problem.problem_id}")
        labels += [label for label in given.labels if label.reason in ("version", "hashing")]
        if labels or given.reason:
            found[problem.problem_id] = {
                ONLY: InputLabels(given.outputs, () if given.reason else tuple(labels), given.reason)
            }
    return found


def replicate_reval(programs: Sequence[reval.TracedProgram], sandbox: Sandbox) -> dict[str, Any]:
    """Execute REval's inputs as REval reads a run, and return its labels as plain values; see :class:`PublishedLabel`.

    Needs Python 3.11. An input whose program does not run is left out.
    """
    pending = [
        (program, given, sandbox.submit(events_job(program, given))) for program in programs for given in program.inputs
    ]
    found: dict[str, Any] = {program.task_id: {} for program in programs}
    for program, given, future in tqdm(pending, desc="tracing", unit="input"):
        try:
            labels = result_of(future.result())["labels"]
        except TraceFailed:
            continue
        found[program.task_id][str(given.index)] = [
            [each.line, each.variable, *label] for each, label in zip(given.questions, labels, strict=True)
        ]
    return found


def find_unrunnable(programs: Sequence[reval.TracedProgram], sandbox: Sandbox) -> dict[str, list[str]]:
    """Execute REval's own assertions and return the inputs on which they fail here: program -> inputs.

    By REval's rule no output is right on these: not even what it expects.
    """
    pending = []
    for program in programs:
        for given in program.inputs:
            expected = reval.completed(given.masked, given.shown, given.expected)
            pending.append((program, given, sandbox.submit(reval.assertions_job(program, given, expected))))
    found: dict[str, list[str]] = {}
    for program, given, future in tqdm(pending, desc="executing", unit="input"):
        if not future.result().passed:
            found.setdefault(program.task_id, []).append(str(given.index))
    return found


def events_job(program: reval.TracedProgram, given: reval.Input) -> Job:
    """Return the job that runs an input as REval reads a run; see :func:`.reval_events.record`."""
    options = {
        "program": program.code,
        "stdin": "",
        "before": given.before,
        "expression": given.expression,
        "watches": {},
        "questions": [[each.line, each.variable] for each in given.questions],
    }
    source = job_source(_events_source(), [program.code, given.before], options)
    return Job.evaluate(source, ["_traced()"], limits=LIMITS, job_id=f"{program.task_id} input {given.index}")


@lru_cache(maxsize=1)
def _events_source() -> str:
    return (files("lm_eval_codemind.proof") / "reval_events.py").read_text(encoding="utf-8")


def agreeing(proofs: Sequence[tuple[str, Labels]]) -> Labels:
    """Return the labels that several executions agree on; what they differ in is excluded by name.

    Args:
        proofs: Labels and the version of Python that gave them; the first ones are those returned. Of two with the same
            version the hash seed differs. An input that a version cannot run does not speak against the others.
    """
    version, first = proofs[0]
    found: Labels = {}
    for program, inputs in first.items():
        found[program] = {}
        for number, given in inputs.items():
            others = [
                (other_version == version, other[program][number])
                for other_version, other in proofs[1:]
                if number in other.get(program, {})
            ]
            found[program][number] = _agreed(given, [each for each in others if each[1].reason != "dependency"])
    return found


def _agreed(given: InputLabels, others: Sequence[tuple[bool, InputLabels]]) -> InputLabels:
    reason, labels = given.reason, list(given.labels)
    for same_version, other in others:
        differs = "hashing" if same_version else "version"
        if not reason and other.outputs != given.outputs:
            reason = differs
        theirs = {(label.line, label.variable): label for label in other.labels}
        for position, label in enumerate(labels):
            if not label.reason and theirs.get((label.line, label.variable)) != label:
                labels[position] = Label(label.line, label.variable, reason=differs)
    return InputLabels(given.outputs, tuple(labels), reason)


def _watches(asked: Iterable[tuple[int, str]]) -> dict[int, list[str]]:
    watches: dict[int, list[str]] = {}
    for line, variable in asked:
        watches.setdefault(line, []).append(variable)
    return watches


def _unfit(seen: Trace) -> str:
    return "too_long" if seen.truncated else "threads" if seen.threads else ""


def _label(seen: Trace, asked_line: int, line: int, variable: str) -> Label:
    """Return the label of a line by a trace.

    Args:
        seen: The trace.
        asked_line: The line as it is asked about.
        line: The first line of its statement.
        variable: The expression.
    """
    of_line = runs(seen, line)
    if not of_line:
        return Label(asked_line, variable)
    last = of_line[-1]
    if not last.end:
        return Label(asked_line, variable, reason="unfinished")
    value = last.values.get(variable)
    if value is None or value.literal is None:
        return Label(asked_line, variable, reason="undefined" if value is None else "no_literal")
    following = THE_END if last.next is None else seen.steps[last.next].line
    return Label(asked_line, variable, len(of_line), value.type_name, value.literal, following)


def _changes(seen: Trace, line: int, variable: str) -> bool:
    """Tell whether the last run of a line leaves the variable other than it was; True where it does not run."""
    of_line = runs(seen, line)
    if not of_line:
        return True
    return of_line[-1].values.get(variable) != seen.steps[of_line[-1].first].before.get(variable)


# Values are written down when they are seen, for they may change later; ``written`` is the recorder's.
_SEEN = """

_codemind_seen = []


def _codemind_see(value):
    import candidate
    _codemind_seen.append(candidate.written(value, {limit}))
    return value
"""


def _observed(program: reval.TracedProgram, given: reval.Input) -> tuple[str, str]:
    """Return what runs before, and the expression, so that the value is what the output question asks for.

    For a class that is a list: for each of :func:`~lm_eval_codemind.benchmarks.reval.asked_expressions` the literal, or
    None.
    """
    if program.benchmark == "humaneval":
        return given.before, given.expression
    tree = ast.parse(given.before)
    name = given.expression.removeprefix("_codemind_test.").removesuffix("()")
    start = tree.body[-2]
    assert isinstance(start, ast.Assign) and isinstance(start.value, ast.Call)
    test_class = ast.unparse(start.value.func)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == test_class:
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name == name:
                    for statement in method.body:
                        _observe(statement)
    return _SEEN.format(limit=MAX_VALUE) + ast.unparse(tree), f"{given.expression}\n_codemind_seen"


def _observe(statement: ast.stmt) -> None:
    """Let an assertion write down the value that is asked for."""
    argument = reval.asked_argument(statement)
    if argument is not None:
        call = statement.value  # type: ignore[attr-defined]
        call.args[argument] = ast.Call(ast.Name("_codemind_see", ast.Load()), [call.args[argument]], [])


def _outputs(program: reval.TracedProgram, given: reval.Input, seen: Trace) -> tuple[str | None, ...]:
    """Return the literals of what the output question asks for, None for what has none; nothing if all have none."""
    if seen.exception or seen.output is None or seen.output.literal is None:
        return ()
    if program.benchmark == "humaneval":
        return (seen.output.literal,)
    outputs: list[str | None] = ast.literal_eval(seen.output.literal)
    assert len(outputs) == len(reval.asked_expressions(given.body)), f"{program.task_id} input {given.index}"
    return tuple(outputs) if any(output is not None for output in outputs) else ()
