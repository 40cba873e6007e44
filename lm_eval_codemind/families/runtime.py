"""Runtime behaviour: which lines of a program run, what its variables hold, what comes next, and what comes out.

Four questions an item, a line and a variable of a program on an input: the settings ``coverage``, ``state``, ``path``,
and ``output``, which the items of an input share and which is asked once. The documents of an item are put together
when scores are aggregated. After REval (Chen et al., ICSE 2025), on labels of our own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from lm_eval_codemind.answers import runtime as answers
from lm_eval_codemind.benchmarks import reval
from lm_eval_codemind.catalogue import Benchmark
from lm_eval_codemind.data import load_problem
from lm_eval_codemind.execution import Job
from lm_eval_codemind.facts.runtime_labels import (
    ONLY,
    THE_END,
    InputLabels,
    Label,
    PublishedLabel,
    ends_of_lines,
    load_labels,
    load_published,
    load_unrunnable,
)
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.languages import Kind, kind_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Family, Key, Question, Variant
from lm_eval_codemind.scores.runtime import METRICS, Item, clustered_stderr

logger = logging.getLogger(__name__)

COVERAGE, STATE, PATH, OUTPUT = SETTINGS = ("coverage", "state", "path", "output")

# Metric -> the questions that it is computed from.
NEEDS: dict[str, tuple[str, ...]] = {
    "coverage": (COVERAGE,),
    "coverage_f1": (COVERAGE,),
    "coverage_balanced": (COVERAGE,),
    "state": (STATE,),
    "state_executed": (STATE,),
    "path": (PATH,),
    "path_executed": (PATH,),
    "output": (OUTPUT,),
    "ic": SETTINGS,
}

# The columns of a problem that a document of this family shows.
_COLUMNS = ("code", "entry_point", "complexity")
_FILTER = "extract-answer"

Record = Mapping[str, Any]


_VIEW = "lm_eval_codemind.views.runtime:RuntimeView"
_USUAL = Variant("runtime", "Runtime", _VIEW)
_DIRECT = Variant("runtime_direct", "Runtime direct", _VIEW, submittable=False)


class RuntimeBehaviour(Family):
    """Questions on labels that are proven by execution.

    Args:
        answering: Known to the templates: ``steps`` where the model reasons first, ``direct`` where it answers at once.
    """

    variants: ClassVar[tuple[Variant, ...]] = (_USUAL, _DIRECT)
    templates = "runtime"
    filters = (_FILTER,)
    metric = "state_executed"
    verdict = "right"

    def __init__(self, answering: str = "steps") -> None:
        self.answering = answering

    def variant(self, benchmark: Benchmark, settings: Sequence[str]) -> Variant:
        return _DIRECT if self.answering == "direct" else _USUAL

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        """Return the problems with a line to ask about."""
        problems = super().problems(benchmark, options)
        return [problem for problem in problems if any(_kept(given) for _, given in _labelled(problem))]

    def template(self, kind: Kind, setting: str) -> str:
        return setting

    def shown_settings(self, settings: Sequence[str]) -> Sequence[str]:
        return settings

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        """Return the questions of a setting: one a line, of outputs one an input."""
        for run, given in _labelled(problem):
            labels = _kept(given)
            if not labels:
                continue
            shared = self._shared(problem, run, given)
            for label in [labels[0]] if setting == OUTPUT else labels:
                fields = {**shared, **_of_line(problem.code, None if setting == OUTPUT else label)}
                yield self._question(problem, setting, run, fields)

    def _shared(self, problem: Problem, run: str, given: InputLabels) -> dict[str, Any]:
        """Return the columns that the questions about an input have in common."""
        row = problem.to_row()
        shown = _shown(problem, run, given)
        outputs = [output for output in given.outputs if output is not None]
        return {**{column: row[column] for column in _COLUMNS}, "run": run, **shown, "outputs": outputs}

    def _question(self, problem: Problem, setting: str, run: str, fields: dict[str, Any]) -> Question:
        item = f"input {run}" if setting == OUTPUT else reval.item_key(int(run), fields["line"])
        fields["answer"] = self._right_answer(setting, fields)
        return Question(
            Key(problem.benchmark, problem.problem_id, setting, item), problem.kind, problem.language, fields
        )

    def _right_answer(self, setting: str, fields: Mapping[str, Any]) -> str:
        if setting == COVERAGE:
            return "yes" if fields["executed"] else "no"
        if setting == STATE:
            return f"{fields['value']}; {fields['type_name']}" if fields["executed"] else answers.NOT_EXECUTED
        if setting == PATH:
            return _next_in_words(fields)
        return "\n".join(fields["outputs"])

    def example(self, kind: Kind, record: Mapping[str, Any], setting: str) -> Mapping[str, Any]:
        of_line = {} if setting == OUTPUT else record["asked"]
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
            "set_up": fields["set_up"],
            "during": " when the script runs" if kind.printed else f" while {called or 'that'} runs",
            "not_counted": "" if called or kind.printed else ", but not the lines of the code that is run on it",
            "line": fields.get("line"),
            "variable": fields.get("variable"),
            "values": len(fields.get("outputs", ())),
            "setting": self.answering,
        }

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {
            "answer": fields["answer"].strip("\n"),
            "reasoning": (fields.get("reasoning") or "").strip(),
            "setting": self.answering,
        }

    # -- how a response is scored

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the answer as a text, with its parts in the details."""
        setting = question.key.setting
        if setting == COVERAGE:
            executed = answers.read_coverage(response)
            return Answer(None if executed is None else "yes" if executed else "no")
        if setting == STATE:
            state = answers.read_state(response)
            if state is None:
                return Answer(None)
            if not state.executed:
                return Answer(answers.NOT_EXECUTED, {"executed": False})
            shown = f"{state.value}; {state.type_name}" if state.type_name else state.value
            return Answer(shown, {"value": state.value, "type": state.type_name})
        if setting == PATH:
            following = answers.read_path(response, question["code"].split("\n"))
            details = {"line": following} if isinstance(following, int) else {}
            return Answer(None if following is None else str(following), details)
        values = answers.read_outputs(response, question["masked"])
        return Answer(None) if values is None else Answer("\n".join(values), {"values": list(values)})

    def right(self, question: Question, answer: Answer) -> bool:
        """Tell whether an answer is right."""
        if answer.found is None:
            return False
        setting, details = question.key.setting, answer.details
        if setting == COVERAGE:
            return (answer.found == "yes") is question["executed"]
        if setting == STATE:
            state = answers.State(details.get("value", ""), details.get("type", ""), details.get("executed", True))
            return answers.same_state(state, question["value"], question["type_name"])
        if setting == PATH:
            return answers.same_path(details.get("line", answer.found), question["next_line"], question["next_end"])
        return answers.same_outputs(details["values"], question["outputs"], kind_of(question).printed)

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        return {"right": float(self.right(question, answer)), "answered": float(answer.found is not None)}

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        more = {f"{name}_{question.key.setting}": value for name, value in pass_at_k.items() if name != "pass@1"}
        return {"answered": means["answered"], **more}

    def joint(self, question: Question, answers: Sequence[Answer]) -> dict[str, Any]:
        """Return, for each metric that the question counts for, the record that the aggregations below put together."""
        setting = question.key.setting
        record = {
            "program": question.key.problem_id,
            "run": question["run"],
            "line": question["line"],
            "setting": setting,
            "executed": question["executed"],
            "goes_on": question["goes_on"],
            "right": [self.right(question, answer) for answer in answers],
            "said_executed": [_said_executed(answer) if setting == COVERAGE else None for answer in answers],
        }
        # The harness wants every metric in every document: it is None where the question does not count for it.
        counted = {metric: record if setting in needed else None for metric, needed in NEEDS.items()}
        return {**counted, **{f"{metric}_stderr": of_metric for metric, of_metric in counted.items()}}


