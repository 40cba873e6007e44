"""The readers on upstream's real files."""

import ast
import re

import pytest

from lm_eval_codemind.data.catalogue import get_benchmark
from lm_eval_codemind.families.ier.score import same_text
from lm_eval_codemind.languages.python.names import definition
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.workshop.benchmarks import Upstream, classeval, humaneval
from lm_eval_codemind.workshop.benchmarks.specifications import signature
from tests.run_files import read_rows

# As many problems as the paper says.
READERS = {"humaneval": 164, "cruxeval": 800, "classeval": 400, "avatar": 86}


@pytest.fixture(scope="module")
def problems(upstream: Upstream) -> dict[str, dict[str, Problem]]:
    return {name: {problem.problem_id: problem for problem in get_benchmark(name).read(upstream)} for name in READERS}


@pytest.mark.parametrize("name", READERS)
def test_programs_inputs_and_suites_are_python(problems, name):
    assert len(problems[name]) == get_benchmark(name).size == READERS[name]
    for problem in problems[name].values():
        ast.parse(problem.code)
        ast.parse(problem.tests)
        if problem.kind == "function":
            ast.parse(problem.input, mode="eval")
            assert re.search(rf"\b{problem.entry_point}\(", problem.input), problem.problem_id
        elif problem.kind == "method":
            assert isinstance(ast.parse(problem.input).body[-1], ast.FunctionDef)
        else:
            assert problem.cases


def test_programs_of_humaneval_and_cruxeval_are_upstreams(upstream, problems):
    def is_text(node: ast.stmt) -> bool:
        return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)

    def bare(source: str) -> str:
        tree = ast.parse(source)
        for node in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            node.body = [child for child in node.body if not is_text(child)]
        return ast.dump(tree)

    for record in humaneval.read_records(upstream):
        ours = problems["humaneval"][record["task_id"].replace("/", "_")]
        # No example of an output is shown.
        entry = definition(ast.parse(ours.code), ours.entry_point)
        assert ast.get_docstring(entry) is None and ">>>" not in ours.code
        assert bare(ours.code) == bare(record["prompt"] + record["canonical_solution"])
    for other in get_benchmark("published_cruxeval").read(upstream):
        ours = problems["cruxeval"][other.problem_id]
        assert ast.dump(ast.parse(ours.code)) == ast.dump(ast.parse(other.code))
        assert ast.dump(ast.parse(ours.input)) == ast.dump(ast.parse(other.input.strip()))


def test_classeval_test_methods_show_no_expected_value_and_no_file_of_their_own(upstream, problems):
    written_down = re.compile(r"\bexpected\w* *= *[-\[({'\"\d]")
    shown = {key: problem.input for key, problem in problems["classeval"].items()}
    # The imports that a test method needs come with it.
    imports = "import os\nfrom tempfile import gettempdir\n\n\n"
    assert shown["ClassEval_92@UserLoginDB.insert_user"].startswith(f"{imports}def test(self):")
    assert shown["ClassEval_0@AccessGatewayFilter.filter"].startswith("def test(self):")
    # Its label is not a literal, so that it is excluded.
    assert [key for key, text in shown.items() if written_down.search(text)] == [
        "ClassEval_84@TextFileProcessor.read_file_as_json"
    ]
    assert not any("__file__" in text for text in shown.values())
    assert not any("__file__" in problem.tests for problem in get_benchmark("classeval_methods").read(upstream))
    published = [problem.input for problem in get_benchmark("published_classeval").read(upstream)]
    assert sum(written_down.search(text) is not None for text in published) > 20
    assert sum("__file__" in text for text in published) == 5


@pytest.mark.parametrize("body, label, expected, left", [
    ("wanted = [1]\n    got = f()\n    return got,wanted", "([1], [1])", "got = f()\n    return got", "[1]"),
    ("x = 1\n    return x,f(), g()", "(1, 'a', 2)", "return f(), g()", "('a', 2)"),
    ("self.x = 'a'\n    m = Mock()\n    m.assert_called_with(self.x)\n    return f(m), self.x", "('a', 'a')",
     "m = Mock()\n    return f(m)", "'a'"),
    # Values that the program gets, and values that it may change.
    ("x = [1]\n    return f(x), x", "(1, [1])", None, None),
    ("o = C()\n    o.x = []\n    return o.add(1), o.x", "(1, [1])", None, None),
    ("x = 1\n    return x", "1", None, None), ("x = 1\n    return f(), x", "(<object>, 1)", None, None),
])  # fmt: skip
def test_expected_values_are_cut_from_a_test_method_and_its_label(body, label, expected, left):
    method = f"def test(self):\n    {body}"
    changed = (f"def test(self):\n    {expected}", left)
    assert classeval.without_expected(method, label) == (changed if expected else (method, label))


