"""The requests that a program builds, found while its functions are followed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from promptlint.expression import (
    Bound,
    Call,
    Expression,
    Literal,
    Record,
    Series,
    path,
)
from promptlint.flow.builder import Builder
from promptlint.flow.callers import Callers, closures
from promptlint.flow.calling import parameter_names
from promptlint.flow.constructors import (
    as_record,
    called,
    has_messages,
    has_spread,
    is_blocks,
    is_message,
    is_stored,
    is_tool_use,
    role_of,
)
from promptlint.flow.dumping import tool_calls
from promptlint.flow.edits import Edits
from promptlint.flow.files import Filling
from promptlint.flow.follow import Follower
from promptlint.flow.formatting import marked
from promptlint.flow.lists import entry_of
from promptlint.flow.modules import names_of
from promptlint.flow.names import Closure, Names, Program, uses_names
from promptlint.flow.request import Request, Setting
from promptlint.flow.table import Sinks
from promptlint.flow.telling import can_build, is_request, sends
from promptlint.flow.templates import MadeTemplate, answered, made, reset, sets_template, written
from promptlint.flow.texts import is_text, words_in
from promptlint.flow.uses import Key, uses
from promptlint.program import Statement
from promptlint.prompt import TOOL_CALL
from promptlint.source import Place, Source, Span
from promptlint.traversal import bare, entries_of


@dataclass(slots=True)
class Found:
    """A request, where it is built, and the places that the values in it come from.

    `is_node` says that the place is the whole call, record or list, and not the name of a function or constant.
    """

    request: Request
    key: Key
    is_node: bool = True
    uses: set[Key] = field(default_factory=set)


def requests(
    program: Program, sinks: Sinks, callers: Callers, names: frozenset[str] | None = None
) -> tuple[list[Found], list[Filling]]:
    """Every request that the program builds, those that others are made of among them, and the files it fills in.

    `names` limits that to what stands behind some names of the top level, and what is done there.
    """
    search = _Search(program, sinks, callers)
    search.module(names)
    whole = [found for found in search.found.values() if found.is_node]
    found = [found for found in search.found.values() if not any(_lies_inside(found, other) for other in whole)]
    return found, search.fillings


def _lies_inside(found: Found, other: Found) -> bool:
    """Whether a request is written inside another one."""
    (source, span), (around, outer) = found.key, other.key
    return source is around and span != outer and outer.holds(span)


class _Search:
    def __init__(self, program: Program, sinks: Sinks, callers: Callers) -> None:
        self.program, self.sinks, self._callers = program, sinks, callers
        self.found: dict[Key, Found] = {}
        self.fillings: list[Filling] = []
        self._translates = False
        self._edits = Edits(program.source)
        self._follower: Follower | None = None
        self._named: list[tuple[Span, str]] = []

    def module(self, wanted: frozenset[str] | None) -> None:
        follower = Follower(self.program, self._callers)
        names = names_of(follower, self.program)
        own = ((name, value) for name, value in names.values.items() if "." not in name)
        self._named = [(written(value), name) for name, value in own]
        # The top level is followed once more, now that it is known what its functions see.
        self._follow(self.program.module.body, Names(outer=names, own=frozenset()))
        for name, value in list(names.values.items()):
            if wanted is None or name in wanted:
                self._constant(name, value)
        for closure in closures(self.program, names, self._callers):
            if wanted is None or closure.home in wanted:
                self._function(closure)
        self._edits.give([found.request for found in self.found.values()])

    def _follow(self, body: Sequence[Statement], names: Names) -> Expression | None:
        follower = Follower(self.program, self._callers, seen=self._seen, fillings=self.fillings)
        self._follower = follower
        return follower.returned(body, names, Span(0, 0))

    def _function(self, closure: Closure) -> None:
        function = closure.function
        self._edits.look(function)
        self._translates = self._writes_conversation(function.name)
        named = self.sinks.role_of_name(function.name) is not None or self._writes_prompts(closure)
        own = frozenset(parameter_names(function.parameters))
        sets = sets_template(function.body, own, self.sinks)
        if not named and not self._translates and not sets and not can_build(function.body, self.sinks):
            return
        self._callers.settle(closure)
        before = len(self.found)
        value = self._build(closure, Names(outer=closure.names, own=own, owner=closure.owner))
        built = [part.content for found in list(self.found.values())[before:] for part in found.request.parts]
        if own and any(uses_names(content, own) for content in (*built, *([] if value is None else [value]))):
            for key in list(self.found)[before:]:
                del self.found[key]
            names = Names(outer=closure.names, own=own, owner=closure.owner)
            self._callers.bind(names, closure)
            self._build(closure, names)

    def _writes_conversation(self, name: str) -> bool:
        """Whether a function writes the conversation for a provider, or is a private step of one that does."""
        if self.sinks.translates(name):
            return True
        reads = self.sinks.from_provider.search(name) is not None
        return not reads and self._callers.is_step(self.program, name, self.sinks.translates)

    def _build(self, closure: Closure, names: Names) -> Expression | None:
        """Take in what a function builds; gives what it returns."""
        value = self._follow(closure.function.body, names)
        for template in reset(names, frozenset(parameter_names(closure.function.parameters)), self.sinks):
            self._template(template, "", "template", written(template.text), names)
        if value is not None:
            self._returned(closure, value)
            for record in tool_calls(value, self.program.source) if self._translates else ():
                self._tool_call(record)
        return value

    def _constant(self, name: str, value: Expression) -> None:
        role = self.sinks.role_of_name(name)
        if role and isinstance(value, Bound) and value.source is self.program.source and "." not in name:
            text = marked(value, value.source) or value
            self._text(name, text, value.span, role, self.sinks.least_words)

    def _returned(self, closure: Closure, value: Expression) -> None:
        """A text that a function returns, when its name, or that of its module or class, says that it is a prompt."""
        function = closure.function
        if (role := self.sinks.role_of_name(function.name)) is not None:
            self._text(function.name, value, function.span, role, self.sinks.least_words)
        elif self._writes_prompts(closure):
            self._text(function.name, value, function.span, "user", self.sinks.least_prose)

    def _writes_prompts(self, closure: Closure) -> bool:
        """Whether a function stands in a module or class that is called after prompts."""
        homes = [PurePosixPath(self.program.source.path).stem]
        if closure.owner is not None:
            homes.append(closure.owner.definition.name)
        return any(self.sinks.role_of_name(home) is not None for home in homes)

    def _text(self, name: str, value: Expression, span: Span, role: str, least: int) -> None:
        """A text of at least so many words that is taken for a prompt of a role."""
        source = self.program.source
        request = Request(name, Place(source, span), guessed=not self.sinks.says_role(name))
        builder = Builder(request, self.sinks)
        if is_text(value):
            builder.text(value, source, role)
        elif is_blocks(value):
            builder.system(value, source)
        if request.parts and sum(words_in(part.content) for part in request.parts) >= least:
            self._add(request, span, (value,), is_node=False)

    def _seen(self, value: Expression, names: Names) -> None:
        match value:
            case Call():
                self._call(value, names)
            case Record():
                self._record(value)
            case Series() if any(is_message(item, self.sinks) for item in value.items):
                request = self._request("messages", value.span)
                Builder(request, self.sinks).messages(value, self.program.source)
                self._add(request, value.span, (value,))

    def _request(self, name: str, span: Span) -> Request:
        return Request(name, Place(self.program.source, span))

    def _call(self, call: Call, names: Names) -> None:
        dotted = called(call)
        client = self.sinks.client(dotted)
        template = self.sinks.template(dotted)
        fields = dict(call.keywords)
        message = as_record(call)
        if message is not None and is_stored(message, self.sinks):
            return
        if template is not None:
            whole = made(call, template, self.sinks)
            if whole is not None:
                self._template(whole, template, dotted[-1] if len(dotted) == 1 else dotted[-2], call.span, names)
        elif self.sinks.role(dotted) == "system":
            self._message(call, call.span)
        elif not fields and len(call.arguments) == 1 and isinstance(bare(call.arguments[0]), Record):
            if client is not None:
                self._fields(call, bare(call.arguments[0]), client.provider)
        elif message is not None and role_of(message) == "system" and entry_of(message, "content") is not None:
            self._message(message, call.span)
        elif message is not None and self._translates and not self.sinks.from_provider.search(".".join(dotted)):
            self._record(message)
        elif call.arguments and self.sinks.steps.is_model(dotted) and has_messages(call.arguments[0], self.sinks):
            request = self._request(".".join(dotted) or "request", call.span)
            self._fill(request, {"messages": call.arguments[0]}, call.span, whole=False)
        elif client is not None or (
            sends(dotted, fields, self.sinks) and is_request(fields, self.sinks, self.sinks.is_agent(dotted))
        ):
            request = self._request(".".join(dotted) or "request", call.span)
            request.provider = client.provider if client is not None else ""
            self._fill(request, fields, call.span, "**" not in fields)

    def _fields(self, call: Call, record: Expression, provider: str) -> None:
        assert isinstance(record, Record)
        request = self._request(".".join(path(call.function)), record.span)
        request.provider = provider
        self._fill(request, entries_of(record), record.span, not has_spread(record))

    def _message(self, message: Expression, span: Span) -> None:
        request = self._request("message", span)
        Builder(request, self.sinks).messages(message, self.program.source)
        self._add(request, span, (message,))

    def _record(self, record: Record) -> None:
        if is_stored(record, self.sinks):
            return
        entries = entries_of(record)
        role = entries.get("role")
        if role is not None and ("content" in entries or "parts" in entries or "tool_calls" in entries):
            self._message(record, record.span)
        elif self._translates and "name" in entries and ("arguments" in entries or is_tool_use(entries)):
            self._tool_call(record)
        elif is_request(entries, self.sinks):
            self._fill(self._request("request", record.span), entries, record.span, not has_spread(record))

    def _tool_call(self, record: Record) -> None:
        request = self._request(TOOL_CALL, record.span)
        Builder(request, self.sinks).tool_call(record, self.program.source)
        self._add(request, record.span, (record,))

    def _template(self, template: MadeTemplate, dialect: str, name: str, span: Span, names: Names) -> None:
        request = self._request(name, span)
        assert self._follower is not None
        values = {key: answered(self._follower, value, names) for key, value in template.values.items()}
        builder = Builder(request, self.sinks, values, doubled=template.doubled)
        if dialect == "list":
            builder.messages(template.text, self.program.source)
        else:
            builder.text(template.text, self.program.source, self._role_at(span))
        self._add(request, span, (template.text, *values.values()))

    def _role_at(self, span: Span) -> str:
        """Whose text a template is: the system's where the name says so that it is given, else the user's."""
        names = (name for around, name in self._named if around.holds(span))
        said = any(self.sinks.says_role(name) and self.sinks.role_of_name(name) == "system" for name in names)
        return "system" if said else "user"

    def _fill(self, request: Request, fields: dict[str, Expression], span: Span, whole: bool) -> None:
        source, builder = self.program.source, Builder(request, self.sinks)
        by_kind: dict[str, Expression] = {}
        system = [value for name, value in fields.items() if self.sinks.fields.get(name) == "system"]
        for name, value in fields.items():
            kind = self.sinks.fields.get(name)
            if kind == "config" and isinstance(bare(value), Record):
                for inner, given in entries_of(value).items():
                    by_kind.setdefault(self.sinks.fields.get(inner, ""), given)
            elif kind is not None:
                by_kind.setdefault(kind, value)
        if (tools := by_kind.get("tools")) is not None:
            builder.tools(tools, source)
        for text in system or ([by_kind["system"]] if "system" in by_kind else []):
            builder.system(text, source)
        for kind in ("messages", "input"):
            if kind in by_kind:
                builder.messages(by_kind[kind], source)
        model = bare(by_kind["model"]) if "model" in by_kind else None
        if isinstance(model, Literal) and isinstance(model.value, str):
            request.model = model.value
        for name, value in fields.items():
            if (setting := self.sinks.parameters.get(name)) is not None:
                request.settings.append(Setting(setting, value, source, _with_name(name, value, source, span)))
        request.complete = whole and ("messages" in by_kind or "input" in by_kind)
        if request.parts or request.settings:
            self._add(request, span, tuple(fields.values()))

    def _add(self, request: Request, span: Span, values: Sequence[Expression], is_node: bool = True) -> None:
        source = self.program.source
        key = (source, span)
        if key not in self.found:
            self._edits.take(request, values)
            self.found[key] = Found(request, key, is_node, set(uses(values, source, self.sinks)))


def _with_name(name: str, value: Expression, source: Source, around: Span) -> Place:
    """A value with the name of its argument or key before it."""
    start = source.text.rfind(name, around.start, value.span.start)
    return Place(source, Span(start if start >= 0 else value.span.start, value.span.end))
