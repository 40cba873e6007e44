"""Programs of the user: read from a file or a folder, and proven before anything is asked about them.

The proof is kept beside the programs, since nothing of theirs is written elsewhere.
"""

import ast
import dataclasses
import gzip
import json
import logging
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from lm_eval_codemind.answers.comparison import same_computed
from lm_eval_codemind.data import making
from lm_eval_codemind.data.facts.executions import ProgramExecution
from lm_eval_codemind.errors import UserError
from lm_eval_codemind.files import write_whole
from lm_eval_codemind.languages import kind_of, measured
from lm_eval_codemind.languages.python import python_kind
from lm_eval_codemind.languages.python.filled import HOLE
from lm_eval_codemind.languages.python.names import DEFINITIONS, FUNCTIONS, called_name
from lm_eval_codemind.problems import Problem, digest

logger = logging.getLogger(__name__)

PROGRAMS = "programs.jsonl"
"""The file of programs in a folder."""

FORM = '{"id": "double", "code": "def f(x): …", "call": "f(2)"}; a script has `stdin` instead of `call`'

ERROR_OF = "error_of_"
"""How the names of functions begin with which ``codemind capture`` returns the text of an exception."""

# Raised whenever the same programs are proven to something else.
VERSION = 4
_TEXTS = ("id", "code", "call", "stdin", "licence", "file", "output")

# Keys of well-known services, and private keys.
_KEYS = re.compile(
    r"AKIA[0-9A-Z]{16}|gh[opsu]_\w{20}|github_pat_\w{20}|glpat-[\w-]{16}|\b[sr]k[-_](?:live|test|proj|ant)?[-_]?\w{20}"
    r"|xox[abprs]-[\w-]{10}|AIza[\w-]{30}|hf_[A-Za-z]{30}|pypi-\w{16}|eyJ[\w-]{10,}\.eyJ[\w-]+|BEGIN [A-Z ]*PRIVATE KEY"
)
_PATHS = re.compile(r"(?<![\w/])/(?:home|Users|root|mnt|media|srv)/\w|\b[A-Za-z]:\\+Users\b|(?<!\w)~/\w|file://")
_WORD = re.compile(r"[A-Za-z0-9+/_=-]{20,}")
_CHANGES = 5


@dataclass(frozen=True)
class Program:
    """A line of a file of programs.

    Attributes:
        problem: The program without an output. Its ``provenance`` is the source file that it was taken from.
        licence: Its licence; empty if the line names none.
        output: The output that the line states; None if it states none.
    """

    problem: Problem
    licence: str
    output: str | None


@dataclass(frozen=True)
class OwnProblem(Problem):
    """A proven program of the user, with its execution.

    Attributes:
        plain: Whether an input that is empty, zero or left to its defaults gives its output.
        echoes: Whether its output, as its only argument or as standard input, gives its output.
    """

    execution: ProgramExecution = field(default_factory=ProgramExecution, compare=False)
    plain: bool = False
    echoes: bool = False


@dataclass(frozen=True)
class OwnPrograms:
    """Programs that are proven.

    Attributes:
        problems: The programs, each with its output.
        left_out: Name of a program, or line of the file -> why nothing is asked about it.
        sha256: Digest of the file.
    """

    problems: tuple[OwnProblem, ...]
    left_out: Mapping[str, str]
    sha256: str


def programs_file(path: Path) -> Path:
    """Return the file of programs: the path itself, or the one in the folder.

    Raises:
        UserError: If there is no such file.
    """
    file = path / PROGRAMS if path.is_dir() else path
    if not file.is_file():
        raise UserError(f"{file} does not exist; name a file of JSON lines, or a folder of `codemind capture`")
    return file


def read_programs(file: Path) -> tuple[list[Program], dict[str, str]]:
    """Return the programs in a file of JSON lines, and why lines are left out, by line.

    Raises:
        UserError: If the file is not UTF-8.
    """
    programs: list[Program] = []
    left_out: dict[str, str] = {}
    names: set[str] = set()
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise UserError(f"{file} isn't UTF-8 text: {error}; save it as UTF-8") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            program = _program(json.loads(line), names)
        except (ValueError, AttributeError) as error:
            left_out[f"{file}, line {number}"] = str(error)
            continue
        names.add(program.problem.problem_id)
        programs.append(program)
    return programs, left_out


