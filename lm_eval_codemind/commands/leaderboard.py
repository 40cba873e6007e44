"""``codemind leaderboard``: a static site from bundles that verify."""

from pathlib import Path

import click

from lm_eval_codemind.commands import FILE, NEW_DIRECTORY, value_errors
from lm_eval_codemind.errors import UserError, count


@click.command("leaderboard")
@click.argument("bundles", nargs=-1, required=True, type=FILE)
@click.option(
    "-o", "--output_path", "output", required=True, type=NEW_DIRECTORY, help="The directory to write the site into."
)
@click.option("--title", default="CodeMind leaderboard", show_default=True, help="The title of the index.")
def command(bundles: tuple[Path, ...], output: Path, title: str) -> None:
    """Make a static site of BUNDLES from `codemind submit`.

    The responses in each bundle are scored again. If a score differs, or a run is not of the model that its bundle
    names, no site is written and the differences are printed.
    """
    from lm_eval_codemind.results.bundles import opened, read_submission
    from lm_eval_codemind.results.leaderboard import Submitted, write_site
    from lm_eval_codemind.results.rescoring import rescored
    from lm_eval_codemind.results.runs import read_runs
    from lm_eval_codemind.results.submission import model_reasons
    from lm_eval_codemind.results.verification import verify

    submitted, differing, refused = [], [], []
    with value_errors(), opened(bundles) as directories:
        for bundle, directory in zip(bundles, directories, strict=True):
            submission = read_submission(directory, bundle)
            # A bundle may hold a second run that the tasks of the submitted run depend on.
            runs = {run.path.name: run for run in read_runs([directory])}
            run = runs.get(str(submission.get("results"))) or next(iter(runs.values()))
            equal = True
            for one in runs.values():
                with rescored(one) as again:
                    result = verify(one, again)
                equal = equal and result.equal
                differing += [f"{bundle}: {difference}" for difference in result.differences]
            model, was = str(submission.get("model")), submission.get("model_was")
            refused += [f"{bundle}: {reason}" for reason in model_reasons(run, model, was)]
            submitted.append(Submitted(model, str(submission.get("date")), run))
            click.echo(f"{bundle}: {'equal' if equal else 'differs'}")
        if refused:
            raise UserError("not every bundle may be shown:\n" + "\n".join(f"  {reason}" for reason in refused))
        if differing:
            raise UserError("\n  ".join(["scores differ when recomputed; remove these bundles:", *differing]))
        index = write_site(submitted, output, title)
    click.echo(f"{index}: {count(len(submitted), 'run')}")
