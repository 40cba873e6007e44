"""Count the fresh inputs that seeds give, for the table in docs/extending.md.

python utils/count_fresh_inputs.py --seeds 5 sample humaneval

Prints a line for each benchmark: the rows that a seed gives on average without those of the packaged evaluation, the
distinct ones among the rows of all seeds, and the share of the last seed's rows that no earlier seed gave.
"""

from __future__ import annotations

import argparse

from lm_eval_codemind.commands.export import EVALUATION_SEEDS
from lm_eval_codemind.data import load_benchmark
from lm_eval_codemind.data.facts.fresh import SHIPPED_SEED
from lm_eval_codemind.families.fresh.task import load_fresh

Input = tuple[str, str]


def inputs(benchmark: str, seed: int) -> set[Input]:
    """Return the fresh inputs of a seed, each with the name of its problem."""
    fresh = load_fresh(benchmark, seed, 1)
    return {(problem_id, run.input) for problem_id, of_problem in fresh.items() for run in of_problem.runs}


def line(benchmark: str, seeds: int) -> str:
    """Return the table's line for a benchmark."""
    published = {(problem.problem_id, problem.input) for problem in load_benchmark(benchmark)}
    packaged = inputs(benchmark, SHIPPED_SEED) | published
    first = EVALUATION_SEEDS[-1] + 1
    by_seed = [inputs(benchmark, seed) - packaged for seed in range(first, first + seeds)]
    rows, distinct = sum(map(len, by_seed)), len(set().union(*by_seed))
    new = len(by_seed[-1].difference(*by_seed[:-1])) / len(by_seed[-1])
    return f"| {benchmark} | {rows / seeds:.0f} | {seeds} | {rows} | {distinct} | {100 * new:.0f} % |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("benchmarks", nargs="+")
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    print("| benchmark | rows per seed | seeds | rows | distinct rows | new in the last seed |")
    print("|---|---:|---:|---:|---:|---:|")
    for benchmark in options.benchmarks:
        print(line(benchmark, options.seeds), flush=True)


if __name__ == "__main__":
    main()
