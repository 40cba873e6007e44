"""RE2-Bench's own questions, with its prompts, labels and rules, for replication.

Easy and difficult problems are separate.

Four tasks: the output for an input, an input for an output, the values of variables in loops, and the decisions of
branches. :mod:`lm_eval_codemind.studies.re2.task` asks the same on proven labels.
"""

import json
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from lm_eval_codemind.families.published.prompts import UpstreamPrompts
from lm_eval_codemind.family import Family, Variant
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.languages import Kind
from lm_eval_codemind.languages.values import render
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Question
from lm_eval_codemind.sandbox import CaseOutcome, Job, ScriptCase
from lm_eval_codemind.studies.re2.asked import BRANCH, DIFFICULTIES, INPUT, LOOP, OUTPUT, PROGRAMS, Fields, record_of
from lm_eval_codemind.studies.re2.published import rules

FILTER = "extract-answer"
SELF_CONTAINED = tuple(PROGRAMS.values())
# RE2-Bench makes an object without arguments, whatever its class takes, and sets the attributes of the answer.
OBJECT = """\
_object = {name}.__new__({name})
try:
    _object.__init__()
except TypeError:
    pass
for _name, _value in {attributes}.items():
    setattr(_object, _name, _value)
"""
_MARKS = {OUTPUT: "OUTPUT", INPUT: "INPUT", LOOP: "ANSWER", BRANCH: "ANSWER"}
_VIEW = "lm_eval_codemind.studies.re2.view:Re2View"


def _variant(task: str) -> Variant:
    name = f"re2_published_{task}"
    return Variant(
        name,
        f"RE2-Bench {task} as published",
        _VIEW,
        "" if task == OUTPUT else task,
        submittable=False,
        paper="re2bench",
    )


class Prediction(Family):
    """What RE2-Bench's questions share, whichever labels and prompts they have; the setting is the task."""

    filters = (FILTER,)
    metric = "accuracy"
    verdict = "accuracy"

    @abstractmethod
    def states(self, question: Question, answer: Answer) -> bool:
        """Whether an answer states the label."""

    def right(self, question: Question, answer: Answer) -> bool:
        """Whether an answer is right: it states the label."""
        return self.states(question, answer)

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        return {"accuracy": float(self.right(question, answer)), "answered": float(answer.text is not None)}

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        """Return the metrics of a document; a score for one difficulty is None for problems of the other."""
        asked = question.typed(Fields)["difficulty"]
        of_difficulty = {f"accuracy_{name}": means["accuracy"] if name == asked else None for name in DIFFICULTIES}
        return {**means, **of_difficulty, **{name: value for name, value in pass_at_k.items() if name != "pass@1"}}


