"""Building, the manifest, and caches that are damaged, outdated or half written."""

import dataclasses
import json
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest import mock

import pytest
from filelock import FileLock

from lm_eval_codemind.data import load
from lm_eval_codemind.data import manifest as built
from lm_eval_codemind.data.catalogue import Archive, Benchmark, benchmarks
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.data.load import load_benchmark, load_side
from lm_eval_codemind.data.manifest import benchmark_path, intact, read_manifest
from lm_eval_codemind.errors import UpstreamError
from lm_eval_codemind.problems import (
    COLUMN_SIDES,
    Problem,
    digest,
    dump_problems,
    load_problems,
    load_records,
    side_path,
)
from lm_eval_codemind.workshop import build as building
from lm_eval_codemind.workshop.benchmarks import Upstream
from lm_eval_codemind.workshop.build import PLAIN_INPUTS, SIDES, make_files, short_digest, with_complexity
from lm_eval_codemind.workshop.facts.recipes import load_failing
from lm_eval_codemind.workshop.facts.unrolled import load_unrollings
from tests.conftest import code_digest

NAME = "published_made"


def problem(number: int) -> Problem:
    return Problem(
        f"made_{number}", NAME, "function", "python", "def f(): pass", "f", "f()", "None", category="published"
    )


def digests(problems: list[Problem]) -> dict[str, str]:
    """Return the digests of the files that a build makes of problems."""
    return {file: digest(content) for file, content in make_files(NAME, problems).items()}


class Made:
    """A benchmark of two problems that counts how often it is read."""

    def __init__(self) -> None:
        self.reads = 0
        self.problems = [with_complexity(problem(0)), with_complexity(problem(1))]

    def read(self, upstream: Upstream) -> list[Problem]:
        self.reads += 1
        return self.problems


