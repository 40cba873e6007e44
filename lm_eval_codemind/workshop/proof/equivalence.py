"""Comparison of the behaviour of two programs: on a problem's test suite and on further inputs."""

import ast
import copy
import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache
from random import Random
from typing import Any, TypeVar

from lm_eval_codemind.data.catalogue.limits import limits_of
from lm_eval_codemind.problems import Problem
from lm_eval_codemind.sandbox import CaseOutcome, Job, Limits, Outcome, Sandbox, Status
from lm_eval_codemind.workshop.python.kinds import workshop_kind
from lm_eval_codemind.workshop.seeded import SeededPool

FURTHER_INPUTS = 26
_ATTEMPTS = 40  # per requested input; a program without arguments has no further inputs
_INPUTS_OF_SCRIPTS = 12  # each needs a separate process
_UNFINISHED = 6  # inputs that may be left out; after that the remaining inputs are left out too

# A mutated input may cause an endless loop. An input on which C exceeds its limits is not compared. C+ gets more time,
# because it may call additional libraries and functions.
_LIMITS_OF_ORIGINAL = Limits(cpu_seconds=1, wall_seconds=10)
_LIMITS_OF_OTHER = Limits(cpu_seconds=20, wall_seconds=60)

Verdict = tuple[tuple[str, str, str], ...]
Item = TypeVar("Item")
Result = TypeVar("Result")


