"""From a recording to a folder of programs: cut, executed twice, chosen, proven and written."""

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from lm_eval_codemind.data.own import PROGRAMS, OwnProblem, OwnPrograms, Program, keep, proven
from lm_eval_codemind.files import write_whole
from lm_eval_codemind.problems import digest
from lm_eval_codemind.workshop.capture.choosing import (
    LEAST_STEPS,
    balanced,
    by_function,
    problem_of,
    reason_against,
    steps_of,
)
from lm_eval_codemind.workshop.capture.cutting import NotCut, Package, cut
from lm_eval_codemind.workshop.capture.recording import Call, Called, Recording
from lm_eval_codemind.workshop.capture.trying import Cut, Tried, tried
from lm_eval_codemind.workshop.proof.own import with_labels

# Calls of a function that are executed.
_CALLS = 12
_BANDS = ((3, 9), (10, 29), (30, 99), (100, None))


@dataclass
class Captured:
    """What a capture gave.

    Attributes:
        functions: How many functions the tests called.
        reproduced: Names of the functions for which program and package agree, each with the number of such calls.
        problems: The problems of the folder, with their outputs.
        steps: Name of a problem -> steps of its execution.
        left_out: Name of a function, or of a call -> why nothing is asked about it.
    """

    functions: int
    reproduced: Counter[str]
    problems: list[OwnProblem] = field(default_factory=list)
    steps: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)


def capture(recording: Recording, folder: Path, lines: int, say: Callable[[str], None]) -> Captured:
    """Write the programs of a recording into a folder.

    Args:
        recording: The calls of its functions.
        folder: Where ``programs.jsonl``, its proof, ``left_out.jsonl`` and ``summary.md`` are written.
        lines: The most lines of a program.
        say: Tells users how far it is.

    Raises:
        MissingExtra: If ``time-machine`` is not installed.
        IsolationUnavailable: If programs cannot be executed safely on this machine.
    """
    left_out: dict[str, str] = {}
    cuts = _cuts(recording, left_out)
    say(f"{len(recording.functions)} functions were called; {len(cuts)} calls run in the sandbox and in the package")
    agreeing, failed = tried(cuts, recording.python)
    captured = Captured(len(recording.functions), Counter(_name(call.function) for call in agreeing), left_out=left_out)
    for disagreeing, reason in failed:
        left_out[f"{_name(disagreeing.function)}: {disagreeing.call.text}"] = reason
    candidates = _candidates(agreeing, lines, captured)
    say(f"{len(agreeing)} agree; {len(candidates)} of them are good questions and are proven")
    _prove(candidates, captured)
    _write(folder, captured, recording)
    return captured


def _name(function: Called) -> str:
    return f"{function.module}.{function.name}"


def _cuts(recording: Recording, left_out: dict[str, str]) -> list[Cut]:
    source = Package({module: path for module, file in recording.modules.items() if (path := Path(file)).is_file()})
    cuts = []
    known: dict[tuple[object, ...], str | NotCut] = {}
    for function in recording.functions:
        if not function.calls:
            unwritten = f"an argument has no source: {function.reason}"
            why = unwritten if function.kind else "it cannot be called by its name"
            left_out[_name(function)] = why
        for call in function.calls[:_CALLS]:
            attributes = frozenset(re.findall(r"\.([A-Za-z_]\w*)", call.text))
            key = (call.needs, call.definitions, attributes)
            if key not in known:
                known[key] = _program(source, call, attributes)
            program = known[key]
            if isinstance(program, NotCut):
                left_out[_name(function)] = str(program)
            else:
                cuts.append(Cut(function, call, program))
    return cuts


def _program(source: Package, call: Call, attributes: frozenset[str]) -> str | NotCut:
    places = [tuple(place.split(":")) for _, place in call.needs]
    try:
        code = cut(source, [(module, name) for module, name in places], attributes)
    except NotCut as reason:
        return reason
    return "\n\n\n".join([code.strip("\n"), *call.definitions]).strip("\n") + "\n"


