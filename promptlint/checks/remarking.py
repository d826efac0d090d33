"""A breakpoint taken from one block of a request body and put on another."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.finding import Edit, Fix, Safety
from promptlint.prompt import Marker, Prompt, Segment
from promptlint.readers.json_strings import JsonArray, JsonNode, JsonObject, Member, parse
from promptlint.source import Place, Span

_KEY = "cache_control"


def remarked(prompt: Prompt, marker: Marker, last: Segment, following: Segment) -> tuple[Fix, ...]:
    """Put a marker on the block that `last` ends. None where that is no block of its own that can carry one.

    `following` is the segment behind the last one. A text that is no block, and a block that holds both, would have
    to be cut first. What was sent is no template.
    """
    source, place = marker.place.source, last.place
    if prompt.rendered or not source.path.endswith(".json") or place is None or place.source is not source:
        return ()
    root, problems = parse(source.text, 0, len(source.text))
    if root is None or problems:
        return ()
    marked = next((each for each in _around(root, marker.place.span) if each.member(_KEY) is not None), None)
    block = next(_around(root, place.span), None)
    if marked is None or block is None or block is marked or block.member(_KEY) is not None:
        return ()
    inside = following.place is not None and block.span.holds(following.place.span)
    if inside or block.member("type", "input_schema", "toolSpec") is None or block.member("role") is not None:
        return ()
    member = marked.member(_KEY)
    assert member is not None, "it was looked for"
    edits = (_without(marked, member), _with(source.text, block, member))
    found = tuple(Edit(Place(source, span), text) for span, text in edits)
    return (Fix("move it to the last block that stays the same", Safety.UNSAFE, found),)


def _around(root: JsonNode, span: Span) -> Iterator[JsonObject]:
    """The objects that hold a span, innermost first."""
    found: list[JsonObject] = []
    node: JsonNode | None = root
    while node is not None:
        if isinstance(node, JsonObject):
            found.append(node)
        inside = [member.value for member in node.members] if isinstance(node, JsonObject) else []
        items = node.items if isinstance(node, JsonArray) else inside
        node = next((each for each in items if each.span.holds(span)), None)
    yield from reversed(found)


def _without(block: JsonObject, member: Member) -> tuple[Span, str]:
    """Where a member stands with one of the commas beside it."""
    at = block.members.index(member)
    if at:
        return Span(block.members[at - 1].span.end, member.span.end), ""
    if len(block.members) > 1:
        return Span(member.span.start, block.members[1].span.start), ""
    return member.span, ""


def _with(text: str, block: JsonObject, member: Member) -> tuple[Span, str]:
    """A member added behind the last one of a block, on a line of its own where the others have one."""
    last = block.members[-1]
    end = last.span.end
    line = text[text.rfind("\n", 0, last.span.start) + 1 : last.span.start]
    between = f",\n{line}" if not line.strip() and "\n" in text[: last.span.start] else ", "
    return Span(end, end), between + text[member.span.start : member.span.end]
