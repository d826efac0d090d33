"""What is predicted to be shared is what two renderings share.

Random templates are rendered twice in jinja2's sandbox, with values that differ in their first character exactly where
an event of the horizon falls. Every literal and every value starts with a character of its own, so that two renderings
cannot agree by chance.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2.sandbox import SandboxedEnvironment

from promptlint.events import Event
from promptlint.layout.horizons import horizons, survives
from promptlint.lifetimes.classify import Declared
from promptlint.project.link import link
from promptlint.prompt import GuardKind, Prompt, Segment
from promptlint.readers.text import read
from promptlint.source import Source

_EVENTS = [None, *Event]
_EVERY_CALL = [None, Event.TURN, Event.REQUEST]


@dataclass
class Recipe:
    """A template under construction, with what each of its names is."""

    names: dict[str, Event | None] = field(default_factory=dict)
    lists: set[str] = field(default_factory=set)
    compared: set[str] = field(default_factory=set)
    marks: int = 0

    def mark(self) -> str:
        """A character that nothing else in the template starts with."""
        self.marks += 1
        return chr(0x4E00 + self.marks)

    def name(self, event: Event | None) -> str:
        name = f"v{len(self.names)}"
        self.names[name] = event
        return name


@st.composite
def _templates(draw: st.DrawFn, recipe: Recipe, depth: int = 3) -> str:
    return "".join(draw(_statement(recipe, depth)) for _ in range(draw(st.integers(0, 4))))


@st.composite
def _statement(draw: st.DrawFn, recipe: Recipe, depth: int) -> str:
    kinds = ["text", "text", "hole", "set", "comment", "raw", "joined"]
    if depth:
        kinds += ["if", "compare", "for", "macro", "block", "with", "body"]
    kind = draw(st.sampled_from(kinds))
    event = draw(st.sampled_from(_EVENTS))
    open_, close = draw(st.sampled_from([("{%", "%}"), ("{%-", "%}"), ("{%", "-%}"), ("{%-", "-%}")]))
    tag = lambda inner: f"{open_} {inner} {close}"  # noqa: E731
    inner = _templates(recipe, depth - 1)
    match kind:
        case "text":
            return recipe.mark() + draw(st.sampled_from(["word", "two words\n", " \r\n", "é."]))
        case "hole":
            return draw(st.sampled_from(["{{ %s }}", "{{- %s -}}", "{{ %s|upper }}", "{{%s}}"])) % recipe.name(event)
        case "set":
            name, alias = recipe.name(event), f"s{len(recipe.names)}"
            return tag(f"set {alias} = {name}") + recipe.mark() + "{{ " + alias + " }}"
        case "joined":
            return "{{ '" + recipe.mark() + "' ~ " + recipe.name(event) + " ~ 'end' }}"
        case "comment":
            return "{# {{ nothing }} #}"
        case "raw":
            return "{% raw %}" + recipe.mark() + "{{ raw }}{% endraw %}"
        case "if":
            name = recipe.name(event)
            return tag(f"if {name}") + draw(inner) + tag("else") + draw(inner) + tag("endif")
        case "compare":
            name = recipe.name(draw(st.sampled_from(_EVERY_CALL)))
            recipe.compared.add(name)
            first, second = recipe.mark() + draw(inner), recipe.mark() + draw(inner)
            return tag(f"if {name} == 'first'") + first + tag("else") + second + tag("endif")
        case "for":
            name = recipe.name(event)
            recipe.lists.add(name)
            item = f"i{len(recipe.names)}"
            body = recipe.mark() + draw(inner) + "{{ " + item + " }}"
            return tag(f"for {item} in {name}") + body + tag("endfor")
        case "macro":
            name, macro = recipe.name(event), f"m{len(recipe.names)}"
            body = draw(inner) + "{{ p }}"
            return tag(f"macro {macro}(p)") + body + tag("endmacro") + "{{ " + f"{macro}({name})" + " }}"
        case "block":
            return tag(f"block b{recipe.marks}") + recipe.mark() + draw(inner) + tag("endblock")
        case "with":
            name, alias = recipe.name(event), f"w{len(recipe.names)}"
            return tag(f"with {alias} = {name}") + "{{ " + alias + " }}" + draw(inner) + tag("endwith")
        case _:
            alias = f"t{recipe.marks}"
            return tag(f"set {alias}") + draw(inner) + tag("endset") + "{{ " + alias + " }}"


def _values(recipe: Recipe, changing: frozenset[str], second: bool) -> dict[str, object]:
    """Values of one request; those that change start with another character in the second one."""
    values: dict[str, object] = {}
    for number, (name, event) in enumerate(recipe.names.items()):
        differs = second and event is not None and event.value in changing
        text = chr((0x6E00 if differs else 0x5E00) + number) + "value"
        if name in recipe.lists:
            values[name] = [] if differs else [text]
        elif name in recipe.compared:
            values[name] = "first" if differs else text
        else:
            values[name] = text
    return values


def _predicted(prompt: Prompt, over_name: str) -> int:
    """Characters up to the first segment that does not survive."""
    (over,) = [each for each in horizons() if each.name == over_name]
    length = 0
    for segment in prompt.segments:
        if not _is_taken(segment):
            continue
        if not survives(segment, over):
            break
        length += len(segment.text) if segment.text is not None else len("?value")
    return length


def _is_taken(segment: Segment) -> bool:
    """Whether the first request writes the segment: present names are true, compared ones differ from 'first'."""
    for guard in segment.guards:
        if guard.kind is GuardKind.BRANCH:
            taken = 1 if "==" in guard.place.text else 0
            if guard.arm != taken:
                return False
        elif guard.arm:
            return False
    return True


def _shared(first: str, second: str) -> int:
    return next(
        (at for at, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_the_predicted_prefix_is_what_two_renderings_share(data: st.DataObject) -> None:
    recipe = Recipe()
    text = data.draw(_templates(recipe))
    declared = {name: Declared(frozenset({event} if event else ())) for name, event in recipe.names.items()}
    unit = read(Source("system.j2", text), "jinja")
    assert not unit.problems
    prompt = link(unit, unit.prompts[0], lambda source, name: None, declared)
    template = SandboxedEnvironment(keep_trailing_newline=True).from_string(text)
    for over in horizons():
        renderings = [template.render(_values(recipe, over.events, second)) for second in (False, True)]
        assert _predicted(prompt, over.name) == _shared(*renderings)