def _candidates(agreeing: Sequence[Tried], lines: int, captured: Captured) -> list[Program]:
    """Return the calls that are good questions, as programs with the outputs that the package gave."""
    good = []
    for call in agreeing:
        reason = reason_against(call, lines)
        if reason:
            captured.left_out[f"{_name(call.function)}: {call.call}"] = reason
        else:
            good.append(call)
    steps = {}
    for call, number in zip(good, steps_of([problem_of(call, 0) for call in good]), strict=True):
        if number < LEAST_STEPS:
            captured.left_out[f"{_name(call.function)}: {call.call}"] = (
                f"the execution has fewer than {LEAST_STEPS} steps"
            )
        else:
            steps[id(call)] = number
    numbers: Counter[str] = Counter()
    programs = []
    for call in by_function(call for call in good if id(call) in steps):
        numbers[_name(call.function)] += 1
        problem = problem_of(call, numbers[_name(call.function)])
        captured.steps[problem.problem_id] = steps[id(call)]
        parts = Path(call.function.file).parts
        top = call.function.module.split(".")[0]
        file = "/".join(parts[len(parts) - 1 - parts[::-1].index(top) :]) if top in parts else parts[-1]
        programs.append(Program(replace(problem, provenance=file), "", call.label))
    return programs


def _prove(candidates: Sequence[Program], captured: Captured) -> None:
    problems, causes = proven(candidates)
    captured.left_out |= causes
    stay, gone = balanced(problems)
    for problem in gone:
        captured.left_out[f"{problem.problem_id}: {problem.input}"] = "its output is frequent, or stands in the call"
    # Their lines are chosen as they are if the folder's file is proven again.
    for problem, execution in with_labels([(problem, problem.execution) for problem in stay]):
        captured.problems.append(replace(problem, execution=execution))


def _write(folder: Path, captured: Captured, recording: Recording) -> None:
    rows = [
        {
            "id": problem.problem_id,
            "code": problem.code,
            "call": problem.input,
            "output": problem.output,
            "file": problem.provenance,
        }
        for problem in captured.problems
    ]
    file = folder / PROGRAMS
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    write_whole(file, content)
    keep(file, OwnPrograms(tuple(captured.problems), {}, digest(content)))
    left_out = [{"name": name, "reason": reason} for name, reason in captured.left_out.items()]
    write_whole(folder / "left_out.jsonl", "".join(json.dumps(row) + "\n" for row in left_out))
    write_whole(folder / "summary.md", summary(captured, recording))


def summary(captured: Captured, recording: Recording) -> str:
    """Return what people read about a capture, as Markdown."""
    problems = captured.problems
    functions = Counter(problem.problem_id.rpartition("/")[0] for problem in problems)
    lines = sorted(len(problem.code.splitlines()) for problem in problems) or [0]
    reasons = Counter(reason.partition(":")[0] for reason in captured.left_out.values())
    bands = [
        (f"{low} to {high}" if high else f"{low} or more", sum(low <= n <= (high or n) for n in _steps(captured)))
        for low, high in _BANDS
    ]
    text = f"""# Captured programs

| what | number |
|---|--:|
| functions that the tests called | {captured.functions} |
| functions for which a cut program gives what the package gives | {len(captured.reproduced)} |
| such calls | {captured.reproduced.total()} |
| functions with good questions | {len(functions)} |
| problems | {len(problems)} |
| lines of a program, median and longest | {median(lines):.0f}, {lines[-1]} |
| tests that failed | {len(recording.failed)} |

| steps of an execution | problems |
|---|--:|
"""
    text += "".join(f"| {band} | {number} |\n" for band, number in bands)
    if recording.failed:
        text += "\n## Tests that failed\n\n" + "".join(f"- `{name}`\n" for name in recording.failed)
    text += "\n## Left out\n\nBy name in `left_out.jsonl`.\n\n| reason | number |\n|---|--:|\n"
    text += "".join(f"| {reason} | {number} |\n" for reason, number in reasons.most_common())
    text += "\n## Functions\n\n| function | problems |\n|---|--:|\n"
    return text + "".join(f"| `{name}` | {number} |\n" for name, number in sorted(functions.items()))


def _steps(captured: Captured) -> list[int]:
    return [captured.steps[problem.problem_id] for problem in captured.problems]
