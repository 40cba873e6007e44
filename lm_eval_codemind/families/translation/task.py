"""Code translation as specification reasoning: the program in one language is the specification of that in another.

Settings, documents and scores are those of :mod:`lm_eval_codemind.families.sr.task`; the programs that a model writes
are validated on all tests of the problem, whose outputs are what the original program prints.
"""

import dataclasses
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lm_eval_codemind.answers.comparison import printed_lines
from lm_eval_codemind.data import load_benchmark, load_problem
from lm_eval_codemind.data.catalogue import Benchmark, get_benchmark
from lm_eval_codemind.data.facts.witnesses import OF_PROGRAM
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.families.sr import score as scores
from lm_eval_codemind.families.sr import task as sr
from lm_eval_codemind.families.sr.task import MISLEADING, NO_TEST, SpecificationReasoning
from lm_eval_codemind.family import Variant, beyond_constants, problem_of
from lm_eval_codemind.harness.aggregations import Aggregation
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.languages import Kind, get_language, kind_of
from lm_eval_codemind.problems import TEST_CASES, Case, Problem, as_text, shown_cases
from lm_eval_codemind.questions import Answer, Question

# Why a translation fails, as metrics: shares of all responses.
CAUSES = ("compile_error", "runtime_error", "wrong_output", "timeout")

_COLUMNS = ("code", "input", "output", "complexity")
_COMPILER = frozenset({"compile error", "SyntaxError", "IndentationError", "TabError"})
_VIEWS = "lm_eval_codemind.families.translation.view"
_LAST_NUMBER = re.compile(r"\d(?=\D*\Z)")


