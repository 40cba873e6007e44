"""Hostile programs, and how each must end.

None may pass. A program that tries to get at something answers rightly only if it got it, so that here, too, a pass
means that the attack succeeded.
"""

from dataclasses import replace
from textwrap import dedent, indent

from lm_eval_codemind.sandbox.attacks import Attack
from lm_eval_codemind.sandbox.job import Job, Limits, Status

LIMITS = Limits(cpu_seconds=0.6, wall_seconds=2, memory_bytes=256 << 20, output_bytes=1 << 20, file_bytes=8 << 20)
# A script that prints all that a program can see and that may tell it of another: its files with modes and times, its
# variables, users, limits, descriptors and signals, and what of /proc stays the same while nothing happens. Left out is
# what differs between servers: the user's number, the home's name, numbers of mounts, and memory in use.
VISIBLE_STATE = """
import fcntl, os, re, resource, signal, stat
home = os.environ["HOME"]
def show(*what):
    print(*(str(each).replace(home, "HOME").replace(str(os.getuid()), "USER") for each in what))
seen = os.stat(home)
show("home", oct(seen.st_mode), seen.st_uid, seen.st_gid, seen.st_nlink, seen.st_mtime_ns, seen.st_atime_ns,
     os.listdir(home), os.getcwd())
try: show("attributes", os.listxattr(home))
except OSError as error: show("attributes", error.errno)
if home == "/tmp":
    space = os.statvfs(home)
    show("space", space.f_bfree == space.f_blocks, space.f_files - space.f_ffree)
show("umask", oct(os.umask(0)), "nice", os.getpriority(os.PRIO_PROCESS, 0))
show("environment", sorted(os.environ.items()))
show("users", os.getresuid(), os.getresgid(), os.getgroups())
for name in sorted(dir(resource)):
    if name.startswith("RLIMIT_") and name != "RLIMIT_AS": show(name, resource.getrlimit(getattr(resource, name)))
for number in range(300):
    try: kind = os.fstat(number)
    except OSError: continue
    show("descriptor", number, stat.S_IFMT(kind.st_mode), kind.st_size, fcntl.fcntl(number, fcntl.F_GETFL),
         fcntl.fcntl(number, fcntl.F_GETFD))
numbers = sorted(signal.valid_signals())
show("signals", [int(n) for n in numbers if signal.getsignal(n) is signal.SIG_IGN],
     [int(n) for n in numbers if signal.getsignal(n) not in (signal.SIG_DFL, signal.SIG_IGN)],
     signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.sigpending())
show("processors", sorted(os.sched_getaffinity(0)), os.sched_getscheduler(0))
for process in ("self", "1"):
    for name in ("oom_score_adj", "coredump_filter", "limits", "cgroup", "mountinfo", "comm", "autogroup"):
        try:
            with open(f"/proc/{process}/{name}") as file: lines = file.read().splitlines()
        except OSError as error:
            show(process, name, error.errno)
            continue
        for line in lines:
            if name == "mountinfo": line = re.sub("[ug]id=[0-9]+", "", line.split(" ", 3)[3])
            if name == "autogroup": line = line.partition(" ")[2]
            if "address space" not in line: show(process, name, line)
try: show("proc", sorted(name for name in os.listdir("/proc") if not name.isdigit()))
except OSError as error: show("proc", error.errno)
for directory in ("/", "/dev", "/dev/shm", "/run", "/etc"):
    try:
        for name in sorted(os.listdir(directory)):
            entry = os.lstat(os.path.join(directory, name))
            if name not in ("tmp", "proc"): show(directory, name, oct(entry.st_mode), entry.st_uid)
    except OSError as error: show(directory, error.errno)
"""
_CHECK = "def check(candidate):\n    assert candidate(20, 22) == 42\n    assert candidate(-1, 1) == 0\n"
_UNIT = """
import unittest

class AccountTest(unittest.TestCase):
    def test_balance(self):
        account = Account(10)
        account.deposit(32)
        self.assertEqual(account.balance(), 42)
        self.assertEqual(account.history, [10, 32])
"""
# The same where the suite must run in the program's process, since it looks at the file system.
_INSIDE = "import os\n" + _UNIT + "        self.assertTrue(os.path.isdir('.'))\n"


# fmt: off
F, E, T, M = Status.FAILED, Status.ERROR, Status.TIMEOUT, Status.MEMORY
O, C, B = Status.OUTPUT, Status.CRASHED, Status.BLOCKED  # noqa: E741
_ATTACKS: list[Attack] = []


def _function(name: str, expected: set[Status], source: str, tests: str = _CHECK, limits: Limits = LIMITS) -> None:
    job = Job.function(dedent(source), tests, "f", limits=limits, job_id=name)
    _ATTACKS.append(Attack(name, job, frozenset(expected)))


# What attempts use: whether an act succeeds with one of some values, and the kernel's calls by number.
_PRELUDE = """
import ctypes, fcntl, gc, glob, os, resource, signal, socket, stat, struct, subprocess, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def call(number, *arguments):
    made = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return libc.syscall(ctypes.c_long(number), *made)
def succeeds(act, values):
    for value in values:
        try: act(value)
        except (OSError, ValueError): continue
        return True
    return False
room = ctypes.create_string_buffer(4096)
parent = os.getppid() or 1
x86 = os.uname().machine == 'x86_64'
"""


def _escape(name: str, expected: set[Status], attempt: str) -> None:
    """Add a program whose function is right only if an attempt, which returns True then, succeeded."""
    body = indent(dedent(attempt).strip(), "    ")
    source = f"{_PRELUDE}def attempt():\n{body}\nGOT = attempt()\ndef f(a, b): return a + b if GOT else None\n"
    _function(name, expected, source)


