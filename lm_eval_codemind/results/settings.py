"""The settings that a score depends on, as results record them: to cite a score, and to say why two differ."""

from collections.abc import Iterable

from lm_eval_codemind.harness.provenance import prompts_sent
from lm_eval_codemind.results.provenance import generation, text_of
from lm_eval_codemind.results.runs import Run
from lm_eval_codemind.samples import TaskRun

# Characters of a digest that are shown.
_DIGEST = 12


def settings(run: Run, task: TaskRun) -> dict[str, str]:
    """Return the settings of a task in a run, under the names that readers see. Each one can change a score."""
    suite, raw = task.suite, run.raw
    return {
        "release of lm-eval-codemind": text_of(suite.get("version")),
        "release of lm-eval": text_of(raw.get("lm_eval_version")),
        "version of the task": text_of(task.version),
        "few-shot examples": text_of(task.config.get("num_fewshot")),
        "prompts by": prompts_sent(task.suite),
        "form of the prompts": form_of_prompts(run, task),
        "chat template": text_of(raw.get("chat_template_sha"))[:_DIGEST],
        "system instruction": text_of(raw.get("system_instruction")),
        "questions": f"{task.effective} of {task.original}",
        "generation": generation(task),
        "responses per question": text_of(task.config.get("repeats") or 1),
        "options of --metadata": text_of(suite.get("options")),
        "data": text_of(suite.get("data_sha256"))[:_DIGEST],
        "prompts": text_of(suite.get("prompts_sha256"))[:_DIGEST],
    }


def form_of_prompts(run: Run, task: TaskRun) -> str:
    """Return the form in which the model received its prompts."""
    if run.recorded:
        return "responses recorded elsewhere and replayed"
    if any(sample.chat for sample in task.each_sample()):
        return "as chat messages"
    return "with chat template" if run.raw.get("chat_template_sha") else "without chat template"


def failed_requests(tasks: Iterable[TaskRun]) -> str:
    """Return how many requests of some tasks failed, such as ``5 of 24``; empty if none did. These count as wrong."""
    counts = [task.suite.get("readings") or {} for task in tasks]
    failed, total = (sum(of_task.get(name, 0) for of_task in counts) for name in ("failed", "responses"))
    return f"{failed:,} of {total:,}" if failed else ""


def prompts_of(run: Run) -> dict[str, list[str]]:
    """Return whose prompts a run sent, with the tasks that did."""
    tasks: dict[str, list[str]] = {}
    for task in run.tasks:
        tasks.setdefault(prompts_sent(task.suite), []).append(task.task)
    return tasks


def differences(left: tuple[Run, TaskRun], right: tuple[Run, TaskRun]) -> list[str]:
    """Return the settings that differ between two runs of a task, each with its two values."""
    first, second = settings(*left), settings(*right)
    return [f"{name}: {first[name]} and {second[name]}" for name in first if first[name] != second[name]]
