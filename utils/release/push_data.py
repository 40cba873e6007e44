"""Send the built data to the Hub as a data set, or write it to disk: ``python utils/release/push_data.py ORG/NAME``."""

import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import yaml
from datasets import Dataset, Features, List, Value
from huggingface_hub import HfApi
from jinja2 import Environment

from lm_eval_codemind import __version__
from lm_eval_codemind.commands import NEW_DIRECTORY
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.catalogue import benchmarks, get_benchmark
from lm_eval_codemind.files import write_whole
from lm_eval_codemind.problems import Complexity, Problem, digest, dump_problems
from lm_eval_codemind.results.hub import SPLIT, eval_yaml, official_tasks

# The record as a schema of the ``datasets`` library; columns other than text first.
_TEXT = Value("string")
_COMPLEXITY = {field.name: Value("int64") for field in fields(Complexity)} | {"constructs": List(_TEXT)}
_NESTED = {
    "cases": List({"input": _TEXT, "output": _TEXT}),
    "transformations": List(_TEXT),
    "complexity": _COMPLEXITY,
    "transformed_complexity": _COMPLEXITY,
}
# Witnesses come with the package.
_FEATURES = Features(
    {field.name: _NESTED.get(field.name, _TEXT) for field in fields(Problem) if field.name != "witnesses"}
)


def write_dataset(directory: Path, benchmarks: Mapping[str, Sequence[Problem]], tasks: Mapping[str, str]) -> list[Path]:
    """Write a data set as the Hub and ``datasets.load_dataset(DIRECTORY, BENCHMARK, split="test")`` expect it.

    The files, which are returned, are a Parquet file for each benchmark, ``README.md`` (the card) and ``eval.yaml``.
    Tasks on other benchmarks are left out.
    """
    files = []
    described = []
    for name, problems in benchmarks.items():
        file = directory / name / f"{SPLIT}.parquet"
        file.parent.mkdir(parents=True, exist_ok=True)
        rows = [{name: problem.to_row()[name] for name in _FEATURES} for problem in problems]
        Dataset.from_list(rows, features=_FEATURES).to_parquet(file)
        files.append(file)
        described.append(
            {
                "name": name,
                "title": get_benchmark(name).title,
                "problems": len(problems),
                "categories": dict(sorted(Counter(problem.category for problem in problems).items())),
                "sources": sorted({problem.provenance.partition(":")[0] for problem in problems}),
                "licences": list(map(str, get_benchmark(name).sources)),
                "digest": digest(dump_problems(problems)),
            }
        )
    card = directory / "README.md"
    write_whole(card, _card(described))
    declared = directory / "eval.yaml"
    here = {task: benchmark for task, benchmark in tasks.items() if benchmark in benchmarks}
    write_whole(declared, yaml.safe_dump(eval_yaml(here), sort_keys=False, width=100))
    return [*files, card, declared]


def _card(benchmarks: Sequence[Mapping[str, Any]]) -> str:
    metadata = {
        "pretty_name": "CodeMind",
        "language": ["en"],
        "license": "other",
        "task_categories": ["text-generation"],
        "tags": ["code", "code-reasoning", "benchmark"],
        "configs": [
            {"config_name": one["name"], "data_files": [{"split": SPLIT, "path": f"{one['name']}/{SPLIT}.parquet"}]}
            for one in benchmarks
        ],
    }
    card = Path(__file__).with_name("dataset_card.md.j2").read_text(encoding="utf-8")
    text = yaml.safe_dump(metadata, sort_keys=False).strip()
    template = Environment(trim_blocks=True, lstrip_blocks=True).from_string(card)
    return template.render(metadata=text, benchmarks=benchmarks, version=__version__)


@click.command()
@click.argument("repository", metavar="[ORG/NAME]", required=False)
@click.option(
    "-o", "--output_path", "folder", type=NEW_DIRECTORY, help="Write the data set into this directory and send nothing."
)
@click.option("--benchmark", "names", multiple=True, type=click.Choice(list(benchmarks())), default=list(benchmarks()))
@click.option("--private", is_flag=True, help="Make the repository private if it has to be created.")
@click.option("--yes", is_flag=True, help="Send data that may not be passed on freely without asking.")
def main(repository: str | None, folder: Path | None, names: tuple[str, ...], private: bool, yes: bool) -> None:
    """Send the data to the Hub as the data set ORG/NAME.

    Its card and eval.yaml are sent, too. With --output_path the same files are written there instead;
    datasets.load_dataset reads them, and so does $CODEMIND_DATASET. The licence of each benchmark is printed, and
    before anything is sent that may not be passed on freely, you are asked. Sending takes a token with write access
    (`hf auth login` or $HF_TOKEN).
    """
    if (repository is None) == (folder is None):
        raise click.UsageError("give either ORG/NAME, to send the data there, or --output_path, to write it to disk")
    for name in names:
        click.echo(f"{name}: {'; '.join(map(str, benchmarks()[name].sources))}", err=True)
    bound = [name for name in names if not benchmarks()[name].free]
    if repository is not None and bound and not yes:
        _ask(repository, bound)
    loaded = {name: load_benchmark(name) for name in names}
    if folder is not None:
        for file in write_dataset(folder, loaded, official_tasks()):
            click.echo(file)
        return
    assert repository is not None
    with tempfile.TemporaryDirectory(prefix="codemind-") as directory:
        write_dataset(Path(directory), loaded, official_tasks())
        api = HfApi()
        try:
            api.create_repo(repository, repo_type="dataset", private=private, exist_ok=True)
            commit = api.upload_folder(repo_id=repository, repo_type="dataset", folder_path=directory)
        except Exception as error:  # each release of huggingface_hub may raise errors of another HTTP library
            raise click.ClickException(
                f"{repository}: the Hub did not take the data ({error}); check the name, the network and your token "
                "(`hf auth login`)"
            ) from error
    click.echo(f"https://huggingface.co/datasets/{repository}: revision {commit.oid}")


def _ask(repository: str, bound: Sequence[str]) -> None:
    sources = dict.fromkeys(source for name in bound for source in benchmarks()[name].sources if not source.free)
    click.echo(f"{', '.join(bound)} may not be passed on freely ({'; '.join(map(str, sources))}).", err=True)
    try:
        sure = click.confirm(f"Do its authors allow you to send it to {repository}?", err=True)
    except click.Abort:
        sure = False
    if not sure:
        raise click.ClickException(
            "nothing was sent; choose others with --benchmark, write files for yourself with -o, or answer "
            "yes ahead with --yes"
        )


if __name__ == "__main__":
    main()
