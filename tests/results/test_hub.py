from __future__ import annotations

from pathlib import Path

import datasets
import pytest
import yaml
from click.testing import CliRunner

from lm_eval_codemind.benchmarks import Upstream, benchmarks
from lm_eval_codemind.cli import main
from lm_eval_codemind.data import benchmark_digests
from lm_eval_codemind.data import build as building
from lm_eval_codemind.problems import Problem, digest, dump_problems
from lm_eval_codemind.results.hub import write_dataset


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    return tmp_path


def loaded(folder: Path, name: str) -> bytes:
    rows = datasets.load_dataset(str(folder), name, split="test")
    return dump_problems(Problem.from_row(row) for row in rows)


def test_the_folder_loads_back_to_the_same_digest(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = cache / "folder"
    result = CliRunner().invoke(main, ["data", "push", "--benchmark", "sample", "--folder", str(folder)])
    assert result.exit_code == 0, result.output
    expected = benchmark_digests("sample")["sample"]
    assert digest(loaded(folder, "sample")) == expected
    assert datasets.get_dataset_config_names(str(folder)) == ["sample"]

    card = (folder / "README.md").read_text()
    head = yaml.safe_load(card.split("---\n")[1])
    assert [config["config_name"] for config in head["configs"]] == ["sample"]
    assert expected in card
    declared = yaml.safe_load((folder / "eval.yaml").read_text())
    assert declared["tasks"] == []  # the sample is no benchmark


@pytest.mark.upstream
@pytest.mark.slow
def test_every_benchmark_loads_back_to_the_released_digest(cache: Path, upstream: Upstream) -> None:
    building.build(["humaneval", "avatar"], upstream, cache / "data")
    problems = {
        name: building.load_problems(building.benchmark_path(cache / "data", name)) for name in ("humaneval", "avatar")
    }
    write_dataset(cache / "folder", problems, {"codemind_ier_avatar": "avatar", "codemind_ier_cruxeval": "cruxeval"})
    for name in problems:
        assert digest(loaded(cache / "folder", name)) == building.read_manifest(cache / "data")[name].digest
        assert len(problems[name]) == benchmarks()[name].size
    declared = yaml.safe_load((cache / "folder" / "eval.yaml").read_text())
    assert declared["tasks"] == [{"id": "codemind_ier_avatar", "config": "avatar", "split": "test"}]


def test_where_to_send_must_be_said(tmp_path: Path) -> None:
    for arguments in ([], ["org/name", "--folder", str(tmp_path)]):
        result = CliRunner().invoke(main, ["data", "push", *arguments])
        assert result.exit_code == 2
        assert "--folder" in result.output


def test_a_hub_that_cannot_be_reached_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import HfApi

    def refuse(*arguments: object, **options: object) -> None:
        raise OSError("no route to host")

    monkeypatch.setattr(HfApi, "create_repo", refuse)
    result = CliRunner().invoke(main, ["data", "push", "org/name", "--benchmark", "sample"])
    assert result.exit_code == 1
    assert "org/name: the Hub did not take the data (no route to host)" in result.output
