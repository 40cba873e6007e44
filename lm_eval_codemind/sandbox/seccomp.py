"""The filters of system calls, assembled here into the kernel's filter language (classic BPF).

Two filters hold for a candidate. The first is put on its server, once; it allows what a Python program and the server
need. The second is put on the candidate's process, and takes away what only the server needs: new processes, signals to
others, memory files, and every word about other processes. It is short, since the kernel compiles it for each program.
"""

import errno
import os
import struct
from collections.abc import Iterable

_INSTRUCTION = struct.Struct("HBBI")
_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_AT_LEAST = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_ANY_BIT = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_RETURN = 0x06  # BPF_RET | BPF_K
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in struct seccomp_data
ALLOW = 0x7FFF0000
KILL = 0x80000000  # SECCOMP_RET_KILL_PROCESS
ASK = 0x7FC00000  # SECCOMP_RET_USER_NOTIF
DONE = 0x00050000  # SECCOMP_RET_ERRNO without an error: the call returns 0
NO_THREADS = DONE | errno.EAGAIN
_REFUSED = DONE | errno.EPERM

_THREAD = 0x00010000  # CLONE_THREAD
_VFORK = 0x00004000  # CLONE_VFORK
_NAMESPACES = 0x7E020080  # every CLONE_NEW flag
_STACK = 3  # RLIMIT_STACK
# Descriptors' own flags, duplicates, the size of a pipe, the seals of a memory file, and whether there is a lock.
_FILE_COMMANDS = (0, 1, 2, 3, 1030, 1032, 1033, 1034, 5, 36)
_LOCK_COMMANDS = (6, 7, 37, 38)  # F_SETLK, F_SETLKW, F_OFD_SETLK, F_OFD_SETLKW
NOTIFICATIONS = (0xC0502100, 0xC0182101)  # SECCOMP_IOCTL_NOTIF_RECV, SECCOMP_IOCTL_NOTIF_SEND
_TERMINAL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS TIOCGWINSZ FIONREAD FIONBIO FIONCLEX FIOCLEX


def _table(text: str) -> dict[str, list[str]]:
    """Return system calls by name, with their numbers on x86_64 and on aarch64 (there "-" for a call that is missing).

    The numbers are from the kernel's own headers; aarch64 has the generic table.
    """
    return {name: numbers for name, *numbers in map(str.split, text.split(";"))}


