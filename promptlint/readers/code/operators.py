"""Operators that build text, in the same form for every language."""

from __future__ import annotations

from collections.abc import Iterable

from promptlint.expression import Attribute, Call, Expression, Join, Literal, Slot
from promptlint.source import Span


def added(operands: Iterable[Expression], span: Span) -> Expression:
    """`a + b + c`: text behind text, or a number; the parts of sums in it stand in the same row."""
    return Join(tuple(part for operand in operands for part in _parts(operand)), span)


def member_call(of: Expression, name: str, arguments: tuple[Expression, ...], span: Span) -> Call:
    """An operator as a method of its left side: `a % b`, `a // b`."""
    return Call(Attribute(of, name, span), arguments, (), span)


def _parts(operand: Expression) -> tuple[Expression, ...]:
    match operand:
        case Join(parts=parts):
            return parts
        case Literal(value=str()):
            return (operand,)
    return (Slot(operand, operand.span),)
