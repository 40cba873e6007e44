"""Jobs and their results: a :class:`Job` is one program with its checks, an :class:`Outcome` what came of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Literal, get_args

JobKind = Literal["function", "unittest", "script", "evaluate"]
JOB_KINDS: tuple[JobKind, ...] = get_args(JobKind)

# A program larger than this is answered with an error before it is sent anywhere.
MAX_SOURCE_BYTES = 8 << 20


@dataclass(frozen=True)
class Limits:
    """The resource limits of one program. A program that exceeds a limit ends; the outcome names the limit.

    Attributes:
        cpu_seconds: Processor time of the candidate's process, over all its threads.
        wall_seconds: Elapsed time, less the time of the checker and the time that the process waited for a processor or
            for the disk. Ends programs that sleep or wait. For a ``script`` both times hold for each case on its own.
        memory_bytes: Address space the program may add to that of the warm interpreter.
        output_bytes: Size of standard output and of standard error, and of a message to the checker.
        file_bytes: Size of a file, and of all files together, in the private temporary directory.
        open_files: Open descriptors.
        threads: Threads at a time besides the first one.
    """

    cpu_seconds: float = 5.0
    wall_seconds: float = 20.0
    memory_bytes: int = 1 << 30
    output_bytes: int = 4 << 20
    file_bytes: int = 64 << 20
    open_files: int = 256
    threads: int = 256

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            allowed = "0 or more" if name == "threads" else "above 0"
            if value < 0 or (value == 0 and allowed == "above 0"):
                raise ValueError(f"Limits.{name} is {value}, and must be {allowed}")


@dataclass(frozen=True)
class ScriptCase:
    """One run of a script.

    Attributes:
        stdin: The text on its standard input.
        stdout: The output it must print, compared line by line without trailing white space, and without trailing
            empty lines; None where the output is only wanted, not judged.
    """

    stdin: str = ""
    stdout: str | None = None


@dataclass(frozen=True)
class Job:
    """A program that isn't trusted, and what to do with it. Make one with the class methods below.

    Attributes:
        kind: ``function``, ``unittest``, ``script`` or ``evaluate``.
        program: The candidate's source: everything that isn't trusted, and nothing that is.
        tests: Trusted source. For ``function`` a suite with ``check(candidate)``, or plain assertions that call the
            function by name; for ``unittest`` a module with test classes.
        entry_point: The name in the program that the tests are about: a function, or a class. For a ``script`` in a
            language whose programs start from a class, that class; empty for the only one that can start.
        support: Trusted source that the tests need, such as imports and helper functions of a prompt. The tests see
            its names; the program doesn't.
        only: For ``unittest``: the test classes, or ``Class.method``, to run; all of them if empty.
        cases: For ``script``: the runs.
        expressions: For ``evaluate``: Python expressions in the program's own namespace, evaluated in turn. One may
            have statements before its last line.
        limits: What the program may use; the default limits if None.
        job_id: The caller's name for it, repeated in the outcome.
        language: What the program is written in; its :class:`.runtimes.Runtime` makes the sandbox that runs it.
        further: Further tests of the same form. Where both have a list, they look at answers of the same process if the
            tests pass, and ``Outcome.further`` says how they end. Otherwise nothing is done about them.
        record: Whether the program is the suite's own solution, and trusted: then nothing is judged, and the outcome
            has one observation, whose literal is the suite's list as JSON (see :mod:`.lists`).
    """

    kind: JobKind
    program: str
    tests: str = ""
    entry_point: str = ""
    support: str = ""
    only: tuple[str, ...] = ()
    cases: tuple[ScriptCase, ...] = ()
    expressions: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    job_id: str = ""
    language: str = "python"
    further: str = ""
    record: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "limits", self.limits or Limits())
        if self.kind not in JOB_KINDS:
            raise ValueError(f"job {self.job_id!r}: kind is {self.kind!r}, and must be one of {', '.join(JOB_KINDS)}")
        checked = {"script": ("case", self.cases), "evaluate": ("expression", self.expressions)}
        name, value = checked.get(self.kind, ("test", self.tests.strip()))
        if not value:
            raise ValueError(
                f"job {self.job_id!r}: a {self.kind} job without {name}s would pass all; give it at least one {name}"
            )

    @classmethod
    def function(cls, program: str, tests: str, entry_point: str = "", **attributes: Any) -> Job:
        """Return a job that checks functions by assertions. Further arguments are attributes of the job.

        ``tests`` is either a suite that defines ``check(candidate)`` (HumanEval), which is called with the function
        ``entry_point``, or assertions that name the program's functions themselves (MBPP, CRUXEval). A suite that uses
        another name of the program has no list: define it in ``support``.
        """
        return cls("function", program, tests, entry_point, **attributes)

    @classmethod
    def unittest(
        cls, program: str, tests: str, entry_point: str = "", *, only: Iterable[str] = (), **attributes: Any
    ) -> Job:
        """Return a job that checks a class by test classes. Further arguments are attributes of the job.

        ``tests`` is a module of ``unittest.TestCase`` classes that use the program's names without importing them.
        """
        return cls("unittest", program, tests, entry_point, only=tuple(only), **attributes)

    @classmethod
    def script(cls, program: str, cases: Iterable[ScriptCase | tuple[str, str | None]], **attributes: Any) -> Job:
        """Return a job that runs a script once a case, and compares what it prints.

        Cases share a process as long as they pass there. One that does not runs again in a process of its own, and only
        that run counts.
        A case is a ``ScriptCase`` or ``(stdin, expected stdout or None)``. Further arguments are attributes of the job.
        """
        runs = tuple(case if isinstance(case, ScriptCase) else ScriptCase(*case) for case in cases)
        return cls("script", program, cases=runs, **attributes)

    @classmethod
    def evaluate(cls, program: str, expressions: Iterable[str], **attributes: Any) -> Job:
        """Return a job that says what each expression gives: literal, printed output, exception. Nothing is judged.

        The program runs once, then the expressions in order in the same process, so an expression sees what earlier
        ones changed. Statements may go before its last line. Further arguments are attributes of the job.
        """
        return cls("evaluate", program, expressions=tuple(expressions), **attributes)


class Status(StrEnum):
    """The way a job ended. Only ``PASSED`` is a success, and only a checker that finished can report it."""

    PASSED = "passed"
    """Every check ran to its end and succeeded; for ``evaluate``, every expression was evaluated (or raised)."""
    FAILED = "failed"
    """A check ran and the program's answer was wrong."""
    ERROR = "error"
    """The program raised, exited early, or has no entry point, so that a check couldn't be made."""
    TIMEOUT = "timeout"
    """It used up its processor time or its elapsed time."""
    MEMORY = "memory"
    """It asked for more memory than allowed."""
    OUTPUT = "output"
    """It printed or returned more than allowed."""
    CRASHED = "crashed"
    """Its process died of a signal, or took its server along twice."""
    BLOCKED = "blocked"
    """It tried what the sandbox denies, and didn't handle the refusal."""
    UNFINISHED = "unfinished"
    """The response breaks off in the middle of it, so that it was never executed; no sandbox says so."""


