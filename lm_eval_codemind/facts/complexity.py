"""The complexity columns of built problems; loop lengths come from the shipped measurements."""

import dataclasses

from lm_eval_codemind.facts import shipped
from lm_eval_codemind.languages import kind_of, measured
from lm_eval_codemind.problems import Problem, digest

# "code" -> benchmark -> problem id -> loop iterations of C on the problem's input; "transformed" -> the same for C+,
# with the digest of the C+ that was measured.
LOOP_LENGTHS = "proofs/loop_lengths.json"


def with_complexity(problem: Problem) -> Problem:
    """Return the problem with its complexity columns, without executing its program."""
    lengths = shipped.load(LOOP_LENGTHS)
    code = lengths.get("code", {}).get(problem.benchmark, {}).get(problem.problem_id)
    transformed, of = lengths.get("transformed", {}).get(problem.benchmark, {}).get(problem.problem_id, (None, ""))
    loops = transformed if of == short_digest(problem.transformed) else None
    return dataclasses.replace(
        problem,
        complexity=measured(problem.language, problem.code, code),
        transformed_complexity=measured(problem.language, problem.transformed, loops),
        output_type="" if problem.output is None else kind_of(problem).output_type(problem.output) or "",
    )


def short_digest(program: str) -> str:
    """Return the first eight hexadecimal digits of the SHA-256 of a program."""
    return digest(program.encode("utf-8"))[:8]
