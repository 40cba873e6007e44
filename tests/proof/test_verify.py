"""Labels of a benchmark's own are executed like proven ones: a wrong one is named."""

from click.testing import CliRunner

from lm_eval_codemind.cli import main
from lm_eval_codemind.data.benchmarks import Upstream
from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.proof.verify import verifiable, verify_benchmark


def read(upstream: Upstream) -> list[Problem]:
    code = "def f(x):\n    return x + 1\n"
    outputs = (("right", "3"), ("wrong", "4"))
    return [Problem(name, "made", "function", "python", code, "f", "f(2)", output) for name, output in outputs]


def test_a_wrong_label_and_a_language_without_a_prover_are_named(register_benchmark, tmp_path):
    register_benchmark(Benchmark("made", "Made", "function", 2, read, labels="own"))
    assert "made" in verifiable() and "sample" in verifiable()
    differences = verify_benchmark("made", Upstream(tmp_path))
    assert list(differences) == ["wrong"] and "output='3'" in differences["wrong"]
    register_benchmark(Benchmark("sample", "Made", "function", 2, read, labels="own", language="nope"))
    arguments = ["data", "verify", "--benchmark", "sample", "--upstream", str(tmp_path)]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1 and "there is no language 'nope'" in result.output