@dataclass(frozen=True)
class CaseOutcome:
    """The result of one case of a script, or of one expression.

    Attributes:
        literal: The value as a Python literal that ``ast.literal_eval`` reads back, or None where there is none.
            ``nan`` and ``inf`` are written ``float('nan')``, sets and other plain containers as the expression that
            makes them.
        type_name: The name of the value's type, ``""`` for scripts and exceptions.
        stdout: What was printed meanwhile.
        exception_type: Name of the exception it raised, or ``""``.
        exception_message: The exception's text.
        status: ``passed`` if it ran to its end (and, for a script, printed what was expected; an exception of an
            expression is an observation, so ``passed`` as well), otherwise how it ended.
    """

    literal: str | None = None
    type_name: str = ""
    stdout: str = ""
    exception_type: str = ""
    exception_message: str = ""
    status: Status = Status.PASSED


@dataclass(frozen=True)
class Outcome:
    """The result of one job. It has only plain values, so JSON can store it without changes.

    Attributes:
        status: From the closed set of :class:`Status`.
        job_id: The job's.
        failed_test: The first check that failed: its name, assertion or case number; ``""`` if none did.
        exception_type: Name of the exception that ended it, or ``""``.
        exception_message: Its text, bounded.
        stdout: What the program printed, up to ``Limits.output_bytes``; for a script that of the last case that ran.
        stderr: Likewise.
        cpu_seconds: Processor time of the candidate's process (of all of them, for a script).
        wall_seconds: Elapsed time from start to verdict.
        tests_run: How often ``check``, a test method, a case or an expression ran to its end.
        tamper_proof: True if the verdict was reached where the program could not touch it; False if its suite has no
            list and ran in the program's process.
        isolation: ``bubblewrap``, ``landlock`` or ``none``.
        further: The outcome of the job's further tests; None if the tests do not pass, or the process ended before.
        observations: For ``script`` and ``evaluate``: one for each case or expression that was reached.
    """

    status: Status
    job_id: str = ""
    failed_test: str = ""
    exception_type: str = ""
    exception_message: str = ""
    stdout: str = ""
    stderr: str = ""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    tests_run: int = 0
    tamper_proof: bool = True
    isolation: str = ""
    observations: tuple[CaseOutcome, ...] = ()
    further: Outcome | None = None

    @property
    def passed(self) -> bool:
        """Whether the status is ``passed``."""
        return self.status is Status.PASSED

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as plain values, for JSON."""
        record = asdict(self)
        for each in (record, *record["observations"], *filter(None, [record["further"]])):
            each["status"] = each["status"].value
        return record

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Outcome:
        """Return the outcome that :meth:`to_dict` described; a ValueError if a status is none of :class:`Status`."""
        observations = tuple(
            CaseOutcome(**{**observation, "status": Status(observation.get("status", "passed"))})
            for observation in record.get("observations", ())
        )
        further = record.get("further") and cls.from_dict(record["further"])
        return cls(**{**record, "status": Status(record["status"]), "observations": observations, "further": further})
