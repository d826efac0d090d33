"""Secrets in what is shown: masked, with the number of characters kept so that columns stay true."""

from __future__ import annotations

from promptlint.shapes.secrets import secrets_in

_KEEP, _KEEP_FROM = 4, 12
"""So many characters stay readable, in secrets of at least so many: in a short one they would be most of it."""


def mask(text: str) -> str:
    """The text with everything that looks like a key, token or password masked, character for character.

    Four characters of a long secret stay readable, and so do the line ends of a private key.
    """
    shown, at = [], 0
    for secret in secrets_in(text):
        span = secret.span
        shown += [text[at : span.start], _masked(text[span.start : span.end])]
        at = span.end
    return "".join([*shown, text[at:]]) if at else text


def _masked(secret: str) -> str:
    kept = _KEEP if len(secret) >= _KEEP_FROM else 0
    return secret[:kept] + "".join(char if char.isspace() else "*" for char in secret[kept:])
