"""Thinking is removed in every format that servers know, and a draft in unfinished thinking never counts."""

from pathlib import Path

import pytest

from lm_eval_codemind.answers import thinking
from lm_eval_codemind.answers.blocks import Marks, blocks
from lm_eval_codemind.answers.thinking import OPENING, ended, opened, opening_of, own_text, without_thinking
from lm_eval_codemind.data.catalogue import read_yaml
from lm_eval_codemind.families.ier import task as ier
from lm_eval_codemind.harness.hooks import Reader
from lm_eval_codemind.harness.reply import Reply
from lm_eval_codemind.languages.python.code import extract_script
from tests.answers.questions import question

LIST = read_yaml(Path(__file__).with_name("thinking_formats.yaml"))
TABLE = read_yaml(Path(thinking.__file__).with_suffix(".yaml"))
# Opening, closing, and what follows the answer.
FORMATS = [
    pytest.param(*row[tokens], id=f"{row['parsers'].split()[0]} {tokens}")
    for row in LIST
    for tokens in ("kept", "skipped")
    if row.get(tokens)
]
MARKS = Marks.named("answer")
DRAFT = "First idea: <answer>\n54\n</answer> No, it isn't.\n```python\nprint(54)\n```\nOne more.\n"
ANSWER = "\n<answer>\n55\n</answer>"
CODE = "\n```python\nprint(55)\n```"


def read(response: str) -> str | None:
    text = without_thinking(response, MARKS)
    block = None if text is None else next(blocks(text, MARKS), None)
    return None if block is None else block.strip()


def code(response: str) -> str:
    return str(extract_script(response, "") or "").strip()


def test_the_list_has_the_parsers():
    names = [name for row in LIST for name in row["parsers"].split()]
    assert len(names) == len(set(names)) >= 58 + 20


@pytest.mark.parametrize(("opens", "closes", "after"), FORMATS)
def test_a_finished_answer_after_a_wrong_draft_counts(opens, closes, after):
    for start in ("", " \n"):
        assert read(f"{start}{opens}{DRAFT}{closes}{ANSWER}{after}") == "55"
        assert code(f"{start}{opens}{DRAFT}{closes}{CODE}{after}") == "print(55)"
    assert read(f"{opens}{DRAFT}{closes}The tag </think> is `<think>`, or '</think>'. {ANSWER}{after}") == "55"


@pytest.mark.parametrize(("opens", "closes", "after"), FORMATS)
def test_thinking_that_the_template_opened(opens, closes, after):
    opening = opening_of(f"<|im_start|>assistant\n{opens}")
    if not opening:
        # A word or a sentence that the model writes itself.
        assert opens.strip().isalpha() or opens.startswith("Here")
        return
    assert opening.strip() in opens
    assert opening_of(f"{opens}\n{closes}") == "" == opening_of(f"{opens} is a tag.")
    for text in (f"{DRAFT}{closes}{ANSWER}{after}", f"{opens}{DRAFT}{closes}{ANSWER}{after}"):
        assert read(opened(text, opening)) == read(opened(text)) == "55"
    assert without_thinking(opened(DRAFT, opening)) is without_thinking(opened(DRAFT)) is None


@pytest.mark.parametrize(("opens", "closes", "after"), FORMATS)
def test_a_draft_whose_thinking_was_cut_off_never_counts(opens, closes, after):
    response = f"{opens}{DRAFT}"
    assert without_thinking(response) is without_thinking(response, MARKS) is None
    assert read(f"{OPENING}{DRAFT}") is None
    assert code(response) == code(f"{response}```python\nprint(") == ""


def test_every_format_names_its_models():
    for row in TABLE["formats"]:
        assert set(row) <= {"opens", "closes", "starts", "paired", "models"} and row["models"]


def test_unfinished_thinking_counts_before_a_complete_block_at_the_end():
    assert read(f"[THOUGHT]\nSo it is 55.\n{ANSWER}\n<|im_end|>") == "55"
    assert read("[THOUGHT]\nSo it is <answer>55</answer>") is None
    assert read(f"[THOUGHT]{ANSWER}\nOr not.") is None
    assert read("[THOUGHT]\n<answer>\n55") is None
    assert without_thinking("[THOUGHT]\nNothing.\n<answer></answer>", MARKS) == "\nNothing.\n<answer></answer>"
    assert without_thinking(f"[THOUGHT]\n{ANSWER}") is None
    # Servers remove the closing of this format.
    assert read(f"thought\n{DRAFT}{ANSWER}") == "55"
    assert code(f"thought\n{DRAFT}{CODE}") == "print(55)"


