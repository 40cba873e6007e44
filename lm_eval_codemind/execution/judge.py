"""The checker's server: holds the tests and decides.

It runs trusted code only, the benchmark's tests, so it needs no process per program. The program is in another process,
below another server (:mod:`.zygote`), and the two exchange plain values.

How a job with tests is judged, in :meth:`Judge._suite`: the tests run here (:mod:`.outside`). If they pass, the job has
passed, and nothing the program does could have brought that about. Otherwise the job runs again with tests and program
in one fresh process (:mod:`.inside`): a pass there counts, but says ``tamper_proof: false``.
"""

import contextlib
import functools
import marshal
import os
import signal
import socket
import sys
import threading
from types import CodeType
from typing import Any

from . import cleanup, inside, outside, suites, wire
from .connection import Connection, ProgramGone, Raised, Streams, classify
from .values import NotPlain

# A program that used up its time outside although it answered this often may have lost it to the exchange of values.
_MANY_ANSWERS = 100
# Some kernels do not count the times of processes.
_TIMES = "/proc/self/schedstat"


class _OutOfTime(BaseException):
    """The checks themselves used too much processor time, for example because the program returned a huge list."""


class Judge:
    """Decides jobs one after the other.

    Attributes:
        spoilt: Whether this process, or the program's home, is not what it was: the next job needs new ones.
    """

    def __init__(self, zygote: socket.socket, home: str) -> None:
        self._zygote = zygote
        self._home = home
        self._expired = False
        os.chdir(home)
        self._state = outside.process_state()
        self.spoilt = False

    def decide(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return the outcome of a job, both as plain values."""
        decide = {"script": self._script, "evaluate": self._evaluate}.get(job["kind"], self._suite)
        self._expired = False
        # What a program returns can make the checks themselves slow, as a list of many millions does. Where this cannot
        # interrupt them because they are in C, the host ends this process a little later.
        signal.setitimer(signal.ITIMER_PROF, job["checker_seconds"])
        try:
            outcome = decide(job)
        except _OutOfTime:
            # Between the program's end and the verdict: the servers are in an unknown state.
            raise SystemExit("out of time outside the checks") from None
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        self.spoilt = self.spoilt or threading.active_count() > 1 or outside.process_state() != self._state
        if not self.spoilt:
            cleanup.wipe(self._home)
        return outcome

    def out_of_time(self, number: int, frame: Any) -> None:
        """End the checks, and remember it: tests may catch anything."""
        self._expired = True
        raise _OutOfTime

    def _start(self, job: dict[str, Any], stdin: str | None = None) -> Connection:
        requests, our_requests = os.pipe()
        our_replies, replies = os.pipe()
        streams = Streams(stdin)
        data = wire.packed_message({"limits": job["limits"]})
        socket.send_fds(self._zygote, [data], [requests, replies, *streams.descriptors])
        os.close(requests)
        os.close(replies)
        streams.sent()
        return Connection(our_replies, our_requests, streams, self._zygote.fileno(), job["limits"]["output_bytes"])

    def _suite(self, job: dict[str, Any]) -> dict[str, Any]:
        if job["inside"]:
            return self._inside(job)
        outcome, final = self._outside(job)
        if final:
            return outcome
        second = self._inside(job)
        # A failure that both ways agree on is told as it was seen outside, unless the values could not even cross.
        return outcome if outcome["status"] != "not plain" and second["status"] != "passed" else second

    def _outside(self, job: dict[str, Any]) -> tuple[dict[str, Any], bool]:
        """Return the outcome, and whether plain Python cannot come to another one."""
        outcome = _new_outcome(job, tamper_proof=True)
        program = self._start(job)
        problem: BaseException | None = None
        loaded = False
        try:
            program.ask({"op": "load", "program": job["program"], "limit": job["limits"]["output_bytes"]})
            loaded = True
            result = outside.run(job, program, _compiled)
            outcome["tests_run"], outcome["failed_test"] = result.tests_run, result.failed_test
            problem = result.problem
        except BaseException as error:
            problem = error
        sys.modules.pop(suites.MODULE, None)
        if self._expired:
            problem = _OutOfTime()
        elif program.ended_by is not None:
            # The tests may have caught it, and gone on.
            problem = program.ended_by
        if problem is None:
            outcome["status"] = "passed"
        else:
            self._failed(problem, outcome, job)
        if self._finish(program, outcome, job)["left"] and outcome["status"] == "passed":
            # The tests may have looked for a file that the program wrote, or must not write.
            outcome["status"] = "not plain"
        if outcome["status"] == "timeout":
            return outcome, self._expired or program.answers < _MANY_ANSWERS
        ends = isinstance(problem, outside.Missing | suites.NoTests | ProgramGone)
        return outcome, outcome["status"] not in ("failed", "error", "not plain") or ends or not loaded

    def _inside(self, job: dict[str, Any]) -> dict[str, Any]:
        outcome = _new_outcome(job, tamper_proof=False)
        program = self._start(job)
        try:
            request = {name: job[name] for name in ("program", "kind", "tests", "only", "entry_point")}
            for name in ("support", "tests"):
                request[f"{name}_code"] = marshal.dumps(_compiled(job[name], f"{name}.py")).decode("latin-1")
            outcome.update(inside.checked(program.ask({"op": "suite", **request})["value"]))
        except BaseException as error:
            self._failed(error, outcome, job)
        self._finish(program, outcome, job)
        return outcome

    def _script(self, job: dict[str, Any]) -> dict[str, Any]:
        outcome = _new_outcome(job, tamper_proof=True)
        cpu = wall = 0.0
        for number, case in enumerate(job["cases"]):
            seen: dict[str, Any] = {"status": "passed"}
            program = self._start(job, stdin=case["stdin"])
            try:
                status = program.ask({"op": "script", "program": job["program"]})["value"]
                if status:
                    seen.update(status="error", exception_type="SystemExit", exception_message=str(status))
            except BaseException as error:
                self._failed(error, seen, job)
            self._finish(program, seen, job)
            judged = seen["status"] == "passed" and case["stdout"] is not None
            if judged and printed_lines(seen["stdout"]) != printed_lines(case["stdout"]):
                seen["status"] = "failed"
            cpu, wall = cpu + seen["cpu_seconds"], wall + seen["wall_seconds"]
            keep = ("status", "stdout", "exception_type", "exception_message")
            outcome["observations"].append({name: seen[name] for name in keep if name in seen})
            outcome["tests_run"] += seen["status"] in ("passed", "failed")
            outcome.update(seen, cpu_seconds=cpu, wall_seconds=wall)
            if seen["status"] != "passed":
                outcome["failed_test"] = f"case {number}"
                break
        return outcome

    def _evaluate(self, job: dict[str, Any]) -> dict[str, Any]:
        outcome = _new_outcome(job, tamper_proof=True)
        program = self._start(job)
        observations = outcome["observations"]
        offsets = []
        try:
            program.ask({"op": "load", "program": job["program"]})
            for expression in job["expressions"]:
                offsets.append(program.printed)
                try:
                    value = program.ask({"op": "evaluate", "expression": expression})["value"]
                    literal, kind = value["literal"], str(value["type"])
                    observations.append({"literal": None if literal is None else str(literal), "type_name": kind})
                except Raised as raised:
                    kind, message = raised.described["type"], raised.described["message"]
                    observations.append({"exception_type": kind, "exception_message": message})
                outcome["tests_run"] += 1
            outcome["status"] = "passed"
        except BaseException as error:
            self._failed(error, outcome, job)
        offsets.append(program.printed)
        self._finish(program, outcome, job)
        if len(observations) < len(job["expressions"]) and len(offsets) > 1:
            observations.append({"status": outcome["status"]})
        text = program.stdout
        for observation, start, end in zip(observations, offsets, [*offsets[1:], len(text)], strict=False):
            observation["stdout"] = text[start:end].decode("utf-8", "replace")
        return outcome

    def _failed(self, error: BaseException, outcome: dict[str, Any], job: dict[str, Any]) -> None:
        """Write down how the checks ended, as far as the checker saw it."""
        described = suites.describe(error)
        outcome["exception_type"] = described["type"]
        outcome["exception_message"] = described["message"]
        line = suites.failing_line(error.__traceback__, job["tests"])
        outcome["failed_test"] = ": ".join(part for part in (outcome.get("failed_test", ""), line) if part)
        raised = error.described if isinstance(error, Raised) else getattr(error, "from_program", None)
        if isinstance(error, outside.Missing):
            outcome.update(status="error", exception_type="NameError",
                           exception_message=f"the program defines no {error.args[0]!r}")  # fmt: skip
        elif raised is not None:
            outcome.update(classify(raised))
        elif isinstance(error, wire.MessageTooLong):
            outcome["status"] = "output"
        elif isinstance(error, ProgramGone | wire.WireError):
            outcome.update(status="gone", exception_type="", exception_message="")
        elif isinstance(error, _OutOfTime):
            outcome["status"] = "timeout"
        elif isinstance(error, NotPlain):
            outcome["status"] = "not plain"
        else:
            # Also if the checks raised over what the program returned, as in ``candidate(x)[0]`` of an empty list.
            outcome["status"] = "error" if isinstance(error, suites.NoTests) else "failed"

    def _finish(self, program: Connection, outcome: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
        """End the program's process, complete the outcome by what its server reports, and return the report."""
        report = program.end()
        self.spoilt = self.spoilt or report["last"]
        outcome["cpu_seconds"] = round(report["cpu"], 6)
        outcome["wall_seconds"] = round(report["wall"], 6)
        program.stdout = report["stdout"][1].encode("latin-1")
        outcome["stdout"] = program.stdout.decode("utf-8", "replace")
        outcome["stderr"] = report["stderr"][1].encode("latin-1").decode("utf-8", "replace")
        if outcome["status"] == "gone":
            # A script may end itself as it likes: what it printed is judged, and its exit status.
            done = job["kind"] == "script" and report["exit"] == 0 and not report["reason"]
            outcome.update({"status": "passed"} if done else _ending(report))
        if max(report["stdout"][0], report["stderr"][0]) > job["limits"]["output_bytes"]:
            outcome["status"] = "output"
        return report


@functools.lru_cache(maxsize=200)
def _compiled(source: str, name: str) -> CodeType:
    return compile(source, name, "exec", dont_inherit=True)


def _new_outcome(job: dict[str, Any], tamper_proof: bool) -> dict[str, Any]:
    return {
        "job_id": job["job_id"], "tests_run": 0, "tamper_proof": tamper_proof, "observations": [], "failed_test": "",
    }  # fmt: skip


def printed_lines(text: str) -> list[str]:
    """Return the lines of an output as they are compared.

    ``answers/comparison.py`` defines them in the same way. The sandbox's processes see this directory only.
    """
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _ending(report: dict[str, Any]) -> dict[str, Any]:
    """Return the outcome for a process that ended before the checks were complete."""
    if report["reason"]:
        used = "processor time" if report["reason"] == "cpu" else "elapsed time"
        return {"status": "timeout", "exception_type": "", "exception_message": f"{used} used up"}
    number = report["signal"]
    if number is None:
        if report["exit"] is None:
            return {"status": "crashed", "exception_message": "the program broke off the connection to the checker"}
        return {"status": "error", "exception_message": f"exited with status {report['exit']} before the checks ended"}
    if number == signal.SIGXFSZ:
        return {"status": "output", "exception_message": "wrote more than allowed"}
    if number in (signal.SIGXCPU, signal.SIGKILL) and report["cpu"] > 1:
        return {"status": "timeout", "exception_message": "processor time used up"}
    if number == signal.SIGSYS:
        return {"status": "blocked", "exception_message": "made a system call that is not allowed"}
    return {"status": "crashed", "exception_message": f"died of {signal.Signals(number).name}"}


def serve(control: socket.socket, zygote: socket.socket, home: str) -> None:
    """Serve until the host is gone, or until a suite has spoilt this process."""
    if not wire.receive(zygote.fileno()).get("ready"):
        raise SystemExit("the candidate's server isn't ready")
    # The candidate's server reads in this file how long this process works or waits, which is not the program's time.
    with open(_TIMES if os.path.exists(_TIMES) else "/dev/null") as times:
        socket.send_fds(zygote, [wire.packed_message({})], [times.fileno()])
    judge = Judge(zygote, home)
    signal.signal(signal.SIGPROF, judge.out_of_time)
    wire.send(control.fileno(), {"ready": True})
    with contextlib.suppress(EOFError):
        while not judge.spoilt:
            outcome = judge.decide(wire.receive(control.fileno()))
            wire.send(control.fileno(), {**outcome, "last": judge.spoilt})
