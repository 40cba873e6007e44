"""REval's own questions on runtime behaviour, with its prompts, labels and rules of acceptance, for replication."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.data.facts.reval import Input, TracedProgram, program_of
from lm_eval_codemind.data.facts.runtime_labels import PublishedLabel, load_published, load_unrunnable
from lm_eval_codemind.families.published.prompts import UpstreamPrompts
from lm_eval_codemind.families.runtime.items import COVERAGE, NEEDS, OUTPUT, PATH, STATE, InputColumns
from lm_eval_codemind.families.runtime.task import RuntimeBehaviour
from lm_eval_codemind.family import Family, Variant, problem_of
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.languages import Kind
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Question
from lm_eval_codemind.sandbox import Job
from lm_eval_codemind.studies.reval import rules

_COLUMNS = ("code", "entry_point", "complexity")
# A class's assertions are methods of its test, which REval writes without ``self``.
_EXECUTED = """
_codemind_names = dict(globals())
if "_codemind_test" in _codemind_names:
    _codemind_names["self"] = _codemind_test
    _codemind_names.update((n, getattr(_codemind_test, n)) for n in dir(_codemind_test) if n.startswith("assert"))
exec({!r}, _codemind_names)
"""

_VIEW = "lm_eval_codemind.studies.reval.view:PublishedRuntimeView"


DIRECT, COT = "direct", "cot"


class Fields(InputColumns):
    """The columns of a document: those of an input, and what REval's labels say of a line."""

    expected: str
    line: int
    variable: str
    executed: bool
    goes_on: bool
    values: list[list[str]]
    next_lines: list[int]
    answer: str