def test_published_labels_are_those_that_were_recorded(shared_data, upstream):
    labels = {
        (name, problem.problem_id): problem.output or ""
        for name in READERS
        for problem in get_benchmark(f"published_{name}").read(upstream)
    }
    records = read_rows(shared_data / "recorded" / "ier_deepseek-coder-33b-instruct.jsonl.gz")
    assert len(records) == len(labels) == 1448
    for record in records:
        # The recordings have one string with its quotes and the others without.
        label = record["published_label"].strip().strip("'")
        assert same_text(label, labels[record["benchmark"], record["problem_id"]].strip().strip("'"))


def test_every_test_class_that_classeval_names_is_in_its_suite(upstream):
    records = classeval.read_records(upstream)
    names = [name for record in records for name in record["test_classes"]]
    assert len(names) == 502 and "Words2NumbersTestMain" in names
    for record in records:
        defined = {node.name for node in ast.parse(record["test"]).body if isinstance(node, ast.ClassDef)}
        assert {method["test_class"] for method in record["methods_info"]} <= defined, record["task_id"]
        assert set(record["test_classes"]) <= defined, record["task_id"]


@pytest.mark.parametrize("name", ["avatar", "avatar_java"])
def test_texts_of_avatar_have_no_carriage_returns_and_the_published_ones_stay(upstream, name):
    """Upstream's inputs and labels have some, which plain Python hands to a program as a part of its last line."""
    published = {problem.problem_id: problem.input for problem in get_benchmark(f"published_{name}").read(upstream)}
    problems = list(get_benchmark(name).read(upstream))
    for problem in problems:
        cases = [text for case in problem.cases for text in (case.input, case.output)]
        texts = (problem.code, problem.input, problem.published_output or "", *cases)
        assert not any("\r" in text for text in texts), problem.problem_id
    assert sum(problem.input != published[problem.problem_id] for problem in problems) >= 38


def test_classeval_prompts_show_the_program_that_runs(upstream):
    problems = get_benchmark("classeval_methods").read(upstream)
    assert len(problems) == 410
    for problem in problems:
        class_name, name = problem.entry_point.split(".")
        program, shown = ast.parse(problem.code), ast.parse(problem.context)
        assert _statements(shown, ast.Import, ast.ImportFrom) == _statements(program, ast.Import, ast.ImportFrom)
        owner, shown_owner = definition(program, class_name), definition(shown, class_name)
        # What the class body assigns and its constructor are the program's, without docstrings.
        assigned = (ast.Assign, ast.AnnAssign)
        assert _statements(shown_owner, *assigned) == _statements(owner, *assigned), problem.problem_id
        if "__init__" in _functions(owner) and name != "__init__":
            true, constructor = _functions(owner)["__init__"], _functions(shown_owner)["__init__"]
            assert _undocumented(constructor) == _undocumented(true), problem.problem_id
        # So are the signatures of all methods that are shown, with their decorators, and the method's own.
        (specification,) = ast.parse(f"{problem.specification.rstrip()}\n    pass\n").body
        assert isinstance(specification, ast.FunctionDef)
        assert signature(specification) == signature(_functions(owner)[name]), problem.problem_id
        for other, function in _functions(shown_owner).items():
            assert signature(function) == signature(_functions(owner)[other]), problem.problem_id
        text = ast.get_docstring(specification) or ""
        assert ">>>" not in text and not re.search("[\u201c\u201d]", text), problem.problem_id


def _statements(owner: ast.Module | ast.ClassDef, *kinds: type[ast.stmt]) -> list[str]:
    return [ast.unparse(node) for node in owner.body if isinstance(node, kinds)]


def _functions(owner: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in owner.body if isinstance(node, ast.FunctionDef)}


def _undocumented(function: ast.FunctionDef) -> list[str]:
    first = 1 if ast.get_docstring(function) is not None else 0
    return [ast.unparse(node) for node in function.body[first:]]


def test_mbpp_signatures_take_the_calls_of_their_suites_and_sentences_have_no_links(upstream):
    for problem in get_benchmark("mbpp").read(upstream):
        assert not re.search(r"https?:|\.(?:org|com)/", problem.specification), problem.problem_id
        (function,) = ast.parse(f"{problem.specification.rstrip()}\n    pass\n").body
        assert isinstance(function, ast.FunctionDef)
        required = len(function.args.args) - len(function.args.defaults)
        for call in ast.walk(ast.parse(problem.tests)):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == problem.entry_point:
                assert required <= len(call.args) <= len(function.args.args), problem.problem_id
