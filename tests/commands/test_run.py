"""``codemind run`` where it cannot run."""

from pathlib import Path

import pytest
import requests
from click.testing import CliRunner

from lm_eval_codemind.cli import main


def test_without_a_network_the_message_stands_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object, **__: object) -> None:
        raise requests.ConnectionError("the network is unreachable")

    monkeypatch.setattr(requests, "get", unreachable)
    monkeypatch.setenv("CODEMIND_DATA", str(tmp_path))
    arguments = ["run", "--model", "codemind-oracle", "--tasks", "codemind_ier_humaneval", "--limit", "1"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit), result.exception
    assert "Error: cannot download https://github.com/" in result.output
    assert "(the network is unreachable). Run `codemind data build` again" in result.output
    assert "Traceback" not in result.output
