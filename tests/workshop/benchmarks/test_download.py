"""Downloads against a local server that breaks off, lies, or answers with an error page."""

import io
import tarfile
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lm_eval_codemind.data.catalogue import Archive
from lm_eval_codemind.errors import UpstreamError
from lm_eval_codemind.workshop.benchmarks.download import fetch_archive
from lm_eval_codemind.workshop.benchmarks.upstream import ArchivePart, Upstream, digest_files

FILES = {"one.txt": b"1" * 400_000, "two.txt": bytes(range(256)) * 2_000}


def tar_of(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz", compresslevel=0) as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(f"repository-1234567/data/{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


class Server(ThreadingHTTPServer):
    """Serves one body; can break off after some bytes, or answer with an error."""

    def __init__(self, body: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.body, self.break_after = body, None
        self.status, self.requests = 200, 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/archive.tar.gz"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.requests += 1
        if self.server.status != 200:
            self.send_error(self.server.status)
            return
        body = self.server.body
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: self.server.break_after])

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(tar_of(FILES)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def part(server: Server, monkeypatch: pytest.MonkeyPatch) -> ArchivePart:
    monkeypatch.setattr(Archive, "url", property(lambda self: server.url))
    return ArchivePart(Archive("made", "owner/made", "1234567"), "data", ("*.txt",), digest_files(FILES))


Download = Callable[[], dict[str, bytes]]


@pytest.fixture
def download(part: ArchivePart, tmp_path: Path) -> Download:
    return lambda: Upstream(fetch=lambda wanted: fetch_archive(wanted, tmp_path)).files(part)


def test_downloads_once_and_checks_what_is_inside(server, download, tmp_path):
    for _ in range(2):
        assert download() == FILES
    assert server.requests == 1 and [path.name for path in tmp_path.iterdir()] == ["made-1234567.tar.gz"]


def test_an_interrupted_download_starts_anew(server, download):
    server.break_after = 300_000
    with pytest.raises(UpstreamError, match="keeps the archives that are complete"):
        download()
    server.break_after = None
    assert download() == FILES and server.requests == 2


@pytest.mark.parametrize(("body", "message"), [
    (tar_of({**FILES, "one.txt": b"another"}), "owner/made, data: the 2 files differ from revision 1234567"),
    (tar_of({}), "no such files"),
])  # fmt: skip
def test_other_files_are_refused_and_not_downloaded_again_and_again(server, download, tmp_path, body, message):
    right, server.body = server.body, body
    for _ in range(2):
        with pytest.raises(UpstreamError, match=rf"{message}.*to download it again, delete .*made-1234567\.tar\.gz"):
            download()
    (archive,) = tmp_path.iterdir()
    assert server.requests == 1
    server.body = right
    archive.unlink()
    assert download() == FILES


def test_an_error_page_is_removed_and_asked_for_once_a_run(server, part, tmp_path):
    server.body = b"<html>Something went wrong</html>"
    upstream = Upstream(fetch=lambda wanted: fetch_archive(wanted, tmp_path))
    for _ in range(2):
        with pytest.raises(UpstreamError, match="not a tar archive but perhaps an error page"):
            upstream.files(part)
    assert list(tmp_path.iterdir()) == [] and server.requests == 1


@pytest.mark.parametrize("status", [404, 429, 500, None], ids=str)
def test_an_error_names_the_mend(server, download, status):
    if status is None:
        server.server_close()
        server.shutdown()
    else:
        server.status = status
    with pytest.raises(UpstreamError, match=rf"{status or 'codemind data build'}.*--upstream DIR.*CODEMIND_DATA"):
        download()


def test_a_truncated_archive_in_the_cache_is_removed(server, download, tmp_path):
    (tmp_path / "made-1234567.tar.gz").write_bytes(server.body[:500_000])
    with pytest.raises(UpstreamError, match="run the command again"):
        download()
    assert download() == FILES