def _call(name: str, expected: set[Status], body: str) -> None:
    """Add a program by what its function does."""
    _function(name, expected, f"{_PRELUDE}def f(a, b):\n{indent(dedent(body).strip(), '    ')}\n")


def _unit(name: str, expected: set[Status], source: str, tests: str = _UNIT) -> None:
    job = Job.unittest(dedent(source), tests, "Account", limits=LIMITS, job_id=name)
    _ATTACKS.append(Attack(name, job, frozenset(expected)))


def _script(name: str, expected: set[Status], source: str, stdin: str = "", stdout: str = "42\n") -> None:
    job = Job.script(dedent(source), [(stdin, stdout)], limits=LIMITS, job_id=name)
    _ATTACKS.append(Attack(name, job, frozenset(expected)))


# Leaving before the checks are done.
_function("exits while it is loaded", {E}, "import sys\nsys.exit(0)")
_function("os._exit(0) while it is loaded", {E}, "import os\nos._exit(0)")
_function("os._exit(0) when called", {E}, "import os\ndef f(a, b):\n    os._exit(0)")
_function("raises SystemExit when called", {E}, "def f(a, b):\n    raise SystemExit(0)")
_function("quits when called", {E}, "import sys\ndef f(a, b):\n    sys.exit()")
_function("right once, then exits", {E}, "import os\ndef f(a, b):\n    return 42 if a == 20 else os._exit(0)")
_function("raises KeyboardInterrupt", {E}, "def f(a, b):\n    raise KeyboardInterrupt")
_function("kills itself while it is loaded", {C}, "import os\nos.kill(os.getpid(), 9)")
_function("kills itself when called", {C}, "import os\ndef f(a, b):\n    os.kill(os.getpid(), 9)")
_function("aborts", {C}, "import os\ndef f(a, b):\n    os.abort()")
_function("stops itself", {T}, "import os, signal\ndef f(a, b):\n    os.kill(os.getpid(), signal.SIGSTOP)")
_function("segmentation fault", {C}, "import ctypes\ndef f(a, b):\n    ctypes.string_at(0)")
_function("defines nothing", {E}, "")
_function("is not Python", {E}, "The answer is 42.")
_script("a script that exits with an error after the right output", {E}, "print(42, flush=True)\nraise SystemExit(3)")
_script("a script that dies after the right output", {C}, "import os\nprint(42, flush=True)\nos.kill(os.getpid(), 11)")

# Values that lie.
_LIAR = """
class Liar{base}:
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
    def __bool__(self): return True
    def __len__(self): return 3
    def __contains__(self, item): return True
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __lt__
    def __sub__(self, other): return 0
    __rsub__ = __add__ = __radd__ = __mul__ = __rmul__ = __sub__
    def __abs__(self): return 0
    def __round__(self, digits=None): return 0
    def __float__(self): return 0.0
    def __index__(self): return 42
def f(a, b):
    return Liar({value})
"""
_AGREES = _LIAR.format(base="", value="")
_function("agrees with everything", {F}, _AGREES)
for _name, _value in {"an int": "7", "a str": "'x'", "a list": "[1]", "a dict": "{}", "a float": "7.5",
                      "a tuple": "(1,)"}.items():
    _function(f"{_name} that lies", {F}, _LIAR.format(base=f"({_name.split()[1]})", value=_value))
_APPROXIMATELY = "def check(candidate):\n    assert abs(candidate(20, 22) - 42) < 1e-6\n"
_function("subtracts to nothing", {F}, _AGREES, _APPROXIMATELY)
_MEMBER = "def check(candidate):\n    assert 42 in candidate(20, 22)\n"
_function("contains everything", {F, E}, _AGREES, _MEMBER)
_function("is inside a list", {F}, _AGREES.replace("return Liar()", "return [Liar()]"),
          "def check(candidate):\n    assert candidate(20, 22) == [42]\n")
_function("a class that agrees with everything", {F}, """
    class Meta(type):
        def __eq__(cls, other): return True
        def __hash__(cls): return 0
        def __instancecheck__(cls, other): return True
    class Liar(metaclass=Meta):
        __class__ = int
    def f(a, b): return Liar""")
_function("pretends to be an int", {F}, """
    class Liar:
        @property
        def __class__(self): return int
        def __eq__(self, other): return True
    def f(a, b): return Liar()""")
_function("a numpy array that lies", {F, E}, """
    import numpy
    class Liar(numpy.ndarray):
        def __eq__(self, other): return True
    def f(a, b): return numpy.zeros(1).view(Liar)""")
_LYING = _AGREES + """
class Account:
    def __init__(self, start): self.history = Liar()
    def deposit(self, amount): pass
    def balance(self): return Liar()
"""
_unit("an object's values lie", {F}, _LYING)
_unit("an object's attributes lie", {F, E}, """
    class Account:
        def __init__(self, start): pass
        def __getattr__(self, name): return lambda *args: True""")

# Replacing what checks are made of.
_function("replaces builtins", {F, E}, """
    import builtins
    for name in ("len", "abs", "all", "any", "isinstance", "sorted", "set", "str", "repr", "type", "compile", "exec"):
        setattr(builtins, name, lambda *args, **kwargs: True)
    builtins.AssertionError = type("AssertionError", (SystemExit,), {})
    def f(a, b): return 1""")
