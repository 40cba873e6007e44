"""Write the list of suites that start inside: ``python utils/find_inside_suites.py [--check]``.

Runs each benchmark's own program against its suite, without the list. A suite whose program passes, and passes inside
only, goes into ``lm_eval_codemind/execution/inside_suites.txt``, one line each: the digest of the suite, and the
benchmark and the problem for the reader. Needs built data of the benchmarks (``codemind data build``).

With ``--check`` nothing is written; the list is printed in which the two differ. Prints for each benchmark how many
suites are judged outside.
"""

from __future__ import annotations

import argparse
import sys

from lm_eval_codemind.catalogue.limits import limits_of
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.execution import Job, Sandbox
from lm_eval_codemind.execution import sandbox as pool
from lm_eval_codemind.languages import kind_of

BENCHMARKS = ("humaneval", "mbpp", "humanevalfix", "classeval_methods", "classeval", "cruxeval", "sample")


def main() -> int:
    """Execute the programs, and write or check the list."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="Write nothing; exit with 1 if the list would change.")
    options = parser.parse_args()
    pool._listed = frozenset  # type: ignore[assignment]
    lines: dict[str, str] = {}
    with Sandbox() as sandbox:
        for benchmark in BENCHMARKS:
            jobs = suites(benchmark)
            outcomes = sandbox.run(jobs)
            for job, outcome in zip(jobs, outcomes, strict=True):
                # A program that fails here, such as for want of data, says nothing about its suite.
                if outcome.passed and not outcome.tamper_proof:
                    name = pool.digest(job.kind, job.tests, job.support, job.entry_point, job.only)
                    lines.setdefault(name, f"{benchmark}/{job.job_id}")
            outside = sum(outcome.tamper_proof for outcome in outcomes)
            failed = [outcome.job_id for outcome in outcomes if not outcome.passed]
            print(f"{benchmark}: {outside} of {len(jobs)} suites outside; failed: {failed}", flush=True)
    text = "".join(f"{digest} {name}\n" for digest, name in sorted(lines.items(), key=lambda line: line[1]))
    if options.check:
        same = text == pool.INSIDE_SUITES.read_text(encoding="ascii")
        print("the list is up to date" if same else "the list has changed")
        return 0 if same else 1
    pool.INSIDE_SUITES.write_text(text, encoding="ascii")
    return 0


def suites(benchmark: str) -> list[Job]:
    """Return the jobs that run a benchmark's own programs against their suites."""
    jobs = []
    for problem in load_benchmark(benchmark):
        if problem.language == "python" and problem.tests.strip():
            jobs.append(kind_of(problem).suite_job(problem, problem.code, limits=limits_of(problem)))
    return jobs


if __name__ == "__main__":
    sys.exit(main())
