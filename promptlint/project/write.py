"""A prompt written out: every piece in the order in which it reaches the model, in the scope that it has there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from promptlint.expression import Bound, Call, Element, Expression, Join, Literal, Name, Unknown, path
from promptlint.project.scope import File, MacroIn, Scope, Text, merge
from promptlint.prompt import GuardKind
from promptlint.source import Source, Span
from promptlint.template import (
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
    PieceKind,
    Role,
    Scoped,
    Set,
)

_DEEPEST = 40
_MOST_WRITTEN = 50_000


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition or loop around written pieces, before it has a lifetime."""

    kind: GuardKind
    group: int
    arm: int
    test: Expression
    source: Source
    span: Span


@dataclass(frozen=True, slots=True)
class Written:
    """Text, or a hole with its resolved expression, or the start of a role's message (`role`, "" ends it)."""

    source: Source
    span: Span
    text: str | None = None
    expression: Expression | None = None
    gates: tuple[Gate, ...] = ()
    role: str | None = None


Find = Callable[[Source, str], File | None]
"""Finds the file that another one names; None when there is none in the project."""


@dataclass(frozen=True, slots=True)
class At:
    """Where the writer stands: the file, what names mean there, the gates around, the blocks a child overrides."""

    file: File
    scope: Scope
    gates: tuple[Gate, ...] = ()
    blocks: dict[str, Text] = field(default_factory=dict)


