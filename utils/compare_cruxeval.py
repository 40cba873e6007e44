"""Score the right answers to CRUXEval with the harness's own tasks and with ours.

    python utils/compare_cruxeval.py [--first N]

Works on the built data (``$CODEMIND_DATA``). Each right answer is the assertion with the proven label, as the
prompts ask for it. The harness executes it without a sandbox; these programs and answers come from the data alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click
from lm_eval.tasks.cruxeval import utils as harness

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.families.cruxeval import task as family
from lm_eval_codemind.questions import Question

Document = Mapping[str, Any]
_BUILDERS: Mapping[str, tuple[Callable[..., list[list[str]]], str]] = {
    "cruxeval_output": (harness.build_predictions_output, "{assertion}"),
    "cruxeval_output_cot": (harness.build_predictions_output_cot, "[ANSWER]\n{assertion}\n[/ANSWER]"),
    "cruxeval_input": (harness.build_predictions_input, "{assertion}"),
    "cruxeval_input_cot": (harness.build_predictions_input_cot, "[ANSWER]\n{assertion}\n[/ANSWER]"),
}
_SETTINGS = {"": family.DIRECT, "_cot": family.COT}


def by_harness(name: str, documents: list[Document], responses: list[str]) -> int:
    """Return how many responses a task of the harness calls right."""
    programs = _BUILDERS[name][0]([[response] for response in responses], documents)
    return sum(harness.check_correctness(program) for (program,) in programs)


def by_us(name: str, documents: list[Document], responses: list[str]) -> int:
    """Return how many responses our task of the same form calls right."""
    predicts, _, form = name.removeprefix("cruxeval_").partition("_")
    member = family.CRUXEVAL_OUTPUT if predicts == "output" else family.CRUXEVAL_INPUT
    setting = _SETTINGS[f"_{form}" if form else ""]
    right = 0
    for problem, response in zip(documents, responses, strict=True):
        question = Question.about(problem["problem"], setting, {}, columns=family.COLUMNS)
        right += int(member.score(question, member.read(response, question, family.FILTER))["pass@1"])
    return right


@click.command()
@click.option("--first", type=int, help="Only the first N problems.")
def main(first: int | None) -> None:
    """Print a table: task of the harness, right answers, right by the harness, right by ours."""
    documents: list[Document] = [
        {"problem": problem, "code": problem.code, "input": problem.input[2:-1], "output": problem.output}
        for problem in load_benchmark("cruxeval")[:first]
    ]
    click.echo("| the harness's task | right answers | right by the harness | right by ours |")
    click.echo("|---|---:|---:|---:|")
    for name, (_, layout) in _BUILDERS.items():
        responses = [
            layout.format(assertion=f"assert f({document['input']}) == {document['output']}") for document in documents
        ]
        counts = len(documents), by_harness(name, documents, responses), by_us(name, documents, responses)
        click.echo(f"| `{name}` | {' | '.join(map(str, counts))} |")


if __name__ == "__main__":
    main()
