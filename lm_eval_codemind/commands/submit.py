"""``codemind submit``: check that a run may be submitted and write what a submission needs."""

from pathlib import Path
from typing import Any

import click

from lm_eval_codemind.commands import ANY_PATH, NEW_DIRECTORY, value_errors
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.files import write_whole


@click.command("submit")
@click.argument("run_path", metavar="RUN", type=ANY_PATH)
@click.option("--model", required=True, metavar="ORG/NAME", help="The model's name on the Hub.")
@click.option(
    "--model-was",
    metavar="NAME",
    help="The model's name in the run, if it differs from --model; shown in bundle and site.",
)
@click.option(
    "--dataset",
    required=True,
    metavar="ORG/NAME",
    envvar="CODEMIND_DATASET",
    show_envvar=True,
    help="The data set's name on the Hub.",
)
@click.option("--revision", help="The data set's revision on the Hub.")
@click.option("--source-url", help="Where the run can be looked at, such as its report.")
@click.option("--source-name", help="What that place is called.")
@click.option("--user", help="Who made the run: a user of the Hub.")
@click.option("--org", help="Who made the run: an organisation of the Hub.")
@click.option(
    "--recorded", is_flag=True, help="Submit responses that were recorded elsewhere and replayed, marked as such."
)
@click.option("--notes", help="Anything to add to the notes on the setup.")
@click.option(
    "-o",
    "--output_path",
    "output",
    type=NEW_DIRECTORY,
    default=Path("submission"),
    show_default=True,
    help="The directory to write.",
)
def command(run_path: Path, output: Path, **fields: Any) -> None:
    """Check RUN and write its submission; send nothing.

    RUN is a result file of the harness, or a directory that holds one. A run that may not be submitted gets all the
    reasons at once.
    """
    from lm_eval_codemind.data.manifest import released_digests
    from lm_eval_codemind.results import submission as forms
    from lm_eval_codemind.results.bundles import SUFFIX, write_bundle
    from lm_eval_codemind.results.hub import eval_yaml, official_tasks
    from lm_eval_codemind.results.rescoring import rescored
    from lm_eval_codemind.results.runs import read_runs
    from lm_eval_codemind.results.verification import verify

    submission = forms.Submission(**fields)
    with value_errors():
        runs = read_runs([run_path])
        if len(runs) != 1:
            listed = "\n".join(f"  {run.path}" for run in runs)
            raise UserError(f"{run_path} holds {len(runs)} runs; submit them one by one:\n{listed}")
        (run,) = runs
        with rescored(run) as again:
            reasons = forms.reasons_against(run, again, verify(run, again), submission, released_digests())
    if reasons:
        raise click.ClickException("this run may not be submitted:\n" + "\n".join(f"  - {r}" for r in reasons))
    # The tasks on the sample are not official. They are declared only if the run has them.
    tasks = official_tasks() | {task.task: task.benchmark for task in run.tasks}
    bundle = output / f"{submission.model.replace('/', '__')}{SUFFIX}"
    files = {
        output / ".eval_results" / "codemind.yaml": forms.to_yaml(forms.eval_results(run, submission)),
        output / "eval.yaml": forms.to_yaml(eval_yaml(tasks)),
        output / "leaderboard.csv": forms.leaderboard_csv(forms.leaderboard_rows(run, submission)),
    }
    for path, content in files.items():
        write_whole(path, content)
    write_bundle(bundle, run, forms.description(run, submission))
    for path in (*files, bundle):
        click.echo(path)
