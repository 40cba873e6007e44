"""The benchmarks of this package, which ``packaged.yaml`` describes, and upstream's repositories."""

from importlib.resources import files
from typing import Any

import yaml

from lm_eval_codemind.catalogue.benchmark import Archive, Benchmark, Source

_CONTENT = yaml.safe_load(files(__package__).joinpath("packaged.yaml").read_text(encoding="utf-8"))
ARCHIVES = {name: Archive(name, **fields) for name, fields in _CONTENT["archives"].items()}
SOURCES = {name: Source(name, **fields) for name, fields in _CONTENT["sources"].items()}


def _benchmark(name: str, fields: dict[str, Any]) -> Benchmark:
    """Return a benchmark from its entry in ``packaged.yaml``."""
    fields = {**fields, "reader": f"lm_eval_codemind.benchmarks.{fields['reader']}"}
    for field, known in (("archives", ARCHIVES), ("sources", SOURCES)):
        if field in fields:
            fields[field] = tuple(known[each] for each in fields[field])
    return Benchmark(name, **{**fields, "slow": frozenset(fields.get("slow", ()))})


BENCHMARKS = tuple(_benchmark(name, fields) for name, fields in _CONTENT["benchmarks"].items())
