"""What IER needs: making its documents and scoring answers imports nothing of the workshop and no sandbox."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.manifest import data_directory

TASKS = Path(__file__).resolve().parents[2] / "tasks"
NEVER = ("workshop", "data.facts", "sandbox", "studies")

# Makes the documents of tasks, answers each with its target, and prints which modules the first one and all imported.
SCRIPT = """
import json, sys
sys.modules["fcntl"] = None  # as on systems that have no such module
from importlib import import_module
made, first = 0, []
for function, arguments in json.loads(sys.argv[1]):
    module = import_module(function.rpartition(".")[0])
    published = module.__name__.endswith("published")
    documents = module.dataset(**arguments, suite={})["test"]
    read, score = module.strict_match, module.process_results
    few = documents.select(range(min(3, len(documents)))).to_list()
    for document, answers in zip(few, read([[document["target"]] for document in few], few)):
        scores = score(document, [answers])
        assert scores["r_ier_text" if published else "r_ier"] == 1, document["problem_id"]
    made += len(documents)
    modules = [name for name in sys.modules if name.startswith("lm_eval_codemind")]
    first = first or modules
heavy = [name for name in ("scipy.stats", "tree_sitter") if name in sys.modules]
print(json.dumps([made, first, modules, heavy]))
"""


class _Loader(yaml.SafeLoader):
    """Reads ``!function`` as the function's name."""


_Loader.add_constructor("!function", lambda loader, node: node.value)


def tasks() -> list[tuple[str, dict[str, Any]]]:
    """Return the function that makes the documents of each IER task, with its arguments."""
    functions = []
    for file in sorted(TASKS.rglob("codemind_ier*.yaml")):
        config = yaml.load(file.read_text(encoding="utf-8"), _Loader)
        if "include" in config:
            base = yaml.load((file.parent / config["include"]).read_text(encoding="utf-8"), _Loader)
            kwargs = {**base.get("dataset_kwargs", {}), **config["dataset_kwargs"]}
            config = {**base, **config, "dataset_kwargs": kwargs}
        function = config.get("custom_dataset", "")
        if function.startswith("lm_eval_codemind.families.ier."):
            functions.append((function, config["dataset_kwargs"]))
    return functions


def check(data: Path, chosen: list[tuple[str, dict[str, Any]]]) -> tuple[int, set[str]]:
    """Make the documents in a fresh process and check what it imported.

    Returns:
        The number of documents, and the modules that the first task needs.
    """
    command, environment = (
        [sys.executable, "-c", SCRIPT, json.dumps(chosen)],
        {**os.environ, "CODEMIND_DATA": str(data)},
    )
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500)
    assert run.returncode == 0, run.stderr
    made, first, modules, heavy = json.loads(run.stdout.splitlines()[-1])
    assert not [name for name in modules if name.removeprefix("lm_eval_codemind.").startswith(NEVER)]
    assert not heavy
    return int(made), set(first)


def test_the_sample_needs_little():
    for name in ("sample", "sample_java"):
        load_benchmark(name)
    chosen = [task for task in tasks() if task[1]["benchmark"] in ("sample", "sample_java")]
    chosen.sort(key=lambda task: task[1]["benchmark"])
    assert [task[1]["benchmark"] for task in chosen].count("sample") == 1
    made, modules = check(data_directory(), chosen)
    assert made >= 24 + 13
    # The start-up hook imports its own module in every process.
    assert len(modules - {"lm_eval_codemind.startup"}) <= 34


def test_all_tasks_need_little(built_data):
    chosen = tasks()
    assert len(chosen) >= 20 and check(built_data, chosen)[0] > 10_000


def test_a_run_needs_neither_workshop_nor_studies():
    program = (
        "import sys; from lm_eval_codemind.harness.cli import run_harness\n"
        "run_harness(['--model', 'codemind-oracle', '--tasks', 'codemind_ier_sample'])\n"
        "print('imported:', *[name for name in sys.modules if name.startswith('lm_eval_codemind.')])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=500)
    modules = run.stdout.rpartition("imported:")[2].split()
    assert len(modules) > 30
    assert not [name for name in modules if name.startswith(("lm_eval_codemind.workshop", "lm_eval_codemind.studies"))]
