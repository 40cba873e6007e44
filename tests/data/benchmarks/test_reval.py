from collections import Counter

import pytest

from lm_eval_codemind.data.benchmarks import Upstream
from lm_eval_codemind.data.benchmarks.reval import TracedProgram, read_programs


@pytest.fixture(scope="module")
def programs(upstream: Upstream) -> list[TracedProgram]:
    return read_programs(upstream)


def test_programs_inputs_and_questions(programs: list[TracedProgram]) -> None:
    assert Counter(program.benchmark for program in programs) == {"humaneval": 85, "classeval": 69}
    for name, inputs, questions in (("humaneval", 396, 1157), ("classeval", 294, 1995)):
        of_benchmark = [run_input for program in programs if program.benchmark == name for run_input in program.inputs]
        assert len(of_benchmark) == inputs
        assert sum(len(run_input.questions) for run_input in of_benchmark) == questions
    assert sum(any(run_input.set_up for run_input in program.inputs) for program in programs) == 12


def test_what_one_input_of_each_kind_is(programs: list[TracedProgram]) -> None:
    function = programs[0].inputs[1]
    assert function.expression == function.shown == "has_close_elements([1.0, 2.0, 3.9, 4.0, 5.0, 2.2], 0.05)"
    assert (function.masked, function.expected) == (f"assert {function.expression} == ??", "False")
    test = programs[86].inputs[1]
    assert test.expression == "_codemind_test.test_get_argument_1()" and test.set_up == "self.parser = ArgumentParser()"
    assert test.before.endswith("ArgumentParserTestGetArgument('test_get_argument_1')\n_codemind_test.setUp()\n")
    assert [(each["line"], each["variable"]) for each in test.questions][:2] == [(35, "self.types[arg]"), (8, "args")]
