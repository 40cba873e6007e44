"""The command line, called in this process."""

from __future__ import annotations

from click.testing import CliRunner

from lm_eval_codemind.cli import main


def said(*arguments: object) -> str:
    """Return what `codemind` prints, which must succeed."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output
