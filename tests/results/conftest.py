import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from lm_eval_codemind.results.observations import Observation, observe
from lm_eval_codemind.results.rescoring import rescored
from lm_eval_codemind.results.runs import Run, read_runs
from tests.results.browser import Browser, start_browser
from tests.results.harness import evaluate

TASK = "codemind_ier_sample"


@pytest.fixture(scope="session")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Output directory of two runs of the harness: a model that is right, and one that is right on scripts only."""
    directory = tmp_path_factory.mktemp("output")
    neither = "<output>\n'neither'\n</output>"
    evaluate(directory, "org/right", lambda doc: doc["target"], [TASK])
    evaluate(directory, "org/scripts", lambda doc: doc["target"] if doc["kind"] == "script" else neither, [TASK])
    return directory


@pytest.fixture(scope="session")
def observations(output: Path) -> list[Observation]:
    return observe(read_runs([output]))


@pytest.fixture(scope="session")
def again(output: Path) -> Iterator[Run]:
    """A rescoring of the run of the model that is right on scripts only."""
    with rescored(*read_runs([output / "org__scripts"])) as run:
        yield run


@pytest.fixture
def run(output: Path, tmp_path: Path) -> Path:
    """A copy of the run of the model that is right on scripts only."""
    shutil.copytree(output / "org__scripts", tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with start_browser() as started:
        yield started
