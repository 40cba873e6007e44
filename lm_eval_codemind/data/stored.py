"""What is made on first use, such as the questions of a seed, is stored in the data directory."""

import gzip
import logging
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from lm_eval_codemind.data.manifest import data_directory, user_directory
from lm_eval_codemind.files import write_whole

logger = logging.getLogger(__name__)

T = TypeVar("T")


def stored(name: str, read: Callable[[str], T], make: Callable[[], T], write: Callable[[T], str]) -> T:
    """Return what a file holds, and make it first if there is no such file, or if it cannot be read.

    The file lies in the data directory, or in the user's cache if that cannot be written: a data directory that several
    users share may be read-only.

    Args:
        name: The path of the compressed file in the directory.
        read: Text of the file -> value.
        make: Makes the value.
        write: Value -> text of the file.
    """
    files = [directory / name for directory in (data_directory(), user_directory())]
    for file in filter(Path.is_file, files):
        try:
            return read(gzip.decompress(file.read_bytes()).decode())
        except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
            logger.warning("%s cannot be read (%s); it is made again", file, error)
    value = make()
    content = gzip.compress(write(value).encode(), mtime=0)
    for file in files:
        try:
            write_whole(file, content)
            break
        except OSError as error:
            logger.warning("%s cannot be written (%s)", file, error.strerror)
    return value
