"""How results of input prediction are shown."""

from __future__ import annotations

from lm_eval_codemind.views.view import Part, Unit, View, described_outcome, prompts, responses


class InputView(View):
    """Program, output, recorded input, the answer and what the program computes on it."""

    scores = ("S_input",)

    def outcome(self, unit: Unit) -> str:
        answer = unit[0].answer
        if self.solved(unit):
            return "recorded input" if answer.details.get("as_recorded") else "another right input"
        if answer.found is None:
            return "no answer"
        return "wrong input" if answer.details.get("readable") else "no input of values"

    def parts(self, unit: Unit) -> list[Part]:
        (sample,) = unit
        answer, language = sample.answer, str(sample.doc.get("language", ""))
        shown = [
            Part("Program C", "code", str(sample.doc.get("code", "")), language=language),
            Part("Output C(I)", "text", str(sample.doc.get("output", ""))),
            Part("Recorded input I", "code", str(sample.doc.get("input", "")), beside=True, language=language),
            Part("Answer", "code", "(none found)" if answer.found is None else answer.found, True, language=language),
            Part("Computed", "text", str(answer.details.get("computed", ""))),
            Part("Outcome", "text", described_outcome(answer)),
            *prompts(sample),
            *responses(sample),
        ]
        return [part for part in shown if part.text]
