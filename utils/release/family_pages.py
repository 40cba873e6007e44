"""Write the heading *Example* of each family's README: a prompt of the sample, two answers, and their scores.

usage: python utils/release/family_pages.py [DIRECTORY]

DIRECTORY has a folder for each family, as ``tasks``. ``family_pages.yaml`` has the questions and the answers.
"""

import logging
import math
import re
import sys
from pathlib import Path
from typing import Any

import yaml
from lm_eval import simple_evaluate
from lm_eval.tasks import TaskManager

from lm_eval_codemind.data import load_problem
from lm_eval_codemind.harness.location import task_directory
from lm_eval_codemind.harness.reference import DocumentLM

TASKS = Path(__file__).resolve().parents[2] / "tasks"
EXAMPLE = re.compile(r"\n## Example\n.*?(?=\n## Details\n)", re.DOTALL)


class Fixed(DocumentLM):
    """A model that gives the same response to every question, or the correct one if the response is empty."""

    def __init__(self, response: str) -> None:
        super().__init__()
        self.response = response

    def respond(self, request: Any) -> str:
        """Answer with the example's response."""
        return self.response or str(request.doc["target"])


def scores(example: dict[str, Any], response: str) -> dict[tuple[str, str], float]:
    """Return the metrics and filters with their values for one response to the example's questions."""
    results = simple_evaluate(
        model=Fixed(response),
        tasks=[example["task"]],
        samples={example["task"]: example["questions"]},
        task_manager=TaskManager(include_path=str(task_directory()), include_defaults=False),
        confirm_run_unsafe_code=True,
        bootstrap_iters=0,
    )
    values = {}
    for name, value in sorted(results["results"][example["task"]].items()):
        metric, _, filter = name.partition(",")
        if filter and "stderr" not in metric and isinstance(value, int | float):
            values[metric, filter] = value
    return values


def table(first: dict[tuple[str, str], float], second: dict[tuple[str, str], float]) -> str:
    """Return the scores of the correct and of the incorrect answer; a dash where a metric is not defined."""
    rows = [
        f"| `{metric}` | `{filter}` | {_cell(value)} | {_cell(second[metric, filter])} |"
        for (metric, filter), value in first.items()
        if not math.isnan(value) or not math.isnan(second[metric, filter])
    ]
    return "\n".join(["| metric | filter | correct answer | incorrect answer |", "|---|---|---:|---:|", *rows])


def _cell(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3g}"


def fenced(text: str) -> str:
    """Return a text as a block that may itself contain blocks."""
    return f"````text\n{text.strip()}\n````"


def text_of(example: dict[str, Any]) -> str:
    """Return the Markdown of an example."""
    manager = TaskManager(include_path=str(task_directory()), include_defaults=False)
    document = list(manager.load([example["task"]])["tasks"][example["task"]].eval_docs)[example["questions"][0]]
    correct = ""
    if "correct" in example:
        correct = f"```python\n{load_problem('sample', example['correct']).code.strip()}\n```"
    parts = [
        f"A question of `{example['task']}`, without the few-shot example that comes first:",
        fenced(document["prompt"]),
        "A correct answer:",
        fenced(correct or document["target"]),
        "An incorrect answer:",
        fenced(example["incorrect"]),
        example["why"],
        table(scores(example, correct), scores(example, example["incorrect"])),
    ]
    return "\n\n".join(parts) + "\n"


def filled(readme: str, example: dict[str, Any]) -> str:
    """Return a README with its example."""
    text = f"\n## Example\n\n{text_of(example)}"
    if EXAMPLE.search(readme):
        return EXAMPLE.sub(lambda match: text, readme)
    before, heading, rest = readme.partition("\n## Details\n")
    return before + text + heading + rest


def main() -> None:
    """Write the examples."""
    logging.disable(logging.WARNING)
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else TASKS
    for name, example in yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")).items():
        file = directory / name / "README.md"
        file.write_text(filled(file.read_text(encoding="utf-8"), example), encoding="utf-8")


if __name__ == "__main__":
    main()
