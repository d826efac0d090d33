"""Statements of TypeScript and JavaScript as facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from promptlint.expression import Compare, Expression, Name
from promptlint.program import Do, For, If, Leave, Return, Statement, Yield
from promptlint.readers.code.branches import Branch, branched
from promptlint.readers.code.script_commonjs import common_export, required
from promptlint.readers.code.script_expressions import operator, test
from promptlint.readers.code.script_functions import (
    class_body,
    class_definition,
    enum,
    function,
    given,
    method,
    static_block,
)
from promptlint.readers.code.script_modules import export_statement, import_alias, import_statement
from promptlint.readers.code.script_patterns import assigned, local_names
from promptlint.readers.code.script_reading import Body, ScriptReading, inner
from promptlint.readers.code.tree import field_of, named
from promptlint.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_Steps = Iterator[Statement]


def _within(node: Node, reading: ScriptReading) -> _Steps:
    """Each part by itself; a value that does nothing is kept for what it mentions."""
    for child in named(node):
        if child.type in STEPS:
            yield from reading.statements((child,))
        else:
            yield from _effect(child, reading)


def _effect(node: Node, reading: ScriptReading) -> _Steps:
    yield Do(reading.value(node), reading.span(node))


def _hoisting(node: Node, reading: ScriptReading) -> _Steps:
    """Assignments are what their expression leaves pending."""
    reading.value(node)
    yield from reading.take_pending()


def _assignment(node: Node, reading: ScriptReading) -> _Steps:
    exported = common_export(node, reading)
    yield from _hoisting(node, reading) if exported is None else exported


def _either(node: Node, reading: ScriptReading) -> _Steps:
    """`a && f()` and `a || f()` as statements are branches."""
    left, right, sign = field_of(node, "left"), field_of(node, "right"), operator(node, reading)
    if sign not in ("&&", "||", "??") or left is None or right is None:
        yield from _effect(node, reading)
        return
    tested, body = test(left, reading), reading.block(right)
    taken, passed = (body, ()) if sign == "&&" else ((), body)
    yield If(tested, taken, passed, reading.span(node))


def _ternary(node: Node, reading: ScriptReading) -> _Steps:
    condition, body, other = (field_of(node, name) for name in ("condition", "consequence", "alternative"))
    tested = None if condition is None else test(condition, reading)
    yield If(tested, reading.block(body), reading.block(other), reading.span(node))


def _unary(node: Node, reading: ScriptReading) -> _Steps:
    """`void f()` and `!function () {}()` are calls."""
    argument = field_of(node, "argument")
    if argument is not None and operator(node, reading) in ("void", "!"):
        yield from reading.statements((argument,))
    else:
        yield from _effect(node, reading)


def _yield(node: Node, reading: ScriptReading) -> _Steps:
    value = inner(node)
    if value is not None:
        yield Yield(reading.value(value), reading.span(node))


def _declaration(node: Node, reading: ScriptReading) -> _Steps:
    for declared in named(node):
        name, value = field_of(declared, "name"), field_of(declared, "value")
        imported = required(declared, reading)
        if imported is not None:
            yield imported
        elif name is not None and value is not None and name.type == "identifier":
            yield from given(Name(reading.of(name), reading.span(name)), value, reading.span(declared), reading)
        elif name is not None and value is not None:
            taken = reading.value(value)
            yield from reading.take_pending()
            found = tuple(assigned(name, taken, reading.span(declared), reading))
            yield from (*reading.take_pending(), *found)
        else:
            # A broken declaration still holds functions.
            yield from (step for child in named(declared) for step in reading.statements((child,)))


def _return(node: Node, reading: ScriptReading) -> _Steps:
    value = inner(node)
    yield Return(None if value is None else reading.value(value), reading.span(node))


def _leave(node: Node, reading: ScriptReading) -> _Steps:
    for child in named(node):
        if child.type != "statement_identifier":
            yield from _effect(child, reading)
    yield Leave(reading.span(node))


def _if(node: Node, reading: ScriptReading) -> _Steps:
    branches: list[Branch] = []
    at: Node | None = node
    while at is not None and at.type == "if_statement":
        condition = field_of(at, "condition")
        tested = None if condition is None else test(condition, reading)
        branches.append((tested, reading.block(field_of(at, "consequence")), reading.span(at)))
        other = field_of(at, "alternative")
        at = None if other is None else inner(other)
    yield from branched(branches, reading.block(at))


def _switch(node: Node, reading: ScriptReading) -> _Steps:
    """Cases as branches, each tested against the subject; cases without a body share that of the next."""
    value, block = field_of(node, "value"), field_of(node, "body")
    if value is None or block is None:
        return
    subject = reading.value(value)
    branches: list[Branch] = []
    otherwise: Body = ()
    tests: list[Expression] = []
    for case in named(block):
        matched = field_of(case, "value")
        if matched is not None:
            tests.append(reading.value(matched))
        body = _without_breaks(reading.statements(case.children_by_field_name("body")), reading)
        if case.type == "switch_default":
            otherwise, tests = body, []
        elif body:
            branches.append((Compare((subject, *tests), subject.span), body, reading.span(case)))
            tests = []
    yield from branched(branches, otherwise)


def _without_breaks(body: Body, reading: ScriptReading) -> Body:
    """A `break` ends its case and nothing else."""
    found: list[Statement] = []
    for statement in body:
        match statement:
            case Leave(span=span) if reading.text[span.start : span.end].rstrip(" ;\r\n") == "break":
                pass
            case If():
                one, other = (_without_breaks(part, reading) for part in (statement.body, statement.otherwise))
                found.append(replace(statement, body=one, otherwise=other))
            case _:
                found.append(statement)
    return tuple(found)


def _for_in(node: Node, reading: ScriptReading) -> _Steps:
    """What an object's pattern takes of an item is assigned at the start of the body."""
    left, right = field_of(node, "left"), field_of(node, "right")
    iterated = None if right is None else reading.value(right)
    pending = reading.take_pending()
    targets: tuple[str, ...] = ()
    begin: Body = ()
    if left is not None and left.type == "object_pattern":
        span = reading.span(left)
        targets = (f"<item@{span.start}>",)
        begin = tuple(assigned(left, Name(targets[0], span), span, reading))
    elif left is not None:
        targets = tuple(local_names(left, reading))
    begin = (*reading.take_pending(), *begin)
    body = reading.block(field_of(node, "body"))
    yield from (*pending, For(targets, iterated, (*begin, *body), _head(node, right, reading)))


