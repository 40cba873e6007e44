"""Fresh inputs: another input for a program, as hard as its own, generated from a seed and proven by execution.

One job executes many changed inputs of a problem and measures each run. The nearest of the inputs that are as hard as
the original is selected. Its output is proven in separate processes with several hash seeds.
"""

import ast
import atexit
import base64
import marshal
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import cache, lru_cache
from operator import itemgetter
from random import Random
from zlib import crc32

from tqdm.auto import tqdm

from lm_eval_codemind.answers.comparison import same_computed
from lm_eval_codemind.answers.literals import literal_or
from lm_eval_codemind.data.facts.fresh import EVALUATION_SEEDS, REASONS, SHIPPED_SEED, Fresh, Run
from lm_eval_codemind.data.own import literals_of
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.languages.python.kinds import after_future_imports
from lm_eval_codemind.problems import SHOWN_CHARACTERS, Problem, beyond_prompt
from lm_eval_codemind.sandbox import Job, Limits, Outcome, Sandbox, shared_sandbox
from lm_eval_codemind.workshop.facts.labels import observed_label
from lm_eval_codemind.workshop.proof.carried import carried_outputs
from lm_eval_codemind.workshop.proof.prove import ADDITIONS, USE_ADDITION
from lm_eval_codemind.workshop.python.kinds import workshop_kind
from lm_eval_codemind.workshop.python.tracing import TraceFailed, job_source, recorder_source, result_of

# For each round: the number of changes of the original input, and whether they are bold. The round also tries as many
# changes of the tests' inputs, from at most ``_BASES`` of these inputs.
_ROUNDS = ((36, False), (72, True), (360, True))
_BASES = 6
_MAX_STEPS = 50_000
# Reasons that another change cannot remove.
_HOPELESS = frozenset({"", "stated", "plain", "long"})
_LIMITS = Limits(cpu_seconds=20, wall_seconds=60)
_PROOF_LIMITS = Limits(cpu_seconds=10, wall_seconds=40)
# The number of attempts to prove outputs. Each attempt takes the next inputs.
_PROVEN = 3
# A shorter output may occur in a text by accident.
_TELLING = 4
# What measuring jobs import besides the program.
_IMPORTS = ("base64", "inspect", "marshal", "tempfile", "threading")
# Of sums of fractions.
_ROUNDING = 1e-9
# Two strings in a set have the same order under half of all hash seeds.
_HASH_SEEDS = (1, 2, 3, 4, 5, 6)
_HASHING = frozenset({"set", "frozenset", "hash", "id"})

# Runs a program on several inputs, each from the start in an empty folder, and returns the measurements. This text
# follows the recorder's source.
_MEASURE = """

_record = record
compile = functools.lru_cache(maxsize=4)(compile)

def record(program, script, runs, max_steps, slack, stdin=""):
    import os
    import tempfile

    done, home, folder = [], tempfile.gettempdir(), ""
    for run in runs:
        if not os.path.isdir(folder) or os.listdir(folder):
            folder = tempfile.mkdtemp(dir=home)
        os.chdir(folder)
        tempfile.tempdir = folder
        if script:
            with tempfile.TemporaryFile() as file:
                file.write(run["stdin"].encode())
                file.seek(0)
                os.dup2(file.fileno(), 0)
        seen = _record(program, script=script, stop=True, max_steps=max_steps, **run)
        steps = [step[1] for step in seen["steps"]]
        if seen["truncated"] and not done:
            break
        done.append([len(steps), sorted(set(steps)), seen["output"], seen["stdout"], seen["exception"]])
        max_steps = 2 * done[0][0] + slack
    return {"runs": done}
"""


# NumPy's scalars count as plain values, as elsewhere in the sandbox.
_PLAIN = """\
def _plain(value):
    if type(value).__module__ == "numpy" and hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        return value.item()
    if type(value) in (list, tuple, set):
        return type(value)([_plain(item) for item in value])
    if type(value) is dict:
        return {_plain(key): _plain(item) for key, item in value.items()}
    return value
"""


