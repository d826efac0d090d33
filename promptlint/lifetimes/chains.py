"""Chains of names: `ctx.user.name`, also where a name on the way was given another name's value."""

from __future__ import annotations

from dataclasses import dataclass

from promptlint.expression import Attribute, Bound, Call, Expression, Index, Literal, Name, Unknown


@dataclass(frozen=True, slots=True)
class Chain:
    """A dotted path, outermost name first, and the bindings that it goes through."""

    path: tuple[str, ...]
    bounds: tuple[Bound, ...] = ()


def chains(expression: Expression) -> list[Chain]:
    """The paths that an expression can be read as, the one nearest to the source first; empty for anything else.

    With `ctx` bound to `request`, `ctx.user` is `request.user` and, if that says nothing, `ctx.user`.
    """
    steps: list[str] = []
    while True:
        match expression:
            case Attribute(of=of, name=name) | Index(of=of, key=Literal(value=str() as name)):
                steps.append(name)
                expression = of
            case Name(id=name):
                return [Chain((name, *reversed(steps)))]
            case Bound():
                return _through(expression, tuple(reversed(steps)))
            case _:
                return []


def own_chain(expression: Expression) -> Chain | None:
    """The path below a name that is bound to the result of a call, read by that name alone; None for anything else.

    A part or an item of something else is not what its name says: `date` set to `order.date`.
    """
    steps: list[str] = []
    while isinstance(expression, Attribute):
        steps.append(expression.name)
        expression = expression.of
    if isinstance(expression, Bound) and isinstance(expression.value, Call | Unknown):
        return Chain((expression.name, *reversed(steps)), (expression,))
    return None


def _through(bound: Bound, steps: tuple[str, ...]) -> list[Chain]:
    own = Chain((bound.name, *steps), (bound,))
    if bound.value == Unknown((), bound.value.span):
        return [own]
    inner = chains(bound.value)
    return [*(Chain((*chain.path, *steps), (bound, *chain.bounds)) for chain in inner), own] if inner else []
