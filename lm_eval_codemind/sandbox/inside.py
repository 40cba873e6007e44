"""Judging inside: tests and program run together in one fresh process, as plain Python runs them.

Nothing is emulated and nothing is protected. The program can forge the verdict, so that an outcome from here says
``tamper_proof: false``.
"""

from typing import Any

from . import suites


def run(program: dict[str, Any], request: dict[str, Any]) -> dict[str, Any]:
    """Run a suite and return the verdict as plain values.

    The program ran in the namespace ``program``. The request has the job's other attributes.
    """
    namespace = program
    if request["support"].strip():
        # A program does not see what only its tests import.
        namespace = suites.new_module()
        namespace.update({name: program[name] for name in program if not name.startswith("__") or name == "__file__"})
    verdict: dict[str, Any] = {"status": "passed", "tests_run": 0}
    try:
        if request["entry_point"] and request["entry_point"] not in program:
            raise NameError(f"the program defines no {request['entry_point']!r}")
        if namespace is not program:
            exec(suites.compiled(request["support"], "support.py"), namespace)
        if request["entry_point"]:
            namespace[request["entry_point"]] = program[request["entry_point"]]
        tests = suites.compiled(request["tests"], "tests.py")
        result = suites.run(namespace, tests, request["kind"], request["entry_point"], request["only"])
        verdict.update(tests_run=result.tests_run, failed_test=result.failed_test)
        if result.problem is not None:
            raise result.problem
    except BaseException as error:
        if isinstance(error, SystemExit) and not error.code:
            files = [trace.tb_frame.f_code.co_filename for trace in suites.traces(error)]
            if program["__file__"] not in files:
                # The tests have come to their end.
                return {**verdict, "tests_run": 1}
        verdict.update(suites.failure(error, request["tests"], verdict.get("failed_test", "")))
        verdict["status"] = "failed" if isinstance(error, AssertionError) else "error"
        verdict["described"] = suites.describe(error)
    return verdict
