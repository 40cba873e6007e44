"""Published questions about whole executions, with their prompts, labels and rules, for replication.

CoCoNUT asks for the lines that a call executes, in order. CES asks for the states of loops, the values of conditions,
the branches and the output.
"""

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict

from lm_eval_codemind.answers.thinking import without_thinking
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.families.published.prompts import FORM, UpstreamPrompts
from lm_eval_codemind.family import Variant
from lm_eval_codemind.harness.aggregations import mean_of
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.languages import Kind
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Question
from lm_eval_codemind.studies.traces import ces as answers
from lm_eval_codemind.studies.traces import score as scores
from lm_eval_codemind.studies.traces.asked import BRANCH, CONDITION, ITERABLE, VARIABLE
from lm_eval_codemind.studies.traces.ces_prompts import FORMS, annotated, ces_prompt

FILTER = "extract-trace"
CES_TRACES = "ces_traces.json"
FACTS = Path(__file__).parent
_VIEWS = "lm_eval_codemind.studies.traces.view"

_LIST = re.compile(r"\[[^\[\]]*(?:\]|$)")
# Their labels end with line 1 of a text that the program gives to eval().
_EVALUATED = frozenset({"HumanEval_160"})


class CoconutFields(TypedDict):
    """The columns of a document of CoCoNUT: a call, and the lines that it executes."""

    code: str
    entry_point: str
    complexity: Mapping[str, Any] | None
    arguments: str
    lines: list[int]


class CesFields(TypedDict):
    """The columns of a document of CES. The marks in its program are JSON, and so are the proven ones."""

    code: str
    input: str
    output: str
    entry_point: str
    complexity: Mapping[str, Any] | None
    marks: str
    proven: str