def _program(record: Any, names: set[str]) -> Program:
    texts = {name: record.get(name) for name in _TEXTS}
    wrong = [name for name, text in texts.items() if not isinstance(text, str | None)]
    if wrong or not texts["id"] or not texts["code"]:
        raise UserError(f"{wrong[0] if wrong else 'id or code'} is missing or not a text")
    if texts["id"] in names or "#" in texts["id"]:
        raise UserError(f"the id {texts['id']!r} is used twice or contains #")
    problem = making.own_problem(texts["id"], texts["code"], texts["call"], texts["stdin"])
    return Program(
        dataclasses.replace(problem, provenance=texts["file"] or ""), texts["licence"] or "", texts["output"]
    )


def load_own(path: Path) -> OwnPrograms:
    """Return the programs in a file or folder that something can be asked about, proven by execution.

    Raises:
        UserError: If there is no such file, or nothing in it can be asked about; the message has the reasons.
        MissingExtra: If they have to be proven, and ``time-machine`` is not installed.
        IsolationUnavailable: If they have to be proven, and this machine cannot execute programs safely.
    """
    file = programs_file(path).resolve()
    return _loaded(file, digest(file.read_bytes()))


@lru_cache(maxsize=8)
def _loaded(file: Path, sha256: str) -> OwnPrograms:
    try:
        record = json.loads(gzip.decompress(_beside(file).read_bytes()))
        known = _from_record(record, sha256) if record["state"] == _state(sha256) else None
    except (OSError, EOFError, ValueError, KeyError, TypeError):
        known = None
    if known is None:
        programs, left_out = read_programs(file)
        problems, causes = proven(programs)
        known = OwnPrograms(tuple(problems), left_out | causes, sha256)
        keep(file, known)
    if not known.problems:
        reasons = "".join(f"\n  {name}: {reason}" for name, reason in list(known.left_out.items())[:10])
        raise UserError(f"{file} has no program to ask about; a line is {FORM}{reasons}")
    return known


def _beside(file: Path) -> Path:
    return file.with_name(f"{file.stem}.proven.json.gz")


def _state(sha256: str) -> str:
    return f"{sha256} {VERSION} {'.'.join(platform.python_version_tuple()[:2])}"


def keep(file: Path, own: OwnPrograms) -> None:
    """Write the proof of a file's programs beside it; if that is not possible, a warning says so."""
    programs = [
        [problem.to_row(), problem.execution.to_record(), problem.plain, problem.echoes] for problem in own.problems
    ]
    record = {"state": _state(own.sha256), "programs": programs, "left_out": own.left_out}
    content = gzip.compress(json.dumps(record, separators=(",", ":")).encode(), mtime=0)
    try:
        write_whole(_beside(file), content)
    except OSError as error:
        logger.warning("%s cannot be written (%s); its programs are proven again", _beside(file), error.strerror)


def proven(programs: Sequence[Program]) -> tuple[list[OwnProblem], dict[str, str]]:
    """Return the programs that something can be asked about, with their outputs, and why others are left out, by name.

    Raises:
        MissingExtra: If ``time-machine`` is not installed.
        IsolationUnavailable: If programs cannot be executed safely on this machine.
    """
    stated = {program.problem.problem_id: program.output for program in programs}
    problems = [program.problem for program in programs]
    left_out = {problem.problem_id: reason for problem in problems if (reason := unsuitable(problem))}
    proofs, causes = making.prove_programs([each for each in problems if each.problem_id not in left_out], 0, 0)
    left_out |= causes
    found = []
    for problem, execution in proofs:
        output, label = stated[problem.problem_id], str(problem.output)
        if output is not None and not same_computed(output, label, kind_of(problem).printed):
            left_out[problem.problem_id] = f"the line states the output {output}, and execution gives {label}"
        elif label == "None":
            left_out[problem.problem_id] = "the program returns None"
        else:
            found.append(_own_problem(problem, execution))
    plain = _solved([(problem, text) for problem in found for text in python_kind(problem).plain_inputs(problem)])
    echoes = _solved([(problem, text) for problem in found for text in _with_output(problem)])
    return [
        dataclasses.replace(problem, plain=problem.problem_id in plain, echoes=problem.problem_id in echoes)
        for problem in found
    ], left_out


def _solved(inputs: Sequence[tuple[OwnProblem, str]]) -> set[str]:
    """Return the names of the problems with an input that gives the output."""
    outputs = making.outputs_of([making.Execution(problem, problem.code, text) for problem, text in inputs])
    return {
        problem.problem_id
        for (problem, _), proven in zip(inputs, outputs, strict=True)
        if proven.output is not None and same_computed(proven.output, str(problem.output), kind_of(problem).printed)
    }