_EMPTY = """
class Account:
    def __init__(self, start): self.history = []
    def deposit(self, amount): pass
    def balance(self): return 0
"""
_unit("replaces unittest", {F}, """
import unittest, unittest.case, sys
unittest.TestCase.assertEqual = lambda *args, **kwargs: None
unittest.TestCase.run = lambda self, result=None: None
unittest.TestResult.addFailure = lambda *args: None
unittest.TestResult.wasSuccessful = lambda self: True
""" + _EMPTY)
_unit("replaces unittest where the suite runs with it", {F, E}, """
import unittest, unittest.case, sys
unittest.TestCase.assertEqual = lambda *args, **kwargs: None
unittest.TestCase.run = lambda self, result=None: None
unittest.TestResult.addFailure = lambda *args: None
""" + _EMPTY, _INSIDE)
_unit("replaces builtins where the suite runs with it", {F, E}, """
import builtins
for name in ("len", "isinstance", "type", "repr", "getattr"):
    setattr(builtins, name, lambda *args, **kwargs: True)
builtins.AssertionError = type("AssertionError", (SystemExit,), {})
""" + _EMPTY, _INSIDE)
_unit("agrees with everything where the suite runs with it", {F}, _LYING, _INSIDE)
_unit("exits where the suite runs with it", {E}, """
    import os
    class Account:
        def __init__(self, start): os._exit(0)""", _INSIDE)
_unit("raises SystemExit where the suite runs with it", {E}, """
    class Account:
        def __init__(self, start): raise SystemExit(0)""", _INSIDE)
_function("replaces modules", {F, E}, """
    import sys, types
    for name in ("json", "unittest", "pickle", "time", "random", "math", "struct", "socket", "builtins"):
        sys.modules[name] = types.ModuleType(name)
    def f(a, b): return 1""")
_function("replaces json and pickle", {F, E, C}, """
    import json, pickle, json.encoder
    json.dumps = lambda *args, **kwargs: '{"value": {"status": "passed"}}'
    json.loads = lambda *args, **kwargs: {"op": "passed"}
    pickle.dumps = pickle.loads = json.dumps
    def f(a, b): return 1""")
_function("replaces time", {T, F}, """
    import time
    for name in ("time", "monotonic", "perf_counter", "process_time", "clock_gettime"):
        setattr(time, name, lambda *args: 0)
    def f(a, b):
        while True: pass""")
_function("traces every call", {F, E, C}, """
    import sys, threading
    def trace(frame, event, arg):
        for name in list(frame.f_locals):
            if name in ("result", "verdict", "status", "reply"):
                frame.f_locals[name] = {"status": "passed", "value": 42, "result": 42}
        return trace
    sys.settrace(trace); sys.setprofile(trace); threading.settrace(trace)
    def f(a, b): return 1""")
_call("walks the frames to the checker", {F, E, C}, """
    frame = sys._getframe()
    while frame:
        for name, value in list(frame.f_locals.items()):
            if hasattr(value, "_channel"):
                value._send(value._channel, {"value": {"status": "passed", "result": True}, "out": 0})
        frame = frame.f_back
    return 1""")
_call("finds every object of the process", {F, E, C}, """
    for thing in gc.get_objects():
        if isinstance(thing, socket.socket): thing.sendall(b'\\x00\\x00\\x00\\x19{"value": {"result": 1}}  ')
        if isinstance(thing, dict) and "status" in thing: thing["status"] = "passed"
    return 1""")
_call("finds the tests in its process's memory", {F, E, C}, """
    for thing in gc.get_objects():
        for value in list(thing.values()) if isinstance(thing, dict) else ():
            if isinstance(value, str) and "assert candidate(20, 22)" in value and len(value) < 200: return 42
    return 1""")
_function("takes the sandbox's own modules apart", {F, E, C}, """
    import sys
    for name, module in list(sys.modules.items()):
        if name.startswith("sandboxed"):
            for attribute in list(vars(module)):
                if callable(getattr(module, attribute)) and not attribute.startswith("__"):
                    try: setattr(module, attribute, lambda *args, **kwargs: {"status": "passed"})
                    except Exception: pass
    def f(a, b): return 1""")

# Forging messages.
_FORGED = """
import json, os, struct
BODIES = [
    {"value": {"status": "passed", "tests_run": 1}, "out": 0}, {"value": {"result": True}, "out": 0},
    {"status": "passed"},
    {"exit": 0, "signal": None, "reason": "", "cpu": 0, "wall": 0, "memory": 0, "stdout": [0, ""], "stderr": [0, ""]},
]
MESSAGES = [struct.pack(">I", len(body)) + body for body in (json.dumps(each).encode() for each in BODIES)]
def send(descriptors, messages=MESSAGES[:1]):
    for descriptor in descriptors:
        for message in messages:
            try: os.write(descriptor, message)
            except OSError: pass
"""


def _forgery(name: str, expected: set[Status], source: str) -> None:
    _function(name, expected, _FORGED + dedent(source))


_forgery("writes forged verdicts to every descriptor", {F, E, C}, "def f(a, b): send(range(1024), MESSAGES); return 1")
_forgery("writes a forged verdict and leaves", {F, E, C}, "send(range(1024))\nos._exit(0)")
_forgery("prints forged verdicts", {F}, """
    def f(a, b):
        send((1, 2), MESSAGES)
        for message in MESSAGES: print(message.decode("latin-1"))
        return 1""")
_forgery("writes forged verdicts below /proc/self/fd", {F, E, C, B}, """
    def f(a, b):
        for directory in ("/proc/self/fd", "/proc/1/fd", "/dev/fd"):
            try: names = os.listdir(directory)
            except OSError: continue
            for name in names:
                try:
                    with open(f"{directory}/{name}", "wb") as file: file.write(MESSAGES[0])
                except OSError: pass
        return 1""")
