"""RE2-Bench's problems on proven labels: outputs, inputs, values of loop variables, and truth of conditions.

An output is that of the input in the prompt, which is the input before the call. Labels that no execution confirms
are left out. After RE2-Bench (arXiv 2512.14917); its own tasks are in :mod:`.published`.
"""

import ast
import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from lm_eval_codemind.answers.blocks import Marks
from lm_eval_codemind.answers.comparison import same_lines, same_output
from lm_eval_codemind.answers.forms import truth
from lm_eval_codemind.answers.literals import NotALiteralError, parse_literal
from lm_eval_codemind.answers.normal import typed
from lm_eval_codemind.answers.pipeline import read
from lm_eval_codemind.data.facts import shipped
from lm_eval_codemind.family import Variant
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.harness.templates import numbered
from lm_eval_codemind.languages import Kind, kind_of
from lm_eval_codemind.languages.values import render
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Question
from lm_eval_codemind.sandbox import CaseOutcome, Job, ScriptCase
from lm_eval_codemind.studies.re2 import values
from lm_eval_codemind.studies.re2.asked import BRANCH, INPUT, LOOP, OUTPUT, Fields, plain_listing, record_of
from lm_eval_codemind.studies.re2.published.rules import completed
from lm_eval_codemind.studies.re2.published.task import (
    OBJECT,
    InputPrediction,
    Prediction,
    class_of,
    mapping,
)

FACTS = Path(__file__).with_name("facts")
_MARKS = Marks.named("answer", "output", "input")
# Characters of the program, the code that it calls, the input and the output.
LONGEST = 23_000
_VIEW = "lm_eval_codemind.studies.re2.view:ProvenRe2View"


@cache
def proofs() -> Mapping[str, Mapping[str, Any]]:
    """Return the packaged proofs: problem -> task -> ``status``, ``value`` of a corrected label, ``reason``."""
    return {**shipped.load("projects.json", FACTS), **shipped.load("programs.json", FACTS)}


@cache
def plain_questions() -> Mapping[str, list[str]]:
    """Return task -> the problems whose loops or branches a rule on the syntax tree and the input answers."""
    plain: Mapping[str, list[str]] = shipped.load("plain.json", FACTS)
    return plain


def _variant(task: str) -> Variant:
    return Variant(f"re2_{task}", f"RE2-Bench {task}", _VIEW, "" if task == OUTPUT else task, paper="re2bench")


