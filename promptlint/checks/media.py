"""Images and other media above text that could be shared."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.events import Confidence
from promptlint.expression import Call, path
from promptlint.finding import Finding, Related
from promptlint.layout.appraisal import Appraisal
from promptlint.layout.horizons import is_known
from promptlint.prompt import Segment
from promptlint.rulebook import Rule

_WORDS = frozenset(
    {"image", "image_url", "input_image", "input_audio", "audio", "video", "video_url", "document", "file"}
    | {"inlineData", "inline_data", "fileData", "file_data", "input_file"}
)
"""Types and keys of media parts at the vendors that `readers/vendors` reads."""


def media_first(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """The first medium of a message that stands above constant text of the same role."""
    segments = appraisal.prompt.segments
    for index, segment in enumerate(segments):
        if segment.place is None or not _is_media(segment):
            continue
        below = [at for at in range(index + 1, len(segments)) if _is_constant(segments[at], segment)]
        tokens = appraisal.tokens()
        blocked = sum(tokens[at] for at in below)
        first = segments[below[0]].place if below else None
        if first is not None and blocked >= appraisal.ignore_below:
            yield Finding(
                rule=rule.name,
                severity=rule.severity,
                confidence=Confidence.MEDIUM,
                message="a medium that differs from request to request stands above text that stays the same",
                place=segment.place,
                label="another one in each request",
                related=(Related(first, f"{blocked:,} constant tokens from here on are fresh on every request"),),
                advice=rule.advice,
                kind="media",
                evidence="section",
                section=segment.section.value,
            )
            return


def _is_media(segment: Segment) -> bool:
    if segment.expression is None or segment.place is None:
        return False
    called = isinstance(segment.expression, Call) and path(segment.expression.function) == ("media",)
    return called or segment.place.text.strip("\"'") in _WORDS


def _is_constant(segment: Segment, media: Segment) -> bool:
    same = (segment.field, segment.section) == (media.field, media.section)
    constant = is_known(segment) if segment.text is None else bool(segment.text.strip())
    return same and constant and not segment.lifetime.causes
