"""Runs inside the sandbox, behind the recorder's source: inputs and chains, with the state that they write.

It imports nothing of this package but the recorder.
"""

from __future__ import annotations

import ast
import copy
import functools
import hashlib
import random
import string
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from lm_eval_codemind.workshop.python.recorder import Recorder, Stopped, compiled, record, written

_record = record
compiled = functools.lru_cache(maxsize=512)(compiled.__wrapped__)

CLASSES = 11
# In seconds since the epoch: a day of 2026, when the first seeds were made.
_MOMENT = 1_790_000_000
# Programs that write so little state are rare, so all their calls are measured; of other programs a few are.
_RARE, _FEW = 70, 2
# Characters of a value in a chain.
_SHORTEST, _LONGEST = 4, 120
_TRIES = 150
# Executed lines after which functions do not end soon, and the length or bits of a variable that makes a line slow.
_LINES, _LARGE = 3_000, 100_000


class _Counter(Recorder):
    """Adds up the characters of the values that steps change, and ends the program above ``max_state``."""

    def __init__(self, *args: Any, max_state: int, **options: Any) -> None:
        super().__init__(*args, everything=True, stop=True, **options)
        self._left = max_state
        self._numbered: list[int | None] = []

    def seen(self, record: Any) -> list[list[Any]]:
        """Return the changes, after their lengths were added."""
        changes = super().seen(record)
        for literal in list(self._texts)[len(self._numbered) :]:
            self._numbered.append(None if literal[1] is None else len(literal[1]))
        for _, number in changes:
            length = 0 if number < 0 else self._numbered[number]
            if length is None or length > self._left:
                self.truncated = True
                raise Stopped
            self._left -= length
        return changes


def measured(program: str, call: str, max_state: int) -> list[Any] | None:
    """Return the state that a call writes, its steps and its output; None for a call that is no use."""
    counter: list[_Counter] = []

    def make(*args: Any, **options: Any) -> _Counter:
        counter.append(_Counter(*args, max_state=max_state, **options))
        return counter[0]

    seen = _record(program, script=False, expression=call, make=make, max_steps=2 * max_state, max_value=max_state)
    output = seen["output"]
    if seen["truncated"] or seen["threads"] or seen["exception"] or output is None or output[1] is None:
        return None
    return [max_state - counter[0]._left, len(seen["steps"]), output[1]]


def is_shown(program: str, call: str, output: str) -> bool:
    """Whether an output stands in its prompt, or is so short that it soon would."""
    bare = output.strip("'\"")
    return len(bare) < 3 or bare in program or bare in call


def class_of(call: str) -> int:
    """Return the class of a call. Each seed has the calls of one class."""
    return int.from_bytes(hashlib.sha256(call.encode()).digest()[:4], "big") % CLASSES


def generated(program: str, generator: str, seed: str, seed_class: int, count: int, max_state: int) -> list[list[Any]]:
    """Return calls that a generator of inputs makes, of one class, with what :func:`measured` says of them.

    The clock stands still, so that a seed has the same questions on every day.
    """
    import time_machine

    with time_machine.travel(_MOMENT, tick=False):
        calls = _calls(program, generator, seed, seed_class, count, max_state)
        rows: list[list[Any]] = []
        for number, call in enumerate(calls):
            run = measured(program, call, max_state)
            if run is not None:
                rows.append([call, *run])
            if number == _FEW and all(row[1] > _RARE for row in rows):
                break
    return rows


def _calls(program: str, generator: str, seed: str, seed_class: int, count: int, max_state: int) -> list[str]:
    random.seed(seed)
    namespace: dict[str, Any] = {"Random": random.Random, "__name__": "program"}
    exec(compile(program + "\n\n" + generator, "program.py", "exec", dont_inherit=True), namespace)
    calls: list[str] = []
    for number in range(CLASSES * 12):
        inputs = namespace["generate_inputs"](random.Random(f"{seed}:{number}"))
        texts = {name: written(value, max_state) for name, value in inputs.items()}
        call = "main_solution(" + ", ".join(f"{name}={text}" for name, text in texts.items()) + ")"
        if None not in texts.values() and class_of(call) == seed_class and call not in calls:
            calls.append(call)
        if len(calls) == count:
            break
    return calls