class Re2(Prediction):
    """Outputs, loops and branches; the setting is the task."""

    variants: ClassVar[tuple[Variant, ...]] = (_variant(OUTPUT), _variant(LOOP), _variant(BRANCH))
    templates = Path(__file__).with_name("templates")

    def template(self, kind: Kind, setting: str) -> str:
        return setting

    def example(self, kind: Kind, record: Mapping[str, Any], setting: str) -> Mapping[str, Any]:
        return {**record, **record[setting]}

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        """Return the question of a task about a problem, if its label is proven or corrected and it is not too long."""
        proof = proofs().get(problem.problem_id, {})
        # A corrected input is one that we chose, and it is one of many.
        if proof.get(setting, {}).get("status") not in ("proven", "" if setting == INPUT else "corrected"):
            return
        record = record_of(problem.upstream_questions)
        fields = {"difficulty": record["difficulty"], "source": record["source"], "called": ""}
        if setting in (LOOP, BRANCH):
            label = _flow_label(record[setting], proof[setting], setting)
            if any("\n" in text for *_, texts in _lists(label) for text in map(str, texts)):
                # An answer has one line for each list.
                return
            code, shown = plain_listing(record[setting]["code"]), record[setting]["input"].strip()
            fields |= {"code": code, "shown": proof[setting].get("input") or shown, "label": json.dumps(label)}
        else:
            inputs = proof[INPUT].get("value", record["values"]["inputs"])
            output = _output(proof[OUTPUT], record["values"]["return"])
            shown, answer = (inputs, output) if setting == OUTPUT else (output, inputs)
            fields |= {"code": problem.code, "called": record["called"], "label": render(answer)}
            fields["shown"] = str(shown) if problem.kind == "script" else json.dumps(shown, indent=2, default=str)
        if not isinstance(fields["shown"], str):
            fields["shown"] = json.dumps(fields["shown"], indent=2)
        if sum(len(fields[name]) for name in ("code", "called", "shown", "label")) <= LONGEST:
            yield Question.about(problem, setting, fields, columns=("entry_point", "complexity"))

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        texts = {name: fields[name].strip("\n") for name in ("code", "called", "entry_point", "shown")}
        lines = json.loads(fields["label"]) if setting in (LOOP, BRANCH) else {}
        return {**texts, "numbered": numbered(fields["code"]), "lines": lines, "printed": kind.printed}

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        if setting not in (LOOP, BRANCH):
            label = parse_literal(fields["label"])
            text = label if kind.printed else json.dumps(label) if _is_json(label) else fields["label"]
            return {"answer": str(text).strip("\n")}
        rows = []
        for line, name, items in _lists(json.loads(fields["label"])):
            texts = items if setting == LOOP else ["Y" if truth else "N" for truth in items]
            rows.append(f"line {line}: {f'{name} = ' if name else ''}[{', '.join(texts)}]")
        return {"answer": "\n".join(rows)}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the text of the value or of the lists, or the text that a script prints or reads."""

        def form(text: str) -> str | None:
            if question.key.setting in (LOOP, BRANCH):
                return text if values.read_lines(text) else None
            return text if printed else values.value_at_start(text)

        printed = kind_of(question).printed
        block = read(completed(response), _MARKS, form, empty=printed)
        return Answer(block.value, reading=block.reading)

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        """Return the metrics of a document; ``accuracy_easy_searched`` is None where a rule gives the label."""
        metrics = super().logged(question, means, pass_at_k)
        is_plain = question.key.problem_id in plain_questions().get(question.key.setting, ())
        return {**metrics, "accuracy_easy_searched": None if is_plain else metrics["accuracy_easy"]}

    def states(self, question: Question, answer: Answer) -> bool:
        """Whether an answer equals the label by value."""
        if answer.text is None:
            return False
        if question.key.setting in (LOOP, BRANCH):
            return all(place is None for *_, place in compared(question.fields, question.key.setting, answer.text))
        label = parse_literal(question.typed(Fields)["label"])
        if kind_of(question).printed:
            return same_output(answer.text, str(label), printed=True)
        return values.same_plain(_unwrapped(values.read_value(answer.text)), label)


class Re2Input(InputPrediction, Re2):
    """Inputs, executed on values as Python has them."""

    variants = (_variant(INPUT),)

    def execution(self, question: Question, text: str) -> Job | None:
        fields = question.typed(Fields)
        if kind_of(question).printed:
            return Job.script(fields["code"], [ScriptCase(typed(text))])
        value = values.read_value(text)
        if not isinstance(value, dict):
            return None
        attributes, *arguments = (_source(mapping(value.get(name))) for name in ("self", "args", "kwargs"))
        call = f"{fields['entry_point']}(**{arguments[0]}, **{arguments[1]})"
        name = class_of(question)
        expression = f"{OBJECT.format(name=name, attributes=attributes)}_object.{call}" if name else call
        return Job.evaluate(fields["code"], [expression])

    def gives_output(self, question: Question, seen: CaseOutcome) -> bool:
        if kind_of(question).printed:
            return same_lines(seen.stdout, question.typed(Fields)["shown"])
        if seen.literal is None or seen.exception_type:
            return False
        return values.same_plain(parse_literal(seen.literal), json.loads(question.typed(Fields)["shown"]))


def compared(
    fields: Mapping[str, Any], setting: str, text: str
) -> list[tuple[str, str, list[Any], list[Any], int | None]]:
    """Return line, name, answer, label and place of the first difference for each list that a question asks for."""
    lines, rows = values.read_lines(text) or {}, []
    for line, name, label in _lists(json.loads(fields["label"])):
        states = lines.get(line, {})
        # A line with one variable needs no name.
        answer = states.get(name, states.get("", next(iter(states.values())) if len(states) == 1 and not name else []))
        if setting == BRANCH:
            answer = [truth(str(item)) for item in answer]
        else:
            label = [values.read_value(item) for item in label]
        rows.append((line, name, answer, label, values.first_difference(answer, label)))
    return rows


def _lists(label: Mapping[str, Any]) -> Iterable[tuple[str, str, list[Any]]]:
    """Yield line, name of the variable (empty for a condition) and list of a label."""
    for line in sorted(label, key=int):
        states = label[line] if isinstance(label[line], dict) else {"": label[line]}
        for name, items in states.items():
            yield line, name, items


def _flow_label(record: Mapping[str, Any], proof: Mapping[str, Any], setting: str) -> Mapping[str, Any]:
    """Return the proven label of loops or branches: the corrected one, or upstream's for the lines that are asked."""
    if "value" in proof:
        value: Mapping[str, Any] = proof["value"]
        return value
    label: Mapping[str, Any] = record["label"]
    heads = (ast.For,) if setting == LOOP else (ast.If, ast.While)
    nodes = {
        str(node.lineno): node for node in ast.walk(ast.parse(plain_listing(record["code"]))) if isinstance(node, heads)
    }
    if setting == BRANCH:
        return {line: label[line] for line in label if line in nodes}
    targets = {
        line: {part.id for part in ast.walk(node.target) if isinstance(part, ast.Name)}
        for line, node in nodes.items()
        if isinstance(node, ast.For)
    }
    return {
        line: {name: [repr(item) for item in items] for name, items in states.items() if name in targets[line]}
        for line, states in label.items()
        if line in targets
    }


def _output(proof: Mapping[str, Any], recorded: Any) -> Any:
    if "value" not in proof:
        return recorded
    try:
        return parse_literal(proof["value"])
    except NotALiteralError:
        return proof["value"]


def _unwrapped(value: Any) -> Any:
    """Return the value of an object with the key ``output`` alone, which RE2-Bench asks for; any other value itself."""
    return value["output"] if isinstance(value, dict) and list(value) == ["output"] else value


def _source(value: Any) -> str:
    """Return the Python expression for a value of JSON. Text of a complex number or of a date stands for that."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_source(item)}' for key, item in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_source, value))}]"
    if isinstance(value, str) and value.startswith("datetime.datetime("):
        numbers = parse_literal(value.removeprefix("datetime.datetime"))
        return f"__import__('datetime').datetime{numbers!r}"
    if isinstance(value, str) and value.startswith("(") and isinstance(values.read_value(value), complex):
        return value
    return render(value)


def _is_json(value: Any) -> bool:
    try:
        return bool(json.loads(json.dumps(value)) == value)
    except (TypeError, ValueError):
        return False


RE2 = Re2()
RE2_INPUT = Re2Input()

dataset, process_results, extract_answer = Hooks(RE2).functions
input_dataset, input_process_results, extract_input = Hooks(RE2_INPUT).functions
