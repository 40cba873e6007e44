"""The checker's server: holds the tests and decides.

A suite with a list of its steps is judged on answers: the program's process takes the steps (:mod:`.performer`), and
once it is gone, the tests run on what it answered, in a fork of this process (:mod:`.answers`). Nothing the program
does reaches the tests but its answers. A suite without a list runs in the program's process (:mod:`.inside`), and a
pass says ``tamper_proof: false``.
"""

import contextlib
import functools
import gc
import json
import marshal
import os
import secrets
import signal
import socket
import sys
import types
from collections.abc import Callable
from typing import Any

from . import answers, cleanup, inside, kernel, recorder, suites, wire
from .connection import Connection, ProgramGone, Raised, Streams, checked, classify, ending


class Judge:
    """Decides jobs one after the other. Once it is ``spoilt``, by its home, the next job needs other servers."""

    def __init__(self, zygote: socket.socket, home: str) -> None:
        self._zygote = zygote
        self._home = home
        os.chdir(home)
        self.spoilt = False

    def decide(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return the outcome of a job, both as plain values."""
        if job["kind"] in ("script", "evaluate"):
            return self._script(job) if job["kind"] == "script" else self._evaluate(job)
        if job["record"]:
            return self._record(job)
        return self._on_answers(job) if job["list"] else self._inside(job)

    def _start(self, job: dict[str, Any], stdin: str | None = None, collects: bool = False) -> Connection:
        requests, our_requests = os.pipe()
        if collects:
            our_replies = replies = os.memfd_create("answers", os.MFD_CLOEXEC)
        else:
            our_replies, replies = os.pipe()
        streams = Streams(stdin)
        data = wire.packed_message({"limits": job["limits"]})
        socket.send_fds(self._zygote, [data], [requests, replies, *streams.descriptors])
        os.close(requests)
        if not collects:
            os.close(replies)
        streams.sent()
        return Connection(our_replies, our_requests, streams, self._zygote.fileno(), job["limits"]["output_bytes"])

    def _on_answers(self, job: dict[str, Any]) -> dict[str, Any]:
        outcome = _new_outcome(job, tamper_proof=True)
        listed, seed = job["list"], 0
        if "solution" in listed:
            # Tests that draw their inputs: the program must not know them before.
            seed = secrets.randbits(64)
            listed = self._forked(functools.partial(_recorded, listed["solution"], job, seed), job)
            if "status" in listed:
                return {**outcome, **listed}
        program = self._start(job, collects=True)
        request = {name: job[name] for name in ("program", "entry_point")}
        program.collect({**request, "op": "steps", "steps": listed["steps"], "limit": job["limits"]["output_bytes"]})
        report = self._end(program, outcome)
        replies = program.collected()
        if answers.digest(replies) == listed["answers"]:
            # The tests have passed on these very answers.
            outcome.update(status="passed", tests_run=listed["tests"])
        else:
            outcome.update(self._forked(lambda: self._verdict(job, listed, replies, seed), job))
        _conclude(outcome, report, job)
        return outcome

    def _verdict(self, job: dict[str, Any], listed: dict[str, Any], replies: bytes, seed: int) -> dict[str, Any]:
        """Return the verdict of the tests on a program's answers. Runs in a fork."""
        verdict: dict[str, Any] = {"status": "passed"}
        try:
            start, *lines = replies.decode("ascii").split("\n")[:-1] or [""]
            state = json.loads(start) if start else {}
            if "raised" in state:
                raise Raised(checked(state["raised"]))
            if "missing" in state:
                raise Raised(suites.describe(NameError(f"the program defines no {job['entry_point']!r}")))
            result = answers.replay(job, listed, lines if start else (), seed)
            verdict.update(tests_run=result.tests_run, failed_test=result.failed_test)
            if result.problem is not None:
                raise result.problem
        except BaseException as error:
            _failed(error, verdict, job)
        return verdict

    def _forked(self, work: Callable[[], dict[str, Any]], job: dict[str, Any]) -> dict[str, Any]:
        """Return what a function returns in a child of this process, or the verdict if it does not get that far."""
        read, write = os.pipe()

        def become() -> None:
            # The kernel ends it: what a program returned can keep it busy where Python looks at no signals.
            signal.setitimer(signal.ITIMER_PROF, job["checker_seconds"])
            wire.send(write, work())
            os._exit(0)

        pid = kernel.start(become)
        os.close(write)
        try:
            verdict: dict[str, Any] = wire.receive(read)
        except (EOFError, OSError):
            verdict = {}
        os.close(read)
        _, status = os.waitpid(pid, 0)
        cleanup.wipe(self._home)
        if verdict:
            return verdict
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF:
            return {"status": "timeout", "exception_message": "the checks used up their processor time"}
        return {"status": "crashed", "exception_message": "the checker crashed over what the program returned"}

    def _record(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return an outcome that observes the list of a suite, as JSON, if it has one."""
        outcome = _new_outcome(job, tamper_proof=False)
        recorded: list[dict[str, Any]] = []
        for seed in (0, 0, 1):
            made = self._forked(functools.partial(_recorded, job["program"], job, seed), job)
            if "status" in made:
                return {**outcome, **made}
            depends = self._forked(functools.partial(recorder.dependence, job, made, seed), job)
            if depends["status"] != "passed":
                return {**outcome, **depends, "status": "failed"}
            replies = made.pop("replies").encode()
            proof = self._forked(functools.partial(self._verdict, job, made, replies, seed), job)
            if proof["status"] != "passed":
                return {**outcome, **proof, "status": "failed"}
            recorded.append(made)
        if recorded[0]["answers"] != recorded[1]["answers"]:
            # Such as the time: then the tests judge every answer.
            recorded = [{**made, "answers": ""} for made in recorded]
        if recorded[0] != recorded[1]:
            return {**outcome, "status": "failed", "exception_message": "the steps differ from run to run"}
        made = recorded[0] if recorded[0] == recorded[2] else {"solution": job["program"]}
        observation = {"literal": json.dumps(made)}
        return {**outcome, "status": "passed", "observations": [observation]}

    def _inside(self, job: dict[str, Any]) -> dict[str, Any]:
        outcome = _new_outcome(job, tamper_proof=False)
        program = self._start(job)
        try:
            request = {name: job[name] for name in ("program", "kind", "tests", "support", "only", "entry_point")}
            for name in ("support", "tests"):
                code = marshal.dumps(suites.compiled(job[name], f"{name}.py")).decode("latin-1")
                request[f"{name}_code"] = code if job[name].strip() else ""
            outcome.update(inside.checked(program.ask({"op": "suite", **request})["value"]))
        except BaseException as error:
            _failed(error, outcome, job)
        _conclude(outcome, self._end(program, outcome), job)
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
                _failed(error, seen, job)
            _conclude(seen, self._end(program, seen), job)
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
            _failed(error, outcome, job)
        offsets.append(program.printed)
        _conclude(outcome, self._end(program, outcome), job)
        if len(observations) < len(job["expressions"]) and len(offsets) > 1:
            observations.append({"status": outcome["status"]})
        text = program.stdout
        for observation, start, end in zip(observations, offsets, [*offsets[1:], len(text)], strict=False):
            observation["stdout"] = text[start:end].decode("utf-8", "replace")
        return outcome

    def _end(self, program: Connection, outcome: dict[str, Any]) -> dict[str, Any]:
        """End the program's process, complete the outcome by what its server reports, and return the report."""
        report = program.end()
        self.spoilt = self.spoilt or report["last"]
        outcome["cpu_seconds"] = round(report["cpu"], 6)
        outcome["wall_seconds"] = round(report["wall"], 6)
        program.stdout = report["stdout"][1].encode("latin-1")
        outcome["stdout"] = program.stdout.decode("utf-8", "replace")
        outcome["stderr"] = report["stderr"][1].encode("latin-1").decode("utf-8", "replace")
        return report


def _failed(error: BaseException, outcome: dict[str, Any], job: dict[str, Any]) -> None:
    """Write down how the checks ended, as far as the checker saw it."""
    outcome.update(suites.failure(error, job["tests"], outcome.get("failed_test", "")))
    raised = error.described if isinstance(error, Raised) else getattr(error, "from_program", None)
    if raised is not None:
        outcome.update(classify(raised))
    elif isinstance(error, wire.MessageTooLong):
        outcome["status"] = "output"
    elif isinstance(error, ProgramGone):
        outcome.update(status="gone", exception_type="", exception_message="")
    elif isinstance(error, answers.NoAnswer):
        outcome.update(status=error.status, exception_type="")
    else:
        # Also if the checks raised over what the program returned, as in ``candidate(x)[0]`` of an empty list.
        outcome["status"] = "error" if isinstance(error, suites.NoTests) else "failed"


def _conclude(outcome: dict[str, Any], report: dict[str, Any], job: dict[str, Any]) -> None:
    """Complete the status by what the program's server reports."""
    if outcome["status"] == "gone":
        # A script may end itself as it likes: what it printed is judged, and its exit status.
        done = job["kind"] == "script" and report["exit"] == 0 and not report["reason"]
        outcome.update({"status": "passed"} if done else ending(report))
    if max(report["stdout"][0], report["stderr"][0]) > job["limits"]["output_bytes"]:
        outcome["status"] = "output"


def _recorded(solution: str, job: dict[str, Any], seed: int) -> dict[str, Any]:
    """Return the list of a suite, with the answers of the solution, or why it has none. Runs in a fork."""
    module = sys.modules["solution"] = types.ModuleType("solution")
    suites.seed()
    try:
        exec(suites.compiled(solution, "solution.py"), vars(module))
        return recorder.record(vars(module), job, seed)
    except BaseException as error:
        return {"status": "failed", **suites.failure(error, job["tests"])}


def _new_outcome(job: dict[str, Any], tamper_proof: bool) -> dict[str, Any]:
    return {
        "job_id": job["job_id"], "tests_run": 0, "tamper_proof": tamper_proof, "observations": [], "failed_test": "",
    }  # fmt: skip


def printed_lines(text: str) -> list[str]:
    """Return the lines of an output as they are compared.

    Only ``\\n`` ends a line. Trailing white space does not count, nor do empty lines at the end.
    """
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def serve(control: socket.socket, zygote: socket.socket, home: str) -> None:
    """Serve until the host is gone, or until a program's home has to be replaced."""
    if not wire.receive(zygote.fileno()).get("ready"):
        raise SystemExit("the candidate's server isn't ready")
    judge = Judge(zygote, home)
    gc.collect()
    gc.freeze()
    wire.send(control.fileno(), {"ready": True})
    with contextlib.suppress(EOFError):
        while not judge.spoilt:
            outcome = judge.decide(wire.receive(control.fileno()))
            wire.send(control.fileno(), {**outcome, "last": judge.spoilt})
