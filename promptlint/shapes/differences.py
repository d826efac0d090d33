"""What kind of thing differs between two texts."""

from __future__ import annotations

from promptlint.shapes.order import reordered
from promptlint.shapes.table import compiled
from promptlint.shapes.values import Match, apart, matches

_AROUND = 300
"""Characters on each side of the first difference in which the values that differ are looked for."""

_LOOSE = (
    ("time", r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:[AaPp][Mm]|Z)?"),
    ("date", r"\d{4}-\d\d-\d\d|\d{1,2}[/.]\d{1,2}[/.]\d{4}"),
    ("epoch", r"(?:1[4-9]|20)\d{8}(?:\d{3})?(?:\.\d{1,9})?"),
    ("number", r"[+-]?\d{1,30}(?:[.,]\d{1,30})?(?:/\d{1,30})?%?"),
    ("hash", r"(?i)(?=[a-f]{0,127}\d)[0-9a-f]{5,128}"),
    ("id", r"(?:[A-Za-z]{1,12}[_-])?(?=[A-Za-z]{0,24}\d{1,24}[A-Za-z])[0-9A-Za-z]{8,128}"),
)
"""What the tokens at a difference can be called when both are of one kind; the texts need not say more, because
they differ there. In order: a number may be a time since 1970, and hexadecimal digits may all be decimal."""

_TOKEN = r"[\w.:,+%/-]"
_COUNTED = (
    r"(?i)\b(?:step|turn|iteration|attempt|round|cycle|loop|retry|left|remaining|used|usage|count)s?\b"
    r"[^\w\n]{0,6}(?:of[ ])?\Z"
)
_COUNTED_BEHIND = r"(?i)[ ]?(?:/|of\b|out of\b)[ ]?\d|[ ](?:\w{1,12}[ ])?(?:left|remaining)\b"


def difference(a: str, b: str) -> str | None:
    """What differs at the first difference of two texts, in one word; None when they are equal.

    "key-order", "reorder", "whitespace" or "case" when nothing else differs, or nothing else around that place;
    "time", "date", "epoch", "uuid", "ulid", "hash", "id", "path", "counter" or "number" when a value of that
    kind stands there in both; else "text". The order of the two makes no difference.
    """
    if a == b:
        return None
    at = common_prefix(a, b)
    return reordered(a, b, at) or _value(a, b, at)[0] or _spelling(a, b, at) or "text"


def common_prefix(a: str, b: str) -> int:
    """Length in characters of the longest common prefix."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def stretches(a: str, b: str) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where what differs first stands in each text, as (start, end): the value of a known kind, else the word there."""
    return _value(a, b, common_prefix(a, b))[1]


_Stretches = tuple[tuple[int, int], tuple[int, int]]


def _value(a: str, b: str, at: int) -> tuple[str | None, _Stretches]:
    """The kind of the two values at an offset, None when it has no name, and where they stand."""
    first = max(at - _AROUND, 0)
    near = [text[first : at + _AROUND] for text in (a, b)]
    if first:
        # A word that is cut in two would be another word.
        near = [f" {text}" for text in near]
    moved = first - bool(first)
    place = at - moved
    found = [_at(apart(matches(text)), place) for text in near]
    values = [text[match.start : match.end] if match else "" for text, match in zip(near, found, strict=True)]
    if found[0] and found[1] and values[0] != values[1]:
        spans = (
            (found[0].start + moved, found[0].end + moved),
            (found[1].start + moved, found[1].end + moved),
        )
        kinds = {found[0].row.word, found[1].row.word}
        if len(kinds) == 1:
            return kinds.pop() if kinds != {"text"} else None, spans
        if kinds == {"time", "date"}:
            return "time", spans
    tokens = [_token(text, place) for text in near]
    one, other = tokens
    spans = (one[0] + moved, one[1] + moved), (other[0] + moved, other[1] + moved)
    return _loose(near[0], near[1], tokens), spans


def _at(found: list[Match], place: int) -> Match | None:
    return next((match for match in found if match.start <= place <= match.end), None)


def _loose(a: str, b: str, tokens: list[tuple[int, int]]) -> str | None:
    texts = [text[start:end] for text, (start, end) in zip((a, b), tokens, strict=True)]
    if texts[0] == texts[1]:
        return None
    for word, pattern in _LOOSE:
        if all(compiled(pattern).fullmatch(text) for text in texts):
            return _numbered(a, b, tokens) if word == "number" else word
    return None


def _numbered(a: str, b: str, tokens: list[tuple[int, int]]) -> str:
    """Whether two numbers are those of a counter."""
    for text, (start, end) in zip((a, b), tokens, strict=True):
        before, behind = text[max(start - 40, 0) : start], text[end : end + 40]
        if not (compiled(_COUNTED).search(before) or compiled(_COUNTED_BEHIND).match(behind)):
            return "number"
    return "counter"


def _token(text: str, place: int) -> tuple[int, int]:
    """The run of characters around a place that can be one value, without the punctuation at its ends."""
    inside = compiled(_TOKEN)
    start = end = place
    while start > 0 and inside.match(text, start - 1):
        start -= 1
    while end < len(text) and inside.match(text, end):
        end += 1
    while end > place and text[end - 1] in ".:,/-":
        end -= 1
    while start < place and text[start] in ".:,/":
        start += 1
    return start, end


def _spelling(a: str, b: str, at: int) -> str | None:
    """Whether the texts go on alike behind other blanks, or in other letter case, at the first difference."""
    start = at
    while start > 0 and a[start - 1].isspace():
        start -= 1
    rest = [text[start : at + _AROUND].lstrip() for text in (a, b)]
    blanks = [len(text[start : at + _AROUND]) - len(after) for text, after in zip((a, b), rest, strict=True)]
    if any(blanks) and rest[0].split()[:1] == rest[1].split()[:1]:
        return "whitespace"
    words = [text[at : at + 12] for text in (a, b)]
    return "case" if words[0] and words[0].casefold() == words[1].casefold() else None
