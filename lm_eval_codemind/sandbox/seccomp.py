"""The filters of system calls, assembled here into the kernel's filter language (classic BPF).

Two filters hold for a candidate. The first is put on its server, once; it allows what a Python program and the server
need. The second is put on the candidate's process, and takes away what only the server needs: new processes, signals to
others, memory files, and every word about other processes. It is short, since the kernel compiles it for each program.
"""

# ruff: noqa: SIM905
import errno
import os
import struct

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
_NOTIFICATIONS = (0xC0502100, 0xC0182101)  # SECCOMP_IOCTL_NOTIF_RECV, SECCOMP_IOCTL_NOTIF_SEND

# What a program may call, whatever the arguments.
_ALLOWED = """
read write open close stat fstat lstat poll lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask rt_sigreturn
rt_sigpending rt_sigtimedwait rt_sigsuspend pread64 pwrite64 readv writev access pipe select sched_yield mremap mincore
madvise dup dup2 pause nanosleep getitimer alarm setitimer getpid sendfile exit uname truncate ftruncate getdents getcwd
chdir fchdir rename mkdir rmdir creat link unlink symlink umask gettimeofday getrlimit getrusage sysinfo times getuid
getgid geteuid getegid getppid getpgrp getgroups getresuid getresgid sigaltstack statfs fstatfs sched_get_priority_max
sched_get_priority_min arch_prctl gettid time futex set_tid_address restart_syscall timer_settime timer_gettime
timer_getoverrun timer_delete exit_group epoll_create epoll_wait epoll_ctl epoll_pwait openat mkdirat newfstatat
unlinkat renameat linkat symlinkat faccessat pselect6 ppoll set_robust_list eventfd eventfd2 epoll_create1 dup3 pipe2
preadv pwritev getcpu getrandom renameat2 statx rseq close_range faccessat2 membarrier copy_file_range recvfrom
recvmsg shutdown getsockopt getsockname getpeername timerfd_create timerfd_settime timerfd_gettime futex_waitv
getdents64
""".split()
# What takes the number of a process, which a program may only fill with 0 or its own.
_OF_PROCESSES = "getpgid getsid sched_getparam sched_getscheduler sched_getaffinity get_robust_list".split()
# What takes a clock, which may be another process's.
_OF_CLOCKS = "clock_gettime clock_getres clock_nanosleep timer_create".split()
# What reaches the disk below a file that programs share, or its place in memory: answered as done, and not done.
_PRETENDED = "fsync fdatasync msync fadvise64 readahead".split()
_LINKS = "readlink readlinkat".split()
# As on a file system without extended attributes, which those who copy files expect.
_EXTENDED = """
getxattr lgetxattr fgetxattr listxattr llistxattr flistxattr setxattr lsetxattr fsetxattr
""".split()
# Changes of a file's attributes, which Landlock does not govern. If a program is its host's user, they are not made.
_MODES = "chmod fchmod fchmodat utimensat".split()
_OWNERS = "chown fchown lchown fchownat utime utimes futimesat".split()
# What only the server needs, and what it needs only until the candidate's filter is in place.
_SERVER = """
clone fork vfork wait4 waitid setsid setpgid kill tgkill memfd_create pidfd_open sendmsg sendto socketpair prlimit64
setrlimit prctl seccomp capset landlock_restrict_self setresuid sched_setaffinity
""".split()
# Nothing that is asked of a language model calls these: the process ends at once.
_HOSTILE = """
ptrace mount umount2 pivot_root chroot unshare setns bpf keyctl add_key request_key init_module finit_module
delete_module kexec_load kexec_file_load process_vm_readv process_vm_writev open_by_handle_at name_to_handle_at
userfaultfd perf_event_open io_uring_setup io_uring_enter io_uring_register reboot swapon swapoff move_mount open_tree
fsopen fsmount fsconfig fspick mount_setattr kcmp pidfd_getfd quotactl acct iopl ioperm
""".split()
_TERMINAL = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS TIOCGWINSZ FIONREAD FIONBIO FIONCLEX FIOCLEX

