"""The data set's repository on the Hub: its files, its card, and ``eval.yaml``, which makes it a benchmark."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import yaml
from datasets import Dataset, Features, List, Value

from lm_eval_codemind import __version__
from lm_eval_codemind.data.catalogue import get_benchmark
from lm_eval_codemind.families.views import views
from lm_eval_codemind.files import write_whole
from lm_eval_codemind.harness.location import task_directory
from lm_eval_codemind.problems import Complexity, Problem, digest, dump_problems
from lm_eval_codemind.results.pages import templates

# The Hub asks for the framework's name; https://huggingface.co/docs/hub/eval-results
FRAMEWORK = "lm-evaluation-harness"
SPLIT = "test"

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


def eval_yaml(tasks: Mapping[str, str]) -> dict[str, Any]:
    """Return the content of ``eval.yaml``, which declares the data set as a benchmark with its tasks.

    The benchmark of a task is a configuration of the data set.
    """
    return {
        "name": "CodeMind",
        "description": (
            "Code reasoning of language models: predicting what a program computes (IER), using a test in a "
            "specification (SR), simplifying a transformed program (DSR) and predicting what its own program computes "
            "(DER). Run with lm-eval-codemind."
        ),
        "evaluation_framework": FRAMEWORK,
        "tasks": [{"id": task, "config": benchmark, "split": SPLIT} for task, benchmark in tasks.items()],
    }


def official_tasks() -> dict[str, str]:
    """Return the tasks of the default groups, in the order of their families: name -> benchmark.

    The default group of a family that can be submitted is called ``codemind_NAME``. The YAML files of groups
    and tasks are the only list of them.
    """
    tasks = {}
    groups = {file.stem: file for file in task_directory().rglob("codemind_*.yaml")}
    for view in views().values():
        group = groups.get(f"codemind_{view.name}")
        if group is None or not view.variant.submittable:
            continue
        members = yaml.safe_load(group.read_text(encoding="utf-8"))["task"]
        # A family with one task only has no group: the file of that name is the task.
        for name in members if isinstance(members, list) else []:
            task = yaml.safe_load((group.parent / f"{name}.yaml").read_text(encoding="utf-8"))
            tasks[name] = str(task["dataset_kwargs"]["benchmark"])
    return tasks


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
    template = templates(escape=False).get_template("dataset_card.md.j2")
    text = yaml.safe_dump(metadata, sort_keys=False).strip()
    return template.render(metadata=text, benchmarks=benchmarks, version=__version__)
