"""Modules of the project: what their top level gives names to, and where a name that they hand on comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from promptlint.expression import Attribute, Expression, Name
from promptlint.flow.names import Names, Program
from promptlint.flow.texts import module_value

if TYPE_CHECKING:
    from promptlint.flow.follow import Follower

_DEEPEST = 6
"""Modules that a name is taken through."""


def names_of(follower: Follower, program: Program) -> Names:
    """What a module's top level gives names to; empty while it is being followed itself."""
    from promptlint.flow.follow import Follower

    if program.names is None:
        program.names = Names()
        inner = Follower(program, follower.project)
        inner.run(program.module.body, program.names)
        for key, value in program.names.values.items():
            program.names.values[key] = module_value(value, value.span)
    return program.names


def home_of(follower: Follower, program: Program, name: str) -> tuple[Program, str]:
    """The module in which a name of a module is defined, through those that hand it on, and its name there."""
    for _ in range(_DEEPEST):
        scope, name = names_of(follower, program), _exported(program, name)
        entry = None if _is_defined(name, scope) else scope.imports.get(name)
        other = None if entry is None or not entry[1] else follower.project.module(program, entry[0])
        if entry is None or other is None:
            break
        program, name = other, entry[1]
    return program, name


def imported(follower: Follower, name: Name, target: tuple[str, str]) -> Expression:
    """What an imported name stands for: a value of the project, or a path into another package."""
    module, wanted = target
    program = follower.project.module(follower.program, module)
    if program is not None and wanted:
        home, own = home_of(follower, program, wanted)
        scope = names_of(follower, home)
        if (value := scope.value(own)) is not None:
            return value
        if _is_defined(own, scope):
            return name
    words = [word for word in module.replace("node:", "").replace("/", ".").split(".") if word]
    inner: Expression = Name(words[0] if words else name.id, name.span)
    for word in words[1:] + ([wanted] if wanted and wanted != "default" else []):
        inner = Attribute(inner, word, name.span)
    return inner


def member_of(follower: Follower, expression: Attribute, names: Names, program: Program) -> tuple[Program, str] | None:
    """Where the attribute of a module that a program imports is defined, and its name there; else None."""
    module = _path_of(expression.of, names)
    other = follower.project.module(program, module) if module else None
    return None if other is None else home_of(follower, other, expression.name)


def _path_of(expression: Expression, names: Names) -> str:
    """The module that `a` or `a.b` means, as an import would call it; empty for anything else."""
    match expression:
        case Name(id=name) if (entry := names.imported(name)) is not None:
            module, wanted = entry
            joint = "" if module.endswith(".") else "."
            return f"{module}{joint}{wanted}" if wanted else module
        case Attribute(of=of, name=name) if module := _path_of(of, names):
            return f"{module}.{name}"
    return ""


def _exported(program: Program, name: str) -> str:
    return dict(program.module.exports).get(name, name)


def _is_defined(name: str, scope: Names) -> bool:
    return name in scope.functions or name in scope.classes or name in scope.values
