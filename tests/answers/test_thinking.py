"""Thinking is removed in every format of the table, and a draft in unfinished thinking never counts."""

from pathlib import Path

import pytest
import yaml

import lm_eval_codemind.answers
from lm_eval_codemind.answers.blocks import Marks, last_block
from lm_eval_codemind.answers.thinking import OPENING, opened, thinking_is_opened, without_thinking

FORMATS = yaml.safe_load((Path(lm_eval_codemind.answers.__file__).parent / "thinking.yaml").read_text(encoding="utf-8"))
PAIRS = [
    pytest.param(opens.replace("*", " "), closes.replace("*", " <|constrain|>json"), bool(row.get("start")), id=opens)
    for row in FORMATS
    for opens in row["opens"]
    for closes in row["closes"]
]
MARKS = Marks.named("answer")
DRAFT = "First idea: <answer>\n54\n</answer> No, one more.\n"
ANSWER = "\n<answer>\n55\n</answer>"


def read(response: str) -> str | None:
    text = without_thinking(response, MARKS)
    block = None if text is None else last_block(text, MARKS)
    return None if block is None else block.strip()


@pytest.mark.parametrize(("opens", "closes", "start"), PAIRS)
def test_a_finished_answer_after_a_wrong_draft_counts(opens, closes, start):
    assert read(f"{opens}{DRAFT}{closes}{ANSWER}") == "55"
    assert read(f" \n{opens}{DRAFT}{closes}{ANSWER}") == "55"
    if not closes.startswith("Here"):
        assert read(f"{DRAFT}{closes}{ANSWER}") == "55"
    assert read(f"{OPENING}{opens}{DRAFT}{closes}</think>{ANSWER}") == "55"


@pytest.mark.parametrize(("opens", "closes", "start"), PAIRS)
def test_a_draft_whose_thinking_was_cut_off_never_counts(opens, closes, start):
    response = f"{opens}{DRAFT}"
    assert without_thinking(response) is without_thinking(response, MARKS) is None
    assert read(f"{OPENING}{DRAFT}") is None
    if not start:
        assert read(f"{DRAFT}{opens}{DRAFT}") is None


@pytest.mark.parametrize("row", FORMATS, ids=lambda row: row["opens"][0])
def test_every_format_names_its_models(row):
    assert set(row) <= {"opens", "closes", "start", "paired", "models"} and row["models"]


def test_unfinished_thinking_counts_before_a_complete_block_at_the_end():
    assert read(f"[THOUGHT]\nSo it is 55.\n{ANSWER}\n<|im_end|>") == "55"
    assert read("[THOUGHT]\nSo it is <answer>55</answer>") is None
    assert read(f"[THOUGHT]{ANSWER}\nOr not.") is None
    assert read("[THOUGHT]\n<answer>\n55") is None
    assert without_thinking(f"[THOUGHT]\n{ANSWER}") is None


def test_stray_tags_after_the_thinking_are_no_answer():
    assert read(f"{ANSWER}\n[/think]\n[/ANSWER]") == "55"
    assert read(f"<think>{ANSWER}</think>") == "55"


def test_a_template_opens_thinking_if_a_response_closes_what_it_did_not_open():
    assert not thinking_is_opened(["Yes. Here is my response: 5"])
    finished, cut_off = f"{DRAFT}</think>{ANSWER}", DRAFT
    assert thinking_is_opened([cut_off, finished])
    assert not thinking_is_opened([cut_off, f"<think>{finished}", f"{ANSWER}</think>\n</answer>"])
    assert not thinking_is_opened([f"<think>{finished}", finished, f"<think>{finished}", ANSWER])
    assert thinking_is_opened([f"<think>{finished}", finished, finished, cut_off])
    assert read(opened(finished)) == "55"
    assert read(opened(cut_off)) is None


@pytest.mark.parametrize(("opens", "closes", "start"), PAIRS)
def test_templates_open_thinking_in_every_format(opens, closes, start):
    finished = f"{DRAFT}{closes}{ANSWER}"
    if thinking_is_opened([finished]):
        assert read(opened(finished)) == "55"
        assert without_thinking(opened(f"{DRAFT}{closes}def add(a, b):")) == "def add(a, b):"
    assert read(opened(f"{opens}{finished}")) == "55"
    assert without_thinking(opened(f"{DRAFT}")) is None


@pytest.mark.parametrize(("response", "visible"), [
    ("plain", "plain"), ("<think>a\nb</think>\nanswer", "\nanswer"), ("a\nb</think>answer", "answer"),
    ("before\n<think>hm</think>after", "before\nafter"), ("[THINK]x[/THINK]y", "y"),
    ("<Thinking>one</Thinking>two<thought>three", "two<thought>three"),
    ("<think>say </think> early</think> done", " done"), ("<think> a <think> b </think> done", " done"),
    ("one\r\ntwo\rthree", "one\ntwo\nthree"),
    ("<|assistant|>\nanswer<|im_end|>\n<|im_start|>user", "\nanswer"), ("answer</s>\n", "answer"), ("a</s>b", "a</s>b"),
    ("<seed:think>a</seed:think>[ANSWER]", "[ANSWER]"), ("a</seed:think>b", "b"),
    ("[THOUGHT]\na\n[/THOUGHT]\nb", "\nb"), ("<|begin_of_thought|>a<|end_of_thought|>b", "b"),
    ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>", "b"),
    # nothing follows: what comes before counts
    ("a</think>", "a"), ("a</think>\n<|im_end|>", "a"), ("<think>a</think> \n", "a"), ("a\n<think>b</think>", "a\n"),
    # never closed: no answer
    ("before\n<think>cut off", ""), ("<thinking>a", ""), ("", ""),
    # words like thinking are text
    *((text, text) for text in ("analysis of the loop", "analysis: 5", "Analysis", "analysis\n5", "code </reasoning",
                                "x = '<think>'", "a<think>b")),
])  # fmt: skip
def test_visible_text(response, visible):
    assert (without_thinking(response) or "") == visible


@pytest.mark.parametrize("piece", ["<think>", "</think>", "\n<think>", "<|a|>", "<\uff5c", "</s>", "\r"])
def test_megabytes_of_tags_are_no_problem(piece):
    assert len(without_thinking(piece * 500_000) or "") <= 500_000 * len(piece)
