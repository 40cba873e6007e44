"""``codemind data`` on archives, on wrong labels and on what is not there; ``codemind run`` without a network."""

import pytest
import requests

from errata import FOLDER, PAGE, filled, lists
from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.data.manifest import DATA_VARIABLE, released_digests
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.benchmarks import Upstream
from lm_eval_codemind.workshop.proof.verify import verifiable, verify_benchmark
from tests.cli import refused, said


def test_build_then_info(shared_data, tmp_path):
    place = ("--output_path", tmp_path)
    built = said("data", "build", "--benchmark", "mbpp", "--upstream", shared_data / "upstream", *place)
    assert f"427 problems, sha256 {released_digests()['mbpp']}" in built
    shown = said("data", "info", *place)
    assert "mbpp: 427 problems (427 confirmed); as released" in shown
    assert "Intelligent-CAT-Lab/CodeMind@d55bbc18be" in shown
    assert "humaneval: not built (`codemind data build --benchmark humaneval`)" in shown
    (tmp_path / "mbpp.jsonl").write_text("")
    assert "mbpp: 427 problems (427 confirmed); damaged or outdated" in said("data", "info", *place)


def test_errata_needs_built_data(tmp_path):
    with pytest.raises(SystemExit, match="not built: humaneval, cruxeval, classeval, avatar, "):
        lists(tmp_path)


def test_the_errata_are_the_generated_ones(built_data):
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page, built_data) == page, "run utils/release/errata.py"
    written = {file.name: file.read_bytes().decode("utf-8") for file in FOLDER.iterdir()}
    assert written == lists(built_data), "run utils/release/errata.py"


def test_a_directory_that_is_not_there_is_named(tmp_path):
    message = refused("data", "build", "--upstream", tmp_path / "nope", "--output_path", tmp_path)
    assert "nope: no such directory; --upstream wants one with upstream's checkouts or archives" in message


def test_without_a_network_the_message_stands_alone(tmp_path, monkeypatch):
    def unreachable(*_: object, **__: object) -> None:
        raise requests.ConnectionError("the network is unreachable")

    monkeypatch.setattr(requests, "get", unreachable)
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path))
    message = refused("run", "--model", "codemind-oracle", "--tasks", "codemind_ier_humaneval", "--limit", "1")
    assert "Error: cannot download https://github.com/" in message
    assert "(the network is unreachable). Run `codemind data build` again" in message


def read(upstream: Upstream) -> list[Problem]:
    code = "def f(x):\n    return x + 1\n"
    outputs = (("right", "3"), ("wrong", "4"))
    return [Problem(name, "made", "function", "python", code, "f", "f(2)", output) for name, output in outputs]


def test_a_wrong_label_and_a_language_without_a_prover_are_named(register_benchmark, tmp_path):
    register_benchmark(Benchmark("made", "Made", "function", 2, read, labels="own"))
    assert "made" in verifiable() and "sample" in verifiable()
    differences = verify_benchmark("made", Upstream(tmp_path))
    assert list(differences) == ["wrong"] and "output='3'" in differences["wrong"]
    register_benchmark(Benchmark("made", "Made", "function", 2, read, labels="own", language="nope"))
    with pytest.raises(UserError, match="there is no language 'nope'"):
        verify_benchmark("made", Upstream(tmp_path))
