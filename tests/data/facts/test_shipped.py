"""What is shipped has the form in which it is written: made again from its content, each file is the same."""

import gzip
import json
from pathlib import Path

import pytest

from lm_eval_codemind.data.facts import shipped
from ship import save

# Benchmark or program -> problem or input -> record; in the other files the records lie at the first level.
LEVELS = {
    **dict.fromkeys(("buggy_outputs", "bug_lines", "fixed_programs", "loop_lengths", "revealing_tests"), 2),
    **dict.fromkeys(("asked_otherwise", "sr_exceptions", "suites"), 2),
}
FILES = sorted(path.relative_to(shipped.FOLDER) for path in shipped.FOLDER.rglob("*.json"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    shipped.load.cache_clear()
    return tmp_path


@pytest.mark.parametrize("file", FILES, ids=str)
def test_a_file_is_made_again_from_its_content(file, tmp_path, monkeypatch):
    content = (shipped.FOLDER / file).read_bytes()
    monkeypatch.setattr(shipped, "FOLDER", tmp_path)
    written = save(file.name, json.loads(content), LEVELS.get(file.stem, 1))
    assert written.read_bytes() == content


@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
def test_what_is_saved_is_loaded(folder, name):
    assert shipped.load(name) == {}
    records = {"one": {"text": "é\n"}, "two": {}}
    save(name, records)
    assert shipped.load(name) == records and list(shipped.load(name)) == ["one", "two"]


@pytest.mark.parametrize(("name", "content"), [
    ("a.json", b"{"), ("a.json", b"[]"), ("a.json.gz", b"{}"), ("a.json.gz", gzip.compress(b"{", mtime=0)),
])  # fmt: skip
def test_a_damaged_file_is_named(folder, name, content):
    (folder / name).write_bytes(content)
    with pytest.raises(ValueError, match=rf"{name}: not .*install lm-eval-codemind again"):
        shipped.load(name)
