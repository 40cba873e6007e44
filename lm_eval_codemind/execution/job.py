"""Jobs for the sandbox: a :class:`Job` is one program with its checks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

JobKind = Literal["function", "unittest", "script", "evaluate"]
JOB_KINDS: tuple[JobKind, ...] = ("function", "unittest", "script", "evaluate")

# A program larger than this is answered with an error before it is sent anywhere.
MAX_SOURCE_BYTES = 8 << 20


@dataclass(frozen=True)
class Limits:
    """The resource limits of one program. A program that exceeds a limit ends; the outcome names the limit.

    Attributes:
        cpu_seconds: Processor time of the candidate's process, over all its threads. The limit that normally ends an
            endless loop, since it doesn't depend on how busy the machine is.
        wall_seconds: Elapsed time, less the time of the checker and the time that the process waited for a processor or
            for the disk. Ends programs that sleep or wait. For a ``script`` both times hold for each case on its own.
        memory_bytes: Address space the program may add to that of the warm interpreter.
        output_bytes: Size of standard output and of standard error, and of a message to the checker.
        file_bytes: Size of a file, and of all files together, in the private temporary directory.
        processes: New processes the program may start. 0, the default, denies ``fork`` and thereby ``subprocess`` and
            ``multiprocessing``; more is only possible under bubblewrap and for a host that isn't root.
        open_files: Open descriptors.
        threads: Threads at a time besides the first one. With ``processes`` above 0 that limit counts threads too.
    """

    cpu_seconds: float = 5.0
    wall_seconds: float = 20.0
    memory_bytes: int = 1 << 30
    output_bytes: int = 4 << 20
    file_bytes: int = 64 << 20
    processes: int = 0
    open_files: int = 256
    threads: int = 256

    def __post_init__(self) -> None:
        for name in ("cpu_seconds", "wall_seconds", "memory_bytes", "output_bytes", "file_bytes", "open_files"):
            if getattr(self, name) <= 0:
                raise ValueError(f"Limits.{name} is {getattr(self, name)}, and must be above 0")
        for name in ("processes", "threads"):
            if getattr(self, name) < 0:
                raise ValueError(f"Limits.{name} is {getattr(self, name)}, and must be 0 or more")


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
        limits: What the program may use.
        job_id: The caller's name for it, repeated in the outcome.
        language: What the program is written in; its :class:`.Runtime` makes the sandbox that runs it.
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

    def __post_init__(self) -> None:
        if self.kind not in JOB_KINDS:
            raise ValueError(f"job {self.job_id!r}: kind is {self.kind!r}, and must be one of {', '.join(JOB_KINDS)}")
        checked = {"script": ("case", self.cases), "evaluate": ("expression", self.expressions)}
        name, value = checked.get(self.kind, ("test", self.tests.strip()))
        if not value:
            raise ValueError(
                f"job {self.job_id!r}: a {self.kind} job without {name}s would pass all; give it at least one {name}"
            )

    @classmethod
    def function(
        cls,
        program: str,
        tests: str,
        entry_point: str = "",
        *,
        support: str = "",
        limits: Limits | None = None,
        job_id: str = "",
        language: str = "python",
    ) -> Job:
        """Return a job that checks functions by assertions. Further arguments are attributes of the job.

        Args:
            program: The candidate's whole source.
            tests: Either a suite that defines ``check(candidate)`` (HumanEval), which is called with the function
                ``entry_point``, or assertions that name the program's functions themselves (MBPP, CRUXEval).
            entry_point: The function under test. Needed for ``check(candidate)``. If the tests use another name of the
                program, the outcome says ``tamper_proof=False``: define it in ``support``.
        """
        given = limits or Limits()
        return cls("function", program, tests, entry_point, support, limits=given, job_id=job_id, language=language)

    @classmethod
    def unittest(
        cls,
        program: str,
        tests: str,
        entry_point: str = "",
        *,
        only: Iterable[str] = (),
        support: str = "",
        limits: Limits | None = None,
        job_id: str = "",
    ) -> Job:
        """Return a job that checks a class by test classes. Further arguments are attributes of the job.

        Args:
            program: The candidate's whole source, with its imports.
            tests: A module of ``unittest.TestCase`` classes that use the program's names without importing them.
            entry_point: The class under test.
        """
        given = limits or Limits()
        return cls("unittest", program, tests, entry_point, support, tuple(only), limits=given, job_id=job_id)

    @classmethod
    def script(
        cls,
        program: str,
        cases: Iterable[ScriptCase | tuple[str, str | None]],
        *,
        entry_point: str = "",
        limits: Limits | None = None,
        job_id: str = "",
        language: str = "python",
    ) -> Job:
        """Return a job that runs a script once a case, each in a fresh process, and compares what it prints.

        Args:
            program: The script.
            cases: ``ScriptCase`` or ``(stdin, expected stdout or None)``.
            entry_point: See :class:`Job`.
            limits: For each case on its own. Defaults to ``Limits()``.
            job_id: Repeated in the outcome.
            language: What it is written in.
        """
        made = tuple(case if isinstance(case, ScriptCase) else ScriptCase(*case) for case in cases)
        given = limits or Limits()
        return cls("script", program, "", entry_point, cases=made, limits=given, job_id=job_id, language=language)

    @classmethod
    def evaluate(
        cls, program: str, expressions: Iterable[str], *, limits: Limits | None = None, job_id: str = ""
    ) -> Job:
        """Return a job that says what each expression gives: literal, printed output, exception. Nothing is judged.

        The program runs once, then the expressions in order in the same process, so an expression sees what earlier
        ones changed.

        Args:
            program: The source that defines what the expressions use.
            expressions: For example ``f([1, 2])``; statements may go before the last line.
            limits: For all of them together. Defaults to ``Limits()``.
            job_id: Repeated in the outcome.
        """
        return cls("evaluate", program, expressions=tuple(expressions), limits=limits or Limits(), job_id=job_id)
