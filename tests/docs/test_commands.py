"""The commands in README.md, docs/ and the READMEs of tasks: all are checked against the programs they call.

All that can run are run: with a model that knows the answers, on the sample, in an empty directory.
"""

import argparse
import configparser
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import click
import pytest
from lm_eval.tasks import TaskManager

from family_pages import EXAMPLE
from lm_eval_codemind.cli import main
from lm_eval_codemind.commands import run
from lm_eval_codemind.commands.plan import command as plan
from lm_eval_codemind.harness.contract import parsed_arguments
from lm_eval_codemind.harness.location import task_directory
from tables import METRICS, seeds_table, with_baselines
from tests.cli import refused, said

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "tasks").rglob("*.md"))]
_BLOCK = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^((?:codemind|lm_eval|pip|make|python) .+)$", re.MULTILINE)
# Commands in blocks without a language, and behind a prompt; pages of the site have neither.
_INDENTED = re.compile(r"^(?: {4,}|\$ )(?:\$ )?((?:codemind|lm_eval|pip|make|python) .+)$", re.MULTILINE)
# They need a run, recordings or a network that the tests of the commands have; these run them.
RUN_BY_OTHERS = (
    *("codemind compare", "codemind data build", "codemind export", "codemind fresh", "codemind capture"),
    *("codemind submit", "codemind leaderboard", "codemind show recorded"),
    *(
        f"codemind score --responses {name}"
        for name in ("ExeRScope/", "ier_", "coconut_", "cruxeval_input_", "cruxeval/")
    ),
    # With the harness alone: two runs, of which the second needs the first.
    # tests/engine/test_real_model.py has its server.
    "python -m llama_cpp.server",
    *("python utils/compare/", "pip install", "pip download", "make demo", "lm_eval run"),
)
# The page shows what it prints: what the run lacks.
INCOMPLETE = "lm_eval --model hf --model_args pretrained=MODEL --tasks codemind_sr_sample --num_fewshot 9"
# Group -> the task on the sample that stands for it.
SAMPLES = {
    "codemind_first": "codemind_ier_sample",
    "codemind_repair_humaneval": "codemind_repair_sample",
    "codemind_cruxeval_output": "codemind_ier_sample",
    "codemind_horizon": "codemind_ier_sample",
    # tests/docs/test_own_code.py runs these on programs of their own.
    "codemind_own": "codemind_ier_sample",
    "codemind_own_ier": "codemind_ier_sample",
    "codemind_translation": "codemind_translation_sample_java_python",
    # Its programs need a network.
    "codemind_re2": "codemind_input_sample",
}


def commands() -> list[str]:
    """Return the commands, without comments, lines that go on joined."""
    pages = {}
    for page in PAGES:
        text = re.sub(r"\\\n\s*", " ", page.read_text(encoding="utf-8"))
        for command in [*_COMMAND.findall("".join(_BLOCK.findall(text))), *_INDENTED.findall(text)]:
            pages.setdefault(re.sub(r"\s+# .*", "", command).replace(" [--list]", "").strip(), page)
    return list(pages)


COMMANDS = commands()


def option_names(command: click.Command) -> set[str]:
    return {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}


def task_names(names: str | list[str]) -> list[str]:
    return names.split(",") if isinstance(names, str) else names


def options_of(arguments: list[str]) -> argparse.Namespace:
    """Return the options of a run; of programs that are not there, all tasks are asked."""
    with patch.object(run, "_asking", lambda path: ["codemind_own"]):
        return parsed_arguments(run.with_programs([argument for argument in arguments if argument != "run"]))


@pytest.fixture(scope="module")
def tasks() -> set[str]:
    return set(TaskManager(include_path=str(task_directory()), include_defaults=False).all_tasks)


def test_there_are_commands():
    assert len(COMMANDS) > 30
    assert {command.split()[0] for command in COMMANDS} == {"codemind", "lm_eval", "pip", "make", "python"}


