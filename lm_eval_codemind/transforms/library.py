"""Library calls: calls whose value is thrown away, and a builtin replaced by NumPy's counterpart.

Every call gets written-out arguments and touches nothing: no clock, no connection, no shared random state.
"""

from __future__ import annotations

import ast
import base64
from abc import abstractmethod
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
    """

    group = "library"
    limit = 1

    def sites(self, program: Program) -> list[Site]:
        """Return the gaps between the statements."""
        if program.reflective:
            return []
        found = []
        for block in program.blocks:
            is_code = block.function is not None or (program.script and isinstance(block.owner, ast.Module))
            if not block.is_top or not is_code or block.repeated or isinstance(block.owner, ast.ClassDef):
                continue
            for index in range(block.start, len(block.statements) + 1):
                found.append((block, index))
                if index < len(block.statements) and leaves(block.statements[index]):
                    break
        return found

    def apply(self, program: Program, site: Site, rng: Random) -> None:
        """Import the function and insert the call."""
        block, index = site
        following = block.statements[index] if index < len(block.statements) else None
        (call,) = statements(self.call(program, rng))
        if following is None:
            block.statements.append(call)
        else:
            index = next(i for i, node in enumerate(block.statements) if node is following)
            block.statements.insert(index, call)

    @abstractmethod
    def call(self, program: Program, rng: Random) -> str:
        """Import what the call needs and return its text."""


def _numbers(rng: Random, count: int) -> str:
    return "[" + ", ".join(str(rng.randrange(10, 100)) for _ in range(count)) + "]"


class Base64(DiscardedCall):
    """Encodes some digits with `base64.b64encode`."""

    name = "base64"

    def call(self, program: Program, rng: Random) -> str:
        """Return the call."""
        module = program.import_module("base64", rng)
        digits = "".join(str(rng.randrange(10)) for _ in range(20))
        return f"{module}.b64encode(b'{digits}')"


class TTest(DiscardedCall):
    """Compares two lists of different numbers with `scipy.stats.ttest_ind`."""

    name = "ttest_ind"

    def call(self, program: Program, rng: Random) -> str:
        """Return the call."""
        function = program.import_from("scipy.stats", "ttest_ind", rng)
        # Distinct numbers: equal ones would make SciPy warn about lost precision.
        first, second = ([low + rng.randrange(10) for low in (10, 40, 70)] for _ in range(2))
        return f"{function}({first}, {second})"


class Shuffle(DiscardedCall):
    """Shuffles a list with `sklearn.utils.shuffle`, with its own random state."""

    name = "shuffle"

    def call(self, program: Program, rng: Random) -> str:
        """Return the call."""
        function = program.import_from("sklearn.utils", "shuffle", rng)
        return f"{function}({_numbers(rng, 3)}, random_state={rng.randrange(100)})"


class FernetKey(DiscardedCall):
    """Creates a `cryptography` cipher from a key in the source code."""

    name = "fernet"

    def call(self, program: Program, rng: Random) -> str:
        """Return the call."""
        function = program.import_from("cryptography.fernet", "Fernet", rng)
        key = base64.urlsafe_b64encode(bytes(rng.randrange(256) for _ in range(32)))
        return f"{function}({key!r})"


class DateutilParse(DiscardedCall):
    """Parses a date with `dateutil.parser.isoparse`, which, unlike `parse`, does not ask for today's."""

    name = "dateutil"

    def call(self, program: Program, rng: Random) -> str:
        """Return the call."""
        function = program.import_from("dateutil.parser", "isoparse", rng)
        date = f"{rng.randrange(1990, 2030)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
        return f"{function}('{date}T{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}')"


class Connection(DiscardedCall):
    """Makes an `HTTPConnection` object, which connects to nothing before it is asked to."""

    name = "http_connection"

    def call(self, program: Program, rng: Random) -> str:
        """Return the call."""
        function = program.import_from("http.client", "HTTPConnection", rng)
        return f"{function}('localhost', port={rng.randrange(1024, 10000)})"
