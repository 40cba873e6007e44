"""The view of results on loops and branches: the program, and the values with the first wrong one marked."""

from collections.abc import Sequence
from itertools import zip_longest

from lm_eval_codemind.families.flow import matching
from lm_eval_codemind.prompts.templates import numbered
from lm_eval_codemind.questions import Question
from lm_eval_codemind.questions.samples import Sample
from lm_eval_codemind.scores.execution import right_steps
from lm_eval_codemind.views.view import Part, Unit, View, exchange

_NOTHING = "(nothing)"


class FlowView(View):
    """A unit is one loop, or one condition, of a program on its input."""

    @property
    def reported(self) -> tuple[str, ...]:
        return (self.metric, "prefix")

    def outcome(self, unit: Unit) -> str:
        if self.solved(unit):
            return "all values right"
        (sample,) = unit
        if sample.answer.found is None:
            return "no answer"
        return where_wrong(matches_of(sample), len(sample.doc["values"]), "value")

    def parts(self, unit: Unit) -> list[Part]:
        (sample,) = unit
        answers = sample.answer.details.get("values", ())
        return [
            Part("Program C", "code", numbered(str(sample.doc["code"]))),
            Part("Input I", "code", str(sample.doc["input"])),
            compared(f"Line {sample.doc['line']}", sample.doc["values"], answers, matches_of(sample)),
            *exchange(sample),
        ]


def matches_of(sample: Sample) -> list[bool]:
    """Return, for each value in the answer of a sample, whether it is right."""
    return matching(Question.from_document(sample.doc), sample.answer)


def where_wrong(matches: Sequence[bool], steps: int, name: str) -> str:
    """Return a text about the first error of an answer that is not right.

    Args:
        matches: For each statement of the answer, whether it is right.
        steps: The number of right statements.
        name: What a statement is.
    """
    right = right_steps(matches)
    if right == len(matches):
        return f"ends too early, all {name}s right"
    return f"goes on after the last {name}" if right >= steps else f"first {name} wrong" if not right else "wrong later"


def compared(title: str, labels: Sequence[str], answers: Sequence[str], matches: Sequence[bool]) -> Part:
    """Return a part with the labels and the answers next to each other, and a mark at the first difference."""
    first = right_steps(matches)
    rows = []
    for number, (label, answer) in enumerate(zip_longest(labels, answers, fillvalue=_NOTHING)):
        mark = "<- first error" if number == first else ""
        rows.append(f"{number + 1:>3}  {label:<30}  {answer:<30}  {mark}".rstrip())
    return Part(title, "text", "\n".join([f"     {'right':<30}  answer", *rows]))
