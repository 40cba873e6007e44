"""How hard problems are, estimated from recorded responses; ``utils/prove/make_difficulties.py`` writes the file."""

import gzip
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any


def difficulties(asked: str, benchmark: str) -> Mapping[str, Sequence[float]]:
    """Return, by problem, the expected share of wrong answers and the place on the second axis.

    Args:
        asked: What recorded responses stated: ``output`` or ``input``.
        benchmark: Name of the benchmark.

    Returns:
        Empty for a benchmark whose difficulties nobody has estimated.
    """
    problems: Mapping[str, Sequence[float]] = _shipped().get(asked, {}).get(benchmark, {})
    return problems


@cache
def _shipped() -> Mapping[str, Any]:
    content = files(__package__).joinpath("difficulties.json.gz").read_bytes()
    shipped: Mapping[str, Any] = json.loads(gzip.decompress(content))
    return shipped
