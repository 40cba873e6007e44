"""Which lines are asked about: those where the answer needs execution.

*Path* is asked where there is a choice: heads of ``if``, ``for`` and ``while``, and lines after which the syntax tree
does not tell what comes next. Of each kind of head equally many are drawn that enter their body and that skip it.
*Coverage* is asked of lines whose execution depends on a branch, in functions that the input reaches by name. Within
each kind of line and of branch equally many are drawn that are executed and that are not. *State* is asked where the
value of a variable cannot be read off the prompt.
"""

import ast
import random
import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from lm_eval_codemind.answers.literals import NotALiteralError, parse_literal
from lm_eval_codemind.data.facts.runtime_inputs import SEE, RuntimeInput, inputs_of
from lm_eval_codemind.data.facts.runtime_labels import InputLabels, Label, Labels
from lm_eval_codemind.data.own import literals_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.python.recorder import written
from lm_eval_codemind.workshop.python.runtime_rules import END, Point, points, reachable
from lm_eval_codemind.workshop.python.tracing import Trace, Value, runs_of

# What one execution shows of an input, as plain values: ``reason``, ``outputs``, and ``lines``: number -> how often it
# runs and, of each of the first runs, the next line and the variables' types and literals.
Observed = dict[str, Any]
# Program -> input -> what it shows.
Observations = dict[str, dict[str, Observed]]

# Nobody should be asked for a value longer than this, in characters of its literal, or about a later run of a line.
MAX_VALUE, MAX_RUNS = 300, 8
# Characters of a literal that a program shows.
_LONGEST = 10_000
# At most so many lines an input for each question.
AT_MOST = 3
# At most this share of the outputs may be what the input ends with.
ECHOES = 0.05
# An answer of fewer characters says nothing by standing somewhere else, too.
SHORT = 3


def seen_lines(code: str, trace: Trace) -> dict[str, Any]:
    """Return what a trace shows of every line worth a question, as :data:`Observed` has it."""
    lines = {}
    for line, point in points(code).items():
        of_line = runs_of(trace, line)
        if all(run.end for run in of_line):
            lines[str(line)] = [
                len(of_line),
                [
                    [0 if run.next is None else trace.steps[run.next].line, _values(run.values, point.variables)]
                    for run in of_line[:MAX_RUNS]
                ],
            ]
    return lines


def _values(values: Mapping[str, Value | None], names: Sequence[str]) -> dict[str, list[str]]:
    known = {name: values.get(name) for name in names}
    return {name: [value.type_name, value.literal] for name, value in known.items() if value and value.literal}


def agreeing(proofs: Sequence[tuple[str, Observations]]) -> Observations:
    """Return what several executions agree on.

    A line that they differ in is left out, as is a value; where the outputs differ, the input is excluded.
    """
    version, first = proofs[0]
    observations: Observations = {}
    for program, inputs in first.items():
        observations[program] = {}
        for number, seen in inputs.items():
            others = [(other_version, other[program][number]) for other_version, other in proofs[1:]]
            seen = dict(seen)
            for other_version, other in others:
                if other["reason"] == "dependency":
                    continue
                if not seen["reason"] and other["outputs"] != seen["outputs"]:
                    seen["reason"] = "hashing" if other_version == version else "version"
                agreed = {line: _agreed(own, other["lines"].get(line)) for line, own in seen["lines"].items()}
                seen["lines"] = {line: own for line, own in agreed.items() if own is not None}
            observations[program][number] = seen
    return observations


def _agreed(one: list[Any], other: list[Any] | None) -> list[Any] | None:
    if other is None or one[0] != other[0] or [run[0] for run in one[1]] != [run[0] for run in other[1]]:
        return None
    return [
        one[0],
        [
            [following, {name: value for name, value in values.items() if others.get(name) == value}]
            for (following, values), (_, others) in zip(one[1], other[1], strict=True)
        ],
    ]


def choose(
    problems: Iterable[Problem],
    observations: Mapping[str, Mapping[str, Any]],
    seed: str,
    function_of: Callable[[str], str] | None = None,
) -> Labels:
    """Return the labels of the lines to ask about, for a benchmark.

    Args:
        problems: Its problems.
        observations: What is seen of them.
        seed: Of the drawing.
        function_of: Name of a problem -> name of its function, where problems are calls of few functions. Of a function
            there is one line of each kind, branch and answer about coverage, else of an input :data:`AT_MOST`.
    """
    drawn = random.Random(seed)
    asked = []
    by_problem: Labels = {}
    for problem in problems:
        for run_input in inputs_of(problem):
            seen = observations.get(problem.problem_id, {}).get(run_input.number)
            if seen is None:
                continue
            if seen["reason"]:
                by_problem.setdefault(problem.problem_id, {})[run_input.number] = InputLabels(reason=seen["reason"])
            else:
                name = problem.problem_id
                group: Hashable = (name, run_input.number) if function_of is None else function_of(name)
                asked.append(_Asked(problem, run_input, seen, group, AT_MOST if function_of is None else 1))
    _choose_path(asked, drawn)
    _choose_coverage(asked, drawn)
    _choose_state(asked, drawn)
    outputs = _outputs(asked, drawn)
    for each, of_input in zip(asked, outputs, strict=True):
        labels = tuple(each.chosen[line] for line in sorted(each.chosen))
        nothing = not labels and not any(of_input)
        by_problem.setdefault(each.problem.problem_id, {})[each.run_input.number] = InputLabels(
            () if nothing else of_input, labels, "no_line" if nothing else ""
        )
    return by_problem