class SingleThreadedMap:
    """A sandbox for work on several problems: while one problem waits for outcomes, work on another continues.

    In CPython 3.11 all threads share one counter for the depth of the tree that ``ast.parse`` builds. If the garbage
    collector runs Python code while two threads parse, they fail with ``SystemError: AST constructor recursion depth
    mismatch``. So threads switch only when one of them waits for outcomes.

    Args:
        sandbox: Executes the jobs.
        other: One whose work goes on meanwhile, too; its :meth:`map` runs the functions then.
    """

    def __init__(self, sandbox: Sandbox | SeededPool, other: "SingleThreadedMap | None" = None) -> None:
        self._sandbox = sandbox
        self._turn: threading.Lock = other._turn if other else threading.Lock()

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Yield the result of ``work`` for each item, in the items' order.

        Raises:
            Exception: If ``work`` raises it. It is raised at the position of its item.
        """

        def one(item: Item) -> Result:
            with self._turn:
                return work(item)

        assert isinstance(self._sandbox, Sandbox)
        with ThreadPoolExecutor(2 * self._sandbox.workers) as pool:
            yield from pool.map(one, items)

    def run(self, jobs: Iterable[Job]) -> list[Outcome]:
        """Return the outcomes of jobs, in their order. Only functions that :meth:`map` runs may call it."""
        futures = [self._sandbox.submit(job) for job in jobs]
        self._turn.release()
        try:
            return [future.result() for future in futures]
        finally:
            self._turn.acquire()


class Equivalence:
    """A comparison of programs with a problem's own program. The results of the problem's own program are cached.

    Args:
        inputs: The number of further inputs. A problem may have fewer distinct ones.
    """

    def __init__(self, sandbox: Sandbox | SingleThreadedMap, inputs: int = FURTHER_INPUTS) -> None:
        self._sandbox = sandbox
        self._inputs = inputs
        self.original_verdict = lru_cache(maxsize=None)(self._original_verdict)
        self.original_behaviour = lru_cache(maxsize=None)(self._original_behaviour)

    def difference(self, problem: Problem, code: str) -> str:
        """Return a description of the difference between a program and the problem's own; empty if there is none."""
        expected = self.original_verdict(problem)
        in_detail = not _passes(expected)
        actual = self._verdict(problem, code, in_detail)
        if actual != expected:
            # A difference that a second run does not show, or that C also has, comes from the clock or a busy machine.
            actual = self._verdict(problem, code, in_detail)
        if actual != expected and actual != self._verdict(problem, problem.code, in_detail):
            place = next(
                (pair for pair in zip(expected, actual, strict=False) if pair[0] != pair[1]), (expected, actual)
            )
            return f"tests: {place[0]} became {place[1]}"
        return self.further_difference(problem, code)

    def original_passes(self, problem: Problem) -> bool:
        """Whether the problem's own program passes all of its tests."""
        return _passes(self.original_verdict(problem))

    def further_difference(self, problem: Problem, code: str) -> str:
        """Return the result of :meth:`difference` for the further inputs only."""
        texts, expected = self.original_behaviour(problem)
        if not expected:
            return ""
        observations = self._observe(problem, code, texts, _LIMITS_OF_OTHER)
        for text, one, other in zip(texts, expected, [*observations, *[None] * len(expected)], strict=False):
            if other is None or _seen(one) != _seen(other):
                difference = self._difference_alone(problem, code, text)
                if difference:
                    return difference
        return ""

    def _difference_alone(self, problem: Problem, code: str, text: str) -> str:
        """Return the difference on a single input, in a run without files that other inputs wrote.

        If two runs of C differ, the input shows nothing about C+.
        """

        def run(program: str, limits: Limits) -> tuple[str | None, ...] | None:
            observed = self._observe(problem, program, [text], limits)
            return _seen(observed[0]) if observed else None

        one, other = run(problem.code, _LIMITS_OF_ORIGINAL), run(code, _LIMITS_OF_OTHER)
        if one == other or one != run(problem.code, _LIMITS_OF_ORIGINAL):
            return ""
        return f"input {text!r}: {one} became {other}"

    def compared_inputs(self, problem: Problem) -> int:
        """Return the number of further inputs on which a problem's programs are compared."""
        return len(self.original_behaviour(problem)[1])

    def _original_verdict(self, problem: Problem) -> Verdict:
        verdict = self._verdict(problem, problem.code)
        return verdict if _passes(verdict) else self._verdict(problem, problem.code, in_detail=True)

    def _verdict(self, problem: Problem, code: str, in_detail: bool = False) -> Verdict:
        """Return status, failed test and exception of the suite; in detail, those of each test method."""
        kind = workshop_kind(problem)
        # Each test runs separately, so each has an outcome.
        names = kind.test_names(problem) if in_detail else ()
        selections: list[tuple[str, ...]] = [(name,) for name in names] or [()]
        job = kind.suite_job(problem, code, limits=limits_of(problem))
        jobs = [replace(job, only=only) for only in selections]
        return tuple((str(o.status), o.failed_test, o.exception_type) for o in self._sandbox.run(jobs))

    def _original_behaviour(self, problem: Problem) -> tuple[list[str], list[CaseOutcome]]:
        printed = workshop_kind(problem).printed
        texts = further_inputs(problem, min(self._inputs, _INPUTS_OF_SCRIPTS) if printed else self._inputs)
        observed: list[CaseOutcome] = []
        inputs: list[str] = []
        unfinished = 0
        # An input on which C does not finish is left out. Then the remaining inputs run again.
        while texts and unfinished < _UNFINISHED:
            outcomes = self._observe(problem, problem.code, texts, _LIMITS_OF_ORIGINAL)
            good = next((i for i, o in enumerate(outcomes) if o.status is not Status.PASSED), len(outcomes))
            observed += outcomes[:good]
            inputs += texts[:good]
            texts = texts[good + 1 :]
            unfinished += 1
        return inputs, observed

    def _observe(self, problem: Problem, code: str, texts: Sequence[str], limits: Limits) -> list[CaseOutcome]:
        job = workshop_kind(problem).observing_job(code, texts, limits)
        return list(self._sandbox.run([job])[0].observations)


def _passes(verdict: Verdict) -> bool:
    return all(status == Status.PASSED.value for status, _, _ in verdict)


def _seen(observation: CaseOutcome) -> tuple[str | None, ...]:
    """Return the parts of an outcome that must be equal: value, type, printed output, exception type and status."""
    return (
        observation.literal,
        observation.type_name,
        observation.stdout,
        observation.exception_type,
        str(observation.status),
    )


# --- Further inputs: mutations of the problem's input and of its tests' inputs


