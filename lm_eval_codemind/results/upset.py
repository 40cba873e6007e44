"""UpSet plots (Lex et al., IEEE TVCG 20, 2014): which problems are solved under which families, as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

_ROW, _COLUMN, _BARS, _NAMES = 22, 30, 110, 130


@dataclass(frozen=True)
class UpSet:
    """How many problems are in each intersection of some sets and in no other set.

    Attributes:
        name: File stem.
        title: Heading.
        sets: Names of the sets, top to bottom.
        counts: The sets of an intersection, and how many problems are in exactly these; the largest first.
    """

    name: str
    title: str
    sets: tuple[str, ...]
    counts: tuple[tuple[frozenset[str], int], ...]


def upset_svg(figure: UpSet, standalone: bool = False) -> str:
    """Return the plot as an ``<svg>`` element: a bar for each intersection above the dots that say which it is.

    Args:
        figure: What to draw.
        standalone: Whether to write a file of its own, with its namespace.
    """
    largest = max((count for _, count in figure.counts), default=1) or 1
    width = _NAMES + _COLUMN * len(figure.counts) + 20
    top = _BARS + 30
    height = top + _ROW * len(figure.sets) + 10
    parts = [
        f'<text x="{_NAMES - 8}" y="{top + row * _ROW + 15}" text-anchor="end" class="r">{escape(name)}</text>'
        for row, name in enumerate(figure.sets)
    ]
    for column, (members, count) in enumerate(figure.counts):
        x = _NAMES + column * _COLUMN + _COLUMN // 2
        bar = round(_BARS * count / largest)
        inside = [row for row, name in enumerate(figure.sets) if name in members]
        what = " and ".join(name for name in figure.sets if name in members) or "none"
        drawn = f'<rect x="{x - 9}" y="{20 + _BARS - bar}" width="18" height="{bar}" class="s0"/>'
        drawn += f'<text x="{x}" y="{16 + _BARS - bar}" text-anchor="middle" class="a">{count}</text>'
        if len(inside) > 1:
            first, last = (top + row * _ROW + 11 for row in (inside[0], inside[-1]))
            drawn += f'<line x1="{x}" x2="{x}" y1="{first}" y2="{last}" class="w s0"/>'
        for row in range(len(figure.sets)):
            style = "mark s0" if row in inside else "g"
            opacity = "" if row in inside else ' fill="none"'
            drawn += f'<circle cx="{x}" cy="{top + row * _ROW + 11}" r="5" class="{style}"{opacity}/>'
        parts.append(f"<g>{drawn}<title>{escape(f'solved under {what}: {count}')}</title></g>")
    namespace = ' xmlns="http://www.w3.org/2000/svg"' if standalone else ""
    style_sheet = (
        "<style>text{font:12px system-ui,sans-serif;fill:#222}.a{fill:#555}.s0{fill:#0072b2;stroke:#0072b2}"
        ".g{stroke:#999}.w{stroke-width:2}.page{fill:#fff}</style><rect class='page' width='100%' height='100%'/>"
        if standalone
        else ""
    )
    return (
        f'<svg{namespace} width="{width}" height="{height}" role="img" aria-label="{escape(figure.title)}" '
        f'class="figure">{style_sheet}{"".join(parts)}</svg>'
    )
