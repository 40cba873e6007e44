"""What of a Python program a listing colours."""

from __future__ import annotations

from keyword import kwlist

MARKS = (
    ("comment", r"#[^\n]*"),
    (
        "string",
        r"\b[rRbBfFuU]{1,2}(?=[\"'])|"
        + r'"""(?:\\[\s\S]|[^\\])*?(?:"""|$)'
        + r"|'''(?:\\[\s\S]|[^\\])*?(?:'''|$)"
        + r'|"(?:\\[\s\S]|[^"\\\n])*"?'
        + r"|'(?:\\[\s\S]|[^'\\\n])*'?",
    ),
    ("keyword", rf"\b(?:{'|'.join(kwlist)})\b"),
    ("number", r"\b(?:0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)[jJ]?\b"),
)
