"""From a response to the text of its answer: with marks, and without."""

import pytest

from lm_eval_codemind.answers.blocks import blocks
from lm_eval_codemind.answers.pipeline import ANSWER, OUTPUT, read, stated
from lm_eval_codemind.families.ier import task as ier
from lm_eval_codemind.questions import Answer
from tests.answers.questions import question


def answer_in(response: str, filter: str = ier.STRICT, kind: str = "function") -> Answer:
    return ier.IER.read(response, question(kind=kind, output="5"), filter)


@pytest.mark.parametrize(("response", "answer"), [
    ("<output>\n5\n</output>", "\n5\n"), ("<output>5</output>", "5"),
    ("I think.\n<output>\n[1, 2]\n</output>\nHope this helps!", "\n[1, 2]\n"), ("<OUTPUT>5</Output>", "5"),
    # cut off, by its budget or by a stop sequence
    ("<output>\n5", None),
    # repeated: the last one that is closed
    ("<output>4</output> No, wait. <output>5</output>", "5"),
    ("I put it between <output> tags.\n<output>5</output>", "5"),
    ("<output>5</output> as asked, in <output> tags", "5"),
    ("<output></output>\n<output>5</output>\n<output>\n</output>", "5"), ("<output>4 <output>5", None),
    # a base model that goes on
    ("<output>\n5\n</output>\n\n### Problem\nanother\n<output>\n6\n</output>", "\n5\n"),
    ("### Problem\nrepeated\n<output>\n5\n</output>", "\n5\n"), ("<output>5\n### Problem\n<output>6</output>", None),
    # the artifact's form
    ("<<<Analysis>>>\nx\n<<<Output>>>\n5\n[END-OF-RESPONSE]\nIn: <<<Output>>>\n6\n[END-OF-RESPONSE]", "\n5\n"),
    ("<<<Output>>>\n5", "\n5"),
    # thinking
    ("<think><output>4</output></think><output>5</output>", "5"), ("<output>4</output></think>5", None),
    ("<think>maybe <output>4</output>", None),
    # what belongs to the markers
    ("<output> a b </output>", "a b"), ("<output>  a b  </output>", " a b "), ("<output> 5", None),
    ("<output>\n a \n</output>", "\n a \n"),
    # Windows
    ("<output>\r\n5\r\n</output>\r\n", "\n5\n"), ("The output is 5", None), ("", None), ("<output></output>", None),
    # marks that a sentence mentions
    ("<output>55</output>\nI put it between <output> and </output>.", "55"),
    ("<output>55</output>\nI put it between `<output>` and `</output>`, as asked.", "55"),
    ('I write it between "<output>" and "</output>".\n<output>\n55', None),
    ("The answer goes between <output> and </output>:\n<output>55", None),
    ("I use <output>...</output> tags.\n<output>55</output>\nThe <output></output> tags hold it.", "55"),
    ("I wrap it as <output>your answer</output>.\n<output>55</output>", "55"),
    ("<output>55</output>\nIn <output>the final result</output> tags, as asked.", "55"),
    ("<output>55</output> stands between <output> and </output>.", "55"),
    ("I put my answer between <output> and </output>.", None),
    ("<output>55</output>\n<output>...</output> is the form.", "55"),
    ("<output>55</output>\nThe form is <output>...</output>", "55"),
    ("<output>55</output>\n<output>...</output>", "..."),
    # a sentence that states it
    ("So the answer is <output>55</output>.", "55"), ("It prints <output>YES</output> since 3 > 2.", "YES"),
    ("So the answer is <output>55", None),
    ("<output>4</output>\nNo, it is <output>5</output>, for 2 + 3 is 5.", "5"),
    ("Both are <output>4</output> and <output>5</output>", "5"), ("It is `<output>55</output>`.", "55"),
    # thinking that nothing follows
    ("<output>55</output></think>", "55"), ("<output>55</output>\n</think>\n", "55"),
    ("<think>So it is <output>55</output></think><|im_end|>", "55"),
    ("<output>55</output>\n<think>Let me check: <output>4</output></think>", "55"),
])  # fmt: skip
def test_marked_answer(response, answer):
    assert answer_in(response).text == answer


def test_a_heading_of_the_models_own_does_not_end_the_response():
    response = "### Problem analysis\nf doubles.\n<output>\n4\n</output>\n### Problem\n<output>\n5\n</output>"
    assert (answer_in(response).text or "").strip() == "4"


