"""Three kinds of figures as SVG: dot plots with intervals, scatter plots, and UpSet plots of overlapping sets."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from typing import Any

from markupsafe import Markup

from lm_eval_codemind.results.pages import templates

# Okabe and Ito's palette, which colour-blind readers tell apart, darkened or lightened for contrast with the page.
LIGHT = ("#0072b2", "#c14900", "#00795a", "#a8477f", "#7a5c00", "#2b7fb0", "#8a3b12", "#555555")
DARK = ("#56b4e9", "#f0944d", "#3fc79a", "#e19cc4", "#e6c84f", "#9fd3f2", "#e8b08f", "#bbbbbb")
_SHAPES = ("circle", "square", "diamond", "triangle")

# Heights of a lane, of a row's name and of its second line; the ends of the axis in per cent of the width.
_LANE, _LABEL, _SECOND = 14, 20, 16
_LEFT, _RIGHT = 3.0, 95.0
_TICKS = (0, 25, 50, 75, 100)


@dataclass(frozen=True)
class Mark:
    """One value of one series in one row; NaN for an interval or a baseline that does not exist.

    A row's name may have a second line.
    """

    row: str
    series: str
    value: float
    low: float = math.nan
    high: float = math.nan
    n: int | None = None
    baseline: float = math.nan

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    @property
    def has_baseline(self) -> bool:
        """Whether there is a baseline."""
        return not math.isnan(self.baseline)


@dataclass(frozen=True)
class Figure:
    """A dot plot: values of several series, such as models, in a row for each category.

    Rows and series appear in the order of their first mark. The name is a file stem, such as ``constructs-ier``. The
    axis goes from ``start`` to ``stop``, and is labelled in per cent if ``percent``.
    """

    name: str
    title: str
    axis: str
    marks: Sequence[Mark]
    start: float = 0.0
    percent: bool = True
    stop: float = 1.0

    @property
    def series(self) -> list[str]:
        """Names of the series, in the order of their first mark."""
        return list(dict.fromkeys(mark.series for mark in self.marks))

    def svg(self, series: Sequence[str], standalone: bool = False) -> str:
        """Draw the figure.

        Horizontal places are percentages, so that the drawing takes the width it is given without scaling its text.
        ``series`` are all series of the report: each has the same colour and shape in every figure. A standalone
        drawing is a file with size, title, legend and colours. The colours of an embedded one come from the page's CSS
        classes ``s0`` to ``s7``.
        """
        lanes = self.series
        top = 26 + (18 * len(lanes) + 8 if standalone else 0)
        label = _LABEL + _SECOND * any("\n" in mark.row for mark in self.marks)
        rows, bottom = [], top
        for row in dict.fromkeys(mark.row for mark in self.marks):
            lines = [(bottom + 14 + _SECOND * line, text) for line, text in enumerate(row.split("\n"))]
            middle = bottom + label + _LANE // 2
            marks = [mark for mark in self.marks if mark.row == row and not math.isnan(mark.value)]
            rows.append((lines, [(middle + _LANE * lanes.index(mark.series), mark) for mark in marks]))
            bottom += label + _LANE * len(lanes) + 8
        styles = {name: _style(name, series) for name in lanes}
        return str(_drawings().dots(self, standalone, styles, rows, top, bottom))

    def place(self, value: float) -> str:
        """Return the horizontal place of a value."""
        return _place((value - self.start) / (self.stop - self.start))

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Yield the values that the axis names, and their names."""
        for value in (self.start + (self.stop - self.start) * i / 4 for i in range(5)):
            yield value, f"{value:.0%}" if self.percent else f"{value:.0f}" if abs(value) >= 100 else f"{value:.2g}"

    def written(self, value: float) -> str:
        """Return a value as a tooltip has it."""
        return f"{value:.1%}" if self.percent else f"{value:.2f}"

    def note(self, mark: Mark) -> str:
        """Return a mark in words, for its tooltip."""
        row = mark.row.replace("\n", ", ")
        note = f"{mark.series}, {row}: {self.written(mark.value)}"
        if mark.has_interval:
            note += f" [{self.written(mark.low)}, {self.written(mark.high)}]"
        if mark.n is not None:
            note += f", n = {mark.n}"
        return note + (f", baseline {self.written(mark.baseline)}" if mark.has_baseline else "")