class CoconutTrace(UpstreamPrompts):
    """One question per call: which lines are executed, in order?"""

    variants = (
        Variant("trace_published_coconut", "CoCoNUT", f"{_VIEWS}:CoconutView", submittable=False, paper="coconut"),
    )
    prompt_texts = "coconut_prompts"
    filters = (FILTER,)
    metric = "trace"
    verdict = "trace"

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        for number, call in enumerate(json.loads(problem.upstream_questions), start=1):
            fields = {"arguments": call["arguments"], "lines": call["lines"]}
            yield Question.about(problem, setting, fields, f"call {number}", ("code", "entry_point", "complexity"))

    def text(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> str:
        listing = self.texts(fields["problem_id"])["listing"]
        prompt: str = self.texts()["template"].format(listing, fields["entry_point"], fields["arguments"])
        return prompt

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {"answer": scores.collapsed(fields["lines"])}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the last list in a response; a list that the response breaks off in counts as far as it goes."""
        lists = _LIST.findall(without_thinking(response) or "")
        return Answer(lists[-1] if lists else None)

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        proven = scores.collapsed(question.typed(CoconutFields)["lines"])
        if question.key.problem_id in _EVALUATED:
            proven = proven[:-1]
        lines = None if answer.text is None else lines_of(answer.text)
        return {
            "collapsed": float(lines == scores.collapsed(question.typed(CoconutFields)["lines"])),
            "plain": float(lines == question.typed(CoconutFields)["lines"]),
            "trace": float(lines is not None and scores.collapsed(lines) == proven),
            "answered": float(answer.text is not None),
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


class CesTrace(UpstreamPrompts):
    """One question per input: the states of loops, the values of conditions, the branches and the output."""

    variants = (Variant("trace_published_ces", "CES", f"{_VIEWS}:CesView", submittable=False, paper="ces"),)
    prompt_texts = "ces_prompts"
    forms = FORMS
    options = (FORM,)
    filters = (FILTER,)
    metric = "output"
    verdict = "output"

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        complexity = problem.to_row()["complexity"]
        for record in json.loads(problem.upstream_questions):
            fields = {name: record[name] for name in ("code", "input", "output")}
            fields |= {"entry_point": problem.entry_point, "complexity": complexity}
            fields |= {"marks": json.dumps(record["marks"]), "proven": json.dumps(proven_marks(record))}
            yield Question.about(problem, setting, fields, record["name"])

    def text(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> str:
        shown, marks = self.texts(fields["item"]), json.loads(fields["marks"])
        # A program without loops and conditions is shown as it is, and only its output is asked for.
        asked = any(kind != BRANCH for _, kind, *_ in marks)
        program = annotated(shown["code"], _notes(marks, hidden=True)) if asked else shown["code"]
        return ces_prompt(self.texts(), fields[FORM], shown["code"], program, shown["input"], direct=not asked)

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        program = annotated(fields["code"], _notes(json.loads(fields["marks"]), hidden=False)).rstrip("\n")
        output = fields["output"].strip()
        return {"answer": f"[PYTHON]\n{program}\n[/PYTHON]\n\n[OUTPUT]\n{output}\n[/OUTPUT]"}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the annotated program, with the stated output in the details."""
        code = answers.laid_out_as(answers.annotated_code(response), question.typed(CesFields)["code"])
        return Answer(code or None, {"output": answers.stated_output(response)})

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        code, stated, fields = answer.text or "", answer.details["output"], question.typed(CesFields)
        expected = answers.value_of(fields["output"].strip())
        output = stated is not None and answers.value_of(stated.strip()) == expected
        pairs = answer.details["bits"] = bits(json.loads(fields["marks"]), fields["code"], answers.read_marks(code))
        proven = json.loads(fields["proven"])
        stated_marks = answers.on_lines_of(code, fields["code"])
        trace = all(
            _states(stated_marks.get(line, {}).get(name), [answers.value_of(text) for text in values])
            for line, name, values in proven
        )
        return {
            "output": float(output),
            "coherent": float(
                all(scores.coherent(kind == "loop", first, second, output) for _, kind, (first, second) in pairs)
            ),
            "trace": float(trace),
            "lucky": float(output and not trace),
            "answered": float(answer.text is not None),
        }

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        """Return the metrics of a document. Those of traces are None without marks that are proven."""
        metrics: dict[str, Any] = {**means, "right_for_the_right_reason": None}
        if question.typed(CesFields)["proven"] == "[]":
            return {**metrics, "trace": None, "lucky": None}
        if means["output"]:
            metrics["right_for_the_right_reason"] = (means["output"] - means["lucky"]) / means["output"]
        return metrics


def bits(marks: Sequence[Any], program: str, stated: answers.Marks) -> list[tuple[int, str, tuple[bool, bool]]]:
    """Return the two bits of each loop and each chain of conditions, by CES's rules: line, kind, bits."""
    lines: dict[int, dict[str, dict[str, list[Any]]]] = {}
    for line, kind, name, values in marks:
        lines.setdefault(line, {}).setdefault(kind, {})[name] = [answers.value_of(text) for text in values]

    def right(line: int, kind: str) -> bool:
        """Whether all recorded marks of a kind on a line are stated."""
        texts = stated.get(line, {})
        return all(
            answers.same_values(texts.get(name), values, nested=kind == ITERABLE)
            if kind in (VARIABLE, ITERABLE)
            else _same_list(texts.get(_title(kind, name)), values)
            for name, values in lines.get(line, {}).get(kind, {}).items()
        )

    verdicts = [
        (line, "loop", (right(line, VARIABLE), right(line, ITERABLE))) for line in lines if ITERABLE in lines[line]
    ]
    for chain in _chains(program):
        lines_asked = [line for line in chain if lines.get(line, {}).keys() & {CONDITION, BRANCH}]
        if lines_asked:
            conditions, branches = (all(right(line, kind) for line in lines_asked) for kind in (CONDITION, BRANCH))
            verdicts.append((lines_asked[-1], "condition", (conditions, branches)))
    return verdicts


def proven_marks(record: Mapping[str, Any]) -> list[tuple[int, str, list[str]]]:
    """Return the loop variables and the conditions of an input with their executed values: line, name, values as text.

    ``ces_traces.json`` has the values that upstream records otherwise.
    """
    corrected = shipped.load(CES_TRACES, FACTS).get(record["name"], {})
    nodes = (node for node in ast.walk(ast.parse(record["code"])) if isinstance(node, ast.If))
    tests = {(node.lineno - 1, ast.get_source_segment(record["code"], node.test)) for node in nodes}
    marks = []
    for line, kind, name, values in record["marks"]:
        if kind == VARIABLE or (kind == CONDITION and (line, name) in tests):
            title = _title(kind, name)
            executed = corrected.get(f"{line} {title}", values)
            if executed is not None:
                marks.append((line, title, executed))
    return marks


def _title(kind: str, name: str) -> str:
    """Return what a mark is called: a condition stands in brackets."""
    return f"({name})" if kind == CONDITION else name


def _chains(program: str) -> list[list[int]]:
    """Return the lines of each ``if`` with its ``elif`` and ``else``, counted from 0."""
    lines, seen, chains = program.split("\n"), set(), []
    for node in ast.walk(ast.parse(program)):
        if not isinstance(node, ast.If) or node in seen:
            continue
        chain, last = [node.lineno - 1], node
        while (
            len(last.orelse) == 1 and isinstance(last.orelse[0], ast.If) and "elif" in lines[last.orelse[0].lineno - 1]
        ):
            last = last.orelse[0]
            seen.add(last)
            chain.append(last.lineno - 1)
        if last.orelse:
            start = last.orelse[0].lineno - 2
            chain.append(next(line for line in range(start, 0, -1) if lines[line].strip().startswith("else")))
        chains.append(chain)
    return chains


def _same_list(text: str | None, values: Sequence[Any]) -> bool:
    """Whether a mark states the decisions of a condition or branch by CES's rule. Letters need no quotes."""
    if text is None:
        return False
    return answers.list_of(re.sub(r"(?<![\w'\"])([YN])(?![\w'\"])", r"'\1'", text)) == values


def _states(text: str | None, values: Sequence[Any]) -> bool:
    """Whether a mark states executed values, in one list or in a list for each execution of its loop."""
    if text is None:
        return False
    answer = answers.list_of(text)
    return answer == values or (
        all(isinstance(one, list) for one in answer) and [value for one in answer for value in one] == values
    )


def _notes(marks: Sequence[Sequence[Any]], hidden: bool) -> dict[int, str]:
    """Return the marks of each line, with ``??`` in place of the values if hidden."""
    wraps = {VARIABLE: "STATE", ITERABLE: "STATE", CONDITION: "CONDITION", BRANCH: "BRANCH"}
    notes: dict[int, str] = {}
    for line, kind, name, values in marks:
        value = "??" if hidden else f"[{', '.join(repr(answers.value_of(text)) for text in values)}]"
        notes[line] = notes.get(line, "") + f"[{wraps[kind]}]{_title(kind, name)}={value}[/{wraps[kind]}]"
    return notes


# -- aggregations


def rights_by_program(records: Iterable[Mapping[str, Any]]) -> Iterable[Sequence[float]]:
    """Return the scores of the calls of each program."""
    programs: dict[str, list[float]] = {}
    for record in records:
        programs.setdefault(record["program"], []).append(record["right"])
    return programs.values()


program_mean = mean_of(lambda records: [scores.program_mean(rights) for rights in rights_by_program(records)])
program_hard = mean_of(lambda records: [scores.program_hard(rights) for rights in rights_by_program(records)])

COCONUT = CoconutTrace()

coconut_dataset, process_coconut, extract_trace = Hooks(COCONUT).functions

CES = CesTrace()

ces_dataset, process_ces, extract_annotated = Hooks(CES).functions
