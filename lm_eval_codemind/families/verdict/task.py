"""Program verdicts: is a program right, and if not, which line is wrong?

``verdict`` asks about the buggy and about the correct program of each problem, in two documents that differ by the fix
alone. ``locate`` asks for a line of the buggy program whose change repairs it. The labels of HumanEvalFix are proven by
references that were written from the specifications alone (:mod:`lm_eval_codemind.data.facts.programs`). Those of the
sample follow from its suites and from the difference between the two programs.
"""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rapidfuzz.distance import LCSseq

from lm_eval_codemind.answers.forms import line_number, truth
from lm_eval_codemind.answers.pipeline import ANSWER, read
from lm_eval_codemind.data import load_bug
from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.data.facts.programs import bug_lines, is_located, is_settled
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
_WORD_LINE = re.compile(r"^.*\w", re.MULTILINE)
# In programs with fewer lines than that, a guess such as the last line is right too often.
_FEW_LINES = 7


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
        return {"answer": fields["answer"], "reasoning": (fields.get("reasoning") or "").strip()}

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
    """One question per problem: which line of the buggy program has to be changed?"""

    variants = (Variant("locate", "Locate", "lm_eval_codemind.families.verdict.view:LocateView"),)
    metric = verdict = "locate"

    def problems(self, benchmark: Benchmark, options: Mapping[str, Any]) -> list[Problem]:
        """Return the problems with known lines of the bug."""
        problems = Family.problems(self, benchmark, options)
        return [problem for problem in problems if is_located(benchmark.name, problem.problem_id)]

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        bug = load_bug(problem).code
        proven = bug_lines(problem.benchmark, problem.problem_id)
        lines, searched = proven or (changed_lines(bug, problem.code), len(_WORD_LINE.findall(bug)) >= _FEW_LINES)
        fields = {"program": tidy(bug), "lines": lines, "searched": searched, "answer": str(lines[0])}
        yield Question.about(problem, setting, fields, columns=_COLUMNS)

    def example(self, kind: Kind, record: Mapping[str, Any], setting: str) -> Mapping[str, Any]:
        line = changed_lines(record["buggy"], record["code"])[0]
        return {**record, "program": record["buggy"], "answer": str(line), "reasoning": record["reasoning"]["buggy"]}

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {**super().prompt(kind, fields, setting), "numbered": numbered(fields["program"])}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        block = read(response, ANSWER, line_number, anywhere=True)
        return Answer(None if block.value is None else str(block.value), reading=block.reading)

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        away = scores.distance(None if answer.text is None else int(answer.text), question["lines"])
        return {
            "locate": float(away == 0),
            "locate_near": float(away <= 1),
            "answered": float(answer.text is not None),
        }

    def logged(self, question: Question, means: dict[str, float], pass_at_k: Mapping[str, float]) -> dict[str, Any]:
        """Return the metrics of a document; ``locate_searched`` is None where a rule about lines is likely right."""
        return {**means, "locate_searched": means["locate"] if question["searched"] else None, **pass_at_k}


_ANSWERS = {BUGGY: "no", CORRECT: "yes"}


def tidy(program: str) -> str:
    """Return a program as the prompt shows it: without white space at the ends of lines."""
    return _LAYOUT.sub("", program).strip("\n")


def changed_lines(buggy: str, correct: str) -> list[int]:
    """Return the numbers of the lines of a buggy program that a fix changes, from 1.

    A line counts if a shortest difference between the programs replaces or deletes it. If the fix only adds lines, the
    lines around each gap count. A line without a word, such as a closing brace, counts only inside a gap.
    """
    old, new = (tidy(program).split("\n") for program in (buggy, correct))
    words = [number for number, line in enumerate(old) if _WORD_LINE.match(line)]
    most = LCSseq.similarity(old, new)
    changed = {n for n in words if LCSseq.similarity(old[:n] + old[n + 1 :], new) == most}
    if not changed:
        for what, start, _, _, _ in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            if what == "insert":
                before = max((n for n in words if n < start), default=start)
                after = min((n for n in words if n >= start), default=start - 1)
                changed.update(range(before, after + 1))
    return sorted(n + 1 for n in changed)


# -- aggregations

verdict = mean_of_pairs("verdict", "setting", SETTINGS, scores.balanced)
verdict_pair = mean_of_pairs("verdict_pair", "setting", SETTINGS, scores.both)

VERDICT, LOCATE = Verdict(), Locate()

_hooks = Hooks(VERDICT)
dataset, process_results, extract_answer = _hooks.dataset, _hooks.process_results, _hooks.filter(FILTER)

_locating = Hooks(LOCATE)
locate_dataset, process_located, extract_line = _locating.dataset, _locating.process_results, _locating.filter(FILTER)
