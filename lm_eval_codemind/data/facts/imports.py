"""The imports that LiveCodeBench's programs leave to what runs them."""

import ast

from lm_eval_codemind.languages.python.names import free_names, module_names

# Module -> its names that programs use without an import. Source: ``evaluation/utils_execute.py`` of LiveCodeBench.
_NAMES = {
    "bisect": "bisect_left bisect_right insort",
    "collections": "Counter OrderedDict defaultdict deque",
    "copy": "deepcopy",
    "functools": "cache lru_cache partial reduce",
    "heapq": "heapify heappop heappush merge",
    "itertools": "accumulate chain combinations count cycle groupby islice permutations product repeat zip_longest",
    "math": "ceil comb floor gcd inf isqrt log log10 log2 prod sqrt",
    "operator": "iand itemgetter sub",
    "os.path": "commonprefix",
    "random": "randrange shuffle",
    "string": "ascii_lowercase",
    "typing": "Any Callable Dict Generator Iterable Iterator List Optional Set Tuple Union",
}
# The modules that programs use without an import.
_MODULES = sorted({*_NAMES, "re", "sys"} - {"os.path", "typing"})
_IMPORTS = {name: f"import {name}" for name in _MODULES} | {
    name: f"from {module} import {name}" for module, names in _NAMES.items() for name in names.split()
}
_IMPORTS |= {
    "np": "import numpy as np",
    "pd": "import pandas as pd",
    "re_search": "from re import search as re_search",
}


def with_imports(code: str, statement: str = "") -> str:
    """Return a program with the imports in front that it and a statement need; unchanged if one does not parse."""
    try:
        missing = free_names(ast.parse(code))
        missing |= free_names(ast.parse(statement)) - module_names(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code
    lines = [line for name, line in _IMPORTS.items() if name in missing]
    return "\n".join([*lines, "", code]) if lines else code
