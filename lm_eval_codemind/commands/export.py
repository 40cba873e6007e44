"""``codemind export``: rows to train on, with all that their rewards need."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lm_eval_codemind import __version__
from lm_eval_codemind.commands import ANY_PATH, NEW_FILE, read_metadata, require_tasks, value_errors
from lm_eval_codemind.data.facts.fresh import EVALUATION_SEEDS
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.files import write_whole

if TYPE_CHECKING:
    from lm_eval_codemind.family import Family
    from lm_eval_codemind.questions import Question

# What can be asked about programs of the user: the family and the setting.
QUESTIONS = {
    "output": ("ier", "steps"),
    "input": ("input", "steps"),
    "loops": ("loops", "loops"),
    "branches": ("branches", "branches"),
    "lines": ("trace_lines", "lines"),
    "states": ("trace_lines", "states"),
}

# The options with which tasks ask all questions that they have.
EVERYTHING = {"items": "all", "short_seed": "all"}

Row = dict[str, Any]


@click.command("export")
@click.option("--tasks", metavar="TASK,...", help="Tasks or groups of this suite.")
@click.option("--metadata", default="{}", metavar="JSON", help="Options of the tasks, such as '{\"input_seed\": 11}'.")
@click.option(
    "--evaluation",
    is_flag=True,
    help="Also export the questions of the packaged evaluation. A model that has trained on them cannot be evaluated.",
)
@click.option(
    "--idle", is_flag=True, help="Also export questions that a usual input solves, which is found without reading."
)
@click.option(
    "--programs",
    type=ANY_PATH,
    help="Ask about your own programs in Python instead: a folder of `codemind capture`, or JSON lines with `id`, "
    "`code`, and `call` or, for a script, `stdin`; optionally `licence`.",
)
@click.option(
    "--questions",
    "kinds",
    multiple=True,
    type=click.Choice(tuple(QUESTIONS)),
    help="With --programs: what to ask. By default all questions.",
)
@click.option("--inputs", type=click.IntRange(0), default=0, help="With --programs: fresh inputs for each program.")
@click.option("--seed", type=click.IntRange(0), default=0, help="With --programs: the seed of the fresh inputs.")
@click.option("-o", "--output_path", "output", required=True, type=NEW_FILE, help="The file of JSON lines to write.")
def command(
    tasks: str | None,
    metadata: str,
    evaluation: bool,
    idle: bool,
    programs: Path | None,
    kinds: tuple[str, ...],
    inputs: int,
    seed: int,
    output: Path,
) -> None:
    """Write questions as rows to train on.

    These are the questions of tasks, or questions about your own programs.

    `lm_eval_codemind.rewards` scores responses to the rows.
    """
    if (tasks is None) == (programs is None):
        raise click.UsageError("give either --tasks or --programs")
    with value_errors():
        if programs is None:
            rows = _rows_of_tasks((tasks or "").split(","), read_metadata(metadata), evaluation)
        else:
            rows = _rows_of_programs(programs, kinds or tuple(QUESTIONS), inputs, seed)
    if not idle:
        rows = _without_idle(rows)
    write_whole(output, "".join(json.dumps(row) + "\n" for row in rows).encode("ascii"))
    click.echo(f"{output}: {len(rows)} rows")


def _rows_of_tasks(names: list[str], options: Mapping[str, Any], evaluation: bool) -> list[Row]:
    from lm_eval_codemind.data.catalogue import get_benchmark
    from lm_eval_codemind.families import family_named
    from lm_eval_codemind.family import seed_option
    from lm_eval_codemind.questions import Question

    seeds = {name: seed_option(options, name, 0) for name in options if name.endswith("_seed")}
    reserved = [name for name, seed in seeds.items() if seed in EVALUATION_SEEDS]
    if reserved and not evaluation:
        raise UserError(
            f"{reserved[0]} is {seeds[reserved[0]]}, and the seeds 0 to {EVALUATION_SEEDS[-1]} are for evaluation; "
            "choose another one, or add --evaluation"
        )
    tasks = [
        (name, task, family_named(task.config.metadata["suite"]["family"])) for name, task in _load(names, options)
    ]
    separate = {name for _, _, family in tasks if family is not None for name in family.separate_seeds}
    drawn = seeds.keys() - separate
    evaluations = [EVERYTHING, *({**options, **dict.fromkeys(drawn, seed)} for seed in EVALUATION_SEEDS if drawn)]
    packaged: dict[str, set[str]] = defaultdict(set)
    for others in [] if evaluation else evaluations:
        for name, task in _load(names, others):
            packaged[name].update(map(_identity, task.eval_docs))
    rows = []
    for name, task, family in tasks:
        suite = task.config.metadata["suite"]
        assert family is not None
        documents = [dict(document) for document in task.eval_docs]
        fresh = [
            question
            for document, question in zip(documents, map(Question.from_document, documents), strict=True)
            if evaluation or not (_identity(document) in packaged[name] or family.only_evaluates(question))
        ]
        if not fresh:
            raise UserError(
                f"{name}: all {len(documents)} questions are those of the packaged evaluation; choose a task with a "
                "seed and give one in --metadata, or add --evaluation"
            )
        if len(fresh) < len(documents):
            click.echo(
                f"{name}: {len(documents) - len(fresh)} questions of the packaged evaluation are left out", err=True
            )
        about = {
            "seed": next(iter(seeds.values()), None),
            "licence": suite.get("licence") or "; ".join(map(str, get_benchmark(suite["benchmark"]).sources)),
            "data_sha256": suite["data_sha256"],
            "prompts_sha256": suite["prompts_sha256"],
        }
        rows += [_row(family, question, name, about) for question in fresh]
    return rows


def _without_idle(rows: list[Row]) -> list[Row]:
    """Return the rows that no idle response solves; how many others there are is printed by task."""
    from lm_eval_codemind.rewards import idle_responses, rewards

    pairs = [(place, response) for place, row in enumerate(rows) for response in idle_responses(row)]
    earned = rewards([rows[place] for place, _ in pairs], [response for _, response in pairs])
    solved = {place for (place, _), reward in zip(pairs, earned, strict=True) if reward}
    for task, count in Counter(rows[place]["task"] for place in sorted(solved)).items():
        click.echo(f"{task}: {count} questions are not exported: a usual input solves them", err=True)
    return [row for place, row in enumerate(rows) if place not in solved]


def _load(names: list[str], options: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    from lm_eval_codemind.harness.location import task_manager

    manager = task_manager(options)
    require_tasks(manager, names)
    yield from manager.load(names)["tasks"].items()


def _identity(document: Mapping[str, Any]) -> str:
    """Return what makes a question: all but the name of the item and the wording of the prompt."""
    return json.dumps(
        {name: value for name, value in document.items() if name not in ("item", "prompt", "target")}, sort_keys=True
    )


def _rows_of_programs(path: Path, kinds: Iterable[str], inputs: int, seed: int) -> list[Row]:
    """Return the rows about the programs in a file or folder. Those without a proven label are named and left out."""
    from lm_eval_codemind.data.making import prove_programs
    from lm_eval_codemind.data.own import FORM, programs_file, read_programs
    from lm_eval_codemind.families import families
    from lm_eval_codemind.harness.hooks import with_texts
    from lm_eval_codemind.harness.templates import Templates
    from lm_eval_codemind.problems import digest

    file = programs_file(path)
    read, wrong_lines = read_programs(file)
    programs, causes = prove_programs([program.problem for program in read], inputs, seed)
    licence_of = {program.problem.problem_id: program.licence for program in read}
    for name, cause in [*wrong_lines.items(), *causes.items()]:
        click.echo(f"left out: {name}: {cause}", err=True)
    if wrong_lines:
        click.echo(f"a line is {FORM}", err=True)
    for problem, _ in programs:
        if problem.output == "None":
            click.echo(f"{problem.problem_id}: returns None, so nothing is asked about output and input", err=True)
    rows = []
    for kind in kinds:
        name, setting = QUESTIONS[kind]
        family = families()[name]
        templates = Templates(family.templates)
        about = {"seed": seed, "data_sha256": digest(file.read_bytes()), "prompts_sha256": templates.digest("python")}
        for problem, execution in programs:
            if problem.output == "None" and kind in ("output", "input"):
                continue
            about["licence"] = licence_of[problem.problem_id.partition("#")[0]]
            for question in family.own_questions(problem, execution, setting):
                asked = dataclasses.replace(with_texts(question, family, templates), problem=problem)
                rows.append(_row(family, asked, kind, about))
    return rows


def _row(family: Family, question: Question, task: str, about: Mapping[str, Any]) -> Row:
    from lm_eval_codemind.rewards import scoring

    return {
        "prompt": [{"role": "user", "content": question.prompt}],
        "text": question.prompt,
        "target": question.target,
        "task": task,
        **question.key._asdict(),
        **about,
        "version": __version__,
        "scoring": scoring(family, question),
    }