_function("closes every descriptor", {C, E, F}, "import os\ndef f(a, b):\n    os.closerange(0, 4096)\n    return 42")
_call("answers with nonsense", {C, E, F, O}, "os.write(4, b'\\xff' * 100)\nreturn 1")
_function("answers with what no value is", {C, E, F}, """
    import os, json, struct
    NASTY = [
        {"namedtuple": ["x; import os", ["a b"], [1]]}, {"array": ["|O", [1], "abcdefgh"]}, {"type": "nothing"},
        {"array": ["<f8", [10 ** 12], ""]}, {"object": {"id": "x"}}, {"object": {"id": 1, "of": 5}}, {"int": []},
        {"set": [[]]}, {"range": ["a", 1, 0]}, {"datetime": [[], 0, 1e308]}, {"Decimal": {}}, {"a": 1, "b": 2}, {},
    ]
    def f(a, b):
        body = json.dumps({"value": {"result": NASTY, "same": 10 ** 9, "changed": {"0": [1], "-1": {}}}, "out": -5})
        os.write(4, struct.pack(">I", len(body)) + body.encode())
        return 1""")
_forgery("answers before it is asked", {C, E, F}, """
    import threading
    def flood():
        while True: os.write(4, MESSAGES[1])
    threading.Thread(target=flood, daemon=True).start()
    def f(a, b): return 1""")
_forgery("acts at exit", {F}, """
    import atexit
    class Late:
        def __del__(self): send(range(64))
    keep = Late()
    atexit.register(Late().__del__)
    def f(a, b): return 1""")
_forgery("a thread acts later", {F, E, C}, """
    import threading, time
    def later():
        time.sleep(0.01)
        os.write(4, MESSAGES[0])
    threading.Thread(target=later, daemon=True).start()
    def f(a, b): time.sleep(0.05); return 1""")
_function("makes the checker count", {T}, "def f(a, b): return 10 ** 18",
          "def check(candidate):\n    for _ in range(candidate(20, 22)): pass\n")
_function("makes the checker's memory burst", {F, M}, "def f(a, b): return 10 ** 10",
          "def check(candidate):\n    assert len(bytearray(candidate(20, 22))) == 42\n")

# Waiting for the disk, which is not the program's time.
_escape("waits as for a disk", {F}, """
thread = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000 | 0x40000
number = {'x86_64': 56, 'aarch64': 220}[os.uname().machine]
return libc.syscall(number, thread | 0x4000, 0, 0, 0, 0) >= 0""")
_escape("reads past the page cache", {F}, """
library = os.open(os.__file__, os.O_RDONLY)
opened = lambda: os.open(os.__file__, os.O_RDONLY | os.O_DIRECT)
return succeeds(lambda attempt: attempt(), (opened, lambda: fcntl.fcntl(library, fcntl.F_SETFL, os.O_DIRECT)))""")

# Other processes.
_escape("forks", {B, F}, "return os.fork() >= 0")
_escape("a fork bomb", {B, F}, "while True: os.fork()")
_escape("a fork bomb by libc", {B, F}, "return any(libc.fork() >= 0 or libc.vfork() >= 0 for _ in range(100))")
_escape("a daemon", {B, F}, """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: time.sleep(60)
return True""")
_escape("starts a program", {B, F}, "return subprocess.run(['/bin/sh', '-c', 'true']).returncode == 0")
_escape("becomes a program", {B, F}, "os.execv('/bin/echo', ['echo', '42'])")
_escape("starts a set-uid program", {B, F}, """
for path in ('/bin/su', '/usr/bin/passwd', '/bin/mount'):
    if os.path.exists(path): os.execv(path, [path])""")
_escape("kills its server", {B, F}, "os.kill(parent, 9)\nreturn True")
_escape("kills everything", {B, F}, "os.kill(-1, 9)\nreturn True")
_escape("kills its group", {B, F}, "os.killpg(0, 9)\nreturn True")
_escape("kills every process there may be", {F}, """
others = (pid for pid in range(1, 40000) if pid != os.getpid())
return succeeds(lambda pid: os.kill(pid, 0 if pid == 1 else signal.SIGTERM), others)""")
_escape("sends signals through libc", {F}, """
return any(libc.syscall(number, parent, parent, 9) == 0 for number in (62, 200, 234, 129, 297, 424))""")
_escape("traces its server", {B}, "libc.ptrace(16, parent, 0, 0)\nreturn libc.ptrace(0, 0, 0, 0) == 0")
_escape("reads other processes' memory", {F}, """
others = set(glob.glob('/proc/[0-9]*/mem')) - {f'/proc/{os.getpid()}/mem'}
return succeeds(lambda path: open(path, 'rb', 0), others)""")
_escape("reads other processes' memory by a call", {B}, """
return libc.process_vm_readv(parent, room, 1, room, 1, 0) >= 0""")
_call("a thread bomb", {E, M, C, T, F}, """
    threads = []
    while True:
        threads.append(threading.Thread(target=time.sleep, args=(100,), daemon=True))
        threads[-1].start()""")

# Using things up.
_function("a memory bomb of lists", {M}, "def f(a, b):\n    x = [0]\n    while True:\n        x += x")
_function("a memory bomb of bytes", {M}, "def f(a, b):\n    x = []\n    while True:\n        x.append(bytes(1 << 24))")
_function("a memory bomb in one step", {M}, "def f(a, b):\n    return len(bytearray(1 << 40))")
_call("a memory bomb of an extension", {M, C, E}, "import numpy\nreturn numpy.ones((1 << 34,)).sum()")
# Writing to so much memory takes time, too.
_call("a memory bomb of maps", {M, B, E, T}, """
    import mmap
    kept = []
    while True:
        kept.append(mmap.mmap(-1, 1 << 26))
        kept[-1].write(b"x" * (1 << 26))""")
