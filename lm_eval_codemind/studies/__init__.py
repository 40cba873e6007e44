"""Studies of other groups, with their questions and rules; their benchmarks, and the repositories of these."""

from dataclasses import replace

from lm_eval_codemind.data.catalogue import SOURCES, Archive, Benchmark, Source

RE2BENCH = Archive("RE2Bench", "Intelligent-CAT-Lab/RE2Bench", "d00b99c7")
# Its files are pinned by digest.
COCONUT = Archive("CoCoNUT", "ClaasBeger/StructuralCodeUnderstanding", "main")
CES = Archive("CES", "Intelligent-CAT-Lab/CES", "8ddcae4")
_CES_SOURCE = Source(CES.repository, "NCSA")

_RE2 = Benchmark(
    name="re2",
    title="RE2-Bench",
    kind=None,
    size=585,
    reader="lm_eval_codemind.studies.re2.data:read",
    archives=(RE2BENCH,),
    sources=(Source(RE2BENCH.repository, "", free=False),),
    labels="none",
)
_COCONUT = Benchmark(
    name="coconut",
    title="CoCoNUT",
    kind="function",
    size=161,
    reader="lm_eval_codemind.studies.traces.coconut_data:read",
    archives=(COCONUT,),
    sources=(Source(COCONUT.repository, "", free=False), SOURCES["openai/human-eval"]),
    labels="none",
    extends="humaneval",
)
_CES = Benchmark(
    name="ces",
    title="CES",
    kind="function",
    size=162,
    reader="lm_eval_codemind.studies.traces.ces_data:read",
    archives=(CES,),
    sources=(_CES_SOURCE, SOURCES["openai/human-eval"]),
    labels="none",
    extends="humaneval",
)


def _prompts_of(benchmark: Benchmark, size: int) -> Benchmark:
    """Return the benchmark with the texts of another one's prompts, which the same module reads."""
    name, title, reader = f"{benchmark.name}_prompts", f"{benchmark.title}'s prompts", f"{benchmark.reader}_prompts"
    return replace(benchmark, name=name, title=title, kind="function", size=size, reader=reader, extends="")


BENCHMARKS = (
    _RE2,
    _COCONUT,
    _CES,
    _prompts_of(_RE2, 585),
    _prompts_of(_COCONUT, 162),
    replace(_prompts_of(_CES, 487), sources=(_CES_SOURCE,)),
)