def _varied(value: Any, rng: random.Random) -> Any:
    """Return another value of the same type, for the start of a chain."""
    if isinstance(value, str):
        length = max(1, len(value) + rng.randint(-2, 2)) if rng.random() < 0.5 else rng.randint(2, 12)
        pool = value + "".join(rng.choices(string.ascii_letters + string.digits, k=len(value) // 2 + 2))
        return "".join(rng.choice(pool) for _ in range(length))
    if type(value) is int:
        return rng.randint(0, max(20, 3 * abs(value)))
    if isinstance(value, (list, tuple)):
        items = [_varied(item, rng) for item in value] or [rng.randint(0, 50) for _ in range(3)]
        items += [_varied(rng.choice(items), rng) for _ in range(rng.randint(0, 2))]
        return type(value)(items[: rng.randint(1, len(items))])
    if isinstance(value, dict):
        return {_varied(key, rng): _varied(item, rng) for key, item in value.items()} or {"k": rng.randint(0, 50)}
    return value


def chains(
    sources: Sequence[str], starts: Sequence[str], seed: str, seed_class: int, low: int, high: int, count: int
) -> list[list[Any]]:
    """Return chains that write a state between two bounds: numbers of functions, call, then as :func:`measured`.

    Args:
        sources: Functions ``f`` of one argument.
        starts: An argument of each, as a literal.
    """
    rng = random.Random(seed)
    functions = [_loaded(source) for source in sources]
    made: list[list[Any]] = []
    for _ in range(count * 100):
        chain = _chain(functions, sources, ast.literal_eval(rng.choice(starts)), rng, seed_class, low, high)
        if chain is not None and all(chain[-1] != other[-1] for other in made):
            made.append(chain)
        if len(made) == count:
            break
    return made


def _loaded(source: str) -> Callable[[Any], Any]:
    namespace: dict[str, Any] = {"__name__": "program"}
    exec(compile(source, "program.py", "exec", dont_inherit=True), namespace)
    return namespace["f"]  # type: ignore[no-any-return]


def _chain(
    functions: Sequence[Callable[[Any], Any]],
    sources: Sequence[str],
    example: Any,
    rng: random.Random,
    seed_class: int,
    low: int,
    high: int,
) -> list[Any] | None:
    calls = ((value, f"chain({written(value, _LONGEST)})") for value in _variants(example, rng, low))
    value, call = next(((value, call) for value, call in calls if class_of(call) == seed_class), (None, ""))
    numbers: list[int] = []
    values = [value]
    # What each chain with a dead link would have made so far; what raises is not followed.
    others: list[Any] = []
    # The one variable of `chain`.
    state = len(call) - len("chain()")
    while call and state < low:
        for number in rng.sample(range(len(functions)), min(_TRIES, len(functions))):
            function = functions[number]
            after = None if number in numbers else _applied([function], values[-1])
            text = None if after is None else written(after, _LONGEST)
            if text is None or len(text) < _SHORTEST or _same(after, values[-1]):
                continue
            # What costs least comes first: the state is limited by what is left of it.
            run = measured(sources[number], f"f({written(values[-1], _LONGEST)})", high - state)
            if run is None or run[2] != text:
                continue
            changed = _changed(function, values, after, others)
            if changed is not None:
                break
        else:
            return None
        state += run[0]
        numbers.append(number)
        values.append(after)
        others = changed
    half = len(numbers) // 2
    linked = [functions[number] for number in numbers]
    parts = (linked[:half], linked[half:], linked[::2], linked[1::2])
    if len(numbers) < 2 or any(_same(_applied(part, value), values[-1]) for part in parts):
        return None
    program = chain_source([sources[number] for number in numbers])
    run = measured(program, call, high)
    if run is None or run[0] < low or run[2] != written(values[-1], _LONGEST) or is_shown(program, call, run[2]):
        return None
    return [numbers, call, *run]


def _variants(example: Any, rng: random.Random, low: int) -> Iterator[Any]:
    """Yield values like an example that are short enough for a chain."""
    for _ in range(CLASSES * 12):
        value = _varied(example, rng)
        text = written(value, _LONGEST)
        if text is not None and 4 * len(text) <= max(low, 20):
            yield value


def _changed(
    function: Callable[[Any], Any], values: Sequence[Any], value: Any, others: Sequence[Any]
) -> list[Any] | None:
    """Return what the chains with a dead link make after one more link; None if one makes the value that it makes.

    A link is dead if the output is the same without it, or with the value of the link before it or after it.
    """
    changed = [values[-1]]
    for other in (*values[-2:-1], value, *others):
        after = _applied([function], other)
        if after is not None:
            changed.append(after)
        if _same(changed[-1], value):
            return None
    return changed


def _applied(functions: Sequence[Callable[[Any], Any]], value: Any) -> Any:
    """Return what functions make of a value, one after the other; None if one raises, does not end soon or grows."""
    left = _LINES

    def counted(frame: types.FrameType, event: str, argument: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0 or any(map(_is_large, frame.f_locals.values())):
            raise Stopped
        return counted

    try:
        for function in functions:
            value = copy.deepcopy(value)
            sys.settrace(counted)
            value = function(value)
            sys.settrace(None)
    except (Exception, Stopped):
        return None
    finally:
        sys.settrace(None)
    return value


def _is_large(value: Any) -> bool:
    if isinstance(value, int):
        return value.bit_length() > _LARGE
    return hasattr(value, "__len__") and len(value) > _LARGE


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other


def chain_source(sources: Sequence[str]) -> str:
    """Return a program with functions ``f1``, ``f2`` and so on, and ``chain``, which calls them in turn."""
    parts = [source.strip("\n").replace("def f(", f"def f{number}(", 1) for number, source in enumerate(sources, 1)]
    nested = "value"
    for number in range(1, len(sources) + 1):
        nested = f"f{number}({nested})"
    return "\n\n\n".join([*parts, f"def chain(value):\n    return {nested}\n"])


def record(task: str, stdin: str = "", **options: Any) -> Any:  # type: ignore[no-redef]
    """Return what ``generated`` or ``chains`` returns."""
    tasks: dict[str, Callable[..., Any]] = {"generated": generated, "chains": chains}
    return tasks[task](**options)
