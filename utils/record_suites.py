"""Make and prove the lists of the packaged suites: ``python utils/record_suites.py [--check] [BENCHMARK …]``.

Runs each benchmark's own program with its suite, records the steps that the suite takes, and runs the tests again on the
recorded answers alone. Suites that pass so have a list, in ``lm_eval_codemind/facts/suite_steps.jsonl.xz``. Needs built
data of the benchmarks (``codemind data build``). Prints for each benchmark how many suites have a list, and why others
have none.

With ``--check`` nothing is written, and the exit status is 1 if the file would change.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections import Counter

from lm_eval_codemind.catalogue.limits import limits_of
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.execution import Job, Sandbox, lists
from lm_eval_codemind.languages import kind_of

BENCHMARKS = ("humaneval", "mbpp", "humanevalfix", "classeval_methods", "classeval", "cruxeval", "sample")


def main() -> int:
    """Record the suites, and write or check the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmarks", nargs="*", default=BENCHMARKS, metavar="BENCHMARK")
    parser.add_argument("--check", action="store_true", help="Write nothing; exit with 1 if the file would change.")
    options = parser.parse_args()
    made: list[tuple[Job, str, str]] = []
    with Sandbox() as sandbox:
        for benchmark in options.benchmarks:
            jobs = suites(benchmark)
            outcomes = sandbox.run(dataclasses.replace(job, record=True) for job in jobs)
            reasons: Counter[str] = Counter()
            for job, outcome in zip(jobs, outcomes, strict=True):
                if outcome.passed:
                    made.append((job, f"{benchmark}/{job.job_id}", outcome.observations[0].literal or ""))
                else:
                    reasons[outcome.exception_message.splitlines()[0][:80] if outcome.exception_message else "?"] += 1
                    print(
                        f"  {job.job_id}: {outcome.status} {outcome.exception_type} {outcome.exception_message[:200]!r} {outcome.failed_test[:100]}"
                    )
            print(f"{benchmark}: {sum(outcome.passed for outcome in outcomes)} of {len(jobs)} suites have a list")
    content = lists.pack(made)
    if options.check:
        same = content == lists.SHIPPED.read_bytes()
        print("the lists are up to date" if same else "the lists have changed")
        return 0 if same else 1
    lists.SHIPPED.write_bytes(content)
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
