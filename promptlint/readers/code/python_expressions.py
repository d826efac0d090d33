"""Python's expressions in the language that prompts are read in."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable
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
    Repeat,
    Series,
    Slice,
    Spread,
    Truth,
    Unknown,
)
from promptlint.program import Assign, FunctionParameter, ParameterKind, Return
from promptlint.readers.code.operators import added, member_call
from promptlint.readers.code.python_strings import string
from promptlint.readers.code.tree import Reading, field_of, named
from promptlint.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_CONSTANTS = {"true": True, "false": False, "none": None}


def expression(node: Node, reading: Reading) -> Expression:
    """The node's expression; `Unknown` around what it is made of where the language has nothing closer."""
    reading.depth += 1
    try:
        read = _READERS.get(node.type)
        if reading.is_too_deep():
            return Unknown((), reading.span(node))
        return read(node, reading) if read is not None else _unknown(node, reading)
    finally:
        reading.depth -= 1


def test(node: Node, reading: Reading) -> Expression:
    """The node as a condition: `and`, `or`, `not` and comparisons are outcomes, not values."""
    reading.depth += 1
    try:
        if reading.is_too_deep():
            return Unknown((), reading.span(node))
        if node.type == "parenthesized_expression" and (inner := next(named(node), None)) is not None:
            return test(inner, reading)
        if node.type in ("boolean_operator", "not_operator"):
            parts = named(node) if node.type == "not_operator" else reading.operands(node, "and", "or")
            return Truth(tuple(test(part, reading) for part in parts), reading.span(node))
        return expression(node, reading)
    finally:
        reading.depth -= 1


def target_names(node: Node | None, reading: Reading) -> tuple[str, ...]:
    """Names that a loop or comprehension gives values to."""
    found: list[str] = []
    left = [node] if node is not None else []
    while left:
        at = left.pop()
        if at.type == "identifier":
            found.append(reading.of(at))
        else:
            left.extend(reversed(list(named(at))))
    return tuple(found)


def parameters(node: Node | None, reading: Reading) -> tuple[FunctionParameter, ...]:
    found: list[FunctionParameter] = []
    kind = ParameterKind.PLAIN
    for child in named(node) if node is not None else ():
        if child.type == "keyword_separator":
            kind = ParameterKind.KEYWORD
            continue
        inner = child
        while inner.type in ("typed_parameter", "typed_default_parameter", "default_parameter"):
            inner = field_of(inner, "name") or inner.named_children[0]
        given, own = field_of(child, "value"), kind
        if inner.type in ("list_splat_pattern", "dictionary_splat_pattern"):
            own = ParameterKind.REST if inner.type == "list_splat_pattern" else ParameterKind.KEYWORDS
            inner = inner.named_children[0]
        if inner.type == "identifier":
            default = None if given is None else expression(given, reading)
            found.append(FunctionParameter(reading.of(inner), reading.span(inner), default, own))
        if own is ParameterKind.REST:
            kind = ParameterKind.KEYWORD
    return tuple(found)


def _unknown(node: Node, reading: Reading) -> Expression:
    return Unknown(tuple(expression(child, reading) for child in named(node)), reading.span(node))


def _inner(node: Node, reading: Reading) -> Expression:
    child = next(named(node), None)
    return Unknown((), reading.span(node)) if child is None else expression(child, reading)


def _name(node: Node, reading: Reading) -> Expression:
    return Name(reading.of(node), reading.span(node))


def _constant(node: Node, reading: Reading) -> Expression:
    return Literal(_CONSTANTS[node.type], reading.span(node))


def _number(node: Node, reading: Reading) -> Expression:
    try:
        value = literal_eval(reading.of(node))
    except (ValueError, SyntaxError):
        return Unknown((), reading.span(node))
    return Literal(value, reading.span(node)) if isinstance(value, int | float) else Unknown((), reading.span(node))


def _string(node: Node, reading: Reading) -> Expression:
    return string(node, reading, expression)


