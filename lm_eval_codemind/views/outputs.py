"""The views of results about inputs and outputs: IER and its relatives, fresh inputs, input prediction, RE2-Bench."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval_codemind.answers.comparison import too_long
from lm_eval_codemind.benchmarks.re2bench import BRANCH, LOOP
from lm_eval_codemind.families.fresh import GAP, ORIGINAL, R_FRESH, R_ORIGINAL, SCORES, by_problem
from lm_eval_codemind.families.re2 import compared
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.questions import Key, Question
from lm_eval_codemind.questions.samples import Sample
from lm_eval_codemind.scores.statistics import Estimate, bootstrap, compare, mean
from lm_eval_codemind.views.table import Table, described, interval
from lm_eval_codemind.views.view import Part, Unit, View, answer_of, exchange, listing, outcome_of

_ALL = "all"


class ExecutionView(View):
    """Program, input, label and answer."""

    scores: tuple[str, ...] = ("S_IER",)
    board = {"RIER": "r_ier"}
    outcomes = ("right output", "no answer", "wrong output")

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
            Part("Label C(I)", "text", str(sample.doc.get("output") or "(empty)"), aside=True),
            answer_of(sample),
        ]


class FreshView(ExecutionView):
    """A unit is a problem: its sample on the original input, then those on fresh ones."""

    scores = ("S_fresh", "S_original")
    reported = (R_FRESH, GAP)

    def units(self, samples: Sequence[Sample]) -> list[Unit]:
        """Return the samples problem by problem, the original input first; incomplete problems are left out."""
        problems: dict[tuple[str, str], list[Sample]] = defaultdict(list)
        for sample in samples:
            if GAP in sample.scores:
                problems[sample.key.benchmark, sample.key.problem_id].append(sample)
        sorted_units = (tuple(sorted(of, key=lambda sample: sample.key.item != ORIGINAL)) for of in problems.values())
        return [unit for unit in sorted_units if len(unit) > 1 and unit[0].key.item == ORIGINAL]

    def unit_key(self, unit: Unit) -> Key:
        return unit[0].key._replace(setting="", item="")

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        original, *fresh = (_right(sample) for sample in unit)
        return {"S_fresh": SCORES[R_FRESH](original, fresh), "S_original": original}

    def outcome(self, unit: Unit) -> str:
        original, *fresh = (_right(sample) >= 1 for sample in unit)
        if original:
            return "right on all" if all(fresh) else "right on some" if any(fresh) else "right on the original only"
        return "right on fresh only" if any(fresh) else "right on none"

    def type_match(self, unit: Unit) -> tuple[str, str | None, bool] | None:
        return None

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        """Return a metric with the interval of a bootstrap over problems."""
        if metric not in SCORES:
            return super().estimate(samples, metric)
        pairs = by_problem(_record(sample) for unit in self.units(samples) for sample in unit).values()
        lowest = -1.0 if metric == GAP else 0.0
        return bootstrap([(SCORES[metric](*pair),) for pair in pairs], lambda means: means[..., 0], lowest)

    def findings(self, models: Mapping[str, Sequence[Unit]]) -> list[Table]:
        """Return the gap of each model by benchmark, and the problems that it knows on the original input only."""
        gaps, remembered = [], []
        for model, units in models.items():
            for benchmark in [*dict.fromkeys(unit[0].key.benchmark for unit in units), _ALL]:
                own = [unit for unit in units if benchmark in (_ALL, unit[0].key.benchmark)]
                original, fresh = ([self.unit_scores(unit)[name] for unit in own] for name in ("S_original", "S_fresh"))
                gap = compare(original, fresh)
                only = [unit for unit in own if self.outcome(unit) == "right on the original only"]
                gaps.append(
                    {
                        "model": model,
                        "benchmark": benchmark,
                        R_ORIGINAL: sum(original) / gap.n,
                        R_FRESH: sum(fresh) / gap.n,
                        GAP: gap.difference,
                        "low": gap.low,
                        "high": gap.high,
                        "p": gap.p,
                        "original_only": len(only),
                        "n": gap.n,
                    }
                )
                if only and benchmark != _ALL:
                    names = ", ".join(unit[0].key.problem_id for unit in only)
                    remembered.append({"model": model, "benchmark": benchmark, "problems": names})
        return [described("memory_gap", gaps), described("original_only", remembered)]

    def parts(self, unit: Unit) -> list[Part]:
        parts = [listing(unit[0], "Program C", "code")]
        for sample in unit:
            name = sample.key.item.replace("_", " ")
            parts += [
                listing(sample, f"Input I, {name}", "input"),
                Part(f"Label C(I), {name}", "text", str(sample.doc.get("output") or "(empty)"), aside=True),
                answer_of(sample, title=f"Answer, {name}"),
            ]
        return parts + [part for sample in unit for part in exchange(sample, f" ({sample.key.item})")]


class InputView(View):
    """Program, output, recorded input, the answer and what the program computes on it."""

    scores: tuple[str, ...] = ("S_input",)
    reported: tuple[str, ...] = ("r_input_searched",)

    def outcome(self, unit: Unit) -> str:
        answer = unit[0].answer
        if self.solved(unit):
            return "recorded input" if answer.details.get("as_recorded") else "another right input"
        if answer.text is None:
            return "no answer"
        return "wrong input" if answer.details.get("readable") else "no input of values"

    def content(self, sample: Sample) -> list[Part]:
        return [
            listing(sample, "Program C", "code"),
            Part("Output C(I)", "text", str(sample.doc.get("output", ""))),
            listing(sample, "Recorded input I", "input", aside=True),
            answer_of(sample, "code"),
            Part("Computed", "text", str(sample.answer.details.get("computed", ""))),
            outcome_of(sample),
        ]


class Re2View(View):
    """Easy problems come from other sources than most difficult ones, so scores are shown by both."""

    reported = ("right", "right_easy", "right_easy_searched", "right_difficult")

    def findings(self, models: Mapping[str, Sequence[Unit]]) -> list[Table]:
        """Return the table of scores by source and difficulty."""
        rows = []
        for model, units in models.items():
            groups: dict[tuple[str, str], list[float]] = defaultdict(list)
            for (sample,) in units:
                place = (str(sample.doc["difficulty"]), str(sample.doc["source"]))
                groups[place].append(float(sample.scores["right"]))
            for (difficulty, source), scores in sorted(groups.items(), reverse=True):
                what = {"model": model, "difficulty": difficulty, "source": source}
                rows.append({**what, **interval(mean(scores), "value"), "n": len(scores)})
        return [described("re2_sources", rows)]

    def content(self, sample: Sample) -> list[Part]:
        return [
            listing(sample, "Program", "code"),
            Part("Input or output shown", "text", str(sample.doc["shown"])),
            answer_of(sample),
            Part("Label", "text", str(sample.doc["label"]), aside=True),
            outcome_of(sample),
        ]


class ProvenRe2View(Re2View):
    """Answers about loops and branches are shown with the place where they first differ from the label."""

    def content(self, sample: Sample) -> list[Part]:
        setting, text = sample.key.setting, sample.answer.text
        if setting not in (LOOP, BRANCH) or text is None:
            return super().content(sample)
        rows = [
            f"line {line}{f', {name}' if name else ''}: " + _first_wrong(answer, label, place)
            for line, name, answer, label, place in compared(sample.doc, setting, text)
        ]
        program, *others = super().content(sample)
        return [program, Part("First wrong iteration", "text", "\n".join(rows)), *others]


def _record(sample: Sample) -> dict[str, Any]:
    record: Any = sample.scores[GAP]
    return {**record, "problem_id": f"{sample.key.benchmark}/{record['problem_id']}"}


def _right(sample: Sample) -> float:
    return float(sample.scores[GAP]["right"])


def _first_wrong(answer: Sequence[Any], label: Sequence[Any], place: int | None) -> str:
    if place is None:
        return "right"
    values = (repr(items[place]) if place < len(items) else "nothing" for items in (answer, label))
    return "number {}: {}, but: {}".format(place + 1, *values)
