"""Write the heading *Example* of each family's README: a prompt of the sample, two answers, and their scores.

usage: python utils/family_pages.py [DIRECTORY]

DIRECTORY has a folder for each family, as ``tasks``.
"""

from __future__ import annotations

import logging
import math
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lm_eval import simple_evaluate
from lm_eval.tasks import TaskManager

from lm_eval_codemind.data import load_problem
from lm_eval_codemind.harness.location import task_directory
from lm_eval_codemind.harness.reference import DocumentLM

ROOT = Path(__file__).resolve().parents[1]
TASKS = ROOT / "tasks"
EXAMPLE = re.compile(r"\n## Example\n.*?(?=\n## Details\n)", re.DOTALL)


@dataclass
class Example:
    """The question that a README shows, and two answers.

    Attributes:
        task: A task on the sample.
        questions: Numbers of the documents that belong together; the first one is shown.
        incorrect: An incorrect answer.
        why: Why it is incorrect.
        correct: The problem whose program is a correct answer; empty for the answer of ``codemind-oracle``.
    """

    task: str
    questions: list[int]
    incorrect: str
    why: str
    correct: str = ""


class Fixed(DocumentLM):
    """A model that gives the same response to every question, or the correct one if the response is empty."""

    def __init__(self, response: str) -> None:
        super().__init__()
        self.response = response

    def respond(self, request: Any) -> str:
        """Return the response."""
        return self.response or str(request.doc["target"])


def code(source: str) -> str:
    """Return source as a block of code."""
    return f"```python\n{source.strip()}\n```"


EXAMPLES = {
    "ier": Example(
        "codemind_ier_sample",
        [1],
        "The sequence starts at 6.\n\n<output>\n[6, 3, 10]\n</output>",
        "The list is too short, so `r_ier` is 0. It is an answer, so `answered` is 1.",
    ),
    "fresh": Example(
        "codemind_ier_fresh_sample",
        [3, 2],
        "<output>\n[6, 3, 10, 5, 16, 8, 4, 2, 1]\n</output>",
        "This is the output on the published input. A model that remembers it is correct there and incorrect on the "
        "new input, so `contamination_gap` is 1.",
    ),
    "sr": Example(
        "codemind_sr_sample",
        [0, 1],
        code("def collatz_trace(n, limit):\n    return [n]"),
        "The program ignores the specification, so tests fail in both settings.",
    ),
    "dsr": Example(
        "codemind_dsr_sample",
        [1],
        code("def collatz_trace(n, limit):\n    return [n]"),
        "The program is short but fails its tests, so `r_dsr` is 0.",
    ),
    "input": Example(
        "codemind_input_sample",
        [0],
        "<input>\nset 5 1\n</input>",
        "On this input the program prints only the first line.",
    ),
    "repair": Example(
        "codemind_repair_sample",
        [0, 1],
        code("def moving_average(values, width):\n    return values"),
        "The program passes no test that needs an average.",
    ),
    "verdict": Example(
        "codemind_verdict_sample",
        [0, 1],
        "The window has width values.\n\n<answer>\nyes\n</answer>",
        "As an answer to both documents it is correct for the correct program and incorrect for the buggy one.",
    ),
    "runtime": Example(
        "codemind_runtime_sample",
        [0],
        "<answer>\nno\n</answer>",
        "The last input line is `rotate 385 1`, so the `rotate` branch runs, and line 15 with it.",
    ),
    "flow": Example(
        "codemind_loops_sample",
        [12],
        "The first row has columns 0 to 2.\n\n<answer>\n[0, 1, 2]\n</answer>",
        "The loop is reached again in the middle of the grid. The first three of four values are correct, so `prefix` "
        "is 0.75 and `loops` is 0.",
    ),
    "trace": Example(
        "codemind_trace_lines_sample",
        [2],
        "<trace>\n2, 4, 5, 2, 4, 5, 2, 4, 5, 2, 3\n</trace>\n<output>\n[4, 2, 6, 7]\n</output>",
        "One call is missing, though the output is correct. So `lucky` is 1 and `right_for_the_right_reason` is 0.",
    ),
    "translation": Example(
        "codemind_translation_sample_java_python",
        [2, 3],
        code("print(1)"),
        "The program prints the same for every input.",
        correct="Sample_bit_masks",
    ),
    "unrolled": Example(
        "codemind_ier_unrolled_sample",
        [0],
        "<output>\n7 111 7\n</output>",
        "Only the first line is predicted.",
    ),
}


def scores(example: Example, response: str) -> dict[tuple[str, str], float]:
    """Return the metrics and filters with their values for one response to the example's questions."""
    results = simple_evaluate(
        model=Fixed(response),
        tasks=[example.task],
        samples={example.task: example.questions},
        task_manager=TaskManager(include_path=str(task_directory()), include_defaults=False),
        confirm_run_unsafe_code=True,
        bootstrap_iters=0,
    )
    values = {}
    for name, value in sorted(results["results"][example.task].items()):
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


def text_of(example: Example) -> str:
    """Return the Markdown of an example."""
    manager = TaskManager(include_path=str(task_directory()), include_defaults=False)
    document = list(manager.load([example.task])["tasks"][example.task].eval_docs)[example.questions[0]]
    correct = code(load_problem("sample", example.correct).code) if example.correct else ""
    parts = [
        f"A question of `{example.task}`, without the few-shot example that comes first:",
        fenced(document["prompt"]),
        "A correct answer:",
        fenced(correct or document["target"]),
        "An incorrect answer:",
        fenced(example.incorrect),
        example.why,
        table(scores(example, correct), scores(example, example.incorrect)),
    ]
    return "\n\n".join(parts) + "\n"


def filled(readme: str, example: Example) -> str:
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
    for name, example in EXAMPLES.items():
        file = directory / name / "README.md"
        file.write_text(filled(file.read_text(encoding="utf-8"), example), encoding="utf-8")


if __name__ == "__main__":
    main()
