from pathlib import Path

from click.testing import CliRunner

from lm_eval_codemind.cli import main
from tests.cli import said

PROGRAM = """\
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


def test_a_call(tmp_path: Path) -> None:
    file = tmp_path / "box.py"
    file.write_text(PROGRAM)
    result = said("trace", file, "--input", "f([2, 3])")
    shown = [" ".join(line.split()) for line in result.splitlines()]
    assert shown == [" ".join(line.split()) for line in SHOWN.splitlines()]
    # Deeper calls are indented.
    assert "\n 8    self.n += k" in result and "\n15  box.put(k)" in result


def test_a_script_and_its_limits(tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text("n = int(input())\nwhile n:\n    n -= 1\nprint(1 // n)\n")
    result = CliRunner().invoke(main, ["trace", str(file), "--script", "--input", "2"])
    assert result.output.splitlines()[0].split() == ["1", "n", "=", "int(input())", "n", "=", "2"]
    assert result.output.splitlines()[-1] == "raised ZeroDivisionError"
    cut = CliRunner().invoke(main, ["trace", str(file), "--script", "--input", "2", "--max-steps", "3"])
    assert "more than 3 steps" in cut.output and cut.output.splitlines()[-1] == "raised ZeroDivisionError"


def test_what_cannot_be_traced_is_named(tmp_path: Path) -> None:
    file = tmp_path / "bad.py"
    for code, call in (("def f(:\n", "f()"), ("1 / 0\n", "f()")):
        file.write_text(code)
        result = CliRunner().invoke(main, ["trace", str(file), "--input", call])
        assert result.exit_code == 1 and "bad.py" in result.output and "fix" in result.output, result.output
    assert "--script" in CliRunner().invoke(main, ["trace", str(file)]).output
