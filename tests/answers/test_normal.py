"""The normaliser: each kind of layout goes, and what only resembles it stays."""

import pytest

from lm_eval_codemind.answers.normal import plain, readings, typed


def stripped(text: str, name: str = "", free: bool = False) -> list[str]:
    return [reading.strip() for reading in readings(text, name, free)]


NAMES = [
    *("output", "outputs", "answer", "answers", "ans", "result", "results", "value", "values", "verdict", "input"),
    *("inputs", "trace", "line", "lines", "line number", "line_number", "line numbers"),
]
NOUNS = ["state", "states", "type", "program", "function", "code", "bug", "bugs", "error", "list", "expression", "call"]
LEADS = [
    *("so", "thus", "Therefore,", "hence", "then", "and", "Finally,", "the", "my", "its", "it", "so the", "Thus, my"),
    *("final", "the correct", "the wrong", "return", "returned", "the standard", "next", "executed", "Final_"),
    *("So, the final correct", "the final returned"),
]
VERBS = ["returns", "prints", "outputs", "yields", "gives", "equals", "evaluates to", "evaluates  to", "returns:"]


@pytest.mark.parametrize("mark", [":", " :", "=", " == ", "->", " => ", "\u2192", " is", " are", " is:", "'s"])
def test_a_label_ends_with_one_of_its_marks(mark):
    assert "5" in stripped(f"Answer{mark} 5")
    assert "5" in stripped(f"**The answer**{mark} 5")


@pytest.mark.parametrize("name", [*NAMES, *NOUNS, "it", "this"])
def test_every_name_of_an_answer_is_a_label(name):
    for label in (
        f"{name}: ",
        f"The {name.upper()} is ",
        f"- **{name}**: ",
        f"# {name}:\n",
        f"*{name}:* ",
        f"> {name} = ",
    ):
        assert "5" in stripped(f"{label}5"), label
    assert "5" not in stripped(f"{name}x: 5")
    # It is a verb, too.
    assert ("5" in stripped(f"{name} 5")) == (name == "outputs")


@pytest.mark.parametrize("lead", LEADS)
def test_a_label_has_words_in_front(lead):
    text = f"{lead} value: 5".replace("_ ", "_")
    assert "5" in stripped(text)
    assert "5" not in stripped(f"x{text}")


@pytest.mark.parametrize("of", ["f(2)", "`f(2)`", "the call f(2)", "the last call f(2)"])
def test_a_label_says_what_it_is_of(of):
    assert "5" in stripped(f"The output of {of} is 5")
    assert "5" in stripped(f"The resulting new list of {of}: 5")
    assert "5" not in stripped(f"The output of {of} and then of g(3) is 5")


