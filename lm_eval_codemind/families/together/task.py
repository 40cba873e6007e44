"""Runtime behaviour with one request a program: all questions about it at once.

They are questions of ``codemind_runtime``, and each answer is read and scored as there. It is another measure: one
chain of reasoning serves all answers, and a question about what happens at a line says that the line is executed. So no
question about a value or a next line is about a line that the request asks to be executed or not.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from lm_eval_codemind.answers.blocks import Marks
from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.families.runtime.items import COVERAGE, OUTPUT, SETTINGS, Fields, aggregation
from lm_eval_codemind.families.runtime.selection import USUAL, select
from lm_eval_codemind.families.runtime.task import FILTER, RUNTIME, ordinal
from lm_eval_codemind.family import Family, Variant
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.harness.templates import numbered
from lm_eval_codemind.languages import Kind
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Key, Question

# Columns of a question of runtime behaviour that all questions about a program share.
_SHARED = ("code", "entry_point", "complexity")


class RuntimeTogether(Family):
    """All questions about a program in one request; the document has them in the column ``questions``."""

    variants = (
        Variant("runtime_together", "Runtime together", "lm_eval_codemind.families.together.view:TogetherView"),
    )
    templates = Path(__file__).with_name("templates")
    filters = (FILTER,)
    metric = "state_executed"
    verdict = "right"

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        return RUNTIME.problems(benchmark, options)

    def questions(self, problem: Problem, setting: str) -> list[Question]:
        """Return the question about a problem: of each kind at most as many as ``codemind_runtime`` asks."""
        coverage = select(RUNTIME.questions(problem, COVERAGE), USUAL)
        told = {_place(question) for question in coverage}
        others = [
            question
            for kind in SETTINGS
            if kind != COVERAGE
            for question in RUNTIME.questions(problem, kind)
            if _place(question) not in told
        ]
        asked = [*coverage, *select(others, USUAL)]
        shared = {name: asked[0][name] for name in _SHARED}
        columns = [_columns(question) for question in asked]
        return [Question.about(problem, "", {**shared, "questions": columns})]

    def template(self, kind: Kind, setting: str) -> str:
        return "together"

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        asked: Sequence[Mapping[str, Any]] = fields["questions"]
        runs = list(dict.fromkeys(str(one["run"]) for one in asked))
        with_output = {str(one["run"]) for one in asked if one["setting"] == OUTPUT}
        inputs = []
        for run in runs:
            first = next(one for one in asked if str(one["run"]) == run)
            is_masked = run in with_output and not kind.printed
            inputs.append({"text": first["masked" if is_masked else "input"].strip("\n"), "set_up": first["set_up"]})
        return {
            "numbered": numbered(fields["code"]),
            "is_test": kind.name == "method",
            "printed": kind.printed,
            "inputs": inputs,
            "questions": [
                {
                    "setting": one["setting"],
                    "input": runs.index(str(one["run"])) + 1 if len(runs) > 1 else 0,
                    "line": one["line"],
                    "number": ordinal(one["asked_run"]) if (one["runs"] or 0) > 1 else "",
                    "variable": one["variable"],
                    "count": len(one["outputs"]),
                }
                for one in asked
            ],
        }

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {"answers": [one["answer"].strip("\n") for one in fields["questions"]]}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the answers to all questions, each from the block with its number.

        The response is read if each of them is. Else it is malformed: the answers in it count, and the others are
        incorrect. Without any block it has no answer.
        """
        answers = [
            RUNTIME.read_between(Marks.named(f"answer{number}"), response, part)
            for number, part in enumerate(parts(question), start=1)
        ]
        readings = {answer.reading for answer in answers}
        reading = readings.pop() if len(readings) == 1 else "malformed"
        read = [f"{number}: {answer.text}" for number, answer in enumerate(answers, start=1) if answer.text is not None]
        details = [{"text": answer.text, "reading": answer.reading, **answer.details} for answer in answers]
        return Answer("\n".join(read) if read else None, {"answers": details}, reading=reading)

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        """Return whether all answers are right, the share of questions with an answer, and whether all have one."""
        pairs = list(zip(parts(question), answers_of(answer), strict=True))
        answered = [one.text is not None for _, one in pairs]
        return {
            "right": float(all(RUNTIME.right(part, one) for part, one in pairs)),
            "answered": sum(answered) / len(answered),
            "complete": float(all(answered)),
        }

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        more = {name: value for name, value in pass_at_k.items() if name != "pass@1"}
        return {"answered": means["answered"], "complete": means["complete"], **more}

    def joint(self, question: Question, answers: Sequence[Answer]) -> dict[str, Any]:
        """Return, for each metric, the records of the questions that count for it."""
        of_parts = zip(*(answers_of(answer) for answer in answers), strict=True)
        records = [RUNTIME.joint(part, of_part) for part, of_part in zip(parts(question), of_parts, strict=True)]
        return {
            metric: [record[metric] for record in records if record[metric] is not None]
            for metric in RUNTIME.joint_metrics
        }


def parts(question: Question) -> list[Question]:
    """Return the questions of runtime behaviour that a question puts together."""
    shared = {name: question[name] for name in _SHARED}
    return [
        Question(
            Key(question.key.benchmark, question.key.problem_id, columns["setting"], columns["item"]),
            question.kind,
            question.language,
            {**shared, **columns},
        )
        for columns in question["questions"]
    ]


def answers_of(answer: Answer) -> list[Answer]:
    """Return the answer to each of the questions."""
    parts = [dict(part) for part in answer.details["answers"]]
    return [Answer(part.pop("text"), reading=part.pop("reading"), details=part) for part in parts]


def _place(question: Question) -> tuple[str, int]:
    fields = question.typed(Fields)
    return fields["run"], fields["line"]


def _columns(question: Question) -> dict[str, Any]:
    own = {name: value for name, value in question.fields.items() if name not in _SHARED}
    return {"setting": question.key.setting, "item": question.key.item, **own}


TOGETHER = RuntimeTogether()

dataset, process_results, extract_answer = Hooks(TOGETHER).functions

coverage_balanced = aggregation("coverage_balanced", chain.from_iterable)
state_executed = aggregation("state_executed", chain.from_iterable)
path_executed = aggregation("path_executed", chain.from_iterable)
output = aggregation("output", chain.from_iterable)
