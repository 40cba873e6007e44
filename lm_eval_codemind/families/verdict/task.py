"""Program verdicts: is a program right, and if not, which line is wrong?

``verdict`` asks about the buggy and about the correct program of each problem, in two documents that differ by the fix
alone. The labels of HumanEvalFix are proven by references that were written from the specifications alone
(:mod:`lm_eval_codemind.data.facts.programs`). Those of the sample follow from its suites and from the difference
between the two programs. ``locate`` asks for a line of the buggy program and what belongs in its place, and executes
the program with this line.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lm_eval_codemind.answers.forms import line_number, truth
from lm_eval_codemind.answers.pipeline import ANSWER, read
from lm_eval_codemind.data import load_bug
from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.data.facts.programs import bug_lines, is_settled
from lm_eval_codemind.data.facts.witnesses import OF_SPECIFICATION
from lm_eval_codemind.families.pairs import mean_of_pairs
from lm_eval_codemind.families.verdict import score as scores
from lm_eval_codemind.family import Family, Variant
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.harness.templates import numbered
from lm_eval_codemind.languages import Kind, get_language
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.questions import Answer, Question

FILTER = "extract-answer"
SETTINGS = BUGGY, CORRECT = "buggy", "correct"

_COLUMNS = ("code", "entry_point", "specification", "complexity")
# White space at the end of a line, or in front of its semicolon, differs between the programs of some problems.
_LAYOUT = re.compile(r"[ \t]+(?=;?[ \t]*$)", re.MULTILINE)
# A number with a new line behind a colon or wide blanks, or below. Marks that open before the number close behind it.
_CHANGED = re.compile(
    r"(?:\s|[-*#>(]\s)*(?P<mark>[*`]*)(?:(?:lines?|l)[^\w-]{0,20})?(?P<number>\d{1,9})(?P=mark)"
    r"(?:[ \t]*(?P<colon>:)|[ \t]{2,}|[ \t]*(?=\n|\Z))(?P<new>[^\n]*)(?P<below>(?:\n[^\n]*)*)\Z",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"(\s*)`+([^`]*)`+\s*")


class Verdict(Family):
    """Two questions per problem: is the buggy program right, and is the correct one?"""

    variants = (Variant("verdict", "Verdict", "lm_eval_codemind.families.verdict.view:VerdictView"),)
    templates = Path(__file__).with_name("templates")
    filters = (FILTER,)
    metric = "verdict"
    verdict = "right"

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        """Return the problems whose correct program is right and whose buggy program is wrong, beyond doubt."""
        problems = super().problems(benchmark, options)
        return [problem for problem in problems if is_settled(benchmark.name, problem.problem_id)]

    def template(self, kind: Kind, setting: str) -> str:
        return self.name

    def shown_settings(self, settings: Sequence[str]) -> Sequence[str]:
        return settings

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        program = load_bug(problem).code if setting == BUGGY else problem.code
        fields = {"program": tidy(program), "answer": _ANSWERS[setting]}
        yield Question.about(problem, setting, fields, columns=_COLUMNS)

    def example(self, kind: Kind, record: Mapping[str, Any], setting: str) -> Mapping[str, Any]:
        program = record["buggy" if setting == BUGGY else "code"]
        return {**record, "program": program, "answer": _ANSWERS[setting], "reasoning": record["reasoning"][setting]}

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        language = get_language(kind.language)
        texts = {name: fields[name].strip("\n") for name in ("specification", "program")}
        return {**texts, "language": language.title, "fence": language.fence}

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {"answer": fields["answer"]}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        block = read(response, ANSWER, truth, anywhere=True)
        return Answer(None if block.value is None else "yes" if block.value else "no", reading=block.reading)

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        return {"right": float(answer.text == question["answer"]), "answered": float(answer.text is not None)}

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        """Return the metrics of a document. Those of both programs are records, which the aggregations pair."""
        setting, right = question.key.setting, means["right"]
        record = {"problem_id": question.key.problem_id, "setting": setting, "passed": right}
        return {
            "verdict": record,
            "verdict_pair": record,
            **{f"recall_{one}": right if one == setting else None for one in SETTINGS},
            "answered": means["answered"],
        }


class Locate(Verdict):
    """One question per problem: which line of the buggy program has to be changed, and to what?"""

    variants = (Variant("locate", "Locate", "lm_eval_codemind.families.verdict.view:LocateView"),)
    executes = True
    witnesses = OF_SPECIFICATION
    metric = verdict = "locate"

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        """Return the problems whose buggy program is repaired by a change of one line."""
        return [problem for problem in Family.problems(self, benchmark, options) if one_line_repairs(problem)]

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        repairs = one_line_repairs(problem)
        line, new = next(iter(repairs.items()))
        fields = {"program": tidy(load_bug(problem).code), "lines": list(repairs), "answer": f"{line}: {new}".rstrip()}
        yield Question.about(problem, setting, fields, columns=_COLUMNS)

    def example(self, kind: Kind, record: Mapping[str, Any], setting: str) -> Mapping[str, Any]:
        ((line, new),) = changes_of(record["buggy"], record["code"]).items()
        reasoning = record["reasoning"]["buggy"]
        return {**record, "program": record["buggy"], "answer": f"{line}: {new}", "reasoning": reasoning}

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {**super().prompt(kind, fields, setting), "numbered": numbered(fields["program"])}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        """Return the line that a response names, and the program with the new one; without a new line no program."""
        block = read(response, ANSWER, changed_line, anywhere=True)
        if block.value is None:
            return Answer(None, reading=block.reading)
        line, new = block.value
        if new is None:
            return Answer(str(line), {"line": line})
        return Answer(f"{line}: {new}".rstrip(), {"line": line}, program=with_line(question["program"], line, new))

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        return {
            "locate": float(answer.passed),
            "locate_suite": float(answer.passed_suite),
            "line": float(answer.details.get("line") in question["lines"]),
            "answered": float(answer.text is not None),
            "witnessed": float(bool(self.judged(question).witnesses)),
        }

    # No metric of its documents belongs to a pair.
    logged = Family.logged


_ANSWERS = {BUGGY: "no", CORRECT: "yes"}


def tidy(program: str) -> str:
    """Return a program as the prompt shows it: without white space at the ends of lines."""
    return _LAYOUT.sub("", program).strip("\n")


def changed_line(text: str) -> tuple[int, str | None] | None:
    """Return the number of the line that a text names, and the new line in its place; None if there is none.

    The new line stands behind a colon, as in ``4: x = 1``, or below the number. Nothing behind the colon leaves the
    line out.
    """
    match = _CHANGED.match(text)
    if match is None:
        # Marks around the whole answer leave first.
        number = line_number(text) if re.match(r"\s*[\w(#>-]", text) else None
        return None if number is None else (number, None)
    rows = (row for row in (match["new"], *match["below"].split("\n")) if row.strip() and not row.startswith("```"))
    new = next(rows, "" if match["colon"] else None)
    quoted = _QUOTED.fullmatch(new or "")
    return int(match["number"]), quoted[1] + quoted[2] if quoted else new


def with_line(program: str, number: int, new: str) -> str | None:
    """Return a program with another line in the place of one; None if it has no line of that number.

    The new line is indented as the old one, unless it is as another line of the program. A blank may be in front of it.
    """
    lines = program.split("\n")
    if not 1 <= number <= len(lines):
        return None
    bare, known = new.lstrip(), {_indentation(line) for line in lines} - {""}
    written = (indentation for indentation in (_indentation(new), _indentation(new)[1:]) if indentation in known)
    lines[number - 1 : number] = [next(written, _indentation(lines[number - 1])) + bare] if bare else []
    return "\n".join(lines)


def _indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def one_line_repairs(problem: Problem) -> dict[int, str]:
    """Return the proven changes of one line that repair the buggy program: the line's number -> the new line.

    For a benchmark without packaged lines it is the line that the fix changes.
    """
    proven = bug_lines(problem.benchmark, problem.problem_id)
    changes = changes_of(load_bug(problem).code, problem.code) if proven is None else proven
    return {line: new for line, new in changes.items() if new is not None and "\n" not in new}


def changes_of(buggy: str, correct: str) -> dict[int, str]:
    """Return the line that a fix changes, and the new one; nothing if it does more."""
    old, new = (tidy(program).split("\n") for program in (buggy, correct))
    changed = [number for number, pair in enumerate(zip(old, new, strict=False), 1) if pair[0] != pair[1]]
    return {line: new[line - 1] for line in changed} if len(changed) == 1 and len(old) == len(new) else {}


# -- aggregations

verdict = mean_of_pairs("verdict", "setting", SETTINGS, scores.balanced)
verdict_pair = mean_of_pairs("verdict_pair", "setting", SETTINGS, scores.both)

VERDICT, LOCATE = Verdict(), Locate()

dataset, process_results, extract_answer = Hooks(VERDICT).functions

locate_dataset, process_located, extract_line = Hooks(LOCATE).functions
