"""The adversarial programs that ``codemind sandbox check`` tries on this machine: one for each way out of the sandbox.

Many more are below ``tests/sandbox``.
"""

from dataclasses import dataclass
from pathlib import Path

from .job import Job, Limits, Outcome, Status

LIMITS = Limits(cpu_seconds=0.6, wall_seconds=2, memory_bytes=256 << 20, output_bytes=1 << 20, file_bytes=8 << 20)
_CHECK = "def check(candidate):\n    assert candidate(20, 22) == 42\n"


@dataclass(frozen=True)
class Attack:
    """An adversarial program. If it tries to get at something, it answers rightly only if it got it.

    ``expected`` are the statuses that are a right answer. A program that plain Python passes is ``unproven``: it may
    pass, but must say ``tamper_proof: false``.
    """

    name: str
    job: Job
    expected: frozenset[Status]
    unproven: bool = False

    def holds(self, outcome: Outcome) -> bool:
        """Whether an outcome is one this attack must have."""
        excused = self.unproven and outcome.passed and not outcome.tamper_proof
        return excused or outcome.status in self.expected


def attacks(secret: Path) -> list[Attack]:
    """Return the adversarial programs. ``secret`` is any file: no program may read it, or write next to it."""
    getting = {
        "reads a file": f"len(open({str(secret)!r}).read()) > 0",
        "writes a file": f"bool(open({str(secret.with_name('written'))!r}, 'w').write('x')) and False",
        "reads the environment": "'CODEMIND_SECRET' in os.environ",
        "reads its server's environment": "b'CODEMIND_SECRET' in open(f'/proc/{os.getppid()}/environ', 'rb').read()",
        "opens a socket": "bool(__import__('socket').socket())",
        "starts a program": "__import__('subprocess').call(['true']) == 0",
        "forks": "os.fork() >= 0",
        "ends its server": "os.kill(os.getppid(), 9) is None",
        "raises its limits": "__import__('resource').setrlimit(7, (4096, 4096)) is None",
    }
    body = "import os\ndef attempt():\n    try: return {}\n    except OSError: return False\n"
    answer = "GOT = attempt()\ndef f(a, b): return a + b if GOT else None\n"
    tried = [_attack(name, "failed error blocked", body.format(what) + answer) for name, what in getting.items()]
    return [
        *tried,
        _attack("agrees with everything", "failed", "class Liar:\n    def __eq__(self, other): return True\n"
                "def f(a, b): return Liar()\n", unproven=True),
        _attack("leaves before the checks are done", "error", "import os\ndef f(a, b): os._exit(0)\n"),
        _attack("writes a verdict to every descriptor", "failed error crashed",
                "import os\nfor n in range(3, 64):\n    try: os.write(n, b'\\0\\0\\0\\x24{\"value\": "
                "{\"status\": \"passed\"}, \"out\": 0}')\n    except OSError: pass\ndef f(a, b): return 0\n"),
        _attack("replaces the builtins", "failed error",
                "import builtins\nfor n in ('len', 'isinstance', 'type', 'repr'):\n"
                "    setattr(builtins, n, lambda *a: True)\ndef f(a, b): return 0\n"),
        _attack("never ends", "timeout", "def f(a, b):\n    while True: pass\n"),
        _attack("takes all memory", "memory",
                "def f(a, b):\n    x = []\n    while True: x.append(bytearray(1 << 24))\n"),
        _attack("prints without end", "output timeout", "def f(a, b):\n    while True: print('x' * 100000)\n"),
        _attack("leaves a file behind", "failed", "open('left', 'w').write('x')\ndef f(a, b): return 0\n"),
        _attack("finds a file left behind", "failed",
                "import os\nleft = os.listdir('.')\ndef f(a, b): return 42 if left else 0\n"),
    ]  # fmt: skip


def _attack(name: str, expected: str, program: str, unproven: bool = False) -> Attack:
    job = Job.function(program, _CHECK, "f", limits=LIMITS, job_id=name)
    return Attack(name, job, frozenset(map(Status, expected.split())), unproven=unproven)
