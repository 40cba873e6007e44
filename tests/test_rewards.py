"""Rewards: the score of a response to a row, in this process and in others, and what no response can gain."""

import json
import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lm_eval_codemind.data import load
from lm_eval_codemind.family import load_problem
from lm_eval_codemind.rewards import reward, rewards
from tests.cli import said
from tests.run_files import read_rows

TASKS = {name: f"codemind_{name}_sample" for name in ("ier", "input", "loops", "trace_states", "sr")}
Row = dict[str, Any]


class Rows(list[Row]):
    """Rows with a short text for messages of hypothesis."""

    def __repr__(self) -> str:
        return f"{len(self)} rows"


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Row]]:
    """The rows of a task of each kind, from one export."""
    path = tmp_path_factory.mktemp("export") / "rows.jsonl"
    said("export", "--tasks", ",".join(TASKS.values()), "--evaluation", "--idle", "-o", path)
    rows = read_rows(path)
    return {kind: [row for row in rows if row["task"].startswith(task)] for kind, task in TASKS.items()}


@pytest.fixture(scope="module")
def outputs(exported: dict[str, list[Row]]) -> Rows:
    return Rows(exported["ier"])


@pytest.mark.parametrize("kind", TASKS)
def test_the_target_has_the_reward_without_built_data(kind, exported, monkeypatch, tmp_path):
    def missing(*arguments: Any) -> None:
        raise AssertionError("a reward needs built data")

    load_problem.__globals__["_by_id"].cache_clear()
    monkeypatch.setattr(load, "_place", missing)
    rows = exported[kind][:6]
    targets = [row["target"] for row in rows]
    assert len(rows) == 6 and rewards(rows, targets) == [1.0] * 6
    assert rewards(rows, ["" for _ in rows]) == rewards(rows, [row["text"] for row in rows]) == [0.0] * 6
    others = targets[1:] + targets[:1]
    assert sum(rewards(rows, others)) <= sum(one == other for one, other in zip(targets, others, strict=True)) + 1


def test_a_row_says_where_it_comes_from(outputs):
    row = outputs[0]
    assert row["prompt"] == [{"role": "user", "content": row["text"]}]
    assert row["licence"] == "lm-eval-codemind: MIT" and row["seed"] is None
    assert len(row["data_sha256"]) == len(row["prompts_sha256"]) == 64 and row["version"]


def test_thinking_that_the_template_opened(outputs):
    row = outputs[0]
    assert reward(row, f"Is it 3?</think>{row['target']}") == 1.0
    assert reward(row, row["target"]) == 1.0 and reward(row, row["target"] * 2, opened=True) in (0.0, 1.0)
    assert reward(row, f"I think of {row['target']} and more", opened=True) == 0.0


def test_a_row_that_lost_its_column_is_an_error(outputs):
    for row in ({}, {"scoring": "{}"}, {"scoring": None}, {**outputs[0], "scoring": "[]"}):
        with pytest.raises(ValueError, match="codemind export"):
            reward(row, "5")
    with pytest.raises(ValueError, match=r"longer|shorter"):
        rewards(outputs, ["5"])


def test_threads(exported):
    rows = exported["ier"][:8] + exported["input"][:4]
    with ThreadPoolExecutor(8) as pool:
        scores = list(pool.map(reward, rows * 4, [row["target"] for row in rows] * 4))
    assert scores == [1.0] * 48


def score(pairs: list[tuple[Row, str]]) -> list[float]:
    return rewards(*zip(*pairs, strict=True))  # type: ignore[arg-type]


@pytest.mark.proof
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes_have_their_own_sandbox(method, exported):
    rows = exported["input"][:4] + exported["sr"][:2]
    pairs = [(row, row["target"]) for row in rows] + [(row, "<input>\n1\n</input>") for row in rows]
    expected = score(pairs)  # A forked process starts with this process's sandbox.
    assert expected[:6] == [1.0] * 6 and sum(expected[6:]) < 6
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as pool:
        assert list(pool.map(score, [pairs, pairs], timeout=300)) == [expected, expected]