def _for(node: Node, reading: ScriptReading) -> _Steps:
    start, condition, step = (field_of(node, name) for name in ("initializer", "condition", "increment"))
    yield from reading.block(start)
    body = _looped(condition, node, reading)
    yield For((), None, (*body, *reading.block(step)), _head(node, step or condition or start, reading))


def _while(node: Node, reading: ScriptReading) -> _Steps:
    condition = field_of(node, "condition")
    body = _looped(condition, node, reading)
    yield For((), None, body, _head(node, condition, reading))


def _do(node: Node, reading: ScriptReading) -> _Steps:
    body = _looped(field_of(node, "condition"), node, reading)
    yield For((), None, body, _head(node, node.children[0], reading))


def _looped(condition: Node | None, node: Node, reading: ScriptReading) -> Body:
    """The body of a loop over a condition, after what the condition itself does."""
    if condition is not None and condition.type != "empty_statement":
        within = condition.type == "expression_statement"
        tested = inner(condition) if within else condition
        if tested is not None:
            test(tested, reading)
    return (*reading.take_pending(), *reading.block(field_of(node, "body")))


def _head(node: Node, last: Node | None, reading: ScriptReading) -> Span:
    return reading.span(node) if last is None else reading.between(node, last)


def _try(node: Node, reading: ScriptReading) -> _Steps:
    """The body runs; the handler may."""
    yield from reading.block(field_of(node, "body"))
    handler = field_of(node, "handler")
    if handler is not None:
        yield If(None, reading.block(field_of(handler, "body")), (), reading.span(handler))
    final = field_of(node, "finalizer")
    if final is not None:
        yield from reading.block(field_of(final, "body"))


def _inside(node: Node, reading: ScriptReading) -> _Steps:
    yield from reading.block(field_of(node, "body"))


_VALUES = ("await_expression", "call_expression", "new_expression", "object", "array", "arrow_function", "class")
"""Values that may do something; what is broken holds them in a statement's place."""

STEPS: dict[str, Callable[[Node, ScriptReading], _Steps]] = {
    "expression_statement": _within,
    "parenthesized_expression": _within,
    "sequence_expression": _within,
    **dict.fromkeys((*_VALUES, "function_expression", "generator_function"), _effect),
    "assignment_expression": _assignment,
    "augmented_assignment_expression": _hoisting,
    "update_expression": _hoisting,
    "binary_expression": _either,
    "ternary_expression": _ternary,
    "unary_expression": _unary,
    "yield_expression": _yield,
    "lexical_declaration": _declaration,
    "variable_declaration": _declaration,
    "using_declaration": _declaration,
    "return_statement": _return,
    "throw_statement": _leave,
    "break_statement": _leave,
    "continue_statement": _leave,
    "if_statement": _if,
    "switch_statement": _switch,
    "for_in_statement": _for_in,
    "for_statement": _for,
    "while_statement": _while,
    "do_statement": _do,
    "try_statement": _try,
    "with_statement": _inside,
    "labeled_statement": _inside,
    "internal_module": _inside,
    "module": _inside,
    "function_declaration": function,
    "generator_function_declaration": function,
    "class_declaration": class_definition,
    "abstract_class_declaration": class_definition,
    "class_body": class_body,
    "method_definition": method,
    "class_static_block": static_block,
    "enum_declaration": enum,
    "import_statement": import_statement,
    "import_alias": import_alias,
    "export_statement": export_statement,
}
