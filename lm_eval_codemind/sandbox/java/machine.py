"""The class files and the options that start the virtual machines."""

import atexit
import functools
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from lm_eval_codemind.sandbox import Limits
from lm_eval_codemind.sandbox.isolation import BUBBLEWRAP, Isolation
from lm_eval_codemind.sandbox.java.jdk import JavaUnavailable, Jdk

# Where bubblewrap shows our own class files.
_INSIDE = "/run/java"
_SERVER, RUNNER, REPEATER = "CompileServer", "SuiteRunner", "ScriptRepeater"
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
    *(f"-D{place}.encoding=UTF-8" for place in ("file", "stdout", "stderr", "sun.stdout", "sun.stderr")),
    "-Duser.language=en",
)
_LIMITS = ("-XX:MaxMetaspaceSize=128m", "-XX:CompressedClassSpaceSize=64m", "-XX:ReservedCodeCacheSize=128m", "-Xss1m")
# Only G1 maps the classes' objects that come with a JDK, which is a tenth of the time to start.
_COLLECTOR = ("-XX:+UseG1GC", "-XX:ParallelGCThreads=2", "-XX:ConcGCThreads=1")
# Objects get other identity hashes under an odd seed than under an even one. A machine draws them from a generator that
# always starts alike, so a program that depends on them looks as if it did not.
HASHES = ((), ("-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=0"))
# With a suite a program has no access to memory and no heap dump: those modules are not part of Java SE.
FOR_SUITES = ("--limit-modules=java.se",)


@dataclass(frozen=True)
class Machine:
    """The Java that runs programs, and the JDK that compiles them; usually they are the same.

    ``directory`` is where our own class files are: those of the compiler, and in ``suites`` what runs beside programs.
    """

    compiler: Jdk
    runtime: Jdk
    directory: Path

    def run_command(self, limits: Limits, home: str) -> list[str]:
        """Return the command that starts a program's virtual machine, without class path and class."""
        # Besides what a program keeps, a heap holds garbage and unused parts of its regions.
        heap = limits.memory_bytes * 3 // 2
        options = [f"-Xmx{heap >> 10}k", f"-XX:MaxDirectMemorySize={heap >> 2}", f"-Djava.io.tmpdir={home}"]
        # The machine would look for a user of the system's.
        options += ["-Duser.name=sandbox", f"-Duser.home={home}"]
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
    """Compile our own classes, once in the life of this process, or raise JavaUnavailable."""
    with _lock:
        return _prepare(compiler, runtime)


@functools.lru_cache(maxsize=4)
def _prepare(compiler: Jdk, runtime: Jdk) -> Machine:
    directory = Path(tempfile.mkdtemp(prefix="codemind-java-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    # Read by users of the sandbox's own.
    directory.chmod(0o755)
    javac = str(compiler.home / "bin" / "javac")
    # What runs beside programs runs on the other Java, which may be older.
    older = ["--release", str(min(compiler.version, runtime.version))]
    for names, target, release in (((_SERVER,), directory, []), ((RUNNER, REPEATER), directory / "suites", older)):
        sources = [str(Path(__file__).with_name(f"{name}.java")) for name in names]
        command = [javac, "-J-XX:TieredStopAtLevel=1", "-proc:none", "-nowarn", *release, "-d", str(target), *sources]
        # Without a locale javac takes the names of files for ASCII.
        locale = {"LC_ALL": "C.UTF-8"}
        try:
            report = subprocess.run(
                command, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL, env=locale
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise JavaUnavailable(f"{javac} does not work: {error}") from None
        if report.returncode:
            raise JavaUnavailable(f"{javac} does not work: {(report.stderr or report.stdout).strip()[:500]}")
    for path in directory.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return Machine(compiler, runtime, directory)