class Translation(SpecificationReasoning):
    """Two questions per program: translate it, without and with a test; or one with a misleading test, as in SR."""

    variants = (
        Variant("translation", "Translation", f"{_VIEWS}:TranslationView", authors_task="SR", paper="codemind"),
        Variant(
            "translation_misleading",
            "Translation misleading",
            f"{_VIEWS}:MisleadingTranslationView",
            MISLEADING,
            authors_task="SR",
            paper="codemind",
        ),
    )
    templates = Path(__file__).with_name("templates")
    options = ()
    witnesses = OF_PROGRAM

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        """Return the problems with a proven output, one program each, that a constant does not solve.

        Raises:
            UserError: If the benchmark has no counterpart in another language.
        """
        if not benchmark.counterpart:
            raise UserError(f"{benchmark.name}: no benchmark has its programs in another language to translate into")
        problems = beyond_constants(load_benchmark(benchmark.name, self.witnesses))
        candidates = [problem for problem in problems if problem.category != "excluded"]
        return [
            problem
            for problem in candidates
            if kind_of(problem).printed and not (benchmark.submissions and benchmark.submissions in problem.problem_id)
        ]

    def record(self, suite: dict[str, Any], benchmark: Benchmark, options: Mapping[str, Any]) -> None:
        suite["source_language"] = benchmark.language
        suite["target_language"] = target_language(benchmark)

    def answered_in(self, problem: Problem) -> str:
        return target_language(get_benchmark(problem.benchmark))

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        """Return the question of a setting; none where the test is too long to be shown."""
        suite = _suite(problem, setting)
        examples = as_text(shown_cases(suite, TEST_CASES)) if setting != NO_TEST else ""
        if setting != NO_TEST and not examples:
            return
        target = self.answered_in(problem)
        known = _counterpart(problem) if setting != MISLEADING else None
        every = suite if setting == MISLEADING else (*suite, *problem.witnesses)
        answer = known.code if known else get_language(target).kind(problem.kind).lookup(every)
        fields = {"target_language": target, "test": examples, "answer": answer or ""}
        yield Question.about(problem, setting, fields, columns=_COLUMNS)

    def posed(self, question: Question) -> Problem:
        """Return the problem that a translation solves: the same tests, in the other language.

        Program and input are those of the same problem in the benchmark of that language, as far as they are known to
        be right here; without it there is no program.
        """
        problem = problem_of(question)
        known = _counterpart(problem)
        outputs = {case.input: case.output for case in problem.cases}
        example_input = next(one.input for one in (known, problem) if one and one.input in outputs)
        return dataclasses.replace(
            problem,
            language=self.answered_in(problem),
            code=known.code if known else "",
            input=example_input,
            output=outputs[example_input],
            complexity=known.complexity if known else None,
        )

    def example(self, kind: Kind, record: Mapping[str, Any], setting: str) -> Mapping[str, Any]:
        return {**record, "test": ""}

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        target = get_language(fields["target_language"])
        return {
            "code": fields["code"].strip("\n"),
            "test": fields["test"],
            "target": target.title,
            "fence": target.fence,
        }

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        fence = get_language(fields["target_language"]).fence
        return {"code": fields["answer"].strip("\n"), "fence": fence}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the program that a response gives in the language that is asked for."""
        problem = self.judged(question)
        return Answer.of_program(kind_of(problem).program(response, problem))

    def judged(self, question: Question) -> Problem:
        """Return the problem in the language of the translation, with all tests or with the misleading one alone."""
        problem = dataclasses.replace(problem_of(question, self.witnesses), language=question["target_language"])
        if question.key.setting != MISLEADING:
            return problem
        return dataclasses.replace(problem, cases=_suite(problem, MISLEADING), witnesses=())

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        why = cause(answer)
        return {**super().score(question, answer), **{name: float(name == why) for name in CAUSES}}

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        metrics = super().logged(question, means, pass_at_k)
        if question.key.setting == MISLEADING:
            return metrics
        metrics["gained"] = metrics["r_sr"]
        return {**metrics, **{name: means[name] for name in CAUSES}}


def cause(answer: Answer) -> str:
    """Return which of :data:`CAUSES` a translation fails of; the empty string where it passes or there is none.

    A program that breaks off does not compile. What a program dies of besides its time, its memory included, is a
    runtime error.
    """
    outcome = answer.decisive
    if outcome is None or outcome.get("status") == "passed":
        return ""
    status = outcome.get("status")
    if status == "unfinished" or (status == "error" and outcome.get("exception_type") in _COMPILER):
        return "compile_error"
    return {"failed": "wrong_output", "timeout": "timeout"}.get(str(status), "runtime_error")


def misleading_output(output: str) -> str:
    """Return an output that contradicts the right one and looks like it: the last digit is another, or a line is."""
    changed, count = _LAST_NUMBER.subn(lambda digit: str((int(digit.group()) + 1) % 10), output)
    if count:
        return changed
    for one, other in (("yes", "no"), ("true", "false"), ("possible", "impossible")):
        for pair in ((one, other), (one.upper(), other.upper()), (one.title(), other.title())):
            for right, wrong in (pair, pair[::-1]):
                if output.strip() == right:
                    return output.replace(right, wrong)
    turned = output.strip()[::-1] + "\n"
    return turned if printed_lines(turned) != printed_lines(output) else f"{output.strip()}x\n"


def target_language(benchmark: Benchmark) -> str:
    """Return the language that the programs of a benchmark are translated into."""
    return get_benchmark(benchmark.counterpart).language


def _suite(problem: Problem, setting: str) -> tuple[Case, ...]:
    if setting == MISLEADING:
        assert problem.output is not None
        return (Case(problem.input, misleading_output(problem.output)),)
    return problem.cases


def _counterpart(problem: Problem) -> Problem | None:
    """Return the same problem in the other language, if its program is known to run and to print the same."""
    try:
        other = load_problem(get_benchmark(problem.benchmark).counterpart, problem.problem_id)
    except KeyError:
        return None
    if other.category == "excluded":
        return None
    outputs = {case.input: printed_lines(case.output) for case in other.cases}
    agrees = all(outputs.get(case.input) == printed_lines(case.output) for case in problem.cases)
    return other if agrees else None


# -- aggregations

# The share solved with the test of what is not solved without it.
gained = Aggregation(
    sr.pairs_of, scores.gained, scores.gained_stderr, lambda pairs: sum(without < 1 for without, _ in pairs)
)

TRANSLATION = Translation()

dataset, process_results, extract_code = Hooks(TRANSLATION).functions
