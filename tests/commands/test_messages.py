"""Errors that the user can fix: a message, status 1 or 2, no traceback and no truncated file."""

import errno
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import lm_eval_codemind
from lm_eval_codemind.cli import COMMANDS, main
from lm_eval_codemind.files import write_whole
from tests.cli import refused, said

# A file of at most this many bytes stands for a full disk: writing fails in the middle.
_LIMIT = 2000
RUN = ("run", "--model", "codemind-null", "--tasks")


def on_a_full_disk(*arguments: object, cwd: Path) -> str:
    """Return what a command says that fails."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (_LIMIT, _LIMIT))

    command = [sys.executable, "-c", "from lm_eval_codemind.cli import main; main()", *map(str, arguments)]
    options = {"env": {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, "capture_output": True, "text": True}
    done = subprocess.run(command, cwd=cwd, preexec_fn=limited, check=False, **options)
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr[-2000:]
    return done.stderr


def test_misspelled_names():
    assert "did you mean report" in refused("reprot", status=2)
    assert "did you mean humaneval" in refused("data", "build", "--benchmark", "humanevl", status=2)


def test_the_harness_options_under_our_name():
    usage = said("run", "--help")
    assert usage.startswith("usage: codemind run --model MODEL")
    assert "lm-eval run" not in usage.split("options:")[0]


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - {"run"}))
def test_every_command_has_help(command):
    assert f"{command} [OPTIONS]" in said(command, "--help")


def subcommands(group: click.Group, *names: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*names, name), command
        if isinstance(command, click.Group):
            yield from subcommands(command, *names, name)


ALL_COMMANDS = dict(subcommands(main))


@pytest.mark.parametrize("group", [(), *(names for names, one in ALL_COMMANDS.items() if isinstance(one, click.Group))])
def test_summaries_fit_in_a_line(group):
    text = CliRunner().invoke(main, [*group, "--help"], terminal_width=80).output
    listed = text.partition("Commands:\n")[2].splitlines()
    assert listed and not [line for line in listed if line.endswith("...") or len(line) > 80]


def test_the_output_has_one_name():
    """That of the harness."""
    parameters = [parameter for command in ALL_COMMANDS.values() for parameter in command.params]
    options = {option for parameter in parameters for option in (*parameter.opts, *parameter.secondary_opts)}
    assert "--output_path" in options and not options & {"--output", "--out", "--output-path", "--folder"}
    of_paths = {names: one for names, one in ALL_COMMANDS.items() if any("-o" in p.opts for p in one.params)}
    assert all(any({"-o", "--output_path"} <= set(p.opts) for p in one.params) for one in of_paths.values())


def test_files_are_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "directory" / "file.txt"
    write_whole(path, "first")

    def full(self: Path, content: bytes) -> int:
        self.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match=r"file\.txt"):
        write_whole(path, "second")
    assert path.read_text() == "first"
    assert [file.name for file in path.parent.iterdir()] == ["file.txt"]
    monkeypatch.undo()
    with pytest.raises(OSError, match="/dev/full"):
        write_whole(Path("/dev/full"), "text")


def test_results_on_a_full_or_read_only_disk(tmp_path):
    arguments = (*RUN, "codemind_ier_sample", "--limit", "3")
    message = on_a_full_disk(*arguments, "--output_path", "results", "--log_samples", cwd=tmp_path)
    assert "Error: results: results are incomplete" in message
    assert not [path for path in tmp_path.rglob("*") if path.suffix in (".json", ".jsonl")]

    assert "/proc/results: results cannot be written there" in refused(*arguments, "--output_path", "/proc/results")


@pytest.mark.proof
def test_report_and_data_on_a_full_disk(tmp_path):
    options = ("--limit", "3", "--output_path", tmp_path / "results", "--log_samples")
    said(*RUN, "codemind_ier_sample", *options)
    report = on_a_full_disk("report", "results", "-o", "report.html", cwd=tmp_path)
    assert "Error: report.html: File too large" in report
    assert not list(tmp_path.glob("report.html*"))


def test_a_build_on_a_full_disk(shared_data, tmp_path):
    places = ("--upstream", shared_data / "upstream", "--output_path", "data")
    assert "File too large" in on_a_full_disk("data", "build", "--benchmark", "humaneval", *places, cwd=tmp_path)
    assert not [path for path in tmp_path.glob("data/*") if path.is_file() and not path.name.endswith(".lock")]


FILES = {
    "latin.py": b"x = '\xe9'\n",
    "open.py": b"def f(x):\n    return x(\n",
    "double.py": b"def f(x):\n    return 2 * x\n",
    "unknown/ier/function.txt": b"{{ nothing }}",
    "latin/ier/function.txt": b"\xe9",
    "yaml/ier/examples.yaml": b"function: [",
    "short/ier/examples.yaml": b"function: {code: x}\nmethod: {}\nscript: {}\n",
    "cut/m/results_2026-01-01T00-00-00.json": b"{",
    "unknown.yaml": b"bogus: 1\n",
    "own/codemind_own.yaml": (
        b"task: codemind_own\ncustom_dataset: !function lm_eval_codemind.families.ier.task.dataset\n"
        b"dataset_kwargs: {benchmark: samplee, setting: steps}\ntest_split: test\ndoc_to_text: prompt\n"
        b"doc_to_target: target\noutput_type: generate_until\nmetadata: {version: 1}\n"
    ),
}


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    templates = Path(lm_eval_codemind.__file__).parent / "families" / "ier" / "templates"
    for place in ("unknown", "latin", "yaml", "short"):
        shutil.copytree(templates, tmp_path / place / "ier")
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("arguments", "message"), [
    ((*RUN, "codemind_ier_sample", "--num_fewshot", "4"),
     "codemind_ier_sample has 3 few-shot examples; use --num_fewshot 3"),
    # The harness looks through all of its own tasks.
    pytest.param((*RUN, "nonsense"), "unknown task nonsense; `lm_eval ls tasks` lists the tasks",
                 marks=pytest.mark.proof),
    ((*RUN, "codemind_ier_sample", "--metadata", "{"), "Invalid JSON"),
    ((*RUN, "codemind_ier_sample", "--config", "missing.yaml"), "Config file not found"),
    ((*RUN, "codemind_ier_sample", "--config", "unknown.yaml"), "bogus"),
    ((*RUN, "codemind_ier_sample", "--metadata", '{"prompts": "missing"}'), "no prompts at missing/ier"),
    ((*RUN, "codemind_ier_sample", "--metadata", '{"prompts": "unknown"}'), "function.txt: 'nothing' is undefined"),
    ((*RUN, "codemind_ier_sample", "--metadata", '{"prompts": "latin"}'), "function.txt isn't UTF-8 text"),
    ((*RUN, "codemind_ier_sample", "--metadata", '{"prompts": "yaml"}'), "yaml/ier/examples.yaml: not YAML"),
    ((*RUN, "codemind_ier_sample", "--metadata", '{"prompts": "short"}'), "short/ier/examples.yaml: the few-shot"),
    ((*RUN, "codemind_runtime_sample", "--metadata", '{"items": "few"}'), "items is 'few', and must be"),
    ((*RUN, "codemind_ier_fresh_sample", "--metadata", '{"input_seed": -1}'), "input_seed is -1 and must be"),
    ((*RUN, "codemind_own", "--include_path", "own"), "there is no benchmark 'samplee'; the benchmarks are"),
    (("plan", "--tasks", "codemind_runtime_sample", "--metadata", '{"items": 0}'), "items is '0', and must be"),
    (("fresh", "latin.py", "--input", "f(1)"), "latin.py isn't UTF-8 text"),
    (("fresh", "open.py", "--input", "f(1)"), "open.py or its --input: the program is not Python"),
    (("trace", "latin.py", "--input", "f(1)"), "latin.py isn't UTF-8 text"),
    (("transform", "latin.py"), "latin.py isn't UTF-8 text"),
    (("transform", "double.py", "--tests", "open.py"), "--tests: not a Python program"),
    (("export", "--programs", "latin.py", "-o", "rows"), "latin.py isn't UTF-8 text"),
    (("show", "cut"), "results_2026-01-01T00-00-00.json: not a result file of the harness"),
    (("verify", "missing"), "missing: no such file or directory"),
])  # fmt: skip
def test_a_message_of_a_line_or_two(arguments, message):
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1 and isinstance(result.exception, SystemExit), result.exception
    text = result.output.partition("Error: ")[2]
    assert message in text and len(text.strip().splitlines()) <= 2, text


@pytest.mark.proof
@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(("options", "message"), [
    (["--metadata", '{"items": "few"}'], "Error: items is 'few', and must be"),
    (["--limit", "-1"], "Error: --limit -1: must be above 0"),
])  # fmt: skip
def test_lm_eval_says_the_same(options, message):
    command = ["-m", "lm_eval", "run", "--model", "dummy", "--tasks", "codemind_runtime_sample", *options]
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and message in done.stderr and "Traceback" not in done.stderr, done.stderr[-2000:]
