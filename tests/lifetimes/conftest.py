"""Expressions for the tests, written as text: Python's grammar, with `value | name(argument)` for filters."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from promptlint.expression import (
    Attribute,
    Call,
    Choice,
    Compare,
    Expression,
    Filter,
    Format,
    Index,
    Join,
    Literal,
    Name,
    Slice,
    Truth,
    Unknown,
)
from promptlint.source import Source, Span

Read = Callable[[str], tuple[Expression, Source]]


@pytest.fixture
def read() -> Read:
    """Gives the expression of a text, with real offsets into the source that comes with it."""

    def reader(text: str) -> tuple[Expression, Source]:
        return _expression(ast.parse(text, mode="eval").body), Source("prompt.txt", text)

    return reader


def _expression(node: ast.expr) -> Expression:
    span = Span(node.col_offset, node.end_col_offset or 0)
    match node:
        case ast.Constant(value=str() | int() | float() | bool() | None as value):
            return Literal(value, span)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return Literal(-value, span)
        case ast.Name(id=name):
            return Name(name, span)
        case ast.Attribute(value=of, attr=name):
            return Attribute(_expression(of), name, span)
        case ast.Subscript(value=of, slice=ast.Slice(lower=lower, upper=upper)):
            return Slice(_expression(of), _whole(lower), _whole(upper), span)
        case ast.Subscript(value=of, slice=key):
            return Index(_expression(of), _expression(key), span)
        case ast.BinOp(left=of, op=ast.BitOr(), right=ast.Name(id=name)):
            return Filter(_expression(of), name, (), span)
        case ast.BinOp(left=of, op=ast.BitOr(), right=ast.Call(func=ast.Name(id=name), args=arguments)):
            return Filter(_expression(of), name, tuple(map(_expression, arguments)), span)
        case ast.Call(func=function, args=arguments, keywords=keywords):
            named = tuple((keyword.arg or "", _expression(keyword.value)) for keyword in keywords)
            return Call(_expression(function), tuple(map(_expression, arguments)), named, span)
        case ast.JoinedStr(values=parts):
            return Join(tuple(map(_expression, parts)), span)
        case ast.FormattedValue(value=of, format_spec=ast.JoinedStr(values=[ast.Constant(value=str() as spec)])):
            return Format(_expression(of), spec, span)
        case ast.FormattedValue(value=of):
            return _expression(of)
        case ast.IfExp(test=test, body=first, orelse=second):
            return Choice(_expression(test), (_expression(first), _expression(second)), span)
        case ast.BoolOp(values=parts) | ast.UnaryOp(op=ast.Not(), operand=ast.expr() as parts):
            return Truth(tuple(map(_expression, parts if isinstance(parts, list) else [parts])), span)
        case ast.Compare(left=left, comparators=others):
            return Compare(tuple(map(_expression, (left, *others))), span)
    inner = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    return Unknown(tuple(map(_expression, inner)), span)


def _whole(node: ast.expr | None) -> int | None:
    expression = None if node is None else _expression(node)
    return expression.value if isinstance(expression, Literal) and isinstance(expression.value, int) else None