_call("a memory bomb of memory files", {B, M, E, O}, "while True: os.truncate(os.memfd_create('x'), 1 << 30)")
_function("recursion", {E}, "def f(a, b):\n    return f(a, b)")
_function("recursion without limit", {C, E, M, T}, """
    import sys
    sys.setrecursionlimit(10 ** 9)
    def f(a, b): return f(a, b)""")
_call("recursion in C", {C, E, M, T}, """
    sys.setrecursionlimit(10 ** 9)
    x = ()
    for _ in range(10 ** 6): x = (x,)
    return hash(x) or repr(x)""")
_function("source nested too deeply", {E, C, M}, "x = " + "(" * 20_000 + ")" * 20_000 + "\ndef f(a, b): return 1")
_function("source with a long chain", {E, C, M, T, F}, "x = " + "-" * 50_000 + "1\ndef f(a, b): return 1")
_function("brackets in a string to the parser", {E, C, M}, "def f(a, b):\n    return eval('[' * 100000 + ']' * 100000)")
_function("ten gigabytes of output", {O}, "def f(a, b):\n    while True:\n        print('x' * (1 << 20))")
_call("ten gigabytes of errors", {O}, "while True: os.write(2, b'x' * (1 << 20))")
_call("much output whatever the signal", {O, T}, """
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    while True: succeeds(lambda file: os.write(file, b'x' * (1 << 20)), [1])""")
_script("a script that prints for ever", {O}, "while True:\n    print('42')")
_function("an answer of a gigabyte", {F, O, M, T}, "def f(a, b):\n    return 'x' * (1 << 26)")
_call("fills the disk", {O, E, T, F}, """
    for number in range(10 ** 6):
        with open(f"file{number}", "wb") as file: file.write(b"x" * (1 << 22))""")
_call("a million files", {E, T, F}, "for number in range(10 ** 6): open(f'file{number}', 'w').close()")
_call("directories without end", {E, T, F, B}, "while True: os.mkdir('d'); os.chdir('d')")
_call("directories nobody may enter", {F}, """
    os.mkdir("a"); os.mkdir("a/b"); open("a/b/c", "w").close(); os.mkdir("closed", 0)
    os.umask(0o777); os.mkdir("x")
    return 1""")
_call("all descriptors", {E}, "while True: os.dup(0)")
_function("endless loop", {T}, "def f(a, b):\n    while True: pass")
_function("endless loop while it is loaded", {T}, "while True: pass")
_function("endless regular expression", {T}, "import re\ndef f(a, b):\n    return re.match(r'(a+)+$', 'a' * 64 + 'b')")
_function("endless power", {T, M}, "def f(a, b):\n    return 7 ** 10 ** 9 % 2")
_function("endless sum", {T}, "def f(a, b):\n    return sum(range(10 ** 18))")
for _name, _tests in (("of a result", _UNIT), ("where the suite runs with it", _INSIDE)):
    _unit(f"endless repr {_name}", {T}, """
    class Odd:
        def __repr__(self):
            while True: pass
    class Account:
        def __init__(self, start): pass
        def deposit(self, amount): pass
        def balance(self): return Odd()""", _tests)
_function("an endless generator", {T, F}, "def f(a, b):\n    while True: yield 1",
          "def check(candidate):\n    assert sum(candidate(20, 22)) == 42\n")
_function("sleeps", {T}, "import time\ndef f(a, b):\n    time.sleep(3600)")
_function("handles every signal", {T}, """
    import signal
    for number in range(1, 65):
        try: signal.signal(number, lambda *args: None)
        except (OSError, ValueError): pass
    def f(a, b):
        while True:
            try:
                while True: pass
            except BaseException: pass""")
_function("busy threads", {T, E, M}, """
    import threading
    def spin():
        while True: pass
    def f(a, b):
        for _ in range(8): threading.Thread(target=spin, daemon=True).start()
        spin()""")
_escape("raises its own limits", {F, B}, """
kinds = (resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE)
return succeeds(lambda kind: resource.setrlimit(kind, (resource.getrlimit(kind)[1],) * 2), kinds)""")

# The network.
_escape("a socket to this machine", {B, F}, """
server = socket.socket()
server.bind(('127.0.0.1', 0))
server.listen()
socket.create_connection(server.getsockname())
return True""")
_escape("a socket to the outside", {B, F}, "socket.create_connection(('1.1.1.1', 80), 1)\nreturn True")
_escape("a datagram to the outside", {B, F}, """
return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('8.8.8.8', 53)) == 1""")
_escape("asks for a name", {B, E, F}, "return bool(socket.getaddrinfo('example.com', 80))")
_escape("an abstract Unix socket", {B, F}, "socket.socket(socket.AF_UNIX).bind(chr(0) + 'codemind')\nreturn True")
_escape("a datagram from a pair of sockets", {B, F}, """
ours, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
return ours.sendto(b'x', chr(0) + 'codemind') == 1""")
_escape("sends a descriptor", {B, F}, """
ours, other = socket.socketpair()
return socket.send_fds(ours, [b'x'], [0]) == 1""")

