"""Labels of programs that nobody has vouched for: what they say, and which have none."""

import pytest

from lm_eval_codemind.data import load_problem
from lm_eval_codemind.data.making import Execution, Proven
from lm_eval_codemind.languages import kind_of
from lm_eval_codemind.problems import PROGRAM_CHARACTERS, Problem
from lm_eval_codemind.sandbox import Limits, Sandbox
from lm_eval_codemind.workshop.proof.prove_outputs import CAUSES, prove_outputs, seeded_pools

# What a function does -> what may be said of it.
FUNCTIONS = {
    "def f(a):\n    print('7')\n    return a + [1]": Proven("[0, 1]"),
    "def f(a):\n    a.append(1)\n    return a": Proven("[0, 1]"),
    "def f(a):\n    a.clear()\n    return (a, a)": Proven("([], [])"),
    "def f(a):\n    return {'b', 'a', 'c'}": Proven("{'a', 'b', 'c'}"),
    "from __future__ import annotations\ndef f(a: list[int]) -> int:\n    return sum(a)": Proven("0"),
    "def f(a):\n    return ''.join({'b', 'a', 'c', 'd', 'e', 'f', 'g', 'h'})": Proven(None, "unstable"),
    "import random\ndef f(a):\n    return random.random()": Proven(None, "unstable"),
    "import random\nN = random.random()\ndef f(a):\n    return N": Proven(None, "unstable"),
    "import os\ndef f(a):\n    return os.urandom(8)": Proven(None, "unstable"),
    "def f(a):\n    return object()": Proven(None, "no_literal"),
    "def f(a):\n    return f": Proven(None, "no_literal"),
    "def f(a):\n    return float('nan')": Proven(None, "no_literal"),
    "def f(a):\n    return 'x' * 10_000_000": Proven(None, "too_long"),
    "def f(a):\n    return 'x' * 3_000": Proven(None, "too_long"),
    "def f(a):\n    return 1\n" + "#" * PROGRAM_CHARACTERS: Proven(None, "too_long"),
    "import time\ndef f(a):\n    time.sleep(60)\n    return 1": Proven(None, "no_end"),
    "def f(a):\n    while True:\n        pass": Proven(None, "no_end"),
    "import os\ndef f(a):\n    os.kill(os.getpid(), 9)": Proven(None, "no_end"),
    "def f(a):\n    raise SystemExit": Proven(None, "raises"),
    "def f(a):\n    return a[1]": Proven(None, "raises"),
    "def f(a:": Proven(None, "raises"),
}


@pytest.fixture
def four_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs that wait are ended soon."""
    monkeypatch.setattr(
        "lm_eval_codemind.workshop.proof.prove_outputs.limits_of", lambda problem: Limits(wall_seconds=4)
    )


@pytest.mark.proof
@pytest.mark.usefixtures("four_seconds")
def test_functions_and_scripts():
    problem = Problem("p", "sample", "function", "python", "def f(a):\n    return a", "f", "f([0])", "[0]")
    outputs = prove_outputs([Execution(problem, code, "f([0])") for code in FUNCTIONS])
    assert dict(zip(FUNCTIONS, outputs, strict=True)) == FUNCTIONS
    assert {one.cause for one in outputs} - {""} <= CAUSES.keys()
    problem = Problem("p", "sample", "script", "python", "print(input())", "", "3\n", "3\n")
    programs = ["print(int(input()) + 1)", "import random\nprint(random.random())", "input(); input()"]
    outputs = prove_outputs([Execution(problem, program, "3\n") for program in programs])
    assert outputs == [Proven("4\n"), Proven(None, "unstable"), Proven(None, "raises")]


JAVA = """import java.util.*;
public class Main {{
    public static void main(String[] args) throws Exception {{ Scanner in = new Scanner(System.in); {}
    }}
}}
"""
# What programs in Java do -> what may be said of them.
STATEMENTS = {
    ("System.out.println(in.nextInt() + 1);",): Proven("4\n"),
    ("System.err.println(7); System.out.print(in.nextInt()); System.exit(0);",): Proven("3"),
    (
        *("System.out.println(Math.random());", "System.out.println(new Random().nextLong());"),
        *("System.out.println(System.nanoTime());", "System.out.println(new Object());"),
        "System.out.println(new Object().hashCode() % 1000);",
    ): Proven(None, "unstable"),
    ("while (true) {}", "Thread.sleep(60_000);"): Proven(None, "no_end"),
    ("in.next(); in.next();", "System.exit(3);", "System.out.println(1)"): Proven(None, "raises"),
    (*(f'System.out.print("x".repeat({size}));' for size in (3_000, 10_000_000)), "//" + "#" * PROGRAM_CHARACTERS):
        Proven(None, "too_long"),
}  # fmt: skip


@pytest.mark.proof
@pytest.mark.usefixtures("java", "four_seconds")
def test_what_a_program_in_java_prints_is_its_output():
    problem = Problem("p", "sample_java", "script", "java", "", "", "3\n", "3\n")
    expected = {statement: proven for statements, proven in STATEMENTS.items() for statement in statements}
    outputs = prove_outputs([Execution(problem, JAVA.format(statement), "3\n") for statement in expected])
    assert dict(zip(expected, outputs, strict=True)) == expected


def test_what_a_prompt_shows_counts_together_and_nothing_is_started_for_nothing():
    problem = Problem("p", "sample", "function", "python", "", "f", "f(0)", "0")
    within = "def f(a):\n    return 'x' * 500\n#"
    within += "#" * (PROGRAM_CHARACTERS - len(within) - len("f(0)") - 502)
    outputs = prove_outputs([Execution(problem, program, "f(0)") for program in (within, within + "#")])
    assert outputs == [Proven(repr("x" * 500)), Proven(None, "too_long")]
    assert prove_outputs([Execution(problem, within, None)]) == [Proven(None, "no_input")]
    assert prove_outputs([]) == []


@pytest.mark.parametrize(("asked", "each"), [("1", 1), ("8", 4), ("9", 5)])
def test_the_user_says_how_many_programs_run_at_a_time(asked, each, monkeypatch):
    monkeypatch.setenv("CODEMIND_SANDBOX_WORKERS", asked)
    with seeded_pools((1, 2)) as pools:
        assert [pool._workers for pool in pools] == [each, each]
    with Sandbox() as sandbox:
        assert sandbox.workers == int(asked)


@pytest.mark.proof
@pytest.mark.parametrize("name", ["Sample_collatz_trace", "Sample_ledger_withdraw", "Sample_vote_count"])
def test_the_benchmarks_own_programs_give_their_labels(name):
    problem = load_problem("sample", name)
    assert prove_outputs([Execution(problem, problem.code, problem.input)]) == [Proven(problem.output)]
    assert kind_of(problem).known_inputs(problem)[0] == problem.input
