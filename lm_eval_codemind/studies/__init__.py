"""Studies of other groups, with their questions and rules; their benchmarks, and the repositories of these."""

from lm_eval_codemind.data.catalogue import SOURCES, Archive, Benchmark, Source

RE2BENCH = Archive("RE2Bench", "Intelligent-CAT-Lab/RE2Bench", "d00b99c7")
_RE2_SOURCES = (Source(RE2BENCH.repository, "", free=False),)
# Its files are pinned by digest.
COCONUT = Archive("CoCoNUT", "ClaasBeger/StructuralCodeUnderstanding", "main")
_COCONUT_SOURCES = (Source(COCONUT.repository, "", free=False), SOURCES["openai/human-eval"])
CES = Archive("CES", "Intelligent-CAT-Lab/CES", "8ddcae4")
_CES_SOURCE = Source(CES.repository, "NCSA")

BENCHMARKS = (
    Benchmark(
        name="re2",
        title="RE2-Bench",
        kind=None,
        size=585,
        reader="lm_eval_codemind.studies.re2.data:read",
        archives=(RE2BENCH,),
        sources=_RE2_SOURCES,
        labels="none",
    ),
    Benchmark(
        name="coconut",
        title="CoCoNUT",
        kind="function",
        size=161,
        reader="lm_eval_codemind.studies.traces.coconut_data:read",
        archives=(COCONUT,),
        sources=_COCONUT_SOURCES,
        labels="none",
        extends="humaneval",
    ),
    Benchmark(
        name="ces",
        title="CES",
        kind="function",
        size=162,
        reader="lm_eval_codemind.studies.traces.ces_data:read",
        archives=(CES,),
        sources=(_CES_SOURCE, SOURCES["openai/human-eval"]),
        labels="none",
        extends="humaneval",
    ),
    # The texts of the prompts.
    Benchmark(
        name="re2_prompts",
        title="RE2-Bench's prompts",
        kind="function",
        size=585,
        reader="lm_eval_codemind.studies.re2.data:read_prompts",
        archives=(RE2BENCH,),
        sources=_RE2_SOURCES,
        labels="none",
    ),
    Benchmark(
        name="coconut_prompts",
        title="CoCoNUT's prompts",
        kind="function",
        size=162,
        reader="lm_eval_codemind.studies.traces.coconut_data:read_prompts",
        archives=(COCONUT,),
        sources=_COCONUT_SOURCES,
        labels="none",
    ),
    Benchmark(
        name="ces_prompts",
        title="CES's prompts",
        kind="function",
        size=487,
        reader="lm_eval_codemind.studies.traces.ces_data:read_prompts",
        archives=(CES,),
        sources=(_CES_SOURCE,),
        labels="none",
    ),
)
