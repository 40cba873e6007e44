"""Building, the manifest, and caches that are damaged, outdated or half written."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from lm_eval_codemind.benchmarks import BENCHMARKS, Benchmark, Upstream, UpstreamError
from lm_eval_codemind.data import build as building
from lm_eval_codemind.data.build import Source, benchmark_path, intact, load_benchmark, read_manifest
from lm_eval_codemind.problems import Problem, load_problems
from lm_eval_codemind.proof.complexity import with_complexity

NAME = "published_made"


def problem(number: int) -> Problem:
    return Problem(
        f"made_{number}", NAME, "function", "python", "def f(): pass", "f", "f()", "None", category="published"
    )


class Made:
    """A benchmark of two problems that counts how often it is read."""

    def __init__(self) -> None:
        self.reads = 0
        self.problems = [with_complexity(problem(0)), with_complexity(problem(1))]

    def read(self, upstream: Upstream) -> list[Problem]:
        self.reads += 1
        return self.problems


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Made:
    source = Made()
    monkeypatch.setitem(BENCHMARKS, NAME, Benchmark(NAME, "Made", "function", 2))
    monkeypatch.setitem(building.SOURCES, NAME, Source(source.read, ()))
    monkeypatch.setenv("CODEMIND_DATA", str(tmp_path / "data"))
    return source


def test_the_first_use_builds_and_the_next_reads(made: Made, tmp_path: Path) -> None:
    assert [loaded.problem_id for loaded in load_benchmark(NAME)] == ["made_0", "made_1"]
    assert load_benchmark(NAME) == made.problems
    assert made.reads == 1
    assert read_manifest(tmp_path / "data")[NAME].categories == {"published": 2}
    assert not list((tmp_path / "data").glob("*.part"))


@pytest.mark.parametrize("damage", [b"", b"{}\n", b'{"problem_id": "made_0"'])
def test_a_damaged_file_is_built_anew(made: Made, tmp_path: Path, damage: bytes) -> None:
    load_benchmark(NAME)
    benchmark_path(tmp_path / "data", NAME).write_bytes(damage)
    assert not intact(tmp_path / "data", NAME)
    assert load_benchmark(NAME) == made.problems
    assert made.reads == 2


@pytest.mark.parametrize(
    "manifest", ["", "[]", "{", '{"benchmarks": {"published_made": {"digest": "0"}}}', '{"benchmarks": 1}']
)
def test_a_damaged_manifest_is_built_anew(made: Made, tmp_path: Path, manifest: str) -> None:
    load_benchmark(NAME)
    (tmp_path / "data" / "manifest.json").write_text(manifest)
    assert load_benchmark(NAME) == made.problems
    assert made.reads == 2


def test_a_file_of_another_builder_is_built_anew(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_benchmark(NAME)
    monkeypatch.setattr(building, "BUILDER_VERSION", building.BUILDER_VERSION + 1)
    load_benchmark(NAME)
    assert made.reads == 2


def test_a_build_that_fails_leaves_what_was_there(made: Made, tmp_path: Path) -> None:
    load_benchmark(NAME)
    before = benchmark_path(tmp_path / "data", NAME).read_bytes()
    made.problems = [problem(0)]
    with pytest.raises(UpstreamError, match="give 1 problems, 2 were expected"):
        building.build([NAME], Upstream(tmp_path), tmp_path / "data")
    assert benchmark_path(tmp_path / "data", NAME).read_bytes() == before
    assert intact(tmp_path / "data", NAME)


def test_data_that_the_release_does_not_know_is_reported(made: Made, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        load_benchmark(NAME)
    assert "compares" not in caplog.text
    assert "its results compare only with results of the same digest" in caplog.text


def test_without_a_network_one_message_names_the_mend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEMIND_DATA", str(tmp_path))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    with pytest.raises(UpstreamError, match=r"codemind data build.*--upstream DIR.*CODEMIND_DATA"):
        load_benchmark("cruxeval")


def test_an_unknown_benchmark_is_named() -> None:
    with pytest.raises(ValueError, match="there is no benchmark 'nope'; the benchmarks are: humaneval"):
        load_benchmark("nope")


def test_a_line_that_is_no_problem_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(problem(0).to_row()) + '\n{"problem_id": 1}\n')
    with pytest.raises(ValueError, match=r"x\.jsonl, line 2: not a problem record .*codemind data build"):
        load_problems(path)


def test_an_upstream_directory_that_lacks_a_repository_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        UpstreamError, match=r"holds neither a checkout cruxeval/ nor an archive cruxeval\.tar\.xz; clone"
    ):
        building.build(["cruxeval"], Upstream(tmp_path), tmp_path / "out")


@pytest.mark.upstream
def test_two_builds_are_byte_identical_and_as_released(built_data: Path, shared_data: Path, tmp_path: Path) -> None:
    first = read_manifest(built_data)
    second = building.build(building.SOURCES, Upstream(shared_data / "upstream"), tmp_path)
    assert {name: entry.digest for name, entry in first.items()} == building.released_digests()
    for name in building.SOURCES:
        assert benchmark_path(built_data, name).read_bytes() == benchmark_path(tmp_path, name).read_bytes()
        assert second[name] == first[name]
        assert first[name].problems == BENCHMARKS[name].size


@pytest.mark.upstream
def test_every_problem_is_classified_and_only_excluded_ones_lack_an_output(built_data: Path) -> None:
    for name in ("humaneval", "cruxeval", "classeval", "avatar"):
        problems = load_problems(benchmark_path(built_data, name))
        assert len(problems) == BENCHMARKS[name].size
        for proven in problems:
            assert proven.category in ("confirmed", "corrected", "repaired", "added", "excluded")
            assert (proven.published_output is None) == (proven.category == "added"), proven.problem_id
            assert (proven.output is None) == (proven.category == "excluded"), proven.problem_id
