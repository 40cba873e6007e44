"""The lists of the packaged suites: made, and compared with those of this release."""

import json
import sys
from collections.abc import Mapping

from lm_eval_codemind.data.load import load_benchmark
from lm_eval_codemind.sandbox import Job, Sandbox, lists
from lm_eval_codemind.workshop.build import suite_jobs

BENCHMARKS = ("humaneval", "mbpp", "humanevalfix", "classeval_methods", "classeval", "cruxeval", "sample")
"""The benchmarks whose suites are recorded."""
_PYTHON = (3, 11)  # the Python that recorded the packaged lists


def verify_lists(benchmark: str) -> tuple[int, list[str]]:
    """Record a benchmark's suites again, and return how many have a list, and the names of those that differ."""
    return differing_lists(suite_jobs(load_benchmark(benchmark)))


def differing_lists(jobs: Mapping[str, Job], workers: int | None = None) -> tuple[int, list[str]]:
    """Record the suites of jobs, and return how many have a list, and the names of those that differ from ours."""
    with Sandbox(workers) as sandbox:
        made, reasons = lists.record(sandbox, jobs)
    packaged = lists.known()
    differing = [
        name
        for name, suite in ((name, lists.digest(job)) for name, job in jobs.items())
        if differ(made.get(suite), packaged.get(suite))
    ]
    return len(jobs) - len(reasons), differing


def differ(*texts: str | None) -> bool:
    """Whether two lists differ. Answers do not count if one has none, such as the time, or on another Python."""
    first, second = (json.loads(text or "{}") for text in texts)
    if sys.version_info[:2] != _PYTHON or "" in (first.get("answers"), second.get("answers")):
        first["answers"] = second["answers"] = ""
    return bool(first != second)
