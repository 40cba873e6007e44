"""The upstream repositories this suite is built from: where they are, which revision, and what must be in them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class Part:
    """The files of an upstream repository that one reader uses.

    Attributes:
        folder: Path below the repository's root; every file's name is relative to it.
        patterns: Shell patterns of the names used; others may be there and are not looked at.
        digest: What :func:`digest_files` must give for them.
    """

    folder: str
    patterns: tuple[str, ...]
    digest: str

    def wants(self, name: str) -> bool:
        """Tell whether a file, named relative to the folder, belongs to this part."""
        return any(fnmatchcase(name, pattern) for pattern in self.patterns)


@dataclass(frozen=True)
class Archive:
    """An upstream repository at the revision the suite is pinned to.

    Attributes:
        name: Name of its folder or archive below an ``--upstream`` directory.
        repository: ``owner/name`` on GitHub.
        revision: The pinned commit.
        parts: What is read from it, by the reader's name.
    """

    name: str
    repository: str
    revision: str
    parts: Mapping[str, Part]

    @property
    def url(self) -> str:
        """Where GitHub serves the revision as a gzipped tar archive."""
        return f"https://github.com/{self.repository}/archive/{self.revision}.tar.gz"


def digest_files(files: Mapping[str, bytes]) -> str:
    """Return one SHA-256 digest for a set of files: over the lines ``<digest of content>  <name>``, sorted by name."""
    lines = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return hashlib.sha256("".join(lines).encode("utf-8")).hexdigest()


CODEMIND = Archive(
    "CodeMind",
    "Intelligent-CAT-Lab/CodeMind",
    "d55bbc18be",
    {
        "humaneval": Part(
            "dataset/humaneval",
            ("*/main.py", "*/input.txt", "*/output.txt"),
            "3d6d6ab3321ba3ca2d063ef7d3f961d209ea4116077d8f0a3c2776f0852aa6b9",
        ),
        "cruxeval": Part(
            "dataset/cruxeval",
            ("*/main.py", "*/input.txt", "*/output.txt"),
            "879d8fbbe05bd0137e63e954448cb9b5ad18d95214efbb4e2e5605281d35669e",
        ),
        "classeval": Part(
            "dataset/classeval",
            ("*/class.py", "*/method_test.py", "*/output.txt", "*/transformation.py"),
            "744e0cb862ab3c429e993f5e7a41b29aefb81819708f804ba8e95d848226e3c1",
        ),
        "mbpp": Part(
            "dataset/Intermediate/Synthesis/mbpp",
            ("*/main.py", "*/name.txt", "*/nl.txt", "*/signature.txt", "*/asserts.txt"),
            "6d100cee00b522969a00565ad917a3551cb28212cae6598e288f8ffe3df5b4d1",
        ),
        "avatar": Part(
            "dataset/Avatar/Avatar-Python",
            ("*/main.py", "*/input.txt", "*/output.txt", "*/all_tests/*.txt"),
            "3f298c1ec6c9f20f2ededf948e3a2613b10d30800230c956668d186c79909c60",
        ),
    },
)
HUMAN_EVAL = Archive(
    "human-eval",
    "openai/human-eval",
    "6d43fb980f9fee3c892a914eda09951f772ad10d",
    {
        "humaneval": Part(
            "data", ("HumanEval.jsonl.gz",), "4248db7b636374bc4bd151a294eec7ac2e3a8b5ab465c05fdb61e9668a984635"
        )
    },
)
CRUXEVAL = Archive(
    "cruxeval",
    "facebookresearch/cruxeval",
    "190faf1",
    {"cruxeval": Part("data", ("cruxeval.jsonl",), "e0b55ba26cf1699873cf1444f65a1b706813d2555e67aff95a86c36ab09e8282")},
)
CLASSEVAL = Archive(
    "ClassEval",
    "FudanSELab/ClassEval",
    "eaeac44",
    {
        "classeval": Part(
            "data", ("ClassEval_data.json",), "aa216f7e0ac402f063f9b39d7c69ebab06dbd4bded74b4ce12474b255b9054a2"
        )
    },
)
REVAL = Archive(
    "REval",
    "r-eval/REval",
    "2f148b9",
    {
        "reval": Part(
            "data",
            ("DREval_data.jsonl", "DREval_tasks.jsonl"),
            "84f93bdc946b73fc5451c2ab6904ffa8e5c487bb61b61686e9fc6dbaad5aaf0f",
        )
    },
)

ARCHIVES: dict[str, Archive] = {archive.name: archive for archive in (CODEMIND, HUMAN_EVAL, CRUXEVAL, CLASSEVAL, REVAL)}
