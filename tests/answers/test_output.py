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
    ],
)
def test_marked_answer(response: str, answer: str | None) -> None:
    assert marked_answer(response, printed=False) == answer


def test_a_heading_of_the_models_own_does_not_end_the_response() -> None:
    response = "### Problem analysis\nf doubles.\n<output>\n4\n</output>\n### Problem\n<output>\n5\n</output>"
    assert (marked_answer(response, printed=False) or "").strip() == "4"


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
    found = 0
    for _ in range(2000):
        text = "".join(random.choices(pieces, k=random.randrange(30)))
        for printed in (False, True):
            marked = marked_answer(text, printed)
            likely = likely_answer(text, printed)
            assert marked is None or likely == marked
            found += marked is not None
    assert found > 400
