"""Figures of serving in words: bytes, seconds, operations, decimal units throughout."""

from __future__ import annotations

_SIZES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
_OPERATIONS = ((1e18, "EFLOP"), (1e15, "PFLOP"), (1e12, "TFLOP"), (1e9, "GFLOP"))


def size(count: float) -> str:
    """Bytes: "42.95 GB"."""
    return _scaled(count, _SIZES, "B")


def operations(count: float) -> str:
    """Floating point operations: "6.02 PFLOP"."""
    return _scaled(count, _OPERATIONS, "FLOP")


def duration(seconds: float) -> str:
    """Seconds to three digits: "5.22 ms", "1.25 s", "2 h 13 min"."""
    if seconds >= 3600:
        hours, minutes = divmod(round(seconds / 60), 60)
        return f"{hours:,} h {minutes} min"
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= unit:
            return f"{_digits(seconds / unit)} {name}"
    return f"{_digits(seconds * 1e6)} us"


def percent(share: float) -> str:
    """A share: "6.7 %", without decimals from 10 % on."""
    return f"{100 * share:.0f} %" if share >= 0.1 else f"{100 * share:.1f} %"


def _scaled(count: float, units: tuple[tuple[float, str], ...], smallest: str) -> str:
    for unit, name in units:
        if abs(count) >= unit:
            return f"{count / unit:,.2f} {name}"
    return f"{count:,.0f} {smallest}"


def _digits(value: float) -> str:
    return f"{value:,.2f}" if value < 10 else f"{value:,.1f}" if value < 100 else f"{value:,.0f}"
