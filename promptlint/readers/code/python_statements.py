"""Python's statements as facts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from promptlint.expression import Compare, Expression, Unknown
from promptlint.program import (
    Assign,
    Augment,
    Class,
    Define,
    Do,
    For,
    Function,
    If,
    ImportFrom,
    Leave,
    Return,
    Statement,
    Yield,
)
from promptlint.readers.code.branches import Branch, branched
from promptlint.readers.code.python_expressions import expression, parameters, target_names, test
from promptlint.readers.code.tree import Reading, field_of, named
from promptlint.source import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_Body = tuple[Statement, ...]


def statements(nodes: Iterable[Node], reading: Reading) -> _Body:
    """Statements in order; what cannot be read is passed over, and what it holds is read."""
    found: list[Statement] = []
    reading.depth += 1
    for node in () if reading.is_too_deep() else nodes:
        read = _STATEMENTS.get(node.type)
        if read is not None:
            read_now = tuple(read(node, reading))
            found.extend((*reading.take_pending(), *read_now))
        elif node.type in _WRAPPERS:
            found.extend(statements(named(node), reading))
    reading.depth -= 1
    return tuple(found)


def _body(node: Node | None, reading: Reading) -> _Body:
    if node is None:
        return ()
    outer, reading.pending = reading.pending, []
    try:
        return statements(named(node), reading)
    finally:
        reading.pending = outer


def _expression(node: Node, reading: Reading) -> Iterator[Statement]:
    for child in named(node):
        yield from _simple(child, reading)


def _simple(node: Node, reading: Reading) -> Iterator[Statement]:
    match node.type:
        case "assignment":
            yield from _assignment(node, reading)
        case "augmented_assignment":
            yield from _augmented(node, reading)
        case "yield":
            value = next(named(node), None)
            if value is not None:
                yield Yield(expression(value, reading), reading.span(node))
        case _ if node.is_named:
            yield Do(expression(node, reading), reading.span(node))


def _assignment(node: Node, reading: Reading) -> Iterator[Statement]:
    """`a = b = value` gives the value to the last name first."""
    row, right = [node], field_of(node, "right")
    while right is not None and right.type == "assignment":
        row.append(right)
        right = field_of(right, "right")
    if right is None:
        return
    value = expression(right, reading)
    for assignment in reversed(row):
        left = field_of(assignment, "left")
        target = Unknown((), reading.span(assignment)) if left is None else expression(left, reading)
        yield Assign(target, value, reading.span(assignment))
        value = target


def _augmented(node: Node, reading: Reading) -> Iterator[Statement]:
    left, right, sign = field_of(node, "left"), field_of(node, "right"), field_of(node, "operator")
    if left is None or right is None or sign is None:
        return
    value, span = expression(right, reading), reading.span(node)
    if reading.of(sign) != "+=":
        value = Unknown((value,), span)
    yield Augment(expression(left, reading), value, span)


def _return(node: Node, reading: Reading) -> Iterator[Statement]:
    value = next(named(node), None)
    yield Return(None if value is None else expression(value, reading), reading.span(node))


def _leave(node: Node, reading: Reading) -> Iterator[Statement]:
    for child in named(node):
        yield Do(expression(child, reading), reading.span(child))
    yield Leave(reading.span(node))


def _if(node: Node, reading: Reading) -> Iterator[Statement]:
    branches: list[Branch] = []
    otherwise: _Body = ()
    for clause in (node, *node.children_by_field_name("alternative")):
        if clause.type == "else_clause":
            otherwise = _body(field_of(clause, "body"), reading)
            continue
        condition = field_of(clause, "condition")
        tested = None if condition is None else test(condition, reading)
        branches.append((tested, _body(field_of(clause, "consequence"), reading), reading.span(clause)))
    yield from branched(branches, otherwise)


def _match(node: Node, reading: Reading) -> Iterator[Statement]:
    """Cases as branches, each tested against the subject."""
    subject, block = field_of(node, "subject"), field_of(node, "body")
    if subject is None or block is None:
        return
    compared = expression(subject, reading)
    branches: list[Branch] = []
    otherwise: _Body = ()
    for case in named(block):
        body = _body(field_of(case, "consequence"), reading)
        if [reading.of(part) for part in named(case)][:-1] == ["_"]:
            otherwise = body
        elif case.type == "case_clause":
            branches.append((Compare((compared,), compared.span), body, reading.span(case)))
    yield from branched(branches, otherwise)


def _for(node: Node, reading: Reading) -> Iterator[Statement]:
    left, right = field_of(node, "left"), field_of(node, "right")
    iterated = None if right is None else expression(right, reading)
    body = _body(field_of(node, "body"), reading)
    yield For(target_names(left, reading), iterated, body, _head(node, right, reading))
    yield from _alternative(node, reading)


def _while(node: Node, reading: Reading) -> Iterator[Statement]:
    condition = field_of(node, "condition")
    if condition is not None:
        test(condition, reading)
    pending = reading.take_pending()
    body = _body(field_of(node, "body"), reading)
    yield For((), None, (*pending, *body), _head(node, condition, reading))
    yield from _alternative(node, reading)


def _head(node: Node, last: Node | None, reading: Reading) -> Span:
    return reading.between(node, last) if last is not None else reading.span(node)


def _alternative(node: Node, reading: Reading) -> Iterator[Statement]:
    other = field_of(node, "alternative")
    if other is not None:
        yield from _body(field_of(other, "body"), reading)


def _with(node: Node, reading: Reading) -> Iterator[Statement]:
    for clause in named(node):
        for item in named(clause) if clause.type == "with_clause" else ():
            value = field_of(item, "value")
            if value is None:
                continue
            alias = field_of(value, "alias") if value.type == "as_pattern" else None
            if alias is not None and alias.named_children:
                given = expression(value.named_children[0], reading)
                yield Assign(expression(alias.named_children[0], reading), given, reading.span(item))
            else:
                yield Do(expression(value, reading), reading.span(item))
    yield from (*reading.take_pending(), *_body(field_of(node, "body"), reading))


def _try(node: Node, reading: Reading) -> Iterator[Statement]:
    """The body runs; a handler may."""
    yield from _body(field_of(node, "body"), reading)
    for clause in named(node):
        block = next((child for child in named(clause) if child.type == "block"), None)
        if clause.type in ("except_clause", "except_group_clause"):
            yield If(None, _body(block, reading), (), reading.span(clause))
        elif clause.type in ("else_clause", "finally_clause"):
            yield from _body(block, reading)


def _function(node: Node, reading: Reading, decorators: tuple[Expression, ...] = ()) -> Iterator[Statement]:
    name = field_of(node, "name")
    if name is None:
        return
    given = parameters(field_of(node, "parameters"), reading)
    body = _body(field_of(node, "body"), reading)
    yield Define(Function(reading.of(name), given, body, reading.span(name), decorators))


def _class(node: Node, reading: Reading, decorators: tuple[Expression, ...] = ()) -> Iterator[Statement]:
    name, bases = field_of(node, "name"), field_of(node, "superclasses")
    if name is None:
        return
    based = tuple(expression(child, reading) for child in named(bases)) if bases is not None else ()
    body = _body(field_of(node, "body"), reading)
    yield Define(Class(reading.of(name), based, body, reading.span(name), decorators))


def _decorated(node: Node, reading: Reading) -> Iterator[Statement]:
    decorators = tuple(
        expression(inner, reading)
        for child in named(node)
        if child.type == "decorator" and (inner := next(named(child), None)) is not None
    )
    definition = field_of(node, "definition")
    if definition is not None:
        read = _function if definition.type == "function_definition" else _class
        yield from read(definition, reading, decorators)


def _import(node: Node, reading: Reading) -> Iterator[Statement]:
    for child in named(node):
        name = field_of(child, "name") or child
        alias = field_of(child, "alias")
        module = reading.of(name)
        bound = reading.of(alias) if alias is not None else module.split(".")[0]
        yield ImportFrom(module if alias is not None else bound, reading.span(child), alias=bound)


def _import_from(node: Node, reading: Reading) -> Iterator[Statement]:
    module = field_of(node, "module_name")
    if module is None:
        return
    names = [
        (reading.of(field_of(child, "name") or child), reading.of(field_of(child, "alias") or child))
        for child in node.children_by_field_name("name")
    ]
    if any(child.type == "wildcard_import" for child in named(node)):
        names = [("*", "*")]
    yield ImportFrom(reading.of(module).replace(" ", ""), reading.span(node), tuple(names))


_WRAPPERS = frozenset({"ERROR", "block", "module"})

_STATEMENTS: dict[str, Callable[[Node, Reading], Iterator[Statement]]] = {
    "expression_statement": _expression,
    "return_statement": _return,
    "raise_statement": _leave,
    "break_statement": _leave,
    "continue_statement": _leave,
    "if_statement": _if,
    "match_statement": _match,
    "for_statement": _for,
    "while_statement": _while,
    "with_statement": _with,
    "try_statement": _try,
    "function_definition": _function,
    "class_definition": _class,
    "decorated_definition": _decorated,
    "import_statement": _import,
    "import_from_statement": _import_from,
}
