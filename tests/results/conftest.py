from pathlib import Path

import pytest

from tests.results.harness import evaluate

TASK = "codemind_ier_sample"


@pytest.fixture(scope="session")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Output directory of two runs of the harness: a model that is right, and one that is right on scripts only."""
    directory = tmp_path_factory.mktemp("output")
    evaluate(directory, "org/right", lambda doc: doc["target"], [TASK])
    evaluate(
        directory,
        "org/scripts",
        lambda doc: doc["target"] if doc["kind"] == "script" else "<output>\n'neither'\n</output>",
        [TASK],
    )
    return directory