def make_fresh(problems: Sequence[Problem], seed: int, count: int = 1) -> dict[str, Fresh]:
    """Return new fresh inputs with proven outputs, by problem id. They are the same on every machine.

    Problems without a fresh input after small changes are tried again with bold changes. In the end no output is much
    more frequent among the published outputs than among the fresh ones, or the other way round.

    Raises:
        IsolationUnavailable: If programs cannot be executed safely on this machine.
    """
    results: dict[str, _Making] = {}
    measuring, pools = _sandboxes()
    label, total = f"fresh inputs, seed {seed}", len(problems)
    with tqdm(total=total, desc=label, unit="problem", disable=total == 1) as bar:
        waiting = list(problems)
        for tries, bold in _ROUNDS:
            attempts = []
            for problem in waiting:
                attempts.append(_Making(problem, seed, count, tries, bold))
                attempts[-1].measure(measuring)
            for each in attempts:
                each.choose()
                each.prove(pools)
                bar.update(0 if bold else 1)
            for _ in range(_PROVEN - 1):
                for each in attempts:
                    each.take()
                for each in attempts:
                    each.prove(pools)
            for each in attempts:
                each.take()
            results |= {each.problem.problem_id: each for each in attempts}
            waiting = [each.problem for each in attempts if each.fresh().reason not in _HOPELESS]
    makings = [results[problem.problem_id] for problem in problems]
    _balance(makings, pools)
    return {each.problem.problem_id: each.fresh() for each in makings}


@cache
def _sandboxes() -> tuple[Sandbox, dict[int, Sandbox]]:
    """Return the sandbox that measures, and one for each hash seed that proves.

    All benchmarks of a run share them, and they are closed at exit.
    """
    measuring = Sandbox(preload=_IMPORTS)
    # Few programs import more than NumPy; each server would import all of it for them.
    pools = {number: Sandbox(workers=1, preload=("numpy",), hash_seed=number) for number in _HASH_SEEDS}
    for sandbox in (measuring, *pools.values()):
        atexit.register(sandbox.close)
    return measuring, pools


