"""The command line, called in this process."""

from click.testing import CliRunner, Result

from lm_eval_codemind.cli import main


def codemind(*arguments: object, stdin: str = "") -> Result:
    """Return what ``codemind ARGUMENTS`` ends with."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)


def said(*arguments: object) -> str:
    """Return what ``codemind ARGUMENTS`` prints, which must succeed."""
    result = codemind(*arguments)
    assert result.exit_code == 0, result.output
    return result.output


def refused(*arguments: object, status: int = 1) -> str:
    """Return what ``codemind ARGUMENTS`` prints on a line; it must end with a message, not with a traceback."""
    result = codemind(*arguments)
    assert result.exit_code == status and isinstance(result.exception, SystemExit), (result.exception, result.output)
    assert "Traceback" not in result.output
    return " ".join(result.output.split())
