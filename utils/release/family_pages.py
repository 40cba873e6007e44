"""Write docs/families/: for each family a prompt of the packaged sample, a right and a wrong answer, and their scores.

usage: python utils/release/family_pages.py [DIRECTORY]

``family_pages.yaml`` has the texts.
"""

import logging
import sys
from pathlib import Path
from typing import Any

import yaml
from lm_eval import simple_evaluate
from lm_eval.tasks import TaskManager

from lm_eval_codemind.data import load_problem
from lm_eval_codemind.harness.location import task_directory
from lm_eval_codemind.harness.reference import DocumentLM

ROOT = Path(__file__).resolve().parents[2]
REPOSITORY = "https://github.com/lm-eval-codemind/lm-eval-codemind/blob/main/tasks"
# Groups that execute what the model wrote.
EXECUTING = ("codemind_sr", "codemind_dsr", "codemind_repair_humaneval", "codemind_translation")


class Fixed(DocumentLM):
    """A model that gives the same response to every question, or the right one if the response is empty."""

    def __init__(self, response: str) -> None:
        super().__init__()
        self.response = response

    def respond(self, request: Any) -> str:
        return self.response or str(request.doc["target"])


def scores(page: dict[str, Any], manager: TaskManager, response: str) -> str:
    task = page["task"]
    results = simple_evaluate(
        model=Fixed(response), tasks=[task], samples={task: page["questions"]}, task_manager=manager,
        confirm_run_unsafe_code=True, bootstrap_iters=0,
    )  # fmt: skip
    rows = ["| metric | filter | value |", "|---|---|---:|"]
    for name, value in sorted(results["results"][task].items()):
        metric, _, filter = name.partition(",")
        if filter and "stderr" not in metric and isinstance(value, int | float) and value == value:
            rows.append(f"| `{metric}` | `{filter}` | {value:g} |")
    return "\n".join(rows)


def fenced(text: str) -> str:
    return f"````text\n{text.strip()}\n````"


def text_of(name: str, page: dict[str, Any]) -> str:
    manager = TaskManager(include_path=str(task_directory()), include_defaults=False)
    document = list(manager.load([page["task"]])["tasks"][page["task"]].eval_docs)[page["questions"][0]]
    right = f"```python\n{load_problem('sample', page['right']).code.strip()}\n```" if page.get("right") else ""
    confirm = " --confirm_run_unsafe_code" if page["group"] in EXECUTING else ""
    lines = [
        f"# {page['title']}",
        page["about"],
        f"    lm_eval --model hf --model_args pretrained=MODEL --tasks {page['group']}{confirm} "
        "--output_path results --log_samples",
        f"All tasks of the family and their options: [README]({REPOSITORY}/{name}/README.md). "
        "Definitions: [Metrics](../metrics.md).",
        "## A prompt",
        f"This is a question of `{page['task']}`, without the few-shot example that comes first.",
        fenced(document["prompt"]),
        "## A right answer",
        fenced(right or document["target"]),
        scores(page, manager, right),
        "## A wrong answer",
        fenced(page["wrong"]),
        page["why"],
        scores(page, manager, page["wrong"]),
    ]
    return "\n\n".join(lines) + "\n"


def main() -> None:
    logging.disable(logging.WARNING)
    directory = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/families"
    directory.mkdir(parents=True, exist_ok=True)
    pages = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
    for name, page in pages.items():
        (directory / f"{name}.md").write_text(text_of(name, page), encoding="utf-8")


if __name__ == "__main__":
    main()
