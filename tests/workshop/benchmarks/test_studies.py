import ast
from collections import Counter

from lm_eval_codemind.studies.re2.asked import PROGRAMS, plain_listing, record_of
from lm_eval_codemind.studies.re2.data import read as read_re2
from lm_eval_codemind.workshop.benchmarks.reval import read_programs


def test_programs_inputs_and_questions_of_reval(upstream):
    programs = read_programs(upstream)
    assert Counter(program.benchmark for program in programs) == {"humaneval": 85, "classeval": 69}
    for name, inputs, questions in (("humaneval", 396, 1157), ("classeval", 294, 1995)):
        of_benchmark = [run_input for program in programs if program.benchmark == name for run_input in program.inputs]
        assert len(of_benchmark) == inputs
        assert sum(len(run_input.questions) for run_input in of_benchmark) == questions
    assert sum(any(run_input.set_up for run_input in program.inputs) for program in programs) == 12
    function = programs[0].inputs[1]
    assert function.expression == function.shown == "has_close_elements([1.0, 2.0, 3.9, 4.0, 5.0, 2.2], 0.05)"
    assert (function.masked, function.expected) == (f"assert {function.expression} == ??", "False")
    test = programs[86].inputs[1]
    assert test.expression == "_codemind_test.test_get_argument_1()" and test.set_up == "self.parser = ArgumentParser()"
    assert test.before.endswith("ArgumentParserTestGetArgument('test_get_argument_1')\n_codemind_test.setUp()\n")
    assert [(each["line"], each["variable"]) for each in test.questions][:2] == [(35, "self.types[arg]"), (8, "args")]


def test_problems_of_re2_bench_by_task_difficulty_and_source(upstream):
    problems = {problem.problem_id: problem for problem in read_re2(upstream)}
    records = {name: record_of(problem.upstream_questions) for name, problem in problems.items()}
    values = Counter((record["difficulty"], record["source"]) for record in records.values() if "values" in record)
    assert values["easy", "HumanEval"] == values["easy", "ClassEval"] == 43 and values["easy", "Avatar"] == 34
    assert values["easy", "CRUXEval"] == 44 and values["difficult", "Real"] == 157
    assert sum(values.values()) == 500
    # Two files of inputs and outputs are missing upstream, and three files of loops and one of branches.
    missing = {task: sum(task in x and (x[task] or {}).get("label", x[task]) is None for x in records.values())
               for task in ("values", "loop", "branch")}  # fmt: skip
    assert missing == {"values": 2, "loop": 3, "branch": 1}
    for task in ("loop", "branch"):
        assert sum(task in record for record in records.values()) == 200
    for name, record in records.items():
        if record["source"] in PROGRAMS.values():
            ast.parse(problems[name].code)
    problem = problems["HumanEval_24"]
    record = record_of(problem.upstream_questions)
    # Upstream's label is about line 9, where the listing that it asks about has five lines.
    assert record["loop"]["label"] == {"9": {"i": [2], "reversed(range(n))": [[2, 1, 0]]}}
    assert record["loop"]["code"].split("\n")[2].startswith("3     for i in reversed(range(n)):## [STATE]i=??[/STATE]")
    assert problem.entry_point == "largest_divisor"
    script = problems["codeforces_99_A"]
    assert (script.kind, script.entry_point) == ("script", "")
    # A number that the program reads as text.
    assert record_of(script.upstream_questions)["values"] == {"inputs": 2.4, "return": 2}


def test_a_listing_without_numbers_and_marks():
    listing = "1 def f(x):\n2 \n3     while x: ## [STATE]x=??[/STATE]\n4         x -= 1## [BRANCH]taken=??[/BRANCH]"
    assert plain_listing(listing) == "def f(x):\n\n    while x:\n        x -= 1\n"
