"""The first table of README: each task's cost and the width of its interval."""

import re
from pathlib import Path

import pytest

from lm_eval_codemind.statistics import proportion
from tables import published_requests

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(codemind_\w+)` \| .* \| ([\d,]+) \| ± ([\d.]+) points \((.*)\) \|$", README, re.MULTILINE)
# Short form in back-ticks -> the questions of its task, and half the width of its interval.
SHORT = {
    f"`{name}`": (questions, width)
    for name, questions, width in re.findall(
        r"^\| `(codemind_\w+_short)` \| ([\d,]+) \| ± ([\d.]+) points", README, re.MULTILINE
    )
}


def test_there_are_five_tasks():
    assert len(ROWS) == 5


@pytest.mark.parametrize(("task", "requests", "width", "about"), ROWS)
def test_requests_and_intervals(task, requests, width, about):
    assert requests == published_requests().get(task, requests)
    if about in SHORT:
        assert width == SHORT[about][1]
        return
    problems = re.match(r"([\d,]+) problems", about)
    if problems:
        n = int(problems[1].replace(",", ""))
        interval = proportion(n // 2, n)
        assert width == f"{50 * (interval.high - interval.low):.1f}"
    else:
        # Standard errors of questions that belong together are in the README of the family.
        page = (ROOT / "tasks" / "runtime" / "README.md").read_text(encoding="utf-8")
        (errors,) = re.findall(rf"^\| `{task}` \| {about} \|(.*)\|$", page, re.MULTILINE)
        assert int(width) == round(1.96 * float(errors.split("|")[1].split(",")[0]))


def test_readme_and_site_begin_with_the_same_commands():
    pages = [README, (ROOT / "docs" / "index.md").read_text(encoding="utf-8")]
    first = [re.findall(r"^```bash\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[0] for page in pages]
    assert first[0] == first[1] and "pip install '.[hf]'" in first[0] and "codemind_first" in first[0]
