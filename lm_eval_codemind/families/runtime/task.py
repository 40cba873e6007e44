"""Runtime behaviour: which lines of a program run, what its variables hold, what comes next, and what comes out.

Four kinds of question, which are the settings: ``coverage``, ``state`` and ``path`` are about a line of a program on an
input, ``output`` is about the input. Each is asked where it needs execution: ``workshop/proof/runtime_questions.py``.
After REval (Chen et al., ICSE 2025), whose own questions a study has.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from lm_eval_codemind.answers import forms
from lm_eval_codemind.answers.blocks import Marks
from lm_eval_codemind.answers.comparison import same_output
from lm_eval_codemind.answers.literals import literal_or
from lm_eval_codemind.answers.pipeline import ANSWER, read
from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.data.facts.executions import ProgramExecution
from lm_eval_codemind.data.facts.runtime_inputs import RuntimeInput, inputs_of
from lm_eval_codemind.data.facts.runtime_labels import THE_END, InputLabels, Label, ends_of_lines, load_labels
from lm_eval_codemind.families.runtime.items import COVERAGE, NEEDS, OUTPUT, PATH, SETTINGS, STATE, Fields
from lm_eval_codemind.families.runtime.selection import ITEMS, chosen, select
from lm_eval_codemind.family import Family, Variant
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.harness.templates import numbered
from lm_eval_codemind.languages import Kind, kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import PLACE, Answer, Question

FILTER = "extract-answer"

_VIEW = "lm_eval_codemind.families.runtime.view:RuntimeView"
_USUAL = Variant("runtime", "Runtime", _VIEW)
_DIRECT = Variant("runtime_direct", "Runtime direct", _VIEW, submittable=False)
_SHORT = Variant("runtime_short", "Runtime short", _VIEW)


class RuntimeBehaviour(Family):
    """Questions on labels that are proven by execution.

    Args:
        answering: Known to the templates: ``steps`` where the model reasons first, ``direct`` where it answers at once.
    """

    variants: ClassVar[tuple[Variant, ...]] = (_USUAL, _DIRECT, _SHORT)
    templates = Path(__file__).with_name("templates")
    options: ClassVar[tuple[str, ...]] = (ITEMS,)
    filters = (FILTER,)
    metric = "state_executed"
    verdict = "right"
    # What the answers of several documents are put together for.
    joint_metrics: ClassVar[tuple[str, ...]] = ("coverage_balanced", "state_executed", "path_executed", "output")

    def __init__(self, answering: str = "steps") -> None:
        self.answering = answering

    def variant(self, benchmark: Benchmark, settings: Sequence[str]) -> Variant:
        return self.variants[1 if self.answering == "direct" else 0]

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        """Return the problems with a question to ask."""
        problems = super().problems(benchmark, options)
        return [problem for problem in problems if any(self.questions(problem, setting) for setting in SETTINGS)]

    def selected(self, questions: Sequence[Question], options: Mapping[str, Any]) -> Sequence[Question]:
        """Return a few questions of each kind about each problem, or all, as the option says."""
        most = chosen(options)
        return select(questions, most) if isinstance(most, int) else questions

    def stratum(self, question: Question) -> tuple[str, ...]:
        """Return the kind of question and whether its line counts for the metrics that nothing earns for free."""
        fields = question.typed(Fields)
        return (question.key.setting, str(fields["executed"]), str(fields["goes_on"]))

    def record(self, suite: dict[str, Any], benchmark: Benchmark, options: Mapping[str, Any]) -> None:
        suite[ITEMS] = chosen(options)

    def template(self, kind: Kind, setting: str) -> str:
        return setting

    def shown_settings(self, settings: Sequence[str]) -> Sequence[str]:
        return settings

    def questions(self, problem: Problem, setting: str) -> list[Question]:
        """Return the questions of a setting: at most one a line, of outputs one an input."""
        inputs = {runtime_input.number: runtime_input for runtime_input in inputs_of(problem)}
        return [
            self._question(problem, setting, f"input {run}", fields)
            for run, known in load_labels(problem.benchmark).get(problem.problem_id, {}).items()
            for fields in _fields(problem, inputs[run], known, setting)
        ]

    def own_questions(self, problem: Problem, execution: ProgramExecution, setting: str) -> list[Question]:
        (only,) = inputs_of(problem)
        return [
            self._question(problem, setting, "", fields) for fields in _fields(problem, only, execution.labels, setting)
        ]

    def _question(self, problem: Problem, setting: str, run: str, fields: dict[str, Any]) -> Question:
        item = ", ".join(part for part in (run, "" if setting == OUTPUT else f"line {fields['line']}") if part)
        fields["answer"] = self._right_answer(setting, fields)
        return Question.about(problem, setting, fields, item)

    def _right_answer(self, setting: str, fields: Mapping[str, Any]) -> str:
        if setting == COVERAGE:
            return "yes" if fields["executed"] else "no"
        if setting == STATE:
            return f"{fields['value']}; {fields['type_name']}"
        if setting == PATH:
            return forms.THE_END if fields["next_line"] == THE_END else str(fields["next_line"])
        return "\n".join(fields["outputs"])

    def example(self, kind: Kind, record: Mapping[str, Any], setting: str) -> Mapping[str, Any]:
        of_line = record["asked"].get(setting, {})
        fields = {**record, **of_line, "setting": setting, "printed": kind.printed}
        return {
            **fields,
            "answer": self._right_answer(setting, fields),
            "reasoning": record.get("reasoning", {}).get(setting, ""),
        }

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        text = fields["input"].strip("\n")
        called = text if "\n" not in text and not kind.printed else ""
        return {
            "numbered": numbered(fields["code"]),
            "input": fields["masked"] if setting == OUTPUT and not kind.printed else text,
            "stdin": text if kind.printed else None,
            "is_test": kind.name == "method",
            "set_up": fields["set_up"],
            "during": " when the script runs" if kind.printed else f" while {called or 'that'} runs",
            "not_counted": "" if called or kind.printed else ", but not the lines of the code that is run on it",
            "line": fields.get("line"),
            "number": ordinal(fields["asked_run"]) if fields.get("runs", 0) > 1 else "",
            "variable": fields.get("variable"),
            "values": len(fields.get("outputs", ())),
            "setting": self.answering,
        }

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {"answer": fields["answer"].strip("\n"), "setting": self.answering}

    # -- how a response is scored

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the answer as a text, with its parts in the details."""
        return self.read_between(ANSWER, response, question)

    def read_between(self, marks: Marks, response: str, question: Question) -> Answer:
        """Return the answer between marks; see :meth:`read`."""
        setting = question.key.setting
        if setting == COVERAGE:
            block = read(response, marks, forms.truth)
            return Answer(None if block.value is None else "yes" if block.value else "no", reading=block.reading)
        if setting == STATE:
            block = read(response, marks, forms.state, question.typed(Fields)["variable"])
            if block.value is None:
                return Answer(None, reading=block.reading)
            value, type_name = block.value
            return Answer(f"{value}; {type_name}" if type_name else value, {"value": value, "type": type_name})
        if setting == PATH:
            block = read(response, marks, forms.next_line)
            details = {"line": block.value} if isinstance(block.value, int) else {}
            return Answer(None if block.value is None else str(block.value), details, reading=block.reading)
        if kind_of(question).printed:
            block = read(response, marks, lambda text: [text] if text.strip() else None)
            return Answer(block.text, {"values": [block.text]}, reading=block.reading)
        block = read(response, marks, lambda text: forms.rows_of_values(text, len(question.typed(Fields)["outputs"])))
        values = block.value or []
        return Answer("\n".join(values) if values else None, {"values": values}, reading=block.reading)

    def right(self, question: Question, answer: Answer) -> bool:
        """Whether an answer is right."""
        if answer.text is None:
            return False
        setting, details, fields = question.key.setting, answer.details, question.typed(Fields)
        if setting == COVERAGE:
            return (answer.text == "yes") is fields["executed"]
        if setting == STATE:
            return same_state(details["value"], details["type"], fields["value"] or "", fields["type_name"])
        if setting == PATH:
            return same_path(details.get("line", answer.text), fields["next_line"], fields["next_end"])
        pairs = zip(details["values"], fields["outputs"], strict=True)
        return all(same_output(value, output, kind_of(question).printed) for value, output in pairs)

    def said_executed(self, answer: Answer) -> bool | None:
        """Whether an answer about coverage says that the line is executed; None if it says nothing."""
        return None if answer.text is None else answer.text == "yes"

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        return {"right": float(self.right(question, answer)), "answered": float(answer.text is not None)}

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        more = {f"{name}_{question.key.setting}": value for name, value in pass_at_k.items() if name != "pass@1"}
        return {"answered": means["answered"], **more}

    def joint(self, question: Question, answers: Sequence[Answer]) -> dict[str, Any]:
        """Return, for each metric that the question counts for, the record that :mod:`.items` aggregates."""
        setting, fields = question.key.setting, question.typed(Fields)
        record = {
            "program": question.key.problem_id,
            "run": fields["run"],
            "line": fields["line"],
            "setting": setting,
            "executed": fields["executed"],
            "goes_on": fields["goes_on"],
            "drawn": question.fields.get(PLACE),
            "right": [self.right(question, answer) for answer in answers],
            "said_executed": [self.said_executed(answer) if setting == COVERAGE else None for answer in answers],
        }
        # The harness wants every metric in every document: it is None where the question does not count for it.
        return {metric: record if setting in NEEDS[metric] else None for metric in self.joint_metrics}


