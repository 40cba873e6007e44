"""Write docs/families/: for each family a prompt of the packaged sample, a right and a wrong answer, and their scores.

usage: python utils/release/family_pages.py [DIRECTORY]
"""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lm_eval import simple_evaluate
from lm_eval.tasks import TaskManager

from lm_eval_codemind.data import load_problem
from lm_eval_codemind.harness.location import task_directory
from lm_eval_codemind.harness.reference import DocumentLM

ROOT = Path(__file__).resolve().parents[2]
REPOSITORY = "https://github.com/lm-eval-codemind/lm-eval-codemind/blob/main/tasks"
# Groups that execute what the model wrote.
EXECUTING = ("codemind_sr", "codemind_dsr", "codemind_repair_humaneval", "codemind_translation")


@dataclass
class Page:
    """A page: its texts, the question that it shows, and a wrong answer.

    Attributes:
        title: Its title.
        about: What the model is asked for, and how answers are scored.
        task: A task on the sample.
        questions: Numbers of the documents that belong together; the first one is shown.
        wrong: A wrong answer.
        why: Why it is wrong.
        right: A right answer; empty for that of ``codemind-oracle``.
        group: The group to run.
    """

    title: str
    about: str
    task: str
    questions: list[int]
    wrong: str
    why: str
    group: str
    right: str = ""


class Fixed(DocumentLM):
    """A model that gives the same response to every question, or the right one if the response is empty."""

    def __init__(self, response: str) -> None:
        super().__init__()
        self.response = response

    def respond(self, request: Any) -> str:
        """Return the response."""
        return self.response or str(request.doc["target"])


def code(source: str) -> str:
    """Return source as a block of code."""
    return f"```python\n{source.strip()}\n```"


PAGES = {
    "ier": Page(
        "IER: independent execution reasoning",
        "The model predicts the output of a program on an input. The answer is compared with the label by value.",
        "codemind_ier_sample",
        [1],
        "The sequence starts at 6.\n\n<output>\n[6, 3, 10]\n</output>",
        "The list is too short, so `r_ier` is 0. It is an answer, so `answered` is 1.",
        "codemind_ier",
    ),
    "fresh": Page(
        "IER on fresh inputs",
        "The model predicts the output of a program on its published input and on a fresh one, which is made from a "
        "seed. `contamination_gap` is the difference of the two scores. Below is a question about a fresh input.",
        "codemind_ier_fresh_sample",
        [3, 2],
        "<output>\n[6, 3, 10, 5, 16, 8, 4, 2, 1]\n</output>",
        "This is the output on the published input. A model that remembers it is right there and wrong on the fresh "
        "input, so `contamination_gap` is 1.",
        "codemind_ier_fresh",
    ),
    "sr": Page(
        "SR: specification reasoning",
        "The model writes a program twice: from the specification alone, and with one test. Both programs run on all "
        "tests. `S_SR` is 1 if only the program with the test passes.",
        "codemind_sr_sample",
        [0, 1],
        code("def collatz_trace(n, limit):\n    return [n]"),
        "The program ignores the specification, so tests fail in both settings.",
        "codemind_sr",
    ),
    "dsr": Page(
        "DSR: dynamic semantics reasoning",
        "The model simplifies a transformed program C+. The score is 1 if the result passes the tests and is at most "
        "as long as the original. A longer result that passes gets less, and a result that fails gets 0.",
        "codemind_dsr_sample",
        [1],
        code("def collatz_trace(n, limit):\n    return [n]"),
        "The program is short but fails its tests, so `r_dsr` is 0.",
        "codemind_dsr",
    ),
    "input": Page(
        "Input prediction",
        "The model finds an input on which the program gives a known output. Any right input counts: other inputs than "
        "the recorded one are executed in the sandbox.",
        "codemind_input_sample",
        [0],
        "<input>\nset 5 1\n</input>",
        "On this input the program prints only the first line.",
        "codemind_input",
    ),
    "repair": Page(
        "Repair",
        "The model repairs a program, with a test that reveals the bug and without one. The repaired program runs on "
        "all tests.",
        "codemind_repair_sample",
        [0, 1],
        code("def moving_average(values, width):\n    return values"),
        "The program passes no test that needs an average.",
        "codemind_repair_humaneval",
    ),
    "verdict": Page(
        "Program verdicts",
        "Is a program right? The model is asked about the buggy and about the correct program of each "
        "problem. `verdict_pair` counts the problems with two right verdicts. The tasks `codemind_locate` ask for the "
        "line of the bug.",
        "codemind_verdict_sample",
        [0, 1],
        "The window has width values.\n\n<answer>\nyes\n</answer>",
        "This answer to both documents is right about the correct program and wrong about the buggy one.",
        "codemind_verdict",
    ),
    "runtime": Page(
        "Runtime behaviour",
        "The model answers questions about a line and a variable of a running program: is the line executed, what is "
        "the value, which line is next, and what is the output. Below is a question about coverage.",
        "codemind_runtime_sample",
        [0],
        "<answer>\nno\n</answer>",
        "The loop reads at least one line of input, so the line is executed.",
        "codemind_runtime",
    ),
    "flow": Page(
        "Loops and branches",
        "The model says which values a loop variable takes, or each time whether a condition is true. Below is a "
        "question about a loop. `codemind_branches` asks about conditions.",
        "codemind_loops_sample",
        [12],
        "The first row has columns 0 to 2.\n\n<answer>\n[0, 1, 2]\n</answer>",
        "The loop is reached again in the middle of the grid. The first three of four values are right, so `prefix` is "
        "0.75 and `loops` is 0.",
        "codemind_loops",
    ),
    "trace": Page(
        "Traces: whole executions",
        "The model lists the steps of an execution and predicts the output. `right_for_the_right_reason` is the share "
        "of right traces among right outputs. Below is a question about lines. `codemind_trace_states` asks for values "
        "of loop variables and for conditions.",
        "codemind_trace_lines_sample",
        [2],
        "<trace>\n2, 4, 5, 2, 4, 5, 2, 4, 5, 2, 3\n</trace>\n<output>\n[4, 2, 6, 7]\n</output>",
        "One call is missing, though the output is right. So `lucky` is 1 and `right_for_the_right_reason` is 0.",
        "codemind_trace_lines",
    ),
    "translation": Page(
        "Translation",
        "The model translates a program from Java to Python or from Python to Java, without a test and with one. The "
        "translation runs on all tests of the program.",
        "codemind_translation_sample_java_python",
        [2, 3],
        code("print(1)"),
        "The program prints the same for every input.",
        "codemind_translation",
        right="Sample_bit_masks",
    ),
    "unrolled": Page(
        "Unrolled loops",
        "IER on programs whose loops are replaced by the statements that they execute. The difference to IER on the "
        "same problems shows how much loops cost the model.",
        "codemind_ier_unrolled_sample",
        [0],
        "<output>\n7 111 7\n</output>",
        "Only the first line is predicted.",
        "codemind_ier_unrolled",
    ),
}