def further_inputs(problem: Problem, count: int) -> list[str]:
    """Return up to `count` inputs that the problem's tests do not have, in the form of ``problem.input``.

    The random seed is the problem's name, so the inputs are the same on every machine. A mutation changes constants in
    calls and test methods, and numbers, words or lines on stdin. About one mutation in ten changes a value's type.
    """
    kind = workshop_kind(problem)
    known = kind.known_inputs(problem)
    mutate = _mutated_text if kind.printed else _mutated_source
    rng = Random(int.from_bytes(hashlib.sha256(problem.problem_id.encode()).digest(), "big"))
    inputs: dict[str, None] = {}
    for _ in range(count * _ATTEMPTS):
        if len(inputs) == count:
            break
        text = rng.choice(known)
        for _ in range(1 + rng.randrange(3)):
            text = mutate(text, rng)
        if text not in known:
            inputs[text] = None
    return list(inputs)


def _mutated_source(source: str, rng: Random) -> str:
    tree = ast.parse(source)
    # Each place is a list with a position, or the fields of a node with a name.
    places: list[tuple[Any, Any]] = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Expr, ast.JoinedStr, ast.MatchValue)):
            continue
        for name, value in ast.iter_fields(node):
            holder: Any = value if isinstance(value, list) else vars(node)
            for key, item in enumerate(value) if isinstance(value, list) else [(name, value)]:
                changeable = isinstance(item, (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set))
                if changeable and isinstance(getattr(item, "ctx", ast.Load()), ast.Load):
                    places.append((holder, key))
    if not places:
        return source
    holder, key = rng.choice(places)
    holder[key] = _changed(holder[key], rng)
    return ast.unparse(ast.fix_missing_locations(tree))


def _changed(node: ast.expr, rng: Random) -> ast.expr:
    if rng.randrange(10) == 0:
        value: Any = rng.choice([None, 0, -1, True, 2.5, "", "a", [], (), {}, [1, "x"]])
        return ast.parse(repr(value), mode="eval").body
    if isinstance(node, ast.Constant):
        return ast.parse(repr(_changed_value(node.value, rng)), mode="eval").body
    node = copy.deepcopy(node)
    if isinstance(node, ast.Dict):
        if node.keys:
            place = rng.randrange(len(node.keys))
            del node.keys[place], node.values[place]
        return node
    assert isinstance(node, (ast.List, ast.Tuple, ast.Set))
    node.elts = _changed_sequence(node.elts, rng)
    # `{}` is a dictionary.
    return ast.parse("set()", mode="eval").body if isinstance(node, ast.Set) and not node.elts else node


def _changed_value(value: Any, rng: Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice([value + 1, value - 1, -value, 0, 1, value * 2, value // 2, rng.randrange(-20, 100)])
    if isinstance(value, float):
        return rng.choice([value + 1, -value, 0.0, value / 2, float(rng.randrange(-10, 10)), value * 1.5])
    if isinstance(value, str):
        return _changed_text(value, rng)
    if isinstance(value, bytes):
        return bytes(_changed_sequence(list(value), rng))
    return value


def _changed_text(text: str, rng: Random) -> str:
    changes: list[Callable[[], str]] = [
        lambda: "".join(_changed_sequence(list(text), rng)),
        text.swapcase,
        lambda: text[::-1],
        lambda: text + rng.choice([" ", "a", "Z", "0", "é", "\n", "(", "-"]),
        lambda: rng.choice(["", " ", "abc", "1", "AbA"]),
    ]
    return rng.choice(changes)()


def _changed_sequence(items: list[Any], rng: Random) -> list[Any]:
    if not items:
        return items
    first, second = rng.randrange(len(items)), rng.randrange(len(items))
    changed = list(items)
    kind = rng.randrange(4)
    if kind == 0:
        del changed[first]
    elif kind == 1:
        changed.insert(second, items[first])
    elif kind == 2:
        changed[first], changed[second] = items[second], items[first]
    else:
        changed.reverse()
    return changed


def _mutated_text(text: str, rng: Random) -> str:
    lines = text.splitlines()
    if not lines:
        return "1\n"
    if len(lines) > 1 and rng.randrange(8) == 0:
        return "\n".join(_changed_sequence(lines, rng)) + "\n"
    place = rng.randrange(len(lines))
    words = lines[place].split(" ")
    word = rng.randrange(len(words))
    if words[word].lstrip("-").isdecimal() and len(words[word]) < 20:
        words[word] = str(_changed_value(int(words[word]), rng))
    else:
        words[word] = _changed_text(words[word], rng)
    lines[place] = " ".join(words)
    return "\n".join(lines) + "\n"
