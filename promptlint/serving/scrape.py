"""Prometheus text from a file, or from a server on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from math import isfinite
from pathlib import Path
from urllib.parse import urlsplit

from promptlint.toml_keys import ConfigError

_LARGEST = 64 << 20
_SECONDS = 10.0
_SAVE = "save what the engine's /metrics prints"


@dataclass(frozen=True, slots=True)
class Sample:
    """One line of a dump."""

    name: str
    labels: dict[str, str]
    value: float


def samples(text: str, shown: str) -> tuple[Sample, ...]:
    """All samples of a dump. Raises ConfigError where it is no Prometheus text, or its parser is not installed."""
    try:
        from prometheus_client.parser import text_string_to_metric_families
    except ImportError as error:
        raise ConfigError(
            "prometheus_client is not installed, and reads what engines print; install promptlint with [metrics]"
        ) from error
    try:
        return tuple(
            Sample(sample.name, dict(sample.labels), float(sample.value))
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        )
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise ConfigError(f"{shown}: this is no Prometheus text ({error}); {_SAVE}") from error


def read_dump(place: str) -> str:
    """The text at a path or an address. Only addresses on this machine are asked, and only when they are given.

    Raises ConfigError for an address elsewhere, or what cannot be read.
    """
    if "://" not in place:
        return _file(Path(place))
    if not _is_here(place):
        raise ConfigError(
            f"{place}: only http addresses on this machine (127.0.0.1, ::1, localhost) are read; save the text "
            "of the other one and name the file"
        )
    return _address(place)


def _is_here(place: str) -> bool:
    """Whether an address is one of plain HTTP on this machine; what is no address is not."""
    try:
        address = urlsplit(place)
        host = address.hostname or ""
        return address.scheme == "http" and (host == "localhost" or ip_address(host).is_loopback)
    except ValueError:
        return False


def _file(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError as error:
        said = (error.strerror or type(error).__name__).lower()
        raise ConfigError(f"{path}: the file cannot be read ({said}); {_SAVE}") from error
    return _text(data, str(path))


def _address(place: str) -> str:
    # No redirects and no proxies: what is asked is the address that was given.
    from http.client import HTTPConnection, HTTPException

    address = urlsplit(place)
    connection: HTTPConnection | None = None
    try:
        connection = HTTPConnection(address.hostname or "", address.port or 80, timeout=_SECONDS)
        connection.request("GET", f"{address.path or '/metrics'}" + (f"?{address.query}" if address.query else ""))
        response = connection.getresponse()
        if response.status != 200:
            raise ConfigError(f"{place}: the server answers with {response.status}; name the address of its metrics")
        return _text(response.read(_LARGEST + 1), place)
    except (OSError, HTTPException, ValueError) as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(f"{place}: the server does not answer ({error}); start it with metrics enabled") from error
    finally:
        if connection is not None:
            connection.close()


def _text(data: bytes, shown: str) -> str:
    if len(data) > _LARGEST:
        raise ConfigError(f"{shown}: this is larger than 64 MiB; save what one engine's /metrics prints")
    return data.decode("utf-8", "replace")


def matching(found: tuple[Sample, ...], name: str, where: dict[str, str]) -> Iterator[Sample]:
    """The samples of a series with these labels, those that are no number left out."""
    for sample in found:
        labelled = all(sample.labels.get(label) == value for label, value in where.items())
        if sample.name == name and labelled and isfinite(sample.value):
            yield sample
