"""The interfaces of a programming language and of its kinds of programs."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, Unpack

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.problems import TEST_CASES, Case, Complexity, Problem, as_text, shown_cases

if TYPE_CHECKING:
    from lm_eval_codemind.sandbox import Job, Limits

# The tags of the paper's analysis, in the order in which tables show them. `match` is Python's switch.
CONSTRUCTS: tuple[str, ...] = ("for", "while", "if", "try", "match", "nested_loop", "nested_if", "basic")


def tags_of(constructs: Iterable[tuple[str, frozenset[str]]]) -> tuple[str, ...]:
    """Return the tags of :data:`CONSTRUCTS` that describe a program, in their order; never empty.

    A tag says that the program has at least one such statement. ``nested_loop`` is a loop inside a loop,
    ``nested_if`` an ``if`` inside an ``if`` or its ``else`` (an ``elif`` does not nest), both at any depth within one
    function. ``basic`` marks programs with none of these statements.

    Args:
        constructs: The kind of each control construct, with the kinds of the constructs around it in its function.
    """
    tags: set[str] = set()
    for kind, around in constructs:
        tags.add(kind)
        if kind in ("for", "while") and around & {"for", "while"}:
            tags.add("nested_loop")
        if kind == "if" and "if" in around:
            tags.add("nested_if")
    return tuple(tag for tag in CONSTRUCTS if tag in tags) or ("basic",)


# The classes of an output's type in the paper's analysis.
OUTPUT_TYPES: tuple[str, ...] = ("Int", "Decimal", "String", "Binary", "List", "Tuple", "Object")

# The seed of the tests that the built data shows under "with test".
HINT_SEED = 0


@dataclass(frozen=True)
class Execution:
    """A program and what is run on it.

    Attributes:
        module: Source of the program, complete.
        expression: The expression whose value is the output; None where the output is what the program prints.
        stdin: The text that the program reads.
    """

    module: str
    expression: str | None
    stdin: str = ""


@dataclass(frozen=True)
class Unfinished:
    """Code in the middle of which a response ends. It never runs.

    Attributes:
        source: The text up to the end of the response.
    """

    source: str


@dataclass(frozen=True)
class PredictedInput:
    """The input in an answer, rewritten from the values in it.

    Attributes:
        input: In the form of a problem's own input. Only literal values of the answer are in it.
        recorded: Whether it is the problem's own: the same values in all that a program can see.
    """

    input: str
    recorded: bool


class Shown(TypedDict, total=False):
    """The code that a prompt shows, and that a response may quote, change or complete.

    Attributes:
        into: The program that the answer is put into, where it is a part of one.
        context: The code before the answer, where the answer is not a part of a program.
        specification: What is shown of the wanted code: its signature, with its documentation.
        original: The program that the response is to change.
    """

    into: str
    context: str
    specification: str
    original: str


class Kind(abc.ABC):
    """A kind of program: how it runs, how it is tested, and what a model is asked for.

    Attributes:
        language: The name of its language.
        name: As in the column ``kind`` of a problem.
        printed: Whether the output is the text that the program prints, instead of a value.
        specified: Whether a specification can ask for such a program.
    """

    language: str
    name: str
    printed: bool = False
    specified: bool = True

    @property
    def template(self) -> str:
        """The name of its prompt's template and of its few-shot example."""
        return f"{self.language}/{self.name}"

    @abc.abstractmethod
    def execution(self, problem: Problem) -> Execution:
        """Return what to execute for the output of a problem."""

    @abc.abstractmethod
    def suite_job(self, problem: Problem, code: str, *, limits: Limits | None = None) -> Job:
        """Return the job that checks a program against all tests of a problem.

        Args:
            problem: The problem whose tests are run. What they need comes from the problem, not from the program.
        """

    @abc.abstractmethod
    def program(self, response: str, problem: Problem, **shown: Unpack[Shown]) -> str | Unfinished | None:
        """Return the complete program that a response gives; None if it holds no code.

        Code that the response breaks off in is returned as such, by itself.
        """

    def read_back(self, code: str, problem: Problem, fence: str) -> str:
        """Return a problem's own program, extracted from a response that contains only this program.

        The extraction may remove parts of a program. This method removes the same parts from the problem's program.

        Raises:
            ValueError: If the program is not found in such a response. The message names the problem.
        """
        program = self.program(f"```{fence}\n{code.strip()}\n```", problem, into=code)
        if not isinstance(program, str):
            raise ValueError(f"{problem.problem_id}: its program is not found in a response that consists of it")
        return program

    def extract_target(self, code: str, problem: Problem) -> str:
        """Return the part of a program that a response must give, with what it needs and the problem's own lacks.

        Raises:
            SyntaxError: If the program does not parse.
        """
        return code

    def own_answer(self, problem: Problem) -> str:
        """Return the problem's own program as a response would give it.

        Raises:
            ValueError: If its program does not define the expected answer. The message names the problem.
        """
        return problem.code

    # -- tests

    def shown_test(self, problem: Problem) -> str:
        """Return the test that a prompt shows with a program: the drawn one, else cases of standard input."""
        return problem.hint_test or as_text(shown_cases(problem.cases, TEST_CASES))

    def with_tests(self, problem: Problem, tests: str) -> Problem:
        """Return the problem with other tests, which may use what the old ones import."""
        return dataclasses.replace(problem, tests=tests)

    def witness_suite(self, problem: Problem) -> Problem | None:
        """Return the problem with its witnesses as its tests; None if it has none."""
        return None

    # -- inputs and outputs

    def masked_input(self, problem: Problem) -> str | None:
        """Return what a prompt shows of the input that is asked for; None where a problem has none to predict."""
        return None

    def input_answer(self, problem: Problem) -> str:
        """Return the problem's own input as a response gives it."""
        return problem.input if self.printed else problem.input.strip()

    def read_input(self, answer: str, problem: Problem) -> PredictedInput | None:
        """Return the input that an answer gives; None if it is none, or is made of anything but values."""
        return None

    def default_inputs(self, problem: Problem) -> list[str]:
        """Return usual inputs, as answers give them: whoever tries these has read nothing."""
        return []

    def known_inputs(self, problem: Problem) -> list[str]:
        """Return the inputs of the problem and its tests, in the form of ``problem.input``, the problem's own first."""
        own = [problem.input] if problem.input or self.printed else []
        return list(dict.fromkeys([*own, *(case.input for case in problem.cases)]))

    def output_job(self, problem: Problem, code: str, input: str, limits: Limits) -> Job | None:
        """Return the job that observes a program's output on an input, without fixed random seeds.

        The program is complete and may be wrong. The last observation is the one that counts. None if outputs of
        programs of this kind are not observed.
        """
        return None

    def lookup(self, cases: Sequence[Case]) -> str | None:
        """Return a program that contains the outputs of some cases as a table; None if the kind has no such form."""
        return None

    def output_type(self, output: str) -> str | None:
        """Return the class of :data:`OUTPUT_TYPES` that an output belongs to, None if it belongs to none."""
        return None