# The host's files and secrets.
_escape("reads home directories", {F}, """
patterns = ('/root/.*', '/root/*', '/home/*/.*', '/home/*/*')
paths = [path for pattern in patterns for path in glob.glob(pattern) if os.path.isfile(path)]
return succeeds(lambda path: open(path, 'rb').read(1), paths)""")
_escape("reads tokens and keys", {F}, """
homes = ('/root', os.path.expanduser('~'), *glob.glob('/home/*'))
names = ('.ssh/id_rsa', '.cache/huggingface/token', '.netrc', '.bash_history', '.gitconfig')
return any(succeeds(lambda name: open(f'{home}/{name}', 'rb'), names) for home in homes)""")
_escape("reads passwords", {F}, """
return succeeds(lambda path: open(path, 'rb'), ('/etc/shadow', '/etc/passwd', '/etc/hosts', '/etc/machine-id'))""")
_escape("reads the environment of others", {F}, """
for path in glob.glob('/proc/[0-9]*/environ') + ['/proc/self/environ']:
    try:
        if b'USER=' in open(path, 'rb').read().replace(b'USER=sandbox', b''): return True
    except OSError: pass
names = ('HF_TOKEN', 'SSH_AUTH_SOCK', 'LOGNAME', 'CODEMIND_SANDBOX')
return os.environ.get('USER') != 'sandbox' or any(name in os.environ for name in names)""")
_escape("writes to the system", {F}, """
here = os.path.dirname(os.__file__)
paths = ('/', '/usr', '/etc', '/dev', '/dev/shm', '/var/tmp', '/run', '/run/sandbox', '/proc', here)
paths += tuple(path for path in sys.path if path != os.getcwd())
return succeeds(lambda path: open(path + '/codemind-was-here', 'w'), paths)""")
_escape("makes its mark on Python's files", {F}, """
for path in (os.__file__, sys.executable, os.path.dirname(os.__file__)):
    before = os.stat(path)
    if succeeds(lambda act: act(path), (os.utime, os.unlink, lambda path: os.truncate(path, 0))): return True
    succeeds(lambda mode: os.chmod(path, mode), [before.st_mode ^ 2])
    succeeds(lambda time: os.utime(path, (time, time)), [1])
    if (os.stat(path).st_mode, os.stat(path).st_mtime) != (before.st_mode, before.st_mtime): return True
return False""")
_escape("looks for files of other jobs", {F}, """
return any(name != 'mine' for name in os.listdir('.')) or bool(glob.glob('/tmp/codemind-sandbox-*/*'))""")
_escape("leaves files behind", {F}, """
for number in range(50):
    open(f'left{number}', 'w').write('x')
os.mkdir('deep')
os.symlink('/usr', 'deep/link')
os.symlink('/nowhere', 'broken')
return False""")
_escape("looks for what the last one left", {F}, "return len(os.listdir('.')) > 0")
_escape("links its way out", {F}, """
os.symlink('/', 'root')
def look(path):
    if not os.path.isdir(path): open(path, 'rb')
    elif not os.listdir(path): raise FileNotFoundError
# What a program may import can lie below a home directory; what else is there is not to be seen.
homes = ['root/root', *glob.glob('root/home/*')]
paths = [home + '/' + name for home in homes for name in ('.bashrc', '.profile', '.bash_logout', '.ssh', '.cache')]
paths += ['root/etc/passwd', 'root/proc/1/root/etc/passwd', '/proc/1/root/etc/shadow', '/proc/1/cwd/x']
return succeeds(look, paths)""")
_escape("opens devices", {F}, """
paths = ('/dev/mem', '/dev/kmsg', '/dev/sda', '/dev/vda', '/dev/kvm', '/dev/fuse', '/dev/nvidia0', '/dev/tty')
return succeeds(lambda path: open(path, 'rb', 0), paths)""")
_escape("shared memory", {B, E, F}, """
from multiprocessing import shared_memory
shared_memory.SharedMemory('codemind', create=True, size=4096)
return True""")
_escape("shared memory of System V", {F}, "return libc.shmget(1234, 4096, 0o1666) >= 0")
_escape("a message queue", {F}, "return libc.mq_open(b'/codemind', 0o102, 0o666, None) >= 0")

# The kernel.
_escape("mounts", {B}, "return libc.mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0")
_escape("unmounts", {B}, "return libc.umount2(b'/proc', 2) == 0")
_escape("makes namespaces", {B}, "return libc.unshare(0x10000000 | 0x20000) == 0")
_escape("makes namespaces by clone", {B, F}, "return libc.syscall(56, 0x10000011, 0, 0, 0, 0) >= 0")
_escape("enters namespaces", {B}, "return libc.setns(0, 0) == 0")
_escape("changes its root", {B}, "os.mkdir('r')\nos.chroot('r')\nreturn True")
_escape("loads a filter into the kernel", {B, F}, "return libc.syscall(321, 5, None, 0) >= 0")
_escape("takes keys", {B, F}, "return libc.syscall(250, 0, -3, 0) >= 0")
_escape("an io_uring", {B, F}, "return libc.syscall(425, 8, ctypes.create_string_buffer(120)) >= 0")
_escape("calls of the x32 kind", {B, C, F}, "return libc.syscall(0x40000000 + 39) > 0")
_escape("another user", {B, F}, """
changes = (lambda: os.setuid(12345), lambda: os.setgid(12345), lambda: os.setgroups([0]))
return succeeds(lambda change: change(), changes)""")
_escape("a file with the set-uid bit and capabilities", {F, B}, """
open('x', 'w').close()
return libc.setxattr(b'x', b'security.capability', b'x' * 20, 20, 0) == 0""")

# Results and sources that misbehave on the way.
_function("a result that runs when unpickled", {F}, """
    import os
    class Bomb:
        def __reduce__(self): return os._exit, (0,)
    def f(a, b): return Bomb()""")
