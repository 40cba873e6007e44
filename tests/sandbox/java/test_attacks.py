"""The hostile programs in Java: each gets the outcome it must, and the honest program after it passes."""

import pytest

from lm_eval_codemind.sandbox import Job, Outcome, Status
from lm_eval_codemind.sandbox.java.sandbox import JavaSandbox
from tests.sandbox.java.attacks import attacks
from tests.sandbox.processes import below, server_pids

HONEST = Job.script(
    "import java.util.*; public class Main { public static void main(String[] a) {"
    " System.out.println(2 * new Scanner(System.in).nextInt()); } }",
    [("21\n", "42\n")],
)
pytestmark = pytest.mark.proof


@pytest.fixture(scope="module")
def outcomes(sandbox_at: JavaSandbox) -> list[Outcome]:
    """The outcome of each attack, and of the honest program after it."""
    return sandbox_at.run(job for attack in attacks() for job in (attack.job, HONEST))


def test_attacks(outcomes):
    hostile, after = outcomes[::2], outcomes[1::2]
    assert not [outcome for attack, outcome in zip(attacks(), hostile, strict=True) if not attack.holds(outcome)]
    assert all(outcome.passed for outcome in after), after


def test_attacks_have_distinct_names_and_none_may_pass():
    assert len({attack.name for attack in attacks()}) == len(attacks())
    assert not any(Status.PASSED in attack.expected for attack in attacks())


def test_nothing_of_them_is_left(outcomes, sandbox_at):
    """Below the compiler and each starter of virtual machines nothing runs but they themselves."""
    pids = server_pids(sandbox_at)
    assert len(pids) == sandbox_at.workers + 1
    for pid in pids:
        # Bubblewrap keeps a separate watching process above the server.
        assert len(below(pid)) <= 1, below(pid)
