"""``codemind data push``: the built data as a data set on the Hub, or as the folder that would be sent."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from lm_eval_codemind.catalogue import benchmarks as known_benchmarks
from lm_eval_codemind.commands.options import Name

benchmarks_option = click.option(
    "--benchmark",
    "names",
    multiple=True,
    type=Name(list(known_benchmarks())),
    metavar="NAME",
    help="A benchmark; repeat the option for several. All benchmarks by default.",
)


@click.command("push")
@click.argument("repository", metavar="[ORG/NAME]", required=False)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the data set into this directory and send nothing.",
)
@benchmarks_option
@click.option("--private", is_flag=True, help="Make the repository private if it has to be created.")
@click.option("--yes", is_flag=True, help="Send data that may not be passed on freely without asking.")
def push(repository: str | None, folder: Path | None, names: tuple[str, ...], private: bool, yes: bool) -> None:
    """Send the data to the Hub as the data set ORG/NAME, with its card and eval.yaml.

    With --folder the same files are written there instead; datasets.load_dataset reads them, and so does
    $CODEMIND_DATASET. The licence of each benchmark is printed, and before anything is sent that may not be passed on
    freely, you are asked. Sending takes a token with write access (`hf auth login` or $HF_TOKEN).
    """
    from lm_eval_codemind.data import load_benchmark
    from lm_eval_codemind.results.hub import write_dataset
    from lm_eval_codemind.results.official import official_tasks

    if (repository is None) == (folder is None):
        raise click.UsageError("give either ORG/NAME, to send the data there, or --folder, to write it to disk")
    chosen = names or tuple(known_benchmarks())
    for name in chosen:
        click.echo(f"{name}: {'; '.join(map(str, known_benchmarks()[name].sources))}", err=True)
    bound = [name for name in chosen if not known_benchmarks()[name].free]
    if repository is not None and bound and not yes:
        _ask(repository, bound)
    benchmarks = {name: load_benchmark(name) for name in chosen}
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


def _ask(repository: str, bound: Sequence[str]) -> None:
    """Ask whether benchmarks that may not be passed on freely are to be sent.

    Raises:
        ClickException: If the answer is no, or if nobody is there to answer.
    """
    sources = dict.fromkeys(source for name in bound for source in known_benchmarks()[name].sources if not source.free)
    click.echo(f"{', '.join(bound)} may not be passed on freely ({'; '.join(map(str, sources))}).", err=True)
    try:
        sure = click.confirm(f"Do its authors allow you to send it to {repository}?", err=True)
    except click.Abort:
        sure = False
    if not sure:
        raise click.ClickException(
            "nothing was sent; choose others with --benchmark, write a folder for yourself with --folder, or answer "
            "yes ahead with --yes"
        )
