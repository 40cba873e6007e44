"""The view of results on runtime behaviour: each program with the answers next to their lines."""

import textwrap
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from statistics import fmean
from typing import Any

from more_itertools import map_reduce

from lm_eval_codemind.errors import shortened
from lm_eval_codemind.families.runtime.items import NEEDS, OUTPUT, SETTINGS, STATE, items
from lm_eval_codemind.families.runtime.score import Item, clustered_stderr, ic, programs_averaged_over, score
from lm_eval_codemind.families.runtime.selection import ITEMS, USUAL
from lm_eval_codemind.families.view import Part, Unit, View, exchange
from lm_eval_codemind.harness.templates import numbered
from lm_eval_codemind.questions import Key
from lm_eval_codemind.samples import Sample, TaskRun
from lm_eval_codemind.statistics import TOO_FEW, Estimate, of_equal_problems

# A longer line of code pushes its notes to the right, and no other line's.
_CODE_COLUMNS = 72
# The line that questions about the output have.
_NO_LINE = 0


class RuntimeView(View):
    """A unit is a program: all questions about its lines on all of its inputs."""

    scores: tuple[str, ...] = ("correct",)
    reported: tuple[str, ...] = ("coverage_balanced", "state_executed", "path_executed", "output")

    def units(self, samples: Sequence[Sample]) -> list[Unit]:
        """Return the samples program by program."""
        return [tuple(unit) for unit in map_reduce(samples, lambda sample: sample.key.problem_id).values()]

    def unit_key(self, unit: Unit) -> Key:
        return unit[0].key._replace(setting="", item="")

    def unit_scores(self, unit: Unit) -> dict[str, float]:
        """Return the share of the questions about the program that are answered correctly, over all responses."""
        return {"correct": fmean(map(_right, unit))}

    def outcome(self, unit: Unit) -> str:
        if self.solved(unit):
            return "all correct"
        shares = {setting: share for setting in SETTINGS if (share := _share(unit, setting)) is not None}
        return f"weakest in {min(shares, key=lambda setting: shares[setting])}"

    def predicts(self, unit: Unit) -> bool | None:
        share = _share(unit, OUTPUT)
        return None if share is None else share >= 1

    def estimate(self, samples: Sequence[Sample], metric: str) -> Estimate:
        """Return a metric with the interval of its clustered standard error: 1.96 of them to either side.

        Where all programs give the same, that error is 0, and the interval is that of equal problems.
        """
        if metric not in NEEDS:
            return super().estimate(samples, metric)
        answered = items_of(samples, metric)
        value, error = score(metric, answered), 1.96 * clustered_stderr(metric, answered)
        programs = programs_averaged_over(metric, answered)
        ends = max(0.0, value - error), min(1.0, value + error)
        if programs < 2:
            ends = TOO_FEW, TOO_FEW
        elif error < 1e-12:
            ends = of_equal_problems(value, programs, 0.0)
        return Estimate(value, *ends, len(answered))

    def reasons_against(self, task: TaskRun) -> list[str]:
        """Return why results may not be submitted: if another number of questions was asked."""
        asked = task.suite.get(ITEMS, USUAL)
        return [] if asked == USUAL else [f"not the default settings: {ITEMS} is {asked}"]

    def parts(self, unit: Unit) -> list[Part]:
        exchanges = [part for s in unit for part in exchange(s, f" ({s.key.setting}, {s.key.item})")]
        return self.programs_with_answers(unit) + exchanges

    def programs_with_answers(self, unit: Unit) -> list[Part]:
        """Return each input, and the program with the answers about it."""
        language = str(unit[0].doc.get("language", ""))
        parts = []
        for run in dict.fromkeys(str(sample.doc["run"]) for sample in unit):
            of_run = [sample for sample in unit if str(sample.doc["run"]) == run]
            note = "answer, and the truth where it is another"
            parts.append(Part(f"Input {run}", "code", _input_shown(of_run[0].doc), language=language))
            parts.append(Part(f"Answers on input {run}", "code", annotated(of_run), note=note))
        return parts


def annotated(samples: Sequence[Sample]) -> str:
    """Return a program with the answers on one input: about each line next to it, about the output at the end."""
    by_place = {(sample.key.setting, int(sample.doc["line"])): sample for sample in samples}
    notes: dict[int, list[str]] = defaultdict(list)
    for (_, line), sample in by_place.items():
        notes[line].append(_note(sample))
    for line in notes:
        places = [(setting, _NO_LINE if setting == OUTPUT else line) for setting in SETTINGS]
        if line != _NO_LINE and all(place in by_place for place in places):
            notes[line].append(
                _consistency({setting: _is_first_right(by_place[setting, at]) for setting, at in places})
            )

    code = numbered(str(samples[0].doc["code"])).split("\n")
    width = min(max(map(len, code)), _CODE_COLUMNS)
    rows = []
    for number, text in enumerate(code, start=1):
        of_line = notes.get(number)
        if of_line:
            rows += [f"{left:{width}}  | {note}" for left, note in zip_longest([text], of_line, fillvalue="")]
        else:
            rows.append(text)
    return "\n".join([*rows, "", *notes.get(_NO_LINE, [])])


def _note(sample: Sample) -> str:
    """Return the answer of a sample on one line, with the truth if the answer is wrong."""
    setting, right = sample.key.setting, _is_first_right(sample)
    about = f" of {sample.doc['variable']}" if setting == STATE else ""
    answer = "(no answer)" if sample.answer.text is None else _one_line(sample.answer.text)
    truth = "" if right else f"   but: {_one_line(str(sample.doc['answer']))}"
    return f"{'+' if right else '-'} {setting}{about}: {answer}{truth}"


def _consistency(right: Mapping[str, bool]) -> str:
    """Return a text about the four answers about a line: the first wrong one, later right ones, and the IC."""
    value = ic(*(right[setting] for setting in SETTINGS))
    if value == 1:
        return "consistent, IC 1"
    broken = next(setting for setting in SETTINGS if not right[setting])
    after = [setting for setting in SETTINGS[SETTINGS.index(broken) + 1 :] if right[setting]]
    though = f", though {' and '.join(after)} {'is' if len(after) == 1 else 'are'} correct" if after else ""
    return f"consistency breaks at {broken}{though}, IC {value:g}"


def _rights(sample: Sample) -> Sequence[bool]:
    """Return which of the responses to a question are right."""
    records = (sample.scores.get(metric) for metric in NEEDS)
    return next((record["right"] for record in records if isinstance(record, Mapping)), [False])


def _right(sample: Sample) -> float:
    """Return the share of the responses to a question that are right."""
    return fmean(_rights(sample))


def _is_first_right(sample: Sample) -> bool:
    return bool(_rights(sample)[0])


def _share(unit: Iterable[Sample], setting: str) -> float | None:
    rights = [_right(sample) for sample in unit if sample.key.setting == setting]
    return fmean(rights) if rights else None


def items_of(samples: Iterable[Sample], metric: str) -> list[Item]:
    """Return the items of a metric from the samples that it is recorded for."""
    values = (sample.scores.get(metric) for sample in samples)
    return items([record for record in values if isinstance(record, Mapping)], metric)


def _input_shown(doc: Mapping[str, Any]) -> str:
    set_up = str(doc.get("set_up") or "")
    return f"{textwrap.indent(set_up, '# ')}\n{doc['input']}" if set_up else str(doc["input"])


def _one_line(text: str) -> str:
    return shortened(" ".join(text.split()))