# The system calls that the rules name, from the kernel's own headers: name, number on x86_64, number on aarch64 (the
# kernel's generic table); "-" where the machine has no such call.
_TABLE = """
access 21 -; acct 163 89; add_key 248 217; alarm 37 -; arch_prctl 158 -; bpf 321 280; brk 12 214; capset 126 91;
chdir 80 49; chmod 90 -; chown 92 -; chroot 161 51; clock_getres 229 114; clock_gettime 228 113; clock_nanosleep 230
115; clone 56 220; clone3 435 435; close 3 57; close_range 436 436; copy_file_range 326 285; creat 85 -;
delete_module 176 106; dup 32 23; dup2 33 -; dup3 292 24; epoll_create 213 -; epoll_create1 291 20; epoll_ctl 233
21; epoll_pwait 281 22; epoll_wait 232 -; eventfd 284 -; eventfd2 290 19; execve 59 221; execveat 322 281; exit 60
93; exit_group 231 94; faccessat 269 48; faccessat2 439 439; fadvise64 221 223; fchdir 81 50; fchmod 91 52; fchmodat
268 53; fchown 93 55; fchownat 260 54; fcntl 72 25; fdatasync 75 83; fgetxattr 193 10; finit_module 313 273;
flistxattr 196 13; flock 73 32; fork 57 -; fsconfig 431 431; fsetxattr 190 7; fsmount 432 432; fsopen 430 430;
fspick 433 433; fstat 5 80; fstatfs 138 44; fsync 74 82; ftruncate 77 46; futex 202 98; futex_waitv 449 449;
futimesat 261 -; get_robust_list 274 100; getcpu 309 168; getcwd 79 17; getdents 78 -; getdents64 217 61; getegid
108 177; geteuid 107 175; getgid 104 176; getgroups 115 158; getitimer 36 102; getpeername 52 205; getpgid 121 155;
getpgrp 111 -; getpid 39 172; getppid 110 173; getpriority 140 141; getrandom 318 278; getresgid 120 150; getresuid
118 148; getrlimit 97 163; getrusage 98 165; getsid 124 156; getsockname 51 204; getsockopt 55 209; gettid 186 178;
gettimeofday 96 169; getuid 102 174; getxattr 191 8; init_module 175 105; io_uring_enter 426 426; io_uring_register
427 427; io_uring_setup 425 425; ioctl 16 29; ioperm 173 -; iopl 172 -; kcmp 312 272; kexec_file_load 320 294;
kexec_load 246 104; keyctl 250 219; kill 62 129; landlock_restrict_self 446 446; lchown 94 -; lgetxattr 192 9; link
86 -; linkat 265 37; listxattr 194 11; llistxattr 195 12; lseek 8 62; lsetxattr 189 6; lstat 6 -; madvise 28 233;
membarrier 324 283; memfd_create 319 279; mincore 27 232; mkdir 83 -; mkdirat 258 34; mknod 133 -;
mknodat 259 33; mmap 9 222; mount 165 40;
mount_setattr 442 442; move_mount 429 429; mprotect 10 226; mremap 25 216; msync 26 227; munmap 11 215;
name_to_handle_at 303 -; nanosleep 35 101; newfstatat 262 79; open 2 -; open_by_handle_at 304 -; open_tree 428 428;
openat 257 56; openat2 437 437; pause 34 -; perf_event_open 298 241; pidfd_getfd 438 438; pidfd_open 434 434;
pidfd_send_signal 424 424; pipe 22 -; pipe2 293 59; pivot_root 155 41; poll 7 -; ppoll 271 73; prctl 157 167;
pread64 17 67; preadv 295 69; prlimit64 302 261; process_vm_readv 310 270; process_vm_writev 311 271; pselect6 270
72; ptrace 101 117; pwrite64 18 68; pwritev 296 70; quotactl 179 60; read 0 63; readahead 187 213; readlink 89 -;
readlinkat 267 78; readv 19 65; reboot 169 142; recvfrom 45 207; recvmsg 47 212; rename 82 -; renameat 264 38;
renameat2 316 276; request_key 249 218; restart_syscall 219 128; rmdir 84 -; rseq 334 293; rt_sigaction 13 134;
rt_sigpending 127 136; rt_sigprocmask 14 135; rt_sigreturn 15 139; rt_sigsuspend 130 133; rt_sigtimedwait 128 137;
sched_get_priority_max 146 125; sched_get_priority_min 147 126; sched_getaffinity 204 123; sched_getparam 143 121;
sched_getscheduler 145 120; sched_setaffinity 203 122; sched_yield 24 124; seccomp 317 277; select 23 -; sendfile 40
71; sendmsg 46 211; sendto 44 206; set_robust_list 273 99; set_tid_address 218 96; setitimer 38 103; setns 308 268;
setpgid 109 154; setresuid 117 147; setrlimit 160 164; setsid 112 157; setsockopt 54 208; setxattr 188 5; shutdown
48 210; sigaltstack 131 132; socketpair 53 199; stat 4 -; statfs 137 43; statx 332 291; swapoff 168 225; swapon 167
224; symlink 88 -; symlinkat 266 36; sysinfo 99 179; tgkill 234 131; time 201 -; timer_create 222 107; timer_delete
226 111; timer_getoverrun 225 109; timer_gettime 224 108; timer_settime 223 110; timerfd_create 283 85;
timerfd_gettime 287 87; timerfd_settime 286 86; times 100 153; truncate 76 45; umask 95 166; umount2 166 39; uname
63 160; unlink 87 -; unlinkat 263 35; unshare 272 97; userfaultfd 323 282; utime 132 -; utimensat 280 88; utimes 235
-; vfork 58 -; wait4 61 260; waitid 247 95; write 1 64; writev 20 66
"""

