"""What starts the virtual machines, class files and options, and the resident compiler as the host sees it."""

import atexit
import functools
import shutil
import struct
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from lm_eval_codemind.execution import Job, Limits
from lm_eval_codemind.execution.isolation import BUBBLEWRAP, Isolation
from lm_eval_codemind.execution.unit import START_SECONDS, StartFailed, Unit, UnitGone
from lm_eval_codemind.languages.java.runtime.jdk import JavaUnavailable, Jdk

# Where bubblewrap shows our own class files.
_INSIDE = "/run/java"
_SERVER, RUNNER = "CompileServer", "SuiteRunner"
# The machine writes to standard error only, keeps no files, and lets nobody attach.
QUIET = (
    "-Xshare:auto",
    "-Xlog:disable",
    "-Xlog:all=error:stderr",
    "-XX:+DisplayVMOutputToStderr",
    "-XX:-UsePerfData",
    "-XX:+DisableAttachMechanism",
    # Otherwise a machine that fails writes to standard output, whatever is set.
    "-XX:+SuppressFatalErrorMessage",
    "-XX:-UseContainerSupport",
    "-Djava.awt.headless=true",
    "-Dfile.encoding=UTF-8",
    "-Dstdout.encoding=UTF-8",
    "-Dstderr.encoding=UTF-8",
    "-Dsun.stdout.encoding=UTF-8",
    "-Dsun.stderr.encoding=UTF-8",
    "-Duser.language=en",
)
_LIMITS = ("-XX:MaxMetaspaceSize=128m", "-XX:CompressedClassSpaceSize=64m", "-XX:ReservedCodeCacheSize=128m", "-Xss1m")
# Only G1 maps the classes' objects that come with a JDK, which is a tenth of the time to start.
_COLLECTOR = ("-XX:+UseG1GC", "-XX:ParallelGCThreads=2", "-XX:ConcGCThreads=1")
# Objects get other identity hashes under an odd seed than under an even one. A machine draws them from a generator that
# always starts alike, so a program that depends on them looks as if it did not.
HASHES = ((), ("-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=0"))
# Older programs reach into these by reflection, as they could before Java 17.
OPENED = tuple(f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in ("util", "lang", "io"))
# With a suite a program has no access to memory and no heap dump: those modules are not part of Java SE.
FOR_SUITES = ("--limit-modules=java.se",)

# As in `CompileServer.java`: elapsed time for each second of processor time.
_PATIENCE = 6
_MAX_TEXT = 1 << 20
_MAX_JAR = 64 << 20
_ADDRESS_BYTES = 4 << 30

COMPILED, ERROR, TIMEOUT, MEMORY, TOO_LARGE = range(5)


@dataclass(frozen=True)
class Machine:
    """A Java to run programs on, and one to compile them with.

    Attributes:
        compiler: The JDK that compiles.
        runtime: The Java that runs programs; usually the same.
        directory: Where our own class files are: those of the compiler, and in ``suites`` the runner's.
    """

    compiler: Jdk
    runtime: Jdk
    directory: Path

    def run_command(self, limits: Limits, home: str) -> list[str]:
        """Return the command that starts a program's virtual machine, without class path and class.

        Args:
            limits: What the program may use.
            home: Its directory for temporary files.
        """
        # Besides what a program keeps, a heap holds garbage and unused parts of its regions.
        heap = limits.memory_bytes * 3 // 2
        options = [f"-Xmx{heap >> 10}k", f"-XX:MaxDirectMemorySize={heap >> 2}", f"-Djava.io.tmpdir={home}"]
        return [str(self.runtime.java), *options, *_COLLECTOR, *_LIMITS, *QUIET]

    def compile_command(self, isolation: Isolation) -> list[str]:
        """Return the command that starts the resident compiler at a level of isolation."""
        directory = self.inside(isolation)
        options = ["-XX:+UseSerialGC", "-Xmx768m", "-XX:MaxMetaspaceSize=256m", "-XX:CompressedClassSpaceSize=128m"]
        options += ["-XX:ReservedCodeCacheSize=128m"]
        return [str(self.compiler.java), *options, *QUIET, "-cp", directory, _SERVER, f"{directory}/suites"]

    def inside(self, isolation: Isolation) -> str:
        """Return the path of :attr:`directory` inside the sandbox."""
        return _INSIDE if isolation.name == BUBBLEWRAP else str(self.directory)

    def directories(self) -> dict[str, str]:
        """Return the directories that both installations and our own class files lie in, with where they are shown."""
        installed = [*self.compiler.directories(), *self.runtime.directories()]
        shown = {path: path for path in installed if not Path(path).is_relative_to("/usr")}
        return {**shown, str(self.directory): _INSIDE}


