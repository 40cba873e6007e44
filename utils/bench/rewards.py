"""Measure how many rewards a second one core gives, next to a comparison of the text in the last braces.

python utils/bench/rewards.py ROWS.jsonl RESPONSES.jsonl.gz...

ROWS is what `codemind export --evaluation` wrote. The responses are recordings of the same benchmarks. Prints rewards a
second, the same for the comparison of texts, and the ratio of the two.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from lm_eval_codemind.harness.recordings import read_recordings
from lm_eval_codemind.rewards import reward

Pair = tuple[Mapping[str, Any], str]


def in_last_braces(row: Mapping[str, Any], response: str) -> float:
    """Return 1.0 if the text in the last braces of a response is the label, as trainers without a parser do it."""
    before, _, _ = response.rpartition("}")
    return float(before.rpartition("{")[2].strip() == json.loads(row["scoring"])["question"]["output"].strip())


def pairs(rows: Path, recordings: list[Path]) -> Iterator[Pair]:
    """Yield each recorded response with its row."""
    recorded = read_recordings(recordings)
    with rows.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            for response in recorded.find(row):
                yield row, response


def rate(function: Callable[[Mapping[str, Any], str], float], work: list[Pair]) -> float:
    """Return how many calls a second of processor time a function makes. No response comes twice, but for the first."""
    function(*work[0])
    start = time.process_time()
    for row, response in work:
        function(row, response)
    return len(work) / (time.process_time() - start)


def main() -> None:
    """Print the rates."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rows", type=Path)
    parser.add_argument("responses", nargs="+", type=Path)
    options = parser.parse_args()
    work = list(pairs(options.rows, options.responses))
    ours, plain = rate(reward, work), rate(in_last_braces, work)
    length = sum(len(response) for _, response in work) / len(work)
    print(
        f"{len(work)} responses of {length:.0f} characters on average, {sum(reward(*pair) for pair in work):.0f} right"
    )
    print(f"rewards a second: {ours:.0f}; text in the last braces: {plain:.0f}; ratio {ours / plain:.3f}")


if __name__ == "__main__":
    main()