def same_state(value: str, stated_type: str, label: str, type_name: str) -> bool:
    """Whether an answer states the value and the type of a variable.

    Values are compared as IER compares outputs. Case and module of the stated type do not count. If none is stated, the
    answer must be a literal of the right type.
    """
    if not same_output(value, label, printed=False):
        return False
    if stated_type:
        return stated_type.rpartition(".")[2].lower() == type_name.lower()
    return type(literal_or(value, "")).__name__ == type_name


def same_path(answer: int | str, following: int | None, last_line: int | None = None) -> bool:
    """Whether an answer, a number or :data:`~lm_eval_codemind.answers.forms.THE_END`, names the next line.

    Each line of the next statement, or of its header, is right: from ``following`` to ``last_line``. At the end of the
    program ``following`` is 0.
    """
    if following == THE_END:
        return answer == forms.THE_END
    if following is None or not isinstance(answer, int):
        return False
    return following <= answer <= max(following, last_line or 0)


def ordinal(number: int) -> str:
    """Return a number from 1 to 10 as the word for a place in order."""
    words = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
    return words[number - 1]


def _fields(
    problem: Problem, runtime_input: RuntimeInput, known: InputLabels, setting: str
) -> Iterator[dict[str, Any]]:
    """Yield the columns of each question about an input, without its answer."""
    code, is_state, ends = runtime_input.code, setting == STATE, ends_of_lines(runtime_input.code)
    of_input = {
        "code": code,
        "entry_point": problem.entry_point,
        "complexity": problem.to_row()["complexity"],
        "run": runtime_input.number,
        "input": runtime_input.input if runtime_input.expression is None else runtime_input.masked(()),
        "set_up": runtime_input.set_up,
        "masked": runtime_input.masked(known.outputs),
        "outputs": [output for output in known.outputs if output is not None],
    }
    for label in _asked(known, setting):
        yield {
            **of_input,
            "line": label.line,
            "variable": label.variable if is_state else "",
            "asked_run": label.run,
            "runs": label.runs,
            "executed": label.executed,
            "goes_on": label.executed and label.next_line != THE_END,
            "value": label.value if is_state else None,
            "type_name": label.type_name if is_state else "",
            "next_line": label.next_line,
            "next_end": ends.get(label.next_line or 0),
        }


def _asked(known: InputLabels, setting: str) -> Iterable[Label]:
    """Return the labels of the lines that a question is asked about; of outputs one for the input, of no line."""
    if setting == OUTPUT:
        return [Label(0, "")] if any(output is not None for output in known.outputs) else []
    return [label for label in known.labels if setting[0] in label.asked]


RUNTIME = RuntimeBehaviour()

dataset, process_results, extract_answer = Hooks(RUNTIME).functions

direct_dataset = Hooks(RuntimeBehaviour("direct")).dataset
short_dataset = Hooks(RUNTIME, short=True).dataset
