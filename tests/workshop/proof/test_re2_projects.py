"""The proof of RE2-Bench's labels from real projects, on a project that the test writes."""

import subprocess
import sys
from pathlib import Path

import pytest

import prove_re2_projects
from prove_re2_projects import CONDITIONS, Environment, decide_flow, decide_output

INSTALLED = """
class Basket:
    \"\"\"A basket.\"\"\"

    def __init__(self, prices):
        raise RuntimeError("not called: the record has the attributes")

    def total(self, discount: int = 0, limit: int = 0) -> int:
        return 0
"""
# What the prompt shows differs from the installed module, and counts.
SHOWN = """class Basket:
    def total(self, discount=0, limit=None):
        result = 0
        for name, price in self.prices.items():
            if not all(part > 0 for part in (price,)):
                continue
            if price > limit:
                result += limit
            elif (price < 2 and
                  name):
                result += 10
            else:
                result += price
        return result - discount
"""
INPUTS = {"self": {"prices": {"a": 5, "b": -1, "c": 1, "d": 2}}, "args": {"limit": 3}, "kwargs": {}}
LOOPS = {"4": {"name": ["'a'", "'b'", "'c'", "'d'"], "price": ["5", "-1", "1", "2"]}}
BRANCHES = {"5": [False, True, False, False], "7": [True, False, False], "9": [True, False]}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """What the runner shows under each set of conditions."""
    site = tmp_path_factory.mktemp("site")
    (site / "basket.py").write_text(INSTALLED)
    job = {"module": "basket", "qualname": "Basket.total", "shown": SHOWN, "inputs": INPUTS, "hand": {}}

    class Installed(Environment):
        def python(self, version):
            return Path(sys.executable)

    environment = Installed("basket", {"python": ["here", "here"]}, site, site)
    jobs = {"values": {**job, "returned": 15}, "loop": job}
    setup = {"prepare": f"import sys; sys.path.insert(0, {str(site)!r})", "names": ""}
    return [environment.run(jobs, setup, number) for number in range(len(CONDITIONS))]


def test_the_shown_program_runs_on_the_rebuilt_object(runs):
    assert decide_output([run["values"] for run in runs], reviewed=False) == {"status": "proven"}
    assert not any(run["values"][0]["same_source"] for run in runs)


@pytest.mark.parametrize(("task", "values"), [("loop", LOOPS), ("branch", BRANCHES)])
def test_two_records_agree_with_a_reading_by_hand(runs, task, values):
    for run in runs:
        assert run["loop"][0]["traced"][task] == run["loop"][0]["rewritten"][task] == values
    assert decide_flow(task, [run["loop"] for run in runs], values, SHOWN) == {"status": "proven"}


def test_wrong_labels_are_corrected(runs):
    results = [run["loop"] for run in runs]
    assert decide_flow("branch", results, {"5": [False]}, SHOWN)["value"] == {"5": BRANCHES["5"]}
    assert decide_flow("branch", results, {"14": [False]}, SHOWN)["status"] == "excluded"
    assert decide_flow("loop", results, {"4": {"price": [5, -1, 1]}}, SHOWN) == {
        "status": "corrected",
        "value": {"4": {"price": LOOPS["4"]["price"]}},
        "reason": "other values",
    }


@pytest.mark.parametrize(
    ("result", "record"),
    [
        ({"relation": "other", "value": 1}, "excluded"),
        ({"relation": "lost", "value": [[]]}, "corrected"),
        ({"relation": "object", "value": "A(b=1)"}, "corrected"),
        ({"relation": "object", "value": "<A object at 0x7f00aa>"}, "excluded"),
        ({"relation": "other", "value": "<f at 0x7f00aa>"}, "excluded"),
        ({"failed": "cannot be rebuilt"}, "excluded"),
    ],
)
def test_only_explained_differences_become_labels(result, record):
    result = {"shown": True, "same_source": True, **result}
    assert decide_output([[result], [result]], reviewed=False)["status"] == record


def test_executions_that_differ_exclude_a_label():
    results = [[{"relation": "lost", "value": value, "shown": True, "same_source": True}] for value in (1, 2)]
    assert decide_output(results, reviewed=False)["reason"] == "two executions differ"


def test_the_runner_needs_the_standard_library_only():
    command = "import sys, re2_project_runner; print(*[m for m in ('click', 'yaml', 'datasets') if m in sys.modules])"
    path = str(prove_re2_projects.UTILS)
    done = subprocess.run([sys.executable, "-c", command], env={"PYTHONPATH": path}, capture_output=True, text=True)
    assert done.stdout.split() == [], done.stderr
