"""Two kinds of figures as SVG: dot plots with intervals, and UpSet plots of overlapping sets."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

# Okabe and Ito's palette, which colour-blind readers tell apart, darkened or lightened for contrast with the page.
LIGHT = ("#0072b2", "#c14900", "#00795a", "#a8477f", "#7a5c00", "#2b7fb0", "#8a3b12", "#555555")
DARK = ("#56b4e9", "#f0944d", "#3fc79a", "#e19cc4", "#e6c84f", "#9fd3f2", "#e8b08f", "#bbbbbb")
_SHAPES = ("circle", "square", "diamond", "triangle")

_LANE = 14
_LABEL, _SECOND = 20, 16
_LEFT, _RIGHT = 3.0, 95.0
# Of an UpSet plot: heights of a row and of the bars, widths of a column and of the names.
_ROW, _BARS, _COLUMN, _NAMES = 22, 110, 30, 130


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


@dataclass(frozen=True)
class Figure:
    """A dot plot: values of several series, such as models, in a row for each category.

    Attributes:
        name: File stem, such as ``constructs-ier``.
        title: Heading.
        axis: What the horizontal axis shows.
        marks: The values; rows and series appear in the order of their first mark.
        start: Left end of the axis, which ends at 1.
        percent: Whether the axis is labelled in per cent.
    """

    name: str
    title: str
    axis: str
    marks: Sequence[Mark]
    start: float = 0.0
    percent: bool = True

    @property
    def series(self) -> list[str]:
        """Names of the series, in the order of their first mark."""
        return list(dict.fromkeys(mark.series for mark in self.marks))

    def svg(self, series: Sequence[str], standalone: bool = False) -> str:
        """Draw the figure.

        Horizontal places are percentages, so that the drawing takes the width it is given without scaling its text.

        Args:
            series: All series of the report, so that a series has the same colour and shape in every figure.
            standalone: Whether to write a file with size, title, legend and colours.

        Returns:
            An ``<svg>`` element, with the XML namespace if standalone. Colours of an embedded one come from the page's
            CSS classes ``s0`` to ``s7``.
        """
        lanes, rows = self.series, list(dict.fromkeys(mark.row for mark in self.marks))
        top = 26 + (18 * len(lanes) + 8 if standalone else 0)
        label = _LABEL + _SECOND * any("\n" in row for row in rows)
        height_of_row = label + _LANE * len(lanes) + 8
        bottom = top + height_of_row * len(rows)
        parts = [*_ticks(self, top, bottom)]
        for i, name in enumerate(lanes if standalone else ()):
            shape = f'{_shape(_style(name, series))}<text x="12" y="4">{_text(name)}</text>'
            parts.append(f'<svg x="{_LEFT}%" y="{35 + 18 * i}" overflow="visible">{shape}</svg>')
        for i, row in enumerate(rows):
            y = top + i * height_of_row
            for line, text in enumerate(row.split("\n")):
                style = ' class="r"' * (not line)
                parts.append(f'<text x="{_LEFT}%" y="{y + 14 + _SECOND * line}"{style}>{_text(text)}</text>')
            for mark in self.marks:
                if mark.row == row and not math.isnan(mark.value):
                    lane = y + label + _LANE * lanes.index(mark.series) + _LANE // 2
                    parts.append(_mark(self, mark, lane, _style(mark.series, series)))
        parts.append(f'<text x="{(_LEFT + _RIGHT) / 2}%" y="{bottom + 34}" class="a">{_text(self.axis)}</text>')
        return _document(self.title, "720" if standalone else "100%", bottom + 40, parts, standalone)


@dataclass(frozen=True)
class UpSet:
    """An UpSet plot (Lex et al., IEEE TVCG 20, 2014): a bar for each intersection, above the dots that say which it is.

    Attributes:
        name: File stem.
        title: Heading.
        sets: Names of the sets, top to bottom.
        counts: The sets of an intersection, and how many problems are in exactly these; the largest first.
    """

    name: str
    title: str
    sets: Sequence[str]
    counts: Sequence[tuple[frozenset[str], int]]
    series: Sequence[str] = ()

    def svg(self, series: Sequence[str], standalone: bool = False) -> str:
        """Draw the figure; see :meth:`Figure.svg`."""
        largest = max((count for _, count in self.counts), default=0) or 1
        top = _BARS + (54 if standalone else 30)
        parts = [
            f'<text x="{_NAMES - 8}" y="{top + row * _ROW + 15}" text-anchor="end" class="r">{_text(name)}</text>'
            for row, name in enumerate(self.sets)
        ]
        for column, (members, count) in enumerate(self.counts):
            x = _NAMES + column * _COLUMN + _COLUMN // 2
            bar = round(_BARS * count / largest)
            inside = [row for row, name in enumerate(self.sets) if name in members]
            drawn = f'<rect x="{x - 9}" y="{top - 10 - bar}" width="18" height="{bar}" class="s0"/>'
            drawn += f'<text x="{x}" y="{top - 14 - bar}" class="a">{count}</text>'
            if inside:
                first, last = (top + row * _ROW + 11 for row in (inside[0], inside[-1]))
                drawn += f'<line x1="{x}" x2="{x}" y1="{first}" y2="{last}" class="w s0"/>'
            for row in range(len(self.sets)):
                style = 'class="s0"' if row in inside else 'class="g" fill="none"'
                drawn += f'<circle cx="{x}" cy="{top + row * _ROW + 11}" r="5" {style}/>'
            what = " and ".join(self.sets[row] for row in inside) or "none"
            parts.append(f"<g>{drawn}<title>{_text(f'solved under {what}: {count}')}</title></g>")
        width = _NAMES + _COLUMN * len(self.counts) + 20
        return _document(self.title, str(width), top + _ROW * len(self.sets) + 10, parts, standalone)


def _document(title: str, width: str, height: int, parts: Sequence[str], standalone: bool) -> str:
    head = ""
    if standalone:
        head = f'<style>{_standalone_style()}</style><rect class="page" width="100%" height="100%"/>'
        head += f'<text x="{_LEFT}%" y="18" class="t">{_text(title)}</text>'
    namespace = ' xmlns="http://www.w3.org/2000/svg"' if standalone else ""
    return (
        f'<svg{namespace} width="{width}" height="{height}" role="img" aria-label="{_text(title)}" '
        f'class="figure">{head}{"".join(parts)}</svg>'
    )


def legend_mark(name: str, series: Sequence[str]) -> str:
    """Return a small drawing of a series' mark, for legends outside the drawing."""
    return (
        '<svg width="14" height="14" aria-hidden="true"><svg x="7" y="7" overflow="visible">'
        + _shape(_style(name, series))
        + "</svg></svg>"
    )


