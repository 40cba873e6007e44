"""The Java development kit of this machine: where it is, and what of it a sandbox has to show."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from lm_eval_codemind.sandbox.visible import outermost

OLDEST = 17
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')


class JavaUnavailable(RuntimeError):
    """There is no Java to compile or run programs with. The text says what to install."""


@dataclass(frozen=True)
class Jdk:
    """An installed Java: its directory, and its release as a number, such as 17, and as a text, such as ``17.0.15``."""

    home: Path
    version: int
    full_version: str

    @property
    def java(self) -> Path:
        """The program that starts a virtual machine."""
        return self.home / "bin" / "java"

    def directories(self) -> list[str]:
        """Return the directories that it lies in: its own, and those that links in it lead to."""
        paths = {str(self.home)}
        for part in ("conf", "lib"):
            for link in filter(Path.is_symlink, (self.home / part).rglob("*")):
                target = Path(os.path.realpath(link))
                if target.is_file() and not target.is_relative_to(self.home):
                    paths.add(str(target.parent))
        return outermost(paths)


def find() -> Jdk:
    """Return the JDK of ``JAVA_HOME``, or else the one on ``PATH``; JavaUnavailable if it is missing or unfit."""
    advice = (
        f"Install a JDK of version {OLDEST} or newer (`apt install openjdk-17-jdk-headless`, "
        "`conda install openjdk`, or https://adoptium.net) and put it on PATH, or let JAVA_HOME name its directory"
    )
    named = os.environ.get("JAVA_HOME", "")
    program = shutil.which("javac") or shutil.which("java")
    if named:
        home, source = Path(named), f"JAVA_HOME={named}"
    elif program:
        home, source = Path(os.path.realpath(program)).parent.parent, f"{program} on PATH"
    else:
        raise JavaUnavailable(f"programs in Java need a JDK, and there is none on PATH. {advice}.")
    try:
        jdk = at(home)
    except JavaUnavailable as error:
        raise JavaUnavailable(f"{source}: {error}. {advice}.") from None
    if jdk.version < OLDEST:
        raise JavaUnavailable(f"{source} is Java {jdk.full_version}, too old. {advice}.")
    if not (jdk.home / "bin" / "javac").is_file():
        raise JavaUnavailable(f"{source} is a runtime without a compiler (no bin/javac). {advice}.")
    return jdk


def at(home: Path) -> Jdk:
    """Return the Java that is installed in a directory; JavaUnavailable if there is none."""
    java = home / "bin" / "java"
    if not java.is_file():
        raise JavaUnavailable(f"{home} has no bin/java")
    try:
        run = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise JavaUnavailable(f"{java} does not start: {error}") from None
    match = _VERSION.search(run.stderr)
    if run.returncode or match is None:
        lines = (run.stderr.strip() or run.stdout.strip()).splitlines()
        raise JavaUnavailable(f"{java} does not start: {lines[0] if lines else f'status {run.returncode}'}")
    full = run.stderr[match.start() :].split('"')[1]
    return Jdk(home.resolve(), int(match[1]), full)
