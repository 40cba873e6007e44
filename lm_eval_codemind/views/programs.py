"""The views of results about programs: programs that a model writes, and its verdicts about programs."""

import difflib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np

from lm_eval_codemind.catalogue import Benchmark
from lm_eval_codemind.families.repair import WITHOUT_TEST
from lm_eval_codemind.families.sr import NO_TEST
from lm_eval_codemind.families.translation import cause, target_language
from lm_eval_codemind.families.verdict import BUGGY
from lm_eval_codemind.languages import get_language
from lm_eval_codemind.prompts.templates import numbered
from lm_eval_codemind.questions import Answer
from lm_eval_codemind.questions.samples import Sample, TaskRun
from lm_eval_codemind.scores.sr import s_sr
from lm_eval_codemind.scores.statistics import Estimate, bootstrap, mean
from lm_eval_codemind.scores.verdict import balanced, both
from lm_eval_codemind.views.view import Part, Unit, View, answer_of, exchange, listing, outcome_of

_SIDES = ("without test", "with test")


class SemanticsView(View):
    """DSR: C, C+ and the answer with their lines, the outcome, and the rules that made C+."""

    scores = ("S_DSR", "pass")
    programs = {"C": ("complexity", "code"), "C+": ("transformed_complexity", "transformed")}

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        return {"S_DSR": float(unit[0].scores[self.metric]), "pass": float(unit[0].scores["pass@1"])}

    def solved(self, unit: Unit) -> bool:
        """Whether the answer passes its tests and is shorter than C+: then S_DSR is above 0."""
        return self.unit_scores(unit)["S_DSR"] > 0

    def outcome(self, unit: Unit) -> str:
        of_unit, answer = self.unit_scores(unit), unit[0].answer
        if of_unit["pass"] >= 1:
            return "simplified" if of_unit["S_DSR"] > 0 else "not shorter"
        if answer.text is None:
            return "no code"
        return "unfinished" if (answer.outcome or {}).get("status") == "unfinished" else "fails its tests"

    def content(self, sample: Sample) -> list[Part]:
        doc = sample.doc
        return [
            listing(sample, "C", "code", True, _lines(doc.get("loc"))),
            listing(sample, "C+", "transformed", True, _lines(doc.get("loc_transformed"))),
            replace(answer_of(sample, "code"), note=_lines(sample.answer.details.get("loc"))),
            outcome_of(sample),
            Part("Rules that made C+", "text", ", ".join(map(str, doc.get("transformations") or []))),
            listing(sample, "Test", "test"),
        ]


class PairView(View):
    """A unit is two samples of a problem, such as without and with a test.

    Attributes:
        first: Settings of the first sample of a pair.
        paired: The metric whose records say which share of the responses in a sample passes.
        pair_outcomes: The outcome of a problem where both samples pass, only the first, only the second, and neither.
        of_pair: Metrics that are the mean of a score of pairs: name -> the score, from the two shares. The first of
            them is the S score.
    """

    first: ClassVar[Collection[str]]
    paired: ClassVar[str]
    pair_outcomes: ClassVar[tuple[str, str, str, str]]
    of_pair: ClassVar[Mapping[str, Callable[[float, float], float]]]

    def units(self, samples: Sequence[Sample]) -> list[Unit]:
        """Return the two samples of each problem, the first one first; problems that lack one are left out."""
        problems: dict[tuple[str, str, str], dict[bool, Sample]] = {}
        for sample in samples:
            if self.paired in sample.scores:
                key = (sample.key.benchmark, sample.key.problem_id, sample.key.item)
                problems.setdefault(key, {})[sample.key.setting in self.first] = sample
        return [(halves[True], halves[False]) for halves in problems.values() if len(halves) == 2]

    def passed(self, unit: Unit) -> list[float]:
        """Return the share of the responses that pass, in each of the two samples."""
        return [float(sample.scores[self.paired]["passed"]) for sample in unit]

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        """Return the S score of a pair, then the share that passes in each of the two samples."""
        of_pair = next(iter(self.of_pair.values()))
        return dict(zip(self.scores, (of_pair(*self.passed(unit)), *self.passed(unit)), strict=True))

    def outcome(self, unit: Unit) -> str:
        first, second = (share >= 1 for share in self.passed(unit))
        both_pass, only_first, only_second, neither = self.pair_outcomes
        if first:
            return both_pass if second else only_first
        return only_second if second else neither

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        if metric not in self.of_pair:
            return super().estimate(samples, metric)
        return mean([self.of_pair[metric](*self.passed(unit)) for unit in self.units(samples)])