# What a program may call, whatever the arguments.
_ALLOWED = _table("""
read 0 63; write 1 64; open 2 -; close 3 57; stat 4 -; fstat 5 80; lstat 6 -; poll 7 -; lseek 8 62; mmap 9 222;
mprotect 10 226; munmap 11 215; brk 12 214; rt_sigaction 13 134; rt_sigprocmask 14 135; rt_sigreturn 15 139;
rt_sigpending 127 136; rt_sigtimedwait 128 137; rt_sigsuspend 130 133; pread64 17 67; pwrite64 18 68; readv 19 65;
writev 20 66; access 21 -; pipe 22 -; select 23 -; sched_yield 24 124; mremap 25 216; mincore 27 232; madvise 28 233;
dup 32 23; dup2 33 -; pause 34 -; nanosleep 35 101; getitimer 36 102; alarm 37 -; setitimer 38 103; getpid 39 172;
sendfile 40 71; exit 60 93; uname 63 160; truncate 76 45; ftruncate 77 46; getdents 78 -; getcwd 79 17; chdir 80 49;
fchdir 81 50; rename 82 -; mkdir 83 -; rmdir 84 -; creat 85 -; link 86 -; unlink 87 -; symlink 88 -; umask 95 166;
gettimeofday 96 169; getrlimit 97 163; getrusage 98 165; sysinfo 99 179; times 100 153; getuid 102 174;
getgid 104 176; geteuid 107 175; getegid 108 177; getppid 110 173; getpgrp 111 -; getgroups 115 158;
getresuid 118 148; getresgid 120 150; sigaltstack 131 132; statfs 137 43; fstatfs 138 44;
sched_get_priority_max 146 125; sched_get_priority_min 147 126; arch_prctl 158 -; gettid 186 178; time 201 -;
futex 202 98; set_tid_address 218 96; restart_syscall 219 128; timer_settime 223 110; timer_gettime 224 108;
timer_getoverrun 225 109; timer_delete 226 111; exit_group 231 94; epoll_create 213 -; epoll_wait 232 -;
epoll_ctl 233 21; epoll_pwait 281 22; openat 257 56; mkdirat 258 34; newfstatat 262 79; unlinkat 263 35;
renameat 264 38; linkat 265 37; symlinkat 266 36; faccessat 269 48; pselect6 270 72; ppoll 271 73;
set_robust_list 273 99; eventfd 284 -; eventfd2 290 19; epoll_create1 291 20; dup3 292 24; pipe2 293 59;
preadv 295 69; pwritev 296 70; getcpu 309 168; getrandom 318 278; renameat2 316 276; statx 332 291; rseq 334 293;
close_range 436 436; faccessat2 439 439; membarrier 324 283; copy_file_range 326 285; recvfrom 45 207; recvmsg 47 212;
shutdown 48 210; getsockopt 55 209; getsockname 51 204; getpeername 52 205; timerfd_create 283 85;
timerfd_settime 286 86; timerfd_gettime 287 87; futex_waitv 449 449; getdents64 217 61
""")
# What takes the number of a process, which a program may only fill with 0 or its own.
_OF_PROCESSES = _table("""
getpgid 121 155; getsid 124 156; sched_getparam 143 121; sched_getscheduler 145 120; sched_getaffinity 204 123;
get_robust_list 274 100
""")
# What takes a clock, which may be another process's.
_OF_CLOCKS = _table("clock_gettime 228 113; clock_getres 229 114; clock_nanosleep 230 115; timer_create 222 107")
# What reaches the disk below a file that programs share, or its place in memory: answered as done, and not done.
_PRETENDED = _table("fsync 74 82; fdatasync 75 83; msync 26 227; fadvise64 221 223; readahead 187 213")
_LINKS = _table("readlink 89 -; readlinkat 267 78")
# As on a file system without extended attributes, which those who copy files expect.
_EXTENDED = _table("""
getxattr 191 8; lgetxattr 192 9; fgetxattr 193 10; listxattr 194 11; llistxattr 195 12; flistxattr 196 13;
setxattr 188 5; lsetxattr 189 6; fsetxattr 190 7
""")
# Changes of a file's attributes, which Landlock does not govern. If a program is its host's user, they are not made.
_MODES = _table("chmod 90 -; fchmod 91 52; fchmodat 268 53; utimensat 280 88")
_OWNERS = _table("chown 92 -; fchown 93 55; lchown 94 -; fchownat 260 54; utime 132 -; utimes 235 -; futimesat 261 -")
# What only the server needs, and what it needs only until the candidate's filter is in place.
_SERVER = _table("""
clone 56 220; fork 57 -; vfork 58 -; wait4 61 260; waitid 247 95; setsid 112 157; setpgid 109 154; kill 62 129;
tgkill 234 131; memfd_create 319 279; pidfd_open 434 434; sendmsg 46 211; sendto 44 206; socketpair 53 199;
prlimit64 302 261; setrlimit 160 164; prctl 157 167; seccomp 317 277; capset 126 91; landlock_restrict_self 446 446;
setresuid 117 147; sched_setaffinity 203 122
""")
# Nothing that is asked of a language model calls these: the process ends at once.
_HOSTILE = _table("""
ptrace 101 117; mount 165 40; umount2 166 39; pivot_root 155 41; chroot 161 51; unshare 272 97; setns 308 268;
bpf 321 280; keyctl 250 219; add_key 248 217; request_key 249 218; init_module 175 105; finit_module 313 273;
delete_module 176 106; kexec_load 246 104; kexec_file_load 320 294; process_vm_readv 310 270;
process_vm_writev 311 271; open_by_handle_at 304 -; name_to_handle_at 303 -; userfaultfd 323 282;
perf_event_open 298 241; io_uring_setup 425 425; io_uring_enter 426 426; io_uring_register 427 427; reboot 169 142;
swapon 167 224; swapoff 168 225; move_mount 429 429; open_tree 428 428; fsopen 430 430; fsmount 432 432;
fsconfig 431 431; fspick 433 433; mount_setattr 442 442; kcmp 312 272; pidfd_getfd 438 438; quotactl 179 60;
acct 163 89; iopl 172 -; ioperm 173 -
""")
# What single rules are about.
_OTHERS = _table("""
clone3 435 435; execve 59 221; execveat 322 281; fcntl 72 25; flock 73 32; getpriority 140 141; ioctl 16 29;
mknod 133 -; mknodat 259 33; openat2 437 437; preadv2 327 286; pwritev2 328 287; fallocate 285 47
""")
_CALLS = _ALLOWED | _OF_PROCESSES | _OF_CLOCKS | _PRETENDED | _LINKS | _EXTENDED | _MODES | _OWNERS | _SERVER
_CALLS |= _HOSTILE | _OTHERS

OWN_PID = 0x5AFE0001  # stands for the process's own number until it is known

# The numbers of audit architectures in a seccomp filter's data.
_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}


class UnknownMachine(RuntimeError):
    """The sandbox has no table of system calls for this machine."""


