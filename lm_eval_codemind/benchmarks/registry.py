"""The benchmarks the suite knows: their names, what their programs are and how many there must be."""

from __future__ import annotations

from dataclasses import dataclass

from lm_eval_codemind.problems.record import Kind


@dataclass(frozen=True)
class Benchmark:
    """A benchmark as it is built into one file.

    Attributes:
        name: The file's stem and the suffix of the tasks' names.
        title: What people call it.
        kind: The kind of all its programs; None where kinds are mixed.
        size: The number of problems the pinned revision yields, excluded ones included.
        packaged: Whether its data comes with the package, so that nothing needs to be downloaded.
        labelled: Whether its problems have an input and an output to predict.
    """

    name: str
    title: str
    kind: Kind | None
    size: int
    packaged: bool = False
    labelled: bool = True


BENCHMARKS: dict[str, Benchmark] = {
    benchmark.name: benchmark
    for benchmark in (
        Benchmark("humaneval", "HumanEval", "function", 164),
        Benchmark("cruxeval", "CRUXEval", "function", 800),
        Benchmark("classeval", "ClassEval", "method", 400),
        Benchmark("avatar", "Avatar", "script", 86),
        # What specification reasoning alone uses: descriptions with tests, without labels.
        Benchmark("classeval_methods", "ClassEval, all methods", "method", 410, labelled=False),
        Benchmark("mbpp", "MBPP", "function", 427, labelled=False),
        # What the artifact published: its own cut of the programs, with its labels, for replication.
        Benchmark("published_humaneval", "HumanEval as published", "function", 162),
        Benchmark("published_cruxeval", "CRUXEval as published", "function", 800),
        Benchmark("published_classeval", "ClassEval as published", "method", 400),
        Benchmark("published_avatar", "Avatar as published", "script", 86),
        Benchmark("sample", "Sample", None, 24, packaged=True),
    )
}


def get_benchmark(name: str) -> Benchmark:
    """Return the benchmark of that name.

    Raises:
        ValueError: naming the benchmarks there are, if there is none of that name.
    """
    if name not in BENCHMARKS:
        raise ValueError(f"there is no benchmark {name!r}; the benchmarks are: {', '.join(BENCHMARKS)}")
    return BENCHMARKS[name]
