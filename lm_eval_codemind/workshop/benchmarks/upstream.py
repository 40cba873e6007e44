"""Access to the upstream repositories: a directory with checkouts or archives, or a download."""

import hashlib
import tarfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import Any

from lm_eval_codemind.data.catalogue import ARCHIVES, Archive, read_yaml
from lm_eval_codemind.errors import UpstreamError

_SUFFIXES = (".tar.xz", ".tar.gz", ".tgz", ".tar")


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
        """Whether a file, named relative to the folder, belongs to this part."""
        return any(fnmatchcase(name, pattern) for pattern in self.patterns)

    def place(self, name: str) -> str:
        """Return the source of a file in the folder, as ``repository@revision:path``."""
        return f"{self.archive.repository}@{self.archive.revision}:{self.folder}/{name}"


# The parts that ``parts.yaml`` describes, by name: a benchmark's, or another name where a benchmark has several.
PARTS = {
    name: ArchivePart(ARCHIVES[part["archive"]], part["folder"], tuple(part["patterns"]), part["digest"])
    for name, part in read_yaml(resources.files(__package__).joinpath("parts.yaml")).items()
}


def digest_files(files: Mapping[str, bytes]) -> str:
    """Return one SHA-256 digest for a set of files: over the lines ``<digest of content>  <name>``, sorted by name."""
    lines = (f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files))
    return hashlib.sha256("".join(lines).encode("utf-8")).hexdigest()


def plain_text(content: bytes) -> str:
    """Return the text of a file with plain line feeds."""
    return content.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")


class Upstream:
    """The pinned upstream repositories as sets of files.

    Every part of a repository is checked against its pinned digest, wherever it comes from, so that a build is made
    from exactly the data the labels were proven on or not at all.

    Args:
        directory: Holds a checkout ``NAME/`` or an archive ``NAME.tar.xz`` (also ``.tar.gz``, ``.tgz``, ``.tar``) for
            each repository. None: ``fetch`` is asked.
        fetch: Returns the path of an archive that has been downloaded, complete.
    """

    def __init__(self, directory: Path | None = None, fetch: Callable[[Archive], Path] | None = None) -> None:
        if (directory is None) == (fetch is None):
            raise ValueError("give either a directory or a way to fetch archives")
        if directory is not None and not directory.is_dir():
            raise UpstreamError(
                f"{directory}: no such directory; --upstream wants one with upstream's checkouts or archives"
            )
        self._directory = directory
        self._fetch = fetch
        self._read_parts: dict[ArchivePart, dict[str, bytes]] = {}
        # What could not be downloaded is not asked for again by the next benchmark.
        self._failed: dict[Archive, UpstreamError] = {}

    def files(self, part: ArchivePart) -> Mapping[str, bytes]:
        """Return the files of one part of a repository: name relative to the part's folder -> content.

        Raises:
            UpstreamError: If the repository is not there, cannot be read, or differs from the pinned revision.
        """
        if part not in self._read_parts:
            files = self.unchecked(part)
            problem = _problem_with(part, files)
            if problem:
                raise UpstreamError(f"{problem}; {self._fix(part.archive)}")
            self._read_parts[part] = files
        return self._read_parts[part]

    def rows(self, archive: Archive) -> Iterable[Mapping[str, Any]]:
        """Return the rows of a data set's split ``test``: of a copy ``NAME/`` in the directory, else from the Hub.

        Raises:
            UpstreamError: If it cannot be read. The message says how to give a local copy.
        """
        from datasets import load_dataset

        local = self._directory and self._directory / archive.name
        fix = (
            f"hf download {archive.repository} --repo-type dataset --revision {archive.revision} "
            f"--local-dir DIR/{archive.name}, then codemind data build --upstream DIR"
        )
        if local and not local.is_dir():
            raise UpstreamError(f"{local}: no such directory; {fix}")
        place, revision = (str(local), None) if local else (archive.repository, archive.revision)
        try:
            rows: Iterable[Mapping[str, Any]] = load_dataset(place, split="test", revision=revision)
        except (OSError, ValueError, ImportError) as error:
            raise UpstreamError(
                f"{place}: the data set cannot be read ({type(error).__name__}). To give a local copy: {fix}"
            ) from error
        return rows

    def _fix(self, archive: Archive) -> str:
        """Return the fix for an archive that lacks files or has others. A download is not repeated by itself."""
        clean = f"use a clean copy of {archive.repository} at {archive.revision}"
        if self._fetch is None:
            return clean
        return f"to download it again, delete {self._locate(archive)}; if it differs again, {clean} with --upstream"

    def _locate(self, archive: Archive) -> Path:
        if archive in self._failed:
            raise self._failed[archive]
        if self._fetch is not None:
            try:
                return self._fetch(archive)
            except UpstreamError as error:
                self._failed[archive] = error
                raise
        assert self._directory is not None
        candidates = [self._directory / archive.name]
        candidates += [self._directory / f"{archive.name}{suffix}" for suffix in _SUFFIXES]
        for path in candidates:
            if path.exists():
                return path
        raise UpstreamError(
            f"{self._directory}: holds neither a checkout {archive.name}/ nor an archive {archive.name}.tar.xz; clone "
            f"https://github.com/{archive.repository} at {archive.revision} there"
        )

    def unchecked(self, part: ArchivePart) -> dict[str, bytes]:
        """Return the files of a part, whatever their digest."""
        path = self._locate(part.archive)
        if path.is_dir():
            return _read_directory(path, part)
        try:
            return _read_tar(path, part)
        except (tarfile.TarError, OSError, EOFError) as error:
            fix = self._fix(part.archive)
            if self._fetch is not None:
                path.unlink()
                fix = "the download has been removed; run the command again to repeat it"
            raise UpstreamError(f"{path}: not a readable tar archive ({error}); {fix}") from error


def _problem_with(part: ArchivePart, files: Mapping[str, bytes]) -> str:
    where = f"{part.archive.repository}, {part.folder or ', '.join(part.patterns)}"
    if not files:
        return f"{where}: no such files; a checkout of revision {part.archive.revision} has them"
    digest = digest_files(files)
    if digest == part.digest:
        return ""
    return (
        f"{where}: the {len(files)} files differ from revision {part.archive.revision} "
        f"(digest {digest[:12]}…, wanted {part.digest[:12]}…)"
    )


def _read_directory(root: Path, part: ArchivePart) -> dict[str, bytes]:
    folder = root / part.folder
    paths = (path for path in folder.rglob("*") if path.is_file())
    names = ((path.relative_to(folder).as_posix(), path) for path in paths)
    return {name: path.read_bytes() for name, path in names if part.wants(name)}


def _read_tar(path: Path, part: ArchivePart) -> dict[str, bytes]:
    contents: dict[str, bytes] = {}
    with tarfile.open(path) as tar:
        for member in tar:
            # The name comes first, as it takes no time. An archive may hold many thousands of other files.
            if part.folder not in member.name or not member.isfile():
                continue
            # Archives have one folder at their top, whose name depends on who made them.
            inner = PurePosixPath(*PurePosixPath(member.name).parts[1:])
            if not inner.is_relative_to(part.folder):
                continue
            name = inner.relative_to(part.folder).as_posix()
            if part.wants(name):
                file = tar.extractfile(member)
                assert file is not None
                contents[name] = file.read()
    return contents
