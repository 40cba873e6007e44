"""The view of results of IER, and of other families that ask for an output."""

from lm_eval_codemind.answers.comparison import too_long
from lm_eval_codemind.families.view import Part, Unit, View, answer_of, listing, output_of
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.questions import Question
from lm_eval_codemind.samples import Sample


class ExecutionView(View):
    """Program, input, label and answer."""

    scores: tuple[str, ...] = ("S_IER",)
    board = {"RIER": "r_ier"}
    outcomes = ("correct output", "no answer", "incorrect output")

    def predicts(self, unit: Unit) -> bool | None:
        return self.solved(unit)

    def type_match(self, unit: Unit) -> tuple[str, str | None, bool] | None:
        (sample,) = unit
        label = sample.doc.get("output")
        if label is None:
            return None
        type_of = kind_of(Question.from_document(sample.doc)).output_type
        true, answer = type_of(str(label)), sample.answer.text
        if true is None:
            return None
        # An answer that the score does not parse has no type either.
        readable = answer is not None and not too_long(answer, str(label))
        return true, type_of(answer) if answer is not None and readable else None, self.solved(unit)

    def content(self, sample: Sample) -> list[Part]:
        return [
            listing(sample, "Program C", "code"),
            listing(sample, "Input I", "input"),
            output_of(sample),
            answer_of(sample),
        ]
