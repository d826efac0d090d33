"""YAML as nodes whose strings know where each of their characters stands.

PyYAML scans and parses; its Python code, for libyaml tells nothing about the indentation of a block scalar.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from promptlint.readers.inside import Held
from promptlint.readers.yaml_offsets import held
from promptlint.source import Span
from promptlint.template import Problem

DEEPEST = 100
"""Levels of nesting that are read."""

# YAML 1.1, section 5.1: all other characters are refused, wherever they stand.
_REFUSED = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

_ADVICE = (
    ("'\\t' that cannot start", "indent with spaces, not tabs"),
    ("that cannot start any token", "put quotes around the value"),
    ("mapping values are not allowed", "put quotes around a value that has a colon in it, or correct the indentation"),
    ("end of stream", "close what is open here"),
    ("<stream end>", "close what is open here"),
    ("escape", "double the backslash, or use single quotes"),
)
_OTHER_ADVICE = "correct the indentation, quotes or brackets here"


@dataclass(frozen=True, slots=True, eq=False)
class YamlScalar:
    """A string, as YAML spells it: `style` is "" (plain), "'", '"', "|" or ">".

    `span` is the whole literal without tag and anchor; `tag` is what the file writes, such as `!include`.
    """

    value: str
    span: Span
    style: str
    tag: str | None = None
    _text: str = field(default="", repr=False)
    _indent: int | None = field(default=None, repr=False)

    def held(self) -> Held:
        """The value with the place of each character."""
        return held(self._text, self.value, self.span, self.style, self._indent)


@dataclass(frozen=True, slots=True, eq=False)
class YamlSequence:
    """A list that begins at `start`. An alias inside may make it its own item."""

    start: int
    tag: str | None = None
    items: list[YamlNode] = field(default_factory=list, repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class YamlMapping:
    """Keys and values in the order of the file, repeated keys and all. An alias may make it its own value."""

    start: int
    tag: str | None = None
    pairs: list[tuple[YamlNode, YamlNode]] = field(default_factory=list, repr=False)

    def fields(self) -> dict[str, YamlNode]:
        """Values by their scalar keys: of a key's repetitions the last; merged mappings (`<<`) fill what is missing."""
        own = {key.value: value for key, value in self.pairs if isinstance(key, YamlScalar)}
        merged = own.pop("<<", None)
        for each in merged.items if isinstance(merged, YamlSequence) else [merged]:
            if isinstance(each, YamlMapping):
                for key, value in each.pairs:
                    if isinstance(key, YamlScalar) and key.value != "<<":
                        own.setdefault(key.value, value)
        return own


YamlNode = YamlScalar | YamlSequence | YamlMapping


@dataclass(frozen=True, slots=True)
class Yaml:
    """The documents of a text. What stands above a problem that ends the reading is kept."""

    documents: tuple[YamlNode, ...]
    problems: tuple[Problem, ...] = ()


def compose(text: str, start: int = 0, end: int | None = None) -> Yaml:
    """text[start:end] as YAML, with positions in `text`. Never raises; a node behind several aliases is one object."""
    end = len(text) if end is None else end
    composer = _Composer(text, start, end)
    problems = []
    if (found := _REFUSED.search(text, start, end)) is not None:
        message = f"YAML does not allow the character U+{ord(found[0]):04X} here; remove it, or write it as an escape"
        problems.append(Problem(Span(*found.span()), message))
    problem = composer.run(_REFUSED.sub("\ufffd", text[start:end]))
    return Yaml(tuple(composer.documents), (*problems, *composer.problems, *([problem] if problem else [])))