def _attribute(node: Node, reading: Reading) -> Expression:
    of, name = field_of(node, "object"), field_of(node, "attribute")
    if of is None or name is None:
        return _unknown(node, reading)
    return Attribute(expression(of, reading), reading.of(name), reading.span(node))


def _subscript(node: Node, reading: Reading) -> Expression:
    of, key = field_of(node, "value"), field_of(node, "subscript")
    if of is None or key is None:
        return _unknown(node, reading)
    span, owner = reading.span(node), expression(of, reading)
    if key.type == "slice":
        return _slice(owner, key, span, reading)
    return Index(owner, expression(key, reading), span)


def _slice(owner: Expression, node: Node, span: Span, reading: Reading) -> Expression:
    """Whole numbers make a slice; any other bound makes a call of `slice`, which keeps what it is."""
    bounds: list[Expression] = [Literal(None, Span(span.end, span.end)), Literal(None, Span(span.end, span.end))]
    at = 0
    for child in node.children:
        if child.type == ":":
            at += 1
        elif child.is_named and at < 2 and child.type != "comment":
            bounds[at] = expression(child, reading)
    numbers = [bound.value if isinstance(bound, Literal) else "?" for bound in bounds]
    if all(number is None or isinstance(number, int) for number in numbers):
        start, stop = (number if isinstance(number, int) else None for number in numbers)
        return Slice(owner, start, stop, span)
    return Call(Attribute(owner, "slice", span), tuple(bounds), (), span)


def _call(node: Node, reading: Reading) -> Expression:
    function, given = field_of(node, "function"), field_of(node, "arguments")
    if function is None or given is None:
        return _unknown(node, reading)
    arguments: list[Expression] = []
    keywords: list[tuple[str, Expression]] = []
    called = expression(function, reading)
    if given.type == "generator_expression":
        arguments.append(expression(given, reading))
    else:
        for child in named(given):
            name, value = field_of(child, "name"), field_of(child, "value")
            if child.type == "keyword_argument" and name is not None and value is not None:
                keywords.append((reading.of(name), expression(value, reading)))
            elif child.type == "dictionary_splat":
                keywords.append(("**", _inner(child, reading)))
            else:
                arguments.append(expression(child, reading))
    return Call(called, tuple(arguments), tuple(keywords), reading.span(node))


def _series(node: Node, reading: Reading) -> Expression:
    return Series(tuple(expression(child, reading) for child in named(node)), reading.span(node))


def _spread(node: Node, reading: Reading) -> Expression:
    return Spread(_inner(node, reading), reading.span(node))


def _set(node: Node, reading: Reading) -> Expression:
    span = reading.span(node)
    return Call(Name("set", Span(span.start, span.start)), (_series(node, reading),), (), span)


def _record(node: Node, reading: Reading) -> Expression:
    return Record(tuple(expression(child, reading) for child in named(node)), reading.span(node))


def _entry(node: Node, reading: Reading) -> Expression:
    key, value = field_of(node, "key"), field_of(node, "value")
    if key is None or value is None:
        return _unknown(node, reading)
    return Entry(expression(key, reading), expression(value, reading), reading.span(node))


def _comprehension(node: Node, reading: Reading) -> Expression:
    body = field_of(node, "body")
    if body is None:
        return _unknown(node, reading)
    clauses = [child for child in named(node) if child.type in ("for_in_clause", "if_clause")]
    if body.type == "pair":
        written = expression(body, reading)
        pair = (written.key, written.value) if isinstance(written, Entry) else (written,)
        inner: Expression = Series(pair, reading.span(body))
    else:
        inner = expression(body, reading)
    tests: list[Expression] = []
    for clause in reversed(clauses):
        if clause.type == "if_clause":
            tests.extend(test(child, reading) for child in named(clause))
            continue
        left, right = field_of(clause, "left"), field_of(clause, "right")
        if right is None:
            continue
        picked = Truth(tuple(tests), tests[0].span) if tests else None
        tests = []
        inner = Repeat(target_names(left, reading), expression(right, reading), inner, reading.span(clause), picked)
    span = reading.span(node)
    series = Series((Spread(inner, span),), span)
    maker = {"set_comprehension": "set", "dictionary_comprehension": "dict"}.get(node.type)
    return series if maker is None else Call(Name(maker, Span(span.start, span.start)), (series,), (), span)


