"""The command line, called in this process."""

from click.testing import CliRunner, Result

from lm_eval_codemind.cli import main


def codemind(*arguments: object) -> Result:
    """Return what ``codemind ARGUMENTS`` ends with."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def said(*arguments: object) -> str:
    """Return what ``codemind ARGUMENTS`` prints, which must succeed."""
    result = codemind(*arguments)
    assert result.exit_code == 0, result.output
    return result.output
