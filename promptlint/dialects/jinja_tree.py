"""Jinja statements as template nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from jinja2 import nodes

from promptlint.dialects.jinja_expression import Converter
from promptlint.source import Span
from promptlint.template import (
    Arm,
    Block,
    Branch,
    CallBlock,
    Emit,
    Extends,
    Import,
    Include,
    Loop,
    Macro,
    Node,
    Role,
    Scoped,
    Set,
)


class TreeBuilder:
    """`emitted(offset)` gives the pieces that the tag or text at an offset writes."""

    def __init__(self, convert: Converter, emitted: Callable[[int], tuple[int, ...]]) -> None:
        self._convert = convert
        self._emitted = emitted

    def body(self, statements: Sequence[nodes.Node] | None) -> tuple[Node, ...]:
        return tuple(node for statement in statements or () for node in self._node(statement))

    def _node(self, node: nodes.Node) -> Iterator[Node]:
        span = self._convert.span
        match node:
            case nodes.Output(nodes=children):
                for child in children:
                    yield from (Emit(piece) for piece in self._emitted(_start(child, self._convert)))
            case nodes.If():
                yield Branch(tuple(self._arms(node)), span(node.test))
            case nodes.For(target=target, iter=walked, body=body, else_=otherwise):
                iterated = self._convert.value(walked)
                yield Loop(_names(target), iterated, iterated.span, self.body(body), self.body(otherwise))
            case nodes.Assign(target=target, node=value):
                yield Set(_names(target), self._convert.value(value), span(value))
            case nodes.AssignBlock(target=target, body=body):
                yield Set(_names(target), None, _at(target), self.body(body))
            case nodes.With(targets=targets, values=values, body=body):
                pairs = zip(targets, values, strict=True)
                given = tuple(Set(_names(name), self._convert.value(value), span(value)) for name, value in pairs)
                yield Scoped(given, self.body(body))
            case nodes.Macro(name=name, args=arguments, defaults=defaults, body=body):
                given_defaults = tuple(self._convert.value(default) for default in defaults)
                yield Macro(name, tuple(argument.name for argument in arguments), given_defaults, self.body(body))
            case nodes.CallBlock(call=call, body=body):
                yield self._call_block(call, body, node.lineno)
            case nodes.Block(name=name, body=body):
                yield Block(name, self.body(body))
            case nodes.Extends(template=template):
                yield Extends(_file(template), span(template))
            case nodes.Include(template=template, ignore_missing=optional):
                yield Include(_files(template), span(template), optional)
            case nodes.Import(template=template, target=alias):
                yield Import(_file(template), span(template), alias=alias)
            case nodes.FromImport(template=template, names=names):
                wanted = tuple(name if isinstance(name, tuple) else (name, name) for name in names)
                yield Import(_file(template), span(template), names=wanted)
            case nodes.FilterBlock(body=body) | nodes.Scope(body=body) | nodes.ScopedEvalContextModifier(body=body):
                yield from self.body(body)

    def _arms(self, node: nodes.If) -> Iterator[Arm]:
        for branch in (node, *node.elif_):
            test = self._convert.test(branch.test)
            yield Arm(test, test.span, self.body(branch.body))
        if node.else_:
            yield Arm(None, self._convert.span(node.test), self.body(node.else_))

    def _call_block(self, call: nodes.Call, body: list[nodes.Node], offset: int) -> Node:
        match call:
            case nodes.Call(node=nodes.Name(name="role"), args=[nodes.Const(value=str() as role)]):
                return Role(role, Span(offset, offset), self.body(body))
        return CallBlock(self._convert.value(call), self._convert.span(call), self.body(body))


def _start(node: nodes.Node, convert: Converter) -> int:
    return node.lineno if isinstance(node, nodes.TemplateData) else convert.span(node).start


def _names(target: nodes.Node) -> tuple[str, ...]:
    match target:
        case nodes.Name(name=name):
            return (name,)
        case nodes.NSRef(name=name, attr=attribute):
            return (f"{name}.{attribute}",)
    return tuple(name for child in target.iter_child_nodes() for name in _names(child))


def _at(node: nodes.Node) -> Span:
    return Span(node.lineno, node.lineno + 1)


def _file(template: nodes.Node) -> str | None:
    return template.value if isinstance(template, nodes.Const) and isinstance(template.value, str) else None


def _files(template: nodes.Node) -> tuple[str, ...]:
    options = template.items if isinstance(template, nodes.List | nodes.Tuple) else [template]
    return tuple(name for option in options if (name := _file(option)) is not None)