_function("an exception that misbehaves", {E}, """
    class Odd(Exception):
        def __str__(self): raise SystemExit(0)
        __repr__ = __str__
        def __reduce__(self): raise SystemExit(0)
    def f(a, b): raise Odd(Odd())""")
_function("an exception without end", {T}, """
    class Odd(Exception):
        def __str__(self):
            while True: pass
    def f(a, b): raise Odd()""")
_function("an exception that pretends to be the checker's", {E, F}, """
    class AssertionError(Exception): pass
    class CandidateGone(BaseException): pass
    def f(a, b): raise CandidateGone(AssertionError)""")
_function("a result that contains itself", {F, E}, "def f(a, b):\n    x = []\n    x.append(x)\n    return x")
_function("a result nested deeply", {F, E}, "def f(a, b):\n    for _ in range(10 ** 5): a = [a]\n    return a")
_function("NaN", {F}, "def f(a, b):\n    return float('nan')")
_function("a huge integer", {F, O}, "def f(a, b):\n    return 1 << 3_000_000")
_function("lone surrogates", {F}, "def f(a, b):\n    return chr(0xD800) * 100")
_function("null bytes in the source", {E}, "def f(a, b):\n    return 1\n\x00")
_function("surrogates in the source", {E}, "def f(a, b):\n    return '\ud800'")
_function("fifty megabytes of source", {E}, "#" * 50_000_000)
_function("another encoding", {E, F}, "# -*- coding: rot13 -*-\nqrs s(n, o): erghea 42\ndef f(a, b): return 1\n")
_function("a byte order mark", {E, F}, "\ufeffdef f(a, b):\n    return 1\n")

# The host's kernel, and what programs share with anything.
_escape("opens the kernel's settings for writing", {F}, """
for directory, below, files in os.walk('/proc'):
    below[:] = [name for name in below if not (name.isdigit() or name in ('self', 'thread-self', 'net'))]
    if succeeds(lambda name: os.close(os.open(os.path.join(directory, name), os.O_WRONLY)), files): return True
return False""")
_escape("reads what of the kernel is root's", {F}, """
names = ('slabinfo', 'vmallocinfo', 'kpageflags', 'kcore', 'pagetypeinfo', 'kmsg', 'timer_list', 'sysrq-trigger')
return succeeds(lambda name: open('/proc/' + name, 'rb', 0).read(16), names) or os.geteuid() == 0""")
_escape("writes to its server's files below /proc", {F}, """
names = ('oom_score_adj', 'autogroup', 'coredump_filter', 'clear_refs', 'timerslack_ns', 'uid_map', 'comm')
files = [f'/proc/{process}/{name}' for process in ('self', 1, parent) for name in names]
return succeeds(lambda file: os.close(os.open(file, os.O_WRONLY)), files)""")
_escape("holds a descriptor that isn't its own", {F}, """
return succeeds(os.fstat, range(5, 4096)) or any(stat.S_ISSOCK(os.fstat(number).st_mode) for number in range(5))""")
_escape("asks about other processes by number", {F}, """
calls = [(121,), (124,), (143, room), (145,), (148, room), (204, 128, room), (315, room, 48, 0)]
if not x86:
    calls = [(155,), (156,), (121, room), (120,), (123, 128, room), (275, room, 48, 0)]
for number, *arguments in calls:
    for process in (parent, 1, parent | 1 << 32, *range(2, 200)):
        if process & 0xFFFFFFFF not in (0, os.getpid()) and call(number, process, *arguments) >= 0:
            return True
return any(call(140 if x86 else 141, kind, who, 0) > 0 for kind, who in ((0, parent), (1, 0), (1, parent), (2, 0)))""")
_escape("changes other processes' limits", {F}, """
others = ((process, kind) for process in (parent, 1, *range(2, 40000)) if process != os.getpid()
          for kind in (resource.RLIMIT_STACK, resource.RLIMIT_CPU))
return succeeds(lambda other: resource.prlimit(*other), others)""")
_escape("reads other processes' clocks", {F}, """
others = (process for process in (parent, 1, *range(2, 2000)) if process != os.getpid())
return succeeds(time.clock_gettime, (~process << 3 | kind for process in others for kind in range(3)))""")
_escape("changes how other processes are scheduled", {F}, """
mask, zero, who = struct.pack('Q', 1), struct.pack('I', 0), parent
calls = [(141, 0, who, 19), (203, who, 8, mask), (251, 1, who, 3 << 13), (144, who, 3, zero), (252, 1, who)]
calls += [(256, who, 8, mask, mask), (279, who, 0, 0, 0, 0, 0), (448, who, 0), (440, who, room, 1, 20, 0)]
return x86 and any(call(*each) >= 0 for each in calls)""")
_escape("has a signal sent by a descriptor's owner", {F}, """
ours, other = socket.socketpair()
commands = ((8, parent), (10, 9), (15, bytes(8)), (1024, 0), (1026, 1), (1031, 1 << 20))
return succeeds(lambda command: fcntl.fcntl(ours, *command), commands)""")
_escape("leases and watches shared files", {F}, """
paths = (os.__file__, '/usr/bin/env', sys.executable, os.path.dirname(os.__file__))
descriptors = [os.open(path, os.O_RDONLY) for path in paths]
commands = [(each, *more) for each in descriptors for more in ((1024, fcntl.F_RDLCK), (1026, 1 | 0x80000000))]
return succeeds(lambda command: fcntl.fcntl(*command), commands)""")
_escape("reads a link of the host's", {F}, """
links = ('/etc/mtab', '/proc/1/exe', '/proc/1/cwd', '/proc/1/root', '/var/run', '/etc/os-release', '/initrd.img')
return succeeds(os.readlink, links)""")
_escape("fills the buffers of sockets", {F}, """
ours, other = socket.socketpair()
before = ours.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
for option in (socket.SO_SNDBUF, socket.SO_RCVBUF, 32, 33):
    succeeds(lambda size: ours.setsockopt(socket.SOL_SOCKET, option, size), [1 << 24])
return ours.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) > before""")
_escape("makes timers without end", {F}, "return all(call(222 if x86 else 107, 1, 0, room) == 0 for _ in range(5000))")
_escape("opens terminals", {F}, """
paths = ('/dev/ptmx', '/dev/pts/ptmx', '/dev/tty', '/dev/console')
return succeeds(lambda path: os.open(path, os.O_RDWR | os.O_NOCTTY), paths)""")
_escape("ten thousand threads", {F, T}, """
threading.stack_size(32768)
try:
    for made in range(10_000): threading.Thread(target=time.sleep, args=(100,), daemon=True).start()
except (RuntimeError, MemoryError): pass
return made >= 1000""")
# Each leaves a mark, and the one after it looks for it.
_MARKED = "import os\nhome = os.environ['HOME']\n"
_script("changes its home's mode", {F}, _MARKED + "try: os.chmod(home, 0o1711)\nexcept OSError: pass")
_script("finds its home's mode changed", {F}, _MARKED + "print(42 if os.stat(home).st_mode & 0o7777 != 0o700 else 1)")
_script("closes its home", {F}, _MARKED + "try: os.chmod(home, 0)\nexcept OSError: pass")
_script("finds its home closed", {F}, _MARKED + "try: open('x', 'w').close()\nexcept OSError: print(42)")
_script("sets its home's times", {F}, _MARKED + "try: os.utime(home, ns=(77, 88))\nexcept OSError: pass")
_script("finds its home's times", {F}, _MARKED + """
seen = os.stat(home)
print(42 if seen.st_atime_ns in (77, 88) or seen.st_mtime_ns in (77, 88) else 1)""")
_script("sets flags of its standard input", {F}, "import fcntl\nfcntl.fcntl(0, 4, 0o2000 | 0o4000)")
_script("finds flags of its standard input", {F}, "import fcntl\nprint(42 if fcntl.fcntl(0, 3) & 0o6000 else 1)")
_script("poisons its server's stack", {F}, """
import os, resource
try: resource.prlimit(os.getppid() or 1, resource.RLIMIT_STACK, (65536, 65536))
except OSError: pass""")
_script("finds its stack poisoned", {F}, """
import resource
print(42 if resource.getrlimit(resource.RLIMIT_STACK)[0] == 65536 else 1)""")
# The expected output of this one is what the program after it must not find in the memory it was forked with.
_RESIDUE = "RESI" + "DUE-" + "ANSWER-" + "0123456789abcdef" * 1600
_script("prints what the next one looks for", {F}, "print(input())\nprint('not it')", _RESIDUE, _RESIDUE + "\n")
_script("finds what another printed in its memory", {F}, """
import ctypes, re
needle = b''.join((b'RESI', b'DUE-', b'ANS', b'WER-'))
try:
    with open('/proc/self/maps') as file: rows = [line.split() for line in file]
except OSError: rows = []
found = set()
for row in rows:
    if 'rw' in row[1]:
        start, end = (int(part, 16) for part in row[0].split('-'))
        found.update(re.findall(needle + rb'[0-9a-f]{100}', ctypes.string_at(start, end - start)))
print(42 if found else 1)""")