# -- hostile responses

VALUES = ("0", "1", "-1", "17", "True", "None", "'a'", "[1, 2]", "{}", "''", "3.5", "(1,)")
BETWEEN = ("\n", " ", ", ", " or ", "; ", "\n\n", " = ", "|")


def label(row: Row) -> str:
    return str(json.loads(row["scoring"])["question"]["output"])


def wrong(row: Row, values: list[str]) -> list[str]:
    """Return those of some values that are not the answer."""
    return [value for value in values if reward(row, f"<output>{value}</output>") == 0]


numbers = st.integers(0, 23)
some_values = st.lists(st.sampled_from(VALUES), min_size=1, max_size=6)


@given(number=numbers, values=some_values, thinking=st.booleans())
def test_only_the_last_of_several_answers_counts(outputs, number, values, thinking):
    row = outputs[number % len(outputs)]
    last = wrong(row, values)
    blocks = [f"<output>\n{value}\n</output>" for value in last]
    right = f"<think>{row['target']}</think>" if thinking else row["target"]
    if last:
        assert reward(row, "\n".join([right, *blocks])) == 0


@given(number=numbers, values=some_values, between=st.sampled_from(BETWEEN), place=st.integers(1, 6))
def test_a_list_of_all_values_is_at_most_its_first_value(outputs, number, values, between, place):
    row = outputs[number % len(outputs)]
    others = wrong(row, values)
    if others:  # The first value is a wrong one.
        texts = [*others[:place], label(row).strip(), *others[place:]]
        assert reward(row, f"<output>\n{between.join(texts)}\n</output>") == 0


@given(number=numbers, values=some_values, copies=st.integers(1, 3), unmarked=st.booleans())
def test_the_prompt_repeated_changes_nothing(outputs, number, values, copies, unmarked):
    row = outputs[number % len(outputs)]
    for value in wrong(row, values):
        answer = value if unmarked else f"<output>{value}</output>"
        assert reward(row, row["text"] * copies + answer) == 0
        assert reward(row, answer + row["text"] * copies) == 0


MARKS = ("<output>", "</output>", "<OUTPUT>", "[ANSWER]", "[/ANSWER]", "<answer>", "</answer>", "<think>", "```", "\n")


@given(
    number=numbers,
    values=some_values,
    before=st.lists(st.sampled_from(MARKS), max_size=4),
    after=st.lists(st.sampled_from(MARKS), max_size=4),
)
def test_marks_in_marks(outputs, number, values, before, after):
    """An answer with the right and a wrong value between its marks has no reward, whatever other marks are in it."""
    row = outputs[number % len(outputs)]
    for value in wrong(row, values):
        inner = f"{''.join(before)}{value}{''.join(after)}"
        assert reward(row, f"<output>{label(row)}<output>{inner}</output></output>") == 0
        assert reward(row, f"<output><output>{value}</output>{label(row)}</output>") == 0


def relabelled(row: Row, value: str) -> Row:
    record = json.loads(row["scoring"])
    record["question"]["output"] = value
    return {"scoring": json.dumps(record)}


@given(number=numbers, parts=st.lists(st.sampled_from((*MARKS, *VALUES, *BETWEEN, "The output is ")), max_size=14))
def test_a_response_is_right_for_one_label_at_most(outputs, number, parts):
    """So nobody gains by naming several values, whatever marks are around them."""
    row, response = outputs[number % len(outputs)], "".join(parts)
    assert sum(reward(relabelled(row, value), response) for value in VALUES) <= 1


@given(number=numbers, parts=st.lists(st.sampled_from((*MARKS, *VALUES)), max_size=12))
def test_no_mix_of_marks_and_wrong_values_has_a_reward(outputs, number, parts):
    row = outputs[number % len(outputs)]
    marks = [part for part in parts if part in MARKS or reward(row, f"<output>{part}</output>") == 0]
    if label(row).strip() not in "".join(marks):
        assert reward(row, "".join(marks)) == 0
