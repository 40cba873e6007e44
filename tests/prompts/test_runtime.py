from __future__ import annotations

import pytest

from lm_eval_codemind.prompts.templates import Templates

PROGRAM = {"numbered": "1  def f(x):\n2      return x", "input": "f(3)", "set_up": "", "stdin": None, "during": ""}


@pytest.mark.parametrize("setting", ["direct", "cot"])
def test_every_question_says_what_it_means(setting: str) -> None:
    templates = Templates("runtime")
    line = {**PROGRAM, "line": 2, "setting": setting, "during": " while f(3) runs"}
    coverage = templates.render("coverage", **line)
    assert "is line 2 executed while f(3) runs?" in coverage and "2      return x" in coverage and "f(3)" in coverage
    state = templates.render("state", variable="x", **line)
    assert "`x` right after line 2" in state and "the last time" in state and "not executed" in state
    path = templates.render("path", not_counted="", **line)
    assert "next after the execution of line 2" in path and "the last time" in path and "the end" in path
    one = templates.render("output", masked="assert f(3) == ??", values=1, **line)
    assert "assert f(3) == ??" in one and "the value" in one
    two = templates.render("output", masked="assert a == ??\nassert b == ??", values=2, **line)
    assert "the 2 values, in their order, one a line, as" in two
    script = templates.render("output", masked="", values=1, **{**line, "stdin": "4\n"})
    assert "the text it prints" in script and "standard input" in script and "Missing values" not in script
    for prompt in (coverage, state, path, one, two, script):
        assert prompt.startswith("### Problem\n") and prompt.endswith("### Answer")
        assert ("step by step" in prompt) == (setting == "cot")
    assert "<answer>\nyes\n</answer>" in templates.render("response", reasoning="", setting=setting, answer="yes")
