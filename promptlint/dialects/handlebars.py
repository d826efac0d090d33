"""Mustache, Handlebars and Dotprompt templates.

Blocks are kept on a stack of their own, never by recursion; blocks below `DEEPEST` levels are written as if
their tags were not there, since readers of the tree recurse.
"""

from __future__ import annotations

import re

from promptlint.dialects.handlebars_blocks import Frame, opened
from promptlint.dialects.handlebars_expression import Invocation, UnreadableError, invocation
from promptlint.dialects.handlebars_lexer import Tag, TagKind, tags
from promptlint.dialects.pieces import PieceList
from promptlint.expression import Expression, Literal, Name, Unknown
from promptlint.source import Span
from promptlint.template import Emit, Include, Node, Problem, Role, Scoped, Set, Template

DEEPEST = 100
"""Nested blocks that are kept."""

_WORD = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^\s()=|"']+))""")

_COMMENT = re.compile(r"\{\{~?!(--)?")

_UNREADABLE = "this tag is not Handlebars; write a name, or a helper with arguments"
_UNCLOSED = "this tag is not closed; add its closing braces"
_DELIMITERS = "delimiter changes are not read; what follows is taken as text"
_TOO_DEEP = f"blocks below {DEEPEST} levels are read without their conditions; flatten them"


def cut(text: str, start: int, end: int) -> Template:
    """Pieces and tree of text[start:end]; what cannot be read is a problem, and the rest is cut all the same."""
    builder = _Builder(text, start, end)
    for tag in tags(text, start, end):
        builder.add(tag)
    return builder.finish(end)


class _Builder:
    def __init__(self, text: str, start: int, end: int) -> None:
        self._text = text
        self._pieces = PieceList(text, start, end)
        self._problems: list[Problem] = []
        self._root: list[Node] = []
        self._frames: list[Frame] = []
        self._open: dict[str, int] = {}
        self._too_deep = False

    def add(self, tag: Tag) -> None:
        self._literal(tag.taken.start)
        match tag.kind:
            case TagKind.VALUE:
                self._value(tag)
            case TagKind.ESCAPE | TagKind.RAW:
                self._pieces.markup(tag.inner.start)
                self._literal(tag.inner.end)
            case TagKind.UNCLOSED:
                self._problem(tag.span, self._unclosed(tag.span))
                return
            case TagKind.DELIMITERS:
                self._problem(tag.span, _DELIMITERS)
                self._frames_end(0, closed=True)
            case TagKind.OPEN | TagKind.INVERSE:
                self._begin(tag)
            case TagKind.ELSE:
                self._otherwise(tag)
            case TagKind.CLOSE:
                self._close(tag)
            case TagKind.PARTIAL:
                self._partial(tag, tag.inner)
        self._pieces.markup(tag.taken.end)

    def finish(self, end: int) -> Template:
        self._literal(end)
        self._frames_end(0, closed=False)
        problems = sorted(self._problems, key=lambda problem: problem.span)
        return Template("handlebars", self._pieces.all(), tuple(self._root), tuple(problems))

    @property
    def _body(self) -> list[Node]:
        return self._frames[-1].body if self._frames else self._root

    def _literal(self, end: int) -> None:
        piece = self._pieces.text(end)
        if piece is not None:
            self._body.append(Emit(piece))

    def _problem(self, span: Span, message: str) -> None:
        self._problems.append(Problem(span, message))

    def _unclosed(self, span: Span) -> str:
        comment = _COMMENT.match(self._text, span.start)
        if comment is None:
            return _UNCLOSED
        return f"this comment is not closed; add {'--' if comment[1] else ''}}}}}"

    def _read(self, tag: Tag, inner: Span) -> Invocation | None:
        try:
            return invocation(self._text, inner, any(frame.rebinds for frame in self._frames[:DEEPEST]))
        except UnreadableError:
            self._problem(tag.span, _UNREADABLE)
            return None

    def _value(self, tag: Tag) -> None:
        read = self._read(tag, tag.inner)
        expression: Expression = Unknown((), tag.inner)
        if read is not None and isinstance(read.head, Literal) and read.arguments:
            self._problem(tag.span, _UNREADABLE)
        elif read is not None:
            expression = read.value
            match read:
                case Invocation(head=Name(id="role"), arguments=(Literal(value=str() as role),)):
                    self._body.append(Role(role, tag.span))
                    return
                case Invocation(head=Name(id="section"), arguments=(_, *_)):
                    expression = Unknown((), read.span)
        self._pieces.markup(tag.span.start)
        self._body.append(Emit(self._pieces.hole(tag.span.end, expression)))

    def _partial(self, tag: Tag, inner: Span) -> None:
        read = self._read(tag, inner)
        if read is None:
            return
        file = self._word(inner)
        include = Include((file,) if file and not file.startswith("@") else (), read.head.span, optional=True)
        given = [Set(("this",), value, value.span) for value in read.arguments[:1]]
        given += [Set((name,), value, value.span) for name, value in read.keywords]
        self._body.append(Scoped(tuple(given), (include,)) if given else include)

    def _slice(self, span: Span) -> str:
        return self._text[span.start : span.end]

    def _word(self, inner: Span) -> str:
        """The first word of a tag, as its closing tag or a file has it; empty before a parenthesis."""
        word = _WORD.match(self._text, inner.start, inner.end)
        return next((group for group in word.groups() if group is not None), "") if word else ""

    def _begin(self, tag: Tag) -> None:
        written = self._slice(tag.inner)
        skipped = len(written) - len(written.lstrip(" \t\r\n*>"))
        sigil = written[:skipped].strip()
        inner = Span(tag.inner.start + skipped, tag.inner.end)
        if sigil == ">":
            self._partial(tag, inner)
        read = self._read(tag, inner)
        name = self._word(inner)
        if name:
            self._push(opened(name, None if sigil else read, tag), tag)

    def _push(self, frame: Frame, tag: Tag) -> None:
        if len(self._frames) >= DEEPEST:
            if not self._too_deep:
                self._problem(tag.span, _TOO_DEEP)
            self._too_deep = True
            frame.flatten(self._body)
        self._frames.append(frame)
        if not frame.chained:
            self._open[frame.name] = self._open.get(frame.name, 0) + 1

    def _otherwise(self, tag: Tag) -> None:
        if not self._frames:
            self._problem(tag.span, "this else stands outside of a block; delete it or open one")
            return
        read = self._read(tag, tag.inner) if self._slice(tag.inner).strip() else None
        frame = self._frames[-1]
        if read is None or not frame.continues(read):
            frame.otherwise(tag.span)
        if read is not None and frame.continues(read):
            frame.another(read)
        elif read is not None:
            chained = opened(self._word(tag.inner), read, tag)
            chained.chained = True
            self._push(chained, tag)

    def _close(self, tag: Tag) -> None:
        name = self._word(tag.inner)
        if not self._open.get(name):
            self._problem(tag.span, f"{{{{/{name}}}}} closes nothing; open it with {{{{#{name}}}}} or delete it")
            return
        at = len(self._frames) - 1
        while self._frames[at].chained or self._frames[at].name != name:
            at -= 1
        self._frames_end(at + 1, closed=False)
        self._frames_end(at, closed=True)

    def _frames_end(self, down_to: int, closed: bool) -> None:
        """End the open blocks above a level, innermost first."""
        while len(self._frames) > down_to:
            frame = self._frames.pop()
            if not frame.chained:
                self._open[frame.name] -= 1
            if not closed and not frame.chained:
                self._problem(frame.span, f"block {frame.name} is not closed; add {{{{/{frame.name}}}}}")
            self._body.extend(frame.nodes())
