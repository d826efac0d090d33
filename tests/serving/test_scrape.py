"""Reading dumps: files, and servers on this machine only."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from promptlint.serving.scrape import read_dump, samples
from promptlint.toml_keys import ConfigError


class _Engine(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/elsewhere":
            self.send_response(302)
            self.send_header("Location", "http://192.0.2.1/metrics")
            self.end_headers()
            return
        self.send_response(200 if self.path in ("/metrics", "/metrics?name=a") else 404)
        self.end_headers()
        self.wfile.write(f"vllm:num_requests_running 7\n# {self.path}\n".encode())

    def log_message(self, *_: object) -> None:
        """Nothing is said."""


@pytest.fixture
def port() -> Iterator[int]:
    """The port of a server on this machine."""
    server = HTTPServer(("127.0.0.1", 0), _Engine)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_server_on_this_machine(port: int) -> None:
    assert read_dump(f"http://127.0.0.1:{port}/metrics").startswith("vllm:num_requests_running 7\n")
    assert read_dump(f"http://localhost:{port}").endswith("# /metrics\n"), "the path that engines use"
    assert read_dump(f"http://127.0.0.1:{port}/metrics?name=a").endswith("?name=a\n")


def test_answers_that_are_no_dump(port: int) -> None:
    with pytest.raises(ConfigError, match="answers with 404"):
        read_dump(f"http://127.0.0.1:{port}/health")
    with pytest.raises(ConfigError, match="answers with 302"):
        read_dump(f"http://127.0.0.1:{port}/elsewhere")


@pytest.mark.parametrize(
    "place",
    [
        "http://192.0.2.1:8000/metrics",
        "http://engine.example:8000/metrics",
        "http://127.0.0.1.example/metrics",
        "http://127.0.0.1@192.0.2.1/metrics",
        "https://127.0.0.1/metrics",
        "file:///etc/hosts",
        "http:///metrics",
        "http://[::1/metrics",
    ],
)
def test_no_other_address_is_asked(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def connected(*_: object, **__: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr("socket.create_connection", connected)
    monkeypatch.setattr("socket.socket.connect", connected)
    with pytest.raises(ConfigError, match="only http addresses on this machine"):
        read_dump(place)


def test_a_server_that_is_not_there(port: int) -> None:
    with pytest.raises(ConfigError, match="the server does not answer"):
        read_dump("http://127.0.0.1:1/metrics")
    with pytest.raises(ConfigError, match="the server does not answer"):
        read_dump("http://127.0.0.1:99999/metrics")


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "metrics.txt"
    path.write_bytes("vllm:num_requests_running 2\n# caf\xe9\n".encode("latin-1"))
    (sample,) = samples(read_dump(str(path)), str(path))
    assert (sample.name, sample.labels, sample.value) == ("vllm:num_requests_running", {}, 2)
    with pytest.raises(ConfigError, match="cannot be read"):
        read_dump(str(tmp_path))
    with pytest.raises(ConfigError, match="cannot be read"):
        read_dump(str(tmp_path / "missing"))


def test_without_the_parser_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client.parser", None)
    with pytest.raises(ConfigError, match=r"install promptlint with \[metrics\]"):
        samples("a 1\n", "dump")