class PublishedRuntimeBehaviour(UpstreamPrompts, RuntimeBehaviour):
    """REval's own questions, prompts, labels and rules of acceptance, for replication.

    The model answers at once.
    """

    variants: ClassVar[tuple[Variant, ...]] = (
        Variant("runtime_published", "Runtime published", _VIEW, submittable=False, paper="chen2025reval"),
    )
    prompt_texts = "reval_prompts"
    forms: ClassVar[tuple[str, ...]] = (DIRECT,)
    options = ()
    executes = True
    joint_metrics = tuple(NEEDS)

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        return [problem for problem in Family.problems(self, benchmark, options) if _published(problem)]

    def questions(self, problem: Problem, setting: str) -> list[Question]:
        """Return REval's questions, without those that no answer to could be right by its rules."""
        questions = []
        row = problem.to_row()
        for program_input, labels in _published(problem):
            shared = {
                **{column: row[column] for column in _COLUMNS},
                "run": str(program_input.index),
                "input": program_input.shown,
                "set_up": program_input.set_up,
                "masked": program_input.masked,
                "expected": program_input.expected,
            }
            for label in labels[:1] if setting == OUTPUT else labels:
                fields = {**shared, **_of_published_line(None if setting == OUTPUT else label)}
                questions.append(self._question(problem, setting, f"input {shared['run']}", fields))
        return questions

    def selected(self, questions: Sequence[Question], options: Mapping[str, Any]) -> Sequence[Question]:
        """Return all questions: consistency needs the four about each line."""
        return questions

    def _right_answer(self, setting: str, fields: Mapping[str, Any]) -> str:
        if setting == COVERAGE:
            return "YES" if fields["executed"] else "NO"
        if setting == STATE:
            return "; ".join(fields["values"][0]) if fields["values"] else "Nil"
        if setting == PATH:
            line = fields["next_lines"][0]
            return "-1" if line == -1 else str(fields["code"].split("\n")[line - 1].strip())
        return completed(fields["masked"], fields["input"], fields["expected"])

    def text(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> str:
        texts, code, line = self.texts(), fields["code"], fields["line"]
        lines = code.split("\n")
        if kind.name == "method":
            source = texts["set_up"].get(f"{fields['entry_point']} {fields['run']}")
            set_up = "" if source is None else texts["notes"][setting] + "\n# ".join(source.split("\n")[1:])
            test = f"{texts['prelude']}{fields['masked']}" if setting == OUTPUT else f"\n{fields['input'].rstrip()}"
            invocation, abbreviation = f"{set_up}{test}", texts["abbreviation"]
        else:
            invocation = f"\n{fields['masked']}" if setting == OUTPUT else fields["input"]
            abbreviation = fields["input"]
            if setting == PATH:
                code = "".join(f"{number}\t{text}\n" for number, text in enumerate(lines, start=1))
        prompt: str = texts["templates"][f"{self.forms[0]}_{setting}"].format(
            code=code,
            invocation=invocation,
            invocation_abbr=abbreviation,
            line=line,
            codeline=lines[line - 1] if line else "",
            var=fields["variable"],
        )
        return prompt

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the text that REval judges. Reasoning that never ends has no answer."""
        if COT in self.forms and rules.REASONED not in response:
            return Answer(None)
        text = rules.answer_of(response)
        return Answer(text or None)

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        before = f"{rules.REASONED}\n[ANSWER]\n" if COT in self.forms else ""
        return {"answer": f"{before}{fields['answer'].strip()}\n[/ANSWER]"}

    def right(self, question: Question, answer: Answer) -> bool:
        setting, text, fields = question.key.setting, answer.text or "", question.typed(Fields)
        if setting == COVERAGE:
            return rules.coverage(text) is fields["executed"]
        if setting == STATE:
            return rules.state(text, [(value, kind) for value, kind in fields["values"]])
        if setting == PATH:
            return rules.path(text, fields["next_lines"], fields["code"].split("\n"))
        return answer.passed

    def said_executed(self, answer: Answer) -> bool | None:
        """Return REval's reading of an answer about coverage, to which all that is unclear says NO."""
        return None if answer.text is None else rules.coverage(answer.text)

    def job(self, answer: Answer, question: Question) -> Job | None:
        """Return the job that executes the assertions of an answer: REval asks only that nothing is raised."""
        if question.key.setting != OUTPUT or answer.text is None:
            return None
        assertions = rules.assertions(answer.text, question.typed(Fields)["masked"])
        if assertions is None:
            return None
        program = program_of(problem_of(question))
        program_input = next(entry for entry in program.inputs if str(entry.index) == question.typed(Fields)["run"])
        return assertions_job(program, program_input, assertions)


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


def _published(problem: Problem) -> list[tuple[Input, tuple[PublishedLabel, ...]]]:
    """Return the inputs that current packages can run, with the labels that REval's rule accepts an answer to."""
    program = program_of(problem)
    labels, unrunnable = load_published().get(program.task_id, {}), load_unrunnable().get(program.task_id, ())
    pairs = []
    for program_input in program.inputs:
        if str(program_input.index) in labels and str(program_input.index) not in unrunnable:
            lines = [label for label in labels[str(program_input.index)] if rules.is_answerable(label.values)]
            pairs.append((program_input, tuple(lines)))
    return pairs


class PublishedRuntimeReasoning(PublishedRuntimeBehaviour):
    """The same with REval's other prompts: the model reasons before it answers."""

    variants = (
        Variant("runtime_published_cot", "Runtime published, CoT", _VIEW, submittable=False, paper="chen2025reval"),
    )
    forms = (COT,)


PUBLISHED_RUNTIME, PUBLISHED_RUNTIME_COT = PublishedRuntimeBehaviour(), PublishedRuntimeReasoning()

dataset, process_results, extract_answer = Hooks(PUBLISHED_RUNTIME).functions
cot_dataset, process_cot, extract_cot = Hooks(PUBLISHED_RUNTIME_COT).functions


def completed(masked: str, text: str, expected: str) -> str:
    """Return an output question with what is expected in place of the masks; see :class:`Input`."""
    is_call = masked.strip().startswith(f"assert {text.strip()} == ??")
    return masked.replace("??", expected) if is_call else expected


def assertions_job(program: TracedProgram, program_input: Input, assertions: str) -> Job:
    """Return the job that executes assertions about a program as REval judges an output: nothing may be raised."""
    return Job.script(f"{program.code}\n\n{program_input.before}\n{_EXECUTED.format(assertions)}", [("", None)])
