import json
import subprocess
import sys

# What takes long to import, and what these commands do not need.
UNNEEDED = (
    "datasets",
    "pandas",
    "scipy",
    "torch",
    "lm_eval",
    "lm_eval_codemind.sandbox.sandbox",
    "lm_eval_codemind.workshop.proof",
)
_PROGRAM = """
import contextlib, io, json, sys
from lm_eval_codemind.cli import main
loaded = {}
for arguments in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()):
        main(arguments, standalone_mode=False)
    loaded[arguments[0]] = sorted(sys.modules)
print(json.dumps(loaded))
"""


def test_commands_import_what_they_need(output):
    right, scripts = str(output / "org__right"), str(output / "org__scripts")
    calls = [["--help"], ["cite", right], ["show", right, scripts], ["compare", right, scripts]]
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, json.dumps(calls)], capture_output=True, text=True, check=True
    )
    loaded = json.loads(done.stdout)
    assert {name: [module for module in UNNEEDED if module in modules] for name, modules in loaded.items()} == {
        arguments[0]: [] for arguments in calls
    }
    # The list is of modules that exist under these names.
    assert "lm_eval_codemind.sandbox.job" in loaded["show"]
