"""Verdicts about the programs of HumanEvalFix, and the lines whose change repairs the buggy ones.

``proofs/fixed_programs.json``, of ``utils/prove/prove_programs.py``: benchmark -> problem -> the verdict about the
fixed program with the number of inputs and, where they differ, an input with the program's result and the right one;
and the same about the buggy program. References, written from the specifications alone, decide.

``proofs/bug_lines.json``, of the same script: benchmark -> problem -> ``lines`` and ``searched``. ``lines`` are the
numbers of lines of the buggy program, each with the text in its place that repairs the program: it
then gives the right results on all of these inputs. The text is null for the lines of a fix that changes several lines
together. ``searched`` tells problems on which rules about the form of a line seldom help.
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


def is_located(benchmark: str, problem_id: str) -> bool:
    """Whether the lines of a problem's bug are known. Those of a benchmark without packaged lines are the fix's."""
    records = shipped.load(BUG_LINES).get(benchmark)
    return records is None or problem_id in records


def bug_lines(benchmark: str, problem_id: str) -> tuple[list[int], bool] | None:
    """Return the numbers of the lines whose change repairs a buggy program, from 1, and ``searched``.

    None for a benchmark without packaged lines.
    """
    record = shipped.load(BUG_LINES).get(benchmark, {}).get(problem_id)
    return None if record is None else ([int(line) for line in record["lines"]], bool(record["searched"]))
