"""What the blocks of Handlebars write: branches, loops, scopes, messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from promptlint.dialects.handlebars_expression import Invocation, test
from promptlint.dialects.handlebars_lexer import Tag, TagKind
from promptlint.expression import Expression, Literal
from promptlint.source import Span
from promptlint.template import Arm, Branch, Loop, Node, Role, Scoped, Set

_CONDITIONS = frozenset({"if", "unless"})


@dataclass(slots=True)
class _Part:
    """The text of a block up to the next `else`."""

    test: Expression | None
    span: Span
    body: list[Node]


@dataclass(slots=True)
class Frame:
    """A block that is open.

    `rebinds` says that `this` means something else inside; `chained` that an `else` opened the block, so that
    the closing tag of the block around it closes both. `wrap` makes nodes of the parts.
    """

    name: str
    span: Span
    wrap: Callable[[list[_Part]], list[Node]]
    parts: list[_Part]
    rebinds: bool = False
    conditional: bool = False
    chained: bool = False
    flat: bool = field(default=False, init=False)

    @property
    def body(self) -> list[Node]:
        return self.parts[-1].body

    def flatten(self, body: list[Node]) -> None:
        """Write what the block holds into another body, as if there were no block."""
        self.flat = True
        self.parts = [_Part(None, self.span, body)]

    def continues(self, read: Invocation) -> bool:
        """Whether `else <read>` is one more arm of this block."""
        return self.flat or (self.conditional and read.word in _CONDITIONS and len(read.arguments) == 1)

    def another(self, read: Invocation) -> None:
        if not self.flat:
            tested = read.arguments[0]
            self.parts.append(_Part(test(tested), tested.span, []))

    def otherwise(self, span: Span) -> None:
        if not self.flat:
            self.parts.append(_Part(None, span, []))

    def nodes(self) -> list[Node]:
        return [] if self.flat else self.wrap(self.parts)


def opened(name: str, read: Invocation | None, tag: Tag) -> Frame:
    """The frame of an opening tag, which `name` closes; without a reading, its body is written as it is."""
    if read is None:
        return Frame(name, tag.span, _body, [_Part(None, tag.span, [])])
    subject = read.arguments[0] if read.arguments else read.head
    helper = read.word if read.arguments else ""
    part = _Part(None, subject.span, [])
    if helper in _CONDITIONS or (tag.kind is TagKind.INVERSE and not read.arguments):
        part.test = test(subject)
        return Frame(name, tag.span, _branch, [part], conditional=True)
    if helper == "each" or (not read.arguments and not read.keywords and tag.kind is TagKind.OPEN):
        targets = ("this", *read.parameters)
        return Frame(name, tag.span, lambda parts: _loop(targets, subject, parts), [part], rebinds=True)
    if helper == "with":
        values = tuple(Set((target,), subject, subject.span) for target in ("this", *read.parameters))
        return Frame(name, tag.span, lambda parts: _scoped(values, subject, parts), [part], rebinds=True)
    match helper, subject:
        case "role", Literal(value=str() as role):
            return Frame(name, tag.span, lambda parts: [Role(role, tag.span, tuple(_body(parts)))], [part])
    return Frame(name, tag.span, lambda parts: _helper(read, parts), [part])


def _body(parts: list[_Part]) -> list[Node]:
    return [node for part in parts for node in part.body]


def _branch(parts: list[_Part]) -> list[Node]:
    return [Branch(tuple(Arm(part.test, part.span, tuple(part.body)) for part in parts), parts[0].span)]


def _loop(targets: tuple[str, ...], iterated: Expression, parts: list[_Part]) -> list[Node]:
    first, *others = parts
    return [Loop(targets, iterated, iterated.span, tuple(first.body), tuple(_body(others)))]


def _scoped(values: tuple[Set, ...], subject: Expression, parts: list[_Part]) -> list[Node]:
    first, *others = parts
    scoped: Node = Scoped(values, tuple(first.body))
    if not others:
        return [scoped]
    arms = (Arm(test(subject), first.span, (scoped,)), Arm(None, others[0].span, tuple(_body(others))))
    return [Branch(arms, subject.span)]


def _helper(read: Invocation, parts: list[_Part]) -> list[Node]:
    """A helper's block: its body as it is; with an `else`, one of both."""
    first, *others = parts
    if not others:
        return _body(parts)
    arms = (Arm(test(read.value), first.span, tuple(first.body)), Arm(None, others[0].span, tuple(_body(others))))
    return [Branch(arms, read.span)]
