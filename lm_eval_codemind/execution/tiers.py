"""Which modules a server should have imported before a program comes: as few as serve the program.

A fork costs in proportion to the memory of what is forked, so that programs that import nothing heavy run on a bare
server, several times faster than on one that holds scipy.
"""

import re
from collections.abc import Iterable

# Imported by every server: what many programs import, and what costs a fork little. Each extension module among them is
# several mappings more to copy.
LIGHT = (
    "bisect", "collections", "copy", "functools", "heapq", "itertools", "json", "math", "operator", "random", "re",
    "string", "typing",
)  # fmt: skip
# Imported where a suite of test classes may have to be judged in the program's process.
TESTING = ("unittest", "datetime", "decimal", "fractions", "statistics", "threading", "inspect", "io", "textwrap")
DEFAULT_PRELOAD = (
    "numpy", "scipy", "sklearn", "pandas", "dateutil", "bs4", "nltk", "PIL", "openpyxl", "sqlite3", "cryptography",
    "http",
)  # fmt: skip

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


def needed(sources: Iterable[str], preload: tuple[str, ...], testing: bool) -> tuple[str, ...]:
    """Return what a server should have imported for a program and its tests, by the look of their source.

    A wrong guess costs time only: what isn't preloaded is imported by the program itself.

    Args:
        sources: The program and its tests.
        preload: The packages that may be preloaded.
        testing: Whether the tests are test classes.

    Returns:
        None, numpy alone, or all of ``preload``, since every different set is another server to hold in memory; with
        ``unittest`` before them for test classes.
    """
    imported: set[str] = set()
    for source in sources:
        if "import" in source:
            for match in _IMPORT.finditer(source):
                imported.update(_NAME.findall(match.group(1)))
    wanted = imported.intersection(preload)
    packages = () if not wanted else ("numpy",) if wanted == {"numpy"} and not testing else preload
    return ("unittest", *packages) if testing else packages


def modules(tier: Iterable[str]) -> list[str]:
    """Return all modules to import for what :func:`needed` returned."""
    found = list(LIGHT)
    for package in tier:
        found += TESTING if package == "unittest" else PARTS.get(package, (package,))
    return found
