"""Logs in an object store, read over the network from one that this test runs."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import pytest

from promptlint.logs.places import files_of, opened, parts_of, size_of
from promptlint.logs.reading import Reading, requests
from promptlint.logs.record import LogError, Skipped

BODY = {"model": "gpt-5-mini", "messages": [{"role": "user", "content": "hello"}]}
LINES = "".join(json.dumps({**BODY, "id": f"r{number}"}) + "\n" for number in range(40)).encode()
OBJECTS = {
    "logs/day 1/a.jsonl": LINES,
    "logs/day 2/b.jsonl": LINES[: len(LINES) // 2],
    "logs/day 2/notes.txt": b"not a log",
}


class _Store(BaseHTTPRequestHandler):
    """As much of Amazon S3's interface as reading needs: HEAD and GET of objects, lists of a bucket."""

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        split = urlsplit(self.path)
        key = split.path.removeprefix("/bucket/").replace("%20", " ")
        if "list-type" in parse_qs(split.query):
            self._send(200, self._list(parse_qs(split.query).get("prefix", [""])[0]).encode(), "application/xml")
        elif (data := OBJECTS.get(key)) is None:
            self._send(404, b"", "application/xml")
        elif given := self.headers.get("Range"):
            first, last = given.removeprefix("bytes=").split("-")
            part = data[int(first) : int(last) + 1]
            self._send(206, part, "binary/octet-stream", f"bytes {first}-{int(first) + len(part) - 1}/{len(data)}")
        else:
            self._send(200, data, "binary/octet-stream")

    def _list(self, prefix: str) -> str:
        found = ((key, data) for key, data in OBJECTS.items() if key.startswith(prefix))
        contents = "".join(f"<Contents><Key>{key}</Key><Size>{len(data)}</Size></Contents>" for key, data in found)
        return f"<ListBucketResult><IsTruncated>false</IsTruncated>{contents}</ListBucketResult>"

    def _send(self, status: int, data: bytes, kind: str, content_range: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if content_range:
            self.send_header("Content-Range", content_range)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The settings of a store on this machine, as they stand behind a name."""
    for name, value in (("ACCESS_KEY_ID", "key"), ("SECRET_ACCESS_KEY", "none"), ("EC2_METADATA_DISABLED", "true")):
        monkeypatch.setenv(f"AWS_{name}", value)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Store)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"?scheme=http&region=local&endpoint_override=127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_objects_are_found_as_files_are(bucket: str) -> None:
    one, other = f"s3://bucket/logs/day%201/a.jsonl{bucket}", f"s3://bucket/logs/day%202/b.jsonl{bucket}"
    assert files_of([one]) == [one]
    assert files_of([f"s3://bucket/logs{bucket}"]) == [one, other]
    assert files_of([f"s3://bucket/logs/*/b.*{bucket}"]) == [other]
    with pytest.raises(FileNotFoundError, match="no such log"):
        files_of([f"s3://bucket/none{bucket}"])


def test_an_object_is_read_in_parts_like_a_file(bucket: str) -> None:
    name = f"s3://bucket/logs/day%201/a.jsonl{bucket}"
    assert size_of(name) == len(LINES)
    with opened(name) as stream:
        assert stream.read() == LINES
    parts = parts_of([name], 1_000)
    assert len(parts) > 3
    skipped: list[Skipped] = []
    found = [request.id for part in parts for request in requests(part, Reading(), skipped.append)]
    assert found == [f"r{number}" for number in range(40)]
    assert not skipped


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("https://logs.example/a.jsonl", "only s3:// and gs://"),
        ("s3://key:secret@bucket/a.jsonl", "s3://bucket: keys are taken from the environment"),
        ("s3://bucket/a.jsonl?colour=red", "s3://bucket"),
    ],
)
def test_what_cannot_be_read_is_said(name: str, said: str) -> None:
    with pytest.raises(LogError, match=said) as error:
        files_of([name])
    assert "secret" not in str(error.value)
