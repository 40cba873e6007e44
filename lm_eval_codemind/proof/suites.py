"""The lists of the packaged suites: made, and compared with those of this release."""

from lm_eval_codemind.catalogue.limits import limits_of
from lm_eval_codemind.data.load import load_benchmark
from lm_eval_codemind.execution import Job, Sandbox, lists
from lm_eval_codemind.languages import kind_of

BENCHMARKS = ("humaneval", "mbpp", "humanevalfix", "classeval_methods", "classeval", "cruxeval", "sample")
"""The benchmarks whose suites are recorded. Of the same suites in two of them the later one gives the name."""


def suite_jobs(benchmark: str) -> dict[str, Job]:
    """Return the jobs that run a benchmark's own programs against their suites, by ``BENCHMARK/PROBLEM``."""
    return {
        f"{benchmark}/{problem.problem_id}": kind_of(problem).suite_job(
            problem, problem.code, limits=limits_of(problem)
        )
        for problem in load_benchmark(benchmark)
        if problem.language == "python" and problem.tests.strip()
    }


def verify_lists(benchmark: str) -> tuple[int, list[str]]:
    """Record a benchmark's suites again, and return how many have a list, and the names of those that differ."""
    with Sandbox() as sandbox:
        lines, _ = lists.record(sandbox, suite_jobs(benchmark))
    packaged = lists.shipped(benchmark)
    return len(lines), sorted(name for name in lines | packaged if lines.get(name) != packaged.get(name))
