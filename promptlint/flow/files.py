"""Templates that stand in files and are filled in by a program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from promptlint.expression import Attribute, Bound, Call, Expression, Literal, children, path
from promptlint.flow.lists import mapping_of
from promptlint.source import Source
from promptlint.traversal import bare, unkept

_SUFFIXES = frozenset(
    {".j2", ".jinja", ".jinja2", ".md", ".txt", ".prompt", ".prompty", ".hbs", ".handlebars", ".mustache", ".tmpl"}
    | {".yaml", ".yml", ".json"}
)
_FILLING = frozenset(
    {"render", "render_async", "renderAsync", "format", "format_map", "substitute", "safe_substitute", "invoke", "run"}
    | {"format_messages", "render_template", "render_prompt", "render_string"}
)
_FORMATTING = frozenset({"format", "format_map", "format_messages", "invoke"})
_REPLACING = frozenset({"replace", "replaceAll"})
_MOST_NODES = 300
_FENCES = "{}$%<>[] \t"


@dataclass(frozen=True, slots=True)
class Filling:
    """A file, as a program names it, and the values that its holes are given there."""

    program: Source
    file: str
    values: Mapping[str, Bound]
    dialect: str
    """That of the holes, going by what fills them in."""


def filling(call: Call, program: Source) -> Filling | None:
    """The file that a call fills in, with what; None for any other call."""
    function = call.function
    name = path(function)[-1:] or ((function.name,) if isinstance(function, Attribute) else ())
    if not name:
        return _compiled(call, program)
    if name[0] in _REPLACING and isinstance(function, Attribute) and len(call.arguments) == 2:
        wanted = bare(call.arguments[0])
        file = file_of(function.of)
        if file and isinstance(wanted, Literal) and isinstance(wanted.value, str):
            variable = wanted.value.strip(_FENCES)
            replaced = dict(_bound({variable: call.arguments[1]}, program))
            return Filling(program, file, replaced, "braces") if variable else None
        return None
    if name[0] not in _FILLING:
        return _compiled(call, program)
    file = file_of(function.of) if isinstance(function, Attribute) else ""
    given: Sequence[Expression] = call.arguments
    if not file and given:
        # `render_template("a.j2", x=...)`
        file, given = file_of(given[0]), given[1:]
    values = {key: value for key, value in call.keywords if key != "**"}
    for value in (*given, *(value for key, value in call.keywords if key == "**")):
        values.update(mapping_of(value))
    dialect = "strformat" if name[0] in _FORMATTING else "jinja"
    return Filling(program, file, dict(_bound(values, program)), dialect) if file and values else None


def file_of(value: Expression) -> str:
    """The one file of prompt text that a value names, with the folder before it where that can be seen; else ""."""
    found: dict[str, None] = {}
    folders: list[str] = []
    stack = [value]
    for _ in range(_MOST_NODES):
        if not stack:
            break
        part = stack.pop()
        if isinstance(part, Literal):
            if isinstance(part.value, str) and 0 < len(part.value) < 200 and "\n" not in part.value:
                if PurePosixPath(part.value).suffix.lower() in _SUFFIXES:
                    found["/".join((*folders[-1:], part.value))] = None
                elif part.value.isidentifier():
                    folders.append(part.value)
            continue
        stack.extend(reversed(children(part)))
    return next(iter(found)) if len(found) == 1 else ""


def names_file(value: object) -> bool:
    """Whether a text is the name of a file that can hold a prompt."""
    return isinstance(value, str) and len(value) < 200 and PurePosixPath(value).suffix.lower() in _SUFFIXES


def _compiled(call: Call, program: Source) -> Filling | None:
    """`Handlebars.compile(text)({...})`: a template that is called."""
    function = unkept(call.function)
    if isinstance(function, Call) and len(call.arguments) == 1 and (file := file_of(function)):
        values = mapping_of(call.arguments[0])
        return Filling(program, file, dict(_bound(values, program)), "handlebars") if values else None
    return None


def _bound(values: Mapping[str, Expression], program: Source) -> Iterator[tuple[str, Bound]]:
    for name, value in values.items():
        yield name, value if isinstance(value, Bound) else Bound(name, value, program, value.span)
