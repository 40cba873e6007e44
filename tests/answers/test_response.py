import pytest

from lm_eval_codemind.answers.thinking import without_thinking


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
    ("<seed:think>a", ""), ("before\n<think>cut off", ""), ("[THOUGHT]\na", ""), ("[THINK]a", ""),
    ("<|begin_of_thought|>a", ""), ("<|channel|>analysis<|message|>a", ""), ("<thinking>a", ""), ("<thoughts>a", ""),
    ("<reasoning>a", ""), ("<reflection>a", ""), ("", ""),
])  # fmt: skip
def test_visible_text(response: str, visible: str) -> None:
    assert (without_thinking(response) or "") == visible


@pytest.mark.parametrize("piece", ["<think>", "</think>", "\n<think>", "<|a|>", "<\uff5c", "</s>", "\r"])
def test_megabytes_of_tags_are_no_problem(piece: str) -> None:
    assert len(without_thinking(piece * 500_000) or "") <= 500_000 * len(piece)
