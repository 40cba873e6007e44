"""Specification reasoning (SR): write code from a specification, with and without a test.

Each problem gives one document a setting, side by side, so that chat templates, caching and data parallelism are the
harness's own; the documents of a problem are paired when the scores are aggregated.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from math import nan
from pathlib import Path
from typing import Any, ClassVar, TypedDict

from lm_eval_codemind.data import making
from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.data.facts.suites import FAIR, verdict_of
from lm_eval_codemind.data.facts.witnesses import OF_SPECIFICATION
from lm_eval_codemind.families.pairs import Record, paired, warn_of
from lm_eval_codemind.families.sr import score as scores
from lm_eval_codemind.family import Family, Variant, problem_of, seed_option
from lm_eval_codemind.harness.aggregations import Aggregation
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.languages import HINT_SEED, Kind, kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Question

NO_TEST, WITH_TEST, MISLEADING = "no_test", "with_test", "misleading"


class ProblemFields(TypedDict):
    """The columns of a problem that a document of this family shows."""

    code: str
    entry_point: str
    specification: str
    context: str
    tests: str
    complexity: Mapping[str, Any] | None


class Fields(ProblemFields):
    """The columns of a document: also the test in the prompt, a right program, and whether the suite is fair."""

    test: str
    answer: str
    suite: str


COLUMNS = tuple(ProblemFields.__annotations__)


class SpecificationReasoning(Family):
    """SR: two questions per problem, without and with a test.

    Tasks with the setting ``misleading`` ask one question per problem, with a test that contradicts the specification;
    that test alone decides. It comes from earlier versions of the paper.
    """

    variants: ClassVar[tuple[Variant, ...]] = (
        Variant(
            "sr",
            "SR",
            "lm_eval_codemind.families.sr.view:SpecificationView",
            in_overlap=True,
            authors_task="SR",
            paper="codemind",
        ),
        Variant(
            "sr_misleading",
            "SR misleading",
            "lm_eval_codemind.families.sr.view:MisleadingView",
            MISLEADING,
            authors_task="SR",
            paper="codemind",
        ),
    )
    templates = Path(__file__).with_name("templates")
    options: ClassVar[tuple[str, ...]] = ("hint_seed",)
    executes = True
    witnesses = OF_SPECIFICATION
    filters = ("extract-code",)
    metric = "r_sr"
    verdict = "pass@1"

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        """Return the problems that have a specification and an answerable suite.

        The option ``hint_seed`` selects other tests.

        Raises:
            UserError: If the seed is not a number.
        """
        problems = [
            problem
            for problem in super().problems(benchmark, options)
            if kind_of(problem).specified and verdict_of(benchmark.name, problem.problem_id).answerable
        ]
        if "hint_seed" in options:
            seed = seed_option(options, "hint_seed", HINT_SEED)
            problems = [
                making.hint(problem, seed, verdict_of(benchmark.name, problem.problem_id).telling)
                for problem in problems
            ]
        return problems

    def record(self, suite: dict[str, Any], benchmark: Benchmark, options: Mapping[str, Any]) -> None:
        suite["hint_seed"] = options.get("hint_seed", HINT_SEED)

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        """Return the question of a setting, if the setting applies to the problem."""
        kind = kind_of(problem)
        test = {NO_TEST: "", WITH_TEST: problem.hint_test, MISLEADING: problem.misleading_test}[setting]
        answer = making.misled(problem) if setting == MISLEADING else kind.own_answer(problem)
        if answer is None or (setting != NO_TEST and not test):
            return
        fields = {
            "test": test,
            "answer": answer,
            "suite": verdict_of(problem.benchmark, problem.problem_id).label,
        }
        yield Question.about(problem, setting, fields, columns=COLUMNS)

    def example(self, kind: Kind, record: Mapping[str, Any], setting: str) -> Mapping[str, Any]:
        return {**record, "test": "", "answer": record["code"]}

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {name: fields[name].strip("\n") for name in ("specification", "context", "test", "entry_point")}

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {"code": fields["answer"].strip("\n")}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the program that a response gives together with what the prompt shows."""
        problem = problem_of(question)
        program = kind_of(question).program(
            response, problem, into=problem.code, context=problem.context, specification=problem.specification
        )
        return Answer.of_program(program)

    def judged(self, question: Question) -> Problem:
        """Return the problem with all of T, or with the misleading test alone."""
        problem = super().judged(question)
        if question.key.setting != MISLEADING:
            return problem
        problem = dataclasses.replace(problem, witnesses=())
        return kind_of(problem).with_tests(problem, question.typed(Fields)["test"])

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        scores = {"pass@1": float(answer.passed), "code_found": float(answer.text is not None)}
        if self.witnesses and question.key.setting != MISLEADING:
            scores["pass@1_suite"] = float(answer.passed_suite)
            scores["witnessed"] = float(bool(self.judged(question).witnesses))
        return scores

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        """Return the metrics of a document.

        ``r_sr`` and ``s_sr`` are properties of pairs: their values are records, which the aggregations below pair.
        ``s_sr_unstated`` is None where the suite is fair. ``pass@1_SETTING`` is None in documents of the other setting,
        and ``pass@1_no_test_fair`` also where the suite is not fair. Documents with a misleading test have no pair.
        Names that end with ``_suite`` leave the witnesses out.
        """
        if question.key.setting == MISLEADING:
            return {**pass_at_k, **means}
        own = question.key.setting
        kinds = [kind for kind in ("", "_suite") if f"pass@1{kind}" in means]
        metrics: dict[str, Any] = {}
        for kind in kinds:
            passed = means[f"pass@1{kind}"]
            record = {"problem_id": question.key.problem_id, "setting": own, "passed": passed}
            metrics |= {f"r_sr{kind}": record, f"s_sr{kind}": record}
            for setting in (NO_TEST, WITH_TEST):
                metrics[f"pass@1_{setting}{kind}"] = passed if setting == own else None
        if "witnessed" in means:
            metrics["witnessed"] = means["witnessed"]
        if "suite" in question.fields:
            fair = question.typed(Fields)["suite"] == FAIR
            metrics["s_sr_unstated"] = None if fair else metrics["s_sr"]
            for kind in kinds:
                metrics[f"pass@1_no_test_fair{kind}"] = metrics[f"pass@1_no_test{kind}"] if fair else None
        metrics["code_found"] = means["code_found"]
        more = {f"{name}_{own}": value for name, value in pass_at_k.items() if name != "pass@1"}
        return {**metrics, **more}


# -- aggregations


def pairs_of(records: Sequence[Record | None]) -> list[scores.Pair]:
    """Return the pairs in the order of their problems; a problem with one document only is left out."""
    return paired(records, "setting", (NO_TEST, WITH_TEST))[0]


def _r_sr(pairs: Sequence[scores.Pair]) -> float:
    return scores.r_sr(pairs) if pairs else nan


def _s_sr(pairs: Sequence[scores.Pair]) -> float:
    return scores.mean_s_sr(pairs) if pairs else nan


def _say_what_is_left_out(records: Sequence[Record]) -> None:
    warn_of(paired(records, "setting", (NO_TEST, WITH_TEST))[1], "r_sr and s_sr leave")


r_sr = Aggregation(pairs_of, _r_sr, scores.r_sr_stderr, check=_say_what_is_left_out)
r_sr_suite = Aggregation(pairs_of, _r_sr, scores.r_sr_stderr)
s_sr = Aggregation(pairs_of, _s_sr, scores.mean_s_sr_stderr)
s_sr_unstated = Aggregation(pairs_of, _s_sr, scores.mean_s_sr_stderr)

SR = SpecificationReasoning()

dataset, process_results, extract_code = Hooks(SR).functions