@pytest.mark.parametrize("command", COMMANDS)
def test_names_and_options_exist(command, tasks):
    program, *arguments = shlex.split(command)
    if program == "lm_eval" or arguments[0] == "run":
        options = options_of(arguments)
        assert set(task_names(options.tasks)) <= tasks
    elif arguments[0] == "plan":
        of_the_run = plan.make_context("plan", arguments[1:]).params["arguments"]
        assert set(task_names(parsed_arguments(of_the_run).tasks)) <= tasks
    elif program == "codemind":
        subcommand: click.Command | None = main
        while isinstance(subcommand, click.Group):
            subcommand = subcommand.get_command(click.Context(subcommand), arguments.pop(0))
        assert subcommand is not None, command
        # `codemind score` passes options that it does not know to the harness.
        known = option_names(subcommand) | (
            {"--confirm_run_unsafe_code"} if command.startswith("codemind score") else set()
        )
        # What follows -- is another program's.
        own = arguments[: arguments.index("--")] if "--" in arguments else arguments
        assert {argument for argument in own if argument.startswith("-")} <= known
    elif program == "pip":
        config = configparser.ConfigParser()
        config.read(ROOT / "setup.cfg")
        named = re.findall(r"(?:lm-eval-codemind|(?<=')\.|(?<= )\.)(?:\[([^]]+)\])?", command)
        assert named or arguments[0] == "download"
        assert {extra for extras in named for extra in extras.split(",") if extra} <= set(
            config["options.extras_require"]
        )
    elif program == "make":
        assert f"\n{arguments[0]}:" in (ROOT / "Makefile").read_text()
    elif arguments[0] == "-m":
        # A module of a package that a command before it installs.
        assert any(f"'{arguments[1].split('.')[0].replace('_', '-')}" in other for other in COMMANDS), command
    elif arguments[0] != "-c":
        assert (ROOT / arguments[0]).is_file()


def runnable(command: str) -> bool:
    return not command.startswith(RUN_BY_OTHERS)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with what the commands expect: results of a run, and a file of responses."""
    folder = tmp_path_factory.mktemp("commands")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        command = ["run", "--model", "codemind-oracle", "--tasks", "codemind_ier_sample", "--limit", "4"]
        said(*command, "--output_path", "results", "--log_samples")
    (folder / "responses.jsonl").write_text(
        '{"benchmark": "sample", "problem_id": "Sample_bit_masks", "response": "<output>\\n1\\n</output>"}\n'
    )
    return folder


def on_the_sample(arguments: list[str]) -> list[str]:
    """Return the arguments of an evaluation with another model and the sample's task."""
    options = options_of(arguments)
    asked = task_names(options.tasks)
    names = [name if name.endswith("_sample") else SAMPLES.get(name, f"{name}_sample") for name in asked]
    log = ["--log_samples", "--output_path", "other"] if "--log_samples" in arguments else []
    confirmed = ["--confirm_run_unsafe_code"] if "--confirm_run_unsafe_code" in arguments else []
    return ["run", "--model", "codemind-oracle", "--tasks", ",".join(names), "--limit", "4", *log, *confirmed]


@pytest.mark.proof
@pytest.mark.parametrize("command", list(filter(runnable, COMMANDS)))
def test_command_runs(command, directory, monkeypatch):
    monkeypatch.chdir(directory)
    program, *arguments = shlex.split(command)
    if program == "python":
        subprocess.run([sys.executable, *arguments], check=True, cwd=directory)
        return
    if program == "lm_eval" or arguments[0] == "run":
        arguments = on_the_sample(arguments)
    if command == INCOMPLETE:
        assert "add --confirm_run_unsafe_code" in refused(*arguments)
    else:
        said(*arguments)


def test_every_metric_to_report_has_a_baseline():
    page = METRICS.read_text(encoding="utf-8")
    assert with_baselines(page) == page, "run utils/release/tables.py baselines"


@pytest.mark.proof
def test_the_table_of_seeds_is_up_to_date():
    assert "\n".join(seeds_table({"sample": 5})) in (ROOT / "docs/training.md").read_text(encoding="utf-8")


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


@pytest.mark.proof
def test_examples_of_readmes_are_what_the_script_writes(tmp_path):
    shutil.copytree(ROOT / "tasks", tmp_path / "tasks")
    for file in (tmp_path / "tasks").glob("*/README.md"):
        file.write_text(EXAMPLE.sub("", file.read_text(encoding="utf-8")), encoding="utf-8")
    subprocess.run([sys.executable, ROOT / "utils/release/family_pages.py", tmp_path / "tasks"], check=True, cwd=ROOT)
    written = {file.parent.name: file.read_text(encoding="utf-8") for file in (tmp_path / "tasks").glob("*/README.md")}
    assert sum("\n## Example\n" in text for text in written.values()) >= 12
    for name, text in written.items():
        shown = (ROOT / "tasks" / name / "README.md").read_text(encoding="utf-8")
        assert shown == text, f"run utils/release/family_pages.py: {name}"