@dataclass
class _Asked:
    """An input with what is seen of it, the inputs that share a limit on coverage, and the labels chosen so far."""

    problem: Problem
    run_input: RuntimeInput
    seen: Mapping[str, Any]
    group: Hashable
    most: int
    chosen: dict[int, Label] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.points = points(self.run_input.code)
        self.prompt = f"{self.run_input.code}\n{self.run_input.set_up}\n{self.run_input.input}"
        self.literals = literals_in(self.run_input.code, self.run_input.set_up)
        if self.run_input.expression is None:
            self.literals |= set(self.run_input.input.split())
        else:
            self.literals |= literals_in(self.run_input.input)

    def lines(self) -> list[tuple[Point, int, list[Any]]]:
        """Return the lines that are known, each with how often it runs and its first runs."""
        return [(self.points[int(line)], *of_line) for line, of_line in self.seen["lines"].items()]

    def ask(self, line: int, question: str, run: int = 0) -> None:
        """Ask a question about a line; of a line that is asked about already the same run."""
        times, runs = self.seen["lines"][str(line)]
        label = self.chosen.get(line)
        if label is None:
            label = Label(line, "", run, times, runs[run - 1][0] if run else None)
        order = "csp"
        asked = "".join(sorted({*label.asked, question}, key=order.index))
        self.chosen[line] = replace(label, asked=asked)

    def number(self, question: str) -> int:
        return sum(question in label.asked for label in self.chosen.values())

    def novel(self, point: Point, run: int) -> tuple[str, str, str] | None:
        """Return a variable, its type and its value after a run, that cannot be read off the prompt; None for none."""
        _, values = self.seen["lines"][str(point.line)][1][run - 1]
        for name in point.variables:
            if name in values and not is_written(values[name][1], self.prompt, self.literals):
                return (name, *values[name])
        return None


def _choose_path(asked: Sequence[_Asked], drawn: random.Random) -> None:
    """Ask about equally many heads that enter their body and that skip it, and about what no rule tells."""
    strata: dict[Hashable, list[tuple[_Asked, int, int]]] = defaultdict(list)
    either: dict[str, list[tuple[_Asked, int, dict[str, list[int]]]]] = defaultdict(list)
    for each in asked:
        of_input = []
        for point, times, runs in each.lines():
            ways = _ways(point, times, runs)
            if ways:
                of_input.append((drawn.random() - len(ways), point, ways))
        for _, point, ways in sorted(of_input, key=lambda entry: entry[0])[:AT_MOST]:
            either[point.kind].append((each, point.line, ways))
    for kind, entries in either.items():
        drawn.shuffle(entries)
        # Those that leave a choice come last, to make up for what the others lack.
        for each, line, ways in sorted(entries, key=lambda entry: len(entry[2])):
            way = min(ways, key=lambda name: len(strata[kind, name]))
            strata[kind, way].append((each, line, drawn.choice(ways[way])))
        least = min(len(strata[kind, "enters"]), len(strata[kind, "skips"]))
        for way in ("enters", "skips", "neither"):
            taken = strata[kind, way] if way == "neither" else strata[kind, way][:least]
            for each, line, run in taken:
                each.ask(line, "p", run)


def _ways(point: Point, times: int, runs: Sequence[Any]) -> dict[str, list[int]]:
    """Return the runs of a line that are worth a question on what comes next: by which rule is right about them.

    The first time the head of a loop enters its body, unless there is nothing to do; it is asked about later ones.
    """
    ways: dict[str, list[int]] = {}
    for number, (following, _) in enumerate(runs, start=1):
        if following == END or (point.kind in ("for", "while") and number == 1 < times):
            continue
        # The end of a function, whose test goes on with another call: the test tells what comes next.
        if point.kind == "statement" and point.enters == END:
            continue
        rules = [name for name in ("enters", "skips") if getattr(point, name) == following]
        if len(rules) < 2:
            ways.setdefault(rules[0] if rules else "neither", []).append(number)
    return ways