# The numbers of audit architectures in a seccomp filter's data.
_MACHINES = {"x86_64": (1, 0xC000003E), "aarch64": (2, 0xC00000B7)}


class UnknownMachine(RuntimeError):
    """The sandbox has no table of system calls for this machine."""


def architecture() -> int:
    """Return the number that stands for this machine's architecture in a seccomp filter, or raise UnknownMachine."""
    machine = os.uname().machine
    if machine not in _MACHINES:
        raise UnknownMachine(f"no table of system calls for {machine}; the sandbox knows {', '.join(_MACHINES)}")
    return _MACHINES[machine][1]


def numbers() -> dict[str, int]:
    """Return the numbers of the system calls this machine has, by name."""
    architecture()
    column = _MACHINES[os.uname().machine][0]
    rows = (entry.split() for entry in _TABLE.replace("\n", " ").split(";") if entry.strip())
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}


def _argument(index: int, high: bool = False) -> int:
    return 16 + 8 * index + (4 if high else 0)


def _null(index: int) -> list[tuple[int, int, int, bool]]:
    return [(_EQUAL, _argument(index), 0, True), (_EQUAL, _argument(index, high=True), 0, True)]


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

    def rule(self, names: list[str], verdict: int) -> None:
        """Give some system calls a verdict, whatever their arguments."""
        numbers = [self._numbers[name] for name in names if name in self._numbers]
        for start in range(0, len(numbers), 200):
            part = numbers[start : start + 200]
            for index, number in enumerate(part):
                self._emit(_EQUAL, len(part) - index, 0, number)
            self._emit(0x05, 0, 0, 1)  # nothing matched: jump over the verdict
            self._emit(_RETURN, 0, 0, verdict)

    def when(self, names: str | list[str], tests: list[tuple[int, int, int, bool]], verdict: int) -> None:
        """Give system calls a verdict if all tests hold: (comparison, argument's offset, operand, wanted result)."""
        group = [names] if isinstance(names, str) else names
        numbers = [self._numbers[name] for name in group if name in self._numbers]
        length = 2 * len(tests) + 1
        for left, number in zip(reversed(range(len(numbers))), numbers, strict=True):
            self._emit(_EQUAL, left, 0 if left else length + 1, number)
        if not numbers:
            return
        for index, (comparison, offset, operand, holds) in enumerate(tests):
            away = length - 2 * index - 2
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
        program.when(name, [(_ANY_BIT, _argument(place), os.O_DIRECT, True)], DONE | errno.EINVAL)
    program.when("clone", [(_ANY_BIT, _argument(0), _VFORK, True)], _REFUSED)
    program.rule(_ALLOWED + _MODES + _OWNERS + _OF_PROCESSES + _OF_CLOCKS + ["getpriority"], ALLOW)
    # 64-bit flags: no namespace flag lies in the upper half.
    program.when("clone", [(_ANY_BIT, _argument(0), _NAMESPACES, True)], KILL)
    program.when("clone", [(_ANY_BIT, _argument(0), _THREAD, True)], threads)
    program.rule(_SERVER, ALLOW)
    if starts_programs:
        program.rule(["execve", "execveat"], ALLOW)
    program.rule(_LINKS, ALLOW if links else DONE | errno.EACCES)
    # F_SETFL, which sets the same flags as opening.
    program.when("fcntl", [(_EQUAL, _argument(1), 4, True), (_ANY_BIT, _argument(2), os.O_DIRECT, False)], ALLOW)
    for command in _FILE_COMMANDS:
        program.when("fcntl", [(_EQUAL, _argument(1), command, True)], ALLOW)
    # Locks on files that programs share would be a way to hold others up, and to tell them something. A program on its
    # own gets any lock that sqlite asks for, so that none need be taken.
    for command in _LOCK_COMMANDS:
        program.when("fcntl", [(_EQUAL, _argument(1), command, True)], DONE)
    program.rule(["flock"], DONE)
    for name, place in (("mknod", 1), ("mknodat", 2)):
        fifo = [(_ANY_BIT, _argument(place), 0o010000, True), (_ANY_BIT, _argument(place), 0o160000, False)]
        program.when(name, fifo, ALLOW)
    program.rule(_PRETENDED, DONE)
    for request in (*_TERMINAL, *_NOTIFICATIONS):
        program.when("ioctl", [(_EQUAL, _argument(1), request, True)], ALLOW)
    program.rule(["ioctl"], DONE | errno.ENOTTY)
    # libc falls back to clone and openat, whose flags a filter can read.
    program.rule(["clone3", "openat2"], DONE | errno.ENOSYS)
    program.rule(_EXTENDED, DONE | errno.ENOTSUP)
    program.rule(_HOSTILE, KILL)
    return program.finish(_REFUSED)


