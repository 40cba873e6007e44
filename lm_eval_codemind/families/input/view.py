"""The view of results of input prediction."""

from lm_eval_codemind.families.view import Part, Unit, View, answer_of, listing, outcome_of
from lm_eval_codemind.samples import Sample


class InputView(View):
    """Program, output, recorded input, the answer and what the program computes on it."""

    scores: tuple[str, ...] = ("S_input",)
    reported: tuple[str, ...] = ("r_input_searched",)

    def outcome(self, unit: Unit) -> str:
        answer = unit[0].answer
        if self.solved(unit):
            return "recorded input" if answer.details.get("as_recorded") else "another correct input"
        if answer.text is None:
            return "no answer"
        return "incorrect input" if answer.details.get("readable") else "no input of values"

    def content(self, sample: Sample) -> list[Part]:
        return [
            listing(sample, "Program C", "code"),
            Part("Output C(I)", "text", str(sample.doc.get("output", ""))),
            listing(sample, "Recorded input I", "input", aside=True),
            answer_of(sample, "code"),
            Part("Computed", "text", str(sample.answer.details.get("computed", ""))),
            outcome_of(sample),
        ]