@pytest.fixture
def made(register_benchmark: Callable[[Benchmark], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Made:
    source = Made()
    archive = Archive("made", "owner/made", "1234567")
    register_benchmark(Benchmark(NAME, "Made", "function", 2, source.read, (archive,), labels="published"))
    monkeypatch.setenv("CODEMIND_DATA", str(tmp_path / "data"))
    return source


def test_the_first_use_builds_and_the_next_reads(made, tmp_path, caplog):
    with caplog.at_level(logging.WARNING):
        assert [loaded.problem_id for loaded in load_benchmark(NAME)] == ["made_0", "made_1"]
    # The release does not know this data.
    assert "compares" not in caplog.text
    assert "its results compare only with results of the same digest" in caplog.text
    assert load_benchmark(NAME) == made.problems and made.reads == 1
    assert read_manifest(tmp_path / "data")[NAME].categories == {"published": 2}
    assert not list((tmp_path / "data").glob("*.part"))


@pytest.mark.parametrize(
    "manifest", [None, "", "[]", "{", '{"benchmarks": {"published_made": {"digest": "0"}}}', '{"benchmarks": 1}']
)
def test_what_a_damaged_manifest_or_another_builder_describes_is_built_anew(made, tmp_path, monkeypatch, manifest):
    load_benchmark(NAME)
    if manifest is None:
        monkeypatch.setattr(built, "BUILDER_VERSION", built.BUILDER_VERSION + 1)
    else:
        (tmp_path / "data" / "manifest.json").write_text(manifest)
    assert load_benchmark(NAME) == made.problems and made.reads == 2


def test_a_build_that_fails_leaves_what_was_there(made, tmp_path):
    load_benchmark(NAME)
    before = benchmark_path(tmp_path / "data", NAME).read_bytes()
    made.problems = [problem(0)]
    with pytest.raises(UpstreamError, match="give 1 problems, 2 were expected"):
        building.build([NAME], Upstream(tmp_path), tmp_path / "data")
    assert benchmark_path(tmp_path / "data", NAME).read_bytes() == before and intact(tmp_path / "data", NAME)


def test_a_wrong_part_leaves_out_its_benchmark_and_the_others_are_built(made, register_benchmark, tmp_path, caplog):
    def refuse(upstream: Upstream) -> list[Problem]:
        raise UpstreamError("other files")

    register_benchmark(Benchmark("wrong", "Wrong", "function", 2, refuse, (Archive("made", "owner/made", "1234567"),)))
    with caplog.at_level(logging.WARNING):
        entries = building.build(["wrong", NAME], Upstream(tmp_path), tmp_path / "data", skip_failing=True)
    assert list(entries) == [NAME] and caplog.text.count("wrong is not built: other files\n") == 1
    with pytest.raises(UpstreamError, match="other files"):
        building.build(["wrong", NAME], Upstream(tmp_path), tmp_path / "out")
    assert intact(tmp_path / "out", NAME)
    assert building.build(["wrong"], Upstream(tmp_path), tmp_path / "out", skip_failing=True) == {}


def test_what_is_not_there_is_named_with_the_mend(tmp_path, monkeypatch):
    monkeypatch.setenv("CODEMIND_DATA", str(tmp_path))
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    with pytest.raises(UpstreamError, match=r"codemind data build.*--upstream DIR.*CODEMIND_DATA"):
        load_benchmark("cruxeval")
    with pytest.raises(ValueError, match="there is no benchmark 'nope'; the benchmarks are: humaneval"):
        load_benchmark("nope")
    lacking = r"holds neither a checkout cruxeval/ nor an archive cruxeval\.tar\.xz; clone"
    with pytest.raises(UpstreamError, match=lacking):
        building.build(["cruxeval"], Upstream(tmp_path), tmp_path / "out")


@pytest.mark.parametrize(("file", "line", "content", "load_all"), [
    ("x.jsonl", 2, json.dumps(problem(0).to_row()) + '\n{"problem_id": 1}\n', load_problems),
    ("x.hints.jsonl", 1, '{"problem_id": "made_0", "hint_test": ""}\n', load_problems),
    ("x.ours.jsonl", 2, '{"problem_id": "made_0"}\n[]\n', load_records),
])  # fmt: skip
def test_a_line_that_is_no_record_is_named(tmp_path, file, line, content, load_all):
    (tmp_path / "x.jsonl").write_bytes(dump_problems([problem(0)]))
    (tmp_path / file).write_text(content)
    with pytest.raises(ValueError, match=rf"{file}, line {line}: not a problem record .*codemind data build"):
        load_all(tmp_path / (file if load_all is load_records else "x.jsonl"))


def test_a_build_has_the_bytes_that_were_released(built_data, upstream, tmp_path):
    """What was released was built by another process, elsewhere: two builds are byte-identical."""
    folder, built_by = built_data, built_data / "built_by"
    if not built_by.is_file() or built_by.read_text() != code_digest():
        folder = tmp_path
        building.build(benchmarks(), upstream, folder, skip_failing=True)
    by_file = {
        path.name.removesuffix(".jsonl"): digest(path.read_bytes())
        for path in folder.glob("*.jsonl")
        if path.stat().st_size
    }
    entries = read_manifest(folder)
    # The copy of upstream's repositories has no data set of the Hub.
    assert set(benchmarks()) - set(entries) == {"lcb_execution", "lcb_prompts"}
    digests = built.released_digests()
    assert by_file == {file: sha256 for file, sha256 in digests.items() if file.partition(".")[0] in entries}
    for name, entry in entries.items():
        assert intact(folder, name) and entry.digests == entry.released
        assert entry.problems == benchmarks()[name].size


def test_every_problem_is_classified_and_only_excluded_ones_lack_an_output(built_data):
    for name in ("humaneval", "cruxeval", "classeval", "avatar"):
        problems = load_problems(benchmark_path(built_data, name))
        assert len(problems) == benchmarks()[name].size
        for proven in problems:
            assert proven.category in ("confirmed", "corrected", "repaired", "added", "excluded")
            assert (proven.published_output is None) == (proven.category == "added"), proven.problem_id
            assert (proven.output is None) == (proven.category == "excluded"), proven.problem_id


@pytest.fixture
def with_sides(made: Made) -> Made:
    """The made benchmark, of whose problems the first has a hint and upstream's questions, the second a C+."""
    one, two = made.problems
    one = dataclasses.replace(one, hint_test="assert f() is None\n", misleading_test="assert f() == 1\n")
    one = dataclasses.replace(one, upstream_questions='{"lines": [1]}')
    made.problems = [one, with_complexity(dataclasses.replace(two, transformed="def f():\n    return\n"))]
    return made


def test_what_families_need_lies_beside_the_problems_and_changes_nothing_of_their_digest(with_sides, tmp_path):
    assert load_benchmark(NAME) == with_sides.problems
    path = benchmark_path(tmp_path / "data", NAME)
    for side, columns in COLUMN_SIDES.items():
        (row,) = [json.loads(line) for line in side_path(path, side).read_text().splitlines()]
        assert set(row) == {"problem_id", *columns}
        assert not set(columns) & json.loads(path.read_text().splitlines()[0]).keys()
    entry = read_manifest(tmp_path / "data")[NAME]
    assert entry.digests.keys() == {NAME, f"{NAME}.hints", f"{NAME}.transformed", f"{NAME}.questions"}
    assert entry.digests == load.benchmark_digests(NAME)
    for name, expected in entry.digests.items():
        assert digest((tmp_path / "data" / f"{name}.jsonl").read_bytes()) == expected
    nothing = dict.fromkeys(("hint_test", "misleading_test", "transformed", "upstream_questions"), "")
    bare = [
        dataclasses.replace(one, transformations=(), transformed_complexity=None, **nothing)
        for one in with_sides.problems
    ]
    before = digests(with_sides.problems)
    assert digests(bare) == {NAME: before[NAME]}
    changed = digests([dataclasses.replace(one, hint_test="assert f() is not 1\n") for one in with_sides.problems])
    assert {name for name in before if before[name] != changed[name]} == {f"{NAME}.hints"}


@pytest.mark.parametrize("damage", [None, b"", b"{}\n", b'{"problem_id": "made_0"'])
@pytest.mark.parametrize("side", ["", *COLUMN_SIDES])
def test_a_damaged_or_missing_file_is_built_anew(with_sides, tmp_path, side, damage):
    load_benchmark(NAME)
    path = benchmark_path(tmp_path / "data", NAME)
    file = side_path(path, side) if side else path
    before = file.read_bytes()
    if damage is None:
        file.unlink()
    else:
        file.write_bytes(damage)
    assert not intact(tmp_path / "data", NAME) and load_benchmark(NAME) == with_sides.problems
    assert file.read_bytes() == before and with_sides.reads == 2


def test_a_side_that_the_build_did_not_write_is_removed(made, tmp_path):
    """A line that is added for problems that have none there changes what is loaded, so it counts as damage."""
    load_benchmark(NAME)
    side_file = side_path(benchmark_path(tmp_path / "data", NAME), "hints")
    side_file.write_text(json.dumps({"problem_id": "made_0", "hint_test": "assert f()", "misleading_test": ""}) + "\n")
    assert not intact(tmp_path / "data", NAME) and load_benchmark(NAME) == made.problems


def test_a_family_looks_its_records_up_in_a_side_file(made, tmp_path, monkeypatch):
    monkeypatch.setattr(building, "SIDES", {"ours": lambda name, problems: {problems[1].problem_id: {"of": name}}})
    assert load_side(NAME, "ours") == {"made_1": {"of": NAME}}
    assert read_manifest(tmp_path / "data")[NAME].digests.keys() == {NAME, f"{NAME}.ours"}
    assert load_side(NAME, "none of them") == {} and made.reads == 1


def test_side_files_hold_what_is_shipped(built):
    written = {path.stem.rpartition(".")[2] for path in built.glob("*.*.jsonl") if path.stat().st_size}
    assert written == {*SIDES, *COLUMN_SIDES}
    for name in ("humaneval", "sample"):
        assert load_side(name, "input").keys() == set(shipped.load(PLAIN_INPUTS)[name])
        unrolled = {key for key, each in load_unrollings(name).items() if "run" in each}
        assert load_side(name, "ier_unrolled").keys() == unrolled
    assert load_side("published_classeval", "dsr").keys() == set(load_failing("published_classeval"))


def test_a_benchmark_of_another_package_without_upstream_is_never_stored(made, register_benchmark, tmp_path):
    """Its data may change with any release of that package, and nothing here would notice."""
    register_benchmark(Benchmark(NAME, "Made", "function", 2, made.read, labels="published"))
    load._problems.cache_clear()
    assert load_benchmark(NAME) == made.problems and load.benchmark_digests(NAME) == digests(made.problems)
    assert load_side(NAME, "dsr") == {} and not (tmp_path / "data").exists()


LOOP = "def f(n):\n    return [i for i in range(n)]\n"
PROBLEM = Problem("made_0", "made", "function", "python", LOOP, "f", "f(3)", "[0, 1, 2]")
TRANSFORMED = "def f(n):\n    if n & 1:\n        pass\n    return [i for i in range(n)]\n"


def test_columns_are_measured_or_looked_up(monkeypatch):
    lengths = {"code": {"made": {"made_0": 3}}, "transformed": {"made": {"made_0": [7, short_digest(TRANSFORMED)]}}}
    monkeypatch.setattr(building.shipped, "load", {building.LOOP_LENGTHS: lengths}.__getitem__)
    measured = with_complexity(dataclasses.replace(PROBLEM, transformed=TRANSFORMED))
    assert measured.complexity is not None
    assert (measured.complexity.cc, measured.complexity.loc, measured.complexity.ll) == (2, 2, 3)
    assert measured.transformed_complexity is not None
    assert (measured.transformed_complexity.cc, measured.transformed_complexity.ll) == (3, 7)
    assert measured.output_type == "List"
    # Another transformed program has another loop length.
    other = with_complexity(dataclasses.replace(PROBLEM, transformed=TRANSFORMED + "\n"))
    assert other.transformed_complexity is not None and other.transformed_complexity.ll is None
    # A problem that was not measured has none.
    other = with_complexity(dataclasses.replace(PROBLEM, problem_id="made_1"))
    assert other.complexity is not None and other.complexity.ll is None
    broken = with_complexity(dataclasses.replace(PROBLEM, problem_id="made_1", code="def f(:"))
    assert broken.complexity is None and broken.transformed_complexity is None


def test_processes_wait_only_for_the_same_benchmark(tmp_path, caplog):
    """While one builds another benchmark, a build goes on; while one builds the same, it says so and takes that."""
    with FileLock(tmp_path / ".humaneval.lock"):
        first = building.build(["sample"], Upstream(tmp_path), tmp_path)
    assert "another process" not in caplog.text
    lock = FileLock(tmp_path / ".sample.lock", thread_local=False)
    lock.acquire()
    waiting = ThreadPoolExecutor(1).submit(building.build, ["sample"], Upstream(tmp_path), tmp_path)
    while "another process builds sample" not in caplog.text:
        assert not waiting.done()
        time.sleep(0.01)
    with mock.patch.object(building, "_build", side_effect=AssertionError("built again")):
        lock.release()
        assert waiting.result(timeout=60) == first