class PublishedRuntimeBehaviour(RuntimeBehaviour):
    """REval's own questions, labels and rules of acceptance, for replication."""

    variants = (Variant("runtime_published", "Runtime published", _VIEW, submittable=False),)
    templates = "runtime_published"
    executes = True

    def variant(self, benchmark: Benchmark, settings: Sequence[str]) -> Variant:
        return self.variants[0]

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        return [problem for problem in Family.problems(self, benchmark, options) if _published(problem)]

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        row = problem.to_row()
        for given, labels in _published(problem):
            shared = {
                **{column: row[column] for column in _COLUMNS},
                "run": str(given.index),
                "input": given.shown,
                "set_up": given.set_up,
                "masked": given.masked,
                "expected": given.expected,
            }
            for label in labels[:1] if setting == OUTPUT else labels:
                fields = {**shared, **_of_published_line(None if setting == OUTPUT else label)}
                yield self._question(problem, setting, shared["run"], fields)

    def _right_answer(self, setting: str, fields: Mapping[str, Any]) -> str:
        if setting == COVERAGE:
            return "YES" if fields["executed"] else "NO"
        if setting == STATE:
            return "; ".join(fields["values"][0]) if fields["values"] else "Nil"
        if setting == PATH:
            line = fields["next_lines"][0]
            return "-1" if line == -1 else str(fields["code"].split("\n")[line - 1].strip())
        return reval.completed(fields["masked"], fields["input"], fields["expected"])

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        line = fields.get("line")
        text = fields["code"].split("\n")[line - 1].strip() if line else ""
        return {**super().prompt(kind, fields, setting), "code": fields["code"].strip("\n"), "text": text,
                "input": fields["input"], "masked": fields["masked"]}  # fmt: skip

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the text that REval judges."""
        text = answers.published_answer(response)
        return Answer(text or None)

    def right(self, question: Question, answer: Answer) -> bool:
        setting, text = question.key.setting, answer.found or ""
        if setting == COVERAGE:
            return answers.published_coverage(text) is question["executed"]
        if setting == STATE:
            return answers.published_state(text, [(value, kind) for value, kind in question["values"]])
        if setting == PATH:
            return answers.published_path(text, question["next_lines"], question["code"].split("\n"))
        return answer.passed

    def job(self, answer: Answer, question: Question) -> Job | None:
        """Return the job that executes the assertions of an answer: REval asks only that nothing is raised."""
        if question.key.setting != OUTPUT or answer.found is None:
            return None
        assertions = answers.published_assertions(answer.found, question["masked"])
        if assertions is None:
            return None
        program = reval.program_of(load_problem(question.key.benchmark, question.key.problem_id))
        given = next(given for given in program.inputs if str(given.index) == question["run"])
        return reval.assertions_job(program, given, assertions)


# -- questions


def numbered(code: str) -> str:
    """Return a program with the number of each line in front of it."""
    lines = code.rstrip("\n").split("\n")
    width = len(str(len(lines)))
    return "\n".join(f"{number:>{width}}  {line}".rstrip() for number, line in enumerate(lines, start=1))


def _labelled(problem: Problem) -> list[tuple[str, InputLabels]]:
    """Return the inputs of a problem that are asked about, with their labels."""
    if problem.upstream_questions:
        inputs = load_labels("reval").get(reval.program_of(problem).task_id, {})
    else:
        inputs = load_labels(problem.benchmark).get(problem.problem_id, {})
    return list(inputs.items())


def _kept(given: InputLabels) -> list[Label]:
    """Return the labels that are no exclusions; none of an input that is excluded or shows no output."""
    if given.reason or not any(output is not None for output in given.outputs):
        return []
    return [label for label in given.labels if not label.reason]


def _shown(problem: Problem, run: str, given: InputLabels) -> dict[str, Any]:
    """Return what runs on a program, and the same with ``??`` for what is asked as output."""
    if not problem.upstream_questions:
        assert run == ONLY
        kind = kind_of(problem)
        masked = kind.masked_output(problem)
        before, _, asked = masked.rpartition("assert ")
        run_on_it = problem.input if kind.printed else before + asked.removesuffix(" == ??")
        return {"input": run_on_it, "set_up": "", "masked": masked}
    program = reval.program_of(problem)
    found = next(each for each in program.inputs if str(each.index) == run)
    if program.benchmark == "humaneval":
        return {"input": found.body, "set_up": "", "masked": f"assert {found.body} == ??"}
    masked = reval.masked_body(found.body, [output is not None for output in given.outputs])
    return {"input": found.body, "set_up": found.set_up, "masked": masked}


def _of_line(code: str, label: Label | None) -> dict[str, Any]:
    """Return the columns that say what is true of a line; those of no line for None."""
    if label is None:
        label = Label(0, "")
    return {
        "line": label.line,
        "variable": label.variable,
        "times": label.times,
        "executed": label.executed,
        "goes_on": label.executed and label.next_line != THE_END,
        "value": label.value,
        "type_name": label.type_name,
        "next_line": label.next_line,
        "next_end": ends_of_lines(code).get(label.next_line or 0),
    }


def _of_published_line(label: PublishedLabel | None) -> dict[str, Any]:
    if label is None:
        label = PublishedLabel(0, "", False, (), ())
    return {
        "line": label.line,
        "variable": label.variable,
        "executed": label.executed,
        "goes_on": any(line != -1 for line in label.next_lines),
        "values": [list(value) for value in label.values],
        "next_lines": list(label.next_lines),
    }


def _published(problem: Problem) -> list[tuple[reval.Input, tuple[PublishedLabel, ...]]]:
    """Return the inputs of a problem with REval's labels, without those on which no answer could be right.

    Those are the inputs that current packages cannot run, and the lines whose state REval's rule accepts no answer to.
    """
    program = reval.program_of(problem)
    labels, unrunnable = load_published().get(program.task_id, {}), load_unrunnable().get(program.task_id, ())
    asked = []
    for given in program.inputs:
        if str(given.index) in labels and str(given.index) not in unrunnable:
            lines = [label for label in labels[str(given.index)] if answers.published_answerable(label.values)]
            asked.append((given, tuple(lines)))
    return asked


def _next_in_words(fields: Mapping[str, Any]) -> str:
    if not fields["executed"]:
        return answers.NOT_EXECUTED
    return answers.THE_END if fields["next_line"] == THE_END else str(fields["next_line"])


def _said_executed(answer: Answer) -> bool | None:
    """Return what an answer about coverage says, ours or in REval's words, where what is unclear counts as NO."""
    if answer.found in ("yes", "no"):
        return answer.found == "yes"
    return None if answer.found is None else answers.published_coverage(answer.found)


