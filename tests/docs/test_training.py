"""The examples in docs/training.md run, with the real trainers where they are installed."""

import asyncio
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from datasets import load_dataset

from tests.cli import said
from tests.run_files import read_rows

PAGE = Path(__file__).parents[2] / "docs" / "training.md"
EXAMPLES = dict(re.findall(r"^<!-- ([\w ]+) -->\n```\w+\n(.+?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE))
COMMANDS = re.findall(r"^codemind (export .+)$", PAGE.read_text(), re.MULTILINE)


def run(title: str, name: str = "__example__") -> dict[str, Any]:
    """Run an example and return its names."""
    namespace: dict[str, Any] = {"__name__": name}
    exec(compile(EXAMPLES[title], title, "exec"), namespace)
    return namespace


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the rows of the first command."""
    path = tmp_path_factory.mktemp("training")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        said(*shlex.split(COMMANDS[0]))
    return path


@pytest.fixture(autouse=True)
def inside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


@pytest.fixture
def rows(folder: Path) -> list[dict[str, Any]]:
    return read_rows(folder / "train.jsonl")


def test_examples_are_short():
    assert len(EXAMPLES) == 8
    assert all(len(text.splitlines()) < 40 for text in EXAMPLES.values())
    assert len(EXAMPLES["reward"].splitlines()) <= 9


def test_the_first_reward(capsys):
    run("reward")
    printed = capsys.readouterr().out
    assert "### Problem" in printed and "\n0.0 1.0\n[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]\n" in printed


@pytest.mark.proof
def test_own_programs(folder):
    (folder / "programs.jsonl").write_text(EXAMPLES["programs"])
    said(*shlex.split(COMMANDS[1]))
    own = read_rows(folder / "own.jsonl")
    assert {row["problem_id"].partition("#")[0] for row in own} == {"evens", "squares"}
    assert {"output", "input"} <= {row["task"] for row in own} and {"MIT", ""} == {row["licence"] for row in own}


@pytest.mark.proof
@pytest.mark.timeout(1200)
def test_a_step_of_trl(rows):
    pytest.importorskip("trl", reason="needs `pip install trl`")
    from make_tiny_llama import make

    make(Path("model"))
    names = run("trl")
    trainer = names["trainer"]
    assert trainer.state.global_step == 1
    logged = [entry for entry in trainer.state.log_history if "rewards/correct/mean" in entry]
    assert logged and 0 <= logged[0]["rewards/correct/mean"] <= 1
    completions = [[{"role": "assistant", "content": row["target"]}] for row in rows]
    assert names["correct"](completions, [row["scoring"] for row in rows]) == [1.0] * len(rows)


def test_rows_of_verl(rows):
    run("verl rows")
    records = list(load_dataset("parquet", data_files="train.parquet", split="train"))
    compute_score = run("verl")["compute_score"]
    for row, record in zip(rows, records, strict=True):
        truth = record["reward_model"]["ground_truth"]
        assert compute_score(record["data_source"], row["target"], truth, record["extra_info"]) == 1.0
        assert compute_score(record["data_source"], row["text"], truth, record["extra_info"]) == 0.0


@pytest.mark.proof
def test_verl_loads_the_function(rows):
    pytest.importorskip("verl", reason="needs `pip install verl`")
    from omegaconf import OmegaConf
    from verl.trainer.ppo.reward import get_custom_reward_fn

    Path("reward_of_verl.py").write_text(EXAMPLES["verl"])
    chosen = {"path": "reward_of_verl.py", "name": "compute_score"}
    compute_score = get_custom_reward_fn(OmegaConf.create({"reward": {"custom_reward_function": chosen}}))
    for row in rows:
        for response, expected in ((row["target"], 1.0), ("5", 0.0)):
            score = compute_score(
                data_source="codemind", solution_str=response, ground_truth=row["scoring"], extra_info={}
            )
            assert score == expected


@pytest.mark.proof
def test_a_taskset_of_verifiers(rows):
    vf = pytest.importorskip("verifiers.v1", reason="needs `pip install verifiers`")
    names = run("verifiers")
    tasks = list(names["CodeTaskset"](vf.TasksetConfig()))
    assert len(tasks) == len(rows)
    for task, row in zip(tasks, rows, strict=True):
        assert task.data.prompt_text == row["text"]
        for response, expected in ((row["target"], 1.0), ("5", 0.0)):
            trace = made_trace(vf, task, response)
            asyncio.run(task.score(trace))
            assert trace.reward == expected


def made_trace(vf: Any, task: Any, response: str) -> Any:
    """Return the trace of a model that gave a response."""
    from verifiers.v1.trace import AgentInfo, Trace, TraceTask

    node = vf.MessageNode(message=vf.AssistantMessage(content=response), sampled=True)
    agent = AgentInfo(config=vf.AgentConfig())
    return Trace(task=TraceTask(type=type(task).__name__, data=task.data), agent=agent, nodes=[node])


@pytest.mark.proof
def test_rows_and_server_of_nemo_gym(rows):
    pytest.importorskip("nemo_gym", reason="needs `pip install nemo-gym`, on Python 3.12")
    from nemo_gym.openai_utils import NeMoGymResponse

    run("nemo gym rows")
    names = run("nemo gym")
    for line, row in zip(Path("train_gym.jsonl").read_text().splitlines(), rows, strict=True):
        for text, expected in ((row["target"], 1.0), ("5", 0.0)):
            part = {"type": "output_text", "text": text, "annotations": []}
            message = {"id": "1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
            response = NeMoGymResponse(
                id="1", created_at=0, model="m", object="response", output=[message], parallel_tool_calls=False,
                tool_choice="auto", tools=[],
            )  # fmt: skip
            request = names["CodeRequest"](**json.loads(line), response=response)
            scored = asyncio.run(names["CodeServer"].verify(None, request))
            assert scored.reward == expected
