"""What runs in the sandbox: the state of a call, classes of calls, and chains with live links only."""

import ast
import random

import pytest
import time_machine

from lm_eval_codemind.data.facts.horizon import BOUNDS, STATES, level_of
from lm_eval_codemind.workshop.python.horizon_runs import (
    CLASSES,
    chain_source,
    chains,
    class_of,
    generated,
    is_shown,
    measured,
)
from lm_eval_codemind.workshop.python.tracing import state_written, trace

FUNCTIONS = (
    "def f(text):\n    return text[::-1]\n",
    "def f(text):\n    return text.swapcase() + '-'\n",
    "def f(text):\n    out = ''\n    for char in text:\n        out = char + out + char\n    return out[:20]\n",
    "def f(text):\n    return ''.join(sorted(text))\n",
    "def f(text):\n    return text.replace('a', 'bc')\n",
    "def f(text):\n    words = [char * 2 for char in text]\n    return ''.join(words)[3:]\n",
    "def f(text):\n    return 'always'\n",
    "def f(text):\n    while True:\n        text += 'x'\n",
    "def f(text):\n    size = len(text) + 2\n    while size:\n        size **= 2\n    return text\n",
)


def test_the_state_is_what_the_tracer_sees():
    program = "def g(n):\n    xs = []\n    for i in range(n):\n        xs.append(i * 10)\n    return xs\n"
    seen = trace(program, "g(3)", max_steps=100, max_value=1000)
    # n, then xs four times as it grows, then i three times.
    by_hand = len("3") + sum(map(len, ("[]", "[0]", "[0, 10]", "[0, 10, 20]"))) + len("0") + len("1") + len("2")
    assert state_written(seen) == by_hand
    assert measured(program, "g(3)", 1000) == [by_hand, len(seen.steps), "[0, 10, 20]"]
    assert measured(program, "g(3)", by_hand) is not None and measured(program, "g(3)", by_hand - 1) is None
    assert measured("def g():\n    return object()\n", "g()", 1000) is None
    assert measured("def g():\n    raise KeyError\n", "g()", 1000) is None


def test_generated_calls_are_of_their_class():
    program = "def main_solution(n, word):\n    return {'n': n * 7919, 'word': word[::-1]}\n"
    generator = (
        "def generate_inputs(random):\n"
        "    return {'n': random.randint(100, 999), 'word': random.choice(['abc', 'xyzw'])}\n"
    )
    of_class = {}
    for seed_class in (0, 3, CLASSES - 1):
        rows = generated(program, generator, "1", seed_class, 5, 500)
        of_class[seed_class] = {call for call, *_ in rows}
        assert len(of_class[seed_class]) == 5
        assert {class_of(call) for call in of_class[seed_class]} == {seed_class}
        for call, state, _, output in rows:
            assert output == repr(eval(call, namespace_of(program)))
            assert state == state_written(trace(program, call, max_steps=100, max_value=1000))
    assert not of_class[0] & of_class[3]


def test_generated_calls_are_the_same_on_every_day():
    program = "import time\n\n\ndef main_solution(year):\n    now = str(time.time())\n    return [year, now]\n"
    generator = "import datetime\n\n\ndef generate_inputs(random):\n"
    generator += "    return {'year': random.randint(2003, datetime.date.today().year)}\n"
    today = generated(program, generator, "1", 3, 5, 500)
    with time_machine.travel(2_500_000_000):
        assert generated(program, generator, "1", 3, 5, 500) == today
    assert len(today) > 1


def namespace_of(program: str) -> dict:
    namespace: dict = {}
    exec(program, namespace)
    return namespace


def outputs_with_a_dead_link(program: str, call: str) -> list[str]:
    """Return what the chain gives without each link, and with the value of the link before it or after it."""
    namespace = namespace_of(program)
    count = sum(name[0] == "f" and name[1:].isdecimal() for name in namespace)
    links = [namespace[f"f{number}"] for number in range(1, count + 1)]
    values = [ast.literal_eval(call.removeprefix("chain(").removesuffix(")"))]
    for link in links:
        values.append(link(values[-1]))
    outputs = []
    for place in range(count):
        starts = [(place + 1, values[place]), (place, values[place + 1])]
        starts += [(place, values[place - 1])] if place else []
        for first, value in starts:
            for link in links[first:]:
                value = link(value)
            outputs.append(repr(value))
    return outputs


@pytest.mark.parametrize(("bound", "states"), [*zip(BOUNDS, STATES, strict=True)][1:5])
def test_chains_have_their_state_and_no_dead_link(bound, states):
    low, high = states[0], states[-1]
    made = chains(FUNCTIONS, ["'abc'", "'Qwerty'"], f"seed {bound}", 2, low, high, 3)
    assert made
    for numbers, call, state, steps, output in made:
        program = chain_source([FUNCTIONS[number] for number in numbers])
        seen = trace(program, call, max_steps=5000, max_value=5000)
        assert low <= state <= high and level_of(state) == level_of(bound)
        assert (state_written(seen), len(seen.steps)) == (state, steps)
        assert output == repr(eval(call, namespace_of(program))) and class_of(call) == 2
        assert output not in outputs_with_a_dead_link(program, call)
        assert max(numbers) < 6 and len(numbers) == len(set(numbers)) >= 2
        assert not is_shown(program, call, output)
    assert chains(FUNCTIONS, ["'abc'"], f"seed {bound}", 2, low, high, 3) == chains(
        FUNCTIONS, ["'abc'"], f"seed {bound}", 2, low, high, 3
    )


def test_a_chain_calls_its_functions_in_turn():
    program = chain_source(["def f(x):\n    return x + 1\n", "def f(x):\n    return x * 10\n"])
    assert namespace_of(program)["chain"](random.Random(1).randint(3, 3)) == 40


def test_shown_outputs():
    assert is_shown("def g():\n    return 'Not found'", "g()", "'Not found'")
    assert is_shown("", "g([1, 22, 3])", "22") and is_shown("", "g()", "7")
    assert not is_shown("x = 41", "g(1)", "4192")
