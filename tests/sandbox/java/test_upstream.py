"""Canonical programs in Java pass their tests in the sandbox, and the same with one thing changed fail them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Job, Limits, Outcome, Status
from lm_eval_codemind.sandbox.java.sandbox import COMPILE_ERROR, JavaSandbox
from lm_eval_codemind.workshop.benchmarks import Upstream
from lm_eval_codemind.workshop.benchmarks.sample import read_java
from lm_eval_codemind.workshop.build import read_proven
from tests.sandbox.java.mutants import mutants

LIMITS = Limits(cpu_seconds=20, wall_seconds=60)
# A mutant may not end; its program would have by then.
MUTANT_LIMITS = Limits(cpu_seconds=3, wall_seconds=30)
# A mutant that passes is replaced by another one, so many times.
MOST = 40
# At the strongest level every program runs, at others some; with some of its tests. All of them take long.
EVERY, TESTS = 10, 2


def failing(sandbox: JavaSandbox, problems: Sequence[Problem]) -> list[Outcome]:
    """Return the outcomes of canonical programs that do not pass all their tests."""
    outcomes = sandbox.run([job(problem, problem.code, LIMITS) for problem in problems])
    return [outcome for outcome in outcomes if not outcome.passed]


def surviving(sandbox: JavaSandbox, problems: Sequence[Problem]) -> list[str]:
    """Return the problems for which no mutant fails, by name. One that does not compile does not count."""
    left: dict[str, tuple[Problem, Iterator[str]]] = {
        problem.problem_id: (problem, mutants(problem.code)) for problem in problems
    }
    for _ in range(MOST):
        sources = {name: next(of, None) for name, (_, of) in left.items()}
        jobs = [job(left[name][0], source, MUTANT_LIMITS) for name, source in sources.items() if source is not None]
        for outcome in sandbox.run(jobs):
            if not outcome.passed and outcome.exception_type != COMPILE_ERROR:
                assert outcome.status in (Status.FAILED, Status.ERROR, Status.TIMEOUT, Status.MEMORY), outcome
                del left[outcome.job_id]
    return sorted(left)


def job(problem: Problem, source: str, limits: Limits) -> Job:
    return kind_of(problem).suite_job(problem, source, limits=limits)


def programs(upstream: Upstream) -> list[Problem]:
    """Return the sample's programs and those of Avatar whose labels are proven, with all their tests."""
    avatar = [problem for problem in read_proven("avatar_java", upstream) if problem.category != "excluded"]
    return [*read_java(), *avatar]


def test_canonical_programs_pass_and_mutants_fail(upstream, level, sandbox_at):
    chosen = programs(upstream) if level == "bubblewrap" else programs(upstream)[::EVERY]
    some = [replace(problem, cases=problem.cases[:TESTS]) for problem in chosen]
    assert len(some) >= 6
    assert failing(sandbox_at, some) == []
    assert surviving(sandbox_at, some) == []
