"""A run that was interrupted, or lost something, goes on with the same command; the rows of the table in the docs."""

import gc
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import lm_eval
import pytest
from click.testing import Result

from lm_eval_codemind.families.fresh import task as fresh
from lm_eval_codemind.families.ier import task as ier
from lm_eval_codemind.families.sr import task as sr
from lm_eval_codemind.harness import replies, response_cache
from lm_eval_codemind.harness.location import task_directory, task_manager
from lm_eval_codemind.harness.state import state
from lm_eval_codemind.results.runs import read_runs
from tests.chat_server import ERROR, ChatServer, Messages, Raw, chat_server, target_of
from tests.cli import codemind

pytest.importorskip("tenacity", reason="the extra `api` is not installed")

ROOT = Path(__file__).parents[2]
STEPS, DIRECT = (list(ier.dataset(benchmark="sample", setting=setting)["test"]) for setting in ("steps", "direct"))
DOCUMENTS = [
    *STEPS,
    *DIRECT,
    *sr.dataset(benchmark="sample", settings=["no_test", "with_test"])["test"],
    *fresh.dataset(benchmark="sample", setting="steps")["test"],
]
# Right, and 55 where the question is about a program of the model.
right_answer = target_of(DOCUMENTS, default="<output>\n55\n</output>")
TASK = "codemind_ier_sample"
LIMIT = 8


def arguments(server: ChatServer, output: Path, *options: object, cache: bool = True) -> list[str]:
    """Return a command; the run keeps its responses beside its output."""
    kept = ("--use_cache", output / "cache") if cache else ()
    return [
        *("run", "--model", "local-chat-completions", "--model_args"),
        f"model=m,base_url={server.url},max_retries=1",
        *("--apply_chat_template", "--confirm_run_unsafe_code", "--log_samples", "--limit", str(LIMIT)),
        *map(str, ("--output_path", output, *kept, *(options or ("--tasks", TASK)))),
    ]


def ended(result: Result) -> str:
    """Return the message with which a command ended."""
    assert result.exit_code == 1 and isinstance(result.exception, SystemExit), (result.exception, result.output)
    (line,) = re.findall(r"Error: (.*)\n", result.output)
    return str(line)


def scores(output: Path) -> dict[str, dict[str, float]]:
    """Return the metrics of the last run of each task; those that say how a program ran in its time are left out."""
    runs = sorted(read_runs([output]), key=lambda run: run.date)
    return {
        task.task: {f"{metric.name},{metric.filter}": metric.value for metric in task.metrics}
        for run in runs
        for task in run.tasks
    }