@dataclass(frozen=True)
class DoublingFigure(Figure):
    """A dot plot on a logarithmic axis. Each of ``steps``, which the axis names, is twice the one before."""

    steps: Sequence[int] = ()

    def place(self, value: float) -> str:
        """Return the horizontal place of a value."""
        return _place(math.log2(value / self.steps[0]) / (len(self.steps) - 1))

    def ticks(self) -> Iterator[tuple[float, str]]:
        """Yield the values that the axis names, and their names."""
        for step in self.steps:
            yield step, f"{step:,}"

    def written(self, value: float) -> str:
        """Return a value as a tooltip has it: in its own format."""
        return format(value)


@dataclass(frozen=True)
class Scatter:
    """A plot of two values of each series, such as a model, against each other; both axes go from 0 to 100.

    ``points`` are the series with their places on the horizontal and the vertical axis.
    """

    name: str
    title: str
    axis: str
    vertical: str
    points: Sequence[tuple[str, float, float]]

    @property
    def series(self) -> list[str]:
        """Names of the series."""
        return list(dict.fromkeys(name for name, _, _ in self.points))

    def svg(self, series: Sequence[str], standalone: bool = False) -> str:
        """Draw the figure; see :meth:`Figure.svg`."""
        styles = {name: _style(name, series) for name in self.series}
        return str(_drawings().scatter(self, standalone, styles, [(_place(value / 100), value) for value in _TICKS]))

    def place(self, value: float) -> str:
        """Return the horizontal place of a value."""
        return _place(value / 100)


@dataclass(frozen=True)
class UpSet:
    """An UpSet plot (Lex et al., IEEE TVCG 20, 2014): a bar for each intersection, above the dots that say which it is.

    ``counts`` are the sets of each intersection, and how many problems are in exactly these; the largest first.
    """

    name: str
    title: str
    sets: Sequence[str]
    counts: Sequence[tuple[frozenset[str], int]]
    series: Sequence[str] = ()

    def svg(self, series: Sequence[str], standalone: bool = False) -> str:
        """Draw the figure; see :meth:`Figure.svg`."""
        return str(_drawings().upset(self, standalone))

    def inside(self, members: frozenset[str]) -> list[int]:
        """Return the rows of some sets."""
        return [row for row, name in enumerate(self.sets) if name in members]

    def note(self, members: frozenset[str], count: int) -> str:
        """Return an intersection in words, for its tooltip."""
        return f"solved under {' and '.join(self.sets[row] for row in self.inside(members)) or 'none'}: {count}"


def legend_mark(name: str, series: Sequence[str]) -> str:
    """Return a small drawing of a series' mark, for legends outside the drawing."""
    return str(_drawings().legend(_style(name, series)))


@cache
def _drawings() -> Any:
    """Return the macros that draw."""
    environment = templates()
    environment.filters["xml"] = _text
    names = {"left": _LEFT, "right": _RIGHT, "light": LIGHT, "dark": DARK}
    return environment.get_template("figures.svg.j2", globals=names).module


def _place(share: float) -> str:
    return f"{_LEFT + (_RIGHT - _LEFT) * min(1.0, max(0.0, share)):.2f}%"


def _style(name: str, series: Sequence[str]) -> tuple[str, str]:
    index = list(series).index(name) if name in series else 0
    return f"s{index % len(LIGHT)}", _SHAPES[(index // len(LIGHT) + index) % len(_SHAPES)]


def _text(text: str) -> Markup:
    """Escape text for XML, showing characters that XML does not allow as their code."""
    clean = "".join(c if c in "\t\n" or (c.isprintable() and not "\ud800" <= c <= "\udfff") else "\ufffd" for c in text)
    return Markup(escape(clean, quote=True))
