"""Downloads against a local server that breaks off, lies, or answers with an error page."""

import io
import re
import tarfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lm_eval_codemind.data.benchmarks.download import fetch_archive
from lm_eval_codemind.data.benchmarks.upstream import ArchivePart, Upstream, UpstreamError, digest_files
from lm_eval_codemind.data.catalogue import Archive

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
    """Serves one body; can break off after some bytes, refuse ranges, or answer with an error."""

    def __init__(self, body: bytes) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.body = body
        self.break_after: int | None = None
        self.ranges = True
        self.status = 200
        self.requests: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/archive.tar.gz"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        self.server.requests.append(wanted)
        if self.server.status != 200:
            self.send_error(self.server.status)
            return
        start = int(re.fullmatch(r"bytes=(\d+)-", wanted)[1]) if wanted and self.server.ranges else 0
        body = self.server.body[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.server.break_after is not None:
            body = body[: self.server.break_after]
        self.wfile.write(body)

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


def upstream(folder: Path) -> Upstream:
    return Upstream(fetch=lambda wanted: fetch_archive(wanted, folder))


def test_downloads_once_and_checks_what_is_inside(server: Server, part: ArchivePart, tmp_path: Path) -> None:
    for _ in range(2):
        assert upstream(tmp_path).files(part) == FILES
    assert server.requests == [None]
    assert [path.name for path in tmp_path.iterdir()] == ["made-1234567.tar.gz"]


def test_goes_on_where_an_interruption_left_off(server: Server, part: ArchivePart, tmp_path: Path) -> None:
    server.break_after = 300_000
    with pytest.raises(UpstreamError, match="goes on where this stopped"):
        upstream(tmp_path).files(part)
    server.break_after = None
    assert upstream(tmp_path).files(part) == FILES
    first, second = server.requests
    assert first is None
    assert second is not None
    assert int(second.removeprefix("bytes=").removesuffix("-")) > 200_000


def test_starts_anew_where_the_server_cannot_continue(server: Server, part: ArchivePart, tmp_path: Path) -> None:
    server.ranges = False
    server.break_after = 300_000
    with pytest.raises(UpstreamError):
        upstream(tmp_path).files(part)
    server.break_after = None
    assert upstream(tmp_path).files(part) == FILES


def test_other_content_is_refused_by_its_digest(server: Server, part: ArchivePart, tmp_path: Path) -> None:
    server.body = tar_of({**FILES, "one.txt": b"another"})
    with pytest.raises(UpstreamError, match=r"owner/made, data: the 2 files differ from revision 1234567.*removed"):
        upstream(tmp_path).files(part)
    server.body = tar_of(FILES)
    assert upstream(tmp_path).files(part) == FILES


def test_a_missing_folder_is_named(server: Server, part: ArchivePart, tmp_path: Path) -> None:
    server.body = tar_of({})
    with pytest.raises(UpstreamError, match="no such files"):
        upstream(tmp_path).files(part)


def test_an_error_page_is_removed(server: Server, part: ArchivePart, tmp_path: Path) -> None:
    server.body = b"<html>Something went wrong</html>"
    with pytest.raises(UpstreamError, match="not a tar archive but perhaps an error page"):
        upstream(tmp_path).files(part)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("status", [404, 429, 500])
def test_an_error_status_names_the_mend(server: Server, part: ArchivePart, tmp_path: Path, status: int) -> None:
    server.status = status
    with pytest.raises(UpstreamError, match=rf"{status}.*--upstream DIR.*CODEMIND_DATA"):
        upstream(tmp_path).files(part)


def test_no_network_names_the_mend(server: Server, part: ArchivePart, tmp_path: Path) -> None:
    server.server_close()
    server.shutdown()
    with pytest.raises(UpstreamError, match=r"codemind data build.*--upstream DIR.*CODEMIND_DATA"):
        upstream(tmp_path).files(part)


def test_a_truncated_archive_in_the_cache_is_removed(server: Server, part: ArchivePart, tmp_path: Path) -> None:
    path = tmp_path / "made-1234567.tar.gz"
    path.write_bytes(server.body[:500_000])
    with pytest.raises(UpstreamError, match="run the command again"):
        upstream(tmp_path).files(part)
    assert upstream(tmp_path).files(part) == FILES