@pytest.mark.parametrize(("response", "answer"), [
    ("<output>YES</output>\nThe <output></output> tags hold what is printed.", "YES"),
    ("<output>YES</output>\nI put it between <output> and </output>.", "YES"),
    ("It prints <output>YES</output> since 3 > 2.", "YES"), ("<output>\n</output>", "\n"),
    ("<output>and</output>", "and"), ("It prints <output>\nand\n</output>", "\nand\n"),
])  # fmt: skip
def test_printed_text(response, answer):
    assert answer_in(response, kind="script").text == answer


@pytest.mark.parametrize(("response", "reading"), [
    ("<output>5</output>", "read"), ("<output>'a'</output>", "read"), ("<output>**6**, because</output>", "read"),
    ("<output>the list</output>", "malformed"), ("<output>5 or 6</output>", "malformed"),
    ("<output></output>", "no_answer"), ("The output is 5", "no_answer"), ("<output>5", "no_answer"),
    ("<think><output>5</output> or", "unfinished"), ("[THOUGHT]\nso\n<output>5</output>", "read"),
])  # fmt: skip
def test_how_a_response_is_read(response, reading):
    assert answer_in(response).reading == reading
    assert answer_in(response.replace("the list", "a b")).reading == reading
    text = read(response, OUTPUT, lambda text: None)
    assert text.value is None and text.reading in ("malformed", "no_answer", "unfinished")


def test_a_string_may_lack_its_quotes():
    asked = question(output="'a b'")
    for text, right in {"a b": 1, "a c": 0}.items():
        answer = ier.IER.read(f"<output>{text}</output>", asked, ier.STRICT)
        # Reading does not know the label, and no other value is a bare text.
        assert (answer.reading, ier.IER.score(asked, answer)["r_ier"]) == ("malformed", right)


def score(response: str, output: str, kind: str = "function") -> float | None:
    """Return the score of an answer that may stand outside of the marks."""
    asked = question(kind=kind, output=output)
    return ier.IER.score(asked, ier.IER.read(response, asked, ier.FLEXIBLE))["r_ier"]


@pytest.mark.parametrize(("response", "answer"), [
    ("x <output>5</output> y 6", "5"), ("\\boxed{7}\n\nThe value of x was 3.", "7"),
    ("So $\\boxed{\\{1: 2\\}}$.", "{1: 2}"),
    ("### Output\n`True`\n\n### Explanation\nSince `n` is 5.", "True"), ("**Answer**\n\n5\n\nNote: 6", "5"),
    ("The answer is:\n```python\n{'a': 1}\n```\nThe value 3", "{'a': 1}"),
    ("**Output:** `[1, 2]`\n\nBecause f(3) == 5", "[1, 2]"), ("The output is 7.\n\nSince x was 3.", "7"),
    ("First it is 6.\nTherefore, the result is 7, since x is 3.\nAnd so on.", "7"),
    ("The result is 3.\n```\n4\n```", "3"),
    ("Answer: 4\nNo, wait.\nAnswer: 7\nThe result is 3.", "7"), ("```\n1\n```\nand then\n```\n2\n```\nDone!", "2"),
    ("It is `1`.\nIt returns **5**.", "5"), ("thinking\n12", "12"), ("f([1]) == [2, 3]", "[2, 3]"),
    ("result = True\n", "True"), ("First 4.\n<answer>55</answer>", "55"), ("[ANSWER]55[/ANSWER]", "55"),
    ("[OUTPUT]\n55\n[/OUTPUT]", "55"), ('[OUTPUT]{"output": [1]}[/OUTPUT]', "[1]"),
    ('So:\n```json\n{"output": [1, {"a": null}]}\n```', "[1, {'a': None}]"), ("<|begin_of_box|>55<|end_of_box|>", "55"),
    ("\\boxed{5}\nNo: \\boxed{[1, {2: 3}]}", "[1, {2: 3}]"), ("So \\fbox{7}.\n\nThe value of x was 3.", "7"),
    ("analysis4 or 5.assistantfinal5", "5"),
    ("<think>is 4</think>It returns **5**.", "5"),
])  # fmt: skip
def test_flexible_extraction_has_a_fixed_order(response, answer):
    read_answer = answer_in(response, ier.FLEXIBLE)
    assert read_answer.reading == "read"
    assert [score(response, output) for output in (answer, "77")] == [1, 0]


