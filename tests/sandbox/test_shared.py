"""What programs could share with each other and with the host: descriptors, users, threads, the checker's time."""

import os
import time
from pathlib import Path

import pytest

from lm_eval_codemind.sandbox import Job, Limits, Sandbox, isolation

DESCRIPTORS = """
import os, stat
for number in range(5, 2000):
    try: os.fstat(number)
    except OSError: continue
    print(number)
print([stat.S_IFMT(os.fstat(number).st_mode) == stat.S_IFSOCK for number in range(5)])
"""


@pytest.mark.parametrize("held", [0, 93, 97, 98, 150])
def test_a_host_with_many_descriptors_hands_none_over(level, held):
    """The numbers at which a host's sockets lie must not matter; around 100 was once the boundary."""
    descriptors = [os.open("/dev/null", os.O_RDONLY) for _ in range(held)]
    try:
        with Sandbox(workers=1, isolation=level) as sandbox:
            (outcome,) = sandbox.run([Job.script(DESCRIPTORS, [("", None)])])
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    assert outcome.stdout == "[False, False, False, False, False]\n", outcome


def test_threads_are_counted(sandbox_at):
    source = (
        "import threading\nthreading.stack_size(65536)\nstop = threading.Event()\nn = 0\n"
        "try:\n    while True:\n        threading.Thread(target=stop.wait).start()\n        n += 1\n"
        "except RuntimeError:\n    print(n)\nstop.set()\n"
    )
    for threads in (0, 1, 7, 100):
        limits = Limits(threads=threads)
        outcome = sandbox_at.submit(Job.script(source, [("", f"{threads}")], limits=limits)).result()
        assert outcome.passed, outcome
    # As many as the docs say, within the usual limit of memory, and with stacks of the usual size.
    usual = source.replace("threading.stack_size(65536)\n", "")
    assert sandbox_at.submit(Job.script(usual, [("", f"{Limits().threads}")])).result().passed
    # One at a time, as many as it likes.
    source = "import threading\nfor _ in range(50): t = threading.Thread(); t.start(); t.join()\nprint(1)"
    assert sandbox_at.submit(Job.script(source, [("", "1")], limits=Limits(threads=3))).result().passed


def test_standard_input_is_a_file_that_cannot_be_changed(sandbox_at):
    program = """
import os, sys
text = sys.stdin.read()
try: os.pwrite(0, b'x', 0)
except PermissionError: print(len(text), os.pread(0, 5, 0))
"""
    (outcome,) = sandbox_at.run([Job.script(program, [("text\n" * 100_000, None)])])
    assert outcome.stdout == "500000 b'text\\n'\n", outcome


def test_users_are_each_given_once():
    taken = dict(isolation.take_user() for _ in range(20))
    assert len(taken) == 20
    assert os.geteuid() not in taken
    for claim in taken.values():
        claim.close()
    # A number that was given up is hardly the next one.
    again, claim = isolation.take_user()
    claim.close()
    assert again not in taken


def test_a_user_that_another_host_holds_is_passed_over(monkeypatch):
    first, claim = isolation.take_user()
    monkeypatch.setattr(isolation, "_user_range", lambda uid_map: (first, 2))
    second, other_claim = isolation.take_user()
    assert second == first + 1
    claim.close()
    other_claim.close()


@pytest.mark.parametrize(("uid_map", "expected"), [
    ("         0          0 4294967295\n", (1_970_000_000, 20_000_000)), ("0 100000 65536\n", (20_000, 40_000)),
    ("0 1000 1\n1 100000 30000\n", (20_000, 10_001)),
])  # fmt: skip
def test_users_are_those_that_exist(uid_map, expected):
    assert isolation._user_range(uid_map) == expected
    with pytest.raises(OSError, match="too few users"):
        isolation._user_range("0 1000 1\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives programs their own users")
def test_as_root_no_server_shares_a_user_and_none_is_root(level):
    with Sandbox(workers=4, isolation=level) as sandbox:
        sandbox.run([Job.script("import time; time.sleep(0.3)", [("", None)])] * 8)
        source = "import os, time\nprint(os.getresuid(), os.getresgid(), os.getgroups())\ntime.sleep(0.5)"
        futures = [sandbox.submit(Job.script(source, [("", None)])) for _ in range(4)]
        users = set()
        deadline = time.monotonic() + 20
        while not all(future.done() for future in futures) and time.monotonic() < deadline:
            for path in Path("/proc").glob("[0-9]*/status"):
                try:
                    text = path.read_text()
                except OSError:
                    continue
                number = int(text.partition("\nUid:")[2].split()[0])
                if isolation._FIRST_USER <= number < isolation._FIRST_USER + isolation._USERS:
                    users.add(number)
            time.sleep(0.05)
        seen = {future.result().stdout for future in futures}
    assert len(users) >= 8
    assert not any(text.startswith("(0") or ", 0" in text for text in seen), seen
