"""The harness's hooks for specification reasoning (SR): write code from a specification, with and without a test.

Each problem gives one document a setting, side by side, so that chat templates, caching and data parallelism are the
harness's own; the documents of a problem are paired when the scores are aggregated.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import logging
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from datasets import Dataset
from lm_eval.api.metrics import mean_stderr

from lm_eval_codemind.answers.code import extract_definition, extract_method
from lm_eval_codemind.answers.methods import insert_method
from lm_eval_codemind.answers.response import SKIPPED
from lm_eval_codemind.execution import Job, Outcome, require_importable, shared_sandbox
from lm_eval_codemind.execution.journal import submit
from lm_eval_codemind.problems import Kind, Problem, get_benchmark
from lm_eval_codemind.prompts.templates import Templates
from lm_eval_codemind.scores import sr as scores
from lm_eval_codemind.scores.pass_at_k import pass_at_reported_k
from lm_eval_codemind.sources import load_benchmark
from lm_eval_codemind.sources.hint_tests import HINT_SEED, obedient_code, with_hint
from lm_eval_codemind.sources.python_source import imported_modules
from lm_eval_codemind.sources.suites import imports_of, suite_job
from lm_eval_codemind.tasks.dataset import record_responses, record_suite, scored, splits
from lm_eval_codemind.tasks.executed import Submission

logger = logging.getLogger(__name__)

NO_TEST, WITH_TEST, MISLEADING = "no_test", "with_test", "misleading"

_KINDS: tuple[Kind, ...] = ("function", "method")

Record = Mapping[str, Any]


def dataset(
    *,
    benchmark: str,
    settings: Sequence[str],
    prompts: str | None = None,
    suite: dict[str, Any] | None = None,
    hint_seed: int | None = None,
    **_: object,
) -> dict[str, Dataset]:
    """Return one document a problem and setting, and as few-shot examples a worked one for each kind of program.

    Args:
        benchmark: Name of a benchmark of the registry.
        settings: Of ``no_test``, ``with_test``, ``misleading``; the documents of a problem follow each other in this
            order.
        prompts: Directory of the user's own templates, from ``--metadata prompts=DIR``.
        suite: Where to record versions and digests; see :func:`~lm_eval_codemind.tasks.dataset.record_suite`.
        hint_seed: Draws the tests anew, from ``--metadata hint_seed=N``; None for those of the built data.

    Raises:
        ValueError: if packages that the programs import are not installed, or the seed is no number.
    """
    templates = Templates("sr", prompts)
    problems = load_benchmark(benchmark)
    record_suite(suite, benchmark, problems, templates)
    if suite is not None:
        suite["hint_seed"] = HINT_SEED if hint_seed is None else hint_seed
    problems = [problem for problem in scored(problems) if problem.kind in _KINDS]
    if hint_seed is not None:
        problems = [with_hint(problem, _seed(hint_seed)) for problem in problems]
    require_packages(problems)
    documents = [
        document
        for problem in problems
        for setting in settings
        if (document := _document(problem, setting, templates)) is not None
    ]
    kind = get_benchmark(benchmark).kind
    worked = templates.examples()
    examples = [_example(one, worked[one], templates) for one in ([kind] if kind else _KINDS)]
    return splits(documents, examples, suite)


def _seed(value: int | str) -> int:
    try:
        return int(value)
    except ValueError as error:
        raise ValueError(
            f"hint_seed is {value!r}, and must be a whole number: --metadata '{{\"hint_seed\": 1}}'"
        ) from error


def require_packages(problems: Iterable[Problem]) -> None:
    """Check that everything that programs and tests import is installed where they will run, and importable there.

    Raises:
        ValueError: naming what is missing and the command that installs it.
        HiddenPackages: naming what is installed and can't be imported in the sandbox.
    """
    sources = {text for problem in problems for text in (problem.code, problem.tests)}
    modules = {name for source in sources for name in imported_modules(source)}
    imported = {name.split(".")[0] for name in modules}
    missing = sorted(name for name in imported if importlib.util.find_spec(name) is None)
    if missing:
        raise ValueError(
            f"the programs of this task import packages that are not installed ({', '.join(missing)}), so that right "
            "answers would fail; run `pip install 'lm-eval-codemind[classeval]'`"
        )
    require_importable(modules)


def _document(problem: Problem, setting: str, templates: Templates) -> dict[str, Any] | None:
    """Return the document of a problem under a setting; None where the setting does not apply to it."""
    test = {NO_TEST: "", WITH_TEST: problem.hint_test, MISLEADING: problem.misleading_test}[setting]
    answer = obedient_code(problem) if setting == MISLEADING else _own_answer(problem)
    if answer is None or (setting != NO_TEST and not test):
        return None
    row = problem.to_row()
    columns = (
        "problem_id",
        "benchmark",
        "kind",
        "language",
        "code",
        "entry_point",
        "specification",
        "context",
        "tests",
        "complexity",
    )
    return {
        **{column: row[column] for column in columns},
        "setting": setting,
        "test": test,
        "prompt": _prompt(problem.kind, {**row, "test": test}, templates),
        "target": templates.render("response", code=answer.strip("\n")),
    }


def _own_answer(problem: Problem) -> str:
    """Return the problem's own program as an answer: for a method, the method alone."""
    if problem.kind == "function":
        return problem.code
    class_name, name = problem.entry_point.split(".")
    method = extract_method(problem.code, class_name, name)
    if method is None:
        raise ValueError(f"{problem.problem_id}: its program defines no {problem.entry_point}")
    return method.source