def architecture() -> int:
    """Return the number that stands for this machine's architecture in a seccomp filter, or raise UnknownMachine."""
    machine = os.uname().machine
    if machine not in _MACHINES:
        raise UnknownMachine(f"no table of system calls for {machine}; the sandbox knows {', '.join(_MACHINES)}")
    return _MACHINES[machine]


def numbers() -> dict[str, int]:
    """Return the numbers of the system calls this machine has, by name."""
    architecture()
    column = list(_MACHINES).index(os.uname().machine)
    return {name: int(row[column]) for name, row in _CALLS.items() if row[column] != "-"}


# The comparison, the offset of an argument, the operand, and the result that is wanted.
_Test = tuple[int, int, int, bool]


def _argument(index: int, high: bool = False) -> int:
    return 16 + 8 * index + (4 if high else 0)


def _null(index: int) -> list[_Test]:
    return [(_EQUAL, _argument(index), 0, True), (_EQUAL, _argument(index, high=True), 0, True)]


def _other(index: int) -> list[_Test]:
    """Return the tests for an argument that names another process. The kernel reads its lower half only."""
    return [(_EQUAL, _argument(index), number, False) for number in (0, OWN_PID)]


class _Program:
    """A filter under construction: rules in order, the first that matches decides."""

    def __init__(self) -> None:
        self._numbers = numbers()
        self._code: list[tuple[int, int, int, int]] = []
        self._emit(_LOAD, 0, 0, _ARCHITECTURE)
        self._emit(_EQUAL, 1, 0, architecture())
        self._emit(_RETURN, 0, 0, KILL)
        self._emit(_LOAD, 0, 0, _NUMBER)
        # The x32 calls of x86_64 have other numbers, which no rule here knows.
        self._emit(_AT_LEAST, 0, 1, 0x40000000)
        self._emit(_RETURN, 0, 0, KILL)

    def _emit(self, code: int, on_true: int, on_false: int, operand: int) -> None:
        self._code.append((code, on_true, on_false, operand))

    def rule(self, names: Iterable[str], verdict: int, *tests: _Test) -> None:
        """Give system calls a verdict if all tests hold."""
        numbers = [self._numbers[name] for name in names if name in self._numbers]
        length = 2 * len(tests) + 2
        # A jump leads at most 255 instructions on.
        for part in (numbers[start : start + 200] for start in range(0, len(numbers), 200)):
            for left, number in zip(reversed(range(len(part))), part, strict=True):
                self._emit(_EQUAL, left, 0 if left else length, number)
            for index, (comparison, offset, operand, holds) in enumerate(tests):
                away = length - 2 * index - 3
                self._emit(_LOAD, 0, 0, offset)
                self._emit(comparison, 0 if holds else away, away if holds else 0, operand)
            self._emit(_RETURN, 0, 0, verdict)
            self._emit(_LOAD, 0, 0, _NUMBER)

    def finish(self, verdict: int) -> bytes:
        """Return the filter, with a verdict for all other system calls."""
        self._emit(_RETURN, 0, 0, verdict)
        return b"".join(_INSTRUCTION.pack(*step) for step in self._code)


def server_filter(starts_programs: bool, links: bool, threads: int) -> bytes:
    """Return the filter for a server, which its children inherit.

    ``links`` may be read or not, which Landlock doesn't govern. ``threads`` is the verdict on new threads.
    """
    program = _Program()
    # Waiting for the disk is not a program's time: none reads past the page cache, or waits as for the disk.
    for name, place in (("open", 1), ("openat", 2)):
        program.rule([name], DONE | errno.EINVAL, (_ANY_BIT, _argument(place), os.O_DIRECT, True))
    program.rule(["clone"], _REFUSED, (_ANY_BIT, _argument(0), _VFORK, True))
    program.rule([*_ALLOWED, *_MODES, *_OWNERS, *_OF_PROCESSES, *_OF_CLOCKS, "getpriority"], ALLOW)
    # 64-bit flags: no namespace flag lies in the upper half.
    program.rule(["clone"], KILL, (_ANY_BIT, _argument(0), _NAMESPACES, True))
    program.rule(["clone"], threads, (_ANY_BIT, _argument(0), _THREAD, True))
    program.rule(_SERVER, ALLOW)
    if starts_programs:
        program.rule(["execve", "execveat"], ALLOW)
    program.rule(_LINKS, ALLOW if links else DONE | errno.EACCES)
    # F_SETFL, which sets the same flags as opening.
    program.rule(["fcntl"], ALLOW, (_EQUAL, _argument(1), 4, True), (_ANY_BIT, _argument(2), os.O_DIRECT, False))
    for command in _FILE_COMMANDS:
        program.rule(["fcntl"], ALLOW, (_EQUAL, _argument(1), command, True))
    # Locks on files that programs share would be a way to hold others up, and to tell them something. A program on its
    # own gets any lock that sqlite asks for, so that none need be taken.
    for command in _LOCK_COMMANDS:
        program.rule(["fcntl"], DONE, (_EQUAL, _argument(1), command, True))
    program.rule(["flock"], DONE)
    for name, place in (("mknod", 1), ("mknodat", 2)):
        fifo = [(_ANY_BIT, _argument(place), 0o010000, True), (_ANY_BIT, _argument(place), 0o160000, False)]
        program.rule([name], ALLOW, *fifo)
    program.rule(_PRETENDED, DONE)
    # Python's own preadv, pwritev and posix_fallocate: without flags, such as one that waits for the disk.
    program.rule(["preadv2", "pwritev2"], ALLOW, (_EQUAL, _argument(5), 0, True))
    program.rule(["fallocate"], ALLOW, (_EQUAL, _argument(1), 0, True))
    for request in (*_TERMINAL, *NOTIFICATIONS):
        program.rule(["ioctl"], ALLOW, (_EQUAL, _argument(1), request, True))
    program.rule(["ioctl"], DONE | errno.ENOTTY)
    # libc falls back to clone and openat, whose flags a filter can read.
    program.rule(["clone3", "openat2"], DONE | errno.ENOSYS)
    program.rule(_EXTENDED, DONE | errno.ENOTSUP)
    program.rule(_HOSTILE, KILL)
    return program.finish(_REFUSED)