# -- aggregations


def items(records: Iterable[Record | None], metric: str) -> list[Item]:
    """Return the items that a metric is computed from; under ``repeats`` one for each response.

    Of ``output`` there is one an input, of the others one a line. Items that lack one of the answers that the metric
    needs are left out.

    Args:
        records: Those of :meth:`RuntimeBehaviour.joint`; None for documents that do not count for the metric.
        metric: A key of :data:`~lm_eval_codemind.scores.runtime.METRICS`.
    """
    outputs: dict[tuple[str, str], Record] = {}
    lines: dict[tuple[str, str, int], dict[str, Record]] = {}
    for record in records:
        if record is None:
            continue
        if record["setting"] == OUTPUT:
            outputs[record["program"], record["run"]] = record
        else:
            place = (record["program"], record["run"], record["line"])
            lines.setdefault(place, {})[record["setting"]] = record
    found: Iterator[dict[str, Record]]
    if metric == OUTPUT:
        found = ({OUTPUT: record} for record in outputs.values())
    else:
        found = (
            {**of_line, OUTPUT: outputs[place[:2]]} if place[:2] in outputs else of_line
            for place, of_line in lines.items()
        )
    needed = set(NEEDS[metric])
    return [item for answered in found if needed <= answered.keys() for item in _responses(answered)]


