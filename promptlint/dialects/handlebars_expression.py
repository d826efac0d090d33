"""What stands inside a Handlebars tag: a path or helper, its arguments, block parameters."""

from __future__ import annotations

import re
from dataclasses import dataclass

from promptlint.dialects.pieces import follow
from promptlint.expression import Call, Compare, Expression, Literal, Name, Truth, Unknown
from promptlint.source import Span

_TOKEN = re.compile(r"""\s*(?:(?P<string>"(?:\\"|[^"])*"|'(?:\\'|[^'])*')|(?P<mark>[()=|])|(?P<word>[^\s()="'|]+))""")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_STEP = re.compile(r"\[([^\]]*)\]|([^\s!\"#%&'()*+,./;<=>@\[\\\]^`{|}~]+)")
_AWAY = re.compile(r"(?:\.\./){0,20}(?:\./)?")
_CONSTANTS = {"true": True, "false": False, "null": None, "undefined": None}
_COMPARISONS = frozenset({"eq", "ne", "neq", "lt", "lte", "gt", "gte", "equals", "includes", "contains"})
_LOGIC = frozenset({"and", "or", "not"})
_DEEPEST = 20


class UnreadableError(Exception):
    """The text is not a Handlebars expression."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """A tag's content. `span` runs from the first word to the last argument."""

    head: Expression
    arguments: tuple[Expression, ...]
    keywords: tuple[tuple[str, Expression], ...]
    parameters: tuple[str, ...]
    span: Span

    @property
    def word(self) -> str:
        """The helper's name; empty when the head is no plain word."""
        return self.head.id if isinstance(self.head, Name) else ""

    @property
    def value(self) -> Expression:
        """The reference itself, or the call when there are arguments."""
        if self.arguments or self.keywords:
            return Call(self.head, self.arguments, self.keywords, self.span)
        return self.head


def invocation(text: str, inner: Span, nested: bool) -> Invocation:
    """Read a tag's content; `nested` says that `this` is not the template's own input.

    Raises UnreadableError for anything that is not Handlebars.
    """
    reader = _Reader(text, inner, nested)
    result = reader.invocation(0)
    if not reader.done:
        raise UnreadableError
    return result


def test(expression: Expression) -> Expression:
    """An expression as a condition: comparing helpers compare, anything else asks for presence."""
    match expression:
        case Call(function=Name(id=word), arguments=arguments) if word in _COMPARISONS:
            return Compare(arguments, expression.span)
        case Call(function=Name(id=word), arguments=arguments) if word in _LOGIC:
            return Truth(tuple(test(argument) for argument in arguments), expression.span, word)
    return Truth((expression,), expression.span)


class _Reader:
    def __init__(self, text: str, inner: Span, nested: bool) -> None:
        self._text = text
        self._end = inner.end
        self._nested = nested
        self._at = inner.start
        self._token = self._next()

    @property
    def done(self) -> bool:
        return self._token is None

    def invocation(self, depth: int) -> Invocation:
        head = self._value(depth)
        arguments: list[Expression] = []
        keywords: list[tuple[str, Expression]] = []
        parameters: tuple[str, ...] = ()
        end = head.span.end
        while self._token is not None and self._token["mark"] != ")":
            word = self._token
            if word["word"] == "as" and (named := self._parameters()) is not None:
                parameters = named
                break
            value = self._value(depth)
            if self._token is not None and self._token["mark"] == "=" and word["word"] is not None:
                self._token = self._next()
                value = self._value(depth)
                keywords.append((word["word"], value))
            else:
                arguments.append(value)
            end = value.span.end
        return Invocation(head, tuple(arguments), tuple(keywords), parameters, Span(head.span.start, end))

    def _parameters(self) -> tuple[str, ...] | None:
        """`as |item index|` at the end of a tag."""
        rest = self._text[self._at : self._end].strip()
        if not (rest.startswith("|") and rest.endswith("|") and len(rest) > 1):
            return None
        self._at = self._end
        self._token = None
        return tuple(rest[1:-1].split())

    def _value(self, depth: int) -> Expression:
        token = self._token
        if token is None or depth > _DEEPEST:
            raise UnreadableError
        self._token = self._next()
        if token["string"] is not None:
            quoted = token["string"]
            value = quoted[1:-1].replace("\\" + quoted[0], quoted[0])
            return Literal(value, Span(*token.span("string")))
        if token["mark"] == "(":
            inside = self.invocation(depth + 1)
            if self._token is None or self._token["mark"] != ")":
                raise UnreadableError
            span = Span(token.start("mark"), self._token.end("mark"))
            self._token = self._next()
            return Call(inside.head, inside.arguments, inside.keywords, span)
        if token["word"] is None:
            raise UnreadableError
        return self._reference(token["word"], token.start("word"))

    def _reference(self, word: str, start: int) -> Expression:
        span = Span(start, start + len(word))
        if word in _CONSTANTS:
            return Literal(_CONSTANTS[word], span)
        if _NUMBER.fullmatch(word):
            return Literal(float(word) if "." in word else int(word), span)
        if word.startswith("@.."):
            return Unknown((), span)
        away = _AWAY.match(word)
        at = away.end() if away else 0
        rest = word[at:]
        if rest in ("", ".", ".."):
            return Name("this", span) if word in (".", "./") else Unknown((), span)
        data = rest.startswith("@")
        steps = _steps(rest, start + at, data)
        if len(steps) > 1 and (steps[0][1] == "@root" or (steps[0][1] == "this" and not (self._nested and at == 0))):
            steps = steps[1:]
        if word.startswith("./") and self._nested:
            return follow(Name("this", Span(start, start + 1)), steps)
        head, *others = steps
        return follow(Name(head[1], head[0]), others)

    def _next(self) -> re.Match[str] | None:
        token = _TOKEN.match(self._text, self._at, self._end)
        if token is not None:
            self._at = token.end()
        elif self._text[self._at : self._end].strip():
            raise UnreadableError
        return token


def _steps(path: str, start: int, data: bool) -> list[tuple[Span, str, bool]]:
    """The words of a path between dots or slashes; a data variable keeps its `@`."""
    steps: list[tuple[Span, str, bool]] = []
    at = 1 if data else 0
    while step := _STEP.match(path, at):
        group = 1 if step[1] is not None else 2
        steps.append((Span(start + step.start(group), start + step.end(group)), step[group], False))
        at = step.end()
        if path[at : at + 1] not in (".", "/"):
            break
        at += 1
    if at != len(path) or not steps:
        raise UnreadableError
    if data:
        first = steps[0]
        steps[0] = (Span(start, first[0].end), "@" + first[1], False)
    return steps
