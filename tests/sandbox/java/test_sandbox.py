"""Programs in Java: what comes of them, at each level; compilers and servers that end are replaced."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lm_eval_codemind.sandbox import Job, Limits, SandboxClosed, Status
from lm_eval_codemind.sandbox.java import jdk, machine
from lm_eval_codemind.sandbox.java.sandbox import COMPILE_ERROR, JavaSandbox
from tests.sandbox.processes import below, server_pids


def program(body: str, head: str = "", name: str = "Main") -> str:
    main = f"public static void main(String[] args) throws Exception {{\n{body}\n}}"
    return f"{head}\nimport java.util.*;\npublic class {name} {{\n{main}\n}}\n"


PRINT = " System.out.println(42);"
TWICE = program("System.out.println(2 * new Scanner(System.in).nextInt());")
CASES = [("1\n", "2\n"), ("21\n", "42\n"), ("-3", "-6")]


@pytest.mark.proof
def test_a_program_is_judged_case_by_case(sandbox_at):
    suites = (CASES, [("1", "2"), ("2", "5"), ("3", "6")], [("1", None), ("2", None)])
    right, wrong, seen = sandbox_at.run(Job.script(TWICE, cases, job_id="right") for cases in suites)
    assert right.passed and right.job_id == "right" and right.tests_run == 3
    assert right.isolation == sandbox_at.isolation and right.cpu_seconds > 0
    assert wrong.status is Status.FAILED and wrong.failed_test == "case 1" and len(wrong.observations) == 2
    assert [observation.stdout for observation in seen.observations] == ["2\n", "4\n"] and seen.passed


@pytest.mark.proof
def test_a_jdk_below_the_temporary_directory_is_seen(level, java):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        home = Path(folder) / "jdk"
        shutil.copytree(java.home, home, symlinks=True)
        with JavaSandbox(workers=1, isolation=level, java=jdk.at(home)) as sandbox:
            outcome = sandbox.run([Job.script(TWICE, CASES)])[0]
    assert outcome.passed, outcome


# fmt: off
PRINTED = {
    program(PRINT, name="Solution"): "42",
    program(PRINT, "package contest.y2020;"): "42",
    program(PRINT) + "class Second { }": "42",
    # Several times the limit of memory in stacks that are hardly touched.
    program('var t = new Thread(null, () -> System.out.println(42), "", 5L << 30); t.start(); t.join();'): "42",
    program('new java.io.PrintStream("/dev/stdout").println(4); System.out.println(2);'): "4\n2",
    program('System.out.print(4); new java.io.FileOutputStream("/dev/stdout").write(50);'): "42",
    "class A { static class B { public static void main(String[] a) { System.out.println(42); } } }": "42",
    program('System.out.println("größe \\u20ac");'): "größe €",
    program("System.out.println(new Scanner(System.in).nextLine());"): "größe",
    program(PRINT + "System.exit(0);"): "42",
    program("System.err.println(1);" + PRINT): "42",
    program('System.out.println(new java.io.File(".").list().length);'): "0",
    # As on a plain JDK of version 17, no package is opened.
    **{program(f"try {{ {kind}.class.getDeclaredField({name!r}).setAccessible(true); }} catch (RuntimeException e) {{"
               " System.out.println(e.getClass().getSimpleName()); }".replace("'", '"')): "InaccessibleObjectException"
       for kind, name in (("String", "value"), ("java.util.ArrayList", "size"))},
    program("System.out.println(new Exception().getStackTrace()[0]);"): "Main.main(Main.java:5)",
    program('System.out.println(System.getProperty("user.name"));'): "sandbox",
    program('System.out.println(System.getProperty("user.home").equals(System.getProperty("user.dir")));'): "true",
    # The first of two, unless another one is public; the file is called after the public class, or else the first.
    "class A { public static void main(String[] a) { System.out.println(new Exception().getStackTrace()[0]); } }\n"
    "class B { public static void main(String[] a) { System.out.println(2); } }": "A.main(A.java:1)",
    "class A { public static void main(String... a) { System.out.println(1); } }\npublic class B {\n"
    "  public static void main(String... a) { System.out.println(new Exception().getStackTrace()[0]); } }":
        "B.main(B.java:3)",
    "class Base { public static void main(String[] a) { System.out.println(42); } }\nclass B extends Base { }": "42",
    program('java.nio.file.Path path = java.nio.file.Files.createTempFile("a", "b");'
            ' java.nio.file.Files.writeString(path, "42");'
            " System.out.println(java.nio.file.Files.readString(path));"): "42",
}
# fmt: on


@pytest.mark.parametrize("count", [3, pytest.param(len(PRINTED), marks=pytest.mark.proof)])
def test_honest_programs_pass(sandbox_at, count):
    printed = dict(list(PRINTED.items())[:count])
    outcomes = sandbox_at.run(Job.script(source, [("größe\n", stdout)]) for source, stdout in printed.items())
    assert not {source: outcome for source, outcome in zip(printed, outcomes, strict=True) if not outcome.passed}


READ = "int x = new Scanner(System.in).nextInt();"
DOUBLE = "System.out.println(2 * x);"
# What one run leaves to the next ones, or does to the machine that they share.
SHARING = {
    "right": program(READ + DOUBLE),
    "closes its output": program(
        READ + "var out = new java.io.PrintWriter(System.out); out.println(2 * x); out.close();"
    ),
    "closes the file": program(
        READ + "var out = new java.io.PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out));"
        "out.println(2 * x); out.close();"
    ),
    "reads the file": program(
        "var in = new java.io.FileInputStream(java.io.FileDescriptor.in); int x = in.read() - '0';" + DOUBLE
    ),
    "a static field": "class A { static int n = 1; public static void main(String[] a) {"
    " System.out.println(2 * n++ * new java.util.Scanner(System.in).nextInt()); } }",
    "a property": program(READ + 'boolean first = System.setProperty("a", "b") == null;'
                          " System.out.println(first ? 2 * x : 0);"),
    "exits": program(READ + DOUBLE + "System.exit(x == 3 ? 3 : 0);"),
    "at the end": program(READ + "Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(2 * x)));"),
    "wrong at the end": program(
        READ + DOUBLE + "Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(2 * x)));"
    ),
    "a thread": program(READ + "new Thread(() -> System.out.println(2 * x)).start();"),
    "wrong at once": program(READ + "System.out.println(x);"),
    "throws at once": program(READ + 'throw new IllegalStateException("at once", new Exception());'),
    "wrong and throws": program(READ + "System.out.println(x); if (x == 3) throw new IllegalStateException();"),
    "wrong later": program(READ + "System.out.println(x == 3 ? 0 : 2 * x);"),
    "throws later": program(READ + DOUBLE + 'if (x == 3) throw new IllegalStateException("later");'),
    "hangs later": program(READ + DOUBLE + "while (x == 3);"),
    "does not flush": program(READ + "new java.io.PrintWriter(System.out).println(2 * x);"),
    "no initial value": "class A { static int n = 1 / 0; public static void main(String[] a) { } }",
}  # fmt: skip


@pytest.mark.proof
@pytest.mark.parametrize("source", SHARING.values(), ids=SHARING)
def test_cases_that_share_a_machine_have_the_outcome_of_one_alone(sandbox, source):
    limits = Limits(cpu_seconds=2, wall_seconds=6)
    cases = [(f"{number}\n", str(2 * number)) for number in range(1, 5)]
    together = sandbox.run([Job.script(source, cases, limits=limits)])[0]
    alone = []
    for case in cases:
        alone += sandbox.run([Job.script(source, [case], limits=limits)])
        if not alone[-1].passed:
            break
    said = ("status", "exception_type", "exception_message", "stdout")
    assert [getattr(together, name) for name in said] == [getattr(alone[-1], name) for name in said]
    assert together.observations == tuple(outcome.observations[0] for outcome in alone)
    if together.status is Status.ERROR:
        assert together.stderr == alone[-1].stderr


@pytest.mark.proof
def test_a_second_public_class_does_not_compile(sandbox):
    outcome = sandbox.run([Job.script(program(PRINT) + "public class Second { }", [("", "42")])])[0]
    assert outcome.exception_type == COMPILE_ERROR and "Second.java" in outcome.exception_message


@pytest.mark.proof
def test_the_class_to_start_may_be_named(sandbox):
    source = "class {0} {{ public static void main(String[] a) {{ System.out.println({1}); }} }}\n"
    both = source.format("A", 1) + source.format("B", 2)
    outcomes = sandbox.run([Job.script(both, [("", None)], entry_point=name) for name in ("", "A", "B", "C")])
    assert [outcome.stdout for outcome in outcomes] == ["1\n", "1\n", "2\n", ""]
    assert outcomes[3].status is Status.ERROR


SUITE = (
    "class MainSuite {{ public static void main(String[] a) {{ {} assert SuiteRunner.value(new A().f()) == 42; }} }}"
)


@pytest.mark.proof
def test_a_suite_runs_beside_the_program_and_says_so(sandbox_at):
    programs = {
        "class A { int f() { return 42; } }": Status.PASSED,
        "class A { int f() { return 41; } }": Status.FAILED,
        "class A { int f() { return 1 / 0; } }": Status.ERROR,
        "class A { int f() { System.exit(0); return 42; } }": Status.FAILED,
        "class A { int f() { while (true); } }": Status.TIMEOUT,
    }
    limits = Limits(cpu_seconds=2)
    jobs = [Job.function(source, SUITE.format(""), "A", limits=limits, language="java") for source in programs]
    outcomes = sandbox_at.run(jobs)
    assert [outcome.status for outcome in outcomes] == list(programs.values())
    assert not any(outcome.tamper_proof for outcome in outcomes)


def test_a_program_is_never_compiled_without_its_suite(sandbox):
    sources = [
        "class A { int f() { return 41; } } class MainSuite { public static void main(String[] a) { } }",
        "class A { int f() { return 41; } } class Main\\u0053uite { public static void main(String[] a) { } }",
        "class A { int f() { return 41; } } class SuiteRunner { static int value(int n) { return 42; } }",
        "class A { int f() { return 41; } } class Stri\u00adng { }",
        "class A { int f() { return 41; } } class java { }",
        "package b; public class A { public int f() { return 42; } }",
    ]
    tests = SUITE.format("java.util.List.of();")
    outcomes = sandbox.run(Job.function(source, tests, "A", language="java") for source in sources)
    ends = [(outcome.status, outcome.exception_type) for outcome in outcomes]
    assert ends == [(Status.ERROR, COMPILE_ERROR)] * len(sources)


@pytest.mark.proof
def test_beside_a_suite_nothing_of_the_machine_is_open(sandbox):
    """Each attempt ends with an exception; neither memory nor the classes of java.lang can be reached."""
    attempts = [
        'Class.forName("sun.misc.Unsafe")',
        'Class.forName("com.sun.management.HotSpotDiagnosticMXBean")',
        'Integer.class.getDeclaredField("value").setAccessible(true)',
        'Class.forName("java.lang.LiveStackFrame").getDeclaredMethods()[0].setAccessible(true)',
        'new java.io.FileOutputStream("/proc/self/fd/3").write(1)',
        'new java.io.RandomAccessFile("/proc/self/fd/3", "rw").setLength(0)',
    ]
    source = "class A {{ int f() {{ try {{ {}; return 41; }} catch (Exception e) {{ return 42; }} }} }}"
    tests = SUITE.format("")
    outcomes = sandbox.run([Job.function(source.format(each), tests, "A", language="java") for each in attempts])
    assert [outcome.status for outcome in outcomes] == [Status.PASSED] * len(attempts), outcomes


@pytest.mark.proof
def test_one_source_does_not_keep_the_compiler_busy(sandbox_at):
    types = "".join(f"class C{n}<T> {{ C{n}<? super C{n}<? super T>> x; }}\n" for n in range(200_000))
    slow, honest = [
        sandbox_at.submit(Job.script(types + program(PRINT), CASES)),
        sandbox_at.submit(Job.script(TWICE, CASES)),
    ]
    assert honest.result().passed
    outcome = slow.result()
    assert outcome.status in (Status.TIMEOUT, Status.MEMORY, Status.ERROR) and outcome.cpu_seconds == 0


def test_a_compile_error_says_the_compilers_first_message(sandbox_at):
    outcome = sandbox_at.run([Job.script(program("int x = true;\nint y = false;"), CASES)])[0]
    assert outcome.status is Status.ERROR and outcome.exception_type == COMPILE_ERROR
    assert outcome.exception_message.startswith("line 5: incompatible types: boolean")
    assert outcome.tests_run == 0


def test_an_exception_is_described(sandbox_at):
    source = program('System.out.println(1); throw new IllegalStateException("why\\nelse");')
    outcome = sandbox_at.run([Job.script(source, CASES)])[0]
    assert outcome.status is Status.ERROR and outcome.exception_type == "java.lang.IllegalStateException"
    assert outcome.exception_message == "why" and outcome.stdout == "1\n"
    forged = program('System.err.println("Exception in thread \\"main\\" X"); System.out.println(2);')
    assert sandbox_at.run([Job.script(forged, [("", "2")])])[0].passed


def test_the_machines_own_words_stay_off_standard_output(sandbox_at):
    """The machine warns of threads it can't start; on standard output, if nothing is done about it."""
    source = program(
        "List<Thread> all = new ArrayList<>();\n"
        "try { while (true) { Thread t = new Thread(() -> { try { Thread.sleep(60_000); }"
        " catch (InterruptedException e) { } }); t.setDaemon(true); t.start(); all.add(t); } }\n"
        "catch (OutOfMemoryError e) { System.out.println(all.size() > 100 && all.size() <= 300); }"
    )
    limits = Limits(cpu_seconds=20, wall_seconds=60, threads=200)
    outcome = sandbox_at.run([Job.script(source, [("", "true\n")], limits=limits)])[0]
    assert outcome.stdout == "true\n" and outcome.passed, outcome


