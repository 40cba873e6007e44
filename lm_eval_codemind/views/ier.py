"""The view of results of IER, and of other families that ask for outputs."""

from lm_eval_codemind.answers.comparison import too_long
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.questions import Question
from lm_eval_codemind.views.view import Part, Unit, View, answer_of, exchange, listing


class ExecutionView(View):
    """Program, input, label and answer."""

    scores = ("S_IER",)
    board = {"RIER": "r_ier"}

    def outcome(self, unit: Unit) -> str:
        if self.solved(unit):
            return "right output"
        return "no answer" if unit[0].answer.found is None else "wrong output"

    def predicts(self, unit: Unit) -> bool | None:
        return self.solved(unit)

    def type_match(self, unit: Unit) -> tuple[str, str | None, bool] | None:
        (sample,) = unit
        label = sample.doc.get("output")
        if label is None:
            return None
        type_of = kind_of(Question.from_document(sample.doc)).output_type
        true, answer = type_of(str(label)), sample.answer.found
        if true is None:
            return None
        # An answer that the score does not parse has no type either.
        readable = answer is not None and not too_long(answer, str(label))
        return true, type_of(answer) if answer is not None and readable else None, self.solved(unit)

    def parts(self, unit: Unit) -> list[Part]:
        (sample,) = unit
        return [
            listing(sample, "Program C", "code"),
            listing(sample, "Input I", "input"),
            Part("Label C(I)", "text", str(sample.doc.get("output") or "(empty)"), aside=True),
            answer_of(sample),
            *exchange(sample),
        ]