def _example(kind: str, example: Mapping[str, Any], templates: Templates) -> dict[str, Any]:
    return {
        "kind": kind,
        "prompt": _prompt(kind, {**example, "test": ""}, templates),
        "target": templates.render("response", code=example["code"].strip("\n")),
    }


def _prompt(kind: str, fields: Mapping[str, Any], templates: Templates) -> str:
    shown = {name: fields[name].strip("\n") for name in ("specification", "context", "test", "entry_point")}
    return templates.render(kind, **shown)


# ---- responses


def extract_code(
    responses: Sequence[Sequence[str]], documents: Sequence[Mapping[str, Any]]
) -> list[list[Submission | str]]:
    """Filter ``extract-code``: take the code out of each response and submit it to the sandbox.

    Nothing is waited for: while the harness goes through the documents, the programs behind them run. The same code
    against the same tests runs once.
    """
    record_responses(responses, documents, shared_sandbox())
    running: dict[tuple[str, ...], Future[Outcome]] = {}
    submissions: list[list[Submission | str]] = []
    for of_document, document in zip(responses, documents, strict=True):
        submissions.append([])
        for response in of_document:
            if response == SKIPPED:
                submissions[-1].append(SKIPPED)
                continue
            program = program_of(response, document)
            if program is None:
                submissions[-1].append(Submission(None, None))
                continue
            key = (document["problem_id"], str(document["setting"] == MISLEADING), program)
            if key not in running:
                running[key] = submit(job_of(program, document))
            submissions[-1].append(Submission(program, running[key]))
    return submissions


def program_of(response: str, document: Mapping[str, Any]) -> str | None:
    """Return the program that a response gives together with what the prompt shows; None if it holds no code."""
    if document["kind"] == "method":
        class_name, name = document["entry_point"].split(".")
        method = extract_method(response, class_name, name, document["specification"])
        return None if method is None else insert_method(document["code"], class_name, method)
    code = extract_definition(response, document["entry_point"], document["specification"])
    if code is None:
        return None
    lines = code.split("\n")
    future = [line for line in lines if line.startswith("from __future__")]
    rest = [line for line in lines if not line.startswith("from __future__")]
    return "\n".join([*future, document["context"].strip("\n"), "", "", *rest]).lstrip("\n")


def job_of(program: str, document: Mapping[str, Any]) -> Job:
    """Return the job that validates a program: on all of T, or on the misleading test alone."""
    problem = Problem(
        problem_id=document["problem_id"],
        benchmark=document["benchmark"],
        kind=document["kind"],
        language=document["language"],
        code=document["code"],
        entry_point=document["entry_point"],
        input="",
        output="",
        context=document["context"],
        tests=document["tests"],
    )
    if document["setting"] == MISLEADING:
        context = f"{problem.context}\n{imports_of(problem.tests)}" if problem.kind == "function" else problem.context
        problem = dataclasses.replace(problem, tests=document["test"], context=context)
    return suite_job(problem, program)


# ---- scores


