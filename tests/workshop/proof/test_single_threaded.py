import ast
import inspect
import sys
import textwrap
from concurrent.futures import Future
from typing import Any
from unittest import mock

import pytest

from lm_eval_codemind.sandbox import Sandbox
from lm_eval_codemind.workshop.proof.equivalence import SingleThreadedMap

SOURCE = inspect.getsource(textwrap)


class Garbage:
    """What only the collector finds, with Python code to run when it does."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        for _ in range(300):
            pass


@pytest.mark.proof
def test_parsing_in_many_threads():
    shared = SingleThreadedMap(mock.Mock(spec=Sandbox, workers=2))
    # Without turns, CPython 3.11 ends this in SystemError nearly always.

    def parse_at(depth: int) -> None:
        if depth:
            parse_at(depth - 1)
        else:
            Garbage()
            ast.parse(SOURCE)

    def work(item: int) -> int:
        for k in range(20):
            parse_at((7 * item + k) % 40)
        return item

    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        assert list(shared.map(work, range(60))) == list(range(60))
    finally:
        sys.setswitchinterval(usual)


def test_others_go_on_while_one_waits_and_an_error_reaches_its_item():
    outcomes: dict[str, Future[str]] = {"first": Future(), "second": Future()}
    shared = SingleThreadedMap(mock.Mock(spec=Sandbox, workers=2, submit=outcomes.get))
    order: list[str] = []

    def work(item: Any) -> Any:
        order.append(f"{item} begins")
        (outcome,) = shared.run([item])
        order.append(f"{item} ends")
        if item == "second":
            outcomes["first"].set_result("of first")
        return outcome

    outcomes["second"].set_result("of second")
    assert list(shared.map(work, ["first", "second"])) == ["of first", "of second"]
    assert order == ["first begins", "second begins", "second ends", "first ends"]
    results = shared.map(lambda item: 1 // item, [1, 0, 1])
    assert next(results) == 1
    with pytest.raises(ZeroDivisionError):
        next(results)
