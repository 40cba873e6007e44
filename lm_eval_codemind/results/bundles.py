"""Bundles: a run's files in one archive, for others to verify."""

import gzip
import io
import json
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lm_eval_codemind.errors import UserError
from lm_eval_codemind.files import write_whole
from lm_eval_codemind.harness.result_files import run_files
from lm_eval_codemind.harness.stages import first_stage_file
from lm_eval_codemind.results.runs import Run

SUFFIX = ".codemind.tar.gz"
SUBMISSION = "submission.json"
# Bytes. No run of this suite writes more.
_LARGEST = 4 * 2**30


def write_bundle(path: Path, run: Run, submission: Mapping[str, Any]) -> None:
    """Write a run's result and sample files and a description of the submission into one archive.

    The same files give the same bytes.

    Raises:
        UserError: If a file that scoring needs is not next to the run's files. The message names the file.
    """
    files = {SUBMISSION: (json.dumps(submission, indent=2, ensure_ascii=False) + "\n").encode("utf-8")}
    files[run.path.name] = run.path.read_bytes()
    for task in run.tasks:
        if task.samples_file is not None:
            files[task.samples_file.name] = task.samples_file.read_bytes()
        first = first_stage_file(task.suite, run.path)
        for file in run_files(first) if first else ():
            if not file.is_file():
                raise UserError(f"{file}: not there, and {task.task} cannot be scored again without it")
            files[file.name] = file.read_bytes()
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w") as archive,
    ):
        for name, content in sorted(files.items()):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    write_whole(path, buffer.getvalue())


@contextmanager
def opened(paths: Iterable[Path]) -> Iterator[list[Path]]:
    """Give the paths, with each bundle unpacked into a temporary directory.

    Raises:
        UserError: If the file is not a bundle, or has other entries than plain files. The message names the file.
    """
    with tempfile.TemporaryDirectory(prefix="codemind-") as folder:
        places = []
        for number, path in enumerate(paths):
            if path.is_file() and path.name.endswith((".tar.gz", ".tgz")):
                directory = Path(folder) / str(number)
                directory.mkdir()
                _unpack(path, directory)
                path = directory
            places.append(path)
        yield places


def read_submission(directory: Path, bundle: Path) -> dict[str, Any]:
    """Return the description of the submission in an unpacked bundle.

    Raises:
        UserError: If it has none. The message names the bundle.
    """
    try:
        return {**json.loads((directory / SUBMISSION).read_text(encoding="utf-8"))}
    except (OSError, ValueError, TypeError) as error:
        raise UserError(f"{bundle}: no {SUBMISSION} in it ({error}); make bundles with `codemind submit`") from error


def _unpack(path: Path, directory: Path) -> None:
    """Unpack the plain files at the top of an archive. Anything else is refused, since archives are not trusted."""
    try:
        with tarfile.open(path, "r:gz") as archive:
            total = 0
            for member in archive:
                total += member.size
                if not member.isreg() or Path(member.name).name != member.name or total > _LARGEST:
                    raise UserError(f"{member.name!r} does not belong in a bundle")
                source = archive.extractfile(member)
                assert source is not None
                (directory / member.name).write_bytes(source.read())
    except (tarfile.TarError, OSError, EOFError, ValueError) as error:
        raise UserError(f"{path}: not a bundle ({error}); make one with `codemind submit`") from error
