"""Measure what scoring specification reasoning costs, and what the bare execution of the same programs costs.

    python utils/bench_sr_scoring.py [--upstream DIR] [--rounds 3]

Builds HumanEval's 328 SR documents, gives every one of them a response (the ground truth, in prose and fences, the two
settings of a problem spelt differently so that no program is run once for both), and scores them with the harness and
`codemind-replay`. Scoring is everything after the last response: extraction, sandbox, metrics, aggregation. In
alternation with it: the same programs with their tests, each in a bare fork of a warm process, as many at a time as the
sandbox has workers, with no isolation and no limits. Fails if scoring takes three times as long or more.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lm_eval import evaluate
from lm_eval.api.registry import get_model
from lm_eval.tasks import TaskManager

from lm_eval_codemind.data.benchmarks import Upstream
from lm_eval_codemind.data.build import build
from lm_eval_codemind.families.sr import task as sr
from lm_eval_codemind.harness.location import task_directory
from lm_eval_codemind.harness.models import register
from lm_eval_codemind.questions import Question
from lm_eval_codemind.sandbox import shared_sandbox

TASK = "codemind_sr_humaneval"
ARCHIVES = Path(__file__).resolve().parents[2] / "shared" / "data" / "upstream"
LIMIT = 3.0


def responses(documents: Sequence[dict[str, Any]]) -> list[str]:
    """Return a response to every document, each of another text that runs."""
    made = []
    for document in documents:
        target = document["target"]
        head = target.index("\n", target.index(f"def {document['entry_point']}(")) + 1
        made.append(f"Here it is.\n\n{target[:head]}    # {document['setting']}\n{target[head:]}\n\nIt is complete.")
    return made


# A small process, warm with what the programs import, that forks for each of them.
_FORK_EACH = """
import collections, copy, hashlib, json, math, os, random, re, sys, typing
print("ready", flush=True)
for program in json.loads(sys.stdin.readline()):
    pid = os.fork()
    if pid == 0:
        try:
            exec(compile(program, "program.py", "exec"), {"__name__": "program"})
        except BaseException:
            os._exit(1)
        os._exit(0)
    if os.waitpid(pid, 0)[1]:
        sys.exit("a program failed: " + program)
"""


def bare(programs: Sequence[str], workers: int) -> float:
    """Return the elapsed time of executing programs in bare forks, so many at a time."""
    command = [sys.executable, "-c", _FORK_EACH]
    servers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(workers)
    ]
    for server in servers:
        assert server.stdout is not None and server.stdout.readline() == "ready\n"
    start = time.perf_counter()
    for number, server in enumerate(servers):
        assert server.stdin is not None
        server.stdin.write(json.dumps(programs[number::workers]) + "\n")
        server.stdin.close()
    assert all(server.wait() == 0 for server in servers)
    return time.perf_counter() - start


def scoring(recordings: Path) -> tuple[float, float]:
    """Return the elapsed time of scoring, and of the harness's whole evaluation around it."""
    register()
    manager = TaskManager(include_path=str(task_directory()), include_defaults=False)
    loaded = manager.load([TASK])
    task = loaded["tasks"][TASK]
    moments: list[float] = []
    apply_filters = task.apply_filters

    def timed() -> Any:
        moments.append(time.perf_counter())
        return apply_filters()

    task.apply_filters = timed
    start = time.perf_counter()
    results = evaluate(
        lm=get_model("codemind-replay")(responses=str(recordings)),
        task_dict={TASK: task},
        confirm_run_unsafe_code=True,
        bootstrap_iters=100,
    )
    end = time.perf_counter()
    assert results is not None
    scores = results["results"][TASK]
    assert scores["r_sr,extract-code"] == scores["pass@1_with_test,extract-code"] == 1.0, scores
    return end - moments[0], end - start


def main() -> None:
    """Run the measurement and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--upstream", type=Path, default=ARCHIVES, help="directory with upstream's archives")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CODEMIND_DATA"] = folder
        build(["humaneval"], Upstream(options.upstream), Path(folder))
        documents = list(sr.dataset(benchmark="humaneval", settings=[sr.NO_TEST, sr.WITH_TEST])["test"])
        texts = responses(documents)
        recordings = Path(folder) / "responses.jsonl"
        with recordings.open("w", encoding="utf-8") as file:
            for document, text in zip(documents, texts, strict=True):
                key = {name: document[name] for name in ("benchmark", "problem_id", "setting")}
                file.write(json.dumps({**key, "response": text}) + "\n")
        programs = []
        for document, text in zip(documents, texts, strict=True):
            program = sr.SR.read(text, Question.from_document(document), "extract-code").text
            programs.append(f"{program}\n\n{document['tests']}\n\ncheck({document['entry_point']})\n")
        assert len(documents) == len(set(programs)) == 328
        workers = shared_sandbox().workers
        print(f"{len(programs)} programs, {workers} at a time, isolation {shared_sandbox().isolation}")
        scoring(recordings)  # starts the sandbox
        rows = []
        for number in range(options.rounds):
            seconds = bare(programs, workers)
            scored, whole = scoring(recordings)
            rows.append((seconds, scored, whole))
            print(f"round {number + 1}: bare {seconds:.2f} s, scoring {scored:.2f} s ({scored / seconds:.2f} times), "
                  f"whole evaluation {whole:.2f} s")  # fmt: skip
        bare_time, scored, _ = (statistics.median(column) for column in zip(*rows, strict=True))
        print(f"median: scoring takes {scored / bare_time:.2f} times the bare execution")
        if scored >= LIMIT * bare_time:
            raise SystemExit(f"scoring takes {LIMIT} times the bare execution or more")


if __name__ == "__main__":
    main()
