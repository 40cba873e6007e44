import dataclasses
from pathlib import Path

import datasets
import pytest
import yaml
from click.testing import CliRunner, Result
from huggingface_hub import HfApi

import push_data
from lm_eval_codemind.data import benchmark_digests, load
from lm_eval_codemind.data.catalogue import OWN, SOURCES, benchmarks
from lm_eval_codemind.data.manifest import benchmark_path, released_digests
from lm_eval_codemind.problems import Problem, digest, dump_problems, load_problems


def push(*arguments: object, stdin: str = "") -> Result:
    return CliRunner().invoke(push_data.main, [str(argument) for argument in arguments], input=stdin)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    return tmp_path


def loaded(folder: Path, name: str) -> bytes:
    rows = datasets.load_dataset(str(folder), name, split="test")
    return dump_problems(Problem.from_row(row) for row in rows)


def test_the_folder_loads_back_to_the_same_digest(cache, monkeypatch):
    folder = cache / "folder"
    result = push("--benchmark", "sample", "--output_path", folder).output
    expected = benchmark_digests("sample")["sample"]
    assert digest(loaded(folder, "sample")) == expected
    assert datasets.get_dataset_config_names(str(folder)) == ["sample"]

    card = (folder / "README.md").read_text()
    head = yaml.safe_load(card.split("---\n")[1])
    assert [config["config_name"] for config in head["configs"]] == ["sample"]
    assert expected in card
    assert "- `sample`: lm-eval-codemind: MIT\n" in card
    assert "sample: lm-eval-codemind: MIT" in result
    declared = yaml.safe_load((folder / "eval.yaml").read_text())
    assert declared["tasks"] == []  # the sample is not a benchmark


def test_every_benchmark_loads_back_to_the_released_digest(cache, built_data):
    problems = {name: load_problems(benchmark_path(built_data, name)) for name in ("humaneval", "avatar")}
    push_data.write_dataset(
        cache / "folder", problems, {"codemind_ier_avatar": "avatar", "codemind_ier_cruxeval": "cruxeval"}
    )
    for name in problems:
        assert digest(loaded(cache / "folder", name)) == released_digests(name)[name]
        assert len(problems[name]) == benchmarks()[name].size
    declared = yaml.safe_load((cache / "folder" / "eval.yaml").read_text())
    assert declared["tasks"] == [{"id": "codemind_ier_avatar", "config": "avatar", "split": "test"}]


def test_where_to_send_must_be_said(tmp_path):
    for arguments in ([], ["org/name", "--output_path", tmp_path]):
        refused = push(*arguments)
        assert refused.exit_code == 2 and "--output_path" in refused.output


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The repositories that data is sent to; every benchmark's data is that of the sample."""
    repositories: list[str] = []

    class Commit:
        oid = "abc"

    def upload(api: object, *, repo_id: str, **options: object) -> Commit:
        repositories.append(repo_id)
        return Commit()

    monkeypatch.setattr(HfApi, "create_repo", lambda *arguments, **options: None)
    monkeypatch.setattr(HfApi, "upload_folder", upload)
    problems = load.load_benchmark("sample")
    monkeypatch.setattr(push_data, "load_benchmark", lambda name: problems)
    return repositories


@pytest.mark.parametrize(("options", "answer", "goes"), [
    (("--benchmark", "classeval"), "", False), (("--benchmark", "classeval"), "n\n", False),
    (("--benchmark", "sample", "--benchmark", "published_classeval", "--private"), "\n", False), ((), "n\n", False),
    (("--benchmark", "classeval"), "y\n", True), (("--benchmark", "classeval", "--yes"), "", True),
    (("--benchmark", "humaneval"), "", True),
])  # fmt: skip
def test_what_may_not_be_passed_on_freely_is_sent_after_a_yes_only(sent, options, answer, goes):
    result = push("org/name", *options, stdin=answer)
    assert sent == (["org/name"] if goes else [])
    assert (result.exit_code == 0) == goes, result.output
    assert ("nothing was sent" in result.output) == (not goes)
    assert ("FudanSELab/ClassEval: CC BY-NC 4.0" in result.output) == ("humaneval" not in options)


def test_data_without_a_licence_is_named_as_such(sent, monkeypatch):
    traced = dataclasses.replace(benchmarks()["sample"], sources=(SOURCES["r-eval/REval"],))
    monkeypatch.setattr(push_data, "benchmarks", lambda: {**benchmarks(), "sample": traced})
    result = push("org/name", "--benchmark", "sample", stdin="n\n")
    assert result.exit_code == 1 and sent == []
    assert "may not be passed on freely (r-eval/REval: no licence)" in result.output


def test_every_benchmark_names_the_licences_of_all_it_is_read_from():
    known = benchmarks().items()
    read_from = {name: {archive.repository for archive in one.archives} for name, one in known if one.archives}
    assert set(read_from) == {name for name, one in known if not one.packaged}
    assert len(read_from) >= 10
    restricted = {"FudanSELab/ClassEval", "livecodebench/execution-v2", "r-eval/REval"}
    restricted |= {"Intelligent-CAT-Lab/RE2Bench", "ClaasBeger/StructuralCodeUnderstanding"}
    for name, repositories in read_from.items():
        named = {source.name for source in benchmarks()[name].sources}
        assert repositories <= named, name
        assert benchmarks()[name].free == (not named & restricted), name


def test_the_documentation_names_every_licence():
    page = (Path(__file__).parents[2] / "docs/data.md").read_text(encoding="utf-8")
    sources = {source for benchmark in benchmarks().values() for source in benchmark.sources} - {OWN}
    assert {"Intelligent-CAT-Lab/CodeMind", "openai/human-eval", "FudanSELab/ClassEval"} < {one.name for one in sources}
    for source in sources:
        assert any(source.name in line and source.licence in line for line in page.splitlines()), source.name


class ConnectError(Exception):
    """An error like httpx's. It is not an OSError."""


@pytest.mark.parametrize("error", [OSError, ConnectError])
def test_a_hub_that_cannot_be_reached_is_named(monkeypatch, error):
    def refuse(*arguments: object, **options: object) -> None:
        raise error("no route to host")

    monkeypatch.setattr(HfApi, "create_repo", refuse)
    message = " ".join(push("org/name", "--benchmark", "sample").output.split())
    assert "org/name: the Hub did not take the data (no route to host)" in message