@pytest.mark.parametrize("verb", VERBS)
def test_a_call_returns_an_answer(verb):
    for subject in ("It", "f(1)", "So `f([1])`", "So for this input the call f('a-b')", "a b c d e f g h"):
        assert "5" in stripped(f"{subject} {verb} 5"), subject
    assert "5" in stripped(f"{verb} 5")
    assert "5" not in stripped(f"a b c d e f g h i {verb} 5")
    assert "5" not in stripped(f"f(1); g(2) {verb} 5")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "```\n5\n```",
            "```python\n5\n```",
            "````\n5\n````",
            "~~~\n5\n~~~",
            "~~~~text\n5\n  ~~~~",
            "```\n5",
            "~~~python\n5",
        ),
        *("`5`", "``5``", "*5*", "**5**", "***5***", "__5__", "$5$", "$$5$$", r"\boxed{5}", r"\fbox{5}", r"\text{5}"),
        *(r"\texttt{5}", r"\textbf{5}", r"\textrm{5}", r"\mathrm{5}", r"\mathtt{5}", r"\mathbf{5}", r"\(5\)", r"\[5\]"),
        *("<|begin_of_box|>5<|end_of_box|>", "<code>5</code>", "<pre>5</pre>", "<b>5</b>", "<strong>5</strong>"),
        *("<answer>5</answer>", "<OUTPUT>5</output>", "5.", " 5 .", r"$\boxed{5}$", "**`5`**.", "Answer: **5**."),
        *("assert f(1) == 5", "f(1) -> 5", "f(g(1), 2) = 5", "a.f(1): 5", '{"answer": 5}', '{"final_answer": "5"}'),
        *(
            '{"line numbers": 5}',
            "`5`\nThe loop ends.",
            "`5`. The loop ends.",
            "**5** - the loop ends",
            "`5` (the sum)",
        ),
        *(
            "`5` because the loop ends",
            "`5` since it ends",
            "`5` as it ends",
            "`5` \u2705",
            "`5` \u2192 done",
            "`5`; it ends",
        ),
        *(
            "```\n5\n```\nThe loop ends.",
            "$5$ \u2014 it ends",
            "**5**, which is the sum",
            "`5`: the sum",
            "**5**.",
            "`5` -- it ends",
        ),
    ],
)
def test_layout_goes(text):
    assert "5" in stripped(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "`5` or `6`",
            "**5**, or 6",
            "`5`, 6",
            "`5` + 1",
            "`5`; 6",
            "`5` - x(2)",
            "`5` (or 6)",
            "`5` is 6",
            "`5` because6",
        ),
        *("5..", "...", "`5``", "**5*", "__5_", "$5$$", r"\box{5}", r"\boxed{5", r"\(5", "<em>5</em>", "<b>5</code>"),
        *("Hello: 5", "nextline: 5", "3: 5", "1f(1) == 5", "f(1) 5", '{"nextline": 5}', '{"answer": 5, "line": 6}'),
        *('{"answer" 5}', "```\n5\n~~~", "~~~~\n5\n~~~", "````\n5\n```", "`5` - 6", "`5`.6", "`5` -- 6"),
    ],
)
def test_what_only_resembles_layout_stays(text):
    assert "5" not in stripped(text)


@pytest.mark.parametrize("text", ["'`'", '"**"', "'$'", "['`', '`']", "'__'"])
def test_a_mark_in_a_string_is_text(text):
    for wrapped in (f"`{text}`", f"**{text}**", f"${text}$", f"__{text}__"):
        assert text in stripped(wrapped), wrapped


@pytest.mark.parametrize(
    "text", ["y = 5", "y: 5", "`y` is 5", "**y** == 5", "y are 5", "y is: 5", "y -> `5`", '{"y": 5}']
)
def test_the_asked_name_goes(text):
    assert "5" in stripped(text, "y")
    assert "5" not in stripped(text, "x") or not text.startswith(("y", "{"))


def test_a_name_is_taken_to_the_letter():
    assert "5" in stripped("a.b = 5", "a.b")
    assert "5" not in stripped("a_b = 5", "a.b")


def test_layers_of_layout_go_up_to_the_sixth():
    assert list(readings("**`'5'`**")) == ["**`'5'`**", "`'5'`", "'5'"]
    deep = "5"
    for _ in range(7):
        deep = f"<b>{deep}</b>"
    assert len(list(readings(deep))) == 6 and "5" not in stripped(deep)
    assert "5" in stripped(deep[6:-8]).__iter__()


def test_escapes_of_a_formula_go_with_it():
    assert r"{'a_b': 5}" in stripped(r"\boxed{\{'a\_b': 5\}}")
    assert r"'\{'" in stripped(r"\boxed{'\{'}")


def test_visible_characters_become_plain():
    assert plain("\u201ca\u201d \u2018b\u2019\u00a0\u22125\u2013.5 \u2013 x\u200b") == "\"a\" 'b' -5-.5 \u2013 x"
    for blank in "\u00a0\u1680\u2000\u200a\u202f\u205f\u3000":
        assert plain(f"1{blank}2") == "1 2"
    for invisible in "\u00ad\u200b\u200f\u2060\u2064\ufeff\ufe0f":
        assert plain(f"1{invisible}2") == "12"
    for minus in "\u2010\u2015\u2212\ufe63\uff0d":
        assert plain(f"{minus}2") == "-2" and plain(f"{minus}x") == f"{minus}x"


@pytest.mark.parametrize(
    "label", ["Output:", "input:", "Answer:", "**Output:** ", "Input`: ", "Standard output: ", "# Output:\n"]
)
def test_labels_of_free_text_go(label):
    assert "5 a" in stripped(f"{label}5 a", free=True)
    assert typed(f"{label}5 a").strip() == "5 a"


