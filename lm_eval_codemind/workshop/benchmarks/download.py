"""Download of upstream's archives: with a progress bar, kept in a cache, going on where an interruption left off."""

import tarfile
from pathlib import Path

import requests
from tqdm.auto import tqdm

from lm_eval_codemind.data.catalogue import Archive
from lm_eval_codemind.errors import UpstreamError

_TIMEOUT_SECONDS = 30
_CHUNK_BYTES = 1 << 16


def _fetch_rest(url: str, partial: Path) -> None:
    """Download the rest of a file. If the server only sends the whole file, the whole file replaces the part.

    Raises:
        requests.RequestException: If the server cannot be reached, answers with an error, or sends less than it
            announced.
    """
    have = partial.stat().st_size if partial.exists() else 0
    headers = {"Range": f"bytes={have}-"} if have else {}
    with requests.get(url, headers=headers, stream=True, timeout=_TIMEOUT_SECONDS) as response:
        if response.status_code == requests.codes.requested_range_not_satisfiable:
            return
        response.raise_for_status()
        resumed = response.status_code == requests.codes.partial_content
        length = response.headers.get("Content-Length")
        done = have if resumed else 0
        total = done + int(length) if length else None
        with (
            partial.open("ab" if resumed else "wb") as file,
            tqdm(total=total, initial=done, unit="B", unit_scale=True, desc=url.rsplit("/", 1)[-1]) as bar,
        ):
            for chunk in response.iter_content(_CHUNK_BYTES):
                file.write(chunk)
                bar.update(len(chunk))
        if total is not None and partial.stat().st_size < total:
            raise requests.ConnectionError(
                f"{url}: the connection ended after {partial.stat().st_size} of {total} bytes"
            )


def fetch_archive(archive: Archive, folder: Path) -> Path:
    """Return the path of an upstream archive in a cache folder, downloaded if it is not there.

    What is inside is checked against pinned digests when it is read (:class:`~.upstream.Upstream`): GitHub makes these
    archives on demand and does not promise the same bytes twice, only the same files.

    Raises:
        UpstreamError: If the archive cannot be downloaded or is not an archive. The message says how to fix it.
    """
    path = folder / f"{archive.name}-{archive.revision}.tar.gz"
    partial = path.with_name(f"{path.name}.part")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        if not path.exists():
            _fetch_rest(archive.url, partial)
            partial.replace(path)
    except requests.RequestException as error:
        # requests shows urllib3's objects; their reason is what a reader needs.
        reason = getattr(error.args[0] if error.args else None, "reason", None)
        cause = str(reason).rpartition(": ")[2] if reason else error
        raise UpstreamError(
            f"cannot download {archive.url} ({cause}). Run `codemind data build` again where there is a network, which "
            "goes on where this stopped; or give the data with `codemind data build --upstream DIR`, or point "
            "CODEMIND_DATA to a directory in which it has been built"
        ) from error
    if not tarfile.is_tarfile(path):
        path.unlink()
        raise UpstreamError(
            f"{archive.url}: what came is not a tar archive but perhaps an error page; it has been removed. Open the "
            "address in a browser to see what the server says, then run `codemind data build` again"
        )
    return path
