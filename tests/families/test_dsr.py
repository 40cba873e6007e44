import dataclasses
from typing import Any

import pytest

from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.families.dsr import task as dsr
from lm_eval_codemind.family import beyond_constants
from lm_eval_codemind.harness import journal
from lm_eval_codemind.harness.templates import Templates
from lm_eval_codemind.languages.python import PYTHON
from lm_eval_codemind.languages.python.complexity import lines_of_code
from lm_eval_codemind.problems import Case, Problem
from lm_eval_codemind.questions import Answer
from tests.workshop.transforms.behaviour import observe


@pytest.fixture(scope="module")
def documents() -> dict[str, dict[str, Any]]:
    return {row["problem_id"]: row for row in dsr.dataset(benchmark="sample")["test"]}


def first(documents: dict[str, dict[str, Any]], kind: str) -> dict[str, Any]:
    """Return the first document about a program of a kind."""
    return next(row for row in documents.values() if row["kind"] == kind)


def score(document: dict[str, Any], *responses: str) -> dict[str, float]:
    answers = dsr.extract_code([list(responses)], [document])
    return dsr.process_results(document, answers)


def fenced(code: str) -> str:
    return f"```python\n{code}\n```"


@pytest.mark.proof
def test_the_original_gets_everything_and_what_was_shown_nothing(documents):
    assert all(row["loc"] < row["loc_transformed"] and row["transformations"] for row in documents.values())
    rows = [*documents.values()][::3]
    responses = [[row["target"], f"Here it is.\n\n{fenced(row['transformed'])}\n"] for row in rows]
    for row, (right, echo) in zip(rows, dsr.extract_code(responses, rows), strict=True):
        assert dsr.process_results(row, [[right]])["r_dsr"] == 1
        assert right.details["loc"] == row["loc"] and Answer.from_json(str(right)) == right
        original = {line.strip() for line in row["code"].splitlines()}
        assert {line.strip() for line in right.text.splitlines()} <= original
        metrics = dsr.process_results(row, [[echo]])
        assert (metrics["r_dsr"], metrics["pass@1"], metrics["shorter"]) == (0, 1, 0)
        assert 0 < metrics["similarity"] < 1 and echo.details["loc"] == row["loc_transformed"]


def test_what_fails_or_breaks_gets_nothing_and_several_responses_a_share(documents):
    document = first(documents, "function")
    wrong = f"def {document['entry_point']}(*args, **kwargs):\n    return None\n"
    for response in (fenced(wrong), fenced("def broken(:"), "I don't know.", ""):
        values = score(document, response)
        assert (values["r_dsr"], values["pass@1"], values["shorter"]) == (0, 0, 0)
    # Most C+ import large packages, which takes seconds. This one imports nothing.
    document = documents["Sample_continued_fraction"]
    values = score(document, document["target"], "", fenced(document["transformed"]), "")
    assert values["pass@1"] == 0.5 and values["pass@2"] == pytest.approx(1 - 1 / 6)
    assert values["r_dsr"] == 0.25 and values["code_found"] == 0.5


@pytest.mark.proof
def test_of_a_buggy_program_the_bug_is_to_be_kept():
    correct = {problem.problem_id: problem for problem in load_benchmark("sample_bugs")}
    for row in dsr.dataset(benchmark="sample_bugs_buggy")["test"]:
        fixed = correct[row["problem_id"]]
        assert row["test"] in row["prompt"] and row["code"] not in row["prompt"]
        # The call that reveals the bug, with what the buggy program returns.
        assert row["test"] != fixed.hint_test.strip() and row["test"].startswith(f"assert {fixed.input} == ")
        same, repaired, shown = (score(row, fenced(code)) for code in (row["code"], fixed.code, row["transformed"]))
        assert (same["r_dsr"], same["pass@1"]) == (1, 1), row["problem_id"]
        assert (repaired["r_dsr"], repaired["pass@1"]) == (0, 0), row["problem_id"]
        assert (shown["r_dsr"], shown["pass@1"]) == (0, 1), row["problem_id"]


def test_a_line_of_semicolons_gains_nothing(documents):
    document = next(row for row in documents.values() if row["kind"] == "script" and "for " in row["code"])
    padded = document["code"].rstrip() + "\nx = 1; y = 2; z = 3; " + "; ".join(f"x = {n}" for n in range(20))
    spread = document["code"].rstrip() + "\nx = 1\ny = 2\nz = 3\n" + "\n".join(f"x = {n}" for n in range(20))
    assert score(document, fenced(padded))["r_dsr"] == score(document, fenced(spread))["r_dsr"] < 1
    commented = "# one\n\n" + document["code"].replace("\n", "  # more\n")
    assert score(document, fenced(commented))["r_dsr"] == 1


