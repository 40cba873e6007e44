"""JavaScript as another package adds it: a runtime, a language, a benchmark and a family that executes answers."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from node_runtime import Interpreter

from lm_eval_codemind.data.catalogue import Benchmark
from lm_eval_codemind.family import Family, Variant
from lm_eval_codemind.harness.hooks import Hooks
from lm_eval_codemind.languages import Kind, Language, ScriptKind, kind_of
from lm_eval_codemind.problems import Case, Complexity, Problem
from lm_eval_codemind.questions import Answer, Question

NODE = Interpreter(
    "javascript",
    ["node", "--preserve-symlinks", "--preserve-symlinks-main"],
    error=r"^(?:Uncaught )?(?P<type>\w*Error)(?:: (?P<message>.*))?$",
    environment={"OPENSSL_CONF": "/dev/null"},
)


class Script(ScriptKind):
    """A script that node runs."""

    language = "javascript"

    def program(
        self, response: str, problem: Problem, *, into: str = "", context: str = "", specification: str = ""
    ) -> str | None:
        """Return the last code block."""
        blocks = re.findall(r"```(?:javascript|js)?\n(.*?)```", response, re.DOTALL)
        return blocks[-1] if blocks else None


class JavaScript(Language):
    """Scripts for node."""

    name = "javascript"
    title = "JavaScript"
    fence = "javascript"
    kinds = (Script(),)

    def lines(self, source: str) -> int:
        return sum(bool(line.strip()) for line in source.splitlines())

    def normal_form(self, source: str) -> str:
        return source.strip()

    def measure(self, source: str, loop_length: int | None = None) -> Complexity | None:
        return Complexity(cc=1, loc=self.lines(source), dep=0, nc=0, ll=loop_length, constructs=("basic",))

    def require(self, sources: Iterable[str]) -> None:
        NODE.find()


JAVASCRIPT = JavaScript()

READ = 'const text = require("fs").readFileSync(0, "utf8");\n'
PROGRAMS = {
    "sum": ("the sum of the numbers on a line", 'text.trim().split(" ").reduce((a, b) => a + Number(b), 0)'),
    "reversed": ("the line backwards", '[...text.trim()].reverse().join("")'),
}
INPUTS = ("1 2 3\n", "10 -4\n")
OUTPUTS = {"sum": ("6\n", "6\n"), "reversed": ("3 2 1\n", "4- 01\n")}


def read(upstream: object) -> list[Problem]:
    """Return the problems."""
    problems = []
    for name, (task, expression) in PROGRAMS.items():
        code, outputs = f"{READ}console.log({expression});\n", OUTPUTS[name]
        cases = tuple(Case(*case) for case in zip(INPUTS, outputs, strict=True))
        more = {"provenance": "my-javascript", "specification": task, "cases": cases}
        problems.append(Problem(name, "js", "script", "javascript", code, "", INPUTS[0], outputs[0], **more))
    return problems


JS = Benchmark("js", "JS", "script", len(PROGRAMS), read, labels="own", language="javascript")


class Writing(Family):
    """Write a program from one sentence; its test cases decide."""

    variants = (Variant("writing", "Writing"),)
    templates = Path(__file__).parent / "writing" / "templates"
    executes = True
    filters = ("extract-code",)
    metric = "passed"
    verdict = "passed"

    def questions(self, problem: Problem, setting: str) -> Iterable[Question]:
        fields = {"task": problem.specification, "code": problem.code}
        yield Question.about(problem, setting, fields)

    def prompt(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {"task": fields["task"]}

    def target(self, kind: Kind, fields: Mapping[str, Any], setting: str) -> dict[str, Any]:
        return {"code": fields["code"].strip()}

    def read(self, response: str, question: Question, filter: str) -> Answer:
        return Answer.of_program(kind_of(question).program(response, self.posed(question)))

    def score(self, question: Question, answer: Answer) -> dict[str, float]:
        return {"passed": float(answer.passed)}


WRITING = Writing()
dataset, process_results, extract_code = Hooks(WRITING).functions


def directory() -> Path:
    """Return where the tasks are."""
    return Path(__file__).parent / "tasks"
