"""The proof of what programs in Java print: each runs twice, if possible on virtual machines of two releases."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack

from tqdm.auto import tqdm

from lm_eval_codemind.execution import Job, Outcome, ScriptCase, Status
from lm_eval_codemind.facts.labels import Proof
from lm_eval_codemind.languages.java.runtime.jdk import Jdk
from lm_eval_codemind.languages.java.runtime.sandbox import JavaSandbox
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.proof.prove import LIMITS, ProofError, classify_script, printed


def prove_java_labels(
    problems: Sequence[Problem],
    published: Mapping[str, Problem],
    workers: int = 1,
    *,
    runtimes: Sequence[Jdk | None] = (None, None),
) -> dict[str, Proof]:
    """Execute problems and return what that proves, by problem id.

    Args:
        problems: As the readers return them, unproven.
        published: The artifact's own versions of them; not needed, since none was repaired.
        workers: Programs at a time, for each of the runtimes.
        runtimes: What the programs run on, once each; None for the machine's JDK.

    Raises:
        JavaUnavailable: If there is no JDK.
    """
    return dict(prove_each(problems, workers, runtimes))


def prove_each(
    problems: Sequence[Problem], workers: int, runtimes: Sequence[Jdk | None]
) -> Iterator[tuple[str, Proof]]:
    """Yield what executing each problem proves, as soon as it is known."""
    with ExitStack() as stack:
        sandboxes = [stack.enter_context(JavaSandbox(workers, runtime=runtime)) for runtime in runtimes]
        started = [[sandbox.submit(_job(problem, 0)) for sandbox in sandboxes] for problem in problems]
        for problem, futures in tqdm(list(zip(problems, started, strict=True)), desc="executing", unit="problem"):
            runs = [
                _all_runs(problem, future.result(), sandbox) for sandbox, future in zip(sandboxes, futures, strict=True)
            ]
            proof = classify_script(problem, runs, ran_as_published=True)
            if proof.reason == "time":
                again = _all_runs(problem, sandboxes[0].run([_job(problem, 0)])[0], sandboxes[0])
                # The same machine gives the same again: then it is the release that matters.
                if printed(again[0]) == printed(runs[0][0]):
                    proof = dataclasses.replace(proof, reason="version")
            yield problem.problem_id, proof


def _job(problem: Problem, first: int) -> Job:
    """Return the job that runs a program on its input and its suite's inputs, from the given one on."""
    inputs = [problem.input, *(case.input for case in problem.cases)][first:]
    cases = [ScriptCase(text) for text in inputs]
    return Job.script(problem.code, cases, limits=LIMITS, job_id=problem.problem_id, language=problem.language)


def _all_runs(problem: Problem, outcome: Outcome, sandbox: JavaSandbox) -> list[Outcome]:
    """Return an outcome for each input. A job ends with the first input that a program fails on; others follow it."""
    wanted = 1 + len(problem.cases)
    found: list[Outcome] = []
    while True:
        if not outcome.observations:
            if outcome.status is Status.CRASHED:
                raise ProofError(f"{problem.problem_id}: {outcome.exception_message}")
            return found + [outcome] * (wanted - len(found))
        found += [dataclasses.replace(outcome, observations=(observation,)) for observation in outcome.observations]
        if len(found) == wanted:
            return found
        (outcome,) = sandbox.run([_job(problem, len(found))])
