"""``codemind data push``: the built data as a data set on the Hub, or as the folder that would be sent."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from lm_eval_codemind.benchmarks import benchmarks as known_benchmarks


@click.command("push")
@click.argument("repository", metavar="[ORG/NAME]", required=False)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the data set into this directory and send nothing.",
)
@click.option(
    "--benchmark",
    "names",
    multiple=True,
    type=click.Choice(list(known_benchmarks())),
    help="A benchmark; may be given several times. All of them by default.",
)
@click.option("--private", is_flag=True, help="Make the repository private if it has to be created.")
def push(repository: str | None, folder: Path | None, names: tuple[str, ...], private: bool) -> None:
    """Send the data to the Hub as the data set ORG/NAME, with its card and eval.yaml.

    With --folder the same files are written there instead; datasets.load_dataset reads them, and so does
    $CODEMIND_DATASET. Sending takes a token with write access (`hf auth login` or $HF_TOKEN).
    """
    from lm_eval_codemind.benchmarks import UpstreamError
    from lm_eval_codemind.data import load_benchmark
    from lm_eval_codemind.harness.official import official_tasks
    from lm_eval_codemind.results.hub import write_dataset

    if (repository is None) == (folder is None):
        raise click.UsageError("give either ORG/NAME, to send the data there, or --folder, to write it to disk")
    try:
        benchmarks = {name: load_benchmark(name) for name in names or known_benchmarks()}
    except UpstreamError as error:
        raise click.ClickException(str(error)) from error
    if folder is not None:
        for file in write_dataset(folder, benchmarks, official_tasks()):
            click.echo(file)
        return
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError, LocalTokenNotFoundError

    assert repository is not None
    with tempfile.TemporaryDirectory(prefix="codemind-") as directory:
        write_dataset(Path(directory), benchmarks, official_tasks())
        api = HfApi()
        try:
            api.create_repo(repository, repo_type="dataset", private=private, exist_ok=True)
            commit = api.upload_folder(repo_id=repository, repo_type="dataset", folder_path=directory)
        except (HfHubHTTPError, LocalTokenNotFoundError, OSError, ValueError) as error:
            raise click.ClickException(
                f"{repository}: the Hub did not take the data ({error}); check the name, the network and your token "
                "(`hf auth login`)"
            ) from error
    click.echo(f"https://huggingface.co/datasets/{repository}: revision {commit.oid}")
