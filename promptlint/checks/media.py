"""Images and other media above text that could be shared."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.events import Confidence, Event, Evidence
from promptlint.expression import Call, path
from promptlint.finding import Finding, Related
from promptlint.layout.appraisal import Appraisal
from promptlint.layout.horizons import is_known
from promptlint.prompt import GuardKind, Segment
from promptlint.rulebook import Rule


def media_first(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """The first medium of a message that stands above constant text of the same role."""
    segments = appraisal.prompt.segments
    for index, segment in enumerate(segments):
        if segment.place is None or not is_fresh_medium(segment):
            continue
        below = [at for at in range(index + 1, len(segments)) if _is_constant(segments[at], segment)]
        tokens = appraisal.tokens()
        blocked = sum(tokens[at] for at in below)
        first = segments[below[0]].place if below else None
        if first is not None and blocked >= appraisal.ignore_below:
            yield rule.finding(
                segment.place,
                "a medium that differs from request to request stands above text that stays the same",
                confidence=Confidence.MEDIUM,
                label="another one in each request",
                related=(Related(first, f"{blocked:,} constant tokens from here on are fresh on every request"),),
                kind="media",
                evidence="section",
                section=segment.section.value,
            )
            return


def is_fresh_medium(segment: Segment) -> bool:
    """Whether it is a medium of which another one may come with each request.

    One that is known to stay the same for a conversation, a person or a day is a value like any other.
    """
    match segment.expression:
        case Call(function=function) if path(function) == ("media",):
            causes = segment.lifetime.causes
            moves = any(cause.evidence is Evidence.SECTION or cause.rank >= Event.TURN.rank for cause in causes)
            return moves or (not causes and not segment.lifetime.known)
    return False


def _is_constant(segment: Segment, media: Segment) -> bool:
    same = (segment.field, segment.section) == (media.field, media.section)
    constant = is_known(segment) if segment.text is None else bool(segment.text.strip())
    return same and constant and not segment.lifetime.causes and not _stands_instead(segment, media)


def _stands_instead(segment: Segment, media: Segment) -> bool:
    """Whether a text is written where the medium is not: in another arm of the same branch."""
    arms = {guard.group: guard.arm for guard in media.guards if guard.kind is GuardKind.BRANCH}
    return any(arms.get(guard.group, guard.arm) != guard.arm for guard in segment.guards)
