"""Score what executes nothing, or only half, on ``codemind_horizon``, and write the best scores for the report.

    python utils/prove/horizon_baselines.py

It prints a table for the README, a row for each baseline and a column for each level. The questions are those of seed
0. The learned rule answers with the output of the most similar question of seed 1: of the features (words of the
program, words and length of the call, state) it takes those weights that are best on the questions of that seed, each
answered from the others.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import lm_eval_codemind
from baselines import _echo, _last_literal
from lm_eval_codemind.answers.comparison import same_output
from lm_eval_codemind.families.horizon.score import horizon
from lm_eval_codemind.families.horizon.task import LEVELS, dataset
from lm_eval_codemind.sandbox import Job, shared_sandbox

FILE = Path(lm_eval_codemind.__file__).parent / "families" / "horizon" / "baselines.json"
TASK = "codemind_horizon"
CONSTANTS = ("None", "True", "False", "0", "1", "[]", "''", "{}")
_WORD = re.compile(r"\w+")

Document = Mapping[str, Any]
Guesses = Mapping[str, Sequence[str | None]]


def documents(seed: int) -> list[Document]:
    """Return the questions of a seed."""
    return list(dataset(benchmark="cruxeval", setting="steps", suite={}, horizon_seed=seed)["test"])


def guesses(asked: Sequence[Document], other: Sequence[Document]) -> Guesses:
    """Return the answer of each baseline to each question."""
    frequent = [text for text, _ in Counter(document["output"] for document in asked).most_common(5)]
    by_level = {
        level: Counter(document["output"] for document in asked if document["level"] == level).most_common(1)[0][0]
        for level in {document["level"] for document in asked}
    }
    return {
        **{f"constant {text}": [text] * len(asked) for text in dict.fromkeys([*CONSTANTS, *frequent])},
        "best constant": [by_level[document["level"]] for document in asked],
        "echo of the input": [_echo(document["input"]) for document in asked],
        "last literal": [_last_literal(document["input"]) for document in asked],
        "last literal of the program": [_last_literal(document["code"]) for document in asked],
        **half_chains(asked),
        "surface features": learned(asked, other),
    }


def half_chains(asked: Sequence[Document]) -> Guesses:
    """Return the outputs of chains with half of their links: the first, the last, each second from the first or second.

    Of natural programs there is no such guess.
    """
    kinds: dict[str, Callable[[list[int]], list[int]]] = {
        "first half of the links": lambda links: links[: len(links) // 2],
        "last half of the links": lambda links: links[len(links) // 2 :],
        "each second link": lambda links: links[::2],
        "each other link": lambda links: links[1::2],
    }
    chains = [document for document in asked if document["links"]]
    outputs: dict[str, list[str | None]] = {}
    for name, part in kinds.items():
        jobs = [Job.evaluate(document["code"], [_linked(document, part)]) for document in chains]
        outcomes = shared_sandbox().run(jobs)
        literals = {
            document["problem_id"]: outcome.observations[0].literal if outcome.observations else None
            for document, outcome in zip(chains, outcomes, strict=True)
        }
        outputs[name] = [literals.get(document["problem_id"]) for document in asked]
    return outputs


def _linked(document: Document, part: Callable[[list[int]], list[int]]) -> str:
    expression = document["input"].removeprefix("chain")
    for number in part(list(range(1, document["links"] + 1))):
        expression = f"f{number}({expression})"
    return expression


def learned(asked: Sequence[Document], other: Sequence[Document]) -> list[str]:
    """Return the output of the most similar question of another seed."""
    examples = other[::4]
    within, across = _alike(examples, other), _alike(asked, other)
    for place in range(len(examples)):
        within[place, 4 * place] = -np.inf  # itself
    outputs = [document["output"] for document in other]

    def nearest(alike: NDArray[np.float64], weights: Sequence[int]) -> list[str]:
        return [outputs[place] for place in (alike @ np.array(weights, dtype=float)).argmax(axis=1)]

    def right(weights: Sequence[int]) -> int:
        pairs = zip(nearest(within, weights), examples, strict=True)
        return sum(same_output(answer, document["output"], False) for answer, document in pairs)

    return nearest(across, max(product((1, 3), (1, 3), (1, 2)), key=right))


def _alike(asked: Sequence[Document], other: Sequence[Document]) -> NDArray[np.float64]:
    """Return how alike questions are: in the words of the program, in those of the call, and in the state."""
    sides = [
        [
            (frozenset(_WORD.findall(document["code"])), frozenset(_WORD.findall(document["input"])), document["state"])
            for document in side
        ]
        for side in (asked, other)
    ]
    return np.array(
        [
            [(_shared(a[0], b[0]), _shared(a[1], b[1]), min(a[2], b[2]) / max(a[2], b[2])) for b in sides[1]]
            for a in sides[0]
        ]
    )


def _shared(words: frozenset[str], others: frozenset[str]) -> float:
    return len(words & others) / max(1, len(words | others))


def scores(asked: Sequence[Document], answers: Sequence[str | None]) -> dict[str, float]:
    """Return the accuracy of answers at each level and of all, and their horizon."""
    right = [
        answer is not None and same_output(answer, document["output"], False)
        for document, answer in zip(asked, answers, strict=True)
    ]
    by_level = {
        name: [verdict for verdict, document in zip(right, asked, strict=True) if document["level"] == number]
        for number, name in enumerate(LEVELS, start=1)
    }
    shares = {name: sum(verdicts) / len(verdicts) for name, verdicts in {**by_level, "r_ier": right}.items()}
    reached = horizon([document["state"] for document in asked], [float(verdict) for verdict in right])
    return {**shares, "horizon": reached.value}


@click.command()
def main() -> None:
    """Print the table, and write the best scores."""
    asked = documents(0)
    table = {name: scores(asked, answers) for name, answers in guesses(asked, documents(1)).items()}
    for name, row in table.items():
        shares = [f"{100 * row[metric]:.1f}" for metric in (*LEVELS, "r_ier")]
        click.echo(f"| {name} | {' | '.join(shares)} | {row['horizon']:.0f} |")
    best = {
        metric: max(((name, row[metric]) for name, row in table.items()), key=lambda pair: pair[1]) for metric in row
    }
    record = {TASK: {metric: [name, round(value, 6)] for metric, (name, value) in best.items()}}
    FILE.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
