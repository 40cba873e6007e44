"""What the virtual machines are started from: the compiler's class files, the archive of classes, and the options."""

from __future__ import annotations

import atexit
import functools
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from .jdk import JavaUnavailable, Jdk

_SOURCES = ("CompileServer.java", "Training.java")
_ARCHIVE = "classes.jsa"
# The machine speaks on standard error, never on standard output, writes no files of its own, and answers nobody.
QUIET = (
    "-Xshare:auto",
    "-Xlog:disable",
    "-Xlog:all=error:stderr",
    "-XX:+DisplayVMOutputToStderr",
    "-XX:-UsePerfData",
    "-XX:+DisableAttachMechanism",
    "-XX:-CreateCoredumpOnCrash",
    "-XX:ErrorFile=/dev/null",
    "-XX:-UseContainerSupport",
    "-Djava.awt.headless=true",
    "-Dfile.encoding=UTF-8",
    "-Dstdout.encoding=UTF-8",
    "-Dstderr.encoding=UTF-8",
    "-Dsun.stdout.encoding=UTF-8",
    "-Dsun.stderr.encoding=UTF-8",
    "-Duser.language=en",
)
_LIMITS = (
    "-XX:MaxMetaspaceSize=128m",
    "-XX:CompressedClassSpaceSize=64m",
    "-XX:ReservedCodeCacheSize=128m",
    "-Xss1m",
)
# Only G1 maps the classes' objects that come with a JDK, which is a tenth of the time to start.
_COLLECTOR = ("-XX:+UseG1GC", "-XX:ParallelGCThreads=2", "-XX:ConcGCThreads=1")
# What older programs do by reflection was allowed before Java 17.
OPENED = tuple(f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in ("util", "lang", "io"))


@dataclass(frozen=True)
class Machine:
    """A Java to run programs on, one to compile them with, and what was made for both.

    Attributes:
        compiler: The JDK that compiles.
        runtime: The Java that runs programs; usually the same.
        directory: Where the made files are, readable by every user.
    """

    compiler: Jdk
    runtime: Jdk
    directory: Path

    def run_command(self, directory: str) -> list[str]:
        """Return the command that starts a program's virtual machine, but for its class.

        Args:
            directory: Where :attr:`directory` is found by what runs the command.
        """
        archive = [f"-XX:SharedArchiveFile={directory}/{_ARCHIVE}"] if (self.directory / _ARCHIVE).exists() else []
        return [str(self.runtime.java), *archive, *_COLLECTOR, *_LIMITS, *QUIET]

    def compile_command(self, directory: str, cpu_seconds: float, wall_seconds: float) -> list[str]:
        """Return the command that starts the resident compiler.

        Args:
            directory: Where :attr:`directory` is found by what runs the command.
            cpu_seconds: Processor time for one compilation.
            wall_seconds: Elapsed time for one compilation.
        """
        options = ["-XX:+UseSerialGC", "-Xmx768m", "-XX:MaxMetaspaceSize=256m", "-XX:CompressedClassSpaceSize=128m"]
        options += ["-XX:ReservedCodeCacheSize=128m"]
        times = [str(cpu_seconds), str(wall_seconds)]
        return [str(self.compiler.java), *options, *QUIET, "-cp", directory, "CompileServer", *times]

    def directories(self) -> list[str]:
        """Return the directories of the machine that both need to see."""
        return [*self.compiler.directories(), *self.runtime.directories()]


_lock = threading.Lock()


def prepare(compiler: Jdk, runtime: Jdk) -> Machine:
    """Compile the resident compiler and make the archive of classes that shortens a program's start.

    It is done once in the life of this process, and takes some two seconds.

    Raises:
        JavaUnavailable: If the JDK doesn't do it.
    """
    with _lock:
        return _prepare(compiler, runtime)


@functools.lru_cache(maxsize=4)
def _prepare(compiler: Jdk, runtime: Jdk) -> Machine:
    directory = Path(tempfile.mkdtemp(prefix="codemind-java-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    directory.chmod(0o755)
    sources = [str(Path(__file__).with_name(name)) for name in _SOURCES]
    options = ["-J-XX:TieredStopAtLevel=1", "-proc:none", "-nowarn", "--release", "17"]
    # The compiler's server uses the compiler's own interface, which `--release` hides.
    options = options[:-2] if compiler.version == 17 else [*options[:-2], "-source", "17", "-target", "17"]
    _call([str(compiler.home / "bin" / "javac"), *options, "-d", str(directory), *sources])
    archive = directory / _ARCHIVE
    training = ["-XX:+UseG1GC", f"-XX:ArchiveClassesAtExit={archive}", "-Xshare:auto", "-Xlog:disable"]
    # Without an archive programs run all the same.
    _call([str(runtime.java), *training, "-cp", str(directory), "Training"], needed=False)
    for file in directory.iterdir():
        file.chmod(0o644)
    return Machine(compiler, runtime, directory)


def _call(command: list[str], needed: bool = True) -> None:
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL, env={})
    except (OSError, subprocess.TimeoutExpired) as error:
        raise JavaUnavailable(f"{command[0]} does not work: {error}") from None
    if said.returncode and needed:
        raise JavaUnavailable(f"{command[0]} does not work: {(said.stderr or said.stdout).strip()[:500]}")