class Sampling:
    """A model whose n-th answer to the prompts of some documents is right if n is odd. It may interrupt who asks.

    Attributes:
        answered: How many requests it has answered.
        last: After how many it interrupts the next one; None if it does not.
    """

    def __init__(self, documents: Iterable[Mapping[str, Any]]) -> None:
        self.answered = self.interruptions = 0
        self.last: int | None = None
        self._varied = tuple(str(one["prompt"]) for one in documents)
        self._turns: Counter[str] = Counter()

    def __call__(self, messages: Messages) -> str:
        prompt = json.dumps(messages)
        if self.answered == self.last:
            self.last = None
            self.interruptions += 1
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
            return "not read"
        self.answered += 1
        self._turns[prompt] += 1
        wrong = messages[-1]["content"].endswith(self._varied) and self._turns[prompt] % 2 == 0
        return "I do not know." if wrong else right_answer(messages)


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Interrupts raise, also where a shell started this process in the background, so that it ignores them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.proof
@pytest.mark.usefixtures("interrupts")
@pytest.mark.parametrize("concurrent", [1, 4])
def test_ten_interruptions_at_random_points(concurrent, tmp_path):
    """Of IER, DER, fresh, SR and a sampled task: each request is answered once, and the scores are the same."""
    config = f"include: {task_directory()}/ier/codemind_ier_direct_sample.yaml\ntask: my_sampled\nrepeats: 3\n"
    config += "generation_kwargs: {do_sample: true, temperature: 0.8, max_gen_toks: 9}\n"
    (tmp_path / "my.yaml").write_text(config)
    tasks = "codemind_ier_sample,codemind_der_sample,codemind_ier_fresh_sample,codemind_sr_sample,my_sampled"
    options = ("--tasks", tasks, "--include_path", tmp_path)

    def command(server: ChatServer, place: str) -> list[str]:
        usual = arguments(server, tmp_path / place, *options)
        return [text.replace("max_retries=1", f"max_retries=1,num_concurrent={concurrent}") for text in usual]

    whole = Sampling(DIRECT)
    with chat_server(whole) as server:
        done = codemind(*command(server, "whole"))
        assert done.exit_code == 0, done.output
    expected = scores(tmp_path / "whole")
    assert expected["my_sampled"]["r_ier,strict-match"] == pytest.approx(2 / 3)

    draw, interrupted = random.Random(60), Sampling(DIRECT)
    with chat_server(interrupted) as server:
        for _ in range(10):
            interrupted.last = interrupted.answered + draw.randint(0, (whole.answered - interrupted.answered) // 4)
            codemind(*command(server, "interrupted"))
            # An interrupted command ends its process. Here its remains would be collected while a later one parses, and
            # before Python 3.13 a parse fails if code that the collector runs parses, too.
            gc.collect()
        assert codemind(*command(server, "interrupted")).exit_code == 0
    assert interrupted.interruptions == 10
    if concurrent == 1:
        assert interrupted.answered == whole.answered and len(server.requests) == whole.answered + 10
    else:
        # Who asks for several at a time has asked for up to three more.
        assert interrupted.answered <= whole.answered + 10 * (concurrent - 1)
    shown = scores(tmp_path / "interrupted")
    assert shown.keys() == expected.keys()
    if concurrent > 1:
        # An answer that came too late is not read, and a sampled task gets the next one.
        assert shown.pop("my_sampled") and expected.pop("my_sampled")
    assert shown == expected


# -- the table


def interrupted(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is killed without warning."""
    asked = threading.Event()

    def answer(messages: Messages) -> Any:
        if len(server.requests) == 5 and not asked.is_set():
            asked.set()
            threading.Event().wait(60)
        return right_answer(messages)

    with chat_server(answer) as server:
        command = [sys.executable, "-c", "from lm_eval_codemind.cli import main; main()", *arguments(server, output)]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            assert asked.wait(120)
            os.kill(process.pid, signal.SIGKILL)
        goes_on(output, sent=LIMIT - 4)


def endpoint_gone(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies, "_FAILURES_LATER", 2)
    numbers = iter(range(99))
    with chat_server(lambda messages: right_answer(messages) if next(numbers) < 3 else Raw("", 502)) as server:
        line = ended(codemind(*arguments(server, output)))
    assert f"{LIMIT - 3} of {LIMIT} requests failed and count as wrong" in line and "only these are sent" in line
    assert len(server.requests) == 5
    goes_on(output, sent=LIMIT - 3)


def endpoint_silent(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replies, "_FAILURES_AT_FIRST", 2)
    with chat_server(lambda messages: Raw(ERROR, 401)) as server:
        line = ended(codemind(*arguments(server, output)))
    assert "did not answer the first 2 requests" in line and "overloaded" in line and "base_url" in line
    assert len(server.requests) == 2 and not list(output.rglob("*.json"))
    goes_on(output, sent=LIMIT)


def credits_used_up(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Said with an error, and with status 200."""
    numbers = iter(range(99))
    bodies = [Raw(ERROR, 402), Raw({"detail": "no credits"}), Raw({"object": "error", "message": "no credits"})]
    with chat_server(
        lambda messages: right_answer(messages) if (number := next(numbers)) < 3 else bodies[number % 3]
    ) as server:
        assert f"{LIMIT - 3} of {LIMIT} requests failed" in ended(codemind(*arguments(server, output)))
    goes_on(output, sent=LIMIT - 3)


def disk_full_for_responses(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = response_cache.opened

    def small(file: Path) -> sqlite3.Connection:
        database = usual(file)
        (pages,) = database.execute("PRAGMA page_count").fetchone()
        database.execute(f"PRAGMA max_page_count = {pages + 3}")
        return database

    monkeypatch.setattr(response_cache, "opened", small)
    long = "x" * 3000
    with chat_server(lambda messages: long + right_answer(messages)) as server:
        line = ended(codemind(*arguments(server, output)))
    monkeypatch.setattr(response_cache, "opened", usual)
    assert "cannot be kept" in line and "full" in line and "with the same arguments" in line
    assert 1 < len(server.requests) < LIMIT
    goes_on(output, sent=LIMIT - len(server.requests) + 1)


def disk_full_for_results(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = Path.write_text

    def full(self: Path, text: str, **options: Any) -> int:
        if self.name.startswith("results_"):
            usual(self, text[:100], **options)
            raise OSError(28, "No space left on device")
        return usual(self, text, **options)

    monkeypatch.setattr(Path, "write_text", full)
    with chat_server(right_answer) as server:
        line = ended(codemind(*arguments(server, output)))
    monkeypatch.setattr(Path, "write_text", usual)
    assert "results are incomplete" in line and list(output.rglob("results_*.json.incomplete"))
    goes_on(output, sent=0)


def cache_deleted(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server(right_answer) as server:
        assert codemind(*arguments(server, output)).exit_code == 0
    for file in output.glob("cache*"):
        file.unlink()
    goes_on(output, sent=LIMIT)


def cache_damaged(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with chat_server(right_answer) as server:
        assert codemind(*arguments(server, output)).exit_code == 0
        (file,) = output.glob("cache*.db")
        file.write_bytes(b"damaged" + file.read_bytes()[7:])
        assert f"{file}: no cache of responses" in ended(codemind(*arguments(server, output)))
        assert len(server.requests) == LIMIT
    file.unlink()
    goes_on(output, sent=LIMIT)


def goes_on(output: Path, sent: int) -> None:
    """Assert that the same command completes the run and sends so many requests."""
    with chat_server(right_answer) as server:
        done = codemind(*arguments(server, output))
    assert done.exit_code == 0, done.output
    assert len(server.requests) == sent
    assert scores(output)[TASK]["r_ier,strict-match"] == 1


ROWS: dict[str, Callable[[Path, pytest.MonkeyPatch], None]] = {
    "It is interrupted or killed": interrupted,
    "The endpoint goes away": endpoint_gone,
    "The endpoint never answers": endpoint_silent,
    "The credits are used up": credits_used_up,
    "The disk is full, for responses": disk_full_for_responses,
    "The disk is full, for results": disk_full_for_results,
    "The cache is deleted": cache_deleted,
    "The cache is damaged": cache_damaged,
}


@pytest.mark.proof
@pytest.mark.parametrize("row", ROWS)
def test_a_row_of_the_table(row, tmp_path, monkeypatch):
    ROWS[row](tmp_path / "out", monkeypatch)


def test_the_table_has_these_rows():
    text = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
    section = text.partition("## Resume an interrupted run")[2].partition("\n## ")[0]
    rows = [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("| ")]
    assert rows[1:] == list(ROWS)


def test_sampled_and_repeated_responses_from_the_cache(tmp_path):
    """Each repeat has a response of its own, whether the options say that it is sampled or not."""
    config = f"include: {task_directory()}/ier/codemind_ier_sample.yaml\ntask: my_repeated\nrepeats: 3\n"
    (tmp_path / "my.yaml").write_text(config)
    for options in ((), ("--gen_kwargs", "temperature=0.8"), ("--gen_kwargs", "do_sample=True,temperature=0.8")):
        output, sampling = tmp_path / f"out-{len(options)}-{options[-1:]}", Sampling(STEPS)
        with chat_server(sampling) as server:
            command = arguments(server, output, "--tasks", "my_repeated", "--include_path", tmp_path, *options)
            for _ in range(2):
                assert codemind(*command).exit_code == 0
                assert scores(output)["my_repeated"]["pass@1,strict-match"] == pytest.approx(2 / 3)
        assert len(server.requests) == 3 * LIMIT


def test_der_finds_its_own_first_stage_beside_other_runs(tmp_path, monkeypatch):
    """Other runs write into the same directory while the first stage runs."""
    other = tmp_path / "m" / "results_2030-01-01T00-00-00.000001.json"

    def answer(messages: Messages) -> str:
        other.parent.mkdir(exist_ok=True)
        other.write_text('{"results": {}, "configs": {"half')
        return right_answer(messages)

    with chat_server(answer) as server:
        done = codemind(*arguments(server, tmp_path, "--tasks", "codemind_der_sample", cache=False))
    assert done.exit_code == 0, done.output
    assert other.is_file() and len(list(tmp_path.rglob("results_*.json"))) == 3


def in_python(server: ChatServer, cache: Path) -> dict[str, Any]:
    """Return the results of a run that no command line controls."""
    return lm_eval.simple_evaluate(
        model="local-chat-completions",
        model_args={"model": "m", "base_url": server.url, "max_retries": 1},
        tasks=[TASK],
        limit=LIMIT,
        apply_chat_template=True,
        use_cache=str(cache),
        task_manager=task_manager(),
        bootstrap_iters=0,
    )


def test_python_says_how_many_requests_failed_and_keeps_none_of_them(tmp_path, caplog):
    numbers = iter(range(99))
    with chat_server(lambda messages: Raw(ERROR, 500) if next(numbers) == 1 else right_answer(messages)) as server:
        for failed in (1, 0):
            caplog.clear()
            results = in_python(server, tmp_path / "cache")
            assert results["configs"][TASK]["metadata"]["suite"]["readings"]["failed"] == failed
            assert results["results"][TASK]["r_ier,strict-match"] == (LIMIT - failed) / LIMIT
            said = [record.message for record in caplog.records if "requests failed" in record.message]
            assert [line.partition(" and count")[0] for line in said] == [f"1 of {LIMIT} requests failed"] * failed
        assert len(server.requests) == LIMIT + 1


def test_lm_eval_ends_with_a_message_if_the_endpoint_never_answers(tmp_path, monkeypatch):
    monkeypatch.setattr(replies, "_FAILURES_AT_FIRST", 2)
    monkeypatch.setattr(state, "ends_process", True)
    with (
        chat_server(lambda messages: Raw(ERROR, 500)) as server,
        pytest.raises(SystemExit, match="Error: the endpoint did not answer the first 2 requests"),
    ):
        in_python(server, tmp_path / "cache")


@pytest.mark.proof
def test_lm_eval_keeps_responses_by_model_and_ends_with_the_number_of_failed_requests(tmp_path):
    numbers = iter(range(99))
    program = "from lm_eval.__main__ import cli_evaluate as f; f()"
    with chat_server(lambda messages: right_answer(messages) if next(numbers) < 5 else Raw(ERROR, 500)) as server:
        command = arguments(server, tmp_path)
        done = subprocess.run([sys.executable, "-c", program, *command], capture_output=True, text=True)
        assert done.returncode == 1, done.stderr
        assert f"Error: 3 of {LIMIT} requests failed and count as wrong" in done.stderr
    assert list(tmp_path.glob("cache-m-*_rank0.db"))
    goes_on(tmp_path, sent=3)