def test_code_in_a_text_gains_nothing(documents):
    document = documents["Sample_continued_fraction"]
    name, code = document["entry_point"], document["transformed"]
    for call in (
        "exec({code!r}, names)",
        "getattr(__builtins__, 'exec')({code!r}, names)",
        "eval(compile({code!r}, '', 'exec'), names)",
    ):
        text = call.replace("__builtins__", "__import__('builtins')").format(code=code)
        values = score(
            document, fenced(f"def {name}(*args):\n    names = {{}}\n    {text}\n    return names[{name!r}](*args)\n")
        )
        assert (values["pass@1"], values["shorter"], values["r_dsr"], values["r_dsr_suite"]) == (1, 0, 0, 0)
    # This executes nothing, and what C does C' may do, too.
    compiles = document["target"].rstrip().removesuffix("```") + "\nimport re\nWORD = re.compile('w')\n"
    assert score(document, compiles)["r_dsr"] == 1
    assert not PYTHON.hides_code("eval('1')", "x = eval(input())") and PYTHON.hides_code(
        "exec('1')", "x = eval(input())"
    )


def test_a_helper_class_counts(documents):
    document = first(documents, "method")
    class_name, method = document["entry_point"].split(".")
    whole = document["transformed"].replace(f"class {class_name}", "class Helper")
    code = f"class {class_name}:\n    def {method}(self, *args):\n        return Helper.{method}(self, *args)\n"
    values = score(document, fenced(f"{whole}\n\n{code}"))
    assert (values["pass@1"], values["r_dsr"]) == (1, 0)


def test_an_unfinished_definition_is_found_and_never_runs(documents, monkeypatch):
    submitted: list[Any] = []
    monkeypatch.setattr(journal, "submit", submitted.append)
    for kind in ("function", "method"):
        document = first(documents, kind)
        response = f"```python\n{document['answer'].rstrip()}\n    return 2 +"
        ((answer,),) = dsr.extract_code([[response]], [document])
        assert answer.outcome["status"] == "unfinished" and "return 2 +" in answer.text
        values = dsr.process_results(document, [[answer]])
        assert values["code_found"] == 1 and (values["pass@1"], values["r_dsr"], values["shorter"]) == (0, 0, 0)
    assert submitted == []


def test_one_method_counts_and_is_validated_in_its_class(documents):
    document = first(documents, "method")
    class_name, method = document["entry_point"].split(".")
    assert document["loc"] < lines_of_code(document["code"])
    # A class whose other methods are gone is not a shortcut. They come from the program that was shown. Here that is C,
    # for C+ imports large packages.
    document = {**document, "transformed": document["code"]}
    gutted = f"class {class_name}:\n    def {method}(self, *args):\n        return 'wrong'\n"
    assert score(document, fenced(gutted))["pass@1"] == 0


def test_prompts_show_the_program_and_a_test(documents):
    problems = {problem.problem_id: problem for problem in load_benchmark("sample")}
    assert documents.keys() == problems.keys()
    for name, row in documents.items():
        assert row["transformed"].strip() in row["prompt"] and row["test"].strip() in row["prompt"]
        assert row["transformed"] == problems[name].transformed
        assert row["prompt"].startswith("### Problem") and row["prompt"].endswith("### Answer")


@pytest.mark.proof
def test_a_fresh_set_is_made_and_recorded(documents):
    suite: dict[str, Any] = {}
    # On the command line, the seed is a text.
    fresh = {row["problem_id"]: row for row in dsr.dataset(benchmark="sample", transform_seed="5", suite=suite)["test"]}
    assert suite["transform_seed"] == 5 and fresh.keys() == documents.keys()
    assert all(fresh[name]["transformed"] != documents[name]["transformed"] for name in fresh)