@pytest.mark.parametrize(
    "text", ["It is raining", "code: 3", "state = 4", "results: 3", "outputs: 3", "Output 3", "f(1) == 5", "5."]
)
def test_other_text_of_an_output_stays(text):
    assert list(readings(text, free=True)) == [text]
    assert typed(text) == text


def test_what_is_typed_has_no_fences_and_no_invisible_characters():
    assert typed("```\n1 2\n3\n```") == "1 2\n3"
    assert typed('{"input": "1 2"}') == "1 2"
    assert typed("\u200bInput:\n```text\n1\n```\n") == "1"
    assert typed("\n1\n") == "1\n"


@pytest.mark.parametrize(("text", "inside"), [
    ("```\n1\n\n```", "1\n"), ("```\n5```", "5"), ("~~~~\n5\n~~~\n~~~~", "5\n~~~"), ("~~~~\n5\n~~~", None),
    ("```\n5\n \t```", "5"), ("````\n5\n```\n````", "5\n```"),
    ("```a b\n5\n```", "5"), ("`````\n4\n```", None), ("```a`b\n5\n```", None), ("Output:" * 6 + "5", "5"),
    ("Output:" * 7 + "5", "Output:5"), ("`Output`: 5", None), ("_Output_:5", "5"), ("> Input: 5", "5"),
    ("standard  output: 5", "5"), ("Standard\tinput:5", "5"), ("standardoutput: 5", None), ("Output :5", None),
    ("outputs: 5", None), ("answer:`5", "5"), ("Output:** 5", "5"), ("-Output: 5", None), ("Output:  \n  5", "  5"),
    ('{"Input": "5"}', "5"), ('{"x": "5"}', None), ('{"input": 5}', "5"), ('{"input": [1, true]}', "[1, True]"),
    ('{"input": ""}', ""), ('{"input": "1", "x": 2}', None), ("\n\n1", "\n1"), ("[1]{", None), ("{1", None),
    ("Output:5\n6", "5\n6"),
])  # fmt: skip
def test_what_is_typed(text, inside):
    assert typed(text) == (text if inside is None else inside)


@pytest.mark.parametrize("text", [
    "```py\n5\n```\nThe loop\nends.", "```a b\n5\n```, so", "`5` Because it ends", "$5$, so", "**5**, so 2 * 3",
    "`5`, so\nso", "```\n5\n```, so", "`5`.", "$5$ since\nit ends",
])  # fmt: skip
def test_an_answer_in_marks_with_prose_after_it(text):
    assert stripped(text)[-1] == "5"


@pytest.mark.parametrize("text", [
    "`5`, OR 6", "`5`, so `6`", "``5`` so", "**5**, so **", "**5** so", "$5$, so $6$", "```5```, so", "*5*, so",
    "__5__, so", "`a`b`, so", "****5****", "`5``", "``5`", "~~~`\n5", "_5_", "$$5$", r"\textsf{5}", r"\boxed{}",
    "<pre>5</code>", "<b></b>", "```\n", r"\(\)",
])  # fmt: skip
def test_marks_that_do_not_fit_stay(text):
    assert stripped(text) == [text.strip()]


@pytest.mark.parametrize(("text", "inside"), [
    ("`a\n5`, so", "a\n5"), ("```x\n5\n6", "5\n6"), ("```\n5\n``", "5\n``"), ("`'`'`", "'`'"), ("*'*'*", "'*'"),
    ('`"`"`', '"`"'), ("<code>5</CODE>", "5"), ("<B>\n5\n</b>", "5"), (r"\boxed{5} \boxed{6}", r"5} \boxed{6"),
    (r"\text{a\_b\%\$\#\&\{\}\^}", r"a_b%$#&{}\^"), (r"$\{1\}$", r"\{1\}"), (r"\(\{1\}\)", "{1}"),
    ("`'a` b'`", "'a` b'"), ("**a*b**", "a*b"), ("\\fbox{5\n6}", "5\n6"), ("\\[5\n6\\]", "5\n6"), ("$5\n6$", "5\n6"),
    ("<|begin_of_box|>\n5\n<|end_of_box|>", "5"), ("<pre>\n5\n6</pre>", "5\n6"), (r"\mathtt{\text{5}}", "5"),
])  # fmt: skip
def test_what_is_inside_of_marks(text, inside):
    assert stripped(text)[-1] == inside