_lock = threading.Lock()


def prepare(compiler: Jdk, runtime: Jdk) -> Machine:
    """Compile our own classes, once in the life of this process, which takes about a second.

    Raises:
        JavaUnavailable: If the JDK doesn't do it.
    """
    with _lock:
        return _prepare(compiler, runtime)


@functools.lru_cache(maxsize=4)
def _prepare(compiler: Jdk, runtime: Jdk) -> Machine:
    directory = Path(tempfile.mkdtemp(prefix="codemind-java-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    # Read by users of the sandbox's own.
    directory.chmod(0o755)
    javac = str(compiler.home / "bin" / "javac")
    for name, target in ((_SERVER, directory), (RUNNER, directory / "suites")):
        source = str(Path(__file__).with_name(f"{name}.java"))
        # The runner runs on the other Java, which may be older.
        release = ["--release", str(min(compiler.version, runtime.version))] if name == RUNNER else []
        command = [javac, "-J-XX:TieredStopAtLevel=1", "-proc:none", "-nowarn", *release, "-d", str(target), source]
        # Without a locale javac takes the names of files for ASCII.
        locale = {"LC_ALL": "C.UTF-8"}
        try:
            said = subprocess.run(
                command, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL, env=locale
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise JavaUnavailable(f"{javac} does not work: {error}") from None
        if said.returncode:
            raise JavaUnavailable(f"{javac} does not work: {(said.stderr or said.stdout).strip()[:500]}")
    for path in directory.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return Machine(compiler, runtime, directory)


@dataclass(frozen=True)
class Compiled:
    """The result of compiling a source.

    Attributes:
        status: ``COMPILED``, or why not.
        message: The compiler's first message, where it has one.
        main_class: The first class that has a ``main`` method; ``""`` where none has one. With a suite, the suite's
            classes, separated by blanks.
        reflective: Whether the program uses ``setAccessible``.
        jar: The class files.
    """

    status: int
    message: str = ""
    main_class: str = ""
    reflective: bool = False
    jar: bytes = b""


class Compiler(Unit):
    """The resident compiler. It takes one program at a time; what it answers isn't trusted.

    Args:
        isolation: The level to start it at.
        machine: The Java it uses.

    Raises:
        StartFailed: If it doesn't come up.
    """

    def __init__(self, isolation: Isolation, machine: Machine) -> None:
        command = machine.compile_command(isolation)
        settings = {"role": "command", "command": command, "memory_bytes": _ADDRESS_BYTES}
        super().__init__(isolation, settings, directories=machine.directories())
        try:
            self._wait_at_most(START_SECONDS)
            if self._number() != COMPILED:
                raise UnitGone("the compiler doesn't compile")
        except (UnitGone, OSError) as error:
            self.close()
            raise StartFailed(self.last_error or str(error)) from None

    def compile(self, job: Job, seconds: float, release: int = 0) -> Compiled:
        """Return the compiler's result for a program and the suite of its job.

        Args:
            job: The program and its suite, see :class:`.JavaSandbox`.
            seconds: The processor time it may take.
            release: The version of Java to compile for; 0 for the compiler's own.

        Raises:
            UnitGone: If the compiler ended meanwhile, or doesn't answer. It is to be replaced then.
        """
        request = [struct.pack(">ii", release, int(seconds * 1000))]
        for text in (job.program, job.tests, job.entry_point if job.tests else ""):
            body = text.encode("utf-8", "replace")
            request += [struct.pack(">i", len(body)), body]
        try:
            self._wait_at_most(_PATIENCE * seconds + 30)
            self._control.sendall(b"".join(request))
            status = self._number()
            if status != COMPILED:
                return Compiled(status if ERROR <= status <= TOO_LARGE else ERROR, self._text())
            return Compiled(COMPILED, "", self._text(), bool(self._number()), self._bytes(self._number(_MAX_JAR)))
        except (OSError, ValueError) as error:
            self.close()
            raise UnitGone(str(error) or "the compiler ended") from None

    def _number(self, most: int = 1 << 30) -> int:
        (number,) = struct.unpack(">i", self._bytes(4))
        if not 0 <= number <= most:
            raise UnitGone(f"not a number it may send: {number}")
        return int(number)

    def _text(self) -> str:
        return self._bytes(self._number(_MAX_TEXT)).decode("utf-8", "replace")

    def _bytes(self, size: int) -> bytes:
        parts = []
        while size:
            part = self._control.recv(min(size, 1 << 20))
            if not part:
                raise UnitGone("the compiler ended")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)
