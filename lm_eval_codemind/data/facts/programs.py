"""Verdicts about the programs of HumanEvalFix, and the lines whose change repairs the buggy ones.

``proofs/fixed_programs.json``, of ``utils/prove/prove_programs.py``: benchmark -> problem -> the verdict about the
fixed program with the number of inputs and, where they differ, an input with the program's result and the right one;
and the same about the buggy program. References, written from the specifications alone, decide.

``proofs/bug_lines.json``, of the same script: benchmark -> problem -> the numbers of lines of the buggy program, each
with the text in its place that repairs the program: it then gives the right results on all of these inputs. The text is
null for the lines of a fix that changes several lines together.
"""

from lm_eval_codemind.data.facts import shipped

PROGRAMS = "proofs/fixed_programs.json"
BUG_LINES = "proofs/bug_lines.json"

VERDICTS = {
    "right": "gives the reference's results on all inputs",
    "wrong": "differs from the reference on an input within the bounds that the prompt states",
    "extreme": "differs only on inputs beyond the bounds",
    "ambiguous": "the specification allows several results for some input",
}


def is_settled(benchmark: str, problem_id: str) -> bool:
    """Whether the fixed program of a problem is right and its buggy program wrong, beyond doubt.

    Benchmarks without packaged verdicts are settled by their suites.
    """
    records = shipped.load(PROGRAMS).get(benchmark)
    if records is None:
        return True
    record = records.get(problem_id, {})
    return bool(record.get("verdict") == "right" and record["buggy"]["verdict"] == "wrong")


def bug_lines(benchmark: str, problem_id: str) -> dict[int, str | None] | None:
    """Return the lines whose change repairs a buggy program: the line's number, from 1 -> the text in its place.

    None for a benchmark without packaged lines.
    """
    records = shipped.load(BUG_LINES).get(benchmark)
    return None if records is None else {int(line): text for line, text in records.get(problem_id, {}).items()}
