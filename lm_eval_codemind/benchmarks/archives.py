"""The upstream repositories this suite is built from: where they are, which revision, and what must be in them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class Archive:
    """An upstream repository at the revision the suite is pinned to.

    Attributes:
        name: Name of its folder or archive below an ``--upstream`` directory.
        repository: ``owner/name`` on GitHub.
        revision: The pinned commit.
    """

    name: str
    repository: str
    revision: str

    @property
    def url(self) -> str:
        """Where GitHub serves the revision as a gzipped tar archive."""
        return f"https://github.com/{self.repository}/archive/{self.revision}.tar.gz"


@dataclass(frozen=True)
class ArchivePart:
    """The files of an upstream repository that a benchmark is read from.

    Attributes:
        archive: The repository.
        folder: Path below the repository's root; every file's name is relative to it.
        patterns: Shell patterns of the names used; others may be there and are not looked at.
        digest: What :func:`digest_files` must give for them.
    """

    archive: Archive
    folder: str
    patterns: tuple[str, ...]
    digest: str

    def wants(self, name: str) -> bool:
        """Tell whether a file, named relative to the folder, belongs to this part."""
        return any(fnmatchcase(name, pattern) for pattern in self.patterns)

    def place(self, name: str) -> str:
        """Return where a file of the folder comes from, as ``repository@revision:path``."""
        return f"{self.archive.repository}@{self.archive.revision}:{self.folder}/{name}"


def digest_files(files: Mapping[str, bytes]) -> str:
    """Return one SHA-256 digest for a set of files: over the lines ``<digest of content>  <name>``, sorted by name."""
    lines = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return hashlib.sha256("".join(lines).encode("utf-8")).hexdigest()


CODEMIND = Archive("CodeMind", "Intelligent-CAT-Lab/CodeMind", "d55bbc18be")
# The revision that holds the data of CodeMind's first study, which later ones do not.
CODEMIND_V1 = Archive("CodeMind-v1", "Intelligent-CAT-Lab/CodeMind", "277f883526")
HUMAN_EVAL = Archive("human-eval", "openai/human-eval", "6d43fb980f9fee3c892a914eda09951f772ad10d")
CRUXEVAL = Archive("cruxeval", "facebookresearch/cruxeval", "190faf1")
CLASSEVAL = Archive("ClassEval", "FudanSELab/ClassEval", "eaeac44")
OCTOPACK = Archive("octopack", "bigcode-project/octopack", "526627ac7b6b6ec1a2b19a20822fbcf16be35162")
REVAL = Archive("REval", "r-eval/REval", "2f148b9")
