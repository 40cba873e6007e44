"""Which modules a server should have imported before a program comes: as few as serve the program.

A fork costs in proportion to the memory of what is forked, so that programs that import nothing heavy run on a bare
server, several times faster than on one that holds scipy.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# Imported by every server: what programs and test suites commonly import and that costs little.
LIGHT = (
    "bisect", "calendar", "cmath", "collections", "contextlib", "copy", "dataclasses", "datetime", "decimal", "enum",
    "fractions", "functools", "hashlib", "heapq", "inspect", "io", "itertools", "json", "linecache", "math", "operator",
    "queue", "random", "re", "statistics", "string", "textwrap", "threading", "traceback", "typing", "unittest", "zlib",
)  # fmt: skip
DEFAULT_PRELOAD = (
    "numpy",
    "scipy",
    "sklearn",
    "pandas",
    "dateutil",
    "bs4",
    "nltk",
    "PIL",
    "openpyxl",
    "sqlite3",
    "cryptography",
    "http",
)

# Importing a package doesn't import its parts; these are the parts that programs use.
PARTS = {
    "scipy": (
        "scipy", "scipy.stats", "scipy.special", "scipy.linalg", "scipy.optimize", "scipy.spatial", "scipy.sparse",
    ),
    "sklearn": (
        "sklearn", "sklearn.linear_model", "sklearn.ensemble", "sklearn.tree", "sklearn.neighbors", "sklearn.svm",
        "sklearn.cluster", "sklearn.decomposition", "sklearn.preprocessing", "sklearn.model_selection",
        "sklearn.metrics", "sklearn.feature_extraction.text", "sklearn.datasets", "sklearn.naive_bayes",
        "sklearn.pipeline",
    ),
    "dateutil": ("dateutil.parser", "dateutil.relativedelta"),
    "PIL": ("PIL.Image",),
    "cryptography": ("cryptography.fernet",),
    "http": ("http.client",),
}  # fmt: skip

_IMPORT = re.compile(r"^[ \t]*(?:from|import)[ \t]+([^\n#;]+)", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_]\w*")


def needed(sources: Iterable[str], preload: tuple[str, ...]) -> tuple[str, ...]:
    """Return which of the modules to preload a program and its tests import, by the look of their source.

    A wrong guess costs time only: what isn't preloaded is imported by the program itself.

    Args:
        sources: The program and its tests.
        preload: The packages that may be preloaded.

    Returns:
        A subset of ``preload``, in its order: none; numpy alone; or all of them, since every different set is another
        server to hold in memory.
    """
    imported: set[str] = set()
    for source in sources:
        if "import" in source:
            for match in _IMPORT.finditer(source):
                imported.update(_NAME.findall(match.group(1)))
    wanted = imported.intersection(preload)
    if not wanted:
        return ()
    if wanted == {"numpy"}:
        return ("numpy",)
    return preload


def modules(packages: Iterable[str]) -> list[str]:
    """Return all modules to import for some packages."""
    found = list(LIGHT)
    for package in packages:
        found += PARTS.get(package, (package,))
    return found
