import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.harness.recordings import read_recordings
from lm_eval_codemind.harness.reply import Reply

QUESTION = {"benchmark": "humaneval", "problem_id": "HumanEval_0"}
ROW = {**QUESTION, "response": "a"}


def write(path: Path, rows: list[Any], zipped: bool = False) -> Path:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
    return path


@pytest.mark.parametrize("zipped", [False, True])
def test_rows(tmp_path, zipped):
    rows = [ROW, {**ROW, "response": "b"}, {**ROW, "problem_id": "x", "response": None, "model": "m"}]
    rows += [{**QUESTION, "responses": ["c", None]}, {**ROW, "setting": "with_test", "response": "d"}]
    recordings = read_recordings([write(tmp_path / "r", rows, zipped)])
    assert recordings.find(QUESTION) == ["a", "b", "c", ""] == recordings.find({**QUESTION, "setting": None})
    assert recordings.find({**QUESTION, "benchmark": "published_humaneval"}) == ["a", "b", "c", ""]
    assert recordings.find({**QUESTION, "setting": "no_test"}) == ["a", "b", "c", ""]
    assert recordings.find({**QUESTION, "setting": "with_test"}) == ["d"]
    assert recordings.find({**QUESTION, "problem_id": "x"}) == [""]
    assert recordings.find({"benchmark": "cruxeval", "problem_id": "x"}) == [] and recordings.models == {"m"}
    with pytest.raises(FileNotFoundError):
        read_recordings([tmp_path / "none"])


def test_sample_files_hold_each_response_once_and_those_of_evalplus_are_read(tmp_path):
    line = {"doc_id": 0, "doc": {**ROW, "setting": "steps"}, "resps": [["one", None]], "filter": "strict-match"}
    path = write(tmp_path / "samples.jsonl", [line, {**line, "filter": "flexible-extract"}])
    # A logged null is an empty response.
    assert read_recordings([path]).find({**ROW, "setting": "steps"}) == ["one", ""]
    assert read_recordings([path, path]).find({**ROW, "setting": "steps"}) == ["one", ""] * 2
    rows = [{"task_id": "HumanEval/7", "solution": text} for text in ("a", "b")]
    rows.append({"task_id": "Mbpp/2", "solution": "c"})
    recordings = read_recordings([write(tmp_path / "samples.jsonl", rows)])
    document = {"benchmark": "humaneval", "problem_id": "HumanEval_7", "setting": "no_test"}
    assert recordings.find(document) == ["a", "b"]
    assert recordings.find({**document, "setting": "with_test"}) == []
    assert recordings.find({"benchmark": "mbpp", "problem_id": "MBPP_2", "setting": "no_test"}) == ["c"]


DATE = "2026-01-31T12-00-00.000001"
LOGGED = {"doc_id": 0, "doc": {**ROW, "setting": "steps"}, "filter": "strict-match"}


def logged(folder: Path, model: str, response: str, failed: int = 0, prompt: str = "p") -> Path:
    """Write a file of samples with its results beside it, as the harness does."""
    folder.mkdir()
    suite = {"family": "ier", "readings": {"responses": 9, "failed": failed}}
    results = {"model_name": model, "configs": {"mine": {"metadata": {"suite": suite}}}}
    (folder / f"results_{DATE}.json").write_text(json.dumps({"results": {}, **results}))
    row = {**LOGGED, "resps": [[response]], "arguments": {"gen_args_0": {"arg_0": prompt}}}
    return write(folder / f"samples_mine_{DATE}.jsonl", [row])


