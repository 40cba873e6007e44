"""The benchmarks the suite knows."""

from __future__ import annotations

from collections.abc import Mapping

from lm_eval_codemind.benchmarks.benchmark import Benchmark
from lm_eval_codemind.execution import Limits
from lm_eval_codemind.plugins import registered
from lm_eval_codemind.problems import Problem

# In the order in which they are built and shown.
_PACKAGED = tuple(
    f"lm_eval_codemind.benchmarks.{module}"
    for module in (
        "humaneval:HUMANEVAL",
        "cruxeval:CRUXEVAL",
        "classeval:CLASSEVAL",
        "avatar:AVATAR",
        "classeval_methods:CLASSEVAL_METHODS",
        "mbpp:MBPP",
        "humanevalfix:HUMANEVALFIX",
        "mbpp:MBPP_LABELLED",
        "codenet:CODENET_PYTHON",
        "codenet:CODENET_JAVA",
        "avatar_java:AVATAR_JAVA",
        "published:PUBLISHED",
        "reval:REVAL",
        "sample:SAMPLE",
        "sample_bugs:SAMPLE_BUGS",
        "sample:SAMPLE_JAVA",
    )
)
_LIMITS_OF_SLOW = Limits(cpu_seconds=60, wall_seconds=120)


def benchmarks() -> Mapping[str, Benchmark]:
    """Return the benchmarks by name: this package's, and those that other packages bring."""
    return registered("benchmarks", _PACKAGED)


def get_benchmark(name: str) -> Benchmark:
    """Return the benchmark of that name.

    Raises:
        ValueError: naming the benchmarks there are, if there is none of that name.
    """
    known = benchmarks()
    if name not in known:
        raise ValueError(f"there is no benchmark {name!r}; the benchmarks are: {', '.join(known)}")
    return known[name]


def twin_of(name: str) -> str:
    """Return the benchmark that a published one is the published form of; the name itself for any other."""
    return next((one.name for one in benchmarks().values() if one.published_as == name), name)


def fixed_form(name: str) -> str:
    """Return the benchmark that has the correct programs of a benchmark of buggy ones; empty for any other."""
    return next((one.name for one in benchmarks().values() if one.buggy_as == name), "")


def same_problems(name: str) -> str:
    """Return the benchmark under whose name a benchmark's problems are counted together with another's."""
    known = benchmarks().get(name)
    return known.extends if known is not None and known.extends else name


def labelled_form(name: str) -> str:
    """Return the benchmark that has a benchmark's problems with inputs and their outputs: the benchmark itself, or the
    first of those that count the same problems; empty if there is none.
    """
    known = benchmarks()
    alike = [name, *(one for one in known if same_problems(one) == same_problems(name))]
    return next((one for one in alike if known[one].labels in ("proven", "own") and not fixed_form(one)), "")


def limits_of(problem: Problem) -> Limits:
    """Return what a program that answers a problem may use. Of a class, all methods are judged by the same suite."""
    known = benchmarks().get(problem.benchmark)
    slow = known is not None and not {problem.problem_id, problem.problem_id.partition("@")[0]}.isdisjoint(known.slow)
    return _LIMITS_OF_SLOW if slow else Limits()
