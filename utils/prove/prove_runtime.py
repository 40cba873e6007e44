"""Execute the programs that are asked about their runtime behaviour, and write the labels that the package ships.

python utils/prove/prove_runtime.py prove --upstream DIR --python PYTHON ...
PYTHON utils/prove/prove_runtime.py check --upstream DIR  (with each version of Python)
PYTHON utils/prove/prove_runtime.py runnable --upstream DIR  (with the packages of today)

``prove`` traces every program with each Python, that of the labels first, and two hash seeds. ``check`` compares the
labels with what the programs log when they are rewritten to log what they do, each in a separate process, outside of
the sandbox: these programs are known.
"""

import ast
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple
from pathlib import Path
from typing import Any

import click

from lm_eval_codemind.answers.literals import parse_literal
from lm_eval_codemind.data.facts.reval import TracedProgram
from lm_eval_codemind.data.facts.runtime_inputs import SEE, RuntimeInput, inputs_of
from lm_eval_codemind.data.facts.runtime_labels import UNRUNNABLE, InputLabels, Labels, load_labels
from lm_eval_codemind.languages.python.units import units
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Sandbox
from lm_eval_codemind.studies.reval.task import assertions_job, completed
from lm_eval_codemind.workshop.benchmarks import Upstream, reval
from lm_eval_codemind.workshop.build import read_proven
from lm_eval_codemind.workshop.proof.runtime_questions import (
    MAX_VALUE,
    Observations,
    Observed,
    agreeing,
    choose,
    seen_lines,
)
from lm_eval_codemind.workshop.python.runtime_rules import points
from lm_eval_codemind.workshop.python.tracing import Trace, read_trace
from options import PYTHONS, UPSTREAM, WORKERS, benchmarks_of
from prove_executions import HASH_SEEDS, run_all, stdin_of, tracing_source
from self_logging import self_logging, text_of
from ship import save
from watching import watching_source

NAMES = ("reval_humaneval", "reval_classeval", "cruxeval", "avatar", "sample")
SEED = "codemind runtime 2"

MAX_STEPS = 20_000

# Values are written down when they are seen, for they may change later.
_SEE = f"""

_codemind_seen = []


def {SEE}(value):
    _codemind_seen.append(_codemind_written(value, {MAX_VALUE}))
    return value


"""


def observe(problems: Iterable[Problem], python: str = sys.executable, hash_seed: int = 1) -> Observations:
    """Execute the programs of a benchmark on their inputs and return what happens at every line worth a question."""
    asked = [
        (problem, run_input)
        for problem in problems
        if problem.output is not None or problem.upstream_questions
        for run_input in inputs_of(problem)
    ]
    sources = [(_traced(run_input), stdin_of(run_input)) for _, run_input in asked]
    observations: Observations = {}
    for (problem, run_input), record in zip(asked, run_all(python, hash_seed, watching_source(), sources), strict=True):
        seen: Observed = {"reason": "dependency", "outputs": [], "lines": {}}
        if record is not None:
            seen = _observed(problem, run_input, read_trace(record, units(ast.parse(run_input.code))))
        observations.setdefault(problem.problem_id, {})[run_input.number] = seen
    return observations


def _traced(run_input: RuntimeInput) -> str:
    lines = points(run_input.code)
    watches = {
        number: lines[unit.line].variables
        for number, unit in enumerate(units(ast.parse(run_input.code)))
        if unit.line in lines
    }
    return tracing_source(run_input, watches, _SEE, "_codemind_seen", max_steps=MAX_STEPS, max_value=MAX_VALUE)


def _observed(problem: Problem, run_input: RuntimeInput, trace: Trace) -> Observed:
    outputs = _outputs(problem, run_input, trace)
    reason = "too_long" if trace.truncated else "threads" if trace.threads else "" if outputs else "output"
    return {"reason": reason, "outputs": outputs, "lines": seen_lines(run_input.code, trace)}


def _outputs(problem: Problem, run_input: RuntimeInput, trace: Trace) -> list[str | None]:
    """Return the literals of what the output question asks for, None for what has none; nothing where the run fails."""
    if run_input.expression is None:
        text = str(problem.output)
        return [text] if trace.stdout.split() == text.split() else []
    if trace.exception or trace.output is None or trace.output.literal is None:
        return []
    outputs: list[str | None] = ast.literal_eval(trace.output.literal)
    return outputs


def plain(labels: Labels) -> dict[str, Any]:
    """Return labels as JSON values."""
    return {
        program: {
            number: {**asdict(of_input), "labels": [list(astuple(label)) for label in of_input.labels]}
            for number, of_input in inputs.items()
        }
        for program, inputs in labels.items()
    }


