"""``codemind plan``: how many requests and tokens a run takes, before it runs."""

from __future__ import annotations

import math
import os
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING
from unittest.mock import patch

import click

from lm_eval_codemind.errors import UserError

if TYPE_CHECKING:
    from lm_eval_codemind.harness.planning import TaskPlan


@click.command("plan", context_settings={"ignore_unknown_options": True})
@click.option("--tokenizer", metavar="NAME", help="Tokenizer of the model, or tiktoken:ENCODING. Else characters.")
@click.option("--price-in", type=click.FloatRange(min=0), help="Price of a million prompt tokens.")
@click.option("--price-out", type=click.FloatRange(min=0), help="Price of a million output tokens.")
@click.option(
    "--tokens-per-second",
    type=click.FloatRange(min=0, min_open=True),
    help="Output tokens that the model generates per second, over all requests at a time.",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="--tasks TASK,... [OPTIONS OF codemind run]")
def command(
    tokenizer: str | None,
    price_in: float | None,
    price_out: float | None,
    tokens_per_second: float | None,
    arguments: tuple[str, ...],
) -> None:
    """Print the requests and tokens of a run, without a model.

    Takes the arguments of `codemind run`. The harness builds the requests as for the run, with few-shot examples and
    chat template. Output tokens are the most that the tasks allow; most models need fewer.
    """
    from lm_eval_codemind.commands.run import with_programs
    from lm_eval_codemind.families.table import Column, Table
    from lm_eval_codemind.harness.planning import plan
    from lm_eval_codemind.harness.planning import tokenizer as load_tokenizer

    if price_in is not None and tokenizer is None:
        raise UserError("--price-in is a price of tokens, and prompts are counted in characters: add --tokenizer NAME")
    with patch.dict(os.environ, LMEVAL_LOG_LEVEL="ERROR"):
        counted = plan(with_programs(list(arguments)), load_tokenizer(tokenizer) if tokenizer else None)
    unit = "tokens" if tokenizer else "characters"
    rows = [
        {
            "task": task.task,
            "requests": task.requests,
            "prompts": task.prompts,
            "output": math.nan if task.output_tokens is None else task.output_tokens,
        }
        for task in counted.tasks
    ]
    total = {name: sum(float(row[name]) for row in rows) for name in ("requests", "prompts", "output")}
    if len(rows) > 1:
        rows.append({"task": "all", **total})
    formats = {
        "prompts": Column(f"Prompt {unit}", "count"),
        "output": Column("Most output tokens", "count"),
        "requests": Column("Requests", "count"),
    }
    if rows:
        click.echo(Table("plan", "Plan", "", rows, formats).to_text())
    for line in _short_forms(counted.tasks):
        click.echo(line)
    for prompts in dict.fromkeys(task.prompts_by for task in counted.tasks):
        named = [task.task for task in counted.tasks if task.prompts_by == prompts]
        click.echo(f"prompts: {prompts} ({', '.join(named)})")
    for later in counted.later:
        tokens = "" if later.output_tokens is None else f", at most {later.output_tokens} output tokens"
        click.echo(
            f"{later.task}: 1 to {later.most_requests} requests, one for each program of the first stage that passes "
            f"its tests{tokens}"
        )
    if price_in is not None:
        click.echo(f"price of the prompts: {price_in * total['prompts'] / 1e6:.2f}")
    if price_out is not None:
        click.echo(f"price of the responses: at most {price_out * total['output'] / 1e6:.2f}")
    if tokens_per_second is not None:
        click.echo(f"time: at most {total['output'] / tokens_per_second / 3600:.2f} hours")
    for fault in counted.missing:
        click.echo(f"missing here: {fault}", err=True)


def _short_forms(tasks: Sequence[TaskPlan]) -> Iterator[str]:
    """Yield a line for each short form: what it asks, and how far its score may lie from that of the full task."""
    by_family: dict[str, list[TaskPlan]] = defaultdict(list)
    for task in tasks:
        if task.short:
            by_family[task.short["family"]].append(task)
    for family, members in by_family.items():
        asked, questions = sum(task.requests for task in members), sum(task.short["of"] for task in members)
        half_width = math.hypot(*(task.short["half_width"] * task.requests / asked for task in members))
        yield (
            f"codemind_{family}: {asked} of {questions} questions; 95 % interval for the share of right answers to all "
            f"of them, about ± {100 * half_width:.1f} points"
        )
