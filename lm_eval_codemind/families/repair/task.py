"""Bug repair: repair a program from its specification, with and without a test that reveals the bug (RQ6 and RQ7).

Each problem gives two documents, side by side. Both show the specification and the buggy program; one of them also
shows a test that the program fails. Nothing else differs: under ``steps`` and ``no_test_steps`` the model follows the
program step by step first, under ``direct`` and ``no_test`` it answers at once. The documents of a problem are paired
when the scores are aggregated.

B is a buggy program, C the correct one, T the tests of C, and t one of the tests that B fails. P is the model's repair:
P_S from the specification and B, P_{S+t} from the specification, B and t::

    pass@1             = mean of Pass(P_{S+t}, T)
    repaired_by_test   = mean of (1 - Pass(P_S, T)) * Pass(P_{S+t}, T)
    unchanged          = mean of [P = B], ignoring layout and documentation

A repair passes if it passes T and the problem's witnesses; metrics that end in ``_suite`` leave these out. The
equation of ``repaired_by_test`` is that of S_SR (:mod:`lm_eval_codemind.families.sr.score`). With several responses
to a problem, each factor is a share. The product is then an unbiased estimate, because the responses under the two
settings are independent. :func:`lm_eval_codemind.families.dsr.score.similarity` defines how similar two programs are.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lm_eval_codemind.data import load_bug
from lm_eval_codemind.data.facts.witnesses import OF_SPECIFICATION
from lm_eval_codemind.families.dsr.score import similarity
from lm_eval_codemind.families.pairs import mean_of_pairs, paired
from lm_eval_codemind.families.sr.score import s_sr
from lm_eval_codemind.families.sr.task import COLUMNS
from lm_eval_codemind.family import Family, Variant, problem_of
from lm_eval_codemind.harness.aggregations import mean_of
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.languages import Kind, get_language, kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Question

DIRECT = "direct"
WITHOUT_TEST = ("no_test", "no_test_steps")
_STEP_BY_STEP = ("steps", "no_test_steps")


_VIEW = "lm_eval_codemind.families.repair.view:RepairView"
_USUAL = Variant("repair", "Repair", _VIEW, in_overlap=True, paper="muennighoff2023octopack")
_DIRECT = Variant("repair_direct", "Repair direct", _VIEW, DIRECT, submittable=False, paper="muennighoff2023octopack")


class Repair(Family):
    """Bug repair: two questions per problem, without a test and with the one that reveals the bug."""

    variants = (_USUAL, _DIRECT)
    templates = Path(__file__).with_name("templates")
    executes = True
    witnesses = OF_SPECIFICATION
    filters = ("extract-code",)
    metric = "pass@1"
    verdict = "pass@1"

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        """Return the question of a setting, from the problem and its buggy form.

        Raises:
            ValueError: If the problem is of a benchmark without bugs.
        """
        bug = load_bug(problem)
        fields = {
            "buggy": bug.code,
            "buggy_complexity": bug.to_row()["complexity"],
            "test": "" if setting in WITHOUT_TEST else problem.hint_test,
            "answer": kind_of(problem).own_answer(problem),
        }
        yield Question.about(problem, setting, fields, columns=COLUMNS)

    def example(self, kind: Kind, record: Mapping[str, Any], setting: str) -> Mapping[str, Any]:
        return {**record, "test": "" if setting in WITHOUT_TEST else record["test"], "answer": record["code"]}

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        texts = {name: fields[name].strip("\n") for name in ("specification", "buggy", "test", "entry_point")}
        return {**texts, "setting": setting, "step_by_step": setting in _STEP_BY_STEP}

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        answer = {"code": fields["answer"].strip("\n"), "fence": get_language(kind.language).fence}
        return answer if setting in _STEP_BY_STEP else {**answer, "reasoning": ""}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the program that a response gives, together with what precedes it in the buggy one."""
        problem = problem_of(question)
        program = kind_of(question).program(
            response,
            problem,
            into=question["buggy"],
            context=problem.context,
            specification=problem.specification,
            original=question["buggy"],
        )
        return Answer.of_program(program)

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        """Return the scores of a response; a response without a program resembles nothing and changes nothing back."""
        code = None if answer.text is None else _compared(answer.text, question)
        bug, correct = (_compared(question[column], question) for column in ("buggy", "code"))
        return {
            "pass@1": float(answer.passed),
            "pass@1_suite": float(answer.passed_suite),
            "unchanged": float(code == bug),
            "similarity_to_bug": 0.0 if code is None else similarity(code, bug),
            "similarity_to_correct": 0.0 if code is None else similarity(code, correct),
            "code_found": float(code is not None),
            "witnessed": float(bool(self.judged(question).witnesses)),
        }

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        """Return the metrics of a document.

        ``repaired_by_test`` is a property of pairs: its values are records, which the aggregations below pair.
        ``pass@1`` is None in documents without a test, and ``pass@1_no_test`` in those with one.
        Names that end with ``_suite`` leave the witnesses out.
        """
        without = question.key.setting in WITHOUT_TEST
        suffix = "_no_test" if without else ""
        metrics: dict[str, Any] = {}
        for kind in ("", "_suite"):
            passed = means[f"pass@1{kind}"]
            record = {"problem_id": question.key.problem_id, "with_test": not without, "passed": passed}
            metrics |= {
                f"pass@1{kind}": None if without else passed,
                f"pass@1_no_test{kind}": passed if without else None,
                f"repaired_by_test{kind}": record,
            }
        metrics |= {name: value for name, value in means.items() if not name.startswith("pass@1")}
        return metrics | {f"{name}{suffix}": value for name, value in pass_at_k.items() if name != "pass@1"}


def _compared(program: str, question: Question) -> str:
    """Return the part of a program that was asked for, in the form in which programs are compared."""
    problem = problem_of(question)
    try:
        part = kind_of(problem).extract_target(program, problem)
    except SyntaxError:
        part = program
    return get_language(question.language).bare_form(part, problem.context)


# -- aggregations

repaired_by_test = mean_of_pairs("repaired_by_test", "with_test", (False, True), s_sr)
repaired_by_test_suite = mean_of(
    lambda records: [s_sr(*pair) for pair in paired(records, "with_test", (False, True))[0]]
)

REPAIR = Repair()

dataset, process_results, extract_code = Hooks(REPAIR).functions