def test_stray_tags_after_the_thinking_are_no_answer():
    assert read(f"{ANSWER}\n[/think]\n[/ANSWER]") == "55"
    assert read(f"<think>{ANSWER}</think>") == "55"


@pytest.mark.parametrize("response", [f"{DRAFT}</think>{ANSWER}", f"<think>{DRAFT}</think>{ANSWER}", "[THOUGHT]a"])
def test_a_response_with_tags_of_its_own_gets_no_opening(response):
    assert opened(response) == response


@pytest.mark.parametrize("response", [ANSWER, "Here is my response: 5", "'</think>'", f"{CODE}\n`<think>` is a tag"])
def test_any_other_response_of_a_template_that_opens_thinking_is_unfinished(response):
    assert without_thinking(opened(response)) is None


def test_a_response_that_ended_by_itself_keeps_what_it_thinks():
    assert read(ended(f"<think>{DRAFT}It is 55.{ANSWER} Done.")) == "55"
    assert ended(ANSWER) == ANSWER


@pytest.mark.parametrize(("prompt", "opening"), [
    ("<|im_start|>assistant\n<think>\n", "<think>\n"), ("<think>\n\n</think>\n\n", ""), ("### Solution\n", ""),
    ("[INST] Use <think> tags. [/INST]", ""), ('[{"role": "user", "content": "<think>"}]', ""), ("", ""),
    ("Let us think\n", ""), ("<|assistant|>\nHere are my reasoning steps:\n", "Here are my reasoning steps:\n"),
    ("<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|><|START_THINKING|>", "<|START_THINKING|>"),
])  # fmt: skip
def test_the_end_of_a_prompt(prompt, opening):
    assert opening_of(prompt) == opening


@pytest.mark.parametrize(("response", "visible"), [
    ("plain", "plain"), ("<think>a\nb</think>\nanswer", "\nanswer"), ("a\nb</think>answer", "answer"),
    ("before\n<think>hm</think>after", "before\nafter"), ("[THINK]x[/THINK]y", "y"),
    ("<Thinking>one</Thinking>two<thought>three", "two<thought>three"),
    ("<think>say </think> early</think> done", " early</think> done"), ("<think> a <think> b </think> done", " done"),
    ("<think>a</think>b\n<think>c</think>d", "b\nd"), ("a</think>b</think>c", "b</think>c"),
    ("one\r\ntwo\rthree", "one\ntwo\nthree"),
    ("<|assistant|>\nanswer<|im_end|>\n<|im_start|>user", "\nanswer"), ("answer</s>\n", "answer"), ("a</s>b", "a</s>b"),
    ("<seed:think>a</seed:think>[ANSWER]", "[ANSWER]"), ("a</seed:think>b", "b"),
    ("[THOUGHT]\na\n[/THOUGHT]\nb", "\nb"), ("<|begin_of_thought|>a<|end_of_thought|>b", "b"),
    ("<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b<|return|>", "b"),
    ("<think>a<reasoning>b</reasoning>c</think>d", "d"),
    ("<think>a </thinking> b", " b"), ("<reasoning>a</think>b", ""),
    # nothing follows: what comes before counts
    ("a</think>", "a"), ("a</think>\n<|im_end|>", "a"), ("<think>a</think> \n", "a"), ("a\n<think>b</think>", "a\n"),
    # never closed: no answer
    ("before\n<think>cut off", ""), ("<thinking>a", ""), ("", ""), ("Sure. <think>a", ""), ("I do <think>\na", ""),
    # words like thinking are text
    *((text, text) for text in ("analysis of the loop", "analysis: 5", "Analysis", "analysis\n5", "code </reasoning",
                                "x = '<think>'", "a<think>b", "I use <think> tags", "List<Analysis>\n", "thinking\n12",
                                "print('</think>', x)",
                                "[REASONING]\na\n[PYTHON]\nb", "it's </thinkers", "f'</think>'",
                                "```\n<think>\n```", "`</think>` is a tag", "<output>\n</think>\n</output>")),
    ("[REASONING]\na\n[/REASONING]\nb", "\nb"),
    # in thinking, a tag on a line of its own counts even in a fence
    ("<think>\n```\na\n</think>\n```\nb\n```", "\n```\nb\n```"), ("<think>'</think>'", ""),
    ("<think>\n```\na\n```</think>\n```\nb\n```", "\n```\nb\n```"),
    # special tokens
    ("<|start_header_id|>assistant<|end_header_id|>\n\na<|eot_id|>b", "\n\na"), ("x = '<|sep|>'", "x = '<|sep|>'"),
    ("```\nx = <|a|>\n```\n<|im_end|>\n", "```\nx = <|a|>\n```\n"), ("a<eos>", "a"), ("a[EOS]\n", "a"), ("a<|im_", "a"),
    ("a <eos> b", "a <eos> b"), ("<|im_start|>model\na<|im_end|>\n<|im_start|>assistant\nb", "\nb"),
])  # fmt: skip
def test_visible_text(response, visible):
    assert (without_thinking(response) or "") == visible


