import random

import pytest

from lm_eval_codemind.answers.output import likely_answer, marked_answer


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("<output>\n5\n</output>", "\n5\n"),
        ("<output>5</output>", "5"),
        ("I think.\n<output>\n[1, 2]\n</output>\nHope this helps!", "\n[1, 2]\n"),
        ("<OUTPUT>5</Output>", "5"),
        # stopped by its budget, or by a stop sequence that ate the closing tag
        ("<output>\n5", "\n5"),
        # repeated: the last one that is closed
        ("<output>4</output> No, wait. <output>5</output>", "5"),
        ("I put it between <output> tags.\n<output>5</output>", "5"),
        ("<output>5</output> as asked, in <output> tags", "5"),
        ("<output></output>\n<output>5</output>\n<output>\n</output>", "5"),
        ("<output>4 <output>5", "5"),
        # a base model that goes on
        ("<output>\n5\n</output>\n\n### Problem\nanother\n<output>\n6\n</output>", "\n5\n"),
        ("### Problem\nrepeated\n<output>\n5\n</output>", "\n5\n"),
        ("<output>5\n### Problem\n<output>6</output>", "5\n"),
        # the artifact's form
        ("<<<Analysis>>>\nx\n<<<Output>>>\n5\n[END-OF-RESPONSE]\nIn: <<<Output>>>\n6\n[END-OF-RESPONSE]", "\n5\n"),
        ("<<<Output>>>\n5", "\n5"),
        # thinking
        ("<think><output>4</output></think><output>5</output>", "5"),
        ("<output>4</output></think>5", None),
        ("<think>maybe <output>4</output>", None),
        # what belongs to the markers
        ("<output> a b </output>", "a b"),
        ("<output>  a b  </output>", " a b "),
        ("<output> 5", "5"),
        ("<output>\n a \n</output>", "\n a \n"),
        ("  <output>\n  a\n   b\n  </output>", "\na\n b\n"),
        ("  <output>\n  a\n b\n  </output>", "\n  a\n b\n"),
        # Windows
        ("<output>\r\n5\r\n</output>\r\n", "\n5\n"),
        ("The output is 5", None),
        ("", None),
        ("<output></output>", None),
        # marks that a sentence mentions
        ("<output>55</output>\nI put it between <output> and </output>.", "55"),
        ("<output>55</output>\nI put it between `<output>` and `</output>`, as asked.", "55"),
        ('I write it between "<output>" and "</output>".\n<output>\n55', "\n55"),
        ("The answer goes between <output> and </output>:\n<output>55", "55"),
        ("I use <output>...</output> tags.\n<output>55</output>\nThe <output></output> tags hold it.", "55"),
        ("I wrap it as <output>your answer</output>.\n<output>55</output>", "55"),
        ("<output>55</output>\nIn <output>the final result</output> tags, as asked.", "55"),
        ("<output>55</output> stands between <output> and </output>.", "55"),
        ("I put my answer between <output> and </output>.", None),
        # a sentence that states it
        ("So the answer is <output>55</output>.", "55"),
        ("It prints <output>YES</output> since 3 > 2.", "YES"),
        ("So the answer is <output>55", "55"),
        ("<output>4</output>\nNo, it is <output>5</output>, for 2 + 3 is 5.", "5"),
        ("Both are <output>4</output> and <output>5</output>", "5"),
        ("It is `<output>55</output>`.", "55"),
        # thinking that nothing follows
        ("<output>55</output></think>", "55"),
        ("<output>55</output>\n</think>\n", "55"),
        ("<think>So it is <output>55</output></think><|im_end|>", "55"),
        ("<output>55</output>\n<think>Let me check: <output>4</output></think>", "55"),
    ],
)
def test_marked_answer(response: str, answer: str | None) -> None:
    assert marked_answer(response, printed=False) == answer


def test_a_heading_of_the_models_own_does_not_end_the_response() -> None:
    response = "### Problem analysis\nf doubles.\n<output>\n4\n</output>\n### Problem\n<output>\n5\n</output>"
    assert (marked_answer(response, printed=False) or "").strip() == "4"


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("<output>YES</output>\nThe <output></output> tags hold what is printed.", "YES"),
        ("<output>YES</output>\nI put it between <output> and </output>.", "YES"),
        ("It prints <output>YES</output> since 3 > 2.", "YES"),
    ],
)
def test_marked_text(response: str, answer: str) -> None:
    assert marked_answer(response, printed=True) == answer


