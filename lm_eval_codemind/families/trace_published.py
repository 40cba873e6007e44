"""Published questions about whole executions, with their labels and rules, for replication.

CoCoNUT asks for the lines that a call executes, in order.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from lm_eval_codemind.harness.aggregations import Aggregation
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.languages import Kind
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.prompts.templates import numbered
from lm_eval_codemind.questions import Answer, Family, Key, Question, Variant
from lm_eval_codemind.scores import trace_published as scores
from lm_eval_codemind.scores.clusters import clustered_mean_stderr

FILTER = "extract-trace"

_LIST = re.compile(r"\[[^\[\]]*(?:\]|$)")
# Their labels end with line 1 of a text that the program gives to eval().
_EVALUATED = frozenset({"HumanEval_160"})


class CoconutTrace(Family):
    """One question per call: which lines are executed, in order?"""

    variants = (
        Variant(
            "trace_published_coconut",
            "CoCoNUT",
            "lm_eval_codemind.views.trace_published:CoconutView",
            submittable=False,
        ),
    )
    templates = "trace_published"
    filters = (FILTER,)
    metric = "trace"
    verdict = "trace"

    def template(self, kind: Kind, setting: str) -> str:
        return "coconut"

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        row = problem.to_row()
        for number, call in enumerate(json.loads(problem.upstream_questions), start=1):
            fields = {column: row[column] for column in ("code", "entry_point", "complexity")}
            fields |= {"arguments": call["arguments"], "lines": call["lines"]}
            key = Key(problem.benchmark, problem.problem_id, setting, f"call {number}")
            yield Question(key, problem.kind, problem.language, fields)

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        # Some calls are recorded with a tuple of their arguments, others with the arguments.
        node = ast.parse(fields["arguments"].strip(), mode="eval").body
        arguments = node.elts if isinstance(node, ast.Tuple) else [node]
        call = f"{fields['entry_point']}({', '.join(map(ast.unparse, arguments))})"
        return {"numbered": numbered(fields["code"]), "call": call}

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {"answer": scores.collapsed(fields["lines"])}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the last list in a response; a list that the response breaks off in counts as far as it goes."""
        found = _LIST.findall(response)
        return Answer(found[-1] if found else None)

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        proven = scores.collapsed(question["lines"])
        if question.key.problem_id in _EVALUATED:
            proven = proven[:-1]
        lines = None if answer.found is None else lines_of(answer.found)
        return {
            "collapsed": float(lines == scores.collapsed(question["lines"])),
            "plain": float(lines == question["lines"]),
            "trace": float(lines is not None and scores.collapsed(lines) == proven),
            "answered": float(answer.found is not None),
        }

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        """Return the metrics of a document. Those over programs are records."""
        records = {rule: {"program": question.key.problem_id, "right": means[rule]} for rule in ("collapsed", "plain")}
        return {
            "mean": records["collapsed"],
            "hard": records["collapsed"],
            "mean_plain": records["plain"],
            "hard_plain": records["plain"],
            "trace": means["trace"],
            "answered": means["answered"],
        }


def lines_of(text: str) -> list[int] | None:
    """Return the numbers in a list; None if it has anything else, such as an ellipsis."""
    parts = [part.strip() for part in text.strip("[] \n").split(",")]
    return [int(part) for part in parts if part] if all(part.isdecimal() or not part for part in parts) else None


# -- aggregations


def _aggregation(of_program: Callable[[Sequence[float]], float]) -> Aggregation:
    """Return the aggregation of a score over programs."""

    def values(records: Sequence[Mapping[str, Any]]) -> list[float]:
        programs: dict[str, list[float]] = {}
        for record in records:
            programs.setdefault(record["program"], []).append(record["right"])
        return [of_program(rights) for rights in programs.values()]

    def value(records: Sequence[Mapping[str, Any]]) -> float:
        known = values(records)
        return sum(known) / len(known) if known else float("nan")

    return Aggregation(
        value,
        lambda records: clustered_mean_stderr(values(records), range(len(values(records)))),
        lambda records: len(values(records)),
    )


program_mean = _aggregation(scores.program_mean)
program_hard = _aggregation(scores.program_hard)

COCONUT = CoconutTrace()

_coconut = Hooks(COCONUT)
coconut_dataset, process_coconut, extract_trace = (
    _coconut.dataset,
    _coconut.process_results,
    _coconut.filter(FILTER),
)
