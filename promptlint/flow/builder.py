"""Takes the values of a request apart: its parts in the order tools, system, messages, and its markers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from promptlint.expression import (
    Attribute,
    Bound,
    Call,
    Choice,
    Element,
    Expression,
    Index,
    Kept,
    Literal,
    Name,
    Record,
    Repeat,
    Series,
    Slot,
    Spread,
    Unknown,
)
from promptlint.flow.constructors import ROLES, as_record, called, role_of
from promptlint.flow.dumping import dumped
from promptlint.flow.formatting import formatted
from promptlint.flow.lists import entry_of, first_of, spread_records
from promptlint.flow.marking import marks
from promptlint.flow.request import Part, Request
from promptlint.flow.table import Sinks
from promptlint.flow.templating import rendered
from promptlint.flow.texts import is_text
from promptlint.project.write import Gate
from promptlint.prompt import GuardKind, Section
from promptlint.source import Place, Source, Span
from promptlint.traversal import bare

_MOST_WORK = 10_000
"""Values of one request that are taken apart."""

_CONTENT = ("content", "parts", "text")
_CALLS = ("tool_calls", "function_call", "function")
"""Keys of a message, with its text and with what tools are called with."""


@dataclass(frozen=True, slots=True)
class _At:
    """Where the builder stands: the source of what it reads, the role, the conditions and loops around.

    `made` says that it is in a message that a constructor makes.
    """

    source: Source
    role: str | None = None
    gates: tuple[Gate, ...] = ()
    kept: str = ""
    made: bool = False


class Builder:
    """Takes values apart into the parts of a request.

    `values` are those that a template's holes are given at once, by name; None where texts are no templates. `doubled`
    says that their holes stand in double braces.
    """

    def __init__(
        self,
        request: Request,
        sinks: Sinks,
        values: Mapping[str, Expression] | None = None,
        *,
        doubled: bool = False,
    ) -> None:
        self.request, self._sinks, self._values, self._doubled = request, sinks, values, doubled
        self._turn, self._groups, self._work = 0, 0, 0

    def tools(self, value: Expression, source: Source) -> None:
        """The tools of the request, one part each."""
        self._tools(value, _At(source))

    def system(self, value: Expression, source: Source) -> None:
        """The system's text, or its blocks."""
        self._turn += 1
        self._content(value, _At(source, "system"))

    def messages(self, value: Expression, source: Source) -> None:
        """A list of messages; text alone is the user's."""
        self._messages(value, _At(source))

    def tool_call(self, value: Expression, source: Source) -> None:
        """What a tool was called with, of a message of the conversation."""
        self._turn += 1
        self._add(dumped(value, value.span) or value, _At(source, "assistant"), section=Section.HISTORY)

    def text(self, value: Expression, source: Source, role: str) -> None:
        """One message of a role."""
        self._turn += 1
        self._content(value, _At(source, role))

    def _add(self, value: Expression, at: _At, whole: bool = False, section: Section | None = None) -> None:
        self.request.parts.append(Part(value, at.source, at.role, self._turn, section, at.gates, whole, kept=at.kept))

    def _is_spent(self) -> bool:
        self._work += 1
        return self._work > _MOST_WORK

    def _inside(self, value: Expression, at: _At) -> tuple[Expression, _At]:
        """The value behind names, and where it stands."""
        while True:
            match value:
                case Bound(value=of, source=source):
                    value, at = of, replace(at, source=source)
                case Slot(of=of) if not is_text(of):
                    value = of
                case Kept(of=of, until=until) if isinstance(bare(of), Series | Record | Choice):
                    value, at = of, replace(at, kept=until)
                case _:
                    return value, at

    def _round(self, repeat: Repeat, at: _At) -> _At:
        """Inside one round of a loop."""
        self._groups += 1
        gate = Gate(GuardKind.LOOP, self._groups, 0, repeat.iterated, at.source, repeat.span)
        return replace(at, gates=(*at.gates, gate))

    def _tools(self, value: Expression, at: _At) -> None:
        if self._is_spent():
            return
        inner, inside = self._inside(value, at)
        match inner:
            case Series(items=items):
                for item in items:
                    self._tools(item.of if isinstance(item, Spread) else item, inside)
            case Repeat() as repeat:
                self._tools(repeat.body, self._round(repeat, inside))
            case Choice(test=test, options=options, span=span):
                for option, arm in self._arms(test, options, inside, span):
                    self._tools(option, arm)
            case Record():
                self._turn += 1
                self._add(dumped(inner, inner.span) or inner, inside)
                self._mark(inner, inside)
            case _:
                self._turn += 1
                self._add(value, at, whole=True)

    def _arms(
        self, test: Expression | None, options: tuple[Expression, ...], at: _At, span: Span
    ) -> Iterator[tuple[Expression, _At]]:
        self._groups += 1
        group = self._groups
        for number, option in enumerate(options):
            gate = Gate(GuardKind.BRANCH, group, number, test or Unknown((), span), at.source, span)
            yield option, replace(at, gates=(*at.gates, gate))

    def _messages(self, value: Expression, at: _At) -> None:
        if self._is_spent():
            return
        inner, inside = self._inside(value, at)
        match inner:
            case Series(items=items):
                if (role := _pair(inner)) is not None:
                    self._turn += 1
                    self._content(inner.items[1], replace(inside, role=role))
                    return
                for item in items:
                    self._messages(item.of if isinstance(item, Spread) else item, inside)
            case Repeat() as repeat:
                self._messages(repeat.body, self._round(repeat, inside))
            case Choice(test=test, options=options, span=span) if any(_is_list(each) for each in options):
                for option, arm in self._arms(test, options, inside, span):
                    self._messages(option, arm)
            case Record():
                self._message(inner, inside)
            case Call() if (role := self._sinks.role(called(inner))) is not None:
                if (before := self._chained(inner)) is not None:
                    self._messages(before, inside)
                self._made(inner, role, inside)
            case Call() if (before := self._chained(inner)) is not None:
                self._messages(before, inside)
            case Call() if (record := as_record(inner)) is not None and entry_of(record, "role") is not None:
                self._message(record, inside)
            case Literal(value=str()):
                self.text(value, at.source, "user")
            case _ if is_text(value):
                self._turn += 1
                self._content(value, replace(at, role="user"))
            case _:
                self._turn += 1
                self._add(value, replace(at, role="assistant"), whole=True, section=Section.HISTORY)

    def _chained(self, call: Call) -> Expression | None:
        """What a builder of messages was told before: `Builder().add_system_message(x).build()`."""
        function = call.function
        before = bare(function.of) if isinstance(function, Attribute) else None
        if not isinstance(before, Call):
            return None
        known = self._sinks.role(called(before)) is not None or self._chained(before) is not None
        return function.of if known and isinstance(function, Attribute) else None

    def _message(self, record: Record, at: _At) -> None:
        role, named = entry_of(record, "role"), role_of(record)
        self._turn += 1
        inside = replace(at, role=named or ("user" if role is not None else "assistant"))
        if role is None and first_of(record, _CONTENT) is None:
            self._add(dumped(record, record.span) or record, inside, section=Section.HISTORY)
            return
        for part in (record, *spread_records(record)):
            content = first_of(part, _CONTENT)
            if content is not None:
                self._content(content, inside)
            for key in _CALLS:
                calls = entry_of(part, key)
                if calls is not None:
                    self._add(dumped(calls, calls.span) or calls, inside)
        self._mark(record, at)

    def _made(self, call: Call, role: str, at: _At) -> None:
        """A message that a constructor makes."""
        self._turn += 1
        keywords = dict(call.keywords)
        content = next((keywords[key] for key in ("content", "prompt", "template") if key in keywords), None)
        if content is None and call.arguments:
            content = call.arguments[0]
            if isinstance(bare(content), Record):
                content = entry_of(bare(content), "content") or content  # type: ignore[arg-type]
        if role == "history" or content is None:
            self._add(call, replace(at, role="assistant"), section=Section.HISTORY)
        else:
            self._content(content, replace(at, role=role, made=True))
        self._mark(call, at)

    def _content(self, value: Expression, at: _At) -> None:
        if self._is_spent():
            return
        inner, inside = self._inside(value, at)
        if isinstance(inner, Literal) and inner.value is None:
            return
        match inner:
            case Series(items=items) if not is_text(value):
                for item in items:
                    self._block(item.of if isinstance(item, Spread) else item, inside)
            case Choice(test=test, options=options, span=span) if any(
                isinstance(bare(each), Series) for each in options
            ):
                for option, arm in self._arms(test, options, inside, span):
                    self._content(option, arm)
            case Record():
                self._block(inner, inside)
            case Index() | Attribute() if _is_of_item(inner):
                # Another list of messages, which is a request of its own where it can be seen.
                self._add(Unknown((), inner.span), inside)
            case _ if self._values is not None:
                self._add(self._filled(value, at.source, self._values), at)
            case _:
                self._add(value, at)

    def _filled(self, value: Expression, source: Source, values: Mapping[str, Expression]) -> Expression:
        tagged = rendered(value, source, values, doubled=self._doubled)
        if tagged is None and not self._doubled:
            tagged = formatted(value, source, (), values)
        return tagged or value

    def _block(self, value: Expression, at: _At) -> None:
        """One block of a message's content."""
        if self._is_spent():
            return
        inner, inside = self._inside(value, at)
        if isinstance(inner, Call) and (record := as_record(inner)) is not None and entry_of(record, "text"):
            inner = record
        match inner:
            case Record():
                kind = entry_of(inner, "type")
                text = entry_of(inner, "text")
                said = kind.value if isinstance(kind, Literal) else ""
                media = said in self._sinks.media or any(entry_of(inner, key) is not None for key in self._sinks.media)
                if text is not None:
                    self._add(text, inside)
                elif media:
                    self._add(Call(Name("media", inner.span), (inner,), (), inner.span), inside)
                else:
                    self._add(dumped(inner, inner.span) or inner, inside)
                self._mark(inner, inside)
            case Repeat() as repeat:
                self._content(repeat.body, self._round(repeat, inside))
            case Series(items=items):
                for item in items:
                    self._block(item.of if isinstance(item, Spread) else item, inside)
            case Choice(test=test, options=options, span=span) if not is_text(value):
                for option, arm in self._arms(test, options, inside, span):
                    self._block(option, arm)
            case _:
                self._add(value, at)

    def _mark(self, value: Record | Call, at: _At) -> None:
        for mark in marks(value, self._sinks, made=at.made) if self.request.parts else ():
            self.request.markers.append((len(self.request.parts) - 1, Place(at.source, mark.span), mark.ttl, mark.site))


def _is_list(value: Expression) -> bool:
    return isinstance(bare(value), Series | Record | Repeat)


def _pair(series: Series) -> str | None:
    """The role of a message that is written as `("system", "...")`."""
    match series.items:
        case (Literal(value=str() as role), _) if role.lower() in ROLES:
            return ROLES[role.lower()]
    return None


def _is_of_item(value: Expression) -> bool:
    """Whether a value is read from one of the items of a list that a loop goes over."""
    while isinstance(value, Index | Attribute):
        value = bare(value.of)
    return isinstance(value, Element)