def _responses(answered: Mapping[str, Record]) -> Iterator[Item]:
    one = next(iter(answered.values()))
    for number in range(len(one["right"])):
        right = {setting: bool(record["right"][number]) for setting, record in answered.items()}
        said = answered[COVERAGE]["said_executed"][number] if COVERAGE in answered else None
        yield Item(
            one["program"],
            one["executed"],
            one["goes_on"],
            said,
            right.get(STATE, False),
            right.get(PATH, False),
            right.get(OUTPUT, False),
        )


Aggregation = Callable[[Sequence[Record | None]], float]


def _aggregations(metric: str) -> tuple[Aggregation, Aggregation]:
    """Return what the YAML files name for a metric and for its standard error."""

    def aggregate(records: Sequence[Record | None]) -> float:
        found = items(records, metric)
        if metric == "ic":
            _say_what_is_left_out(records, found)
        return METRICS[metric](found)

    def standard_error(records: Sequence[Record | None]) -> float:
        return clustered_stderr(metric, items(records, metric))

    return aggregate, standard_error


def _say_what_is_left_out(records: Iterable[Record | None], found: Sequence[Item]) -> None:
    known = [record for record in records if record is not None]
    asked = {(record["program"], record["run"], record["line"]) for record in known if record["line"]}
    repeats = len(known[0]["right"]) if known else 1
    if len(asked) * repeats > len(found):
        logger.warning(
            "ic leaves out %d of %d items of which not all four questions were asked (--limit and --samples count "
            "documents)",
            len(asked) - len(found) // repeats,
            len(asked),
        )


coverage, coverage_stderr = _aggregations("coverage")
coverage_f1, coverage_f1_stderr = _aggregations("coverage_f1")
coverage_balanced, coverage_balanced_stderr = _aggregations("coverage_balanced")
state, state_stderr = _aggregations("state")
state_executed, state_executed_stderr = _aggregations("state_executed")
path, path_stderr = _aggregations("path")
path_executed, path_executed_stderr = _aggregations("path_executed")
output, output_stderr = _aggregations("output")
ic_mean, ic_mean_stderr = _aggregations("ic")

RUNTIME, PUBLISHED_RUNTIME = RuntimeBehaviour(), PublishedRuntimeBehaviour()

_hooks = Hooks(RUNTIME)
dataset, process_results, extract_answer = _hooks.dataset, _hooks.process_results, _hooks.filter(_FILTER)

direct_dataset = Hooks(RuntimeBehaviour("direct")).dataset

_published_hooks = Hooks(PUBLISHED_RUNTIME)
published_dataset, process_published_results = _published_hooks.dataset, _published_hooks.process_results
extract_published_answer = _published_hooks.filter(_FILTER)
