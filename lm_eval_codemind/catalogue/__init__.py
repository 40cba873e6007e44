"""Which benchmarks there are and how they relate. Nothing here reads or builds one."""

from collections.abc import Mapping

from lm_eval_codemind.catalogue.benchmark import OWN, Archive, Benchmark, Source
from lm_eval_codemind.plugins import registered

__all__ = [
    "OWN",
    "Archive",
    "Benchmark",
    "Source",
    "benchmarks",
    "fixed_form",
    "get_benchmark",
    "labelled_form",
    "same_problems",
    "twin_of",
]

_PACKAGED = ("lm_eval_codemind.catalogue.benchmark:BENCHMARKS",)


def benchmarks() -> Mapping[str, Benchmark]:
    """Return the benchmarks by name: this package's, and those that other packages bring."""
    return registered("benchmarks", _PACKAGED)


def get_benchmark(name: str) -> Benchmark:
    """Return the benchmark of that name.

    Raises:
        ValueError: If there is no benchmark of that name. The message names the existing benchmarks.
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
    """Return the canonical benchmark for pooling problems: the one that this one extends, else itself."""
    known = benchmarks().get(name)
    return known.extends if known is not None and known.extends else name


def labelled_form(name: str) -> str:
    """Return the benchmark that has a benchmark's problems with inputs and their outputs: the benchmark itself, or the
    first of those that count the same problems; empty if there is none.
    """
    known = benchmarks()
    alike = [name, *(one for one in known if same_problems(one) == same_problems(name))]
    return next((one for one in alike if known[one].labels in ("proven", "own") and not fixed_form(one)), "")
