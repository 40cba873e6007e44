"""Two documents per problem, such as without and with a test: how they are paired when scores are aggregated."""

import logging
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from lm_eval_codemind.harness.aggregations import Aggregation, mean_of

logger = logging.getLogger(__name__)

Record = Mapping[str, Any]
"""What a document says of its half of a pair: ``problem_id``, ``passed``, and in one more field which half it is."""


def paired(
    records: Sequence[Record | None], field: str, halves: tuple[Hashable, Hashable]
) -> tuple[list[tuple[float, float]], list[str]]:
    """Return the pairs in the order of their problems, and the problems that have only one document.

    ``field`` tells which half of a pair a document is; ``halves`` are its two values, in the order of a pair. A record
    is None if its document does not count.
    """
    problems: dict[str, dict[Hashable, float]] = {}
    for record in filter(None, records):
        problems.setdefault(record["problem_id"], {})[record[field]] = record["passed"]
    first, second = halves
    pairs = [(by_setting[first], by_setting[second]) for by_setting in problems.values() if len(by_setting) == 2]
    return pairs, [problem for problem, by_setting in problems.items() if len(by_setting) < 2]


def warn_of(alone: Sequence[str], subject: str) -> None:
    """Warn of problems that have only one of their two documents. ``subject`` are the metrics, with their verb."""
    if alone:
        logger.warning(
            "%s out %d problem(s) of which only one of the two settings was run (--limit and "
            "--samples count documents, two a problem): %s",
            subject,
            len(alone),
            ", ".join(alone[:5]) + (", ..." if len(alone) > 5 else ""),
        )


def mean_of_pairs(
    metric: str, field: str, halves: tuple[Hashable, Hashable], score: Callable[[float, float], float]
) -> Aggregation:
    """Return the mean of a score of pairs, for a YAML file to name. Field and halves are those of :func:`paired`."""
    return mean_of(
        lambda records: [score(*pair) for pair in paired(records, field, halves)[0]],
        lambda records: warn_of(paired(records, field, halves)[1], f"{metric} leaves"),
    )