class PublishedRe2(UpstreamPrompts, Prediction):
    """Outputs, loops and branches as published."""

    variants: ClassVar[tuple[Variant, ...]] = (_variant(OUTPUT), _variant(LOOP), _variant(BRANCH))
    prompt_texts = "re2_prompts"

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        """Return the question of a task about a problem, if upstream has it with a label."""
        record = record_of(problem.upstream_questions)
        parts = record.get(setting if setting in (LOOP, BRANCH) else "values")
        if not parts or parts.get("label", parts) is None:
            return
        fields = {"difficulty": record["difficulty"], "source": record["source"]}
        if setting in (LOOP, BRANCH):
            fields |= {"code": parts["code"], "shown": parts["input"], "label": json.dumps(parts["label"])}
        else:
            text, label = (parts[key] for key in (("inputs", "return") if setting == OUTPUT else ("return", "inputs")))
            fields |= {"called": record["called"], "structure": record["structures"][setting]}
            fields |= {"shown": json.dumps(text, indent=4), "label": json.dumps(label)}
        yield Question.about(problem, setting, fields, columns=("code", "entry_point", "complexity"))

    def text(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> str:
        prompt: str = self.texts(fields["problem_id"])[setting]
        return prompt

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        label = json.loads(fields["label"])
        if setting == LOOP:
            states = {line: (f"[STATE]{name}={render(x)}[/STATE]" for name, x in label[line].items()) for line in label}
            answer = "\n".join(f"{line} ## {' '.join(states[line])}" for line in states)
        elif setting == BRANCH:
            letters = {line: ", ".join("Y" if is_taken else "N" for is_taken in label[line]) for line in label}
            answer = "\n".join(f"{line} ## [BRANCH]taken=[{letters[line]}][/BRANCH]" for line in letters)
        else:
            answer = json.dumps({"output": label} if setting == OUTPUT else label, indent=4)
        mark = _MARKS[setting]
        return {"answer": f"[{mark}]\n{answer}\n[/{mark}]"}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the text between the marks that RE2-Bench asks for."""
        return Answer(rules.marked(response, _MARKS[question.key.setting]))

    def states(self, question: Question, answer: Answer) -> bool:
        """Whether an answer states the label by RE2-Bench's rules."""
        setting, label, text = question.key.setting, json.loads(question.typed(Fields)["label"]), answer.text
        if setting == LOOP:
            return rules.same_loops(rules.read_loops(text or ""), label)
        if setting == BRANCH:
            return rules.same_branches(rules.read_branches(text or ""), label)
        executed = setting == INPUT and question.typed(Fields)["source"] in SELF_CONTAINED
        same = rules.same_input if executed else rules.same_output
        return text is not None and same(rules.read_value(text), label)


class InputPrediction(Prediction):
    """Inputs. An answer that differs from the recorded input is executed, if its program needs no project.

    The class with the questions comes after it among the bases.
    """

    executes = True

    def answered_in(self, problem: Problem) -> str:
        return problem.language if record_of(problem.upstream_questions)["source"] in SELF_CONTAINED else ""

    def job(self, answer: Answer, question: Question) -> Job | None:
        """Return the job that runs the program on an answer; None if there is no need, or no way."""
        alone = question.typed(Fields)["source"] in SELF_CONTAINED
        if answer.text is None or not alone or self.states(question, answer):
            return None
        return self.execution(question, answer.text)

    @abstractmethod
    def execution(self, question: Question, text: str) -> Job | None:
        """Return the job that runs the program on the input that a text states; None if it states none."""

    @abstractmethod
    def gives_output(self, question: Question, seen: CaseOutcome) -> bool:
        """Whether an execution gives the output that the prompt shows."""

    def right(self, question: Question, answer: Answer) -> bool:
        if self.states(question, answer):
            return True
        return answer.passed and any(self.gives_output(question, seen) for seen in answer.observations)


class PublishedRe2Input(InputPrediction, PublishedRe2):
    """Inputs, executed as RE2-Bench executes them."""

    variants = (_variant(INPUT),)

    def execution(self, question: Question, text: str) -> Job | None:
        value, fields = rules.read_value(text), question.typed(Fields)
        if not isinstance(value, dict):
            return None
        if fields["source"] == "Avatar":
            stdin = str(value.get("input", "\n"))
            # RE2-Bench compares a text with an object and executes other texts only, so the recorded input is wrong.
            same = stdin == str(json.loads(fields["label"]))
            return None if same else Job.script(fields["code"], [ScriptCase(stdin)])
        return Job.script(_program(question, value), [ScriptCase()])

    def gives_output(self, question: Question, seen: CaseOutcome) -> bool:
        return seen.stdout.strip() == str(json.loads(question.typed(Fields)["shown"])).strip()


def _program(question: Question, value: Mapping[str, Any]) -> str:
    names = {**mapping(value.get("args")), **mapping(value.get("kwargs"))}
    arguments = (f"{name}={rules.argument(x)}" for name, x in names.items())
    code, name = question.typed(Fields)["code"], class_of(question)
    call = f"{question.typed(Fields)['entry_point']}({', '.join(arguments)})"
    if not name:
        return f"{code}\nprint({call})\n"
    attributes = {name: rules.deserialized(x) for name, x in mapping(value.get("self")).items()}
    made = OBJECT.format(name=name, attributes=attributes)
    return f"{code}\n{made}print(_object.{call})\n"


def class_of(question: Question) -> str:
    """Return the name of the class that a problem of ClassEval is about; empty for other problems."""
    name = question.key.problem_id.partition("@")[2].partition(".")[0]
    return name if question.typed(Fields)["source"] == "ClassEval" else ""


def mapping(value: Any) -> Mapping[str, Any]:
    """Return a value if it is an object of JSON, else an empty one."""
    return value if isinstance(value, dict) else {}


PUBLISHED_RE2 = PublishedRe2()
PUBLISHED_RE2_INPUT = PublishedRe2Input()

dataset, process_results, extract_answer = Hooks(PUBLISHED_RE2).functions
input_dataset, input_process_results, extract_input = Hooks(PUBLISHED_RE2_INPUT).functions
