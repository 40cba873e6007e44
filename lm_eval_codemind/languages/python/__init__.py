"""Python: code in responses, splicing, measures, kinds of programs and their jobs."""

import ast
import importlib.util
from collections.abc import Iterable
from keyword import kwlist

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.languages.base import Language
from lm_eval_codemind.languages.python.kinds import Function, Method, PythonKind, Script
from lm_eval_codemind.problems import Complexity, Problem

# Packages that programs of the packaged benchmarks import, and the extra that installs them.
CLASSEVAL_PACKAGES = ("PIL", "PyPDF2", "bs4", "docx", "gensim", "lxml", "nltk", "openpyxl", "pandas", "reportlab")
_EXTRAS = {
    **dict.fromkeys(("cryptography", "dateutil", "sklearn"), "dsr"),
    **dict.fromkeys(CLASSEVAL_PACKAGES, "classeval"),
}

__all__ = ["PYTHON", "PythonKind", "python_kind"]


class _Python(Language):
    name = "python"
    title = "Python"
    fence = "python"
    kinds = (Function(), Method(), Script())
    prover = "lm_eval_codemind.workshop.proof.prove:prove_labels"
    marks = (
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

    def lines(self, source: str) -> int:
        from lm_eval_codemind.languages.python.complexity import lines_of_code

        return lines_of_code(source)

    def hides_code(self, source: str, original: str) -> bool:
        from lm_eval_codemind.languages.python.complexity import executing_names

        return bool(executing_names(source) - executing_names(original))

    def normal_form(self, source: str) -> str:
        from lm_eval_codemind.languages.python.unparse import normal_form

        return normal_form(source)

    def measure(self, source: str, loop_length: int | None = None) -> Complexity | None:
        from lm_eval_codemind.languages.python.complexity import measure

        return measure(source, loop_length)

    def bare_form(self, source: str, context: str = "") -> str:
        """Return the normal form without docstrings and the context's statements; unchanged where it does not parse."""
        from lm_eval_codemind.languages.python.complexity import undocumented
        from lm_eval_codemind.languages.python.unparse import unparse

        try:
            tree, known = undocumented(source), {ast.dump(node) for node in undocumented(context).body}
            tree.body = [node for node in tree.body if ast.dump(node) not in known]
            return unparse(tree)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return source

    def require(self, sources: Iterable[str]) -> None:
        from lm_eval_codemind.languages.python.importable import require_importable
        from lm_eval_codemind.languages.python.names import imported_modules

        texts = list(sources)
        needed = {name for source in texts for name in imported_modules(source, anywhere=False)}
        missing = sorted({top for name in needed if importlib.util.find_spec(top := name.split(".")[0]) is None})
        if missing:
            extras = sorted({_EXTRAS[name] for name in missing if name in _EXTRAS})
            packages = [f"'lm-eval-codemind[{','.join(extras)}]'"] if extras else []
            packages += [name for name in missing if name not in _EXTRAS]
            raise UserError(
                f"the programs of this task import packages that are not installed ({', '.join(missing)}), so that "
                f"right answers would fail; run `pip install {' '.join(packages)}`"
            )
        require_importable({name for source in texts for name in imported_modules(source)})


PYTHON = _Python()


def python_kind(problem: Problem) -> PythonKind:
    """Return the kind of a Python problem's program.

    Raises:
        UserError: If the problem is not one in Python.
    """
    if problem.language != PYTHON.name:
        raise UserError(
            f"{problem.problem_id}: a program in {problem.language}, and Python is wanted; choose another benchmark"
        )
    kind = PYTHON.kind(problem.kind)
    assert isinstance(kind, PythonKind)
    return kind
