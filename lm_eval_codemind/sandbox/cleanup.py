"""Removal of all files that programs leave in a directory."""

import itertools
import os
import stat


def wipe(directory: str) -> None:
    """Remove everything in a directory.

    Nothing may write there meanwhile. Works through any depth of nesting without recursion, by moving nested
    directories to the top, and follows no link.
    """
    names = (f"{directory}/.{number}" for number in itertools.count())
    while directories := _directories(directory):
        for path in directories:
            for nested in _directories(path):
                os.rename(nested, next(name for name in names if not os.path.lexists(name)))
            os.rmdir(path)


def _directories(directory: str) -> list[str]:
    """Remove the files in a directory, and return the directories in it, which can be changed from now on."""
    with os.scandir(directory) as entries:
        listed = [(entry.path, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for path, is_directory in listed:
        if is_directory:
            os.chmod(path, stat.S_IRWXU)
        else:
            os.unlink(path)
    return [path for path, is_directory in listed if is_directory]


def reset(directory: str) -> None:
    """Make a directory what it was before a program used it: empty, of mode 0700, and last changed at no special time.

    All of this whatever the program did: the mode, too, is a message to the next one, or keeps it out.
    """
    os.chmod(directory, stat.S_IRWXU)
    wipe(directory)
    os.utime(directory, (0, 0))