def _style(name: str, series: Sequence[str]) -> tuple[str, str]:
    index = list(series).index(name)
    return f"s{index % len(LIGHT)}", _SHAPES[(index // len(LIGHT) + index) % len(_SHAPES)]


def _mark(figure: Figure, mark: Mark, y: int, style: tuple[str, str]) -> str:
    def show(number: float) -> str:
        return f"{number:.1%}" if figure.percent else f"{number:.2f}"

    has_interval = not (math.isnan(mark.low) or math.isnan(mark.high))
    row = mark.row.replace("\n", ", ")
    note = f"{mark.series}, {row}: {show(mark.value)}"
    if has_interval:
        note += f" [{show(mark.low)}, {show(mark.high)}]"
    if mark.n is not None:
        note += f", n = {mark.n}"
    whisker = ""
    if not math.isnan(mark.baseline):
        note += f", baseline {show(mark.baseline)}"
        at = _place(figure, mark.baseline)
        whisker = f'<line x1="{at:.2f}%" x2="{at:.2f}%" y1="{y - 6}" y2="{y + 6}" class="b"/>'
    if has_interval:
        left, right = _place(figure, mark.low), _place(figure, mark.high)
        whisker += f'<line x1="{left:.2f}%" x2="{right:.2f}%" y1="{y}" y2="{y}" class="w {style[0]}"/>'
    x = _place(figure, mark.value)
    # A wide invisible line under the mark, so that the note shows for the whole lane.
    hit = f'<line x1="{_LEFT}%" x2="{_RIGHT}%" y1="{y}" y2="{y}" class="h"/>'
    shape = f'<svg x="{x:.2f}%" y="{y}" overflow="visible">{_shape(style)}</svg>'
    return f'<g data-series="{_text(mark.series)}">' + f"{hit}{whisker}{shape}<title>{_text(note)}</title></g>"


def _shape(style: tuple[str, str]) -> str:
    name, shape = style
    attributes = f'class="mark {name}"'
    if shape == "square":
        return f'<rect x="-4" y="-4" width="8" height="8" {attributes}/>'
    if shape == "diamond":
        return f'<path d="M0-5.5 5.5 0 0 5.5-5.5 0Z" {attributes}/>'
    if shape == "triangle":
        return f'<path d="M0-5 5 4.5H-5Z" {attributes}/>'
    return f'<circle r="4.5" {attributes}/>'


def _place(figure: Figure, value: float) -> float:
    share = (value - figure.start) / (1 - figure.start)
    return _LEFT + (_RIGHT - _LEFT) * min(1.0, max(0.0, share))


def _ticks(figure: Figure, top: int, bottom: int) -> list[str]:
    parts = []
    for i in range(5):
        value = figure.start + (1 - figure.start) * i / 4
        label = f"{value:.0%}" if figure.percent else f"{value:g}"
        x = _place(figure, value)
        zero = " zero" if value == 0 and figure.start < 0 else ""
        parts.append(f'<line x1="{x:.2f}%" x2="{x:.2f}%" y1="{top}" y2="{bottom}" class="g{zero}"/>')
        parts.append(f'<text x="{x:.2f}%" y="{bottom + 16}" class="a">{label}</text>')
    return parts


def _standalone_style() -> str:
    def colours(palette: Sequence[str]) -> str:
        return "".join(f".s{i}{{fill:{c};stroke:{c}}}" for i, c in enumerate(palette))

    return (
        "text{font:12px system-ui,sans-serif;fill:#222}.t{font-size:15px;font-weight:600}.r{font-weight:600}"
        ".a{text-anchor:middle;fill:#555}.g{stroke:#ddd}.zero{stroke:#888}.w{stroke-width:2;opacity:.65}.h{stroke:none}.b{stroke:#888;stroke-width:2}"
        f".page{{fill:#fff}}{colours(LIGHT)}"
        "@media(prefers-color-scheme:dark){text{fill:#eee}.a{fill:#aaa}.g{stroke:#333}.zero{stroke:#888}"
        f".page{{fill:#16181c}}{colours(DARK)}}}"
    )


def _text(text: str) -> str:
    """Escape text for XML, showing characters that XML does not allow as their code."""
    clean = "".join(c if c in "\t\n" or (c.isprintable() and not "\ud800" <= c <= "\udfff") else "\ufffd" for c in text)
    return escape(clean, quote=True)
