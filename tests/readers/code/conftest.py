"""Programs as short text, so that a test can say what a reader should make of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import pytest

from promptlint.expression import (
    Attribute,
    Call,
    Choice,
    Compare,
    Entry,
    Expression,
    Filter,
    Format,
    Index,
    Join,
    Literal,
    Name,
    Record,
    Repeat,
    Series,
    Slice,
    Slot,
    Spread,
    Truth,
    Unknown,
)
from promptlint.program import (
    Assign,
    Augment,
    Class,
    Define,
    Do,
    For,
    Function,
    FunctionParameter,
    If,
    ImportFrom,
    Leave,
    Module,
    ParameterKind,
    Return,
    Statement,
    Yield,
)
from promptlint.readers.code import python, script
from promptlint.source import Source, Span

Facts = Callable[..., list[str]]
_STARS = {ParameterKind.REST: "*", ParameterKind.KEYWORDS: "**", ParameterKind.KEYWORD: "key "}


@pytest.fixture(scope="session")
def module() -> Callable[[str, str], Module]:
    return read_module


@pytest.fixture(scope="session")
def script_facts() -> Facts:
    """`script_facts(code, path)`: the statements as text; anonymous names are numbered in order."""

    def read(code: str, path: str = "x.ts") -> list[str]:
        return _numbered([shown(statement) for statement in read_module(code, path).body])

    return read


@pytest.fixture(scope="session")
def python_facts() -> Facts:
    def read(code: str) -> list[str]:
        return _numbered([shown(statement) for statement in read_module(code, "x.py").body])

    return read


@pytest.fixture(scope="session")
def parts() -> Callable[[object], Iterator[Any]]:
    return parts_of


def read_module(code: str, path: str) -> Module:
    found = (python if path.endswith(".py") else script).read(Source(path, code)).module
    assert found is not None
    return found


def parts_of(whole: object) -> Iterator[Any]:
    """Every statement, expression, parameter and span in a module."""
    left = [whole]
    while left:
        at = left.pop()
        if isinstance(at, tuple):
            left.extend(at)
        elif is_dataclass(at):
            yield at
            left.extend(getattr(at, field.name) for field in fields(at) if not isinstance(at, Span))


def _numbered(lines: list[str]) -> list[str]:
    known: dict[str, str] = {}

    def number(found: re.Match[str]) -> str:
        return known.setdefault(found[0], f"<{found[1]} {sum(found[1] in name for name in known.values()) + 1}>")

    return [re.sub(r"<(\w+)@\d+>", number, line) for line in lines]


def _row(items: tuple[Any, ...]) -> str:
    return ", ".join(shown(item) for item in items)


def _block(body: tuple[Statement, ...]) -> str:
    return "[" + "; ".join(shown(statement) for statement in body) + "]"


def shown(fact: Any) -> str:
    return _statement(fact) if isinstance(fact, Statement) else _expression(fact)


def _statement(statement: Statement) -> str:
    match statement:
        case Assign(target=target, value=value):
            return f"{shown(target)} = {shown(value)}"
        case Augment(target=target, value=value):
            return f"{shown(target)} += {shown(value)}"
        case Do(value=value):
            return shown(value)
        case Return(value=value):
            return "return" if value is None else f"return {shown(value)}"
        case Yield(value=value):
            return f"yield {shown(value)}"
        case Leave():
            return "leave"
        case If(test=test, body=body, otherwise=otherwise):
            other = f" else {_block(otherwise)}" if otherwise else ""
            return f"if {'?' if test is None else shown(test)} {_block(body)}{other}"
        case For(targets=targets, iterated=iterated, body=body):
            walked = "" if iterated is None else f" {', '.join(targets)} in {shown(iterated)}"
            return f"for{walked} {_block(body)}"
        case Define(what=Function() as function):
            decorators = "".join(f"@{shown(each)} " for each in function.decorators)
            given = ", ".join(map(_parameter, function.parameters))
            return f"{decorators}def {function.name}({given}) {_block(function.body)}"
        case Define(what=Class() as defined):
            decorators = "".join(f"@{shown(each)} " for each in defined.decorators)
            return f"{decorators}class {defined.name}({_row(defined.bases)}) {_block(defined.body)}"
        case ImportFrom(module=name, names=names, alias=alias, exported=exported):
            taken = ", ".join(f"{one} as {other}" for one, other in names)
            return f"{'export' if exported else 'import'} {taken or '* as ' + alias} from {name}"
    raise TypeError(statement)


def _parameter(parameter: FunctionParameter) -> str:
    default = "" if parameter.default is None else f"={shown(parameter.default)}"
    taken = "{" + ", ".join(parameter.fields) + "}" if parameter.fields else ""
    return _STARS.get(parameter.kind, "") + parameter.name + taken + default


def _expression(expression: Expression) -> str:
    match expression:
        case Name(id=name):
            return name
        case Attribute(of=of, name=name):
            return f"{shown(of)}.{name}"
        case Index(of=of, key=key):
            return f"{shown(of)}[{shown(key)}]"
        case Slice(of=of, start=start, stop=stop):
            return f"{shown(of)}[{'' if start is None else start}:{'' if stop is None else stop}]"
        case Call(function=function, arguments=arguments, keywords=keywords):
            named = [f"{name}={shown(value)}" for name, value in keywords]
            return f"{shown(function)}({', '.join([*map(shown, arguments), *named])})"
        case Literal(value=value):
            return repr(value)
        case Join(parts=parts):
            return f"join({_row(parts)})"
        case Slot(of=of):
            return f"<{shown(of)}>"
        case Filter(of=of, name=name):
            return f"{shown(of)}|{name}"
        case Format(of=of, spec=spec):
            return f"{shown(of)}:{spec}"
        case Series(items=items):
            return f"[{_row(items)}]"
        case Spread(of=of):
            return f"*{shown(of)}"
        case Record(entries=entries):
            return "{" + _row(entries) + "}"
        case Entry(key=key, value=value):
            return f"{shown(key)}: {shown(value)}"
        case Choice(test=test, options=options):
            return f"({'?' if test is None else shown(test)} | {' | '.join(map(shown, options))})"
        case Compare(parts=parts):
            return f"compare({_row(parts)})"
        case Truth(parts=parts):
            return f"truth({_row(parts)})"
        case Unknown(parts=parts):
            return f"unknown({_row(parts)})"
        case Repeat(targets=targets, iterated=iterated, body=body, test=test):
            picked = "" if test is None else f" if {shown(test)}"
            return f"{shown(body)} for {', '.join(targets)} in {shown(iterated)}{picked}"
    raise TypeError(expression)
