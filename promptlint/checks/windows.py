"""Windows on a conversation that move: its first messages are cut off."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.checks.cuts import cuts_conversation
from promptlint.expression import Bound, Expression, children
from promptlint.finding import Finding
from promptlint.layout.appraisal import Appraisal
from promptlint.prompt import Section
from promptlint.rulebook import Rule
from promptlint.source import Place, Source

_MOST_NODES = 400


def front_truncation(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """History of which only the last messages are kept, however long it grows, below text that they share."""
    met: set[Place] = set()
    if appraisal.prompt.edits:
        return  # the older ones are sent too, in another form
    segments = appraisal.prompt.segments
    known = any(segment.section in (Section.SYSTEM, Section.TOOLS) for segment in segments)
    for at, segment in enumerate(segments):
        if not known and all(other.section is Section.HISTORY and other.whole for other in segments[:at]):
            continue  # nothing that is written stands above
        if segment.section is not Section.HISTORY or segment.expression is None or segment.place is None:
            continue
        window = _window(segment.expression, segment.place.source)
        if window is not None and window not in met:
            met.add(window)
            yield rule.finding(
                window,
                "only the last messages are kept: once there are more, the first one moves with every turn",
                label="what stood behind the messages that are cut off is fresh on every turn",
                kind="history",
                evidence="call",
                section=segment.section.value,
            )


def _window(expression: Expression, source: Source) -> Place | None:
    """The cut nearest to the prompt that leaves out the beginning; None when there is none."""
    queue = [(expression, source)]
    for _ in range(_MOST_NODES):
        if not queue:
            return None
        value, where = queue.pop(0)
        if cuts_conversation(value):
            return Place(where, value.span)
        inner = value.source if isinstance(value, Bound) else where
        queue.extend((child, inner) for child in children(value))
    return None