def scores(page: Page, response: str) -> list[str]:
    """Return the rows of a table of metrics for one response to the page's questions."""
    results = simple_evaluate(
        model=Fixed(response),
        tasks=[page.task],
        samples={page.task: page.questions},
        task_manager=TaskManager(include_path=str(task_directory()), include_defaults=False),
        confirm_run_unsafe_code=True,
        bootstrap_iters=0,
    )
    metrics = results["results"][page.task]
    rows = []
    for name, value in sorted(metrics.items()):
        metric, _, filter = name.partition(",")
        if filter and "stderr" not in metric and isinstance(value, int | float) and value == value:
            rows.append(f"| `{metric}` | `{filter}` | {value:g} |")
    return ["| metric | filter | value |", "|---|---|---:|", *rows]


def fenced(text: str) -> str:
    """Return a text as a block that may itself contain blocks."""
    return f"````text\n{text.strip()}\n````"


def text_of(name: str, page: Page) -> str:
    """Return the Markdown of a page."""
    manager = TaskManager(include_path=str(task_directory()), include_defaults=False)
    document = list(manager.load([page.task])["tasks"][page.task].eval_docs)[page.questions[0]]
    right = code(load_problem("sample", page.right).code) if page.right else ""
    confirm = " --confirm_run_unsafe_code" if page.group in EXECUTING else ""
    lines = [
        f"# {page.title}",
        page.about,
        f"    lm_eval --model hf --model_args pretrained=MODEL --tasks {page.group}{confirm} "
        "--output_path results --log_samples",
        f"All tasks of the family and their options: [README]({REPOSITORY}/{name}/README.md). "
        "Definitions: [Metrics](../metrics.md).",
        "## A prompt",
        f"This is a question of `{page.task}`, without the few-shot example that comes first.",
        fenced(document["prompt"]),
        "## A right answer",
        fenced(right or document["target"]),
        "\n".join(scores(page, right)),
        "## A wrong answer",
        fenced(page.wrong),
        page.why,
        "\n".join(scores(page, page.wrong)),
    ]
    return "\n\n".join(lines) + "\n"


def main() -> None:
    """Write the pages."""
    logging.disable(logging.WARNING)
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/families"
    directory.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (directory / f"{name}.md").write_text(text_of(name, page), encoding="utf-8")


if __name__ == "__main__":
    main()
