"""Files that are written whole or not at all."""

from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file, and its directory if it is missing.

    If writing fails, for example because the disk is full, the former file stays and no part of the new one is left.

    Args:
        path: The file. A device such as ``/dev/stdout`` is written directly.
        content: Bytes, or text that is encoded as UTF-8.

    Raises:
        OSError: If the file cannot be written. Its ``filename`` is the path.
    """
    encoded = content.encode("utf-8") if isinstance(content, str) else content
    direct = path.exists() and not path.is_file()
    partial = path if direct else path.with_name(f"{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(encoded)
        if not direct:
            partial.replace(path)
    except OSError as error:
        if not direct:
            with suppress(OSError):
                partial.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