def _with_output(problem: OwnProblem) -> list[str]:
    """Return the input that an answer with the shown output in the hole gives, if it gives one."""
    kind, output = kind_of(problem), str(problem.output)
    answer = output if kind.printed else (kind.masked_input(problem) or "").replace(HOLE, output)
    guess = kind.read_input(answer, problem)
    return [] if guess is None else [guess.input]


def _own_problem(problem: Problem, execution: ProgramExecution) -> OwnProblem:
    measures = {
        "complexity": measured(problem.language, problem.code),
        "output_type": kind_of(problem).output_type(str(problem.output)) or "",
    }
    return OwnProblem(**{**vars(problem), **measures, "execution": execution})


def unsuitable(problem: Problem) -> str:
    """Return why a program must not go into a prompt, or is not worth a question; empty if it may."""
    text = f"{problem.code}\n{problem.input}"
    if has_key(text):
        return "the program has a text that looks like a key"
    if _PATHS.search(text):
        return "the program has the path of a user's file"
    if not uses_input(problem):
        return "the program does not use its input"
    return ""


def has_key(text: str) -> bool:
    """Whether a text has a part that looks like a secret key.

    These are the forms of well-known services, and words of 20 characters or more with small letters and capitals that
    change five times or more between letters and digits.
    """
    if _KEYS.search(text):
        return True
    for word in _WORD.findall(text):
        kinds = ["0" if c.isdigit() else "A" if c.isupper() else "a" for c in word if c.isalnum()]
        changes = sum((one == "0") != (other == "0") for one, other in pairwise(kinds))
        if len(set(kinds)) == 3 and changes >= _CHANGES:
            return True
    return False


def uses_input(problem: Problem) -> bool:
    """Whether the call hands something over and the function reads one of its parameters; whether a script reads.

    Of an object, a method that is called has to read one, or what makes the object. Of a function of ``codemind
    capture`` that returns the text of an exception, it is the function whose exception that is.
    """
    if problem.kind == "script":
        return bool(problem.input.strip()) and re.search(r"\binput\b|\bstdin\b|\bopen\b", problem.code) is not None
    nodes = list(ast.walk(ast.parse(problem.input.strip())))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    if not any(call.args or call.keywords for call in calls):
        return False
    body = ast.parse(problem.code).body
    named = {node.name: node for node in body if isinstance(node, DEFINITIONS)}
    function = named.get(problem.entry_point.removeprefix(ERROR_OF))
    if isinstance(function, FUNCTIONS):
        return _reads_a_parameter(function)
    used = [named[node.id] for node in nodes if isinstance(node, ast.Name) and node.id in named]
    classes = [node for node in used if isinstance(node, ast.ClassDef)]
    called = {str(called_name(call)).removeprefix(ERROR_OF) for call in calls}
    methods = [node for each in classes for node in each.body if isinstance(node, FUNCTIONS)]
    methods = [node for node in methods if node.name in called or node.name.startswith("__")]
    if methods:
        inherits = any(each.bases or each.decorator_list for each in classes)
        return inherits or any(_reads_a_parameter(node, but=("self", "cls")) for node in methods)
    function = named.get(problem.entry_point)
    return not isinstance(function, FUNCTIONS) or _reads_a_parameter(function)


def name_and_call(problem_id: str) -> tuple[str, str]:
    """Return the name of a function, and the number of its call that a problem is about; "" for the only one."""
    name, slash, number = problem_id.rpartition("/")
    return (name, number) if slash and number.isdecimal() else (problem_id, "")


def literals_of(source: str) -> list[ast.expr]:
    """Return the expressions of a source that are literals, outer ones before those inside of them."""
    literals = []
    for node in ast.walk(ast.parse(source.strip())):
        if isinstance(node, ast.expr):
            try:
                ast.literal_eval(node)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                continue
            literals.append(node)
    return literals


def _reads_a_parameter(function: ast.FunctionDef | ast.AsyncFunctionDef, but: Sequence[str] = ()) -> bool:
    parameters = {node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}.difference(but)
    body = (node for statement in function.body for node in ast.walk(statement))
    return any(isinstance(node, ast.Name) and node.id in parameters for node in body)


def _from_record(record: Mapping[str, Any], sha256: str) -> OwnPrograms:
    problems = tuple(
        OwnProblem.from_row(
            {**row, "execution": ProgramExecution.from_record(execution), "plain": plain, "echoes": echoes}
        )
        for row, execution, plain, echoes in record["programs"]
    )
    return OwnPrograms(problems, record["left_out"], sha256)
