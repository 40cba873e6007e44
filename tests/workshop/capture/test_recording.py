"""Recording calls: which functions, what arguments are written as, and that the tests run as they did."""

import datetime
import subprocess
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.workshop.capture.recorder import Recorder, Unwritable, Writer
from lm_eval_codemind.workshop.capture.recording import Called, record
from tests.workshop.capture.package import Colour, Point, write


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(write(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


def recorded(*options: str) -> tuple[dict[str, Called], list[str]]:
    recording = record("shop", [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, "tests"])
    return {f"{each.module}.{each.name}": each for each in recording.functions}, recording.failed


def texts(function: Called) -> list[str]:
    return [call.text for call in function.calls]


def test_calls_of_functions_methods_and_generators(shop):
    functions, failed = recorded()
    assert texts(functions["shop.prices.total"]) == [
        "total([100, 50])", "total([100], 'food')", "total(iter((100, 10)), 'food')", "total([7, 8, 9])",
        "total([20, 30], 'food')", "total([1])",
    ]  # fmt: skip
    assert "counted(3)" in texts(functions["shop.prices.counted"])
    assert texts(functions["shop.baskets.Basket.cheapest"]) == [
        "Basket([3, 1, 2]).cheapest(2)",
        "Basket((5, 4)).cheapest()",
    ]
    assert texts(functions["shop.baskets.Basket.of"]) == ["Basket.of(5, 4)"]
    assert texts(functions["shop.baskets.Basket.joined"]) == ["Basket.joined('a', 'b')"]
    assert texts(functions["shop.prices.applied"]) == [
        "applied((lambda number: number + 1), [1, 2])",
        "applied(double, (4, 7))",
        "applied(triple, [2])",
    ]
    (_, double, triple) = functions["shop.prices.applied"].calls
    assert triple.definitions == ("def triple(number, by=3):\n    return by * number",)
    assert double.definitions == ("def double(number):\n    return 2 * number",)
    assert dict(double.needs) == {"applied": "shop.prices:applied"}
    assert failed == ["tests/test_shop.py::test_that_fails"] and not any("test" in name for name in functions)


@pytest.mark.proof
@pytest.mark.parametrize(
    ("options", "package"),
    [(("--cov=shop", "--cov-report="), "pytest_cov"), (("-n", "2"), "xdist"), (("-p", "no:xdist"), "pytest")],
)
def test_other_plugins_change_nothing(shop, options, package):
    pytest.importorskip(package)
    functions, failed = recorded(*options)
    assert len(texts(functions["shop.prices.total"])) == 6 and len(failed) == 1
    if package == "pytest_cov":
        import coverage

        data = coverage.CoverageData(str(shop / ".coverage"))
        data.read()
        assert 23 in (data.lines(str(shop / "shop" / "prices.py")) or ())


def test_dates_under_freezegun(shop):
    pytest.importorskip("freezegun")
    (shop / "shop" / "days.py").write_text("def later(day, days):\n    return str(day + days)\n")
    (shop / "tests" / "test_days.py").write_text(
        "import datetime\nimport freezegun\nfrom shop.days import later\n\n\n"
        "@freezegun.freeze_time('2024-02-28')\ndef test_later():\n"
        "    assert later(datetime.date.today(), datetime.timedelta(days=2)) == '2024-03-01'\n"
        "    assert later(datetime.datetime.now(datetime.timezone.utc), datetime.timedelta(hours=1))\n"
    )
    functions, _ = recorded()
    assert texts(functions["shop.days.later"]) == [
        "later(date(2024, 2, 28), timedelta(days=2))",
        "later(datetime(2024, 2, 28, tzinfo=timezone.utc), timedelta(seconds=3600))",
    ]


def test_recording_nothing_is_an_error_that_says_why(shop):
    with pytest.raises(UserError, match="no function of shelf was called, and the tests ended with status 1"):
        record("shelf", [sys.executable, "-m", "pytest", "-q", "tests"])
    with pytest.raises(UserError, match="runs no pytest"):
        record("shop", [sys.executable, "-c", "pass"])
    with pytest.raises(UserError, match="no-such-command: No such file"):
        record("shop", ["no-such-command"])


def source(value: Any) -> str:
    writer = Writer(Recorder("tests.workshop.capture"))
    text = writer.source(value)
    names: dict[str, Any] = {}
    for name, place in writer.needs.items():
        module, _, what = place.partition(":")
        names[name] = getattr(sys.modules[module], what)
    made = eval(text, names)
    assert type(made) is type(value)
    assert list(made) == list(value) if text.startswith("iter(") else made == value or made != made, text
    return text


PLAIN = (None, True, -3, 2.5, float("inf"), float("nan"), 1 + 2j, "a'b\n", b"x", [1, (2,), ()], {1: {"a"}}, set())
LIBRARY = (
    frozenset({1, 2}), range(3), range(1, 9, 2), slice(1, None), bytearray(b"a"), Decimal("1.50"), Fraction(1, 3),
    deque([1], maxlen=3), OrderedDict(a=1), Counter("aab"), defaultdict(list, a=[1]), iter([1, 2]), iter("ab"),
    datetime.date(2024, 2, 29), datetime.time(12, 30), datetime.datetime(2024, 1, 1, 0, 0, 0, 7), len, int,
    datetime.timedelta(days=-1), datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC), Colour.RED, Point(1, 2), Point,
)  # fmt: skip


@pytest.mark.parametrize("value", [*PLAIN, *LIBRARY], ids=lambda value: type(value).__name__)
def test_sources_make_equal_values(value):
    source(value)


def test_sources_are_short():
    assert source(datetime.datetime(2024, 1, 1, 5)) == "datetime(2024, 1, 1, 5)"
    assert source(Colour.RED) == "Colour.RED" and source(Point(1, [2])) == "Point(1, [2])"


def test_values_without_source_are_refused():
    endless: list[Any] = []
    endless.append(endless)
    half = iter([1, 2])
    next(half)
    for value in (object(), endless, "x" * 500, [0] * 500, sys.stdout, half, (each for each in ()), 1 << 5000):
        with pytest.raises(Unwritable):
            Writer(Recorder("tests")).source(value)
    numbers = count(2)
    assert Writer(Recorder("tests")).source(numbers) == "count(2)" and next(numbers) == 2


def test_the_recorder_needs_python_only():
    code = "import sys, runpy; runpy.run_path(sys.argv[1]); assert not any('codemind' in name for name in sys.modules)"
    from lm_eval_codemind.workshop.capture import recorder

    subprocess.run([sys.executable, "-S", "-c", code, str(recorder.__file__)], check=True)
