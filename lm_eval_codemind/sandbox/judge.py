"""The checker's server: holds the tests and decides.

A suite with a list of its steps is judged on answers: the program's process takes the steps (:mod:`.performer`), and
once it is gone, the tests run on what it answered, in a fork of this process (:mod:`.answers`). Nothing else of the
program reaches the tests. A suite without a list runs in the program's process (:mod:`.inside`), and a pass says
``tamper_proof: false``.
"""

import contextlib
import functools
import gc
import itertools
import json
import os
import secrets
import signal
import socket
import sys
import types
from collections.abc import Callable, Sequence
from typing import Any

from . import answers, cleanup, connection, kernel, recorder, suites, wire

# A script's runs in one process.
_TOGETHER = 32
_MALFORMED = "the program wrote something else than an answer"
_TEXTS = ("failed_test", "exception_type", "exception_message")


class Judge:
    """Decides jobs one after the other. Once it is ``spoilt``, by its home, the next job needs other servers."""

    def __init__(self, zygote: socket.socket, home: str) -> None:
        self._zygote = zygote
        self._home = home
        os.chdir(home)
        self.spoilt = False

    def decide(self, job: dict[str, Any]) -> dict[str, Any]:
        """Return the outcome of a job, both as plain values."""
        outcome = self._decided(job)
        for each in (outcome, outcome.get("further", {})):
            each.update({name: text[: suites.MOST_TEXT] for name, text in each.items() if name in _TEXTS})
        return outcome

    def _decided(self, job: dict[str, Any]) -> dict[str, Any]:
        if job["kind"] in ("script", "evaluate"):
            return self._script(job) if job["kind"] == "script" else self._evaluate(job)
        if job["record"]:
            return self._record(job)
        return self._on_answers(job, *job["lists"]) if job["lists"][0] else self._inside(job)

    def _run(
        self,
        job: dict[str, Any],
        request: dict[str, Any],
        outcome: dict[str, Any],
        **more: Any,
    ) -> dict[str, Any]:
        """Run a program's process to its end, complete the outcome by its server's report, and return the report.

        Further arguments are those of :func:`.connection.run`.
        """
        limit = job["limits"]["output_bytes"]
        request = {"program": job["program"], "limit": limit, **request}
        report = connection.run(self._zygote, job["limits"], request, **more)
        self.spoilt = self.spoilt or report["last"]
        outcome.update({f"{name}_seconds": round(report[name], 6) for name in ("cpu", "wall")})
        outcome.update({name: report[name][:limit].decode("utf-8", "replace") for name in ("stdout", "stderr")})
        return report

    def _on_answers(self, job: dict[str, Any], listed: dict[str, Any], more: dict[str, Any] | None) -> dict[str, Any]:
        """Return the outcome of a suite, and of further tests if there is a list of theirs and the suite passes."""
        outcome = _new_outcome(job, tamper_proof=True)
        seed = 0
        if "solution" in listed:
            # Tests that draw their inputs: the program must not know them before.
            seed = secrets.randbits(64)
            solution = answers.sealed(job, bytes.fromhex(listed["solution"])).decode("utf-8", "surrogatepass")
            listed = self._forked(functools.partial(_recorded, solution, job, seed), job)
            if "status" in listed:
                return {**outcome, **listed}
        further = more["steps"] if more else []
        parts: list[str] = [*listed["steps"], *further]
        # Besides the answers there is a line that says whether the program has the entry point.
        lengths = (len(json.loads(part)) for part in parts if len(parts) > 1)
        counts = list(itertools.accumulate(lengths, initial=1))
        request = {"op": "steps", "entry_point": job["entry_point"], "parts": len(parts), "further": len(further)}
        # A program may answer as much as the solution.
        request["limit"] = job["limits"]["output_bytes"] + sum(one.get("size", 0) for one in (listed, more or {}))
        later = list(zip(counts[1:], parts[1:], strict=False))
        report = self._run(job, request, outcome, steps=parts[0], parts=later)
        replies = report["answers"]
        if more:
            lines = [line + b"\n" for line in replies.split(b"\n", counts[-1])[:-1]]
            own = counts[len(listed["steps"])]
            replies, left = b"".join(lines[:own]), b"".join(lines[:1] + lines[own:])
        outcome.update(self._judged(job, listed, replies, seed))
        _conclude(outcome, report, job)
        if more and outcome["status"] == "passed" and len(lines) >= counts[-1]:
            job = {**job, "tests": job["further"]}
            outcome["further"] = {**_new_outcome(job, tamper_proof=True), **self._judged(job, more, left, seed)}
        return outcome

    def _judged(self, job: dict[str, Any], listed: dict[str, Any], replies: bytes, seed: int) -> dict[str, Any]:
        """Return the verdict on a program's answers: of the tests, or of the list if they are the solution's."""
        if answers.digest(job, replies) == listed["answers"]:
            # The tests have passed on these very answers.
            return {"status": "passed", "tests_run": listed["tests"]}
        return self._forked(lambda: self._verdict(job, listed, replies, seed), job)

    def _verdict(self, job: dict[str, Any], listed: dict[str, Any], replies: bytes, seed: int) -> dict[str, Any]:
        """Return the verdict of the tests on a program's answers. Runs in a fork."""
        verdict: dict[str, Any] = {"status": "passed"}
        try:
            most = sum(len(json.loads(part)) for part in listed["steps"]) + 1
            start, *lines = replies.decode("ascii").split("\n", most)[:-1] or [""]
            state = dict(json.loads(start)) if start else {}
            if "raised" in state:
                raise Raised(connection.checked(state["raised"]))
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
            replies = made.pop("replies")
            checks = (
                functools.partial(recorder.dependence, job, made, replies, seed),
                functools.partial(self._verdict, job, made, replies.encode(), seed),
            )
            for check in checks if made not in recorded else ():
                verdict = self._forked(check, job)
                if verdict["status"] != "passed":
                    return {**outcome, **verdict, "status": "failed"}
            recorded.append(made)
        if recorded[0]["answers"] != recorded[1]["answers"]:
            # Such as the time: then the tests judge every answer.
            recorded = [{**made, "answers": ""} for made in recorded]
        if recorded[0] != recorded[1]:
            return {**outcome, "status": "failed", "exception_message": "the steps differ from run to run"}
        solution = {"solution": answers.sealed(job, job["program"].encode("utf-8", "surrogatepass")).hex()}
        made = recorded[0] if recorded[0] == recorded[2] else solution
        observation = {"literal": json.dumps(made)}
        return {**outcome, "status": "passed", "observations": [observation]}

    def _inside(self, job: dict[str, Any]) -> dict[str, Any]:
        outcome = _new_outcome(job, tamper_proof=False)
        request = {name: job[name] for name in ("kind", "tests", "support", "only", "entry_point")}
        report = self._run(job, {"op": "suite", **request}, outcome)
        try:
            outcome.update(_checked(_value(_answers(report, 1), 0)))
        except BaseException as error:
            _failed(error, outcome, job)
        _conclude(outcome, report, job)
        return outcome

    def _script(self, job: dict[str, Any]) -> dict[str, Any]:
        def run(cases: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
            runs = _Runs(job, cases[:_TOGETHER])
            request = {"op": "script", "runs": len(runs.cases)}
            inputs = [case["stdin"] for case in runs.cases]
            times: dict[str, Any] = {}
            report = self._run(job, request, times, inputs=inputs, goes_on=runs.goes_on if len(inputs) > 1 else None)
            runs.goes_on(report)
            runs.seen[0].update({name: times[name] for name in ("cpu_seconds", "wall_seconds")})
            return runs.seen

        return script_outcome(job, run)

    def _evaluate(self, job: dict[str, Any]) -> dict[str, Any]:
        outcome = _new_outcome(job, tamper_proof=True)
        report = self._run(job, {"op": "evaluate", "expressions": job["expressions"]}, outcome)
        text, observations = report["stdout"], outcome["observations"]
        replies = _answers(report, len(job["expressions"]) + 1)
        try:
            _value(replies, 0)
            for number in range(1, len(job["expressions"]) + 1):
                try:
                    value = _value(replies, number)
                    if type(value) is not dict:
                        raise answers.NoAnswer(_MALFORMED, "error")
                    literal = value.get("literal")
                    observation = {
                        "literal": literal if type(literal) is str else None,
                        "type_name": connection.text_of(value.get("type")),
                    }
                except Raised as raised:
                    kind, message = raised.from_program["type"], raised.from_program["message"]
                    observation = {"exception_type": kind, "exception_message": message}
                start, end = (_length(replies[place]) for place in (number - 1, number))
                observations.append({**observation, "stdout": text[start:end].decode("utf-8", "replace")})
            outcome["status"] = "passed"
        except BaseException as error:
            _failed(error, outcome, job)
        outcome["tests_run"] = len(observations)
        _conclude(outcome, report, job)
        if len(observations) < len(job["expressions"]) and replies and "value" in replies[0]:
            observations.append({"status": outcome["status"]})
        return outcome


class _Runs:
    """The runs of a script in one process: ``seen`` has their outcomes, and only the last may be none that passes."""

    def __init__(self, job: dict[str, Any], cases: Sequence[dict[str, Any]]) -> None:
        self.cases = cases
        self.seen: list[dict[str, Any]] = []
        self._job = job
        self._ends = {"stdout": 0, "stderr": 0}
        self._is_over = False

    def goes_on(self, report: dict[str, Any]) -> bool:
        """Decide about the next run, by what there is of the process's report, and whether another one follows.

        The process hears of that, so that it can't change what was decided. Once it has ended, its report says how, and
        all that is left belongs to the last run.
        """
        job, number, limit = self._job, len(self.seen), self._job["limits"]["output_bytes"]
        if self._is_over or number == len(self.cases):
            return False
        replies = _answers(report, number + 1)
        ends: dict[str, int] = {}
        if "exit" not in report:
            with contextlib.suppress(IndexError, answers.NoAnswer):
                ends = {name: _length(replies[number], name.removeprefix("std")) for name in self._ends}
        texts = {name: report[name][start : ends.get(name)] for name, start in self._ends.items()}
        seen: dict[str, Any] = {"status": "passed", "cpu_seconds": 0.0, "wall_seconds": 0.0}
        try:
            status = _value(replies, number)
            if type(status) is not int:
                raise answers.NoAnswer(_MALFORMED, "error")
            if status:
                seen.update(status="error", exception_type="SystemExit", exception_message=str(status))
        except BaseException as error:
            _failed(error, seen, job)
        _conclude(seen, {"exit": None, "signal": None, "reason": "", **report, **texts}, job)
        seen.update({name: text[:limit].decode("utf-8", "replace") for name, text in texts.items()})
        self.seen.append(seen)
        self._ends |= ends
        self._is_over = not passes(seen, self.cases[number])
        return not self._is_over and len(self.seen) < len(self.cases)


class Raised(Exception):
    """The program raised an exception, which :func:`.suites.describe` described."""

    def __init__(self, described: dict[str, Any]) -> None:
        super().__init__(described["type"], described["message"])
        self.from_program = described


def _answers(report: dict[str, Any], most: int) -> list[dict[str, Any]]:
    """Return the first answers that a program's process wrote, up to one that is malformed."""
    replies: list[dict[str, Any]] = []
    with contextlib.suppress(ValueError, TypeError, RecursionError):
        for line in report["answers"].split(b"\n", most)[:most]:
            replies.append(dict(json.loads(line)))
    return replies


def _value(replies: list[dict[str, Any]], number: int) -> Any:
    """Return the value of an answer, or raise what it says instead."""
    if number >= len(replies):
        raise answers.NoAnswer("", "gone")
    if "long" in replies[number]:
        raise answers.NoAnswer("too long an answer", "output")
    if "raised" in replies[number]:
        raise Raised(connection.checked(replies[number]["raised"]))
    return replies[number].get("value")


def _length(reply: dict[str, Any], name: str = "out") -> int:
    """Return how much was printed before an answer."""
    length = reply.get(name)
    if type(length) is not int or length < 0:
        raise answers.NoAnswer(_MALFORMED, "error")
    return length


def _checked(verdict: Any) -> dict[str, Any]:
    """Return a verdict of :mod:`.inside` that is safe to read: the program's process wrote it."""
    if type(verdict) is not dict or verdict.get("status") not in ("passed", "failed", "error"):
        return {"status": "error", "exception_message": "malformed verdict"}
    record = {name: connection.text_of(verdict.get(name)) for name in ("status", *_TEXTS)}
    if record["status"] == "error":
        record["status"] = connection.classify(connection.checked(verdict.get("described")))["status"]
    count = verdict.get("tests_run")
    return {**record, "tests_run": count if type(count) is int and count >= 0 else 0}


def _failed(error: BaseException, outcome: dict[str, Any], job: dict[str, Any]) -> None:
    """Write down how the checks ended, as far as the checker saw it."""
    outcome.update(suites.failure(error, job["tests"], outcome.get("failed_test", "")))
    raised = getattr(error, "from_program", None)
    if raised is not None:
        outcome.update(connection.classify(raised))
    elif isinstance(error, answers.NoAnswer):
        outcome.update(status=error.status, exception_type="")
    elif isinstance(error, MemoryError):
        outcome.update(
            status="crashed", exception_message="the checks ran out of memory over what the program returned"
        )
    else:
        # Also if the checks raised over what the program returned, as in ``candidate(x)[0]`` of an empty list.
        outcome["status"] = "error" if isinstance(error, suites.NoTests) else "failed"


def _conclude(outcome: dict[str, Any], report: dict[str, Any], job: dict[str, Any]) -> None:
    """Complete the status by what the program's server reports."""
    if outcome["status"] == "gone":
        # A script may end itself as it likes: what it printed is judged, and its exit status.
        done = job["kind"] == "script" and report["exit"] == 0 and not report["reason"]
        outcome.update({"status": "passed"} if done else connection.ending(report))
    if max(len(report["stdout"]), len(report["stderr"])) > job["limits"]["output_bytes"]:
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


def script_outcome(
    job: dict[str, Any], run: Callable[[Sequence[dict[str, Any]]], Sequence[dict[str, Any]]]
) -> dict[str, Any]:
    """Return the outcome of a script, whose cases run up to the first that does not pass.

    A function runs cases in their order, and returns the outcomes of one or more of them without a look at what they
    printed. The first has a process of its own. Later ones may share a process, and count only if they pass: what runs
    before them could be why they don't. Once one does not pass, no more share a process, so that a program that draws
    its answers by chance gains one more draw, at most.
    """
    outcome = _new_outcome(job, tamper_proof=True)
    cpu = wall = 0.0
    cases, observed = job["cases"], outcome["observations"]
    shares = True
    while len(observed) < len(cases) and not outcome["failed_test"]:
        first, *others = cases[len(observed) :]
        # Nothing would say whether an earlier run has changed an output that is only wanted.
        others = list(itertools.takewhile(lambda case: case["stdout"] is not None, others)) if shares else []
        for place, (case, seen) in enumerate(zip([first, *others], run([first, *others]), strict=False)):
            cpu, wall = cpu + seen["cpu_seconds"], wall + seen["wall_seconds"]
            is_right = passes(seen, case)
            if place and not is_right:
                shares = False
                break
            if seen["status"] == "passed" and not is_right:
                seen = {**seen, "status": "failed"}
            outcome["tests_run"] += seen["status"] in ("passed", "failed")
            outcome.update(seen)
            if not is_right:
                outcome["failed_test"] = f"case {len(observed)}"
            keep = ("status", "stdout", "exception_type", "exception_message")
            observed.append({name: seen[name] for name in keep if name in seen})
            if not is_right:
                break
        outcome.update(cpu_seconds=cpu, wall_seconds=wall)
    return outcome


def passes(seen: dict[str, Any], case: dict[str, Any]) -> bool:
    """Whether a run of a script ended well and printed what it must."""
    wanted = case["stdout"]
    is_right = wanted is None or printed_lines(seen["stdout"]) == printed_lines(wanted)
    return seen["status"] == "passed" and is_right


def printed_lines(text: str) -> list[str]:
    """Return the lines of an output as they are compared: without white space at their ends, or empty ones at the end.

    Only ``\\n`` ends a line.
    """
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def serve(control: socket.socket, zygote: socket.socket, home: str) -> None:
    """Serve until the host is gone, or until a program's home has to be replaced."""
    wire.receive(zygote.fileno())
    judge = Judge(zygote, home)
    gc.collect()
    gc.freeze()
    wire.send(control.fileno(), {"ready": True})
    with contextlib.suppress(EOFError):
        while not judge.spoilt:
            outcome = judge.decide(wire.receive(control.fileno()))
            wire.send(control.fileno(), {**outcome, "last": judge.spoilt})