def test_what_cannot_be_made_shorter_is_left_out_and_mistakes_are_named(monkeypatch):
    problems = load_benchmark("sample")
    same = dataclasses.replace(problems[0], transformed=problems[0].code)
    monkeypatch.setattr(dsr, "load_benchmark", lambda name, witnesses: [same, *problems[1:]])
    suite: dict[str, Any] = {}
    rows = dsr.dataset(benchmark="sample", suite=suite)["test"]
    assert [row["problem_id"] for row in rows] == [problem.problem_id for problem in problems[1:]]
    assert suite["questions"] == len(rows)
    with pytest.raises(ValueError, match="transform_seed is 'x', and must be a whole number"):
        dsr.dataset(benchmark="sample", transform_seed="x")
    monkeypatch.setattr(dsr, "load_benchmark", lambda name, witnesses: [])
    with pytest.raises(ValueError, match="codemind data build --benchmark sample"):
        dsr.dataset(benchmark="sample")


def test_problems_that_the_shown_output_solves_are_left_out():
    told = Problem("told", "mine", "function", "python", "", "f", "f(2)", "[1]", tests="assert f(2) == [1]\n")
    told = dataclasses.replace(told, witnesses=(Case("f(3)", "[1]"), Case("f(4)", "[]")))
    constant = dataclasses.replace(told, problem_id="constant", witnesses=told.witnesses[:1])
    unknown = dataclasses.replace(told, problem_id="unknown", witnesses=())
    suite = dataclasses.replace(unknown, problem_id="suite", tests="assert f(2) == [1]\nassert f(3) == [1]\n")
    script = Problem(
        "script", "mine", "script", "python", "", "", "2", "1", cases=(Case("2", "1\n"), Case("3", "1 \n"))
    )
    printed = dataclasses.replace(script, problem_id="printed", witnesses=(Case("4", "2\n"),))
    problems = [told, constant, unknown, suite, script, printed]
    assert [problem.problem_id for problem in beyond_constants(problems)] == ["told", "suite", "printed"]
    # Nobody has looked for witnesses.
    assert beyond_constants([unknown, script]) == [unknown, script]


# A string with a line at column 0; the class it stands in is indented by four spaces.
STRING = "\nat column 0\n  and not\n\x0c\n"
COLUMN_0 = f"class {{owner}}:\n    def {{name}}(self, *args):\n        text = '''{STRING}'''\n        return text\n"


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_string_with_a_line_at_column_0_takes_one_line(line_end, documents):
    document = first(documents, "method")
    owner, name = document["entry_point"].split(".")
    response = fenced(COLUMN_0.format(owner=owner, name=name)).replace("\n", line_end)
    ((answer,),) = dsr.extract_code([[response]], [document])
    assert answer.details["loc"] == 3
    namespace: dict[str, Any] = {}
    exec(answer.text, namespace)
    assert namespace[name](None) == STRING


@pytest.mark.parametrize("body", [
    "        return " + " + ".join(["1"] * 2000),
    "        raise ValueError(" + " + ".join(["1"] * 2000) + ")", "        return LONG",
    "\n".join([*(" " * (8 + level) + "if args:" for level in range(98)), " " * 106 + "return 1"]),
], ids=["a long sum", "a long sum raised", "a long sum next to it", "98 levels"])  # fmt: skip
@pytest.mark.proof
def test_programs_nested_as_deeply_as_python_allows_end_no_run(body, documents):
    document = first(documents, "method")
    owner, name = document["entry_point"].split(".")
    method = f"    def {name}(self, *args):\n{body}\n"
    aside = "LONG = " + " + ".join(["1"] * 2000) + "\n"
    for code in (f"{aside}class {owner}:\n{method}", aside + "\n".join(line[4:] for line in method.split("\n"))):
        values = score(document, fenced(code))
        assert (values["pass@1"], values["r_dsr"]) == (0, 0)


EXAMPLES = Templates(dsr.DSR.templates).examples()


@pytest.mark.proof
@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_worked_examples_are_equivalent(kind):
    example = EXAMPLES[kind]
    code, calls, stdin = example["code"], [], ""
    if kind == "function":
        calls = ["longest_run([1, 1, 2, 2, 2, 3])", "longest_run([])", "longest_run('aab')", "longest_run(3)"]
    elif kind == "script":
        stdin = example["test"].split("Input:\n")[1].split("Output:")[0]
    else:
        rest = "\n".join(example["transformed"].split("class Basket:\n")[1].splitlines()[:6])
        code = code.replace("class Basket:\n", f"class Basket:\n{rest}\n\n")
        made = "(lambda b: [b.put('a', 7), b.put('b', 8), b.total(), b.total(3), b.total(1)])"
        calls = [f"{made}(Basket({limit}))" for limit in (3, 15, 20)]
    assert observe(example["transformed"], calls, stdin) == observe(code, calls, stdin)
    assert lines_of_code(example["transformed"]) > lines_of_code(code) + 20
