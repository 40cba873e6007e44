"""What RE2-Bench asks about a problem, as the problem holds it."""

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, TypedDict

DIFFICULTIES = ("easy", "difficult")
OUTPUT, INPUT, LOOP, BRANCH = TASKS = ("output", "input", "loop", "branch")
# The sources whose programs need no project, and the others, each by upstream's name.
PROGRAMS = {"HumanEval": "HumanEval", "cruxeval": "CRUXEval", "Classeval": "ClassEval", "Avatar": "Avatar"}
PROJECTS = {"Real": "Real", "Swebench": "SWE-bench"}


class Fields(TypedDict):
    """The columns of a document. The label is JSON, and so is what is shown of an input or an output."""

    code: str
    entry_point: str
    complexity: Mapping[str, Any] | None
    difficulty: str
    source: str
    shown: str
    label: str


@lru_cache(maxsize=1024)
def record_of(questions: str) -> Mapping[str, Any]:
    """Return what upstream asks about a problem, from its column ``upstream_questions``.

    It has the keys ``difficulty`` and ``source``, and for the tasks that the problem occurs in ``values``,
    ``structures``, ``loop`` and ``branch``.
    """
    record: dict[str, Any] = json.loads(questions)
    return record


def plain_listing(listing: str) -> str:
    """Return the program of a listing, without the numbers of its lines and the marks of its questions."""
    lines = (line.partition(" ")[2] for line in listing.split("\n"))
    return "\n".join(re.sub(r"\s*## \[(?:STATE|BRANCH)\].*", "", line) for line in lines) + "\n"
