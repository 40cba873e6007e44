import pytest

from lm_eval_codemind.families.runtime.task import RUNTIME
from lm_eval_codemind.harness.templates import Templates

PROGRAM = {"numbered": "1  def f(x):\n2      return x", "input": "f(3)", "set_up": "", "stdin": None, "during": "",
           "is_test": False}  # fmt: skip


@pytest.mark.parametrize("setting", ["direct", "cot"])
def test_every_question_says_what_it_means(setting: str) -> None:
    templates = Templates(RUNTIME.templates)
    line = {**PROGRAM, "line": 2, "setting": setting, "during": " while f(3) runs"}
    coverage = templates.render("coverage", **line)
    assert "is line 2 executed while f(3) runs?" in coverage and "2      return x" in coverage and "f(3)" in coverage
    state = templates.render("state", variable="x", number="third", **line)
    assert "`x` right after line 2" in state and "the third time that its execution starts" in state
    path = templates.render("path", not_counted="", number="", **line)
    assert "next after the execution of line 2" in path and "the end" in path and "more than once" not in path
    assert "middle of a line" in path and "does not count as executing that line" in path
    one = templates.render("output", values=1, **{**line, "input": "assert f(3) == ??"})
    assert "assert f(3) == ??" in one and "the value" in one
    two = templates.render("output", values=2, **{**line, "input": "assert a == ??\nassert b == ??"})
    assert "the 2 values, in their order, one a line, as" in two
    script = templates.render("output", values=1, **{**line, "stdin": "4\n"})
    assert "the text it prints" in script and "standard input" in script and "??" not in script
    for prompt in (coverage, state, path, one, two, script):
        assert prompt.startswith("### Problem\n") and prompt.endswith("### Answer")
        assert ("step by step" in prompt) == (setting == "cot")
    assert "<answer>\nyes\n</answer>" in templates.render("response", reasoning="", setting=setting, answer="yes")
