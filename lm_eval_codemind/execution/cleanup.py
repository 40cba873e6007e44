"""Removal of all files that programs leave in a directory."""

from __future__ import annotations

import contextlib
import os
import stat


def wipe(directory: str) -> None:
    """Remove everything in a directory.

    Nothing may write there meanwhile. Works through any depth of nesting without recursion, by moving nested
    directories to the top, and follows no link.
    """
    number = 0
    while True:
        with os.scandir(directory) as entries:
            names = [(entry.path, entry.is_dir(follow_symlinks=False)) for entry in entries]
        if not names:
            return
        for path, is_directory in names:
            if not is_directory:
                os.unlink(path)
                continue
            os.chmod(path, stat.S_IRWXU)
            with os.scandir(path) as inner:
                children = [(entry.path, entry.is_dir(follow_symlinks=False)) for entry in inner]
            for child, nested in children:
                if not nested:
                    os.unlink(child)
                    continue
                os.chmod(child, stat.S_IRWXU)
                while True:
                    number += 1
                    target = f"{directory}/.{number}"
                    if not os.path.lexists(target):
                        break
                os.rename(child, target)
            with contextlib.suppress(FileNotFoundError):
                os.rmdir(path)


def reset(directory: str) -> set[str]:
    """Make a directory what it was before a program used it: empty, of mode 0700, and last changed at no special time.

    Returns the names that were in it.

    All of this whatever the program did: the mode, too, is a message to the next one, or keeps it out.
    """
    os.chmod(directory, stat.S_IRWXU)
    names = set(os.listdir(directory))
    if names:
        wipe(directory)
    os.utime(directory, (0, 0))
    return names


def is_empty(directory: str) -> bool:
    """Whether a directory is empty."""
    with os.scandir(directory) as entries:
        return next(iter(entries), None) is None
