"""The proof of labels: each program is executed under different conditions, and its output is classified."""

import dataclasses
import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass

from tqdm.auto import tqdm

from lm_eval_codemind.errors import MissingExtra
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.languages.python import CLASSEVAL_PACKAGES
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Job, Limits, Outcome, Sandbox, ScriptCase
from lm_eval_codemind.workshop.facts.labels import Proof, agrees, observed_label, prints_the_same, published_literal

# The packages of the `classeval` extra, by the name of their import.
REQUIRED_MODULES = (*CLASSEVAL_PACKAGES, "numpy", "sklearn", "time_machine")

LIMITS = Limits(cpu_seconds=60, wall_seconds=120)


@dataclass(frozen=True)
class Circumstance:
    """The conditions of an execution, which must not change the output.

    Attributes:
        hash_seed: ``PYTHONHASHSEED``.
        start: The start time of the program's clock, in seconds since the epoch.
        ticking: Whether that clock runs.
        folder: The working directory, relative to the sandbox's.
        addition: The way ``sum`` adds floats, a key of :data:`ADDITIONS`; empty for this interpreter's ``sum``.
    """

    hash_seed: int
    start: int
    ticking: bool = True
    folder: str = "work"
    addition: str = ""


_DAY = 86_400
_START = 1_753_264_801  # a Wednesday morning; the next day is in the same month, the year after in another year

CIRCUMSTANCES = (
    Circumstance(hash_seed=1, start=_START, folder="here", addition="plain"),
    Circumstance(hash_seed=2, start=_START + _DAY + 9_137, folder="there/deeper", addition="compensated"),
    Circumstance(hash_seed=3, start=_START + 400 * _DAY + 31_011, folder="elsewhere"),
)
_STOPPED = Circumstance(hash_seed=1, start=_START, ticking=False)
# Reasons for outputs that differ although the clock is stopped, each with the circumstances that show it. Chance shows
# under the same conditions again and with another seed. Of scripts only chance is examined.
_CAUSES: Sequence[tuple[str, Sequence[Circumstance]]] = (
    ("identity", (_STOPPED, _STOPPED, dataclasses.replace(_STOPPED, hash_seed=2, folder="other"))),
    ("version", tuple(dataclasses.replace(_STOPPED, addition=addition) for addition in ("plain", "compensated"))),
)

# Since Python 3.12, ``sum`` compensates the rounding of floats, so the last digits may differ. Programs run with both
# kinds of ``sum`` on every version, and their outputs must be the same.
_ADD = """\
def _add(items, /, start=0, _sum=sum):
    if isinstance(start, (str, bytes, bytearray)):
        return _sum(items, start)
"""
ADDITIONS = {
    "plain": f"""{_ADD}\
    total = start
    for item in items:
        total = total + item
    return total
""",
    "compensated": f"""{_ADD}\
    total, lost, fast = start, 0.0, True
    for item in items:
        if fast and type(total) is float and type(item) is float:
            new = total + item
            lost += (total - new) + item if abs(total) >= abs(item) else (item - new) + total
            total = new
            continue
        if type(total) is float and not isinstance(item, int) and fast:
            total, lost, fast = _with(total, lost), 0.0, False
        total = total + item
    return _with(total, lost)


def _with(total, lost):
    return total + lost if lost and lost - lost == 0 else total
""",
}
USE_ADDITION = "import builtins as _builtins\n_builtins.sum = _add\n"

# The sandbox gives every program the same random seeds. Here the seeds must differ.
_PRELUDE = """\
import os as _os
import random as _random
import sys as _sys
import time_machine as _time_machine
_os.makedirs({folder!r}, exist_ok=True)
_os.chdir({folder!r})
_time_machine.travel({start}, tick={ticking}).start()
_random.seed(_os.urandom(16))
if "numpy" in _sys.modules:
    _sys.modules["numpy"].random.seed()
"""

# Runs the module again for every expression, so that a second run has the files of the first but not its objects.
# nltk finds no corpora, because the proofs must not depend on the corpora of a machine.
_RUNNER = """\
def _run():
    if {uses_nltk}:
        import nltk
        nltk.data.path.clear()
    namespace = {{"__name__": "program", "__file__": _os.path.join(_os.getcwd(), "program.py")}}
    exec(compile({module!r}, "program.py", "exec"), namespace)
    return eval({expression!r}, namespace)
"""


