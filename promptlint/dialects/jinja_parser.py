"""Jinja's own parser, which also notes where each expression begins and ends, and lets unknown tags pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from jinja2 import nodes
from jinja2.parser import Parser

from promptlint.dialects.jinja_errors import Opened, TagError, meant, misplaced, not_closed
from promptlint.dialects.jinja_lexer import OffsetEnvironment, OffsetStream
from promptlint.source import Span

ROLE_TAGS = frozenset({"chat", "message"})
"""Tags that open a message: banks writes `{% chat role="system" %}`, Haystack `{% message role="system" %}`."""

_CLOSING = frozenset(
    {"else", "elif", "endif", "endfor", "endblock", "endmacro", "endset", "endcall", "endfilter", "endwith"}
    | {"endraw", "endautoescape", "endchat", "endmessage"}
)
"""Tags that only end something: alone they are an error, not an unknown tag."""

_EXPRESSIONS = (
    "parse_expression",
    "parse_condexpr",
    "parse_or",
    "parse_and",
    "parse_not",
    "parse_compare",
    "parse_math1",
    "parse_concat",
    "parse_math2",
    "parse_pow",
    "parse_unary",
    "parse_primary",
    "parse_tuple",
    "parse_list",
    "parse_dict",
)
_POSTFIX = ("parse_subscript", "parse_call", "parse_filter", "parse_test", "parse_postfix", "parse_filter_expr")


class SpanParser(Parser):
    """`spans[id(node)]` is where an expression stands; the tree keeps the nodes alive."""

    def __init__(self, environment: OffsetEnvironment, text: str) -> None:
        super().__init__(environment, "")
        self.stream: OffsetStream
        self._text = text
        self._opened: list[Opened] = []
        self._extensions: set[str] = set()
        self.spans: dict[int, Span] = {}
        self.extensions = _AnyTag(self.extensions, self._unknown_tag)
        for name in _EXPRESSIONS:
            setattr(self, name, self._noting(getattr(self, name)))
        for name in _POSTFIX:
            setattr(self, name, self._noting_postfix(getattr(self, name)))

    def parse_statement(self) -> nodes.Node | list[nodes.Node]:
        token = self.stream.current
        if token.type != "name" or token.value in _CLOSING:
            return super().parse_statement()
        self._opened.append(Opened(token.value, token.lineno))
        try:
            return super().parse_statement()
        finally:
            self._opened.pop()

    def fail_unknown_tag(self, name: str, lineno: int | None = None) -> NoReturn:
        raise misplaced(name, self.stream.current.lineno if lineno is None else lineno, self._opened, self._text)

    def fail_eof(self, end_tokens: tuple[str, ...] | None = None, lineno: int | None = None) -> NoReturn:
        if not self._opened:
            super().fail_eof(end_tokens, lineno)
        raise not_closed(self._opened[-1])

    def _noting(self, parse: Callable[..., Any]) -> Callable[..., Any]:
        def noting(*args: Any, **options: Any) -> Any:
            start = self.stream.current.lineno
            node = parse(*args, **options)
            self.spans[id(node)] = Span(start, max(start, self.stream.last_end))
            return node

        return noting

    def _noting_postfix(self, parse: Callable[..., Any]) -> Callable[..., Any]:
        def noting(node: Any, *args: Any, **options: Any) -> Any:
            before = self.spans.get(id(node))
            result = parse(node, *args, **options)
            if before is not None:
                self.spans[id(result)] = Span(before.start, self.stream.last_end)
            return result

        return noting

    def _unknown_tag(self, parser: Parser) -> nodes.Node | list[nodes.Node]:
        token = next(parser.stream)
        if token.value in ROLE_TAGS:
            return self._role_tag(token.value, token.lineno)
        known = meant(token.value, self._extensions)
        if known is not None:
            raise TagError(f"no tag is called {token.value}; did you mean {known}?", token.lineno)
        self._extensions.add(token.value)
        depth = 0
        while depth or parser.stream.current.type != "block_end":
            current = next(parser.stream)
            depth += (current.type in ("lparen", "lbracket", "lbrace")) - (
                current.type in ("rparen", "rbracket", "rbrace")
            )
            if current.type == "eof":
                parser.fail("this tag is not closed", token.lineno)
        return []

    def _role_tag(self, tag: str, offset: int) -> nodes.Node:
        role = ""
        while self.stream.current.type != "block_end":
            name = next(self.stream)
            if name.value == "role" and self.stream.skip_if("assign") and self.stream.current.type == "string":
                role = str(self.stream.current.value)
        body = self.parse_statements((f"name:end{tag}",), drop_needle=True)
        return nodes.CallBlock(
            nodes.Call(nodes.Name("role", "load", lineno=offset), [nodes.Const(role, lineno=offset)], [], None, None),
            [],
            [],
            body,
            lineno=offset,
        )


class _AnyTag(dict[str, Any]):
    """Looks like the table of extension tags, and answers for every tag but a stray closing one."""

    def __init__(self, known: dict[str, Any], fallback: Callable[[Parser], Any]) -> None:
        super().__init__(known)
        self._fallback = fallback

    def get(self, tag: str, default: Any = None) -> Any:
        if tag in self:
            return self[tag]
        return default if tag in _CLOSING else self._fallback
