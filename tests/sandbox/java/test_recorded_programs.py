"""Programs of others: what a fresh ``javac`` and ``java`` say of them, and what the sandbox says."""

import json
import lzma
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.languages.java.code import main_class
from lm_eval_codemind.sandbox import Job, Limits, Outcome
from lm_eval_codemind.sandbox.java.jdk import Jdk
from lm_eval_codemind.sandbox.java.sandbox import JavaSandbox

SHARED = Path(__file__).parents[3].parent / "shared" / "data" / "attacks" / "java"
FOURTH = SHARED.parent / "fourth"
# Isolation forbids what these do, or they ask where they run.
DIFFERENT = {"documented", "environment"}
# `1 << 31` is negative, so the thread has the usual stack. 20,000 calls fit into it if they are compiled in time: plain
# Java prints either, too.
BY_CHANCE = {"thread with stack 1 << 31": ("", "20000\n")}
_PUBLIC = re.compile(r"^public\s+(?:(?:final|abstract|strictfp)\s+)*(?:class|interface|enum|record)\s+([\w$]+)", re.M)
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.M)
Printed = Callable[[dict[str, Any]], str | None]
Compile = Callable[[Path], bool]
# Compiles each file that it is told of, into the file's folder. One process for all files takes a fifth of the time.
_COMPILER = """
import java.util.Scanner;
import javax.tools.ToolProvider;

class Compiler {
    public static void main(String[] none) {
        Scanner files = new Scanner(System.in);
        while (files.hasNextLine()) {
            String file = files.nextLine();
            String folder = file.substring(0, file.lastIndexOf('/'));
            String[] options = {"-nowarn", "-encoding", "UTF-8", "-proc:none", "-d", folder, file};
            int status = 1;
            try {
                status = ToolProvider.getSystemJavaCompiler().run(null, System.err, System.err, options);
            } catch (Throwable error) {
                System.err.println(error);
            }
            System.out.println(status);
        }
    }
}
"""
pytestmark = [
    pytest.mark.proof,
    pytest.mark.skipif(not SHARED.is_dir(), reason="programs in ../shared/data/attacks/java are not there"),
]


def rows(name: str) -> list[dict[str, Any]]:
    with lzma.open(SHARED / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def rows_of_round_four(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOURTH / f"java_{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def outcomes(sandbox: JavaSandbox, programs: list[dict[str, Any]], stdout: str | None) -> list[Outcome]:
    return sandbox.run(
        Job.script(
            row["source"],
            [(row.get("stdin", ""), row.get("expected", stdout))],
            entry_point=main_class(row["source"]),
            limits=Limits(**row.get("limits", {})),
            job_id=row["name"],
        )
        for row in programs
    )


@pytest.fixture(scope="module")
def compile_(java: Jdk, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Compile]:
    """The JDK's own compiler: whether it compiles a file."""
    source = tmp_path_factory.mktemp("compiler") / "Compiler.java"
    source.write_text(_COMPILER)
    with subprocess.Popen(
        [java.java, source], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as compiler:
        assert compiler.stdin and compiler.stdout
        tell, hear = compiler.stdin, compiler.stdout

        def compile_(path: Path) -> bool:
            print(path, file=tell, flush=True)
            return hear.readline() == "0\n"

        yield compile_


@pytest.fixture(scope="module")
def fresh(java: Jdk, compile_: Compile, tmp_path_factory: pytest.TempPathFactory) -> Printed:
    """Execute a program once for all levels of isolation."""
    said: dict[str, str | None] = {}

    def of(row: dict[str, Any]) -> str | None:
        if row["source"] not in said:
            said[row["source"]] = printed(java, compile_, row, tmp_path_factory.mktemp("fresh") / "program")
        return said[row["source"]]

    return of


def printed(java: Jdk, compile_: Compile, row: Mapping[str, Any], folder: Path) -> str | None:
    """Return what a program prints; None if it does not compile, fails, or does not end."""
    public = _PUBLIC.search(row["source"])
    name = row.get("file") or (public[1] if public else main_class(row["source"]).rpartition(".")[2] or "Main")
    folder.mkdir()
    source = folder / f"{name}.java"
    source.write_bytes(row["source"].encode("utf-8", "replace"))
    empty = folder / "empty"
    empty.mkdir()
    package = _PACKAGE.search(row["source"])
    main = (f"{package[1]}." if package else "") + row.get("main", name)
    environment = {"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"}
    options = ["-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "-Duser.language=en"]
    if not compile_(source):
        return None
    try:
        said = subprocess.run(
            [java.java, *options, "-cp", folder, main],
            input=row["stdin"].encode("utf-8", "surrogateescape"),
            capture_output=True,
            timeout=row.get("fresh_timeout", 120),
            cwd=empty,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        return None
    return None if said.returncode else said.stdout.decode("utf-8", "replace")


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().split("\n")]


def test_honest_programs_print_what_they_print_elsewhere(fresh, sandbox_at):
    later = [{**row, "expected": None} for row in rows_of_round_four("honest") if "ProcessBuilder" not in row["source"]]
    programs = [row for row in rows("honest") if row.get("tag") not in DIFFERENT] + later
    different = {}
    for row, outcome in zip(programs, outcomes(sandbox_at, programs, None), strict=True):
        said = outcome.stdout if outcome.stdout in BY_CHANCE.get(row["name"], ()) else fresh(row)
        if outcome.passed != (said is not None) or (said is not None and lines(said) != lines(outcome.stdout)):
            different[row["name"]] = (outcome, said)
    assert not different


def test_wrong_programs_fail(fresh, sandbox_at):
    programs = rows("wrong")
    different = {}
    for row, outcome in zip(programs, outcomes(sandbox_at, programs, None), strict=True):
        said = fresh(row)
        if outcome.passed != (said is not None and lines(said) == lines(row["expected"])):
            different[row["name"]] = (outcome, said)
    assert not different


def test_attacks_do_not_succeed(sandbox_at):
    programs = rows("attacks")
    results = outcomes(sandbox_at, programs, "42\n")
    succeeded = [
        outcome for row, outcome in zip(programs, results, strict=True) if outcome.status.value in row["never"]
    ]
    assert not succeeded


def test_no_method_passes_a_suite_that_it_fails(sandbox_at):
    values = {"int": ("42", "0"), "String": ('"42"', '""'), "boolean": ("true", "false")}
    suite = (
        "class MainSuite {{ public static void main(String[] a) {{"
        " assert java.util.Objects.equals(SuiteRunner.value(new A().f()), {}); }} }}"
    )
    jobs = []
    for kind, (right, wrong) in values.items():
        for row in ({"name": "right", "head": "", "body": f"return {right};"}, *rows_of_round_four("attacks")):
            body = row["body"].replace("DEFAULT", wrong)
            program = f"{row['head']}\nclass A {{ {kind} f() {{ {body} }} }}"
            jobs.append(Job.function(program, suite.format(right), "A", job_id=f"{row['name']}, {kind}"))
    passed = {outcome.job_id for outcome in sandbox_at.run(jobs) if outcome.passed}
    assert passed == {f"right, {kind}" for kind in values}