class ProofError(RuntimeError):
    """A program could not be executed, for a reason outside the program, so it has no proof."""


def require_packages() -> None:
    """Check that all packages that the programs import are installed.

    Raises:
        MissingExtra: If a package is missing. The message names it and the command that installs it.
    """
    missing = [name for name in REQUIRED_MODULES if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingExtra(
            f"executing the programs needs packages that are not installed ({', '.join(missing)}); "
            "run `pip install 'lm-eval-codemind[classeval]'`"
        )


def prove_labels(problems: Sequence[Problem], published: Mapping[str, Problem], workers: int = 1) -> dict[str, Proof]:
    """Execute the programs of problems and return the proofs, by problem id.

    Args:
        problems: Unproven problems from the readers. A problem that its reader excludes is not executed.
        published: The artifact's versions of the problems, by problem id. A problem counts as repaired if the
            artifact's version does not run and ours does. A problem without a published label was never published, so
            it counts as added.
        workers: Number of parallel programs, for each of the hash seeds.

    Raises:
        MissingExtra: If packages that the programs import are not installed.
        ProofError: If a program could not be executed, for a reason outside the program.
    """
    require_packages()
    with ExitStack() as stack:
        seeds = sorted({circumstance.hash_seed for circumstance in CIRCUMSTANCES})
        sandboxes = {
            seed: stack.enter_context(Sandbox(workers=workers, preload=("time_machine",), hash_seed=seed))
            for seed in seeds
        }
        return dict(_prove_each(problems, published, sandboxes))


def _prove_each(
    problems: Sequence[Problem], published: Mapping[str, Problem], sandboxes: Mapping[int, Sandbox]
) -> Iterator[tuple[str, Proof]]:
    def submit(problem: Problem, circumstance: Circumstance) -> list[Future[Outcome]]:
        return [sandboxes[circumstance.hash_seed].submit(job) for job in _jobs(problem, circumstance)]

    runs = []
    own = {}
    for problem in problems:
        if problem.category == "excluded":
            # The reader excluded it for another reason, such as a test that showed that the program does not end.
            yield problem.problem_id, Proof("excluded", problem.reason)
            continue
        runs.append((problem, [submit(problem, circumstance) for circumstance in CIRCUMSTANCES]))
        if problem.problem_id in published:
            # Run upstream's version on its own input only.
            original = dataclasses.replace(published[problem.problem_id], cases=())
            (job,) = _jobs(original, CIRCUMSTANCES[0])
            # Most are the same program with the same input, so the first run is valid for both.
            same = job == _jobs(problem, CIRCUMSTANCES[0])[0]
            own[problem.problem_id] = runs[-1][1][0][:1] if same else submit(original, CIRCUMSTANCES[0])
    for problem, futures in tqdm(runs, desc="executing", unit="problem"):
        outcomes = [_results(of_circumstance) for of_circumstance in futures]
        ran_as_published = problem.problem_id in own and _ran(_results(own[problem.problem_id])[0])
        if kind_of(problem).printed:
            proof = classify_script(problem, outcomes, ran_as_published)
            output, causes = printed, _CAUSES[:1]
        else:
            proof = _classify_value(problem, [outcome for (outcome,) in outcomes], ran_as_published)
            output, causes = _returned, _CAUSES
        for reason, circumstances in causes if proof.reason == "time" else ():
            again = [_results(submit(problem, circumstance))[0] for circumstance in circumstances]
            if len(set(map(output, again))) > 1:
                proof = dataclasses.replace(proof, reason=reason)
                break
        yield problem.problem_id, proof


def prelude_of(circumstance: Circumstance) -> str:
    """Return the statements that make the circumstances of an execution, but for the hash seed."""
    prelude = _PRELUDE.format(folder=circumstance.folder, start=circumstance.start, ticking=circumstance.ticking)
    if circumstance.addition:
        prelude += ADDITIONS[circumstance.addition] + USE_ADDITION
    return prelude


def _results(futures: Sequence[Future[Outcome]]) -> list[Outcome]:
    return [future.result() for future in futures]


def _jobs(problem: Problem, circumstance: Circumstance) -> list[Job]:
    """Return the jobs for one circumstance: one job, or for a script one job per input."""
    execution, prelude = kind_of(problem).execution(problem), prelude_of(circumstance)
    if execution.expression is None:
        # A job with several cases ends at the first one that fails.
        stdins = [problem.input, *(case.input for case in problem.cases)]
        program = prelude + execution.module
        return [Job.script(program, [ScriptCase(stdin)], limits=LIMITS, job_id=problem.problem_id) for stdin in stdins]
    program = prelude + _RUNNER.format(
        uses_nltk="nltk" in execution.module, module=execution.module, expression=execution.expression.strip()
    )
    return [Job.evaluate(program, ["_run()", "_run()"], limits=LIMITS, job_id=problem.problem_id)]


def _ran(outcome: Outcome) -> bool:
    if not outcome.observations:
        return False
    first = outcome.observations[0]
    return first.status == "passed" and not first.exception_type


def _classify_value(problem: Problem, outcomes: Sequence[Outcome], ran_as_published: bool) -> Proof:
    """Classify a function's or a method's output from its runs under :data:`CIRCUMSTANCES`."""
    for outcome in outcomes:
        if not outcome.exception_type and not outcome.observations:
            raise ProofError(f"{problem.problem_id}: ended as {outcome.status} without a result; run the proof again")
        if not outcome.observations:
            return Proof("excluded", _reason_of(outcome.exception_type, outcome.exception_message))
    first = [outcome.observations[0] for outcome in outcomes]
    for observation in first:
        if observation.exception_type:
            return Proof("excluded", _reason_of(observation.exception_type, observation.exception_message))
    texts = [observed_label(observation.literal) for observation in first]
    if len(set(texts)) > 1:
        return Proof("excluded", "time")
    text = texts[0]
    if text is None:
        return Proof("excluded", "no_literal")
    second = [observed_label(outcome.observations[1].literal) for outcome in outcomes if len(outcome.observations) > 1]
    if second != texts:
        return Proof("excluded", "state")
    label = problem.published_output
    if label is None:
        return Proof("added", output=text)
    differs = published_literal(label) != text
    if not ran_as_published:
        return Proof("repaired", output=text if differs else None)
    category = "confirmed" if agrees(label, text) else "corrected"
    return Proof(category, output=text if differs else None)  # type: ignore[arg-type]


def classify_script(problem: Problem, outcomes: Sequence[Sequence[Outcome]], ran_as_published: bool) -> Proof:
    """Classify a script's output and test suite from its runs under :data:`CIRCUMSTANCES`, one outcome per input."""
    columns = [[printed(outcome) for outcome in of_input] for of_input in zip(*outcomes, strict=True)]
    proven = [column[0] if len(set(column)) == 1 else None for column in columns]
    cases = {
        position: output
        for position, (case, output) in enumerate(zip(problem.cases, proven[1:], strict=True))
        if output is None or not prints_the_same(case.output, output)
    }
    label, output = problem.published_output, proven[0]
    if output is None:
        missing = outcomes[0][0].exception_type in ("ImportError", "ModuleNotFoundError")
        failure = "dependency" if missing else "fails"
        return Proof("excluded", failure if None in columns[0] else "time", cases=cases)
    assert label is not None
    differs = not prints_the_same(label, output)
    category = ("corrected" if differs else "confirmed") if ran_as_published else "repaired"
    return Proof(category, output=output if differs else None, cases=cases)  # type: ignore[arg-type]


def printed(outcome: Outcome) -> str | None:
    """Return the printed text of a script; None if it ended with an error."""
    return outcome.observations[0].stdout if _ran(outcome) else None


def _returned(outcome: Outcome) -> str | None:
    return observed_label(outcome.observations[0].literal) if outcome.observations else None


def _reason_of(exception_type: str, message: str) -> str:
    if exception_type in ("ImportError", "ModuleNotFoundError", "LookupError", "PermissionError"):
        return "dependency"
    if exception_type == "AttributeError" and "was removed in" in message:
        return "dependency"
    if exception_type in ("FileNotFoundError", "OperationalError"):
        return "state"
    return "no_literal"
