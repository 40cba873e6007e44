"""The aggregations of runtime behaviour: from the records of documents to items, metrics and their standard errors."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypedDict

from lm_eval_codemind.families.runtime.score import Item, averaged_over, clustered_stderr, score
from lm_eval_codemind.harness.aggregations import Aggregation

logger = logging.getLogger(__name__)

COVERAGE, STATE, PATH, OUTPUT = SETTINGS = ("coverage", "state", "path", "output")

# Metric -> the questions that it is computed from.
NEEDS: dict[str, tuple[str, ...]] = {
    "coverage": (COVERAGE,),
    "coverage_f1": (COVERAGE,),
    "coverage_balanced": (COVERAGE,),
    "state": (STATE,),
    "state_executed": (STATE,),
    "path": (PATH,),
    "path_executed": (PATH,),
    "output": (OUTPUT,),
    "ic": SETTINGS,
}

Record = Mapping[str, Any]


class InputColumns(TypedDict):
    """The columns of a document that say what runs. All questions about an input share them."""

    code: str
    entry_point: str
    complexity: Mapping[str, Any] | None
    run: str
    input: str
    set_up: str
    masked: str


class Fields(InputColumns):
    """The columns of a document.

    Attributes:
        asked_run: Which of the line's runs the question is about, from 1.
        runs: How many there are.
        goes_on: Whether it is executed and another line of the program after it.
        next_line: The first line of what is executed next; 0 at the end of the program.
        next_end: The last line of that.
    """

    outputs: list[str]
    line: int
    variable: str
    asked_run: int
    runs: int
    executed: bool
    goes_on: bool
    value: str | None
    type_name: str
    next_line: int | None
    next_end: int | None
    answer: str


def items(records: Iterable[Record | None], metric: str) -> list[Item]:
    """Return the items that a metric is computed from; under ``repeats`` one for each response.

    Of ``output`` there is one an input, of the others one a line. Items that lack one of the answers that the metric
    needs are left out. If an item's questions differ in their number of responses, the fewest count.

    Args:
        records: What the families return as ``joint``; None for documents that do not count for the metric.
        metric: A key of :data:`~lm_eval_codemind.families.runtime.score.METRICS`.
    """
    return [item for answered in _complete(records, metric) for item in _responses(answered)]


def _complete(records: Iterable[Record | None], metric: str) -> list[Mapping[str, Record]]:
    """Return the records of each item that has all the answers that a metric needs, by setting."""
    outputs: dict[tuple[str, str], Record] = {}
    lines: dict[tuple[str, str, int], dict[str, Record]] = {}
    for record in filter(None, records):
        if record["setting"] == OUTPUT:
            outputs[record["program"], record["run"]] = record
        else:
            place = (record["program"], record["run"], record["line"])
            lines.setdefault(place, {})[record["setting"]] = record
    for (program, run, _), of_line in lines.items():
        if (program, run) in outputs:
            of_line[OUTPUT] = outputs[program, run]
    groups = [{OUTPUT: record} for record in outputs.values()] if metric == OUTPUT else lines.values()
    needed = set(NEEDS[metric])
    return [answered for answered in groups if needed <= answered.keys()]


def _responses(answered: Mapping[str, Record]) -> Iterator[Item]:
    one = next(iter(answered.values()))
    for number in range(min(len(record["right"]) for record in answered.values())):
        right = {setting: bool(record["right"][number]) for setting, record in answered.items()}
        said_executed = answered[COVERAGE]["said_executed"][number] if COVERAGE in answered else None
        yield Item(
            one["program"],
            one["executed"],
            one["goes_on"],
            said_executed,
            right.get(STATE, False),
            right.get(PATH, False),
            right.get(OUTPUT, False),
            one.get("drawn"),
        )


def aggregation(
    metric: str, each: Callable[[Sequence[Any]], Iterable[Record | None]] = lambda records: records
) -> Aggregation:
    """Return the aggregation of a metric. ``each`` gives the records of the documents, by default one for each."""

    def value(answered: Sequence[Item]) -> float:
        return score(metric, answered)

    return Aggregation(
        lambda documents: items(each(documents), metric),
        value,
        lambda answered: clustered_stderr(metric, answered),
        lambda answered: averaged_over(metric, answered),
        _say_what_ic_leaves_out if metric == "ic" else lambda records: None,
    )


def _say_what_ic_leaves_out(records: Sequence[Record | None]) -> None:
    places = {(record["program"], record["run"], record["line"]) for record in filter(None, records) if record["line"]}
    left_out = len(places) - len(_complete(records, "ic"))
    if left_out:
        logger.warning(
            "ic leaves out %d of %d items of which not all four questions were asked (--limit and --samples count "
            "documents)",
            left_out,
            len(places),
        )


coverage = aggregation("coverage")
coverage_f1 = aggregation("coverage_f1")
coverage_balanced = aggregation("coverage_balanced")
state = aggregation("state")
state_executed = aggregation("state_executed")
path = aggregation("path")
path_executed = aggregation("path_executed")
output = aggregation("output")
ic_mean = aggregation("ic")
