"""Library calls: calls whose value is thrown away, and a builtin replaced by NumPy's counterpart.

Every call gets written-out arguments and touches nothing: no clock, no connection, no shared random state.
"""

import ast
import base64
from collections.abc import Callable
from random import Random

from lm_eval_codemind.transforms.program import Block, Program, leaves
from lm_eval_codemind.transforms.rule import Rule
from lm_eval_codemind.transforms.templates import statements

Site = tuple[Block, int]

# What the rules import besides the standard library and NumPy.
PACKAGES = ("cryptography", "dateutil", "sklearn")


class DiscardedCall(Rule):
    """A library call as a separate statement, at the top of a function that runs once, or of a script.

    Never behind a statement that always returns or raises, where it could not run.

    Args:
        name: The name of the rule.
        statement: The import of the name that the call uses.
        call: The imported name and a source of random numbers -> the call.
    """

    group = "library"
    limit = 1

    def __init__(self, name: str, statement: str, call: Callable[[str, Random], str]) -> None:
        self.name = name
        self._import, self._call = statement, call

    def sites(self, program: Program) -> list[Site]:
        """Return the gaps between the statements."""
        if program.reflective:
            return []
        found = []
        for block in program.blocks:
            is_code = block.function is not None or (program.script and isinstance(block.owner, ast.Module))
            if not block.is_top or not is_code or program.is_repeated(block):
                continue
            for index in range(block.start, len(block.statements) + 1):
                found.append((block, index))
                if index < len(block.statements) and leaves(block.statements[index]):
                    break
        return found

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        block, index = site
        following = block.statements[index] if index < len(block.statements) else None
        (call,) = statements(self._call(program.imported(self._import, rng), rng))
        if following is None:
            block.statements.append(call)
        else:
            index = next(i for i, node in enumerate(block.statements) if node is following)
            block.statements.insert(index, call)


def _b64encode(module: str, rng: Random) -> str:
    return f"{module}.b64encode(b'{''.join(str(rng.randrange(10)) for _ in range(20))}')"


def _ttest(function: str, rng: Random) -> str:
    # Distinct numbers: equal ones would make SciPy warn about lost precision.
    first, second = ([low + rng.randrange(10) for low in (10, 40, 70)] for _ in range(2))
    return f"{function}({first}, {second})"


def _shuffle(function: str, rng: Random) -> str:
    """Return a call with its own random state."""
    return f"{function}({[rng.randrange(10, 100) for _ in range(3)]}, random_state={rng.randrange(100)})"


def _fernet(function: str, rng: Random) -> str:
    """Return the creation of a cipher from a key in the source code."""
    return f"{function}({base64.urlsafe_b64encode(bytes(rng.randrange(256) for _ in range(32)))!r})"


def _isoparse(function: str, rng: Random) -> str:
    """Return the parsing of a date. Unlike `parse`, `isoparse` does not ask for today's."""
    date = f"{rng.randrange(1990, 2030)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
    return f"{function}('{date}T{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}')"


def _connection(function: str, rng: Random) -> str:
    """Return the creation of an object that connects to nothing before it is asked to."""
    return f"{function}('localhost', port={rng.randrange(1024, 10000)})"


DISCARDED_CALLS = (
    DiscardedCall("base64", "import base64", _b64encode),
    DiscardedCall("ttest_ind", "from scipy.stats import ttest_ind", _ttest),
    DiscardedCall("shuffle", "from sklearn.utils import shuffle", _shuffle),
    DiscardedCall("fernet", "from cryptography.fernet import Fernet", _fernet),
    DiscardedCall("dateutil", "from dateutil.parser import isoparse", _isoparse),
    DiscardedCall("http_connection", "from http.client import HTTPConnection", _connection),
)