def program_filter(alone: bool) -> bytes:
    """Return the filter for a program's process, to be completed by its number. A command starts after it is in place.

    It refuses every question about another process, and every change of it. A program that is not ``alone`` is the user
    that its host is, with the host's file system. Then it does not change files' modes, owners and times, nor use up
    what the kernel counts for each user.
    """
    program = _Program()
    # The C library asks for the processors of each thread, and does without an answer if the call does not exist.
    program.rule(["sched_getaffinity"], DONE | errno.ENOSYS, *_other(0))
    program.rule([*_OF_PROCESSES, "prlimit64"], _REFUSED, *_other(0))
    # Of processes, not groups or users, and of itself.
    program.rule(["getpriority"], _REFUSED, (_ANY_BIT, _argument(0), 0xFFFFFFFF, True))
    program.rule(["getpriority"], _REFUSED, *_other(1))
    # A clock below zero is that of a process, of a thread (bit 2; the kernel knows only those of the same process) or
    # of a device; the last three bits of a process's own, which has the number 0, are the kind of time.
    foreign = [(_ANY_BIT, _argument(0), 1 << 31, True), (_ANY_BIT, _argument(0), 4, False)]
    own_clocks = [(_EQUAL, _argument(0), 0xFFFFFFF8 + kind, False) for kind in range(3)]
    program.rule(_OF_CLOCKS, DONE | errno.EINVAL, *foreign, *own_clocks)
    program.rule(["clone"], ALLOW, (_ANY_BIT, _argument(0), _THREAD, True))
    for option in (15, 16):  # PR_SET_NAME, PR_GET_NAME
        program.rule(["prctl"], ALLOW, (_EQUAL, _argument(0), option, True))
    # On a connected stream only; an address would reach other sockets.
    program.rule(["sendto"], ALLOW, *_null(4))
    own = [(_EQUAL, _argument(0), OWN_PID, True)]
    if alone:
        program.rule(["kill", "tgkill"], ALLOW, *own)
    else:
        # Without times this means "now". It is how pathlib's touch finds out whether a file exists.
        program.rule(["utimensat"], _REFUSED, *_null(2))
        program.rule(_MODES, DONE)
        program.rule(_OWNERS, _REFUSED)
        # The kernel queues real-time signals and timers, and counts them for each user.
        program.rule(["kill"], ALLOW, *own, (_AT_LEAST, _argument(1), 32, False))
        program.rule(["tgkill"], ALLOW, *own, (_AT_LEAST, _argument(2), 32, False))
        program.rule(["timer_create"], _REFUSED)
    # Reading a limit, or the size of the stack, which programs with deep recursion change.
    program.rule(["prlimit64"], ALLOW, *_null(2))
    program.rule(["prlimit64"], ALLOW, (_EQUAL, _argument(1), _STACK, True))
    program.rule(["setrlimit"], ALLOW, (_EQUAL, _argument(0), _STACK, True))
    # asyncio and Java's file channels make a pair of stream sockets, which may be close-on-exec and non-blocking.
    stream = [(_EQUAL, _argument(0), 1, True), (_ANY_BIT, _argument(1), 1, True)]
    stream += [(_ANY_BIT, _argument(1), 0xFFFFFFFF ^ (1 | 0o2004000), False)]
    program.rule(["socketpair"], ALLOW, *stream)
    program.rule(_SERVER, _REFUSED)
    return program.finish(ALLOW)
