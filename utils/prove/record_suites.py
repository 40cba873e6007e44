"""Make and prove the lists of the packaged suites: ``python utils/prove/record_suites.py``.

Runs each benchmark's own program with its suite, records the steps that the suite takes, and runs the tests again on
the recorded answers alone. Suites that pass so have a list, in ``lm_eval_codemind/data/facts/suite_steps.xz``. Needs
built data (``codemind data build``). Prints for each benchmark how many suites have a list, and why others have none.
``codemind data verify --only suites`` compares the file with another recording.
"""

from lm_eval_codemind.data.facts.suites import STEPS
from lm_eval_codemind.proof.suites import BENCHMARKS, suite_jobs
from lm_eval_codemind.sandbox import Sandbox, lists


def main() -> None:
    made: dict[str, str] = {}
    with Sandbox() as sandbox:
        for benchmark in BENCHMARKS:
            jobs = suite_jobs(benchmark)
            recorded, reasons = lists.record(sandbox, jobs)
            made |= recorded
            for name, reason in reasons.items():
                print(f"  {name}: {reason[:200]}")
            print(f"{benchmark}: {len(jobs) - len(reasons)} of {len(jobs)} suites have a list", flush=True)
    STEPS.write_bytes(lists.pack(made))


if __name__ == "__main__":
    main()