OWN_PID = 0x5AFE0001  # stands for the process's own number until it is known


# The first argument names another process. The kernel reads its lower half only.
_OTHER = [(_EQUAL, _argument(0), 0, False), (_EQUAL, _argument(0), OWN_PID, False)]


def _add_common_rules(program: _Program, attributes: bool) -> None:
    """Add the rules of both languages. They refuse every question about another process, and every change of it."""
    program.when([*_OF_PROCESSES, "prlimit64"], _OTHER, _REFUSED)
    # Of processes, not groups or users, and of itself.
    program.when("getpriority", [(_ANY_BIT, _argument(0), 0xFFFFFFFF, True)], _REFUSED)
    program.when("getpriority", [(test, _argument(1), number, holds) for test, _, number, holds in _OTHER], _REFUSED)
    # A clock below zero is that of a process, of a thread (bit 2; the kernel knows only those of the same process) or
    # of a device; the last three bits of a process's own, which has the number 0, are the kind of time.
    foreign = [(_ANY_BIT, _argument(0), 1 << 31, True), (_ANY_BIT, _argument(0), 4, False)]
    own_clocks = [(_EQUAL, _argument(0), 0xFFFFFFF8 + kind, False) for kind in range(3)]
    program.when(_OF_CLOCKS, foreign + own_clocks, DONE | errno.EINVAL)
    program.when("clone", [(_ANY_BIT, _argument(0), _THREAD, True)], ALLOW)
    for option in (15, 16):  # PR_SET_NAME, PR_GET_NAME
        program.when("prctl", [(_EQUAL, _argument(0), option, True)], ALLOW)
    # On a connected stream only; an address would reach other sockets.
    program.when("sendto", _null(4), ALLOW)
    if not attributes:
        # Without times this means "now". It is how pathlib's touch finds out whether a file exists.
        program.when("utimensat", _null(2), _REFUSED)
        program.rule(_MODES, DONE)
        program.rule(_OWNERS, _REFUSED)


def candidate_filter(alone: bool) -> bytes:
    """Return the filter for a candidate's process, to be completed by its number.

    A program that is not ``alone`` is the user that its host is, with the host's file system. Then it does not change
    files' modes, owners and times, nor use up what the kernel counts for each user.
    """
    program = _Program()
    _add_common_rules(program, alone)
    own = [(_EQUAL, _argument(0), OWN_PID, True)]
    if alone:
        program.when(["kill", "tgkill"], own, ALLOW)
    else:
        # The kernel queues real-time signals and timers, and counts them for each user.
        program.when("kill", [*own, (_AT_LEAST, _argument(1), 32, False)], ALLOW)
        program.when("tgkill", [*own, (_AT_LEAST, _argument(2), 32, False)], ALLOW)
        program.rule(["timer_create"], _REFUSED)
    # Reading a limit, or the size of the stack, which programs with deep recursion change.
    program.when("prlimit64", _null(2), ALLOW)
    program.when("prlimit64", [(_EQUAL, _argument(1), _STACK, True)], ALLOW)
    program.when("setrlimit", [(_EQUAL, _argument(0), _STACK, True)], ALLOW)
    # asyncio wakes itself by a pair of stream sockets, which may be close-on-exec and non-blocking.
    stream = [(_EQUAL, _argument(0), 1, True), (_ANY_BIT, _argument(1), 1, True)]
    stream += [(_ANY_BIT, _argument(1), 0xFFFFFFFF ^ (1 | 0o2004000), False)]
    program.when("socketpair", stream, ALLOW)
    program.rule(_SERVER, _REFUSED)
    return program.finish(ALLOW)


def started_filter(attributes: bool) -> bytes:
    """Return the filter for a program that :mod:`.starter` starts, to be completed by its number.

    It is put in place before the program is started, which is therefore allowed. The C library asks for the
    processors of each thread, and does without an answer if the call does not exist. With ``attributes`` the program
    may change files' modes, owners and times.
    """
    program = _Program()
    program.when("sched_getaffinity", _OTHER, DONE | errno.ENOSYS)
    _add_common_rules(program, attributes)
    program.when(["kill", "tgkill"], [(_EQUAL, _argument(0), OWN_PID, True)], ALLOW)
    program.when("prlimit64", [(_EQUAL, _argument(0), 0, True), *_null(2)], ALLOW)
    # Java's file channels, too, make a pair of stream sockets.
    program.when("socketpair", [(_EQUAL, _argument(0), 1, True), (_EQUAL, _argument(1), 1, True)], ALLOW)
    program.rule(_SERVER, _REFUSED)
    return program.finish(ALLOW)
