"""The hostile programs: each gets the outcome it must, and the honest program after it passes."""

import pytest

from lm_eval_codemind.sandbox import Job, Outcome, Sandbox, Status
from tests.sandbox.attacks import VISIBLE_STATE, attacks
from tests.sandbox.processes import below, descriptors, server_pids

STATE = Job.script(VISIBLE_STATE, [("", None)])
HONEST = Job.function("def f(a, b): return a + b", "def check(c):\n    assert c(20, 22) == 42\n", "f")
pytestmark = pytest.mark.proof


@pytest.fixture(scope="module")
def state(sandbox_at: Sandbox) -> str:
    """What a program sees before any attack."""
    (seen,) = {outcome.stdout for outcome in sandbox_at.run([STATE] * 8)}
    assert "environment" in seen
    return seen


@pytest.fixture(scope="module")
def outcomes(sandbox_at: Sandbox, state: str) -> dict[str, list[Outcome]]:
    """The outcome of each attack, of the honest program after it, and of one that says what it sees."""
    jobs = [job for attack in attacks() for job in (attack.job, HONEST, STATE)]
    ended = sandbox_at.run(jobs)
    return {attack.name: ended[3 * number : 3 * number + 3] for number, attack in enumerate(attacks())}


@pytest.mark.parametrize("attack", attacks(), ids=lambda attack: attack.name)
def test_attack(attack, outcomes, state):
    hostile, after, seen = outcomes[attack.name]
    assert attack.holds(hostile), hostile
    assert after.status is Status.PASSED, after
    assert seen.stdout == state


def test_attacks_have_distinct_names_and_none_may_pass():
    assert len({attack.name for attack in attacks()}) == len(attacks())
    assert not any(Status.PASSED in attack.expected for attack in attacks())


def test_nothing_of_them_is_left(outcomes, sandbox_at):
    """Below each of the sandbox's processes only its own servers remain, with no descriptor more than at the start."""
    servers = server_pids(sandbox_at)
    assert servers
    for pid in servers:
        descendants = below(pid)
        # Bubblewrap keeps a separate watching process above the server.
        assert len(descendants) <= 1, descendants
        for server in [pid, *descendants]:
            names = descriptors(server)
            assert not any("memfd" in name for name in names), names
            assert len(names) < 16, names


def test_honest_programs_pass_the_same_suites(sandbox_at):
    """The suites of the attacks can be passed: it isn't for their own sake that the attacks fail."""
    function = "def f(a, b):\n    return a + b\n"
    account = """
class Account:
    def __init__(self, start): self.history = [start]
    def deposit(self, amount): self.history.append(amount)
    def balance(self): return sum(self.history)
"""
    suites = {(attack.job.kind, attack.job.tests) for attack in attacks() if attack.job.kind != "script"}
    special = ("in candidate(20, 22)", "sum(candidate", "== [42]", "range(candidate", "len(bytearray")
    ordinary = [(kind, tests) for kind, tests in suites if not any(part in tests for part in special)]
    assert {kind for kind, _ in ordinary} == {"function", "unittest"}
    for kind, tests in ordinary:
        program, name = (function, "f") if kind == "function" else (account, "Account")
        outcome = sandbox_at.submit(Job(kind, program, tests, name)).result()
        assert outcome.status is Status.PASSED, (tests, outcome)
