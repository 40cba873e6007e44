"""Java: programs read out of responses, and measured, on the syntax tree of tree-sitter's grammar.

What executes them is :mod:`lm_eval_codemind.sandbox.java`.
"""

from collections.abc import Iterable

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.languages.base import Language
from lm_eval_codemind.languages.java.kinds import Function, Script
from lm_eval_codemind.problems import Complexity

__all__ = ["JAVA"]


# What a listing colours.
_KEYWORDS = (
    "abstract|assert|boolean|break|byte|case|catch|char|class|const|continue|default|do|double|else|enum|extends|final|"
    "finally|float|for|goto|if|implements|import|instanceof|int|interface|long|native|new|package|private|protected|"
    "public|return|short|static|strictfp|super|switch|synchronized|this|throw|throws|transient|try|void|volatile|while|"
    "true|false|null|var|record|yield|sealed|permits"
)


class _Java(Language):
    name = "java"
    title = "Java"
    fence = "java"
    kinds = (Function(), Script())
    prover = "lm_eval_codemind.workshop.proof.prove_java:prove_java_labels"
    marks = (
        ("comment", r"//[^\n]*|/\*[\s\S]*?(?:\*/|$)"),
        ("string", r'"""[\s\S]*?(?:"""|$)' + r'|"(?:\\[^\n]|[^"\\\n])*"?' + r"|'(?:\\[^\n]|[^'\\\n])*'?"),
        ("keyword", rf"\b(?:{_KEYWORDS})\b"),
        ("number", r"\b(?:0[xX][\da-fA-F_]+|0[bB][01_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?)[lLfFdD]?\b"),
    )

    def lines(self, source: str) -> int:
        from lm_eval_codemind.languages.java.measures import lines

        return lines(source)

    def normal_form(self, source: str) -> str:
        from lm_eval_codemind.languages.java.measures import normal_form

        return normal_form(source)

    def measure(self, source: str, loop_length: int | None = None) -> Complexity | None:
        from lm_eval_codemind.languages.java.measures import measure

        return measure(source, loop_length)

    def require(self, sources: Iterable[str]) -> None:
        from lm_eval_codemind.sandbox.java import jdk

        try:
            jdk.find()
        except jdk.JavaUnavailable as error:
            raise UserError(str(error)) from error


JAVA = _Java()
