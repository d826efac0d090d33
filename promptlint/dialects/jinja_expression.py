"""Jinja expressions in promptlint's own small language."""

from __future__ import annotations

from collections.abc import Sequence

from jinja2 import nodes

from promptlint.expression import (
    Attribute,
    Call,
    Choice,
    Compare,
    Expression,
    Filter,
    Index,
    Join,
    Literal,
    Name,
    Slice,
    Truth,
    Unknown,
)
from promptlint.source import Span

_COMPARING_TESTS = frozenset(
    {"eq", "equalto", "==", "ne", "!=", "lt", "lessthan", "<", "le", "<=", "gt", "greaterthan", ">", "ge", ">=", "in"}
    | {"divisibleby", "odd", "even", "sameas"}
)


class Converter:
    """Turns jinja2's nodes into expressions; `spans` is what the parser noted."""

    def __init__(self, spans: dict[int, Span]) -> None:
        self._spans = spans

    def span(self, node: nodes.Node) -> Span:
        """Where a node stands; a node the parser did not note spans its children."""
        noted = self._spans.get(id(node))
        if noted is not None:
            return noted
        inner = [self.span(child) for child in node.iter_child_nodes()]
        if isinstance(node, nodes.Filter):
            inner.append(_filter_end(node, inner))
        if not inner:
            return Span(node.lineno, node.lineno)
        return Span(min(span.start for span in inner), max(span.end for span in inner))

    def value(self, node: nodes.Node) -> Expression:
        span = self.span(node)
        match node:
            case nodes.Const(value=value):
                known = value is None or isinstance(value, str | int | float | bool)
                return Literal(value, span) if known else Unknown((), span)
            case nodes.Name(name=name) | nodes.NSRef(name=name):
                return Name(name, span)
            case nodes.Getattr(node=of, attr=attribute):
                return Attribute(self.value(of), attribute, span)
            case nodes.Getitem(node=of, arg=nodes.Slice(start=start, stop=stop)):
                return Slice(self.value(of), _whole(start), _whole(stop), span)
            case nodes.Getitem(node=of, arg=key):
                return Index(self.value(of), self.value(key), span)
            case nodes.Call(node=function):
                return Call(self.value(function), *self._arguments(node), span)
            case nodes.Filter(node=nodes.Div(left=left, right=right), name="int" | "round", args=[]) if (
                _number(right) is not None
            ):
                return self._whole_quotient(left, right, span)
            case nodes.Filter(node=of, name=name) if of is not None:
                arguments, keywords = self._arguments(node)
                return Filter(self.value(of), name, (*arguments, *(value for _, value in keywords)), span)
            case nodes.CondExpr(test=test, expr1=first, expr2=second):
                last = self.value(second) if second is not None else Literal("", Span(span.end, span.end))
                return Choice(self.test(test), (self.value(first), last), span)
            case nodes.Or(left=left, right=right) | nodes.And(left=left, right=right):
                return Choice(None, (self.value(left), self.value(right)), span)
            case nodes.Concat(nodes=parts):
                return Join(tuple(self.value(part) for part in parts), span)
            case nodes.Add(left=left, right=right):
                return self._sum(self.value(left), self.value(right), span)
            case nodes.FloorDiv(left=left, right=right) if _number(right) is not None:
                return self._whole_quotient(left, right, span)
            case nodes.Neg() if (number := _number(node)) is not None:
                return Literal(number, span)
            case nodes.Not() | nodes.Test() | nodes.Compare():
                return self.test(node)
        return Unknown(self._values(node.iter_child_nodes()), span)

    def test(self, node: nodes.Node) -> Expression:
        """The expression of a condition: what is compared, or whose presence is asked."""
        span = self.span(node)
        match node:
            case nodes.Not(node=of):
                return Truth((self.test(of),), span, "not")
            case nodes.And(left=left, right=right):
                return Truth((self.test(left), self.test(right)), span, "and")
            case nodes.Or(left=left, right=right):
                return Truth((self.test(left), self.test(right)), span, "or")
            case nodes.Test(node=of, name=name) if name in _COMPARING_TESTS:
                return Compare((self.value(of), *self._arguments(node)[0]), span)
            case nodes.Test(node=of, name=name):
                return Truth((self.value(of),), span, name)
            case nodes.Compare(expr=first, ops=operands):
                return Compare((self.value(first), *(self.value(operand.expr) for operand in operands)), span)
        return Truth((self.value(node),), span)

    def _arguments(self, node: nodes.Node) -> tuple[tuple[Expression, ...], tuple[tuple[str, Expression], ...]]:
        arguments = [self.value(argument) for argument in getattr(node, "args", None) or ()]
        keywords = [(keyword.key, self.value(keyword.value)) for keyword in getattr(node, "kwargs", None) or ()]
        for extra in (getattr(node, "dyn_args", None), getattr(node, "dyn_kwargs", None)):
            if extra is not None:
                arguments.append(Unknown((self.value(extra),), self.span(extra)))
        return tuple(arguments), tuple(keywords)

    def _values(self, children: object) -> tuple[Expression, ...]:
        return tuple(self.value(child) for child in children if isinstance(child, nodes.Node))  # type: ignore[attr-defined]

    def _whole_quotient(self, left: nodes.Node, right: nodes.Node, span: Span) -> Expression:
        """`left // right` for a number, also as `(left / right) | int`."""
        return Filter(self.value(left), "floordiv", (Literal(_number(right), self.span(right)),), span)

    def _sum(self, left: Expression, right: Expression, span: Span) -> Expression:
        """`+` joins text where one side is known to be text; numbers and dates are added, not joined."""
        if not (_is_text(left) or _is_text(right)):
            return Unknown((left, right), span)
        return Join((*_parts(left), *_parts(right)), span)


def _parts(expression: Expression) -> Sequence[Expression]:
    return expression.parts if isinstance(expression, Join) else (expression,)


def _is_text(expression: Expression) -> bool:
    if isinstance(expression, Unknown):
        return bool(expression.parts) and any(_is_text(part) for part in expression.parts)
    return isinstance(expression, Join) or (isinstance(expression, Literal) and isinstance(expression.value, str))


def _filter_end(node: nodes.Filter, inner: Sequence[Span]) -> Span:
    """Where a filter in the middle of a chain ends, which the parser does not note: behind its name or its `)`.

    Its line number is where its name stands.
    """
    end = node.lineno + len(node.name)
    last = max((span.end for span in inner), default=end)
    return Span(node.lineno, last + 1 if last > end else end)


def _number(node: nodes.Node | None) -> int | float | None:
    """The value of a number, a negative number or a product of numbers that stands in the text."""
    match node:
        case nodes.Const(value=bool()):
            return None
        case nodes.Const(value=int() | float() as value):
            return value
        case nodes.Neg(node=of):
            number = _number(of)
            return None if number is None else -number
        case nodes.Mul(left=left, right=right):
            first, second = _number(left), _number(right)
            return None if first is None or second is None else first * second
    return None


def _whole(node: nodes.Node | None) -> int | None:
    number = _number(node)
    return number if isinstance(number, int) else None
