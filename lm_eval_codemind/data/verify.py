"""Comparison of the shipped proof with what execution gives here and now."""

from __future__ import annotations

from dataclasses import dataclass
from pkgutil import resolve_name

from lm_eval_codemind.benchmarks import Upstream, benchmarks, get_benchmark
from lm_eval_codemind.data.build import read_problems
from lm_eval_codemind.execution import Sandbox
from lm_eval_codemind.languages import get_language
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.proof.labels import Proof, load_proofs
from lm_eval_codemind.proof.revealing import with_revealing_tests
from lm_eval_codemind.proof.transformed import verify_transformed


def proven_benchmarks() -> list[str]:
    """Return the benchmarks whose labels are proven."""
    return [name for name, benchmark in benchmarks().items() if benchmark.labels == "proven"]


def execute_benchmark(name: str, upstream: Upstream, workers: int = 1) -> dict[str, Proof]:
    """Return what executing every problem of a benchmark proves, by problem id.

    Raises:
        UpstreamError: if upstream's data is missing or is not what it must be.
        MissingExtra: if packages that the programs import are not installed.
        ValueError: naming the language, if it has no prover.
    """
    benchmark = get_benchmark(name)
    language = get_language(benchmark.language)
    if not language.prover:
        raise ValueError(f"{name}: labels of programs in {language.title} can't be proven; it names no `prover`")
    own: dict[str, Problem] = {}
    if benchmark.published_as:
        theirs = get_benchmark(benchmark.published_as).read(upstream)
        own = {problem.problem_id: problem for problem in theirs}
    problems = with_revealing_tests(name, benchmark.read(upstream))
    proofs: dict[str, Proof] = resolve_name(language.prover)(problems, own, workers)
    return proofs


def verify_benchmark(name: str, upstream: Upstream, workers: int = 1) -> dict[str, str]:
    """Return the problems for which execution does not give the shipped proof, with both, by problem id.

    Raises:
        UpstreamError: if upstream's data is missing or is not what it must be.
        MissingExtra: if packages that the programs import are not installed.
    """
    shipped, found = load_proofs(name), execute_benchmark(name, upstream, workers)
    differing = {problem_id for problem_id in shipped | found if shipped.get(problem_id) != found.get(problem_id)}
    return {
        problem_id: f"shipped {shipped.get(problem_id)}, execution gives {found.get(problem_id)}"
        for problem_id in sorted(differing)
    }


@dataclass(frozen=True)
class TransformationCheck:
    """What comparing C with C+ over a benchmark gave.

    Attributes:
        programs: How many problems have a C+.
        inputs: On how many inputs beyond the tests they were compared, in all.
        differences: Problem id -> how C+ differs from C, in words.
    """

    programs: int
    inputs: int
    differences: dict[str, str]


def verify_transformations(name: str, upstream: Upstream, workers: int = 1) -> TransformationCheck:
    """Make C+ of a benchmark by the shipped recipes and compare each with its C, on all tests and on further inputs.

    Raises:
        UpstreamError: if upstream's data is missing, or a recipe does not give what was verified.
    """
    problems = read_problems(name, upstream)
    compared: list[int] = []
    with Sandbox(workers=workers) as sandbox:
        differences = verify_transformed(problems, sandbox, compared.append)
    return TransformationCheck(len(compared), sum(compared), differences)
