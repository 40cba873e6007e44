"""The type of an output, in the classes of the paper's analysis."""

from functools import lru_cache

from lm_eval_codemind.answers.literals import NotALiteralError, parse_literal


@lru_cache(maxsize=1024)
def literal_type(output: str) -> str | None:
    """Return the class of ``OUTPUT_TYPES`` that a Python literal belongs to, or None if it is not a literal.

    Int: ``int``; Decimal: ``float`` and ``complex``; String: ``str`` and ``bytes``; Binary: ``bool``; List; Tuple;
    Object: everything else (``dict``, ``set``, ``None``).

    Args:
        output: A problem's ``output``, or a model's answer; whatever
            :func:`~lm_eval_codemind.answers.literals.parse_literal` reads for the score has a type.
    """
    try:
        value = parse_literal(output)
    except NotALiteralError:
        return None
    for name, types in _TYPES:
        if isinstance(value, types):
            return name
    return "Object"


def text_type(output: str) -> str:
    """Return the class of ``OUTPUT_TYPES`` of what a script printed.

    Text that reads as one Python literal is of that literal's class (``42`` is Int); all other text is String.
    """
    return literal_type(output) or "String"


# bool is a subclass of int, so it comes first.
_TYPES: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("Binary", (bool,)),
    ("Int", (int,)),
    ("Decimal", (float, complex)),
    ("String", (str, bytes)),
    ("List", (list,)),
    ("Tuple", (tuple,)),
)