@pytest.mark.parametrize("label", [
    "f('a') returns ", 'f("a") returns ', "f([1], 2) returns ", "a-b returns ", "*f* returns ", "returns  ",
    "It gives\n", "It gives: ", "It gives** ", "It gives` ", "It evaluates\tto ", "Answer:\n\n", "Answer is : ",
    "Answer  is ", "Answer= ", "Answer:= ", "Answer => ", "Answer's ", "answer`: ", "answer*: ", "answer of x: ",
    "answer of x y z w: ", "answer  of\tx: ", "Answer: \n", "Answer:: ", "the a b answer: ", "the\ta answer: ",
    "the answer of `f(*)`: ", "The  the answer: ", "so answer: ", "correct final answer: ", "returned answer: ",
    "the final  answer is ", "the final correct wrong answer: ", "-#>*_ answer: ", "\n> answer: ", "The  last call: ",
    "Finally my answer: ", "the Answer:",
])  # fmt: skip
def test_what_stands_in_a_label(label):
    assert stripped(f"{label}5")[1:] == ["5"]


@pytest.mark.parametrize("label", [
    "f; returns ", "returns", "areturns ", "It evaluates\nto ", "Answer\n", "Answer is", "Answer isn ", "Answer ar ",
    "answer_: ", "answer ofx: ", "answer of x y z w v: ", "answer of x-y: ", "the a b c answer: ", "the 2 call: ",
    "so,answer: ", "returning answer: ", "+answer: ", "linenumber: ", "line-number: ", "itss answer: ",
    "thelast call: ", "f{1} returns ",
])  # fmt: skip
def test_what_only_resembles_a_label(label):
    assert stripped(f"{label}5")[1:] == []


@pytest.mark.parametrize("before", [
    "`y` = ", "*y*: ", "y := ", "y\t= ", "y  is ", "y is: ", "y => ", "y:`", "y = \n", "y are: ", "**`y`** -> ",
    "y =** ",
])  # fmt: skip
def test_marks_around_the_asked_name_go(before):
    assert stripped(f"{before}5", "y")[1] == "5"
    assert stripped(f"{before}5\n6", "y")[1] == "5\n6"


@pytest.mark.parametrize("before", ["y is", "yis ", "yare: ", "Y = ", "xy = ", "y\n= ", "y = = "])
def test_another_name_stays(before):
    assert "5" not in stripped(f"{before}5", "y")


@pytest.mark.parametrize("call", [
    "assert  f(1) == ", "_f.g(1) -> ", "f(1)\n== ", "f(1): ", "f(1) = \n", "f() => ", "f(g(2))==", "f1(1) = ",
    "F(\n1) = ", "f(1) == f(2) == ",
])  # fmt: skip
def test_a_call_goes(call):
    assert stripped(f"{call}5")[-1] == "5" and stripped(f"{call}5\n6")[-1] == "5\n6"


@pytest.mark.parametrize("call", ["1f(1) == ", "f (1) == ", "f(1) ", "\u00e9(1) == ", "f(1 == ", "f[1](2) == "])
def test_what_only_resembles_a_call_stays(call):
    assert stripped(f"{call}5") == [f"{call}5"]


def test_every_quote_becomes_plain():
    assert plain("\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u201b\u00b4\uff02\uff07") == "\"\"\"\"'''''\"'"


@pytest.mark.parametrize("text", ["\u1fff1", "\u20282", "\u2029", "\u2065", "\u205e", "\u2030", "\u20162"])
def test_characters_beside_those_that_become_plain_stay(text):
    assert plain(text) == text


@pytest.mark.parametrize(("text", "same"), [("1\u200b2", "12"), ("\u200f.", "."), ("\u20112", "-2")])
def test_the_first_and_last_characters_that_become_plain(text, same):
    assert plain(text) == same


@pytest.mark.parametrize(
    ("text", "layers"), [("5.", ["5"]), ("5. .", ["5.", "5"]), ("5...", []), ("x.", ["x"]), ("..", [])]
)
def test_a_full_stop_goes(text, layers):
    assert stripped(text)[1:] == layers
    assert stripped(text, free=True)[1:] == []
