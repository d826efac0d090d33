"""Which part of a prompt a text plays, as its markers, headings, file name or role say it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from promptlint.data import load_toml
from promptlint.prompt import Section
from promptlint.source import Span
from promptlint.template import Heading

_FENCE = re.compile(r"(?ms)^[ \t]{0,8}(```+|~~~+)[^\n]*\n.*?(?:^[ \t]{0,8}\1|\Z)")
_NOT_LINE_END = re.compile(r"[^\r\n]")
_LINE = re.compile(
    r"(?m)^[ \t]{0,9}((#{0,4})[ \t]{0,9}([A-Za-z]{1,20})[ \t]{0,9}(?:\[[^\]\r\n]{0,200}\])?[ \t]{0,9}:)[ \t]{0,99}\r?$"
)
_ALONE = re.compile(r"(?m)^[ \t]{0,9}(?:(#{1,4})[ \t]{1,9}([A-Za-z]{1,20})|(\[)([A-Za-z]{1,20})\])(?=[ \t]{0,99}\r?$)")
_ATX = re.compile(r"(?m)^ {0,3}(#{1,6})[ \t]+([^\r\n]*)")
_TAG = re.compile(r"<(/?)([A-Za-z][\w.\-]{0,60})((?:\s[^<>]{0,200})?)>")
_ROLE_ATTRIBUTE = re.compile(r"""\brole\s*=\s*["'](\w{1,20})["']""")
_NUMBER = re.compile(r"^\s*(?:\d{1,3}|[A-Za-z])[.)]\s+")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|[^\W_A-Z]+")
_LONGEST_PHRASE = 4
_DIALOGUES = (Section.EXAMPLES, Section.HISTORY)


@dataclass(frozen=True, slots=True)
class _Mark:
    """Something a heading could be; `rank` is a Markdown heading's number of hashes, `level` that of a role's."""

    span: Span
    role: str | None = None
    section: Section | None = None
    rank: int = 0
    level: int = 0
    closes: Span | None = None


@dataclass(slots=True)
class _Element:
    mark: _Mark
    open: list[tuple[_Mark, int]] = field(default_factory=list)


def section_of_role(role: str) -> Section:
    """The section of a message's text; a role that is not known counts as the user's."""
    return Section(load_toml("sections.toml")["roles"].get(role.lower(), Section.USER))


def section_of_path(path: str) -> Section | None:
    """The section that a file's name speaks for, or the folder around it; None when they say nothing."""
    *folders, name = path.replace("\\", "/").split("/")
    parts = name.split(".")
    while len(parts) > 1 and parts[-1].lower() in load_toml("sections.toml")["extensions"]:
        parts.pop()
    stem, folder = _words(" ".join(parts)), _words(folders[-1]) if folders else ""
    table: Mapping[str, Any] = load_toml("sections.toml")["path"]
    for section, names in table.items():
        starts = any(stem.startswith(f"{start} ") for start in names["starts"])
        ends = any(stem.endswith(f" {end}") for end in names["ends"])
        if stem in names["is"] or starts or ends:
            return Section(section)
    return next((Section(section) for section, names in table.items() if folder in names["folder"]), None)


def headings(text: str, start: int, end: int) -> tuple[Heading, ...]:
    """Role markers, section headings and section tags in text[start:end], in order of the text.

    Fenced code has none. Tags count when they open a line and are closed.
    """
    region = _FENCE.sub(lambda fence: _NOT_LINE_END.sub(" ", fence[0]), text[start:end])
    marks = sorted(
        (*_tokens(region), *_lines(region), *_alone(region), *_atx(region), *_elements(region)),
        key=lambda mark: mark.span,
    )
    found = _Sweep(len(region)).over(marks)
    return tuple(
        Heading(
            heading.span.shifted(start),
            heading.role,
            heading.section,
            None if heading.end is None else heading.end + start,
        )
        for heading in sorted(found, key=lambda heading: heading.span)
    )


class _Sweep:
    """Goes through the marks once and closes each part where it ends."""

    def __init__(self, end: int) -> None:
        self._end = end
        self._elements = [_Element(_Mark(Span(0, 0), closes=Span(end, end)))]
        self._found: list[Heading] = []

    def over(self, marks: list[_Mark]) -> list[Heading]:
        taken = 0
        for mark in marks:
            if mark.span.start < taken:
                continue
            taken = mark.span.end
            self._leave(mark.span.start)
            if mark.closes is not None:
                self._enter(mark, mark.closes)
            elif mark.role is not None:
                self._message(mark, mark.role)
            else:
                self._heading(mark)
        self._leave(self._end + 1)
        return self._found

    def _leave(self, at: int) -> None:
        """Close the elements that end before a place, with the headings in them."""
        while self._elements and (closes := self._elements[-1].mark.closes) is not None and closes.start < at:
            self._close(self._elements.pop(), 0, closes.start)

    def _close(self, element: _Element, rank: int, at: int) -> None:
        while element.open and element.open[-1][1] >= rank:
            mark, _ = element.open.pop()
            if mark.section is not None:
                self._found.append(Heading(mark.span, None, mark.section, at))

    def _enter(self, mark: _Mark, closes: Span) -> None:
        role = None if self._quoted() else mark.role
        if role is not None or mark.section is not None:
            self._found.append(Heading(mark.span, role, mark.section, closes.end))
        self._elements.append(_Element(mark))

    def _message(self, mark: _Mark, role: str) -> None:
        shown = mark.rank and any(
            part.section in _DIALOGUES and (not mark.level or part.rank < mark.level)
            for element in self._elements
            for part, _ in element.open
        )
        if shown or self._quoted():
            return
        for element in self._elements:
            self._close(element, 0, mark.span.start)
        self._found.append(Heading(mark.span, role, None, None))

    def _quoted(self) -> bool:
        """Whether this stands inside a section's element, where a role is part of what is shown."""
        return any(element.mark.section is not None for element in self._elements)

    def _heading(self, mark: _Mark) -> None:
        element = self._elements[-1]
        self._close(element, mark.rank, mark.span.start)
        element.open.append((mark, mark.rank))


def _tokens(text: str) -> Iterator[_Mark]:
    pattern, roles = _token_pattern()
    for token in pattern.finditer(text):
        yield _Mark(Span(*token.span()), roles[token[0]])


@cache
def _token_pattern() -> tuple[re.Pattern[str], dict[str, str]]:
    table = load_toml("sections.toml")
    roles: dict[str, str] = dict(table["tokens"]["literals"])
    for pattern in table["tokens"]["patterns"]:
        roles.update({pattern.format(name): role for name, role in table["names"].items()})
    longest = sorted(roles, key=len, reverse=True)
    return re.compile("(?:" + "|".join(re.escape(token) for token in longest) + r")(?!(?<=\w)\w)"), roles


def _lines(text: str) -> Iterator[_Mark]:
    """`user:` and `### User:`; a capital letter (rank 1) can be part of a dialogue that is shown."""
    table = load_toml("sections.toml")
    for line in _LINE.finditer(text):
        word = line[3].lower()
        if len(line[2]) > 1:
            role = table["lines"]["headings"].get(word)
        else:
            role = word if word in table["lines"]["plain"] else None
        if role is not None:
            yield _Mark(Span(*line.span(1)), role, rank=int(line[3][0].isupper()))


def _alone(text: str) -> Iterator[_Mark]:
    """`### User` and `[USER]` without a colon: markers when the text has two roles of the same kind."""
    plain = load_toml("sections.toml")["lines"]["alone"]
    marks: dict[str, list[_Mark]] = {}
    for line in _ALONE.finditer(text):
        role = plain.get((line[2] or line[4]).lower())
        if role is not None:
            span = Span(line.start(3) if line[3] else line.start(1), line.end())
            marks.setdefault(line[3] or line[1], []).append(_Mark(span, role, rank=1, level=len(line[1] or "")))
    for alike in marks.values():
        if len({mark.role for mark in alike}) > 1:
            yield from alike


def _atx(text: str) -> Iterator[_Mark]:
    for line in _ATX.finditer(text):
        words = line[2].rstrip().rstrip("#").rstrip()
        if words:
            span = Span(line.start(1), line.start(2) + len(words))
            section = None if "<" in words else _section_of_words(_words(_NUMBER.sub("", words)), tag=False)
            yield _Mark(span, section=section, rank=len(line[1]))


def _elements(text: str) -> Iterator[_Mark]:
    """Elements whose opening tag begins a line and that are closed."""
    table = load_toml("sections.toml")["tags"]
    opened: dict[str, list[re.Match[str]]] = {}
    inline: dict[str, int] = {}
    for tag in _TAG.finditer(text):
        name = tag[2].lower()
        if not tag[1]:
            if _begins_line(text, tag.start()):
                opened.setdefault(name, []).append(tag)
            else:
                inline[name] = tag.start()
            continue
        pending = opened.get(name)
        if pending is None or not pending or (name in inline and _same_line(text, inline.pop(name), tag.start())):
            continue
        first = pending.pop()
        role = name if name in table["roles"] else None
        if name in table["message"] and (attribute := _ROLE_ATTRIBUTE.search(first[3])):
            role = attribute[1].lower()
        section = None if role else _section_of_words(_words(first[2]), tag=True)
        yield _Mark(Span(*first.span()), role, section, closes=Span(*tag.span()))


def _begins_line(text: str, at: int) -> bool:
    while at and text[at - 1] in " \t":
        at -= 1
    return at == 0 or text[at - 1] in "\r\n"


def _same_line(text: str, first: int, last: int) -> bool:
    return text.find("\n", first, last) < 0


def _words(text: str) -> str:
    """Lower-case words with one blank between them; a change of case begins a word."""
    return " ".join(word.lower() for word in _WORD.findall(text))


def _section_of_words(words: str, tag: bool) -> Section | None:
    said, last = _vocabulary()
    table = load_toml("sections.toml")["headings"]
    kept = words.split()
    while len(kept) > 1 and " ".join(kept) not in said and kept[-1] in table["after"]:
        kept.pop()
    while len(kept) > 1 and " ".join(kept) not in said and kept[0] in table["before"]:
        kept.pop(0)
    phrase = " ".join(kept)
    if phrase in said or (tag and phrase in _tag_words()):
        return said.get(phrase) or _tag_words()[phrase]
    endings = (section for ending, section in last.items() if phrase.endswith(f" {ending}"))
    return None if len(kept) > _LONGEST_PHRASE or not set(kept).isdisjoint(table["never"]) else next(endings, None)


@cache
def _vocabulary() -> tuple[dict[str, Section], dict[str, Section]]:
    table = load_toml("sections.toml")["headings"]
    return _inverted(table["words"]), _inverted(table["last"])


@cache
def _tag_words() -> dict[str, Section]:
    return _inverted(load_toml("sections.toml")["tags"]["words"])


def _inverted(table: Mapping[str, list[str]]) -> dict[str, Section]:
    return {phrase: Section(section) for section, phrases in table.items() for phrase in phrases}
