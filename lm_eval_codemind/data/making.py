"""The one door to the workshop: what is made or proven while somebody evaluates.

The workshop registers its functions with the entry points ``lm_eval_codemind.workshop``, and a function is imported
when it is called for the first time. Who evaluates built data with the packaged seeds calls none.
"""

# The functions are only declared here.
# mypy: disable-error-code="empty-body"

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.problems import Problem

if TYPE_CHECKING:
    from lm_eval_codemind.data.facts.executions import ProgramExecution
    from lm_eval_codemind.data.facts.fresh import Fresh
    from lm_eval_codemind.data.facts.horizon import Rungs

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Execution:
    """A program to run on an input.

    Attributes:
        problem: The problem that it solves.
        program: Its complete source.
        input: Its input, in the form of ``problem.input``; None if no input is known.
    """

    problem: Problem
    program: str
    input: str | None


@dataclass(frozen=True)
class Proven:
    """The result of a proof: an output, or the cause why there is no output.

    Attributes:
        cause: A key of :data:`~lm_eval_codemind.workshop.proof.prove_outputs.CAUSES`.
    """

    output: str | None
    cause: str = ""


@dataclass(frozen=True)
class Contents:
    """A benchmark that is not stored.

    Attributes:
        problems: Its problems.
        sides: Side file -> problem id -> record.
        digests: What the digests of its files would be, as :class:`~lm_eval_codemind.data.manifest.Entry` has them.
    """

    problems: tuple[Problem, ...]
    sides: Mapping[str, Mapping[str, Any]]
    digests: Mapping[str, str]


@cache
def _registered(name: str) -> EntryPoint:
    for point in entry_points(group="lm_eval_codemind.workshop", name=name):
        return point
    raise UserError(
        f"this installation of lm-eval-codemind is older than its code, and does not know how to make {name!r}: run "
        "the command again with which you installed it, such as `pip install --editable .`"
    )


def _of_the_workshop(declared: Callable[P, R]) -> Callable[P, R]:
    """Return the function that the workshop registers under the name of a declared one."""

    @wraps(declared)
    def call(*arguments: P.args, **named: P.kwargs) -> R:
        made: R = _registered(declared.__name__).load()(*arguments, **named)
        return made

    return call


@_of_the_workshop
def build(name: str, directory: Path) -> None:
    """Build a benchmark into a directory, from upstream's files, which are downloaded into its folder ``upstream``.

    Raises:
        UpstreamError: If upstream's data is missing or is not what it must be, or the directory cannot be written.
    """


@_of_the_workshop
def contents(name: str, directory: Path) -> Contents:
    """Return a benchmark without storing it. Upstream's files are downloaded as for :func:`build`.

    Raises:
        UpstreamError: If upstream's data is missing or is not what it must be.
    """


@_of_the_workshop
def transformed(problems: Sequence[Problem], seed: int) -> list[Problem]:
    """Return problems with a new C+ of a seed, verified by execution.

    Raises:
        UserError: If a package that C+ imports is not installed.
        IsolationUnavailable: If programs cannot be executed safely on this machine.
    """


@_of_the_workshop
def fresh(problems: Sequence[Problem], seed: int, count: int) -> dict[str, Fresh]:
    """Return new inputs of problems with their proven outputs, by problem id.

    Raises:
        IsolationUnavailable: If programs cannot be executed safely on this machine.
    """


@_of_the_workshop
def horizon(problems: Sequence[Problem], seed: int, template: str) -> Rungs:
    """Return the programs of a seed of the horizon task with their proven outputs.

    Args:
        problems: CRUXEval's, whose functions chains are made of.
        template: The words of a prompt around program and call, in which no output stands.

    Raises:
        MissingExtra: If the extra ``horizon`` is not installed.
        UserError: If there are not so many programs for a level.
        IsolationUnavailable: If programs cannot be executed safely on this machine.
    """


@_of_the_workshop
def hint(problem: Problem, seed: int, telling: Collection[int]) -> Problem:
    """Return the problem with a test of its suite drawn for the prompt, and that test's misleading twin.

    Args:
        telling: Positions of the tests to draw from, if some of them tell more than others; empty for all.
    """


@_of_the_workshop
def misled(problem: Problem) -> str | None:
    """Return code that passes a problem's misleading test and nothing else; None where there is none."""


@_of_the_workshop
def own_problem(name: str, code: str, call: str | None, stdin: str | None) -> Problem:
    """Return a program of the user as a problem without an output.

    Args:
        call: The call whose value is the output; None for a script.
        stdin: What a script reads; None for a call.

    Raises:
        UserError: If it is not such a program, call or text. The message says why.
    """


@_of_the_workshop
def prove_programs(
    problems: Sequence[Problem], inputs: int, seed: int
) -> tuple[list[tuple[Problem, ProgramExecution]], dict[str, str]]:
    """Return programs with their output and execution, and the reason for each one that is left out, by problem id.

    Args:
        problems: What :func:`own_problem` returned.
        inputs: The number of fresh inputs for each program, in addition to its own input.
        seed: The seed of the fresh inputs.

    Raises:
        MissingExtra: If ``time-machine`` is not installed.
        IsolationUnavailable: If programs cannot be executed safely on this machine.
    """


@_of_the_workshop
def outputs_of(executions: Sequence[Execution]) -> list[Proven]:
    """Execute each program twice and return what that proves, in their order.

    Raises:
        IsolationUnavailable: If programs cannot be executed safely on this machine.
    """
