"""The type of what a Java program prints, in the classes of the paper's analysis."""

from __future__ import annotations

from lm_eval_codemind.answers.literals import literal_or

_TRUTH = ("true", "false")


def text_type(text: str) -> str:
    """Return the class of ``OUTPUT_TYPES`` of what a program printed.

    Text that reads as one number, truth value or list, as Java prints these, is of that class; all other text is
    String.
    """
    if text.strip() in _TRUTH:
        return "Binary"
    # Texts in quotes or parentheses, and Python's own words, are only text here.
    return _TYPES.get(type(literal_or(text, text)), "String")


_TYPES = {int: "Int", float: "Decimal", list: "List"}
