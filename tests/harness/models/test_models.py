import configparser
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lm_eval.api.instance import Instance
from lm_eval.api.registry import get_model

from lm_eval_codemind.harness.models import MODELS, register
from lm_eval_codemind.harness.reply import SKIPPED
from tests.run_files import write_rows

DOCUMENT = {"benchmark": "sample", "problem_id": "p", "target": "perfect"}


def request(document: dict[str, Any] = DOCUMENT, doc_id: int = 0) -> Instance:
    return Instance("generate_until", document, ("prompt", {}), 0, metadata=("task", doc_id, 1))


@pytest.fixture(autouse=True)
def _registered() -> None:
    register()
    register()


def responses(tmp_path: Path, *texts: str) -> str:
    path = tmp_path / "r.jsonl"
    rows = [{"benchmark": "sample", "problem_id": "p", "response": text} for text in texts]
    write_rows(path, rows)
    return str(path)


def test_entry_points_are_declared_and_the_harness_keeps_its_own_models():
    setup = configparser.ConfigParser()
    setup.read(Path(__file__).parents[3] / "setup.cfg")
    lines = setup["options.entry_points"]["lm_eval.models"].strip().splitlines()
    assert dict(line.split(" = ") for line in lines) == MODELS
    code = (
        "from lm_eval_codemind.harness.models import register; register(); from lm_eval.api.registry import get_model; "
        "print(get_model('dummy').__name__, get_model('codemind-null').__name__)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["DummyLM", "NullLM"]


def test_oracle_and_null():
    oracle = get_model("codemind-oracle").create_from_arg_string("", {"batch_size": 1, "device": None})
    assert oracle.generate_until([request(), request()]) == ["perfect", "perfect"]
    with pytest.raises(ValueError, match="no column 'target'"):
        oracle.generate_until([request({"question": "?"})])
    assert get_model("codemind-null").create_from_arg_obj({}).generate_until([request()]) == [""]


@pytest.mark.parametrize("name", MODELS)
def test_likelihoods_are_refused(name, tmp_path):
    model = get_model(name)(responses=responses(tmp_path, "a"))
    for method in (model.loglikelihood, model.loglikelihood_rolling):
        with pytest.raises(NotImplementedError, match="generates responses only"):
            method([request()])
    assert model.apply_chat_template([{"role": "user", "content": "hi"}]) == "user: hi\nassistant: "


def test_replay_serves_repeats_in_order_and_names_faults(tmp_path):
    model = get_model("codemind-replay")(responses=responses(tmp_path, "a", "b"))
    one = request()
    assert model.generate_until([one, one, request(doc_id=1)]) == ["a", "b", "a"]
    with pytest.raises(ValueError, match=r"2 responses are recorded for p of sample, 3 are needed.*missing=empty"):
        model.generate_until([one])
    with pytest.raises(ValueError, match="choose one of error, empty, skip"):
        get_model("codemind-replay")(responses=responses(tmp_path, "a"), missing="none")
    model = get_model("codemind-replay")(responses=responses(tmp_path, "a"))
    with pytest.raises(ValueError, match="tasks of this suite only"):
        model.generate_until([request({"question": "?"})])


@pytest.mark.parametrize(("missing", "response"), [("empty", ""), ("skip", SKIPPED)])
def test_replay_of_what_is_missing(tmp_path, missing, response):
    model = get_model("codemind-replay")(responses=responses(tmp_path, "a"), missing=missing)
    assert model.generate_until([request({**DOCUMENT, "problem_id": "q"})]) == [response]
