"""The harness's hooks for dynamic semantics reasoning (DSR): make a tangled program simple again."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from datasets import Dataset

from lm_eval_codemind.answers.code import extract_definition, extract_method, extract_script
from lm_eval_codemind.answers.methods import insert_method
from lm_eval_codemind.answers.response import SKIPPED
from lm_eval_codemind.execution import require_importable, shared_sandbox
from lm_eval_codemind.execution.journal import submit
from lm_eval_codemind.problems import KINDS, Kind, Problem, get_benchmark
from lm_eval_codemind.prompts.templates import Templates
from lm_eval_codemind.scores.dsr import r_dsr, s_dsr, shorter, similarity
from lm_eval_codemind.scores.loc import lines_of_code
from lm_eval_codemind.scores.pass_at_k import pass_at_reported_k
from lm_eval_codemind.sources import load_benchmark
from lm_eval_codemind.sources.python_source import bound_names, free_names, imported_modules, statements_binding
from lm_eval_codemind.sources.suites import suite_job
from lm_eval_codemind.sources.transformed import TRANSFORM_SEED, freshly_transformed, without_failing
from lm_eval_codemind.tasks.dataset import record_responses, record_suite, splits
from lm_eval_codemind.tasks.executed import Submission
from lm_eval_codemind.transforms import UnsupportedSyntaxError, unparse

# The columns of a problem that a document of this family shows; its tests are found by problem_id.
_COLUMNS = (
    "problem_id",
    "benchmark",
    "kind",
    "language",
    "code",
    "entry_point",
    "transformed",
    "transformations",
    "complexity",
    "transformed_complexity",
)
_SHOWN_CASES = 2


def dataset(
    *,
    benchmark: str,
    prompts: str | None = None,
    transform_seed: int | str | None = None,
    suite: dict[str, Any] | None = None,
    **_: object,
) -> dict[str, Dataset]:
    """Return one document a problem, and as few-shot examples a worked one for each kind of program.

    Problems whose own program fails its tests on every machine (they are in the errata) are left out.

    Args:
        benchmark: Name of a benchmark of the registry.
        prompts: Directory of the user's own templates, from ``--metadata prompts=DIR``.
        transform_seed: From ``--metadata transform_seed=N``: C+ is made anew by this seed, and verified, now.
        suite: Where to record versions, digests and the seed; see
            :func:`~lm_eval_codemind.tasks.dataset.record_suite`.

    Raises:
        ValueError: if the seed is no integer, or if the data has no C+.
        HiddenPackages: if what the programs import is installed and can't be imported in the sandbox.
    """
    templates = Templates("dsr", prompts)
    everything = load_benchmark(benchmark)
    seed = _seed(transform_seed)
    if seed == TRANSFORM_SEED or benchmark.startswith("published_"):
        problems = [problem for problem in without_failing(everything, benchmark) if problem.transformed]
    else:
        problems = freshly_transformed(without_failing(everything, benchmark), seed, shared_sandbox())
    if not problems:
        raise ValueError(
            f"the data of {benchmark} has no transformed programs; run `codemind data build --benchmark {benchmark}`"
        )
    sources = {text for problem in problems for text in (problem.code, problem.tests)}
    require_importable({name for source in sources for name in imported_modules(source)})
    documents = [_document(problem, templates) for problem in problems]
    # The published C+ of a class leaves some of its methods as they were: nothing there can be made simpler.
    documents = [document for document in documents if document["loc_transformed"] > document["loc"]]
    record_suite(suite, benchmark, everything, templates)
    if suite is not None:
        suite.update(transform_seed="published" if benchmark.startswith("published_") else seed, scored=len(documents))
    kind = get_benchmark(benchmark).kind
    worked = templates.examples()
    examples = [_example(one, worked[one], templates) for one in ([kind] if kind else KINDS)]
    return splits(documents, examples, suite)


def _seed(transform_seed: int | str | None) -> int:
    if transform_seed is None:
        return TRANSFORM_SEED
    try:
        return int(transform_seed)
    except ValueError as error:
        raise ValueError(
            f"transform_seed={transform_seed!r} is no integer; pass --metadata transform_seed=N"
        ) from error


def _document(problem: Problem, templates: Templates) -> dict[str, Any]:
    row = problem.to_row()
    original = _code_of_answer(_fenced(problem.code), problem, problem.code)
    transformed = _code_of_answer(_fenced(problem.transformed), problem, problem.transformed)
    assert original is not None
    assert transformed is not None
    shown = {**row, "test": _shown_test(problem)}
    return {
        **{column: row[column] for column in _COLUMNS},
        "test": shown["test"],
        "loc": _lines(original, problem),
        "loc_transformed": _lines(transformed, problem),
        "prompt": _prompt(shown, templates),
        "target": templates.render("response", code=_asked_for(original, problem).strip("\n"), reasoning=""),
    }


def _example(kind: str, example: Mapping[str, Any], templates: Templates) -> dict[str, Any]:
    return {
        "kind": kind,
        "code": example["code"],
        "transformed": example["transformed"],
        "prompt": _prompt({**example, "kind": kind}, templates),
        "target": templates.render(
            "response", code=example["code"].strip("\n"), reasoning=example["reasoning"].strip()
        ),
    }


def _prompt(fields: Mapping[str, Any], templates: Templates) -> str:
    class_name, _, method_name = fields["entry_point"].partition(".")
    return templates.render(
        fields["kind"],
        code=fields["transformed"].strip("\n"),
        test=fields["test"].strip("\n"),
        entry_point=fields["entry_point"],
        class_name=class_name,
        method_name=method_name,
    )


def _shown_test(problem: Problem) -> str:
    """Return the one test that the prompt shows; for a script the first pairs of input and output."""
    if problem.kind == "script":
        pairs = (
            f"Input:\n{case.input.strip()}\nOutput:\n{case.output.strip()}" for case in problem.cases[:_SHOWN_CASES]
        )
        return "\n\n".join(pairs)
    if problem.kind == "function":
        return problem.hint_test or f"assert {problem.input.strip()} == {problem.output}"
    returned = "" if problem.output is None else f"\n# returns {problem.output}"
    return problem.hint_test or problem.input.rstrip() + returned


def extract_code(
    responses: Sequence[Sequence[str]], documents: Sequence[Mapping[str, Any]]
) -> list[list[Submission | str]]:
    """Filter ``extract-code``: the code of each response; it is submitted for execution at once."""
    record_responses(responses, documents, shared_sandbox())
    return [
        [_submitted(response, document) for response in of_document]
        for of_document, document in zip(responses, documents, strict=True)
    ]


def _submitted(response: str, document: Mapping[str, Any]) -> Submission | str:
    if response == SKIPPED:
        return SKIPPED
    problem = _problems(document["benchmark"])[document["problem_id"]]
    code = _code_of_answer(response, problem, document["transformed"])
    if code is None:
        return Submission(None, None)
    submission = Submission(_asked_for(code, problem), submit(suite_job(problem, code)))
    submission["loc"] = _lines(code, problem)
    return submission


@lru_cache(maxsize=16)
def _problems(benchmark: str) -> dict[str, Problem]:
    return {problem.problem_id: problem for problem in load_benchmark(benchmark)}


def process_results(document: Mapping[str, Any], results: Sequence[Sequence[Submission | str]]) -> dict[str, float]:
    """Return the metrics of one document; over several responses (``repeats``) their means, and pass@k.

    Args:
        document: A row of the data set.
        results: One list: what :func:`extract_code` made of the responses to the document.

    Returns:
        Metric -> value; nothing for a document that is to be left out.
    """
    answers = [answer for answer in results[0] if isinstance(answer, Submission)]
    if len(answers) < len(results[0]):
        return {}
    verdicts = [answer.passed() for answer in answers]
    lines = [answer.get("loc", 0) for answer in answers]
    loc, transformed = document["loc"], document["loc_transformed"]
    judged = list(zip(verdicts, lines, strict=True))
    problem = _problems(document["benchmark"])[document["problem_id"]]
    original = _normal(_asked_for(problem.code, problem))
    likeness = [0.0 if answer["code"] is None else similarity(_normal(answer["code"]), original) for answer in answers]
    return {
        "r_dsr": r_dsr([s_dsr(passed, loc, transformed, count) for passed, count in judged]),
        "pass@1": sum(verdicts) / len(verdicts),
        "shorter": sum(shorter(passed, transformed, count) for passed, count in judged) / len(judged),
        "similarity": sum(likeness) / len(likeness),
        "code_found": sum(answer["code"] is not None for answer in answers) / len(answers),
        **pass_at_reported_k(verdicts),
    }


# -- what of a response counts ---------------------------------------------------------------------------------------


def _code_of_answer(response: str, problem: Problem, transformed: str) -> str | None:
    """Return the program C' that a response makes of C+, complete; None if it holds no code.

    Of a class one method is asked for, which is put into C+ in the place of its own, so that the rest of the class is
    as it was.
    """
    kind: Kind = problem.kind
    if kind == "script":
        return extract_script(response)
    if kind == "function":
        return extract_definition(response, problem.entry_point)
    class_name, method_name = problem.entry_point.split(".")
    method = extract_method(response, class_name, method_name)
    return None if method is None else insert_method(transformed, class_name, method)


def _asked_for(code: str, problem: Problem) -> str:
    """Return the part of a program that a response is asked for: all of it, or one method with what it needs."""
    if problem.kind == "script":
        return code
    if problem.kind == "function":
        return extract_definition(_fenced(code), problem.entry_point) or code
    return _method_with_needs(code, problem)


def _lines(code: str, problem: Problem) -> int:
    """Return LoC of a program, or, where one method is asked for, of that method and what C lacks of its needs.

    C, C+ and C' are measured alike: what the response's code would lose on the way out of a response counts for none.
    """
    return _count(_asked_for(code, problem))


def _method_with_needs(code: str, problem: Problem) -> str:
    """Return the source of the problem's method in a program, with what it needs there and C does not have.

    That are functions, imports and values outside of the class, as far as the method mentions them, directly or by way
    of each other, and further members of the class.
    """
    class_name, method_name = problem.entry_point.split(".")
    tree, original = ast.parse(code), ast.parse(problem.code)
    present = {ast.dump(node) for node in original.body}
    known = {name for node in _class(original, class_name).body for name in bound_names(node)}
    members = [
        node
        for node in _class(tree, class_name).body
        if method_name in bound_names(node) or (bound_names(node) and not bound_names(node) & known)
    ]
    others = [node for node in tree.body if ast.dump(node) not in present and not isinstance(node, ast.ClassDef)]
    needed = statements_binding(
        {name for node in members for name in free_names(node)}, ast.Module(body=others, type_ignores=[])
    )
    lines = code.splitlines()
    return "\n\n".join(_source(node, lines) for node in [*needed, *members]) + "\n"


def _class(tree: ast.Module, name: str) -> ast.ClassDef:
    return next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)


def _source(node: ast.stmt, lines: Sequence[str]) -> str:
    first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
    return textwrap.dedent("\n".join(lines[first - 1 : node.end_lineno]))


def _fenced(code: str) -> str:
    return f"```python\n{code.strip()}\n```"


def _count(code: str) -> int:
    try:
        return lines_of_code(code)
    except SyntaxError:
        return len([line for line in code.splitlines() if line.strip()])


def _normal(code: str) -> str:
    """Return code in a layout that depends on its syntax alone, where it has one."""
    try:
        return unparse(ast.parse(code))
    except (SyntaxError, UnsupportedSyntaxError, ValueError, RecursionError):
        return code