@pytest.mark.parametrize("piece", [
    "<think>", "</think>", "\n<think>", "<|a|>", "<\uff5c", "</s>", "\r", "<think:a></think>", "`<think>", "'</think>",
    "```\n",
    "\n</think>\n", "<output>", "</output>", "[REASONING]", "thinkresponse", "<analysis ", "<think>\n```a\n</think>",
])  # fmt: skip
def test_megabytes_of_tags_are_no_problem(piece):
    assert len(without_thinking(piece * (200_000 // len(piece))) or "") <= 200_000


@pytest.mark.proof
@pytest.mark.parametrize("filter", [ier.strict_match, ier.flexible_extract])
def test_one_odd_response_beside_200_others_changes_no_other_score(filter):
    asked = question(output="55").document()
    block = "<output>\n55\n</output>"
    four = [
        f"It is 55.\n{block}",
        f"{DRAFT}{block[:-3]}",
        f"<think>{DRAFT}</think>\n{block}",
        f"<think>{DRAFT}{block} Or",
    ]
    others = [text for text in four for _ in range(50)]
    alone = [filter([[text]], [asked])[0] for text in others]
    odd = ["</think>", "The tag </think>.", ""]
    for opens, closes, after in (one.values for one in FORMATS):
        answer = f"{closes}{block}{after}"
        odd += [f"{opens}{DRAFT}", f"{DRAFT}{answer}", f"{opens}{DRAFT}{answer}"]
    for number, response in enumerate(odd):
        place = number % 201
        beside = filter([[text] for text in (*others[:place], response, *others[place:])], [asked] * 201)
        assert [*beside[:place], *beside[place + 1 :]] == alone


def test_a_template_opens_the_thinking_of_its_own_responses():
    asked = question(output="55")
    block = "<output>\n55\n</output>"
    reader = Reader(ier.IER, ier.STRICT)
    assert reader.read(f"So: {block} And", asked).text == "\n55\n"
    answer = reader.read(f"So: {block} And", asked, OPENING)
    assert (answer.text, answer.reading) == (None, "unfinished")
    assert answer.details["unfinished"] == "opened by the chat template"
    answer = reader.read(f"<think>So: {block}", asked)
    assert (answer.reading, answer.details["unfinished"]) == ("unfinished", "never closed")
    # The endpoint reports that it was not cut off.
    assert reader.read(Reply(f"<think>So: {block} Yes.", cut=False), asked).text == "\n55\n"
    assert reader.read(Reply(f"So: {block} Yes.", cut=False), asked, OPENING).reading == "read"
    assert reader.read(Reply("<think>So", cut=False), asked).reading == "unfinished"


@pytest.mark.parametrize("token", [
    "<|x:y|>", "<|x.y|>", "<|x/y|>", "<|x-y|>", "<|x>", "<x|>", f"<\uff5c{'x' * 40}\uff5c>", "<\uff5cx y\uff5c>",
    "<end_of_turn>", "<start_of_turn>", "<END_OF_TURN>",
])  # fmt: skip
def test_a_special_token_ends_a_response(token):
    assert without_thinking(f"a{token}b") == without_thinking(f"a{token}") == "a"
    assert without_thinking(f"a\n{token}\n") == "a\n"
    for role in ("assistant", "model", "response", "final", "ASSISTANT"):
        assert without_thinking(f" {token}{role}\na{token}b") == "\na"
    for role in ("assistants", "user", "finally"):
        assert without_thinking(f"{token} {token}{role}\na") == f"{role}\na"


@pytest.mark.parametrize(
    "token", ["</s>", "<s>", "<eos> \n", "[EOS]", "[EOT]", "<S>", "<|", "<|im_", "<|im_|", f"<|{'x' * 40}", "[eos]\n"]
)
def test_a_token_that_may_be_text_ends_a_response_at_its_end(token):
    assert without_thinking(f"a{token}") == "a"
    assert without_thinking(f"a{token} b") == f"a{token} b"


@pytest.mark.parametrize("text", [
    "<|x|b", "<|x y|>b", "<|begin_of_box|>5<|end_of_box|>", "<|end_of_box|>b", f"<\uff5c{'x' * 41}\uff5c>b",
    "<\uff5c\uff5c>b", "<\uff5cx\ny\uff5c>b", "[EOU]", f"<|{'x' * 41}", "<|im9", "<turn>", "<of_turn>b",
])  # fmt: skip
def test_other_text_in_brackets_stays(text):
    assert without_thinking(f"a{text}") == f"a{text}"


@pytest.mark.parametrize(
    "rest", ["```", "[/x_y]", "[/X]", "</x]", "</x_y>", "[/x]\n```\n</y> <|im_end|>", " \n", "</s>"]
)
def test_marks_behind_thinking_are_no_answer(rest):
    assert without_thinking(f"a</think>{rest}") == without_thinking(f"<think>a</think>{rest}") == "a"


@pytest.mark.parametrize("rest", ["[x]", "</x", "``", "x", "[/]", "</x1>", "[/x", "</x y>"])
def test_other_text_behind_thinking_is_an_answer(rest):
    assert without_thinking(f"a</think>{rest}") == without_thinking(f"<think>a</think>{rest}") == rest


@pytest.mark.parametrize("mark", "]>.!?:\u2026")
def test_thinking_opens_behind_a_sentence_or_a_tag(mark):
    assert without_thinking(f"x{mark} \t<think>a</think>b") == f"x{mark} \tb"
    assert without_thinking(f"x{mark}<think>a</think>b") == f"x{mark}b"


@pytest.mark.parametrize("mark", ',;)*"-1')
def test_thinking_opens_nowhere_else_in_a_line(mark):
    assert without_thinking(f"x{mark} <think>a</think>b") == "b" == without_thinking(f"x{mark}<think>a</think>b")


@pytest.mark.parametrize(("response", "visible"), [
    ("we see a<think>\nb", "we see a<think>\nb"), ("do it<think>\nb", "do it<think>\nb"),
    ("x <think>\na</think>b", "x b"), ("x\n \t<think>a</think>b", "x\n \tb"), ("(<think>\na</think>b", "(b"),
    ("x <think>a\nb", "x <think>a\nb"),
])  # fmt: skip
def test_thinking_opens_at_the_end_of_a_line(response, visible):
    assert without_thinking(response) == visible


@pytest.mark.parametrize("tag", [
    f"<{'a' * 40}think{'b' * 40}>", f"<think a={'x' * 80}>", "<think  a=1>", "<think\na=1>", "\u25c1think\u25b7",
    "[think]", "<\uff5cthink\uff5c>", "<|think|>", "<a:think>", "<a.think>", "<a-think>", "<thinking>", "<THOUGHT>",
    "<reason>", "<analysis>", "<monologue>", "<reflect>", "<scratchpad>", "<friendthink>", "<|thinkend|>",
    "<|to_think|>", "<|bend_think|>", "<think_stopper>",
])  # fmt: skip
def test_a_tag_with_a_word_opens_thinking(tag):
    assert without_thinking(f"{tag}\na") is None


@pytest.mark.parametrize("tag", [
    f"<{'a' * 41}think>", f"<think{'b' * 41}>", f"<think a={'x' * 81}>", "<think a>", "<a b think>", "(think)",
    "<think", "<thnk>", "<think=>", "<think a=<>",
])  # fmt: skip
def test_what_only_resembles_a_tag_opens_nothing(tag):
    assert without_thinking(f"{tag}\na") == f"{tag}\na"


@pytest.mark.parametrize("tag", [
    "</think>", "<\\think>", "<|/think|>", "<\uff5c/think\uff5c>", "<|end_of_thought|>", "<|think_end|>",
    "<|stop_thinking|>", "<|close_think|>", "<think_end>", "[/think]", "\u25c1/think\u25b7", "<end:think>",
    "<|END_THINK|>", "</|think|>", "<think-end>", "<stop-think>",
])  # fmt: skip
def test_a_tag_with_a_word_closes_thinking(tag):
    assert without_thinking(f"a\n{tag}\nb") == "\nb"


@pytest.mark.parametrize("tag", ["<think/>", "<|\\think|>", "< /think>", "</ think>", "(/think)"])
def test_what_only_resembles_a_tag_closes_nothing(tag):
    assert without_thinking(f"a\n{tag}\nb") == f"a\n{tag}\nb"


def test_the_opening_at_the_end_of_a_prompt_is_near_its_end():
    assert opening_of(f"a <think>{' ' * 153}") == f"<think>{' ' * 153}" and opening_of(f"a <think>{' ' * 154}") == ""


@pytest.mark.parametrize("block", [
    "<answer>5</answer>", " \t<answer>5</answer>", "<answer>a\n<answer>5</answer>", "<answer>5</answer>\n```",
    "[ANSWER]5[/ANSWER]", "<answer>5\n6</answer>\n", "<answer1>5</answer1>", "<answer></answer>",
    "<answer>5</answer></answer>", "<trace>\n5\n</trace> ",
])  # fmt: skip
def test_a_block_at_the_end_finishes_thinking(block):
    assert without_thinking(f"[THOUGHT]\na\n{block}", MARKS) == f"\na\n{block}"
    assert without_thinking(f"[THOUGHT]\na\n{block}") is None


@pytest.mark.parametrize("block", [
    "x <answer>5</answer>", "<answer>a<answer>5</answer>", "<answer>5</answer> x", "<foo>5</foo>",
    "</answer>5</answer>", "<answer>5", "<answer>5</answer>\nx", "<answer>5</answer> </answer> 6",
])  # fmt: skip
def test_what_is_no_block_at_the_end_finishes_nothing(block):
    assert without_thinking(f"[THOUGHT]\na\n{block}", MARKS) is None


@pytest.mark.parametrize("fence", ["```\nx\n```", "  ```\nx\n```\n ", "```x```", "\t```py\nx\n```", "``````"])
def test_a_fence_at_the_end_finishes_thinking_whose_closing_servers_remove(fence):
    assert without_thinking(f"thought\nabc\n{fence}") == f"abc\n{fence}"
    assert without_thinking(f"<think>\nabc\n{fence}") is None


@pytest.mark.parametrize("fence", ["abc ```x```", "``` `` ```", "```\nx", "```\nx\n``` a", "````\nx\n````"])
def test_what_is_no_fence_at_the_end_finishes_nothing(fence):
    assert without_thinking(f"thought\nabc\n{fence}") is None


@pytest.mark.parametrize("word", ["analysis", "think", "assistantanalysis", "commentary"])
def test_a_word_opens_thinking_that_is_glued_to_it(word):
    for rest in ("We", "of", "sx", "erx", "ersx", "1", "(x", "_x", "\u201cx", "esx", "/x"):
        assert without_thinking(f"{word}{rest}") is None, rest
    for rest in (" of", "\n", *(f"{mark}x" for mark in ":.,;'\u2019)*-"), "ing", "ingx", "er", "ers", "rs", "r", "s"):
        assert without_thinking(f"{word}{rest}") == f"{word}{rest}", rest


@pytest.mark.parametrize(("text", "start"), [
    ("a\n### Problem \t\nb", "a\n"), ("### Problem\na\n### Problem\nb", "### Problem\na\n"),
    ("a[END-OF-RESPONSE]b", "a"), ("a\n### Problem", "a\n"), ("a\n### Problems\nb", None),
    ("a\n#### Problem\nb", None), ("x ### Problem\nb", None), ("a\n### problem\n", None), ("a\n### Problem x\n", None),
])  # fmt: skip
def test_the_text_about_this_problem(text, start):
    assert own_text(text) == (text if start is None else start)