@pytest.mark.parametrize(("response", "answer"), [
    ("It prints\n```\nYES\nNO\n```", "YES\nNO"), ("Step 1.\n**Output:**\nYES\nNO", "YES\nNO"),
    ("The output:\n\n3 4\n\nIt ends.", "3 4"), ("bla\nYES", "YES"), ("<answer>YES</answer>", "YES"),
    (r"So it is \boxed{YES}.", "YES"), ("n is 3.\nAnswer: YES", "YES"), ("n is 3.\n**Answer:** YES", "YES"),
])  # fmt: skip
def test_flexible_extraction_of_printed_text(response, answer):
    assert score(response, f"{answer}\n", "script") == 1


def test_a_sentence_inside_a_line_is_not_interpreted():
    response = "First it is 6. The result is 7, since x is 3.\nAnd so on."
    assert answer_in(response, ier.FLEXIBLE).reading == "no_answer"


@pytest.mark.parametrize("response", ["", "\n \n", "<think>It is 5"])
def test_no_text_is_no_answer(response):
    assert answer_in(response, ier.FLEXIBLE).text is None and list(stated("")) == []


@pytest.mark.parametrize("name", ["answer", "final_answer", "output"])
def test_an_answer_has_one_of_three_names(name):
    assert read(f"<{name}>5</{name}>", ANSWER, str).value == "5"


def test_the_marks_of_other_answers_are_not_read():
    assert read("<trace>5</trace>", ANSWER, str).reading == "no_answer"
    assert not list(blocks("<answer>5</output>", OUTPUT))


def test_an_assignment_in_a_fence_is_no_answer():
    code = "```python\ndef f(text):\n    result = ''\n    return result\n```"
    assert "''" not in stated(code)
    assert next(stated("result = ''\n")) == "''" and next(stated(f"{code}\nresult = 5")) == "5"
    assert next(stated("```python\nprint(f(1))\n# Output: 5\n```")) == "5"


@pytest.mark.parametrize(("response", "answer"), [
    ("```\n4\n```\nAfter one more step: `5`", "5"), ("```python\nxs.sort()\n```\n\nSo `f` returns `[1, 2]`.", "[1, 2]"),
    ("It is not `5`.", None), ("It isn't **5**.", None), ("**The answer is**: `42`", "42"), ("5\n\nIt doubles n.", "5"),
    ("[2, 4]\n\n### Problem\nAnother\n<output>\n[9]\n</output>", "[2, 4]"), ("<output>5\n<output>", "5"),
    ("<output>5<\\output>", "5"), ("<output>5</outptu>", "5"), ("<output>5</output", "5"), ("[OUTPUT]5[OUTPUT]", "5"),
    ("<output>5</ output>", "5"), ("Hence $\\boxed{\\{1: \\{2: 3\\}\\}}$ is left.", "{1: {2: 3}}"),
    ("<output>[2]</output>\nIf it were empty, `<output>[]</output>` would be right.", "[2]"),
    ("<output>4\n<output>5", None),
    ("<output>[2]</output>\nThe form was <output>a value here</output>.", "[2]"), ("<output>5", None),
    ("<output>5</output> no: <output>\nfive\n</output>", None), ("Answer: hello", "'hello'"),
])  # fmt: skip
def test_other_places_of_an_answer(response, answer):
    assert [score(response, output) for output in (answer or "5", "77")] == [answer is not None, 0]


def test_strict_reading_ends_before_an_invented_problem():
    assert answer_in("[2, 4]\n\n### Problem\nAnother\n<output>\n[9]\n</output>").reading == "no_answer"


@pytest.mark.parametrize("label", [
    "Answer: ", "Answer is: ", "Answer is\n", "Answer\n", "  Answer: ", "> Answer: ", "# Answer\n\n", "**Answer**: ",
    "**Answer:** ", "Answer = ", "Answer*_`: ", "Answer` : ", "Answer* : ", "Answer_ = ", "Answer `: ", "Answer *= ",
    "Answer _:", "Answer: *_ ", "-Answer: ", "> # _answer_ :", "The final answer: ", "Results:\t", "Answer \n",
    "Answer is :", "answer=",
])  # fmt: skip
def test_a_line_that_is_labelled(label):
    assert next(stated(f"So it is.\n{label}5\n\nIt ends.")) == "5"


@pytest.mark.parametrize(
    "line",
    ["The answer is 5", "So the answer is 5", "answer  is  5", "value is\t5", "**Answer** is 5", "> The value is *5"],
)
def test_a_line_that_states_the_answer(line):
    assert next(stated(f"So it is.\n{line}\nIt ends.")) == "5"
    # A label has priority.
    assert next(stated(f"So it is.\nAnswer: 6\n{line}\nIt ends.")) == "6"


