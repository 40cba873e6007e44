"""Labels of questions on runtime behaviour: how they are proven, and the shipped ones.

The proof executes programs; a user's build reads what it found, one packaged file a benchmark. What a label means: of
all runs of the line (see :mod:`lm_eval_codemind.languages.python.tracing`) the one that began last counts. The value is
the variable's when that run ended, in its frame. The next line is that of the first statement begun after the run
began, in whatever frame of the program; what the test around it does is not looked at.
"""

from __future__ import annotations

import ast
import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from tqdm.auto import tqdm

from lm_eval_codemind.benchmarks import reval
from lm_eval_codemind.execution import Job, Sandbox
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.languages.python.tracing import Trace, Traced, TraceFailed, line_of, runs, submit
from lm_eval_codemind.languages.python.tracing.recorder import units
from lm_eval_codemind.languages.python.tracing.run import LIMITS, job_source, result_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.proof.runtime_questions import candidates, choose

THE_END = 0
MAX_STEPS = 100_000
# Nobody should be asked for a value longer than this, in characters of its literal.
MAX_VALUE = 300

# Why an item is not asked. A closed set.
REASONS: dict[str, str] = {
    "undefined": "the variable does not exist where the line ends",
    "no_literal": "the value has no Python literal, or a very long one",
    "unchanged": "the statement leaves the variable as it is",
    "unfinished": "the last run of the line does not end",
    "version": "the answer depends on the version of Python, or of a package",
    "hashing": "the answer depends on hashing",
    "too_long": "the run has too many steps to follow",
    "threads": "the program runs in several threads",
    "dependency": "the program needs a package that cannot be relied upon",
    "output": "what the test looks at has no literal, or it does not pass",
}


@dataclass(frozen=True)
class Label:
    """The right answers about one line and variable on one input.

    Attributes:
        line: Counted from 1.
        variable: Source of the expression asked about.
        times: Runs of the line; 0 if it is not executed.
        type_name: ``type(value).__name__`` after the last run; "" if not executed.
        value: The literal after the last run; None if not executed.
        next_line: The first line of the statement begun next; :data:`THE_END` where the program ends; None if the line
            is not executed.
        reason: A key of :data:`REASONS` if the item is excluded, else "".
    """

    line: int
    variable: str
    times: int = 0
    type_name: str = ""
    value: str | None = None
    next_line: int | None = None
    reason: str = ""

    @property
    def executed(self) -> bool:
        """Whether the line is executed at all."""
        return self.times > 0

    def to_json(self) -> list[Any]:
        """Return the label as a list of plain values, trailing defaults left out."""
        row = [self.line, self.variable, self.times, self.type_name, self.value, self.next_line, self.reason]
        defaults = [None, None, 0, "", None, None, ""]
        while len(row) > 2 and row[-1] == defaults[len(row) - 1]:
            row.pop()
        return row


@dataclass(frozen=True)
class InputLabels:
    """The right answers about one input of a program.

    Attributes:
        outputs: The values of what is asked for as output, in order, as literals, None where there is none and so
            nothing is asked; of a script the text it prints.
        labels: Of the lines asked about.
        reason: A key of :data:`REASONS` if the input is excluded with all its items, else "".
    """

    outputs: tuple[str | None, ...]
    labels: tuple[Label, ...]
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the labels as plain values."""
        record: dict[str, Any] = {"outputs": list(self.outputs), "labels": [label.to_json() for label in self.labels]}
        if self.reason:
            record["reason"] = self.reason
        return record

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> InputLabels:
        """Return the labels that :meth:`to_json` wrote."""
        labels = tuple(Label(*row) for row in record["labels"])
        return cls(tuple(record["outputs"]), labels, record.get("reason", ""))


@dataclass(frozen=True)
class PublishedLabel:
    """REval's own label of one item.

    Attributes:
        line: Counted from 1.
        variable: Source of the expression asked about.
        executed: Whether the line is executed.
        values: Accepted values as ``repr`` and name of the type, with its module unless builtin; none for "Nil".
        next_lines: Accepted next lines; -1 for the end and for a line not executed.
    """

    line: int
    variable: str
    executed: bool
    values: tuple[tuple[str, str], ...]
    next_lines: tuple[int, ...]


# The input of a program that has one.
ONLY = "0"
UNRUNNABLE = "reval_unrunnable.json"
# Program -> input -> labels. An input is named by its position among the program's.
Labels = dict[str, dict[str, InputLabels]]
PublishedLabels = dict[str, dict[str, tuple[PublishedLabel, ...]]]


@cache
def load_labels(name: str) -> Labels:
    """Return the shipped labels of ``reval``, ``cruxeval``, ``avatar`` or ``sample``."""
    return read_labels(_read(name))


@lru_cache(maxsize=1)
def load_published() -> PublishedLabels:
    """Return the labels that REval's own reading of the runs gives, of all its items."""
    return {
        program: {
            number: tuple(
                PublishedLabel(line, variable, executed, tuple((text, kind) for text, kind in values), tuple(following))
                for line, variable, executed, values, following in rows
            )
            for number, rows in inputs.items()
        }
        for program, inputs in _read("reval_published").items()
    }


@lru_cache(maxsize=1)
def load_unrunnable() -> dict[str, list[str]]:
    """Return REval's inputs that do not run with the packages of today: program -> inputs."""
    text = (files("lm_eval_codemind.proof") / "runtime_labels" / UNRUNNABLE).read_text(encoding="utf-8")
    found: dict[str, list[str]] = json.loads(text)
    return found


def read_labels(record: Mapping[str, Any]) -> Labels:
    """Return labels that were written as plain values."""
    return {
        program: {number: InputLabels.from_json(each) for number, each in inputs.items()}
        for program, inputs in record.items()
    }


def plain(labels: Labels) -> dict[str, Any]:
    """Return labels as plain values, for :func:`read_labels`."""
    return {
        program: {number: given.to_json() for number, given in inputs.items()} for program, inputs in labels.items()
    }


def _read(name: str) -> dict[str, Any]:
    file = files("lm_eval_codemind.proof") / "runtime_labels" / f"{name}.json.gz"
    record: dict[str, Any] = json.loads(gzip.decompress(file.read_bytes()))
    return record


def packed(record: Mapping[str, Any]) -> bytes:
    """Return what a packaged file of labels holds."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return gzip.compress(text.encode(), mtime=0)


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


@lru_cache(maxsize=512)
def ends_of_lines(code: str) -> Mapping[int, int]:
    """Return, for the first line of each statement, the last line of it or, of a compound one, of its header."""
    found: dict[int, int] = {}
    for unit in units(ast.parse(code)):
        found[unit.line] = max(unit.end, found.get(unit.line, 0))
    return found
