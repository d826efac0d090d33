"""Calls that are operations on text or lists, in Python and JavaScript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptlint.expression import (
    Attribute,
    Bound,
    Call,
    Choice,
    Compare,
    Element,
    Entry,
    Expression,
    Literal,
    Name,
    Record,
    Repeat,
    Series,
    Spread,
    Truth,
    path,
)
from promptlint.flow.calling import enter
from promptlint.flow.dumping import dumped
from promptlint.flow.lists import part_of
from promptlint.flow.names import Names, bare
from promptlint.flow.texts import formatted, is_text, joined, printed, replaced

if TYPE_CHECKING:
    from promptlint.flow.follow import Follower

_SAME_TEXT = frozenset(
    {"strip", "lstrip", "rstrip", "trim", "trimStart", "trimEnd", "toString", "dedent", "cleandoc", "stripIndent"}
)
_SAME_VALUE = frozenset({"str", "String", "list", "tuple", "dedent", "cleandoc", "Array.from", "textwrap.dedent"})
_MOST_ITEMS = 20
_DUMPS = frozenset({"json.dumps", "JSON.stringify", "orjson.dumps", "ujson.dumps", "dumps"})


def operation(follower: Follower, expression: Call, names: Names) -> Expression | None:
    """A call as an operation on text or lists; None for any other."""
    function, given, source = expression.function, expression.arguments, follower.program.source
    name = ".".join(path(function))
    first = given[0] if given else None
    if (
        first is not None
        and name in _SAME_VALUE
        and len(given) == 1
        and (is_text(first) or isinstance(bare(first), Series))
    ):
        return first
    if first is not None and name in _DUMPS and not any(key == "sort_keys" for key, _ in expression.keywords):
        return dumped(first, expression.span)
    if name == "dict" and not given and all(key != "**" for key, _ in expression.keywords):
        entries = tuple(Entry(Literal(key, value.span), value, value.span) for key, value in expression.keywords)
        return Record(entries, expression.span)
    if not isinstance(function, Attribute):
        return None
    of = function.of
    match function.name:
        case "join" if first is not None and is_text(of):
            return joined(of, first, expression.span)
        case "join":
            return joined(first if first is not None else Literal(",", expression.span), of, expression.span)
        case "format" if is_text(of):
            named = {key: _held(follower, key, value) for key, value in expression.keywords}
            return formatted(of, source, [_held(follower, "", value) for value in given], named)
        case "%" if first is not None:
            return printed(of, source, _held(follower, "", first))
        case "replace" | "replaceAll" if len(given) == 2:
            return replaced(of, source, given[0], _held(follower, "", given[1]))
        case stripping if stripping in _SAME_TEXT and is_text(of):
            return of
        case "concat":
            return Series((Spread(of, of.span), *(Spread(value, value.span) for value in given)), expression.span)
        case "map" | "flatMap" if len(given) == 1:
            return _mapped(follower, of, expression, names)
        case "filter" if len(given) == 1:
            return _filtered(follower, of, expression, names)
    return None


def _mapped(follower: Follower, of: Expression, expression: Call, names: Names) -> Expression | None:
    items = _few_items(of)
    if items is not None:
        made = [_applied(follower, item, expression, names) for item in items]
        return Series(tuple(item for item in made if item is not None), expression.span) if all(made) else None
    body = _applied(follower, Element(of, expression.span), expression, names)
    if body is None:
        return None
    repeat = Repeat((), of, body, expression.span)
    return Series((Spread(repeat, expression.span),), expression.span)


def _few_items(of: Expression) -> list[Expression] | None:
    """The items of a list that is written down; None for any other."""
    series = bare(of)
    if not isinstance(series, Series) or not 0 < len(series.items) <= _MOST_ITEMS:
        return None
    if any(isinstance(item, Spread) for item in series.items):
        return None
    return [part_of(of, item) for item in series.items]


def _filtered(follower: Follower, of: Expression, expression: Call, names: Names) -> Expression | None:
    """`xs.filter(Boolean)` only leaves out what is empty."""
    if path(expression.arguments[0]) == ("Boolean",):
        return of
    test = _applied(follower, Element(of, expression.span), expression, names)
    if test is None:
        return None
    if isinstance(bare(of), Series) and not isinstance(bare(test), Compare | Choice | Call):
        return of
    repeat = Repeat((), of, Element(of, expression.span), expression.span, Truth((test,), expression.span))
    return Series((Spread(repeat, expression.span),), expression.span)


def _applied(follower: Follower, item: Expression, expression: Call, names: Names) -> Expression | None:
    function = bare(expression.arguments[0])
    closure = names.function(function.id) if isinstance(function, Name) else None
    if closure is None:
        return None
    value = enter(follower, closure, expression, (item,), (), names)
    return value.value if isinstance(value, Bound) else value


def _held(follower: Follower, name: str, value: Expression) -> Expression:
    """A value that knows its source, for text that may stand in another one."""
    return value if isinstance(value, Bound) else follower.bound(name or "value", value, value.span)