def _choice(node: Node, reading: Reading) -> Expression:
    parts = list(named(node))
    if len(parts) != 3:
        return _unknown(node, reading)
    options = (expression(parts[0], reading), expression(parts[2], reading))
    return Choice(test(parts[1], reading), options, reading.span(node))


def _boolean(node: Node, reading: Reading) -> Expression:
    left, right = field_of(node, "left"), field_of(node, "right")
    if left is None or right is None:
        return _unknown(node, reading)
    span, other = reading.span(node), expression(right, reading)
    if any(child.type == "and" for child in node.children):
        nothing = Literal("", Span(span.end, span.end))
        return Choice(test(left, reading), (other, nothing), span)
    return Choice(None, (expression(left, reading), other), span)


def _not(node: Node, reading: Reading) -> Expression:
    return Truth(tuple(test(child, reading) for child in named(node)), reading.span(node))


def _compare(node: Node, reading: Reading) -> Expression:
    return Compare(tuple(expression(child, reading) for child in named(node)), reading.span(node))


def _operator(node: Node, reading: Reading) -> Expression:
    left, right, sign = field_of(node, "left"), field_of(node, "right"), field_of(node, "operator")
    if left is None or right is None or sign is None:
        return _unknown(node, reading)
    span, symbol = reading.span(node), reading.of(sign)
    if symbol in ("%", "//", "/"):
        return member_call(expression(left, reading), symbol, (expression(right, reading),), span)
    operands = tuple(expression(operand, reading) for operand in reading.operands(node, symbol))
    return added(operands, span) if symbol == "+" else Unknown(operands, span)


def _sign(node: Node, reading: Reading) -> Expression:
    inner, span, sign = _inner(node, reading), reading.span(node), reading.of(node)[:1]
    if sign == "-" and isinstance(inner, Literal) and isinstance(inner.value, int | float):
        return Literal(-inner.value, span)
    return Call(Name(sign, Span(span.start, span.start + 1)), (inner,), (), span)


def _lambda(node: Node, reading: Reading) -> Expression:
    body, span = field_of(node, "body"), reading.span(node)
    if body is None:
        return Unknown((), span)
    before = len(reading.pending)
    given = parameters(field_of(node, "parameters"), reading)
    value = expression(body, reading)
    returned = Return(value, reading.span(body))
    return Name(reading.define(given, (*reading.take_pending(before), returned), span), span)


def _walrus(node: Node, reading: Reading) -> Expression:
    name, value = field_of(node, "name"), field_of(node, "value")
    if name is None or value is None:
        return _unknown(node, reading)
    target = Name(reading.of(name), reading.span(name))
    reading.assign(Assign(target, expression(value, reading), reading.span(node)))
    return target


_READERS: dict[str, Callable[[Node, Reading], Expression]] = {
    "identifier": _name,
    "true": _constant,
    "false": _constant,
    "none": _constant,
    "integer": _number,
    "float": _number,
    "string": _string,
    "concatenated_string": _string,
    "attribute": _attribute,
    "subscript": _subscript,
    "call": _call,
    "list": _series,
    "tuple": _series,
    "expression_list": _series,
    "pattern_list": _series,
    "tuple_pattern": _series,
    "list_pattern": _series,
    "set": _set,
    "list_splat": _spread,
    "list_splat_pattern": _spread,
    "dictionary_splat": _spread,
    "dictionary": _record,
    "pair": _entry,
    "list_comprehension": _comprehension,
    "set_comprehension": _comprehension,
    "dictionary_comprehension": _comprehension,
    "generator_expression": _comprehension,
    "conditional_expression": _choice,
    "boolean_operator": _boolean,
    "not_operator": _not,
    "comparison_operator": _compare,
    "binary_operator": _operator,
    "unary_operator": _sign,
    "lambda": _lambda,
    "named_expression": _walrus,
    "await": _inner,
    "parenthesized_expression": _inner,
}
