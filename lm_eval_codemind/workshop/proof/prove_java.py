"""The proof of the outputs of Java programs: each program runs twice, if possible on two releases of Java."""

import dataclasses
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from tqdm.auto import tqdm

from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Job, Outcome, ScriptCase, Status
from lm_eval_codemind.sandbox.java.jdk import Jdk
from lm_eval_codemind.sandbox.java.sandbox import JavaSandbox
from lm_eval_codemind.workshop.facts.labels import Proof
from lm_eval_codemind.workshop.proof.prove import LIMITS, ProofError, classify_script, printed


def prove_java_labels(
    problems: Sequence[Problem],
    published: Mapping[str, Problem],
    workers: int = 1,
    *,
    runtimes: Sequence[Jdk | None] = (None, None),
) -> dict[str, Proof]:
    """Execute the programs of problems and return the proofs, by problem id.

    Args:
        published: The artifact's versions of the problems. Not used, because no Java program was repaired.
        runtimes: The Java runtimes. Each program runs once on each; None for the machine's JDK.

    Raises:
        JavaUnavailable: If there is no JDK.
    """
    proofs: dict[str, Proof] = {}
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
                # The same runtime gives the same output again, so the difference comes from the release.
                if printed(again[0]) == printed(runs[0][0]):
                    proof = dataclasses.replace(proof, reason="version")
            proofs[problem.problem_id] = proof
    return proofs


def _job(problem: Problem, first: int) -> Job:
    """Return the job that runs a program on its input and its suite's inputs, starting with the input ``first``."""
    inputs = [problem.input, *(case.input for case in problem.cases)][first:]
    cases = [ScriptCase(text) for text in inputs]
    return Job.script(problem.code, cases, limits=LIMITS, job_id=problem.problem_id, language=problem.language)


def _all_runs(problem: Problem, outcome: Outcome, sandbox: JavaSandbox) -> list[Outcome]:
    """Return one outcome per input. A job ends at the first input that fails, so a new job runs the inputs after it."""
    count = 1 + len(problem.cases)
    runs: list[Outcome] = []
    while True:
        if not outcome.observations:
            if outcome.status is Status.CRASHED:
                raise ProofError(f"{problem.problem_id}: {outcome.exception_message}")
            return runs + [outcome] * (count - len(runs))
        runs += [dataclasses.replace(outcome, observations=(observation,)) for observation in outcome.observations]
        if len(runs) == count:
            return runs
        (outcome,) = sandbox.run([_job(problem, len(runs))])
