"""The code on the page that walks from YAML to numbers is the code of the files that it names."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "walks.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r'^```\w+ title="(?P<file>[^"]+)"\n(?P<code>.*?)^```$', re.MULTILINE | re.DOTALL)


def test_the_code_is_that_of_the_files() -> None:
    blocks = [match.groupdict() for match in _BLOCK.finditer(PAGE)]
    assert len(blocks) >= 18
    for block in blocks:
        folder = ROOT if block["file"].startswith("tasks/") else ROOT / "lm_eval_codemind"
        assert block["code"] in (folder / block["file"]).read_text(encoding="utf-8"), block


def test_files_that_are_named_exist() -> None:
    names = re.findall(r"`((?:tasks|families|answers|languages|data)/[\w./]+)`", PAGE)
    assert len(names) >= 8
    for name in names:
        assert (ROOT / name).exists() or (ROOT / "lm_eval_codemind" / name).exists(), name


def test_each_walk_is_short() -> None:
    walks = PAGE.split("\n## ")[1:]
    assert len(walks) == 3
    assert all(walk.count("\n") < 80 for walk in walks)