class Writer:
    """Writes files out, with the values that programs give their variables.

    `used` keeps the files that were followed, in order.
    """

    def __init__(self, find: Find, given: Mapping[str, Expression] | None = None) -> None:
        self._find, self._given = find, dict(given or {})
        self._groups = 0
        self._written = 0
        self._depth = 0
        self._open: list[Macro] = []
        self.used: dict[Source, File] = {}

    def write(self, file: File) -> Iterator[Written]:
        """Everything that the file sends. Cycles and endless growth end in silence, never in an error."""
        yield from self._file(At(file, Scope(dict(self._given))))

    def _file(self, at: At) -> Iterator[Written]:
        """A whole file. A file that extends another gives its blocks to it and writes nothing itself."""
        file = at.file
        self.used.setdefault(file.source, file)
        parent = next((node.file for node in file.template.body if isinstance(node, Extends)), None)
        found = self._find(file.source, parent) if parent is not None else None
        if found is None:
            yield from self._body(file.template.body, at)
            return
        blocks = dict(at.blocks)
        for node in file.template.body:
            if isinstance(node, Block):
                blocks.setdefault(node.name, Text(node.body, file, at.scope))
            elif isinstance(node, Set | Macro | Import):
                yield from self._node(node, at)
        yield from self._deeper(lambda: self._file(replace(at, file=found, blocks=blocks)))

    def _deeper(self, inner: Callable[[], Iterator[Written]]) -> Iterator[Written]:
        if self._depth >= _DEEPEST or self._written >= _MOST_WRITTEN:
            return
        self._depth += 1
        try:
            yield from inner()
        finally:
            self._depth -= 1

    def _body(self, body: tuple[Node, ...], at: At) -> Iterator[Written]:
        for node in body:
            yield from self._node(node, at)

    def _node(self, node: Node, at: At) -> Iterator[Written]:
        match node:
            case Emit(piece=index):
                yield from self._emit(index, at)
            case Branch():
                yield from self._branch(node, at)
            case Loop():
                yield from self._loop(node, at)
            case Set():
                _assign(node, at)
            case Scoped(values=values, body=body):
                inner = replace(at, scope=at.scope.copy())
                for given in values:
                    _assign(given, inner)
                yield from self._body(body, inner)
            case Macro(name=name):
                at.scope.macros[name] = MacroIn(node, at.file, at.scope)
            case CallBlock(call=call, body=body):
                yield from self._macro(call, at, caller=Text(body, at.file, at.scope.copy()))
            case Include():
                yield from self._include(node, at)
            case Import():
                self._import(node, at)
            case Block():
                yield from self._block(node, at)
            case Role(role=role, span=span, body=role_body):
                yield Written(at.file.source, span, role=role, gates=at.gates)
                if role_body is not None:
                    yield from self._body(role_body, at)
                    yield Written(at.file.source, span, role="", gates=at.gates)

    def _emit(self, index: int, at: At) -> Iterator[Written]:
        piece, source = at.file.template.pieces[index], at.file.source
        self._written += 1
        if self._written > _MOST_WRITTEN:
            return
        if piece.kind is PieceKind.TEXT:
            yield Written(source, piece.span, piece.text, gates=at.gates)
        elif piece.expression is not None and not _writes_nothing(piece.expression):
            if (text := at.scope.text_of(piece.expression)) is not None:
                yield from self._text(text, at)
            elif at.scope.macro_of(piece.expression) is not None:
                yield from self._macro(piece.expression, at)
            else:
                resolved = at.scope.resolve(piece.expression)
                known = _known_text(resolved)
                unknown = resolved if known is None else None
                yield Written(source, piece.span, known, unknown, at.gates)

    def _text(self, text: Text, at: At) -> Iterator[Written]:
        inside = replace(at, file=text.file, scope=text.scope.copy())
        yield from self._deeper(lambda: self._body(text.body, inside))

    def _macro(self, expression: Expression, at: At, caller: Text | None = None) -> Iterator[Written]:
        found = at.scope.macro_of(expression)
        if found is None:
            return
        known, call = found
        macro, inner = known.macro, known.scope.copy()
        if macro in self._open:
            # A macro that calls itself writes as much as its data is deep: unknown.
            yield Written(at.file.source, call.span, expression=Unknown((), call.span), gates=at.gates)
            return
        for name, default in zip(reversed(macro.parameters), reversed(macro.defaults), strict=False):
            inner.bind(name, inner.resolve(default), known.file.source, default.span)
        for name, value in (*zip(macro.parameters, call.arguments, strict=False), *call.keywords):
            inner.bind(name, at.scope.resolve(value), at.file.source, value.span)
        if caller is not None:
            inner.texts["caller"] = caller
        inside = replace(at, file=known.file, scope=inner)
        self._open.append(macro)
        try:
            yield from self._deeper(lambda: self._body(macro.body, inside))
        finally:
            self._open.remove(macro)

    def _branch(self, node: Branch, at: At) -> Iterator[Written]:
        self._groups += 1
        group, scopes, tests = self._groups, [], []
        first = node.arms[0].test or Unknown((), node.span)
        for number, arm in enumerate(node.arms):
            inner = at.scope.copy()
            # The text of `else` stands there because the first test failed: it depends on that one.
            test = at.scope.resolve(arm.test or first)
            gate = Gate(GuardKind.BRANCH, group, number, test, at.file.source, arm.span)
            yield from self._body(arm.body, replace(at, scope=inner, gates=(*at.gates, gate)))
            scopes.append(inner)
            if arm.test is not None:
                tests.append(test)
        merge(at.scope, scopes, node.arms[-1].test is None, tuple(tests))

    def _loop(self, node: Loop, at: At) -> Iterator[Written]:
        self._groups += 1
        iterated, inner = at.scope.resolve(node.iterated), at.scope.copy()
        for name in node.targets:
            inner.texts.pop(name, None)
            inner.values[name] = Element(iterated, node.span)
        gate = Gate(GuardKind.LOOP, self._groups, 0, iterated, at.file.source, node.span)
        yield from self._body(node.body, replace(at, scope=inner, gates=(*at.gates, gate)))
        merge(at.scope, [inner.namespaces()], covers_all=False)
        empty = replace(at, scope=at.scope.copy(), gates=(*at.gates, replace(gate, arm=1)))
        yield from self._body(node.otherwise, empty)

    def _include(self, node: Include, at: At) -> Iterator[Written]:
        files = (self._find(at.file.source, name) for name in node.files)
        found = next((file for file in files if file is not None), None)
        if found is None:
            yield Written(at.file.source, node.span, expression=Unknown((), node.span), gates=at.gates)
            return
        inside = At(found, at.scope.copy(), at.gates)
        yield from self._deeper(lambda: self._file(inside))

    def _import(self, node: Import, at: At) -> None:
        found = self._find(at.file.source, node.file) if node.file is not None else None
        if found is None:
            return
        inner = Scope()
        for _ in self._deeper(lambda: self._file(At(found, inner))):
            pass  # an imported file's own text is not written
        at.scope.take(inner, node)

    def _block(self, node: Block, at: At) -> Iterator[Written]:
        override = at.blocks.get(node.name)
        if override is None:
            yield from self._body(node.body, replace(at, scope=at.scope.copy()))
            return
        scope = at.scope.copy()
        scope.macros.update(override.scope.macros)
        scope.values.update(override.scope.values)
        scope.texts["super"] = Text(node.body, at.file, at.scope)
        yield from self._text(replace(override, scope=scope), at)


def _writes_nothing(expression: Expression) -> bool:
    """`raise_exception(...)` ends the rendering of a chat template."""
    return isinstance(expression, Call) and path(expression.function) == ("raise_exception",)


def _assign(node: Set, at: At) -> None:
    scope, source, name = at.scope, at.file.source, node.names[0] if node.names else ""
    value = node.value
    if value is None:
        scope.texts[name] = Text(node.body, at.file, scope.copy())
        scope.values.pop(name, None)
    elif isinstance(value, Name) and value.id in scope.texts:
        scope.texts[name] = scope.texts[value.id]
    else:
        resolved = scope.resolve(value)
        for each in node.names:
            scope.bind(each, resolved if len(node.names) == 1 else Element(resolved, node.span), source, node.span)
        if isinstance(value, Call) and isinstance(value.function, Name) and value.function.id == "namespace":
            for key, given in value.keywords:
                scope.bind(f"{name}.{key}", scope.resolve(given), source, given.span)


def _known_text(expression: Expression) -> str | None:
    """The text that a constant expression writes, or None when it is not constant."""
    match expression:
        case Literal(value=str() | int() as value):
            return str(value)
        case Bound(value=inner):
            return _known_text(inner)
        case Join(parts=parts):
            texts = [_known_text(part) for part in parts]
            return None if None in texts else "".join(text for text in texts if text is not None)
    return None
