"""The checker's server: holds the tests, asks the candidate's process for values, and decides.

It runs trusted code only (the benchmark's tests), so it needs no process per program, only a fresh namespace. The
program is in another process, below another server, that can reach this one through one socket, by plain values.
"""

from __future__ import annotations

import builtins
import marshal
import os
import signal
import socket
import unittest
from types import CodeType, ModuleType
from typing import Any

from . import agent, cleanup, exceptions, hardened, placement, proxies, stand_ins, suites, values, wire
from .lines import printed_lines
from .proxies import CandidateGone, Connection
from .streams import Streams

# What stands for an object in a value that is only to be written down.
_OPAQUE = object()


class _OutOfTime(BaseException):
    """The checks themselves use too much processor time, whatever the program returned to make them."""


class Judge:
    """Decides jobs one after the other."""

    def __init__(self, zygote: socket.socket, home: str) -> None:
        self._zygote = zygote
        self._home = home
        self._compiled: dict[tuple[str, str], CodeType] = {}
        self._expired = False

    def decide(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return the outcome of a job, both as plain values."""
        decide = {
            "function": self._function,
            "unittest": self._function,
            "script": self._script,
            "evaluate": self._evaluate,
        }[job["kind"]]
        outcome: dict[str, Any] = {"job_id": job["job_id"], "tests_run": 0, "tamper_proof": True, "observations": []}
        os.chdir(self._home)
        self._expired = False
        # What a program returns can make the checks themselves slow, as a list of many millions does. Where this can't
        # interrupt them, which are in C then, the host ends this process a little later.
        signal.setitimer(signal.ITIMER_PROF, job["checker_seconds"])
        try:
            decide(job, outcome)
        except _OutOfTime:
            # Between the program's end and the verdict: the servers are in an unknown state.
            raise SystemExit("out of time outside the checks") from None
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        if not cleanup.is_empty(self._home):
            cleanup.wipe(self._home)
        return outcome

    def out_of_time(self, number: int, frame: Any) -> None:
        """End the checks, and remember it: tests may catch anything."""
        self._expired = True
        raise _OutOfTime

    def _start(self, job: dict[str, Any], operators: bool = False, stdin: str | None = None) -> Connection:
        requests, our_requests = os.pipe()
        our_replies, replies = os.pipe()
        streams = Streams(stdin)
        data = wire.packed_message({"limits": job["limits"]})
        socket.send_fds(self._zygote, [data], [requests, replies, *streams.to_send()])
        os.close(requests)
        os.close(replies)
        streams.sent()
        channel = our_replies, our_requests
        return Connection(channel, streams, self._zygote.fileno(), job["limits"]["output_bytes"], operators)

    def _compile(self, source: str, name: str) -> CodeType:
        code = self._compiled.get((source, name))
        if code is None:
            if len(self._compiled) > 200:
                self._compiled.clear()
            code = self._compiled[source, name] = compile(source, name, "exec", dont_inherit=True)
        return code

    def _function(self, job: dict[str, Any], outcome: dict[str, Any]) -> None:
        if placement.needs_process(job["tests"], job["support"], job["kind"], job["entry_point"]):
            self._inside(job, outcome)
            return
        candidate = self._start(job, operators=job["kind"] == "unittest")
        again = False
        try:
            namespace = self._load(job, outcome, candidate)
            if job["kind"] == "unittest":
                result = suites.run_classes(namespace, job["only"], unittest)
                outcome["tests_run"] = result.finished
                if result.problem is not None:
                    outcome["failed_test"] = result.failed_test
                    raise result.problem
            else:
                check = namespace.get("check")
                if callable(check) and not isinstance(check, stand_ins.Function):
                    if not job["entry_point"]:
                        raise suites.NoTests(
                            "the suite defines check(candidate), which needs the name of an entry point"
                        )
                    check(namespace[job["entry_point"]])
                outcome["tests_run"] = 1
            outcome["status"] = "passed"
        except BaseException as error:
            self._failed(error, outcome, job)
        finally:
            ended_by = candidate.ended_by
            if isinstance(ended_by, proxies.Foreign):
                again = True
            elif ended_by is not None:
                # Tests may have taken it for an exception of the program's, and gone on.
                self._failed(ended_by, outcome, job)
            if self._expired:
                self._failed(_OutOfTime(), outcome, job)
            outcome["tamper_proof"] = outcome["tamper_proof"] and not candidate.relied
            outcome.setdefault("status", "error")
            self._finish(candidate, outcome, job)
        if again:
            outcome.update(status="error", failed_test="", exception_type="", exception_message="", tests_run=0)
            self._inside(job, outcome)

    def _load(self, job: dict[str, Any], outcome: dict[str, Any], candidate: Connection) -> dict[str, Any]:
        """Run the program, then the tests' module; return the tests' namespace."""
        namespace: dict[str, Any] = {"__name__": "tests", "__builtins__": builtins}
        agent.seed()
        if job["support"].strip():
            exec(self._compile(job["support"], "support.py"), namespace)
        tests = self._compile(job["tests"], "tests.py")
        entry_point = job["entry_point"]
        wanted = _global_names(tests) - namespace.keys() - vars(builtins).keys()
        if entry_point:
            wanted.add(entry_point)
        found = candidate.load(job["program"], sorted(wanted), entry_point)
        if entry_point and entry_point not in found:
            raise proxies.Missing(entry_point)
        helpers = {name for name in found if name != entry_point and not isinstance(found[name], ModuleType)}
        if entry_point and helpers and helpers & placement.names_used(job["tests"])[0]:
            outcome["tamper_proof"] = False
        namespace.update(found)
        agent.seed()
        exec(tests, namespace)
        return namespace

    def _inside(self, job: dict[str, Any], outcome: dict[str, Any]) -> None:
        """Judge a suite in the program's own process, since it can't be otherwise, and say so."""
        outcome["tamper_proof"] = False
        candidate = self._start(job)
        try:
            request = {name: job[name] for name in ("program", "kind", "tests", "only", "entry_point")}
            for name in ("support", "tests"):
                request[f"{name}_code"] = marshal.dumps(self._compile(job[name], f"{name}.py")).decode("latin-1")
            verdict = candidate.ask({"op": "suite", **request})
            outcome.update(hardened.checked_verdict(verdict))
        except BaseException as error:
            self._failed(error, outcome, job)
        finally:
            self._finish(candidate, outcome, job)

    def _script(self, job: dict[str, Any], outcome: dict[str, Any]) -> None:
        cpu = wall = 0.0
        for number, case in enumerate(job["cases"]):
            seen: dict[str, Any] = {"status": "passed"}
            candidate = self._start(job, stdin=case["stdin"])
            try:
                status = candidate.ask({"op": "script", "program": job["program"]})
                if status:
                    seen.update(status="error", exception_type="SystemExit", exception_message=str(status))
            except BaseException as error:
                self._failed(error, seen, job)
            self._finish(candidate, seen, job)
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

    def _evaluate(self, job: dict[str, Any], outcome: dict[str, Any]) -> None:
        candidate = self._start(job)
        observations = outcome["observations"]
        offsets = []
        try:
            candidate.load(job["program"], [], "")
            for expression in job["expressions"]:
                offsets.append(candidate.printed)
                try:
                    reply = candidate.ask({"op": "evaluate", "expression": expression})
                    value = values.decode(reply["value"], lambda body: _OPAQUE)
                    observations.append({"literal": values.literal(value), "type_name": str(reply["type"])})
                except proxies.Raised as error:
                    observations.append(
                        {"exception_type": error.described["type"], "exception_message": error.described["message"]}
                    )
                outcome["tests_run"] += 1
            outcome["status"] = "passed"
        except BaseException as error:
            self._failed(error, outcome, job)
        finally:
            offsets.append(candidate.printed)
            self._finish(candidate, outcome, job)
        if len(observations) < len(job["expressions"]) and len(offsets) > 1:
            observations.append({"status": outcome["status"]})
        text = candidate.stdout
        for observation, start, end in zip(observations, offsets, [*offsets[1:], len(text)], strict=False):
            observation["stdout"] = text[start:end].decode("utf-8", "replace")

    def _failed(self, error: BaseException, outcome: dict[str, Any], job: dict[str, Any]) -> None:
        """Write down how the checks ended, as far as the checker saw it."""
        described = exceptions.describe(error)
        outcome["exception_type"] = described["type"]
        outcome["exception_message"] = described["message"]
        line = suites.failing_line(error.__traceback__, job["tests"])
        outcome["failed_test"] = ": ".join(part for part in (outcome.get("failed_test", ""), line) if part)
        if isinstance(error, proxies.Missing):
            outcome.update(status="error", exception_type="NameError",
                           exception_message=f"the program defines no {error.args[0]!r}")  # fmt: skip
        elif isinstance(error, suites.NoTests):
            outcome["status"] = "error"
        elif isinstance(error, CandidateGone):
            outcome.update(status="gone", exception_type="", exception_message="")
        elif isinstance(error, wire.MessageTooLong):
            outcome["status"] = "output"
        elif isinstance(error, _OutOfTime):
            outcome["status"] = "timeout"
        elif (raised := getattr(error, "from_candidate", None)) is not None:
            outcome.update(proxies.classify(raised))
        elif isinstance(error, AssertionError):
            outcome["status"] = "failed"
        else:
            # The checks raised over what the program returned, as in ``candidate(x)[0]`` of an empty list.
            outcome["status"] = "failed"

    def _finish(self, candidate: Connection, outcome: dict[str, Any], job: dict[str, Any]) -> None:
        """End the candidate's process and complete the outcome by what its server reports."""
        report = candidate.end()
        limits = job["limits"]
        outcome["cpu_seconds"] = round(report["cpu"], 6)
        outcome["wall_seconds"] = round(report["wall"], 6)
        candidate.stdout = report["stdout"][1].encode("latin-1")
        outcome["stdout"] = candidate.stdout.decode("utf-8", "replace")
        outcome["stderr"] = report["stderr"][1].encode("latin-1").decode("utf-8", "replace")
        if outcome["status"] == "gone":
            # A script may end itself as it likes: what it printed is judged, and its exit status.
            done = job["kind"] == "script" and report["exit"] == 0 and not report["reason"]
            outcome.update({"status": "passed"} if done else _ending(report))
        if max(report["stdout"][0], report["stderr"][0]) > limits["output_bytes"]:
            outcome["status"] = "output"


def _ending(report: dict[str, Any]) -> dict[str, Any]:
    """Return how a process ended that was gone before the checks were done."""
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


def _global_names(code: CodeType) -> set[str]:
    """Return every name that code, or code inside it, might look up globally, and some that it doesn't."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _global_names(constant)
    return names


def serve(control: socket.socket, zygote: socket.socket, home: str) -> None:
    """Serve until the host is gone."""
    if not wire.receive(zygote.fileno()).get("ready"):
        raise SystemExit("the candidate's server isn't ready")
    judge = Judge(zygote, home)
    signal.signal(signal.SIGPROF, judge.out_of_time)
    wire.send(control.fileno(), {"ready": True})
    while True:
        try:
            job = wire.receive(control.fileno())
        except EOFError:
            return
        wire.send(control.fileno(), judge.decide(job))
