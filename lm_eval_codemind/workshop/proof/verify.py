"""Comparison of labels and C+ with a new execution on this machine."""

from collections.abc import Sequence
from dataclasses import replace
from pkgutil import resolve_name

from lm_eval_codemind.data.catalogue import benchmarks, get_benchmark
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.languages import get_language
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import Sandbox
from lm_eval_codemind.workshop.benchmarks import Upstream
from lm_eval_codemind.workshop.build import read_problems
from lm_eval_codemind.workshop.facts.bugs import with_revealing_tests
from lm_eval_codemind.workshop.facts.labels import Proof, load_proofs
from lm_eval_codemind.workshop.proof.make_recipes import TransformationCheck, verify_transformed


def verifiable() -> list[str]:
    """Return the benchmarks whose labels execution must reproduce: those with proofs or with their own labels."""
    return [name for name, benchmark in benchmarks().items() if benchmark.labels in ("proven", "own")]


def execute_benchmark(name: str, upstream: Upstream, workers: int = 1) -> dict[str, Proof]:
    """Execute all problems of a benchmark and return the proofs, by problem id.

    A benchmark's own label is treated like a published label: execution confirms it or shows that it is wrong.

    Raises:
        UpstreamError: If upstream's data is missing or has the wrong digest.
        MissingExtra: If packages that the programs import are not installed.
        UserError: If the language has no prover. The message names it.
    """
    benchmark = get_benchmark(name)
    language = get_language(benchmark.language)
    if not language.prover:
        raise UserError(f"{name}: labels of programs in {language.title} can't be proven; it names no `prover`")
    problems = with_revealing_tests(name, benchmark.read(upstream))
    published: Sequence[Problem] = ()
    if benchmark.labels == "own":
        problems = [replace(problem, published_output=problem.output) for problem in problems]
        published = problems
    elif benchmark.published_as:
        published = get_benchmark(benchmark.published_as).read(upstream)
    by_id = {problem.problem_id: problem for problem in published}
    proofs: dict[str, Proof] = resolve_name(language.prover)(problems, by_id, workers)
    return proofs


def verify_benchmark(name: str, upstream: Upstream, workers: int = 1) -> dict[str, str]:
    """Return problem id -> description of the difference, for labels that execution does not reproduce.

    Raises:
        UpstreamError: If upstream's data is missing or has the wrong digest.
        MissingExtra: If packages that the programs import are not installed.
        UserError: If the language has no prover. The message names it.
    """
    proofs = execute_benchmark(name, upstream, workers)
    own = get_benchmark(name).labels == "own"
    expected = dict.fromkeys(proofs, Proof("confirmed")) if own else load_proofs(name)
    differing = {key for key in expected | proofs if expected.get(key) != proofs.get(key)}
    return {
        problem_id: f"the label says {expected.get(problem_id)}, execution gives {proofs.get(problem_id)}"
        for problem_id in sorted(differing)
    }


def verify_transformations(name: str, upstream: Upstream, workers: int = 1) -> TransformationCheck:
    """Generate a benchmark's C+ from the packaged recipes and compare C+ with C, on all tests and on further inputs.

    Raises:
        UpstreamError: If upstream's data is missing, or a recipe does not give the verified C+.
    """
    with Sandbox(workers=workers) as sandbox:
        return verify_transformed(read_problems(name, upstream), sandbox)
