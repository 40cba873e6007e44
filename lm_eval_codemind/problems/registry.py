"""The benchmarks the suite knows: their names, what their programs are and how many there must be."""

from __future__ import annotations

from dataclasses import dataclass

from lm_eval_codemind.problems.record import Kind


@dataclass(frozen=True)
class Source:
    """What a benchmark is made of, and under which licence its authors give it.

    Attributes:
        name: The repository on GitHub, or what the programs were taken from by one.
        licence: Name of the licence; empty where there is none, so that all rights are reserved.
        free: Whether anybody may pass it on for any purpose, under the licence's terms.
    """

    name: str
    licence: str
    free: bool = True

    def __str__(self) -> str:
        return f"{self.name}: {self.licence or 'no licence'}"


CODEMIND = Source("Intelligent-CAT-Lab/CodeMind", "NCSA")
HUMAN_EVAL = Source("openai/human-eval", "MIT")
CRUXEVAL = Source("facebookresearch/cruxeval", "MIT")
CLASSEVAL = Source("FudanSELab/ClassEval", "CC BY-NC 4.0 (data)", free=False)
AVATAR = Source("wasiahmad/AVATAR", "CC BY-SA 4.0")
MBPP = Source("google-research/mbpp", "CC BY 4.0")
REVAL = Source("r-eval/REval", "", free=False)
OWN = Source("lm-eval-codemind", "MIT")


@dataclass(frozen=True)
class Benchmark:
    """A benchmark as it is built into one file.

    Attributes:
        name: The file's stem and the suffix of the tasks' names.
        title: What people call it.
        kind: The kind of all its programs; None where kinds are mixed.
        size: The number of problems the pinned revision yields, excluded ones included.
        sources: What it is made of.
        packaged: Whether its data comes with the package, so that nothing needs to be downloaded.
        labelled: Whether its problems have an input and an output to predict.
    """

    name: str
    title: str
    kind: Kind | None
    size: int
    sources: tuple[Source, ...]
    packaged: bool = False
    labelled: bool = True

    @property
    def free(self) -> bool:
        """Whether anybody may pass on all of it for any purpose."""
        return all(source.free for source in self.sources)


BENCHMARKS: dict[str, Benchmark] = {
    benchmark.name: benchmark
    for benchmark in (
        Benchmark("humaneval", "HumanEval", "function", 164, (HUMAN_EVAL, CODEMIND)),
        Benchmark("cruxeval", "CRUXEval", "function", 800, (CRUXEVAL,)),
        Benchmark("classeval", "ClassEval", "method", 400, (CLASSEVAL, CODEMIND)),
        Benchmark("avatar", "Avatar", "script", 86, (AVATAR, CODEMIND)),
        # What specification reasoning alone uses: descriptions with tests, without labels.
        Benchmark("classeval_methods", "ClassEval, all methods", "method", 410, (CLASSEVAL,), labelled=False),
        Benchmark("mbpp", "MBPP", "function", 427, (MBPP, CODEMIND), labelled=False),
        # What the artifact published: its own cut of the programs, with its labels, for replication.
        Benchmark("published_humaneval", "HumanEval as published", "function", 162, (HUMAN_EVAL, CODEMIND)),
        Benchmark("published_cruxeval", "CRUXEval as published", "function", 800, (CRUXEVAL, CODEMIND)),
        Benchmark("published_classeval", "ClassEval as published", "method", 400, (CLASSEVAL, CODEMIND)),
        Benchmark("published_avatar", "Avatar as published", "script", 86, (AVATAR, CODEMIND)),
        Benchmark("sample", "Sample", None, 24, (OWN,), packaged=True),
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