def process_results(document: Mapping[str, Any], results: Sequence[Sequence[Submission | str]]) -> dict[str, Any]:
    """Return the metrics of one document; over several responses (``repeats``) the shares that pass, and pass@k.

    ``r_sr`` and ``s_sr`` are properties of pairs: their values are records, which the aggregations below pair.
    ``pass@1_SETTING`` is None in documents of the other setting.
    """
    verdicts = _verdicts(results[0])
    if verdicts is None:
        return {}
    share = sum(verdicts) / len(verdicts)
    record = {"problem_id": document["problem_id"], "setting": document["setting"], "passed": share}
    metrics: dict[str, Any] = {}
    for name in ("r_sr", "r_sr_stderr", "s_sr", "s_sr_stderr"):
        metrics[name] = record
    for setting in (NO_TEST, WITH_TEST):
        own = setting == document["setting"]
        metrics[f"pass@1_{setting}"] = metrics[f"pass@1_{setting}_stderr"] = share if own else None
    metrics["code_found"] = _code_found(results[0])
    more = {name: value for name, value in pass_at_reported_k(verdicts).items() if name != "pass@1"}
    return {**metrics, **{f"{name}_{document['setting']}": value for name, value in more.items()}}


def process_misleading_results(
    document: Mapping[str, Any], results: Sequence[Sequence[Submission | str]]
) -> dict[str, float]:
    """Return the metrics of one document of a misleading task: whether the code does what the misleading test says."""
    verdicts = _verdicts(results[0])
    if verdicts is None:
        return {}
    share = sum(verdicts) / len(verdicts)
    return {**pass_at_reported_k(verdicts), "pass@1": share, "code_found": _code_found(results[0])}


def _verdicts(submissions: Sequence[Submission | str]) -> list[bool] | None:
    """Return whether each response passed, waiting for it; None if the document is to be left out."""
    if any(isinstance(submission, str) for submission in submissions):
        return None
    return [submission.passed() for submission in submissions if isinstance(submission, Submission)]


def _code_found(submissions: Sequence[Submission | str]) -> float:
    found = [isinstance(submission, Submission) and submission["code"] is not None for submission in submissions]
    return sum(found) / len(found)


def r_sr(records: Sequence[Record]) -> float:
    """Aggregate to R_SR; says once how many problems lack one of their two documents and are left out."""
    pairs, alone = _paired(records)
    if alone:
        logger.warning(
            "r_sr and s_sr leave out %d problem(s) of which only one of the two settings was run (--limit and "
            "--samples count documents, two a problem): %s",
            len(alone),
            ", ".join(alone[:5]) + (", ..." if len(alone) > 5 else ""),
        )
    return scores.r_sr(pairs) if pairs else float("nan")


def r_sr_stderr(records: Sequence[Record]) -> float:
    """Aggregate to the standard error of R_SR."""
    return scores.r_sr_stderr(_paired(records)[0])


def s_sr(records: Sequence[Record]) -> float:
    """Aggregate to the mean of S_SR."""
    pairs = _paired(records)[0]
    return scores.mean_s_sr(pairs) if pairs else float("nan")


def s_sr_stderr(records: Sequence[Record]) -> float:
    """Aggregate to the standard error of the mean of S_SR."""
    return scores.mean_s_sr_stderr(_paired(records)[0])


def _paired(records: Sequence[Record]) -> tuple[list[scores.Pair], list[str]]:
    """Return the pairs in the order of their problems, and the problems that have only one document."""
    problems: dict[str, dict[str, float]] = {}
    for record in records:
        problems.setdefault(record["problem_id"], {})[record["setting"]] = record["passed"]
    pairs = [(found[NO_TEST], found[WITH_TEST]) for found in problems.values() if len(found) == 2]
    return pairs, [problem for problem, found in problems.items() if len(found) < 2]


def mean_of_setting(values: Sequence[float | None]) -> float:
    """Aggregate a metric that only documents of one setting have to its mean over these."""
    own = [value for value in values if value is not None]
    return sum(own) / len(own) if own else float("nan")


def mean_of_setting_stderr(values: Sequence[float | None]) -> float:
    """Aggregate a metric that only documents of one setting have to the standard error of its mean."""
    own = [value for value in values if value is not None]
    return float(mean_stderr(own)) if len(own) > 1 else float("nan")
