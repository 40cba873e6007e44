"""Dynamic semantics reasoning (DSR): simplify a transformed program."""

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

from lm_eval_codemind.data import load_benchmark, load_side, making
from lm_eval_codemind.data.catalogue import Benchmark, fixed_form
from lm_eval_codemind.data.facts.witnesses import OF_PROGRAM
from lm_eval_codemind.families.dsr.score import s_dsr, shorter, similarity
from lm_eval_codemind.family import Family, Variant, beyond_constants, problem_of, seed_option
from lm_eval_codemind.harness.hooks import Hooks, require_runnable
from lm_eval_codemind.languages import Kind, get_language, kind_of
from lm_eval_codemind.problems import TRANSFORM_SEED, Problem
from lm_eval_codemind.questions import Answer, Question

# The columns of a problem that a document of this family shows; its tests are found by problem_id.
_COLUMNS = ("code", "entry_point", "transformed", "transformations", "complexity", "transformed_complexity")


VIEW = "lm_eval_codemind.families.dsr.view:SemanticsView"
_USUAL = Variant("dsr", "DSR", VIEW, in_overlap=True, paper="codemind")
# Results on buggy programs: the simplified program must keep the bug.
_BUGGY = Variant("dsr_buggy", "DSR buggy", VIEW, buggy=True)
_SHORT = Variant("dsr_short", "DSR short", VIEW)


class SemanticsReasoning(Family):
    """DSR: one question per problem, to simplify C+."""

    variants: ClassVar[tuple[Variant, ...]] = (_USUAL, _BUGGY, _SHORT)
    templates = Path(__file__).with_name("templates")
    options = ("transform_seed",)
    executes = True
    witnesses = OF_PROGRAM
    filters = ("extract-code",)
    metric = "r_dsr"
    verdict = "pass@1"

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        """Return the problems that have a C+ and whose own program passes its tests (the errata name the others).

        Problems that a constant solves are left out.
        With the option ``transform_seed``, C+ is made and verified now, with that seed.

        Raises:
            UserError: If the seed is not an integer, or a package that C+ imports is not installed.
        """
        failing = load_side(benchmark.name, "dsr")
        problems = beyond_constants(load_benchmark(benchmark.name, self.witnesses))
        problems = [problem for problem in problems if problem.problem_id not in failing]
        if fixed_form(benchmark.name):
            # What a buggy program is shown with is the output for the test that it fails.
            problems = [problem for problem in problems if problem.category != "excluded"]
        seed = seed_option(options, "transform_seed", TRANSFORM_SEED)
        if seed == TRANSFORM_SEED or benchmark.labels == "published":
            problems = [problem for problem in problems if problem.transformed]
            # A simplified program may keep the imports of C+.
            require_runnable(problems, columns=["transformed"])
            return problems
        return making.transformed(problems, seed)

    def record(self, suite: dict[str, Any], benchmark: Benchmark, options: Mapping[str, Any]) -> None:
        published = benchmark.labels == "published"
        suite["transform_seed"] = "published" if published else seed_option(options, "transform_seed", TRANSFORM_SEED)

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        """Return the question, unless C+ is no longer than C.

        The published C+ of a class leaves some of its methods as they were: nothing there can be made simpler.
        """
        kind, language = kind_of(problem), get_language(problem.language)
        programs = [kind.read_back(text, problem, language.fence) for text in (problem.code, problem.transformed)]
        targets = [kind.extract_target(program, problem) for program in programs]
        lines = [language.lines(text) for text in targets]
        if lines[1] <= lines[0]:
            return
        fields = {
            "test": _shown_test(problem),
            "loc": lines[0],
            "loc_transformed": lines[1],
            "answer": targets[0],
        }
        yield Question.about(problem, setting, fields, columns=_COLUMNS)

    def example(self, kind: Kind, record: Mapping[str, Any], setting: str) -> Mapping[str, Any]:
        return {**record, "answer": record["code"]}

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        class_name, _, method_name = fields["entry_point"].partition(".")
        return {
            "code": fields["transformed"].strip("\n"),
            "test": fields["test"].strip("\n"),
            "entry_point": fields["entry_point"],
            "class_name": class_name,
            "method_name": method_name,
        }

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {"code": fields["answer"].strip("\n")}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the part of C' that is asked for, with its lines; what runs is the whole of it.

        Of a class one method is asked for. It replaces the one of C+, so that the rest of the class is unchanged. C, C+
        and C' are measured alike. Where C' executes texts as code and C does not, nobody can count its lines.
        """
        problem = problem_of(question)
        language = get_language(problem.language)
        shown = question["transformed"]
        program = kind_of(problem).program(response, problem, into=shown, original=shown)
        if not isinstance(program, str):
            return Answer.of_program(program)
        try:
            target = kind_of(problem).extract_target(program, problem)
            lines, hides_code = language.lines(target), language.hides_code(program, problem.code)
        except SyntaxError:
            # In its class it is nested more deeply than the language allows: it can neither run nor be counted.
            return Answer(program)
        return Answer(target, {"loc": lines} | ({"hides_code": True} if hides_code else {}), program=program)

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        loc, transformed = question["loc"], question["loc_transformed"]
        lines = transformed if "hides_code" in answer.details else answer.details.get("loc", 0)
        likeness = 0.0
        if answer.text is not None:
            problem = problem_of(question)
            normal = get_language(problem.language).normal_form
            original = kind_of(problem).extract_target(problem.code, problem)
            likeness = similarity(normal(answer.text), normal(original))
        scores = {
            "r_dsr": s_dsr(answer.passed, loc, transformed, lines),
            "pass@1": float(answer.passed),
            "shorter": float(shorter(answer.passed, transformed, lines)),
            "similarity": likeness,
            "code_found": float(answer.text is not None),
        }
        if self.witnesses:
            scores["r_dsr_suite"] = s_dsr(answer.passed_suite, loc, transformed, lines)
            scores["pass@1_suite"] = float(answer.passed_suite)
            scores["witnessed"] = float(bool(self.judged(question).witnesses))
        return scores


def _shown_test(problem: Problem) -> str:
    """Return a test that the program passes: of a buggy one what it returns for the call that reveals the bug."""
    posed = dataclasses.replace(problem, hint_test="") if fixed_form(problem.benchmark) else problem
    return kind_of(problem).shown_test(posed)


DSR = SemanticsReasoning()

dataset, process_results, extract_code = Hooks(DSR).functions
short_dataset = Hooks(DSR, short=True).dataset
