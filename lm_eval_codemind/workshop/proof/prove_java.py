"""The proof of the outputs of Java programs: each program runs twice."""

import dataclasses
from collections.abc import Mapping, Sequence

from tqdm.auto import tqdm

from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Job, Outcome, ScriptCase, Status
from lm_eval_codemind.sandbox.java.sandbox import JavaSandbox
from lm_eval_codemind.workshop.facts.labels import Proof
from lm_eval_codemind.workshop.proof.prove import LIMITS, ProofError, classify_script


def prove_java_labels(
    problems: Sequence[Problem], published: Mapping[str, Problem], workers: int = 1
) -> dict[str, Proof]:
    """Execute the programs of problems and return the proofs, by problem id.

    Args:
        published: The artifact's versions of the problems. Not used, because no Java program was repaired.

    Raises:
        JavaUnavailable: If there is no JDK.
    """
    proofs: dict[str, Proof] = {}
    with JavaSandbox(workers) as first, JavaSandbox(workers) as second:
        sandboxes = (first, second)
        started = [[sandbox.submit(_job(problem, 0)) for sandbox in sandboxes] for problem in problems]
        for problem, futures in tqdm(list(zip(problems, started, strict=True)), desc="executing", unit="problem"):
            runs = [
                _all_runs(problem, future.result(), sandbox) for sandbox, future in zip(sandboxes, futures, strict=True)
            ]
            proofs[problem.problem_id] = classify_script(problem, runs, ran_as_published=True)
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
