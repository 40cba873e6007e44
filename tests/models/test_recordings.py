import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.models.recordings import read_recordings

ROW = {"benchmark": "humaneval", "problem_id": "HumanEval_0", "response": "a"}


def write(path: Path, rows: list[Any], zipped: bool = False) -> Path:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
    return path


@pytest.mark.parametrize("zipped", [False, True])
def test_rows(tmp_path: Path, zipped: bool) -> None:
    rows = [ROW, {**ROW, "response": "b"}, {**ROW, "problem_id": "x", "response": None, "model": "m"}]
    recordings = read_recordings([write(tmp_path / "r", rows, zipped)])
    assert recordings.find({"benchmark": "humaneval", "problem_id": "HumanEval_0"}) == ["a", "b"]
    assert recordings.find({"benchmark": "published_humaneval", "problem_id": "HumanEval_0"}) == ["a", "b"]
    assert recordings.find({"benchmark": "humaneval", "problem_id": "x"}) == [""]
    assert recordings.find({"benchmark": "cruxeval", "problem_id": "x"}) == []
    assert recordings.models == {"m"}


def test_settings(tmp_path: Path) -> None:
    rows = [ROW, {**ROW, "setting": "with_test", "response": "b"}]
    recordings = read_recordings([write(tmp_path / "r", rows)])
    document = {"benchmark": "humaneval", "problem_id": "HumanEval_0"}
    assert recordings.find({**document, "setting": "with_test"}) == ["b"]
    assert recordings.find({**document, "setting": "no_test"}) == ["a"]
    assert recordings.find({**document, "setting": None}) == ["a"]


def test_sample_files_hold_each_response_once(tmp_path: Path) -> None:
    line = {"doc_id": 0, "doc": {**ROW, "setting": "steps"}, "resps": [["one", "two"]], "filter": "strict-match"}
    path = write(tmp_path / "samples.jsonl", [line, {**line, "filter": "flexible-extract"}])
    assert read_recordings([path]).find({**ROW, "setting": "steps"}) == ["one", "two"]
    assert read_recordings([path, path]).find({**ROW, "setting": "steps"}) == ["one", "two"] * 2


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"no json\n",
        b"[1]\n",
        b'{"benchmark": "x", "problem_id": "y"}\n',
        b'{"problem_id": "y"}\n',
        b'{"doc": {"problem_id": "y"}, "resps": []}\n',
        b'"text"\n',
        b"\x1f\x8bnot gzip",
        b"\xff\xfe\n",
        gzip.compress(json.dumps(ROW).encode() * 1000, mtime=0)[:40],
    ],
)
def test_faults_are_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "recorded"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="recorded"):
        read_recordings([path])


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_recordings([tmp_path / "none"])