# Values whose use is slow in C, where the checker can't interrupt itself.
_IN_C = Limits(cpu_seconds=0.2, wall_seconds=2)
_function("a range to be summed", {T}, "def f(a, b):\n    return range(10 ** 14)",
          "def check(candidate):\n    assert sum(candidate(20, 22)) == 42\n", _IN_C)
_function("a number with a billion digits", {T}, "import decimal\ndef f(a, b): return decimal.Decimal('1e999999999')",
          "def check(candidate):\n    assert int(candidate(20, 22)) == 42\n", _IN_C)
for _kind in ("set", "frozenset", "OrderedDict", "dict", "Counter"):
    _item = "m * k" if "set" in _kind else "[m * k, 0]"
    _function(f"a {_kind} of numbers with one hash", {C, E, F, T}, f"""
    import sandboxed.values as values
    class Result: pass
    m = (1 << 61) - 1
    answer = {{{_kind!r}: [{_item} for k in range(1, 35000)]}}
    values.Exchange.encode = lambda *rest: answer
    def f(a, b): return Result()""")


# Plain Python passes these, since the program decides the comparison or replaces what compares. They may pass, but must
# say that the verdict is not tamper-proof.
_UNPROVEN = {
    "agrees with everything", "an int that lies", "a str that lies", "a list that lies", "a dict that lies",
    "a float that lies", "a tuple that lies", "subtracts to nothing", "contains everything", "is inside a list",
    "a class that agrees with everything", "pretends to be an int", "a numpy array that lies", "an object's values lie",
    "replaces unittest", "replaces unittest where the suite runs with it",
    "agrees with everything where the suite runs with it", "traces every call",
    "writes forged verdicts to every descriptor", "a thread acts later", "writes a forged verdict and leaves",
}


def attacks() -> tuple[Attack, ...]:
    """Return all attacks, in the order in which they are to be tried: some look for what the one before left."""
    assert {attack.name for attack in _ATTACKS} > _UNPROVEN
    return tuple(replace(attack, unproven=attack.name in _UNPROVEN) for attack in _ATTACKS)