class ScriptKind(Kind):
    """A program that reads standard input and prints."""

    name = "script"
    printed = True
    specified = False

    def start(self, code: str) -> str:
        """Return what of a program is started, as ``entry_point`` of a job; empty where it starts as a whole."""
        return ""

    def execution(self, problem: Problem) -> Execution:
        """Return the program and what it reads."""
        return Execution(problem.code, None, stdin=problem.input)

    def suite_job(self, problem: Problem, code: str, *, limits: Limits | None = None) -> Job:
        """Return the job that runs all cases of a problem."""
        return self._job(problem, code, [(case.input, case.output) for case in problem.cases], limits)

    def witness_suite(self, problem: Problem) -> Problem | None:
        return dataclasses.replace(problem, cases=problem.witnesses) if problem.witnesses else None

    def output_job(self, problem: Problem, code: str, input: str, limits: Limits) -> Job | None:
        """Return the job that runs a program on an input."""
        return self._job(problem, code, [(input, None)], limits)

    def _job(self, problem: Problem, code: str, cases: Sequence[tuple[str, str | None]], limits: Limits | None) -> Job:
        from lm_eval_codemind.sandbox import Job

        return Job.script(
            code,
            cases,
            entry_point=self.start(code),
            limits=limits,
            job_id=problem.problem_id,
            language=self.language,
        )


class Language(abc.ABC):
    """A programming language.

    Attributes:
        name: As in the column ``language`` of a problem.
        title: What people call it.
        fence: What opens a code block of it in Markdown.
        kinds: Its kinds of programs, in the order in which few-shot examples are shown.
        prover: The function that executes its programs and returns what that proves of their labels, as
            ``module:function``, since it lives above the languages; empty if there is none.
        marks: What a listing colours: ``comment``, ``string``, ``keyword`` or ``number``, each with a pattern. Patterns
            are in the syntax that Python and JavaScript share and have no groups that capture. The leftmost match
            counts, and of several patterns that match there the first one.
    """

    name: str
    title: str
    fence: str
    kinds: Sequence[Kind]
    prover: str = ""
    marks: Sequence[tuple[str, str]] = ()

    def kind(self, name: str) -> Kind:
        """Return the kind of that name.

        Raises:
            UserError: If there is no kind of that name. The message names the existing kinds.
        """
        known = {kind.name: kind for kind in self.kinds}
        if name not in known:
            raise UserError(f"{self.title} has no kind of program {name!r}; it has {', '.join(known)}")
        return known[name]

    @abc.abstractmethod
    def lines(self, source: str) -> int:
        """Return the lines of code of a program.

        Raises:
            SyntaxError: If it does not parse.
        """

    def hides_code(self, source: str, original: str) -> bool:
        """Whether a program may execute texts as code, of which :meth:`lines` sees nothing, and the original does not.

        Raises:
            SyntaxError: If one of them does not parse.
        """
        return False

    @abc.abstractmethod
    def normal_form(self, source: str) -> str:
        """Return a program in a layout that depends on its syntax alone; unchanged where it does not parse."""

    def bare_form(self, source: str, context: str = "") -> str:
        """Return a program's normal form without its documentation, which says nothing about what it does.

        Where the program repeats the code before it, the ``context``, this is left out, too.
        """
        return self.normal_form(source)

    @abc.abstractmethod
    def measure(self, source: str, loop_length: int | None = None) -> Complexity | None:
        """Return the measures of a program; None if it is empty or does not parse."""

    @abc.abstractmethod
    def require(self, sources: Iterable[str]) -> None:
        """Check that programs can run, and that what they import is there where they run.

        Raises:
            UserError: If packages are missing. The message names them and the command that installs them.
            HiddenPackages: If installed packages cannot be imported in the sandbox. The message names them.
        """