def test_a_script_may_print_nothing() -> None:
    assert marked_answer("<output>\n</output>", printed=True) == "\n"
    assert marked_answer("<output>\n</output>", printed=False) is None


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("x <output>5</output> y 6", "5"),
        ("The output is 5.", "5"),
        ("So the result of f(3) is [1, 2].", "[1, 2]"),
        ("**Output:** `'abc'`", "'abc'"),
        ("First it is 3.\nThen it becomes 4.\nFinally the function returns (1, 'a is b').", "(1, 'a is b')"),
        ("The answer is:\n```python\n{'a': 1}\n```", "{'a': 1}"),
        ("```\n1\n```\nand then\n```\n2\n```\nDone!", "2"),
        (r"Therefore $\boxed{42}$", "42"),
        ("f([1]) == [2, 3]", "[2, 3]"),
        ("result = True\n", "True"),
        ("thinking\n12", "12"),
        ("The output is hello world", "hello world"),
        ("It is `1`, then `2`.\nThe final output is Hello World.", "Hello World"),
        ("It is `1`.\n\n**Output:**\nxix", "xix"),
        ("a stray ```\nIt is `1`.\n```\n{}\n```", "{}"),
        ("It is `1`.\nI hope this helps!", "1"),
        ("nothing to see here", "nothing to see here"),
        ("First 4.\n<answer>55</answer>", "55"),
        ("[ANSWER]55[/ANSWER]", "55"),
        ("[OUTPUT]\n55\n[/OUTPUT]", "\n55\n"),
        ('[OUTPUT]{"output": "x"}[/OUTPUT]', "x"),
        ('{"output": 55}', "55"),
        ('So:\n```json\n{"reasoning": "{ is open", "output": [1, {"a": null}]}\n```', "[1, {'a': None}]"),
        ('{"output": "abc"}', "abc"),
        ("So the answer is 55</output>", "55"),
        ("I do not know.", None),
        ("I'm sorry, but I can't determine what the function returns without running it.", None),
        ("I am not sure, but it returns 5.", "5"),
        ("<think>is 4</think>It returns **5**.", "5"),
        ("It returns -1.5", "-1.5"),
        ("", None),
        ("\n \n", None),
    ],
)
def test_likely_answer_of_values(response: str, answer: str | None) -> None:
    assert likely_answer(response, printed=False) == answer


@pytest.mark.parametrize(
    ("response", "answer"),
    [
        ("It prints\n```\nYES\nNO\n```", "YES\nNO"),
        ("Step 1.\n**Output:**\nYES\nNO", "YES\nNO"),
        ("The program prints:\n\n3 4", "3 4"),
        ("bla\nYES", "YES"),
        ("<output>\nA\nB\n</output>", "\nA\nB\n"),
        ("", None),
        ("<answer>YES</answer>", "YES"),
        ('{"output": "YES\\nNO"}', "YES\nNO"),
        (r"So it is \boxed{YES}.", "YES"),
        ("n is 3.\nAnswer: YES", "YES"),
        ("n is 3.\n**Answer:** YES", "YES"),
        ("First 3.\nThe program prints `YES`.", "YES"),
        ("```python\nprint('YES')\n```\nprints `YES`.", "YES"),
        ("The output is `3 4`, for both are read.\nI hope this helps.", "3 4"),
        ("I do not know.", None),
    ],
)
def test_likely_answer_of_scripts(response: str, answer: str | None) -> None:
    assert likely_answer(response, printed=True) == answer


@pytest.mark.parametrize(
    "piece",
    [
        "<output>",
        "</output>",
        "<output>1</output>",
        "output is ",
        "output: ",
        "= [",
        "```\n",
        "`",
        "**",
        "\\boxed{",
        "[",
        "### Problem\n",
        "is 'a",
    ],
)
@pytest.mark.parametrize("printed", [False, True])
def test_megabytes_of_anything_give_a_verdict(piece: str, printed: bool) -> None:
    text = piece * (500_000 // len(piece))
    marked_answer(text, printed)
    likely_answer(text, printed)
    likely_answer(text.replace("\n", " "), printed)


def test_random_text_gives_a_verdict() -> None:
    random.seed(0)
    pieces = [
        "<output>",
        "</output>",
        "\n",
        "`",
        "```",
        "**",
        "5",
        "[",
        "]",
        "'",
        " is ",
        "output:",
        "### Problem",
        "<think>",
        "</think>",
    ]
    count = 0
    for _ in range(2000):
        text = "".join(random.choices(pieces, k=random.randrange(30)))
        for printed in (False, True):
            marked = marked_answer(text, printed)
            likely = likely_answer(text, printed)
            assert marked is None or likely == marked
            count += marked is not None
    assert count > 400
