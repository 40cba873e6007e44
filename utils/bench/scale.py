"""Measure commands on large inputs with two checkouts, in alternation: processor time, memory, size.

    python utils/bench/scale.py BEFORE AFTER RECORDING [--rounds 3] [--only NAME ...]

Each checkout has its virtual environment in `.venv`; RECORDING has rows for the tasks of `--tasks`. Prints the median
processor time of each command (of the process and all that it waits for) under both, the ratio, and the largest
resident memory. The load of the machine changes these times less than the ones of a clock, and both checkouts alike.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import string
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

MODELS, RESPONSES, LENGTH, PROBLEMS = 20, 2_400, 50_000, 50_000
LONG_TASK, LONG_PROBLEMS = "codemind_ier_cruxeval", 800
BOOTSTRAP = f"""
import random
from lm_eval_codemind.statistics import bootstrap
rows = [(random.Random(i).random(),) for i in range({PROBLEMS})]
print(bootstrap(rows, lambda means: means[..., 0]))
"""


def measured(checkout: Path, arguments: Sequence[object]) -> tuple[float, float]:
    """Return the processor seconds and the largest resident memory in MB of a command of a checkout."""
    program = checkout.resolve() / ".venv" / "bin"
    command = [program / "codemind", *arguments] if arguments[0] != "python" else [program / "python", *arguments[1:]]
    # A child that does not share this process's memory: its largest memory is its own.
    with subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        said = process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {process.returncode}:\n{said[-2000:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def write_long(file: Path) -> None:
    """Write responses of words of random letters, several to each problem."""
    draw = random.Random(0)
    with file.open("w", encoding="ascii") as rows:
        for number in range(RESPONSES):
            text = "".join(draw.choices(string.ascii_lowercase + " ", k=LENGTH))
            problem = f"sample_{number % LONG_PROBLEMS}"
            rows.write(json.dumps({"benchmark": "cruxeval", "problem_id": problem, "response": text}) + "\n")


def write_models(run: Path, directory: Path) -> None:
    """Write runs of several models: the first one's, with some scores the other way round."""
    for number in range(MODELS):
        draw, folder = random.Random(number), directory / f"model-{number}"
        folder.mkdir(parents=True)
        for file in run.rglob("*.json*"):
            if file.name.startswith("results_"):
                raw = {**json.loads(file.read_text(encoding="utf-8")), "model_name": f"model-{number}"}
                (folder / file.name).write_text(json.dumps(raw), encoding="utf-8")
                continue
            with file.open(encoding="utf-8") as rows, (folder / file.name).open("w", encoding="utf-8") as written:
                for row in map(json.loads, rows):
                    row["r_ier"] = 1.0 - row["r_ier"] if draw.random() < 0.15 else row["r_ier"]
                    written.write(json.dumps(row, ensure_ascii=False) + "\n")


def commands(options: argparse.Namespace, place: Path) -> Mapping[str, Sequence[object]]:
    """Return the commands by name. A command may read what an earlier one wrote, by the checkout ``AFTER``."""
    score = ["score", "--responses", options.recording, "--tasks", options.tasks]
    long = ["score", "--responses", place / "long.jsonl", "--tasks", LONG_TASK]
    return {
        "help": ["--help"],
        "score": [*score, "-o", place / "scored"],
        "verify": ["verify", place / "run"],
        "show": ["show", place / "models"],
        "report": ["report", place / "models", "-o", place / "report.html"],
        "score long": [*long, "-o", place / "scored"],
        "verify long": ["verify", place / "run-long"],
        "report long": ["report", place / "run-long", "-o", place / "report-long.html"],
        "bootstrap": ["python", "-c", BOOTSTRAP],
    }


def main() -> None:
    """Print a line for each command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("recording", type=Path)
    parser.add_argument("--tasks", default="codemind_ier", help="Tasks that the recording has rows for.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", action="append", metavar="NAME", help="A command; may be repeated.")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scale-") as folder:
        place = Path(folder)
        chosen = {name: one for name, one in commands(options, place).items() if name in (options.only or [name])}
        if not chosen.keys().isdisjoint({"verify", "show", "report"}):
            measured(options.after, [*commands(options, place)["score"][:-1], place / "run"])
            write_models(place / "run", place / "models")
        if any(name.endswith("long") for name in chosen):
            write_long(place / "long.jsonl")
        if not chosen.keys().isdisjoint({"verify long", "report long"}):
            measured(options.after, [*commands(options, place)["score long"][:-1], place / "run-long"])
        for name, arguments in chosen.items():
            sides: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
            for _ in range(options.rounds):
                for side, checkout in zip(sides, (options.before, options.after), strict=True):
                    shutil.rmtree(place / "scored", ignore_errors=True)
                    side.append(measured(checkout, arguments))
            seconds = [statistics.median(second for second, _ in side) for side in sides]
            memory = [max(largest for _, largest in side) for side in sides]
            print(
                f"{name}: {seconds[0]:.2f} s before, {seconds[1]:.2f} s after, ratio {seconds[0] / seconds[1]:.2f}; "
                f"{memory[0]:.0f} MB before, {memory[1]:.0f} MB after",
                flush=True,
            )
            for page in place.glob("*.html"):
                print(f"  {page.name} after: {page.stat().st_size / 1e6:.1f} MB")
                page.unlink()


if __name__ == "__main__":
    main()
