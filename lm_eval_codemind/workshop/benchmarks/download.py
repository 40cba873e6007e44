"""Download of upstream's archives: with a progress bar, kept in a cache."""

import tarfile
from pathlib import Path

import requests
from tqdm.auto import tqdm

from lm_eval_codemind.data.catalogue import Archive
from lm_eval_codemind.errors import UpstreamError

_TIMEOUT_SECONDS = 30
_CHUNK_BYTES = 1 << 16


def _fetch(url: str, file: Path) -> None:
    """Download a file. GitHub sends no part of an archive, so an interrupted download starts anew.

    Raises:
        requests.RequestException: If the server cannot be reached, answers with an error, or sends less than it
            announced.
    """
    with requests.get(url, stream=True, timeout=_TIMEOUT_SECONDS) as response:
        response.raise_for_status()
        total = int(response.headers.get("Content-Length", 0)) or None
        with (
            file.open("wb") as content,
            tqdm(total=total, unit="B", unit_scale=True, desc=url.rsplit("/", 1)[-1]) as bar,
        ):
            for chunk in response.iter_content(_CHUNK_BYTES):
                content.write(chunk)
                bar.update(len(chunk))


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
            _fetch(archive.url, partial)
            partial.replace(path)
    except requests.RequestException as error:
        # requests shows urllib3's objects; their reason is what a reader needs.
        reason = getattr(error.args[0] if error.args else None, "reason", None)
        cause = str(reason).rpartition(": ")[2] if reason else error
        raise UpstreamError(
            f"cannot download {archive.url} ({cause}). Run `codemind data build` again where there is a network; it "
            "keeps the archives that are complete. Or give the data with `codemind data build --upstream DIR`, or "
            "point CODEMIND_DATA to a directory in which it has been built"
        ) from error
    if not tarfile.is_tarfile(path):
        path.unlink()
        raise UpstreamError(
            f"{archive.url}: what came is not a tar archive but perhaps an error page; it has been removed. Open the "
            "address in a browser to see what the server says, then run `codemind data build` again"
        )
    return path