NESTED = {
    "blocks": lambda levels: "{" * levels + "}" * levels,
    "parentheses": lambda levels: "int x = " + "(" * levels + "1" + ")" * levels + ";",
    "a sum": lambda levels: "int x = args.length; x = x" + " + x" * levels + ";",
    "attempts": lambda levels: "try { " * (levels // 2) + "} finally { }" * (levels // 2),
}


@pytest.mark.proof
def test_whether_a_program_is_nested_too_deeply_is_no_matter_of_luck(java, monkeypatch):
    """A compiler whose methods stay interpreted needs the most stack; one that has compiled them needs the least."""
    monkeypatch.setattr(machine, "QUIET", (*machine.QUIET, "-Xint"))
    limits = Limits(cpu_seconds=60, wall_seconds=300)
    with JavaSandbox(workers=2) as sandbox:
        shallow, deep = (
            sandbox.run(
                [Job.script(program(body(levels) + PRINT), [("", "42")], limits=limits) for body in NESTED.values()]
            )
            for levels in (2450, 2550)
        )
    assert all(outcome.passed for outcome in shallow), dict(zip(NESTED, shallow, strict=True))
    assert {(outcome.status, outcome.exception_type) for outcome in deep} == {(Status.ERROR, COMPILE_ERROR)}
    assert {outcome.exception_message for outcome in deep} == {"the program is nested too deeply for the compiler"}


@pytest.mark.proof
@pytest.mark.parametrize("body", NESTED.values(), ids=list(NESTED))
def test_what_the_jdks_own_compiler_takes_is_taken(sandbox, java, tmp_path, body):
    """Both take 700 levels; neither takes 30,000."""
    sources = {levels: program(body(levels) + PRINT) for levels in (700, 30_000)}
    taken = {}
    for levels, source in sources.items():
        file = tmp_path / str(levels) / "Main.java"
        file.parent.mkdir()
        file.write_text(source, encoding="utf-8")
        command = [java.home / "bin" / "javac", "-proc:none", "-d", file.parent, file]
        taken[levels] = subprocess.run(command, capture_output=True, timeout=120).returncode == 0
    outcomes = sandbox.run([Job.script(source, [("", "42")]) for source in sources.values()])
    assert taken == {700: True, 30_000: False}
    assert [outcome.passed for outcome in outcomes] == [True, False], outcomes


def test_other_kinds_are_refused(sandbox):
    with pytest.raises(ValueError, match="one of script, function"):
        sandbox.submit(Job.evaluate("", ["1"]))


@pytest.mark.proof
def test_what_is_killed_is_replaced_and_nothing_is_lost(sandbox):
    """The compiler and the servers are killed again and again while jobs run; each job has its outcome."""
    assert sandbox.run([Job.script(TWICE, CASES)])[0].passed
    futures = [sandbox.submit(Job.script(TWICE, CASES, job_id=str(number))) for number in range(12)]
    killed = struck = 0
    deadline = time.monotonic() + 120
    while killed < 3 and not all(future.done() for future in futures) and time.monotonic() < deadline:
        time.sleep(0.5)
        # A job has two tries: what met the last kill must have ended.
        if not all(future.done() for future in futures[:struck]):
            continue
        victims = [*below(server_pids(sandbox)[0]), server_pids(sandbox)[0]] if server_pids(sandbox) else []
        for victim in victims[:1]:
            try:
                os.kill(victim, signal.SIGKILL)
            except ProcessLookupError:
                continue
            killed += 1
            # Those that ran then, and those after them, which may be the first to notice.
            struck = sum(future.done() for future in futures) + 2 * sandbox.workers
    outcomes = [future.result() for future in futures]
    assert killed and [outcome.job_id for outcome in outcomes] == [str(number) for number in range(12)]
    assert all(outcome.passed for outcome in outcomes), outcomes


@pytest.mark.proof
def test_nothing_is_left_when_it_closes(java):
    sandbox = JavaSandbox(workers=2)
    assert all(outcome.passed for outcome in sandbox.run([Job.script(TWICE, CASES)] * 3))
    pids = [pid for server in server_pids(sandbox) for pid in [server, *below(server)]]
    waiting = sandbox.submit(Job.script(program("Thread.sleep(100_000);"), CASES, limits=Limits(wall_seconds=100)))
    time.sleep(0.5)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(sandbox.close).result(60)
    assert isinstance(waiting.exception(), SandboxClosed)
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{pid}").exists() for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)
    with pytest.raises(SandboxClosed):
        sandbox.submit(Job.script(TWICE, CASES))
