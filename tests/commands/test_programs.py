"""Commands on a program of one's own: ``codemind fresh``, ``trace`` and ``transform``; and the sandbox."""

from pathlib import Path

import pytest

from tests.cli import codemind, refused, said
from tests.workshop.proof.test_fresh import LOOP, SCRIPT
from tests.workshop.transforms.behaviour import observe


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, content: str) -> str:
    Path(name).write_text(content, encoding="utf-8")
    return name


# -- fresh


def test_fresh_inputs_of_a_function():
    shown = said("fresh", write("program.py", LOOP.code), "--input", LOOP.input, "--count", "2")
    assert "['TREE', 'HOUSE']" in shown and shown.count("    f([") == 3
    assert "fresh 2" in shown and "given       12     29     17" in shown


def test_fresh_inputs_of_a_script():
    options = ("--script", "--input", "3\n4 10 7", "--example", "2\n1 2", "--count", "1")
    shown = said("fresh", write("program.py", SCRIPT.code), *options)
    assert "21 10" in shown and "fresh 1" in shown


def test_inputs_that_are_wrong_are_named():
    write("program.py", LOOP.code)
    for text, message in (("3 +", "is not a Python expression"), ("[1]", "is not a call"), ("f(1, 2)", "raises")):
        assert message in refused("fresh", "program.py", "--input", text)


# -- trace

BOX = """\
class Box:
    def __init__(self):
        self.n = 1

    def put(self, k):
        if k > 2:
            raise ValueError(k)
        self.n += k


def f(ks):
    box = Box()
    for k in ks:
        try:
            box.put(k)
        except ValueError:
            del k
    print("done")
    return box.n
"""
SHOWN = """\
12  box = Box()               box.n = 1, ks = [2, 3]
 3    self.n = 1              self.n = 1, returns
13  for k in ks:              k = 2
14  try:
15  box.put(k)                box.n = 3
 6    if k > 2:               k = 2, self.n = 1
 8    self.n += k             self.n = 3, returns
13  for k in ks:              k = 3
14  try:
15  box.put(k)
 6    if k > 2:               k = 3, self.n = 3
 7    raise ValueError(k)     raises
16  except ValueError:
17  del k                     k deleted
13  for k in ks:
18  print("done")
19  return box.n              returns
printed:
  done
value: 3
"""


def test_a_call_is_traced():
    shown = said("trace", write("box.py", BOX), "--input", "f([2, 3])")
    assert [line.split() for line in shown.splitlines()] == [line.split() for line in SHOWN.splitlines()]
    # Deeper calls are indented.
    assert "\n 8    self.n += k" in shown and "\n15  box.put(k)" in shown


def test_a_script_is_traced_up_to_a_limit():
    file = write("script.py", "n = int(input())\nwhile n:\n    n -= 1\nprint(1 // n)\n")
    lines = codemind("trace", file, "--script", "--input", "2").output.splitlines()
    assert lines[0].split() == ["1", "n", "=", "int(input())", "n", "=", "2"]
    assert lines[-1] == "raised ZeroDivisionError"
    cut = codemind("trace", file, "--script", "--input", "2", "--max-steps", "3").output
    assert "more than 3 steps" in cut and cut.splitlines()[-1] == "raised ZeroDivisionError"


def test_what_cannot_be_traced_is_named():
    for code in ("def f(:\n", "1 / 0\n"):
        message = refused("trace", write("bad.py", code), "--input", "f()")
        assert "bad.py" in message and "fix" in message
    assert "--script" in codemind("trace", "bad.py").output
    assert "'f(' is not Python" in refused("trace", write("box.py", BOX), "--input", "f(", status=2)


# -- transform

MEAN = """def mean(values):
    total = 0
    for i in range(len(values)):
        total += values[i]
    return total / len(values)
"""
CALLS = ["mean([1, 2, 6])", "mean([])", "mean(None)"]


def transformed(*options: str) -> str:
    result = codemind("transform", write("mean.py", MEAN), *options)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_transformed_program_does_what_it_did():
    result = codemind("transform", write("mean.py", MEAN))
    assert result.exit_code == 0 and "not executed" in result.stderr
    assert len(result.stdout.splitlines()) > 20
    assert observe(result.stdout, CALLS) == observe(MEAN, CALLS)


def test_same_seed_same_bytes_and_another_seed_another_program():
    first, again, other = (transformed("--seed", seed) for seed in ("1", "1", "2"))
    assert first == again != other


@pytest.mark.proof
def test_tests_of_a_transformed_program_run_in_the_sandbox():
    options = ("transform", write("mean.py", MEAN), "--tests", write("tests.py", "assert mean([1, 2, 6]) == 3\n"))
    result = codemind(*options)
    assert result.exit_code == 0 and "all tests pass" in result.stderr, result.output
    write("tests.py", "assert mean([1, 2, 6]) == 4\n")
    assert "mean.py: the program itself does not pass the tests" in refused(*options)


def test_rules_and_groups_are_chosen_by_name():
    only = transformed("--rules", "base64")
    assert only.count("base64.b64encode") == 1 and "scipy" not in only
    renamed = transformed("--rules", "renaming", "--tests", write("tests.py", "assert mean([2]) == 2\n"))
    assert "total" not in renamed or "values" not in renamed


def test_mistakes_in_a_transformation_are_named():
    write("mean.py", MEAN)
    assert "there is no rule or group 'sleep'" in codemind("transform", "mean.py", "--rules", "sleep").stderr
    both = codemind("transform", "mean.py", "--tests", "mean.py", "--script")
    assert both.exit_code != 0 and "leave out --script" in both.stderr
    assert "bad.py: not a Python program" in refused("transform", write("bad.py", "def f(:\n"))


# -- sandbox


def test_a_level_that_does_not_exist_is_refused(monkeypatch):
    monkeypatch.setenv("CODEMIND_SANDBOX", "everything")
    assert "CODEMIND_SANDBOX is 'everything'" in refused("sandbox", "check")
