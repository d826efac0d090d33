"""Expressions of TypeScript and JavaScript in the language that prompts are read in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from promptlint.expression import (
    Attribute,
    Call,
    Choice,
    Compare,
    Entry,
    Expression,
    Index,
    Literal,
    Name,
    Record,
    Series,
    Spread,
    Truth,
    Unknown,
)
from promptlint.program import Assign, Augment, Do, Yield
from promptlint.readers.code.operators import added, member_call
from promptlint.readers.code.script_functions import anonymous, anonymous_class
from promptlint.readers.code.script_patterns import APART, assigned, key
from promptlint.readers.code.script_reading import TRANSPARENT, ScriptReading, inner, written
from promptlint.readers.code.script_strings import string
from promptlint.readers.code.tree import field_of, named
from promptlint.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_CONSTANTS = {"true": True, "false": False, "null": None, "undefined": None}
_COMPARISONS = frozenset({"==", "===", "!=", "!==", "<", "<=", ">", ">=", "in", "instanceof"})


def test(node: Node, reading: ScriptReading) -> Expression:
    """The node as a condition: `&&`, `||`, `!` and comparisons are outcomes, not values."""
    node = written(node)
    reading.depth += 1
    try:
        if reading.is_too_deep():
            return Unknown((), reading.span(node))
        parts = _tested(node, reading)
        return Truth(tuple(test(part, reading) for part in parts), reading.span(node)) if parts else reading.value(node)
    finally:
        reading.depth -= 1


def operator(node: Node, reading: ScriptReading) -> str:
    sign = field_of(node, "operator")
    return "" if sign is None else reading.of(sign)


def _tested(node: Node, reading: ScriptReading) -> list[Node]:
    """What `&&`, `||` and `!` are made of, in one row; nothing for anything else."""
    if node.type == "unary_expression" and operator(node, reading) == "!":
        argument = field_of(node, "argument")
        return [] if argument is None else [argument]
    row = reading.operands(node, "&&", "||")
    return row if len(row) > 1 else []


def _transparent(node: Node, reading: ScriptReading) -> Expression:
    within = written(node)
    return Unknown((), reading.span(node)) if within.type in TRANSPARENT else reading.value(within)


def _name(node: Node, reading: ScriptReading) -> Expression:
    return Name(reading.of(node), reading.span(node))


def _this(node: Node, reading: ScriptReading) -> Expression:
    return Name("self", reading.span(node))


def _import_meta(node: Node, reading: ScriptReading) -> Expression:
    span = reading.span(node)
    owner, _, name = reading.of(node).partition(".")
    return Attribute(Name(owner.strip(), Span(span.start, span.start + len(owner))), name.strip(), span)


def _constant(node: Node, reading: ScriptReading) -> Expression:
    return Literal(_CONSTANTS[node.type], reading.span(node))


def _number(node: Node, reading: ScriptReading) -> Expression:
    raw, span = reading.of(node).replace("_", "").removesuffix("n"), reading.span(node)
    try:
        if raw.isdecimal() or raw[:2].lower() in ("0x", "0o", "0b"):
            return Literal(int(raw, 0), span)
        value = float(raw)
    except ValueError:
        return Unknown((), span)
    # There is one kind of number, and a whole one is written without a point.
    return Literal(int(value) if value.is_integer() and abs(value) < 2**53 else value, span)


def _nothing(node: Node, reading: ScriptReading) -> Expression:
    return Unknown((), reading.span(node))


def _member(node: Node, reading: ScriptReading) -> Expression:
    of, name = field_of(node, "object"), field_of(node, "property")
    if of is None or name is None:
        return reading.unknown(node)
    return Attribute(reading.value(of), reading.of(name), reading.span(node))


def _subscript(node: Node, reading: ScriptReading) -> Expression:
    of, index = field_of(node, "object"), field_of(node, "index")
    if of is None or index is None:
        return reading.unknown(node)
    return Index(reading.value(of), reading.value(index), reading.span(node))


def _call(node: Node, reading: ScriptReading) -> Expression:
    function = field_of(node, "function") or field_of(node, "constructor")
    given = field_of(node, "arguments")
    if function is None:
        return reading.unknown(node)
    called = reading.value(function)
    if given is None:
        return Call(called, (), (), reading.span(node))
    several = named(given) if given.type == "arguments" else (given,)
    return Call(called, tuple(reading.value(child) for child in several), (), reading.span(node))


def _series(node: Node, reading: ScriptReading) -> Expression:
    return Series(tuple(reading.value(child) for child in named(node)), reading.span(node))


def _spread(node: Node, reading: ScriptReading) -> Expression:
    of = inner(node)
    return Unknown((), reading.span(node)) if of is None else Spread(reading.value(of), reading.span(node))


def _record(node: Node, reading: ScriptReading) -> Expression:
    return Record(tuple(reading.value(child) for child in named(node)), reading.span(node))


def _pair(node: Node, reading: ScriptReading) -> Expression:
    name, value = field_of(node, "key"), field_of(node, "value")
    if name is None or value is None:
        return reading.unknown(node)
    return Entry(key(name, reading), reading.value(value), reading.span(node))


def _shorthand(node: Node, reading: ScriptReading) -> Expression:
    name, span = reading.of(node), reading.span(node)
    return Entry(Literal(name, span), Name(name, span), span)


def _method(node: Node, reading: ScriptReading) -> Expression:
    name = field_of(node, "name")
    if name is None:
        return reading.unknown(node)
    return Entry(key(name, reading), anonymous(node, reading), reading.span(node))


def _choice(node: Node, reading: ScriptReading) -> Expression:
    condition, *options = (field_of(node, name) for name in ("condition", "consequence", "alternative"))
    found = tuple(reading.value(option) for option in options if option is not None)
    return Choice(None if condition is None else test(condition, reading), found, reading.span(node))


def _binary(node: Node, reading: ScriptReading) -> Expression:
    left, right = field_of(node, "left"), field_of(node, "right")
    sign, span = operator(node, reading), reading.span(node)
    if left is None or right is None:
        return reading.unknown(node)
    if sign == "&&":
        return Choice(test(left, reading), (reading.value(right), Literal("", Span(span.end, span.end))), span)
    if sign in ("||", "??"):
        return Choice(None, (reading.value(left), reading.value(right)), span)
    if sign in _COMPARISONS:
        return Compare((reading.value(left), reading.value(right)), span)
    if sign in ("%", "/"):
        return member_call(reading.value(left), sign, (reading.value(right),), span)
    operands = tuple(reading.value(operand) for operand in reading.operands(node, sign))
    return added(operands, span) if sign == "+" else Unknown(operands, span)


def _unary(node: Node, reading: ScriptReading) -> Expression:
    argument, sign, span = field_of(node, "argument"), operator(node, reading), reading.span(node)
    if argument is None:
        return Unknown((), span)
    if sign == "!":
        return test(node, reading)
    value = reading.value(argument)
    match sign:
        case "-" if isinstance(value, Literal) and isinstance(value.value, int | float):
            return Literal(-value.value, span)
        case "-":
            return Call(Name("-", Span(span.start, span.start + 1)), (value,), (), span)
        case "typeof":
            # One of a few words, whatever the value is.
            return Truth((value,), span)
        case "void":
            _do(value, reading)
            return Literal(None, span)
    return Unknown((value,), span)


def _assignment(node: Node, reading: ScriptReading) -> Expression:
    """An assignment that is also a value: it happens before the statement, and the value is what was assigned to."""
    left, right = field_of(node, "left"), field_of(node, "right")
    if left is None or right is None:
        return reading.unknown(node)
    value, span = reading.value(right), reading.span(node)
    left = written(left)
    reading.pending.extend(assigned(left, value, span, reading))
    return value if left.type in APART else reading.value(left)


def _augmented(node: Node, reading: ScriptReading) -> Expression:
    left, right = field_of(node, "left"), field_of(node, "right")
    if left is None or right is None:
        return reading.unknown(node)
    target, value, span = reading.value(left), reading.value(right), reading.span(node)
    match operator(node, reading):
        case "+=":
            reading.pending.append(Augment(target, value, span))
        case "??=" | "||=" | "&&=":
            reading.pending.append(Assign(target, Choice(None, (target, value), span), span))
        case _:
            reading.pending.append(Augment(target, Unknown((value,), span), span))
    return target


def _update(node: Node, reading: ScriptReading) -> Expression:
    argument, span = field_of(node, "argument"), reading.span(node)
    if argument is None:
        return Unknown((), span)
    target = reading.value(argument)
    reading.pending.append(Augment(target, Unknown((), span), span))
    return target


def _sequence(node: Node, reading: ScriptReading) -> Expression:
    *before, last = named(node)
    for part in before:
        _do(reading.value(part), reading)
    return reading.value(last)


def _do(value: Expression, reading: ScriptReading) -> None:
    if not isinstance(value, Literal | Name | Attribute):
        reading.pending.append(Do(value, value.span))


def _yield(node: Node, reading: ScriptReading) -> Expression:
    value, span = inner(node), reading.span(node)
    if value is not None:
        reading.pending.append(Yield(reading.value(value), span))
    return Unknown((), span)


def _markup(node: Node, reading: ScriptReading) -> Expression:
    return Unknown(tuple(_markup_values(node, reading)), reading.span(node))


def _markup_values(node: Node, reading: ScriptReading) -> Iterator[Expression]:
    for child in named(node):
        match child.type:
            case "jsx_opening_element" | "jsx_attribute":
                yield from _markup_values(child, reading)
            case "jsx_expression":
                yield from (reading.value(value) for value in named(child))
            case "jsx_element" | "jsx_self_closing_element":
                yield reading.value(child)


VALUES: dict[str, Callable[[Node, ScriptReading], Expression]] = {
    "identifier": _name,
    "shorthand_property_identifier_pattern": _name,
    "private_property_identifier": _name,
    "super": _name,
    "import": _name,
    "this": _this,
    "meta_property": _import_meta,
    "true": _constant,
    "false": _constant,
    "null": _constant,
    "undefined": _constant,
    "number": _number,
    "string": string,
    "template_string": string,
    "regex": _nothing,
    "member_expression": _member,
    "nested_identifier": _member,
    "subscript_expression": _subscript,
    "call_expression": _call,
    "new_expression": _call,
    "array": _series,
    "spread_element": _spread,
    "object": _record,
    "pair": _pair,
    "shorthand_property_identifier": _shorthand,
    "method_definition": _method,
    "ternary_expression": _choice,
    "binary_expression": _binary,
    "unary_expression": _unary,
    "assignment_expression": _assignment,
    "augmented_assignment_expression": _augmented,
    "update_expression": _update,
    "sequence_expression": _sequence,
    "yield_expression": _yield,
    "arrow_function": anonymous,
    "function_expression": anonymous,
    "generator_function": anonymous,
    "class": anonymous_class,
    "jsx_element": _markup,
    "jsx_self_closing_element": _markup,
    **dict.fromkeys(TRANSPARENT, _transparent),
}