class _Composer:
    """Builds nodes from events, without recursion: a file may be nested deeper than Python's stack."""

    def __init__(self, text: str, start: int, end: int) -> None:
        self.documents: list[YamlNode] = []
        self.problems: list[Problem] = []
        self._text, self._shift, self._end = text, start, end
        self._open: list[YamlSequence | YamlMapping] = []
        self._keys: list[YamlNode | None] = []
        self._anchors: dict[str, YamlNode] = {}

    def run(self, text: str) -> Problem | None:
        """The problem that ended the reading, if any."""
        from yaml import MarkedYAMLError, YAMLError

        scanner = _scanning()(text)
        # Positions are kept as offsets into the outer text, where refused characters still stand.
        self._text = self._text[: self._shift] + text + self._text[self._end :]
        try:
            for event in scanner.events():
                self._take(event)
                if len(self._open) > DEEPEST:
                    message = f"this YAML is nested more than {DEEPEST} levels deep; flatten it"
                    return Problem(self._point(self._start(event)), message)
        except MarkedYAMLError as error:
            return self._failure(error.problem or str(error), _place(error, len(text)))
        except (YAMLError, ValueError, OverflowError):
            # An escape or a version number can be larger than any character or number.
            return self._failure("this number is out of range", scanner.index)
        return None

    def _failure(self, what: str, index: int) -> Problem:
        advice = next((advice for sign, advice in _ADVICE if sign in what), _OTHER_ADVICE)
        return Problem(self._point(self._shift + index), f"this YAML cannot be read: {what}; {advice}")

    def _point(self, offset: int) -> Span:
        start = min(offset, self._end)
        return Span(start, min(start + 1, self._end))

    def _start(self, event: Any) -> int:
        return self._shift + int(event.start_mark.index)

    def _take(self, event: Any) -> None:
        from yaml import events

        match event:
            case events.ScalarEvent():
                self._add(self._scalar(event), event.anchor)
            case events.AliasEvent():
                self._add(self._anchored(event))
            case events.SequenceStartEvent():
                self._enter(YamlSequence(self._start(event), event.tag), event.anchor)
            case events.MappingStartEvent():
                self._enter(YamlMapping(self._start(event), event.tag), event.anchor)
            case events.SequenceEndEvent() | events.MappingEndEvent():
                self._open.pop()
                self._keys.pop()
            case events.DocumentStartEvent():
                self._anchors.clear()

    def _scalar(self, event: Any) -> YamlScalar:
        value = event.value
        if not isinstance(value, _Scanned):
            at = self._start(event)
            return YamlScalar(value, Span(at, at), "", event.tag, self._text)
        span = value.span.shifted(self._shift)
        return YamlScalar(str(value), span, event.style or "", event.tag, self._text, value.indent)

    def _anchored(self, event: Any) -> YamlNode:
        known = self._anchors.get(event.anchor)
        if known is not None:
            return known
        span = Span(event.start_mark.index, event.end_mark.index).shifted(self._shift)
        self.problems.append(Problem(span, f"nothing above is anchored as `&{event.anchor}`; correct the name"))
        return YamlScalar("", Span(span.start, span.start), "", None, self._text)

    def _enter(self, node: YamlSequence | YamlMapping, anchor: str | None) -> None:
        self._add(node, anchor)
        self._open.append(node)
        self._keys.append(None)

    def _add(self, node: YamlNode, anchor: str | None = None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if not self._open:
            self.documents.append(node)
            return
        parent, key = self._open[-1], self._keys[-1]
        if isinstance(parent, YamlSequence):
            parent.items.append(node)
        elif key is None:
            self._keys[-1] = node
        else:
            parent.pairs.append((key, node))
            self._keys[-1] = None


def _place(error: Any, end: int) -> int:
    """Index of what is wrong; where the text ends too early, of what was open there."""
    marks = [mark for mark in (error.problem_mark, error.context_mark) if mark is not None]
    return next((mark.index for mark in marks if mark.index < end), end)


class _Scanned(str):
    """A scalar's value that remembers where it was scanned; parser and events hand the object on."""

    span: Span
    indent: int | None


@cache
def _scanning() -> Any:
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    class Scanning(Reader, Scanner, Parser):
        """PyYAML up to events; every scalar token's value is a _Scanned."""

        def __init__(self, text: str) -> None:
            Reader.__init__(self, text)
            Scanner.__init__(self)
            Parser.__init__(self)
            self._lines_begin: int | None = None

        def events(self) -> Iterator[Any]:
            while self.check_event():
                yield self.get_event()  # type: ignore[no-untyped-call]

        def scan_plain(self) -> Any:
            return self._marked(super().scan_plain)

        def scan_flow_scalar(self, style: str) -> Any:
            return self._marked(lambda: super(Scanning, self).scan_flow_scalar(style))

        def scan_block_scalar(self, style: str) -> Any:
            return self._marked(lambda: super(Scanning, self).scan_block_scalar(style))

        def scan_block_scalar_breaks(self, indent: int) -> Any:
            self._lines_begin = indent
            return super().scan_block_scalar_breaks(indent)

        def _marked(self, scan: Callable[[], Any]) -> Any:
            self._lines_begin = None
            token = scan()
            value = _Scanned(token.value)
            value.span = Span(token.start_mark.index, token.end_mark.index)
            value.indent = self._lines_begin
            token.value = value
            return token

    return Scanning
