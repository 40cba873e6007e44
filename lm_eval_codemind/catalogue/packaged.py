"""The benchmarks of this package, which ``packaged.yaml`` describes, and upstream's repositories."""

from importlib.resources import files
from typing import Any

import yaml

from lm_eval_codemind.catalogue.benchmark import Archive, Benchmark, Source

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

_ARCHIVES = {
    archive.name: archive
    for archive in (CODEMIND, CODEMIND_V1, HUMAN_EVAL, CRUXEVAL, CLASSEVAL, OCTOPACK, REVAL, RE2BENCH, COCONUT, CES)
}
_CONTENT = yaml.safe_load(files(__package__).joinpath("packaged.yaml").read_text(encoding="utf-8"))
SOURCES = {name: Source(name, **fields) for name, fields in _CONTENT["sources"].items()}


def _benchmark(name: str, fields: dict[str, Any]) -> Benchmark:
    """Return a benchmark from its entry in ``packaged.yaml``."""
    fields = {**fields, "reader": f"lm_eval_codemind.benchmarks.{fields['reader']}"}
    for field, known in (("archives", _ARCHIVES), ("sources", SOURCES)):
        if field in fields:
            fields[field] = tuple(known[each] for each in fields[field])
    return Benchmark(name, **{**fields, "slow": frozenset(fields.get("slow", ()))})


BENCHMARKS = tuple(_benchmark(name, fields) for name, fields in _CONTENT["benchmarks"].items())
