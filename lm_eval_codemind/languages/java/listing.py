"""What of a Java program a listing colours."""

# ruff: noqa: SIM905
from __future__ import annotations

_KEYWORDS = (
    "abstract assert boolean break byte case catch char class const continue default do double else enum extends final "
    "finally float for goto if implements import instanceof int interface long native new package private protected "
    "public return short static strictfp super switch synchronized this throw throws transient try void volatile while "
    "true false null var record yield sealed permits"
).split()

MARKS = (
    ("comment", r"//[^\n]*|/\*[\s\S]*?(?:\*/|$)"),
    ("string", r'"""[\s\S]*?(?:"""|$)' + r'|"(?:\\[^\n]|[^"\\\n])*"?' + r"|'(?:\\[^\n]|[^'\\\n])*'?"),
    ("keyword", rf"\b(?:{'|'.join(_KEYWORDS)})\b"),
    ("number", r"\b(?:0[xX][\da-fA-F_]+|0[bB][01_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)[lLfFdD]?\b"),
)