def find_unrunnable(programs: Sequence[TracedProgram], sandbox: Sandbox) -> dict[str, list[str]]:
    """Execute REval's own assertions and return the inputs on which they fail here: program -> inputs.

    By REval's rule no output is right on these: not even what it expects.
    """
    pending = []
    for program in programs:
        for run_input in program.inputs:
            expected = completed(run_input.masked, run_input.shown, run_input.expected)
            pending.append((program, run_input, sandbox.submit(assertions_job(program, run_input, expected))))
    unrunnable: dict[str, list[str]] = {}
    for program, run_input, future in pending:
        if not future.result().passed:
            unrunnable.setdefault(program.task_id, []).append(str(run_input.index))
    return unrunnable


def differences(problem: Problem, run_input: RuntimeInput, known: InputLabels) -> list[str]:
    """Return in what the labels of an input differ from what the program logs, one text a document."""
    watched: dict[int, list[str]] = {}
    for label in known.labels:
        if "s" in label.asked:
            watched.setdefault(label.line, []).append(label.variable)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", self_logging(run_input, watched)],
            input=stdin_of(run_input), capture_output=True, text=True, cwd=folder, timeout=120, check=False,
        )  # fmt: skip
    try:
        events, seen = json.loads(done.stdout.rpartition("\n")[2])
    except ValueError:
        return [f"does not run: {done.stderr.strip()[-200:]}"]
    problems = []
    for label in known.labels:
        of_line = [index for index, (line, _) in enumerate(events) if line == label.line]
        if len(of_line) != label.runs:
            problems.append(f"line {label.line}: {label.runs} runs, logged {len(of_line)}")
            continue
        if not label.runs:
            continue
        index = of_line[label.run - 1]
        following = events[index + 1][0] if index + 1 < len(events) else 0
        if "p" in label.asked and following != label.next_line:
            problems.append(f"line {label.line}: next {label.next_line}, logged {following}")
        if "s" in label.asked:
            logged = events[index][1].get(label.variable)
            if logged != [label.type_name, text_of(parse_literal(str(label.value)))]:
                problems.append(f"line {label.line}: {label.variable} is {label.value}, logged {logged}")
    if run_input.expression is None:
        printed = done.stdout.rpartition("\n")[0]
        if known.outputs and printed.split() != str(known.outputs[0]).split():
            problems.append(f"prints {known.outputs[0]!r}, logged {printed!r}")
        return problems
    for position, output in enumerate(known.outputs):
        if output is not None and text_of(parse_literal(output)) != seen[position]:
            problems.append(f"output {position} is {output}, logged {seen[position]}")
    return problems


_NAMES = benchmarks_of(NAMES)


@click.group()
def main() -> None:
    """Prove the labels of runtime behaviour."""


@main.command()
@UPSTREAM
@_NAMES
@PYTHONS
def prove(upstream: Path, names: Sequence[str], pythons: Sequence[str]) -> None:
    """Trace all programs, choose the lines to ask about from what all executions agree on, and write their labels."""
    version = "import sys\nprint('\"%d.%d\"' % sys.version_info[:2])"
    for name in names:
        problems = read_proven(name, Upstream(upstream))
        proofs = []
        for python in pythons:
            (number,) = run_all(python, 0, "", [(version, "")])
            proofs += [(number, observe(problems, python, seed)) for seed in HASH_SEEDS]
        labels = choose(problems, agreeing(proofs), SEED)
        save(f"runtime_labels/{name}.json.gz", plain(labels))
        inputs = [of_input for numbers in labels.values() for of_input in numbers.values()]
        asked = Counter(question for of_input in inputs for label in of_input.labels for question in label.asked)
        asked["o"] = sum(any(output is not None for output in of_input.outputs) for of_input in inputs)
        left_out = Counter(of_input.reason for of_input in inputs if of_input.reason)
        click.echo(
            f"{name}: {len(labels)} programs; {dict(asked)}; {len(proofs)} executions; left out {dict(left_out)}"
        )


@main.command()
@UPSTREAM
@WORKERS
def runnable(upstream: Path, workers: int) -> None:
    """Write on which inputs REval's own assertions fail with the packages that are installed."""
    with Sandbox(workers=workers) as sandbox:
        unrunnable = find_unrunnable(reval.read_programs(Upstream(upstream)), sandbox)
    save(UNRUNNABLE, unrunnable)
    click.echo(f"unrunnable: {unrunnable}")


@main.command()
@UPSTREAM
@_NAMES
def check(upstream: Path, names: tuple[str, ...]) -> None:
    """Print the documents whose label is not what the program logs; exit with 1 if there are any."""
    failed = False
    for name in names:
        documents = 0
        labels = load_labels(name)
        for problem in read_proven(name, Upstream(upstream)):
            inputs = {run_input.number: run_input for run_input in inputs_of(problem)}
            for number, known in labels.get(problem.problem_id, {}).items():
                if known.reason:
                    continue
                documents += sum(len(label.asked) for label in known.labels)
                documents += any(output is not None for output in known.outputs)
                for text in differences(problem, inputs[number], known):
                    failed = True
                    click.echo(f"{name} {problem.problem_id} input {number}: {text}")
        click.echo(f"{name}: {documents} documents compared under Python {sys.version.split()[0]}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