class SpecificationView(PairView):
    """SR: specification, test, both programs and what differs between them."""

    scores = ("S_SR", "pass without test", "pass with test")
    reported: tuple[str, ...] = (
        "r_sr",
        "pass@1_no_test",
        "pass@1_no_test_fair",
        "pass@1_with_test",
        "s_sr",
        "s_sr_unstated",
    )
    board = {"NoTest": "pass@1_no_test", "WithTest": "pass@1_with_test"}
    place = {"Gtask": "synthesis"}
    first = (NO_TEST,)
    paired = "r_sr"
    pair_outcomes = ("both pass", "only without test", "only with test", "neither passes")
    of_pair: ClassVar[Mapping[str, Callable[[float, float], float]]] = {"s_sr": s_sr}

    def solved(self, unit: Unit) -> bool:
        """Whether the program written with the test passes, which is the one a user would take."""
        return self.passed(unit)[1] >= 1

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        if metric == "r_sr":
            pairs = [self.passed(unit) for unit in self.units(samples)]
            rows = [(without, s_sr(without, with_test)) for without, with_test in pairs]
            return bootstrap(rows, lambda means: means[..., 0] * np.exp(means[..., 1]))
        if metric == "s_sr_unstated":
            return self.estimate([sample for sample in samples if sample.scores.get(metric) is not None], "s_sr")
        return super().estimate(samples, metric)

    def parts(self, unit: Unit) -> list[Part]:
        without, with_test = unit
        return [
            listing(without, "Specification S", "specification"),
            listing(with_test, "Test t", "test"),
            *_both_programs(unit),
            _difference(unit),
            listing(without, "Reference", "code"),
            listing(without, "Test suite T", "tests"),
            Part("Class of the suite", "text", str(without.doc.get("suite", ""))),
            *_exchanges(unit),
        ]


class MisleadingView(View):
    """SR with one program per problem, written with a test that contradicts the specification."""

    metric = "pass@1"
    scores = ("pass on misleading test",)
    board = {"MisleadingTest": "pass@1"}
    place = {"Gtask": "synthesis"}
    outcomes = ("follows the test", "does not follow it", "does not follow it")

    def content(self, sample: Sample) -> list[Part]:
        return [
            listing(sample, "Specification S", "specification"),
            listing(sample, "Misleading test", "test"),
            answer_of(sample, "code", "Code"),
            outcome_of(sample),
            listing(sample, "Reference", "code"),
        ]


class TranslationView(SpecificationView):
    """Original, test, both translations and what differs between them."""

    reported = ("pass@1_with_test", "pass@1_no_test")

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        if metric == "gained":
            pairs = [self.passed(unit) for unit in self.units(samples)]
            return mean([with_test for without, with_test in pairs if without < 1])
        return super().estimate(samples, metric)

    def outcome(self, unit: Unit) -> str:
        """Return the outcome of a problem; where neither translation passes, why the one with the test fails."""
        outcome = super().outcome(unit)
        return f"neither: {_failure(unit[1].answer)}" if outcome == "neither passes" else outcome

    def leaderboard_row(self, task: TaskRun, benchmark: Benchmark) -> dict[str, str]:
        return {**super().leaderboard_row(task, benchmark), **_translated(benchmark)}

    def parts(self, unit: Unit) -> list[Part]:
        without, with_test = unit
        return [
            listing(without, "Original", "code"),
            Part("Test t", "text", str(with_test.doc.get("test", ""))),
            *_both_programs(unit, str(without.doc.get("target_language", ""))),
            _difference(unit),
            *_exchanges(unit),
        ]


class MisleadingTranslationView(MisleadingView):
    """One translation per program, written with a test that contradicts the program."""

    def outcome(self, unit: Unit) -> str:
        outcome = super().outcome(unit)
        return outcome if self.solved(unit) else f"{outcome}: {_failure(unit[0].answer)}"

    def leaderboard_row(self, task: TaskRun, benchmark: Benchmark) -> dict[str, str]:
        return {**super().leaderboard_row(task, benchmark), **_translated(benchmark)}

    def content(self, sample: Sample) -> list[Part]:
        return [
            listing(sample, "Original", "code"),
            Part("Misleading test", "text", str(sample.doc.get("test", ""))),
            answer_of(sample, "code", "Code", str(sample.doc.get("target_language", ""))),
            outcome_of(sample),
        ]


