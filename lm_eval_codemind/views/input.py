"""The view of input prediction results."""

from lm_eval_codemind.views.view import Part, Unit, View, answer_of, exchange, listing, outcome_of


class InputView(View):
    """Program, output, recorded input, the answer and what the program computes on it."""

    scores = ("S_input",)
    reported = ("r_input_searched",)

    def outcome(self, unit: Unit) -> str:
        answer = unit[0].answer
        if self.solved(unit):
            return "recorded input" if answer.details.get("as_recorded") else "another right input"
        if answer.found is None:
            return "no answer"
        return "wrong input" if answer.details.get("readable") else "no input of values"

    def parts(self, unit: Unit) -> list[Part]:
        (sample,) = unit
        return [
            listing(sample, "Program C", "code"),
            Part("Output C(I)", "text", str(sample.doc.get("output", ""))),
            listing(sample, "Recorded input I", "input", aside=True),
            answer_of(sample, "code"),
            Part("Computed", "text", str(sample.answer.details.get("computed", ""))),
            outcome_of(sample),
            *exchange(sample),
        ]