def _choose_coverage(asked: Sequence[_Asked], drawn: random.Random) -> None:
    """Ask about equally many lines that are executed and that are not, within each kind and context."""
    strata: dict[Hashable, dict[bool, list[tuple[_Asked, int, int]]]] = defaultdict(lambda: {True: [], False: []})
    for each in asked:
        code, text, is_script = each.run_input.code, each.run_input.input, each.run_input.expression is None
        functions = set() if is_script else {"", *reachable(code, text)}
        for point, times, runs in each.lines():
            known = is_script or point.function in functions
            if point.context and known and (not times or runs):
                label = each.chosen.get(point.line)
                run = label.run if label else drawn.randint(1, len(runs)) if runs else 0
                strata[point.kind, point.context][times > 0].append((each, point.line, run))
    for classes in strata.values():
        for entries in classes.values():
            drawn.shuffle(entries)
        # Lines with another question come first: fewer lines then have several questions each.
        classes[True].sort(key=lambda entry: entry[1] not in entry[0].chosen)
        executed, others = (_spread(classes[value]) for value in (True, False))
        for entries in (executed, others):
            for each, line, run in entries[: min(len(executed), len(others))]:
                each.ask(line, "c", run)


def _spread(entries: Sequence[tuple[_Asked, int, int]]) -> list[tuple[_Asked, int, int]]:
    taken: dict[Hashable, int] = defaultdict(int)
    entries_apart = []
    for entry in entries:
        if taken[entry[0].group] < entry[0].most:
            taken[entry[0].group] += 1
            entries_apart.append(entry)
    return entries_apart


def _choose_state(asked: Sequence[_Asked], drawn: random.Random) -> None:
    """Ask about a variable wherever a line that is asked about has one fit for it, and about further lines."""
    for each in asked:
        for line, label in list(each.chosen.items()):
            if label.run:
                _ask_state(each, line, label.run)
        further = [(point, len(runs)) for point, times, runs in each.lines() if runs and point.line not in each.chosen]
        drawn.shuffle(further)
        for point, runs in further:
            if each.number("s") >= AT_MOST:
                break
            _ask_state(each, point.line, drawn.randint(1, runs))


def _ask_state(each: _Asked, line: int, run: int) -> None:
    value_there = each.novel(each.points[line], run)
    if value_there is not None:
        name, type_name, value = value_there
        each.ask(line, "s", run)
        each.chosen[line] = replace(each.chosen[line], variable=name, type_name=type_name, value=value)


def _outputs(asked: Sequence[_Asked], drawn: random.Random) -> list[tuple[str | None, ...]]:
    """Return the outputs that are asked for, by input, without those that the same statement shows.

    Few outputs are the last literal of the input, since repeating it is not a prediction.
    """
    chosen: list[tuple[str | None, ...]] = []
    echoes = []
    for position, each in enumerate(asked):
        outputs = tuple(each.seen["outputs"])
        if each.run_input.expression is not None:
            statements = [
                ast.unparse(node) for node in ast.parse(each.run_input.input).body if SEE in ast.unparse(node)
            ]
            outputs = tuple(
                None if output is None or (len(output) >= SHORT and output in statement) else output
                for output, statement in zip(outputs, statements, strict=True)
            )
        chosen.append(outputs if any(output is not None for output in outputs) else ())
        if last_literal(each.run_input) in [output.strip() for output in outputs if output is not None]:
            echoes.append(position)
    drawn.shuffle(echoes)
    for position in echoes[int(ECHOES * len(chosen)) :]:
        chosen[position] = ()
    return chosen


def literals_in(*sources: str) -> set[str]:
    """Return the literals in Python sources, as the tracer writes them: constants, and containers of nothing else."""
    nodes = [node for source in sources for node in literals_of(source) if not isinstance(node, ast.BinOp)]
    return {_as_traced(ast.literal_eval(node)) for node in nodes}


def _as_traced(value: Any) -> str:
    """Return a value as the tracer writes it; ``repr`` writes sets in an order that depends on hashing."""
    return written(value, _LONGEST) or repr(value)


def last_literal(run_input: RuntimeInput) -> str:
    """Return the last literal of an input, as ``repr`` writes it, of a script the last word; "" for none."""
    if run_input.expression is None:
        return (run_input.input.split() or [""])[-1]
    node = last_literal_of(run_input.input)
    return "" if node is None else repr(ast.literal_eval(node))


def last_literal_of(source: str) -> ast.expr | None:
    """Return the literal of a source that ends last, of those with the same end the longest."""

    def end(node: ast.expr) -> tuple[int, int, int]:
        return node.end_lineno or 0, node.end_col_offset or 0, -node.col_offset

    return max(literals_of(source), key=end, default=None)


def is_written(value: str, prompt: str, literals: set[str]) -> bool:
    """Whether a value can be read off a prompt: as a literal, or as text of three characters or more."""
    try:
        parsed = parse_literal(value)
    except NotALiteralError:
        return True
    if _as_traced(parsed) in literals:
        return True
    # Truth values, None and what is empty are guessed too easily.
    if parsed is None or isinstance(parsed, bool) or parsed in ("", b"", (), [], {}, set()):
        return True
    text = parsed if isinstance(parsed, str) else value
    if isinstance(parsed, (int, float)):
        return re.search(rf"(?<![\w.]){re.escape(text)}(?![\w.])", prompt) is not None
    return text in prompt
