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
    Join,
    Literal,
    Name,
    Record,
    Repeat,
    Series,
    Slot,
    Spread,
    Truth,
    path,
)
from promptlint.flow.calling import enter
from promptlint.flow.dumping import dumped
from promptlint.flow.formatting import formatted, printed, replaced, substituted
from promptlint.flow.lists import mapping_of, part_of, written_items
from promptlint.flow.names import Names
from promptlint.flow.texts import is_text, joined
from promptlint.traversal import bare, unkept

if TYPE_CHECKING:
    from promptlint.flow.follow import Follower

_SAME_TEXT = frozenset(
    {"strip", "lstrip", "rstrip", "trim", "trimStart", "trimEnd", "toString", "dedent", "cleandoc", "stripIndent"}
)
_SAME_VALUE = frozenset({"str", "String", "list", "tuple", "dedent", "cleandoc", "Array.from", "textwrap.dedent"})
_SAME_OBJECT = frozenset({"Object.defineProperty", "Object.defineProperties", "Object.freeze", "Object.seal"})
_DUMPS = frozenset({"json.dumps", "JSON.stringify", "orjson.dumps", "ujson.dumps", "dumps"})


def operation(follower: Follower, expression: Call, names: Names) -> Expression | None:
    """A call as an operation on text or lists; None for any other."""
    function, given, source = expression.function, expression.arguments, follower.program.source
    name = ".".join(path(unkept(function)))
    first = given[0] if given else None
    if first is not None and name in _SAME_OBJECT:
        return first
    if (
        first is not None
        and name in _SAME_VALUE
        and len(given) == 1
        and (is_text(first) or isinstance(bare(first), Series))
    ):
        return first
    if first is not None and name in _DUMPS and not any(key == "sort_keys" for key, _ in expression.keywords):
        return dumped(first, expression.span)
    if name == "filter" and len(given) == 2 and _keeps_all(given[0]):
        return given[1]
    if name == "dict" and not given and all(key != "**" for key, _ in expression.keywords):
        entries = tuple(Entry(Literal(key, value.span), value, value.span) for key, value in expression.keywords)
        return Record(entries, expression.span)
    if not isinstance(function, Attribute):
        return None
    of = function.of
    match function.name:
        case "join" if first is not None and is_text(of):
            return joined(of, first, expression.span, follower.program.source)
        case "join":
            separator = first if first is not None else Literal(",", expression.span)
            return joined(separator, of, expression.span, follower.program.source)
        case "format" if is_text(of):
            return formatted(of, source, [_held(follower, "", value) for value in given], _named(follower, expression))
        case "format_map" if is_text(of) and first is not None:
            return formatted(of, source, (), _entries(follower, first))
        case "substitute" | "safe_substitute" if (text := _template(of)) is not None:
            mapping = {} if first is None else _entries(follower, first)
            return substituted(text, source, {**mapping, **_named(follower, expression)})
        case "%" if first is not None:
            return printed(of, source, _held(follower, "", first))
        case "replace" | "replaceAll" if len(given) == 2:
            return replaced(of, source, given[0], _held(follower, "", given[1]))
        case stripping if stripping in _SAME_TEXT and is_text(of):
            return of
        case "concat" if is_text(of):
            return Join((Slot(of, of.span), *(Slot(value, value.span) for value in given)), expression.span)
        case "concat":
            return Series((Spread(of, of.span), *(Spread(value, value.span) for value in given)), expression.span)
        case "map" | "flatMap" if len(given) == 1:
            return _mapped(follower, of, expression, names)
        case "filter" if len(given) == 1:
            return _filtered(follower, of, expression, names)
    return None


def _mapped(follower: Follower, of: Expression, expression: Call, names: Names) -> Expression | None:
    items = written_items(of)
    if items:
        made = [_applied(follower, item, expression, names) for item in items]
        return Series(tuple(item for item in made if item is not None), expression.span) if all(made) else None
    body = _applied(follower, Element(of, expression.span), expression, names)
    if body is None:
        return None
    repeat = Repeat((), of, body, expression.span)
    return Series((Spread(repeat, expression.span),), expression.span)


def _filtered(follower: Follower, of: Expression, expression: Call, names: Names) -> Expression | None:
    """`xs.filter(...)`: the list where the test is only whether an item is there, else the items that pass."""
    if _keeps_all(expression.arguments[0]):
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


def _keeps_all(test: Expression) -> bool:
    """Whether a test only leaves out what is empty: `filter(None, xs)`, `xs.filter(Boolean)`."""
    return path(test) in (("Boolean",), ("bool",)) or (isinstance(test, Literal) and test.value is None)


def _template(of: Expression) -> Expression | None:
    """The text of a `string.Template`."""
    match bare(of):
        case Call(function=function, arguments=(text,)) if path(function)[-1:] == ("Template",):
            return part_of(of, text) if isinstance(of, Bound) else text
    return None


def _named(follower: Follower, expression: Call) -> dict[str, Expression]:
    """What a call is given by name, the entries of `**values` among it."""
    found: dict[str, Expression] = {}
    for key, value in expression.keywords:
        found.update(_entries(follower, value) if key == "**" else {key: _held(follower, key, value)})
    return found


def _entries(follower: Follower, value: Expression) -> dict[str, Expression]:
    """The entries of a record that can be seen, each of which knows its source."""
    return mapping_of(_held(follower, "", value))


def _held(follower: Follower, name: str, value: Expression) -> Expression:
    """A value that knows its source, for text that may stand in another one."""
    return value if isinstance(value, Bound) else follower.bound(name or "value", value, value.span)
