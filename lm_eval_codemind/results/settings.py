"""The settings that a score depends on, as results record them: to cite a score, and to say why two differ."""

from collections.abc import Mapping, Sequence
from math import isnan

from lm_eval_codemind.questions.samples import TaskRun
from lm_eval_codemind.results.analysis import overall, summary
from lm_eval_codemind.results.observations import distinct, observe
from lm_eval_codemind.results.provenance import text_of
from lm_eval_codemind.results.runs import Run

# Characters of a digest that are shown.
_DIGEST = 12


def settings(run: Run, task: TaskRun) -> dict[str, str]:
    """Return the settings of a task in a run, by the words that readers see. Each one can change a score."""
    suite, raw = task.suite, run.raw
    generation = {
        name: value for name, value in (task.config.get("generation_kwargs") or {}).items() if name != "until"
    }
    return {
        "release of lm-eval-codemind": text_of(suite.get("version")),
        "release of lm-eval": text_of(raw.get("lm_eval_version")),
        "version of the task": text_of(task.metadata.get("version")),
        "few-shot examples": text_of(task.config.get("num_fewshot")),
        "form of the prompts": form_of_prompts(run, task),
        "chat template": text_of(raw.get("chat_template_sha"))[:_DIGEST],
        "system instruction": text_of(raw.get("system_instruction")),
        "questions": f"{task.effective} of {task.original}",
        "generation": text_of(generation),
        "responses per question": text_of(task.config.get("repeats") or 1),
        "options of --metadata": text_of(suite.get("options")),
        "data": text_of(suite.get("data_sha256"))[:_DIGEST],
        "prompts": text_of(suite.get("prompts_sha256"))[:_DIGEST],
    }


def form_of_prompts(run: Run, task: TaskRun) -> str:
    """Return the form in which the model received its prompts."""
    if run.recorded:
        return "responses recorded elsewhere and replayed"
    if any(sample.chat for sample in task.read_samples()):
        return "as chat messages"
    return "with chat template" if run.raw.get("chat_template_sha") else "without chat template"


def differences(one: tuple[Run, TaskRun], other: tuple[Run, TaskRun]) -> list[str]:
    """Return the settings that differ between two runs of a task, each with its two values."""
    first, second = settings(*one), settings(*other)
    return [f"{name}: {first[name]} and {second[name]}" for name in first if first[name] != second[name]]


def citations(runs: Sequence[Run]) -> list[str]:
    """Return a sentence for each group or task of each model: scores, intervals and the settings they depend on."""
    table = overall(runs, summary(runs, observe(runs)))
    scores: dict[tuple[str, str], list[str]] = {}
    for row, shown in zip(table.rows, table.shown(), strict=True):
        cells = dict(zip(row, shown, strict=True))
        interval = "no interval" if isnan(row["low"]) else f"95% interval {cells['low']} to {cells['high']}"
        score = f"{row['metric']} {cells['value']} ({interval})"
        scores.setdefault((row["model"], row["group"]), []).append(score)
    return [
        f"{model} on {group} of CodeMind (arXiv 2402.09664): {', '.join(of_group)}; "
        f"{_common(_members(runs, model, group))}."
        for (model, group), of_group in scores.items()
    ]


def _members(runs: Sequence[Run], model: str, group: str) -> dict[str, dict[str, str]]:
    """Return the settings of a task, or of each task of a group, by the name of the task."""
    of_model = [run for run in runs if run.label == model]
    names = {group, *(task for run in of_model for one in run.groups if one.name == group for task in one.tasks)}
    return {task.task: settings(run, task) for run in of_model for task in run.tasks if task.task in names}


def _common(of_tasks: Mapping[str, Mapping[str, str]]) -> str:
    """Return settings as a text: a setting that differs with its value in each task, and none that does not exist."""
    parts = []
    for name in next(iter(of_tasks.values())):
        values = distinct(of_task[name] for of_task in of_tasks.values())
        if len(values) > 1:
            values = [f"{of_task[name]} ({task})" for task, of_task in of_tasks.items()]
        if values != [text_of(None)]:
            parts.append(f"{name}: {', '.join(values)}")
    return "; ".join(parts)
