"""Secrets in what is shown: masked, with the number of characters kept so that columns stay true."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from promptlint.source import Span

_LONGEST_BLOCK = 16_384
"""Characters of a private key that are looked at; one of 8,192 bits has about 6,400."""

_KEEP, _KEEP_FROM = 4, 12
"""So many characters stay readable, in secrets of at least so many: in a short one they would be most of it."""


@dataclass(frozen=True, slots=True)
class _Shape:
    """A secret's form: `keywords` (lower case) of which one must be present, and a pattern with the group `secret`."""

    keywords: tuple[str, ...]
    pattern: str


_PREFIXED = r"(?<![A-Za-z0-9_-])(?P<secret>(?:{prefixes})[A-Za-z0-9_-]{{{least},}}+)"
_NAMES = (
    r"password|passwd|passphrase|pwd|secret|token"
    r"|(?:api|access|account|auth|private|secret)[_-]?(?:key|token)"
)

_SHAPES = (
    _Shape(("sk-", "xox", "xapp-", "glpat-"), _PREFIXED.format(prefixes="sk-|xox[a-z]-|xapp-|glpat-", least=10)),
    _Shape(("k_live_", "k_test_", "gsk_"), _PREFIXED.format(prefixes="[sr]k_live_|[sr]k_test_|gsk_", least=12)),
    _Shape(
        ("ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "npm_", "pypi-"),
        _PREFIXED.format(prefixes="gh[opsur]_|github_pat_|npm_|pypi-", least=16),
    ),
    _Shape(("akia", "asia"), r"\b(?P<secret>A[KS]IA[0-9A-Z]{12,124})\b"),
    _Shape(("aiza",), r"\b(?P<secret>AIza[A-Za-z0-9_-]{30,}+)"),
    _Shape(("hf_",), r"\b(?P<secret>hf_[A-Za-z0-9]{20,}+)"),
    _Shape(("eyj",), r"\b(?P<secret>eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+)?)"),
    _Shape(
        ("bearer", "basic"),
        r"(?i)\b(?:bearer|basic)[ \t]{1,4}(?=[A-Z._~+/=-]{0,64}[0-9])(?P<secret>[A-Z0-9._~+/=-]{16,}+)",
    ),
    _Shape(("://",), r"://[^\s:/@{}<>$\"']{0,64}:(?P<secret>[^\s@/{}<>$\"']{3,128})@"),
    _Shape(
        ("pass", "pwd", "secret", "token", "key"),
        rf"(?i)(?P<name>{_NAMES})\\?[\"']?[ \t]{{0,4}}[:=][ \t]{{0,4}}\\?[\"'](?P<secret>[^\s\"'{{}}<>$\\]{{4,}}+)",
    ),
    _Shape(
        ("pass", "pwd", "secret", "token", "key"),
        rf"(?i)(?P<name>{_NAMES})(?:=|[ \t]{{0,4}}[:=][ \t]{{0,4}}(?=[^\s0-9]{{0,64}}[0-9]))"
        r"(?P<secret>[^\s\"'`,;&(){}<>\[\]$%|\\]{6,}+)(?![(\[{])",
    ),
)

_KEY_BEGINS = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_ENDS = "-----END "


def mask(text: str) -> str:
    """The text with everything that looks like a key, token or password masked, character for character.

    Four characters of a long secret stay readable, and so do the line ends of a private key.
    """
    shown, at = [], 0
    for span in _secrets(text):
        shown += [text[at : span.start], _masked(text[span.start : span.end])]
        at = span.end
    return "".join([*shown, text[at:]]) if at else text


def _secrets(text: str) -> Iterator[Span]:
    """Where secrets stand, in order; those that overlap are one."""
    lowered = text.lower()
    found = list(_private_keys(text)) if "private key" in lowered else []
    for shape in _SHAPES:
        if any(keyword in lowered for keyword in shape.keywords):
            found += [Span(*match.span("secret")) for match in _compiled(shape).finditer(text) if _is_value(match)]
    last: Span | None = None
    for span in sorted(found):
        if last and span.start < last.end:
            last = Span(last.start, max(last.end, span.end))
            continue
        if last:
            yield last
        last = span
    if last:
        yield last


def _private_keys(text: str) -> Iterator[Span]:
    for match in _KEY_BEGINS.finditer(text):
        end = text.find(_KEY_ENDS, match.end(), match.end() + _LONGEST_BLOCK)
        if end > match.end():
            yield Span(match.end(), end)


@cache
def _compiled(shape: _Shape) -> re.Pattern[str]:
    return re.compile(shape.pattern)


def _is_value(match: re.Match[str]) -> bool:
    """Whether what a name is set to is a secret; code that hands a variable on (`password=user.password`) is not."""
    secret, name = match["secret"], match.groupdict().get("name")
    if name is None:
        return True
    if name.lower() == "pwd" and secret[0] in "/~.":
        return False  # the working directory
    reference = secret.replace(".", "").isidentifier() and not any(char.isdigit() for char in secret)
    return not (reference and ("." in secret or secret.lower().endswith(name.lower())))


def _masked(secret: str) -> str:
    kept = _KEEP if len(secret) >= _KEEP_FROM else 0
    return secret[:kept] + "".join(char if char.isspace() else "*" for char in secret[kept:])
