"""Compare the verdicts recorded with CodeMind's first study with those of its rule over our published benchmarks.

    python utils/compare_v1.py --upstream DIR RECORDED.jsonl.gz...

The recordings are the IER ones, with ``published_prediction``, ``published_label`` and ``published_verdict``. Prints
Markdown. Reads the published programs and labels straight from upstream's files and executes nothing.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from lm_eval_codemind.data.benchmarks import Upstream
from lm_eval_codemind.data.catalogue import get_benchmark

BENCHMARKS = ("humaneval", "mbpp", "cruxeval", "codenet_python", "codenet_java", "avatar", "avatar_java")
# Folders of MBPP have numbers, our problems names.
_PREFIXES = {"mbpp": "MBPP_"}


def same_ends(answer: str, output: str) -> bool:
    """Whether an answer equals the output by the rule of CodeMind's first study; for replication only.

    The rule that gives the study's lists of solved problems: line ends and spaces are removed wherever they are, double
    quotes become single ones, one quote or back-tick is dropped at each end, and what remains must be identical.
    """
    return _without_ends(answer) == _without_ends(output)


def _without_ends(text: str) -> str:
    text = re.sub(r"[ \r\n]", "", text).replace('"', "'")
    text = text[1:] if text[:1] in ("'", "`") else text
    return text[:-1] if text[-1:] in ("'", "`") else text


def report(paths: Iterable[Path], upstream: Upstream) -> Iterator[str]:
    """Yield the lines of the table."""
    labels = {
        name: {problem.problem_id: problem.output for problem in get_benchmark(f"published_{name}").read(upstream)}
        for name in BENCHMARKS
    }
    yield "| model | benchmark | recorded | solved, published | solved, rule over our labels | judgements that differ |"
    yield "|---|---|---:|---:|---:|---:|"
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        for name in BENCHMARKS:
            chosen = [row for row in rows if row["benchmark"] == name]
            if not chosen:
                continue
            pairs = []
            for row in chosen:
                label = labels[name][_PREFIXES.get(name, "") + row["problem_id"]]
                pairs.append(
                    (bool(row["published_verdict"]), same_ends(row["published_prediction"] or "", label or ""))
                )
            study, ours = (sum(side) for side in zip(*pairs, strict=True))
            differing = sum(one != other for one, other in pairs)
            yield f"| {rows[0]['model']} | {name} | {len(pairs)} | {study} | {ours} | {differing} |"


def main() -> None:
    """Run the comparison from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recorded", nargs="+", type=Path, help="files of recorded responses, gzipped JSON lines")
    parser.add_argument("--upstream", required=True, type=Path, help="directory with upstream's archives")
    arguments = parser.parse_args()
    for line in report(arguments.recorded, Upstream(arguments.upstream)):
        print(line)


if __name__ == "__main__":
    main()