class _Making:
    """The generation of one problem's fresh inputs, in steps. Steps of other problems run in between."""

    def __init__(self, problem: Problem, seed: int, count: int, tries: int, bold: bool) -> None:
        self.problem = problem
        self._kind = workshop_kind(problem)
        self._count = count
        self._reason = ""
        self._original = Run(problem.input, problem.output, 0)
        self._fit: list[Run] = []
        self._running: list[tuple[Run, list[Future[Outcome]]]] = []
        self._proven: list[Run] = []
        rng = Random(f"{seed}:{problem.benchmark}:{problem.problem_id}:{tries}")
        own = self._kind.changed_inputs(problem, problem.input, rng, tries, bold)
        self._near = frozenset(own)
        inputs = dict.fromkeys([*own, *self._others(rng, tries, bold)])
        self._inputs = [text for text in inputs if seed == SHIPPED_SEED or self._drawn_by(text, seed)]

    def _drawn_by(self, text: str, seed: int) -> bool:
        """Whether seeds like this one may draw an input: one half is for evaluation, the other for training."""
        half = crc32(f"{self.problem.problem_id}\n{text}".encode()) % 2 == 0
        return half == (seed in EVALUATION_SEEDS)

    def _others(self, rng: Random, tries: int, bold: bool) -> Iterator[str]:
        """Yield changed inputs of the tests, if a test's input has the same types and about the same length."""

        def shape(text: str) -> tuple[str, ...]:
            return () if self._kind.printed else self._kind.input_tree(self.problem, text).shape()

        own = self.problem.input
        known = [text for text in self._kind.known_inputs(self.problem)[1:] if _about(len(text), len(own))]
        known = [text for text in known if shape(text) == shape(own)]
        for base in rng.sample(known, min(len(known), _BASES)):
            yield from self._kind.changed_inputs(self.problem, base, rng, tries // _BASES, bold)

    def measure(self, sandbox: Sandbox) -> None:
        """Start the job that measures the program on its own input and on the changed inputs."""
        if self._kind.states_output(self.problem):
            self._reason = "stated"
        elif _is_plain(self._original, self.problem):
            self._reason = "plain"
        elif not self._inputs:
            self._reason = "input"
        else:
            self._measuring = sandbox.submit(_measuring_job(self.problem, self._inputs))

    def choose(self) -> None:
        """Sort the inputs that are as hard as the original, the nearest first."""
        if self._reason:
            return
        try:
            runs = _runs(self.problem, self._inputs, self._measuring.result())
        except TraceFailed:
            self._reason = "raises"
            return
        if not runs:
            self._reason = "long"
            return
        self._original, *changed = runs
        reasons = [(_unfit(run, self._original, self.problem), run) for run in changed]
        self._fit = [run for reason, run in reasons if not reason]
        self._fit.sort(key=lambda run: (run.input not in self._near, *_distance(run, self._original, self.problem)))
        self._reason = max((reason for reason, _ in reasons if reason), key=list(REASONS).index, default="raises")

    def prove(self, pools: Mapping[int, Sandbox]) -> None:
        """Start the jobs that prove the outputs of the next inputs, as many as are still needed."""
        wanted = self._count - len(self._proven)
        batch, self._fit = self._fit[:wanted], self._fit[wanted:]
        sources = [self.problem.code, self.problem.input] if self.problem.kind == "method" else [self.problem.code]
        seeds = list(pools) if any(map(_uses_hashing, sources)) else list(pools)[: len(ADDITIONS)]
        for run in batch:
            jobs = [_proving_job(self.problem, run.input, addition) for addition in ADDITIONS]
            futures = [pools[number].submit(jobs[place % len(jobs)]) for place, number in enumerate(seeds)]
            self._running.append((run, futures))

    def take(self) -> None:
        """Store the inputs whose output is the same in every run."""
        for run, futures in self._running:
            if all(self._output(future.result()) == run.output for future in futures):
                self._proven.append(run)
            else:
                self._reason = "unproven"
        self._running.clear()

    @property
    def outputs(self) -> tuple[str, ...]:
        """The outputs of the fresh inputs."""
        return tuple(run.output or "" for run in self._proven)

    def answers(self, output: str) -> frozenset[str]:
        """Return the answers that are right about an output of the program."""
        return _answers(output, self._kind.printed)

    @property
    def others(self) -> list[Run]:
        """Further inputs that are as hard as the original, one for each output, the nearest first."""
        return list({run.output: run for run in reversed(self._fit)}.values())[::-1]

    def exchange(self, output: str, other: Run, pools: Mapping[int, Sandbox]) -> None:
        """Replace the first fresh input with an output by another input, if the other's output can be proven."""
        place = self.outputs.index(output)
        self._fit = [other, *(run for run in self._fit if run is not other)]
        old = self._proven.pop(place)
        self.prove(pools)
        self.take()
        if len(self._proven) < self._count and self.outputs[-1:] != (other.output,):
            self._proven.insert(place, old)

    def leave_out(self) -> None:
        """Drop the fresh inputs, because of :func:`_balance`."""
        self._proven, self._reason = [], "balance"

    def fresh(self) -> Fresh:
        """Return the fresh inputs, or the reason why there are none."""
        if self._proven:
            return Fresh(self._original.steps, tuple(self._proven))
        return Fresh(reason=self._reason)

    def _output(self, outcome: Outcome) -> str | None:
        if not outcome.passed or not outcome.observations:
            return None
        if self._kind.printed:
            return outcome.observations[-1].stdout
        outputs = {observed_label(seen.literal) for seen in outcome.observations}
        return outputs.pop() if len(outputs) == 1 else None


def run_on_own_input(problem: Problem) -> Run:
    """Run a program on its own input and return the measurements.

    Raises:
        SyntaxError: If the program does not parse.
        UserError: If the program raises, returns no literal, or runs for too many steps.
    """
    try:
        runs = _runs(problem, [], shared_sandbox().run([_measuring_job(problem, [])])[0])
    except TraceFailed as error:
        raise UserError(str(error)) from error
    if not runs:
        raise UserError(f"the program raises, returns no literal, or runs for more than {_MAX_STEPS} steps")
    return runs[0]


def _runs(problem: Problem, inputs: Sequence[str], outcome: Outcome) -> list[Run]:
    """Return the runs of a measuring job, the original input's first; an empty list if that has no output.

    Raises:
        TraceFailed: If the job did not finish.
    """
    kind, runs = workshop_kind(problem), []
    rows = result_of(outcome)["runs"]
    own = _statements(problem)
    for text, (steps, lines, output, stdout, exception) in zip([problem.input, *inputs], rows, strict=False):
        value = None if output is None or kind.printed else observed_label(output[1])
        printed = stdout if kind.printed and exception in ("", "SystemExit") else None
        runs.append(Run(text, printed or value, own + steps + (exception == "Stopped"), frozenset(lines)))
    return runs if len(rows) > len(inputs) and runs[0].output is not None else []


def _statements(problem: Problem) -> int:
    """Return the number of statements of an input: a call, or a test method; 0 for standard input."""
    if problem.kind == "script":
        return 0
    return sum(isinstance(node, ast.stmt) for node in ast.walk(ast.parse(problem.input)))


def _measuring_job(problem: Problem, inputs: Sequence[str]) -> Job:
    kind = workshop_kind(problem)
    runs = []
    for text in (problem.input, *inputs):
        execution = kind.execution(replace(problem, code="", input=text))
        runs.append({"stdin": execution.stdin, "before": "", "expression": ""})
        if execution.expression is not None:
            runs[-1]["before"] = f"{_PLAIN}\n{execution.module}"
            runs[-1]["expression"] = f"_plain({execution.expression.strip()})"
    options = {"program": problem.code, "script": kind.printed, "runs": runs, "max_steps": _MAX_STEPS}
    options |= {"slack": _statements(problem), "stdin": ""}
    source = job_source(_measuring_source(), [problem.code, *(run["before"] for run in runs[:1])], options)
    return Job.evaluate(source, ["_traced()"], limits=_LIMITS, job_id=problem.problem_id)


@cache
def _measuring_source() -> str:
    """Return source that defines ``record`` from compiled code, so that no job has to compile it."""
    code = compile(recorder_source() + _MEASURE, "recorder.py", "exec", dont_inherit=True)
    text = base64.b64encode(marshal.dumps(code)).decode()
    return f"import {', '.join(_IMPORTS)}\nexec(marshal.loads(base64.b64decode({text!r})))\n"


def _proving_job(problem: Problem, text: str, addition: str) -> Job:
    """Return the job that runs a program as plain Python does, except for the way ``sum`` adds floats.

    A test method runs twice, because its output must not depend on files that the first run leaves behind.
    """
    execution = workshop_kind(problem).execution(replace(problem, input=text))
    program = after_future_imports(execution.module, ADDITIONS[addition] + USE_ADDITION)
    if execution.expression is None:
        return Job.script(program, [(execution.stdin, None)], limits=_PROOF_LIMITS, job_id=problem.problem_id)
    expressions = [execution.expression.strip()] * (2 if problem.kind == "method" else 1)
    return Job.evaluate(program, expressions, limits=_PROOF_LIMITS, job_id=problem.problem_id)


# -- the frequency of outputs


def _balance(makings: Sequence[_Making], pools: Mapping[int, Sandbox]) -> None:
    """Choose other fresh inputs, or leave problems out, until no constant answer gains on either side.

    An answer that is right about several published or several fresh outputs is right about as many of the others; the
    numbers differ by less than 1 if a problem has several fresh inputs.
    """
    while True:
        asked = [each for each in makings if each.outputs]
        balance = _Balance(asked)
        if balance.uneven() is None:
            return
        exchanges = [
            (gain, -place, -number, each, output, other)
            for number, each in enumerate(asked)
            for output in sorted(set(each.outputs))
            for place, other in enumerate(each.others)
            if other.output not in each.outputs and (gain := balance.gain(each, output, other.output or "")) > 0
        ]
        if exchanges:
            *_, making, output, other = max(exchanges, key=itemgetter(0, 1, 2))
            making.exchange(output, other, pools)
            continue
        uneven = balance.uneven()
        concerned = [
            each
            for each in asked
            if any(uneven in each.answers(output) for output in (each.problem.output or "", *each.outputs))
        ]
        gains = [_Balance([each for each in asked if each is not left]).excess() for left in concerned]
        concerned[gains.index(min(gains))].leave_out()


class _Balance:
    """How often each answer is right about published and about fresh outputs."""

    def __init__(self, asked: Sequence[_Making]) -> None:
        self._published = Counter(answer for each in asked for answer in each.answers(each.problem.output or ""))
        self._fresh: dict[str, float] = {}
        for each in asked:
            for output in each.outputs:
                for answer in each.answers(output):
                    self._fresh[answer] = self._fresh.get(answer, 0.0) + 1 / len(each.outputs)

    def _excess(self, answer: str, more: float = 0.0) -> float:
        published, fresh = self._published[answer], self._fresh.get(answer, 0.0) + more
        difference = abs(published - fresh)
        return 0.0 if difference < 1 - _ROUNDING or max(published, fresh) <= 1 + _ROUNDING else difference

    def excess(self) -> float:
        """Return the sum of the differences that are too large."""
        return sum(map(self._excess, sorted({*self._published, *self._fresh})))

    def uneven(self) -> str | None:
        """Return the answer with the largest difference; None if no difference is too large."""
        worst = max(sorted({*self._published, *self._fresh}), key=self._excess, default="")
        return worst if self._excess(worst) else None

    def gain(self, making: _Making, old: str, new: str) -> float:
        """Return by how much the differences shrink if one of a problem's fresh outputs becomes another output."""
        more: dict[str, float] = {}
        share = 1 / len(making.outputs)
        for output, add in ((old, -share), (new, share)):
            for answer in making.answers(output):
                more[answer] = more.get(answer, 0.0) + add
        return sum(self._excess(answer) - self._excess(answer, add) for answer, add in more.items())


@cache
def _answers(output: str, printed: bool) -> frozenset[str]:
    """Return the answers that are right about an output: its value, and the bare text of a string."""
    text = output.strip()
    value = text if printed else literal_or(text, text)
    if type(value) is float and value.is_integer():
        value = int(value)
    return frozenset({repr(value), value} if isinstance(value, str) else {repr(value)})


# -- the selection of inputs


def _unfit(run: Run, original: Run, problem: Problem) -> str:
    """Return the key of :data:`REASONS` for which a changed input is not usable; empty if it is usable."""
    kind = workshop_kind(problem)
    own, output = original.output, run.output
    assert own is not None
    if output is None or not output.strip():
        return "raises" if run.steps <= 2 * original.steps else "steps"
    if output == own or _same(output, own, kind.printed):
        return "same"
    if not _about(run.steps, original.steps):
        return "steps"
    too_long = beyond_prompt(problem.code, run.input, output) or len(run.input) + len(output) > SHOWN_CHARACTERS
    if too_long or kind.output_type(output) != kind.output_type(own) or not _about(len(output), len(own)):
        return "output"
    if _is_plain(run, problem):
        return "repeats"
    if any(_same(carried, output, kind.printed) for carried in carried_outputs(problem, run.input)):
        return "carried"
    return "shown" if len(_bare(output)) >= _TELLING and _is_shown(output, problem) else ""


@lru_cache(maxsize=2048)
def _same(one: str, other: str, printed: bool) -> bool:
    return same_computed(one, other, printed) or same_computed(other, one, printed)


def _about(one: int, other: int) -> bool:
    return other <= 2 * one and one <= 2 * other


@lru_cache(maxsize=2048)
def _is_plain(run: Run, problem: Problem) -> bool:
    """Whether an output needs no execution, or is one of few that a constant answer guesses.

    These are truth values, zero, None, empty values, literals of the program, the arguments, and the last literal of
    the input. Of standard input the arguments are its lines and the whole text.
    """
    kind, output = workshop_kind(problem), (run.output or "").strip()
    tree = kind.input_tree(problem, run.input)
    parts = list(map(str, [*tree.children, *list(tree.leaves())[-1:]]))
    texts: set[str | None] = {run.input.strip(), *map(str.strip, parts)}
    if not kind.printed:
        texts |= set(map(observed_label, parts))
    value = literal_or(output, output)
    return not value or value is True or output in texts | _constants(problem.code)


@cache
def _constants(code: str) -> frozenset[str]:
    values = map(ast.literal_eval, literals_of(code))
    return frozenset(text for value in values for text in (repr(value), str(value)))


def _bare(output: str) -> str:
    return output.strip().strip("'\"")


def _is_shown(output: str, problem: Problem) -> bool:
    texts = (problem.code, problem.specification, problem.tests, *(case.output for case in problem.cases))
    bare = _bare(output)
    return any(bare in text and re.search(rf"(?<!\w){re.escape(bare)}(?!\w)", text) for text in texts)


def _distance(run: Run, original: Run, problem: Problem) -> tuple[int, int, float]:
    """Return the distance of a run from the original: first in executed statements, then in steps and lengths.

    If two runs execute the same statements, a run with more empty texts, or with an output that occurs in the tests,
    has the larger distance. This includes an output that is too short for an exclusion.
    """
    assert run.output is not None and original.output is not None
    sizes = (
        (run.steps, original.steps),
        (len(run.output), len(original.output)),
        (len(run.input), len(original.input)),
    )
    far = sum(abs(math.log2((1 + one) / (1 + other))) for one, other in sizes)
    flaws = (_is_shown(run.output, problem), _empties(run.input) > _empties(original.input))
    return len(run.lines ^ original.lines), sum(flaws), far


def _empties(text: str) -> int:
    return text.count("''") + text.count('""')


@cache
def _uses_hashing(source: str) -> bool:
    """Whether what a program does may depend on the order of a set."""
    return any(
        isinstance(node, (ast.Set, ast.SetComp)) or (isinstance(node, ast.Name) and node.id in _HASHING)
        for node in ast.walk(ast.parse(source))
    )
