"""Keys, tokens and passwords in a text, by their form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import log2

from promptlint.source import Span

_LONGEST_BLOCK = 16_384
"""Characters of a private key that are looked at; one of 8,192 bits has about 6,400."""


@dataclass(frozen=True, slots=True)
class Secret:
    """Where a secret stands and what it looks like. `issued` says that whoever gave it out gave it this form."""

    span: Span
    title: str
    issued: bool


@dataclass(frozen=True, slots=True)
class _Shape:
    """A secret's form: `keywords` (lower case) of which one must be present, and a pattern with the group `secret`."""

    title: str
    keywords: tuple[str, ...]
    pattern: str
    issued: bool = True


_START = r"(?:\b|(?<=\\[nrt]))"
"""Where a word starts; in a file's own text also behind a line end that is written as an escape."""
_PREFIXED = r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))(?P<secret>(?:{prefixes})[A-Za-z0-9_-]{{{least},}}+)"
_NAMES = (
    r"password|passwd|passphrase|pwd|secret|token"
    r"|(?:api|access|account|auth|private|secret)[_-]?(?:key|token)"
)

_SHAPES = (
    _Shape(
        "an API key or token",
        ("sk-", "xox", "xapp-", "glpat-"),
        _PREFIXED.format(prefixes="sk-|xox[a-z]-|xapp-|glpat-", least=10),
    ),
    _Shape(
        "an API key",
        ("k_live_", "k_test_", "gsk_"),
        _PREFIXED.format(prefixes="[sr]k_live_|[sr]k_test_|gsk_", least=12),
    ),
    _Shape(
        "a token for code or packages",
        ("ghp_", "gho_", "ghs_", "ghu_", "ghr_", "github_pat_", "npm_", "pypi-"),
        _PREFIXED.format(prefixes="gh[opsur]_|github_pat_|npm_|pypi-", least=16),
    ),
    _Shape("an AWS access key", ("akia", "asia"), _START + r"(?P<secret>A[KS]IA[0-9A-Z]{12,124})\b"),
    _Shape("a Google API key", ("aiza",), _START + r"(?P<secret>AIza[A-Za-z0-9_-]{30,}+)"),
    _Shape("a Hugging Face token", ("hf_",), _START + r"(?P<secret>hf_[A-Za-z0-9]{20,}+)"),
    _Shape(
        "a JSON Web Token",
        ("eyj",),
        _START + r"(?P<secret>eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+(?:\.[A-Za-z0-9_-]*+)?)",
    ),
    _Shape(
        "a bearer token",
        ("bearer", "basic"),
        r"(?i)" + _START + r"(?:bearer|basic)[ \t]{1,4}(?=[A-Z._~+/=-]{0,64}[0-9])(?P<secret>[A-Z0-9._~+/=-]{16,}+)",
        issued=False,
    ),
    _Shape(
        "a password in an address",
        ("://",),
        r"://[^\s:/@{}<>$\"']{0,64}:(?P<secret>[^\s@/{}<>$\"']{3,128})@",
        issued=False,
    ),
    _Shape(
        "a password or key",
        ("pass", "pwd", "secret", "token", "key"),
        rf"(?i)(?P<name>{_NAMES})\\?[\"']?[ \t]{{0,4}}[:=][ \t]{{0,4}}\\?[\"'](?P<secret>[^\s\"'{{}}<>$\\]{{4,}}+)",
        issued=False,
    ),
    _Shape(
        "a password or key",
        ("pass", "pwd", "secret", "token", "key"),
        rf"(?i)(?P<name>{_NAMES})(?:=|[ \t]{{0,4}}[:=][ \t]{{0,4}}(?=[^\s0-9]{{0,64}}[0-9]))"
        r"(?P<secret>[^\s\"'`,;&(){}<>\[\]$%|\\]{6,}+)(?![(\[{])",
        issued=False,
    ),
)

_KEY_BEGINS = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_ENDS = "-----END "

_MADE_UP = re.compile(
    r"(?i)example|sample|placeholder|dummy|fake|mock|foobar|changeme|replace|redact|insert|secret|passw|hunter2"
    r"|your|my[-_]|test|demo|todo|none|null|x{4}|\*{3}|\.{3}|0{5}|1234|abcd|qwerty|lorem|deadbeef|cafebabe"
    r"|eyJzdWIiOiIxMjM0NTY3ODkw"
)
"""Words and runs of keys that documentation makes up; the last is the payload of the example of jwt.io."""

_LEAST_ISSUED, _LEAST_CHOSEN = 20, 8
_LEAST_BITS = 3.2
"""Bits a character, below which a key is too regular: 20 random letters and digits have 3.6 or more."""


def secrets_in(text: str) -> Iterator[Secret]:
    """Where secrets stand, in order; those that overlap are one."""
    lowered = text.lower()
    found = list(_private_keys(text)) if "private key" in lowered else []
    for shape in _SHAPES:
        if any(keyword in lowered for keyword in shape.keywords):
            found += [
                Secret(Span(*match.span("secret")), shape.title, shape.issued)
                for match in _compiled(shape).finditer(text)
                if _is_value(match)
            ]
    last: Secret | None = None
    for secret in sorted(found, key=lambda secret: secret.span):
        if last and secret.span.start < last.span.end:
            both = Span(last.span.start, max(last.span.end, secret.span.end))
            last = Secret(both, last.title, last.issued or secret.issued)
            continue
        if last:
            yield last
        last = secret
    if last:
        yield last


def is_made_up(secret: str, *, issued: bool) -> bool:
    """Whether a secret is one that documentation makes up: a word, a row of keys, too short, too regular."""
    if _MADE_UP.search(secret) is not None:
        return True
    kinds = (any(map(str.isdigit, secret)), any(map(str.isalpha, secret)))
    if not all(kinds) or len(secret) < (_LEAST_ISSUED if issued else _LEAST_CHOSEN):
        return True
    return issued and _bits(secret) < _LEAST_BITS


def _bits(text: str) -> float:
    """Shannon's entropy of the characters, in bits a character."""
    return -sum(times / len(text) * log2(times / len(text)) for times in Counter(text).values())


def _private_keys(text: str) -> Iterator[Secret]:
    for match in _KEY_BEGINS.finditer(text):
        end = text.find(_KEY_ENDS, match.end(), match.end() + _LONGEST_BLOCK)
        if end > match.end():
            yield Secret(Span(match.end(), end), "a private key", issued=True)


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