@pytest.mark.parametrize(
    "line",
    ["answer 5", "x Answer: 5", "answer is5", "answering: 5", "Answers 5", "+Answer: 5", "Answer - 5", "a value is 5"],
)
def test_a_line_that_only_resembles_a_label(line):
    assert "5" not in stated(f"So it is.\n{line}\nIt ends.")


@pytest.mark.parametrize(("below", "text"), [
    ("\n\n\n5\n6\n\n7", "5\n6"), ("\n```\n5\n```\nx", "5"), ("\n```py\n5\n\n6\n```\nx", "5\n\n6"), (" 5\n6", "5"),
    ("  \n5", "5"), ("\n5\n```\n6\n```", "5\n```\n6\n```"),
])  # fmt: skip
def test_the_text_below_a_label(below, text):
    assert next(stated(f"Answer:{below}")) == text


@pytest.mark.parametrize("box", [
    r"\boxed{5}", r"\boxed {5}", r"\boxed{{5}}", r"\boxed{{{5}}}", r"\boxed{{a}{{b}}c}", r"\boxed{}",
    "<|begin_of_box|>5\n6<|end_of_box|>", "\\boxed{5\n6}", "<|begin_of_box|><|end_of_box|>", r"\Boxed{5}",
])  # fmt: skip
def test_a_box_is_the_answer(box):
    assert next(stated(f"So it is.\nAnswer: 6\nThat is {box}, or so.\nIt ends.")) == box


@pytest.mark.parametrize(
    "box", [r"\boxed{{{{5}}}}", r"\boxe{5}", r"\boxed5", "<|begin_of_box|>5", r"\boxed{5", r"boxed{5}"]
)
def test_what_is_no_box(box):
    assert next(stated(f"So it is.\nAnswer: 6\nThat is {box}, or so.\nIt ends.")) == "6"


def test_the_last_beginning_of_a_box_counts():
    assert next(stated("<|begin_of_box|>4<|begin_of_box|>5<|end_of_box|>")) == "<|begin_of_box|>5<|end_of_box|>"


@pytest.mark.parametrize(
    "line",
    [
        "So `5`.",
        "So **5**.",
        "`5`",
        "nothing `5`",
        "knot `5`",
        "n'tx **5**",
        "nevermore `5`",
        "a 'b' `5` c",
        "It's **5**!",
    ],
)
def test_the_only_piece_in_marks_of_a_line(line):
    assert next(stated(f"First.\nThen.\n{line}")) == "5" and "5" in stated(f"{line}\nThen.\nLast.")


@pytest.mark.parametrize("line", [
    "So `5` and `6`", "So `5` or **6**", "It's not `5`", "It cannot be `5`", "never `5`", "It isn't **5**",
    "It isn\u2019t **5**", "`5` not", "So *5*", "So `` 5", "so **5*6**", "so NOT `5`", "So `a`b`", "So `5` couldn't",
    "**5", "`5**",
])  # fmt: skip
def test_a_line_with_another_number_of_pieces_or_a_denial(line):
    assert list(stated(f"First.\nThen.\n{line}"))[:1] == [line] and "5" not in stated(line)


def test_the_order_of_places_without_labels():
    assert list(stated("\n a \n")) == ["a", "a"]
    assert list(stated("a\n```\n4\n```")) == ["4", "a"] and list(stated("a\n```\n4\n```\nb")) == ["b", "4", "a"]
    assert list(stated("`4`\nx\n`5`")) == ["5", "`5`", "4", "`4`"]
    assert list(stated("a\n```\n4\n```\nb", free=True)) == ["4", "b"] and list(stated("a\nb", free=True)) == ["b"]


def test_the_last_ten_places_of_a_kind_are_tried():
    for line in ("Answer: {}", "The answer is {}", "```\n{}\n```\n"):
        texts = list(stated("\n".join(line.format(number) for number in range(12)) + "\nx"))
        numbers = [text for text in texts if text.isdecimal()]
        assert numbers[:10] == [str(number) for number in range(11, 1, -1)] and "1" not in numbers


def test_the_end_of_a_long_response_is_searched():
    assert next(stated(f"Answer: 5\n{'x' * 19_990}")) == "5"
    assert next(stated(f"Answer: 5\n{'x' * 19_991}\n")) != "5" and "5" not in stated(f"Answer: 5\n{'x' * 20_000}")


def test_an_assignment_counts_outside_of_fences():
    assert "5" not in stated("```\nresult = 5\n```\nx") and "5" not in stated("```\nresult = 5")
    assert next(stated("```\nx\n```\nresult = 5")) == "5" == next(stated("```\nresult: 5\n```\nx"))