class RepairView(PairView):
    """Specification, buggy program, test and both answers."""

    scores = ("repaired", "repaired without test")
    reported = ("pass@1", "pass@1_no_test")
    first = WITHOUT_TEST
    paired = "repaired_by_test"
    pair_outcomes = ("repaired", "only without test", "only with test", "not repaired")
    of_pair = {"repaired_by_test": s_sr}
    programs = {"C": ("complexity", "code"), "bug": ("buggy_complexity", "buggy")}

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        """Return the share that passes with the test, then without it."""
        return dict(zip(self.scores, reversed(self.passed(unit)), strict=True))

    def parts(self, unit: Unit) -> list[Part]:
        sample = unit[1]
        return [
            listing(sample, "Specification S", "specification"),
            listing(sample, "Buggy program B", "buggy"),
            listing(sample, "Test t that reveals the bug", "test"),
            *_both_programs(unit, what="Answer"),
            listing(sample, "Correct program C", "code"),
            listing(sample, "Test suite T", "tests"),
            *_exchanges(unit),
        ]


class VerdictView(PairView):
    """Specification, the buggy and the correct program, and the verdicts about them."""

    scores = ("S_verdict", "buggy", "correct")
    reported = ("verdict", "verdict_pair")
    first = (BUGGY,)
    paired = "verdict"
    pair_outcomes = ("both right", "only the buggy one right", "only the correct one right", "neither right")
    of_pair = {"verdict": balanced, "verdict_pair": both}

    def parts(self, unit: Unit) -> list[Part]:
        pairs = list(zip(("buggy", "correct"), unit, strict=True))
        return [
            listing(unit[0], "Specification S", "specification"),
            *(listing(sample, f"The {what} program", "program", aside=True) for what, sample in pairs),
            *(answer_of(sample, title=f"Is the {what} one right?") for what, sample in pairs),
            *(part for sample in unit for part in exchange(sample, f" ({sample.key.setting})")),
        ]


class LocateView(View):
    """Specification, the buggy program with its lines, and the correct one."""

    reported = ("locate_searched", "locate", "locate_near")

    def outcome(self, unit: Unit) -> str:
        if self.solved(unit):
            return "a line that the fix changes"
        if unit[0].answer.text is None:
            return "no answer"
        return "next to such a line" if unit[0].scores.get("locate_near") else "another line"

    def content(self, sample: Sample) -> list[Part]:
        language = str(sample.doc.get("language", ""))
        return [
            listing(sample, "Specification S", "specification"),
            Part("Buggy program B", "code", numbered(str(sample.doc["program"])), language=language),
            listing(sample, "Correct program C", "code"),
            Part("Lines that the fix changes", "text", ", ".join(map(str, sample.doc["lines"])), aside=True),
            answer_of(sample),
        ]


def _both_programs(unit: Unit, language: str = "", what: str = "Code") -> list[Part]:
    """Return the two programs of a pair and the outcomes of executing them, side by side.

    Args:
        unit: The samples without and with the test.
        language: The language of the programs, by default that of the documents.
        what: The heading of the programs.
    """
    pairs = list(zip(_SIDES, unit, strict=True))
    return [
        *(answer_of(sample, "code", f"{what} {side}", language) for side, sample in pairs),
        *(outcome_of(sample, f"Outcome {side}", aside=True) for side, sample in pairs),
    ]


def _exchanges(unit: Unit) -> list[Part]:
    """Return the prompts and responses of a pair."""
    return [part for side, sample in zip(_SIDES, unit, strict=True) for part in exchange(sample, f" {side}")]


def _difference(unit: Unit) -> Part:
    """Return a unified diff from the program written without the test to the program written with it."""
    one, other = (sample.answer.text or "" for sample in unit)
    if one == other:
        return Part("What differs", "diff", "nothing" if one else "")
    lines = difflib.unified_diff(one.splitlines(), other.splitlines(), *_SIDES, lineterm="", n=2)
    return Part("What differs", "diff", "\n".join(lines))


def _lines(count: object) -> str:
    return "" if count is None else f"{count} lines"


def _translated(benchmark: Benchmark) -> dict[str, str]:
    """Return the columns of a translation: the benchmark's name without its language, and both languages."""
    source, target = (get_language(name).title for name in (benchmark.language, target_language(benchmark)))
    dataset = benchmark.title.removesuffix(source).strip()
    return {"Dataset": dataset, "Gtask": "translate", "src": source, "tgt": target}


def _failure(answer: Answer) -> str:
    return cause(answer).replace("_", " ") or ("no code" if answer.text is None else "")