@pytest.mark.parametrize(("first", "second", "fault"), [
    (("a", "x"), ("a", "y"), ""),
    (("a", "", 0), ("a", "x", 2), ""),
    (("a", "x"), ("a", "", 2), "two/samples_.*: 2 requests of this run failed, .*; start the run again with"),
    (("a", "x"), ("b", "x"), r"responses of 2 models \(a, b\); score each model with its own file"),
    (("a", "x"), ("a", "x", 0, "q"), "two/samples_.*: HumanEval_0/steps has responses to several prompts"),
])  # fmt: skip
def test_what_runs_do_not_share_is_a_fault(tmp_path, first, second, fault):
    """One that lost requests, one of another model, and one with other prompts; they are read for `codemind verify`."""
    files = [logged(tmp_path / name, *run) for name, run in (("one", first), ("two", second))]
    recordings = read_recordings(files)
    assert recordings.find({**ROW, "setting": "steps"}) == [first[1], second[1]]
    if not fault:
        recordings.require_scorable()
        return
    with pytest.raises(UserError, match=fault):
        recordings.require_scorable()


def test_rows_of_two_models_are_a_fault(tmp_path):
    path = write(tmp_path / "r", [{**ROW, "model": name} for name in "ab"])
    with pytest.raises(UserError, match=r"/r: responses of 2 models \(a, b\)"):
        read_recordings([path]).require_scorable()


@pytest.mark.parametrize("content", [
    *(b"", b"\n\n", b"no json\n", b"[1]\n", b'"text"\n', b"\x1f\x8bnot gzip", b"\xff\xfe\n"),
    b'{"benchmark": "x", "problem_id": "y"}\n', b'{"problem_id": "y"}\n',
    b'{"doc": {"problem_id": "y"}, "resps": []}\n',
    b'{"benchmark": "x", "problem_id": "y", "response": [{"type": "text", "text": "a"}]}\n',
    b'{"benchmark": "x", "problem_id": "y", "responses": "a"}\n',
    b'{"benchmark": "x", "problem_id": "y", "responses": ["a", 1]}\n',
    b'{"doc": {"benchmark": "x", "problem_id": "y"}, "resps": [[["a"]]]}\n',
    b'{"task_id": "HumanEval/0", "completion": "    return 1"}\n',
    b'{"task_id": "BigCodeBench/0", "solution": "def f(): pass"}\n', b'{"sample_0": ["a"], "sample_1": "a"}',
    b'{"sample_0": ["a"], "sample_1": [1]}', b'[{"id": "sample_0"}]',
    gzip.compress(json.dumps(ROW).encode() * 1000, mtime=0)[:40],
])  # fmt: skip
def test_faults_are_named(tmp_path, content):
    path = tmp_path / "recorded"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="recorded"):
        read_recordings([path], benchmark="cruxeval")


def test_lone_surrogates_are_replaced_and_counted(tmp_path):
    path = tmp_path / "r"
    path.write_text(json.dumps({**ROW, "response": "smile \ud83d, \U0001f600"}))
    (response,) = read_recordings([path]).find(ROW)
    assert isinstance(response, Reply) and (response, response.replaced) == ("smile \ufffd, \U0001f600", 1)
    copy = pickle.loads(pickle.dumps(response))
    assert (copy, copy.replaced, copy.failed) == (response, 1, False)


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("content", [
    {"sample_0": ["a", "b"], "sample_7": ["c"]},
    [{"id": "sample_0", "code": "x", "output_list": ["a", "b"]}, {"id": "sample_7", "output_list": ["c"]}],
])  # fmt: skip
def test_files_of_one_value(tmp_path, content, indent, zipped):
    text = json.dumps(content, indent=indent).encode()
    path = tmp_path / "generations.json"
    path.write_bytes(gzip.compress(text) if zipped else text)
    recordings = read_recordings([path], benchmark="cruxeval")
    assert recordings.find({"benchmark": "cruxeval", "problem_id": "sample_0", "setting": "steps"}) == ["a", "b"]
    assert recordings.find({"benchmark": "cruxeval", "problem_id": "sample_7"}) == ["c"]
    with pytest.raises(ValueError, match=r"generations\.json does not say of which benchmark .* --tasks"):
        read_recordings([path])
