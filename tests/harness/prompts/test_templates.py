import pytest

from lm_eval_codemind.answers.pipeline import OUTPUT, read
from lm_eval_codemind.families.ier.task import IER
from lm_eval_codemind.families.runtime.task import RUNTIME
from lm_eval_codemind.harness.templates import Templates
from lm_eval_codemind.languages import get_language
from lm_eval_codemind.problems import Problem
from tests.workshop.benchmarks.test_sample import evaluate

KINDS = [kind.name for kind in get_language("python").kinds]


@pytest.mark.parametrize("kind", KINDS)
def test_worked_examples_are_true(kind):
    example = Templates(IER.templates).examples()[kind]
    problem = Problem("p", "made", kind, "python", example["code"], "f", example["input"], example["output"])
    assert evaluate(problem, problem.input).strip() == example["output"].strip()


@pytest.mark.parametrize("setting", ["steps", "direct"])
@pytest.mark.parametrize("kind", KINDS)
def test_packaged_prompts(kind, setting):
    templates = Templates(IER.templates)
    text = templates.render(kind, code="CODE", input="INPUT", entry_point="f", setting=setting)
    assert text.startswith("### Problem\n")
    assert text.endswith("### Answer")
    assert ("step by step" in text) == (setting == "steps")
    assert "<output>" in text and "</output>" in text
    # What differs between problems comes last, so that the rest can be cached.
    assert text.index("CODE") > text.index("</output>")


def test_packaged_response_is_found_again():
    templates = Templates(IER.templates)
    response = templates.render("response", output="[1,\n2]", reasoning="Because <output>", setting="steps")
    assert read(response, OUTPUT, str).text == "\n[1,\n2]\n"
    assert templates.render("response", output="5", reasoning="x", setting="direct") == "<output>\n5\n</output>"


def test_own_templates_and_the_digest_of_names_and_contents(tmp_path):
    directory = tmp_path / "ier"
    directory.mkdir()
    (directory / "function.txt").write_text("{{ code }} | {{ input }}\n")
    templates = Templates(IER.templates, tmp_path)
    assert templates.render("function", code="a", input="b") == "a | b"
    assert set(templates.examples()) == {*KINDS, "java/script"}
    first = templates.digest()
    assert first != Templates(IER.templates).digest()
    (directory / "examples.yaml").write_text("function: {code: x}\n")
    assert Templates(IER.templates, tmp_path).examples() == {"function": {"code": "x"}}
    assert Templates(IER.templates, tmp_path).digest() != first
    digests = set()
    for name, content in [("a.txt", "xy"), ("b.txt", "xy"), ("a.txt", "xyz")]:
        root = tmp_path / f"{name}{content}" / "ier"
        root.mkdir(parents=True)
        (root / name).write_text(content)
        digests.add(Templates(IER.templates, root.parent).digest())
    assert len(digests) == 3 and IER.templates.parent.name == "ier"


def test_faults_are_named(tmp_path):
    with pytest.raises(ValueError, match="subdirectory 'ier'"):
        Templates(IER.templates, tmp_path / "nowhere")
    directory = tmp_path / "ier"
    directory.mkdir()
    (directory / "function.txt").write_text("{{ unknown }}")
    (directory / "method.txt").write_text("{% if %}")
    templates = Templates(IER.templates, tmp_path)
    with pytest.raises(ValueError, match=r"function\.txt: 'unknown' is undefined; the variables are code, input"):
        templates.render("function", code="", input="")
    with pytest.raises(ValueError, match=r"method\.txt: Expected"):
        templates.render("method", code="")
    with pytest.raises(ValueError, match=r"no template script\.txt in .*start from"):
        templates.render("script", code="")


PROGRAM = {"numbered": "1  def f(x):\n2      return x", "input": "f(3)", "set_up": "", "stdin": None, "during": "",
           "is_test": False}  # fmt: skip


@pytest.mark.parametrize("setting", ["direct", "cot"])
def test_every_question_about_runtime_says_what_it_means(setting):
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
