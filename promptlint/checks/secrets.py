"""Keys, tokens and passwords in the text of a prompt."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import groupby

from promptlint.events import Confidence
from promptlint.finding import Finding, Severity
from promptlint.layout.appraisal import Appraisal
from promptlint.prompt import Section, Segment
from promptlint.rulebook import Rule
from promptlint.shapes.code import covers, fences
from promptlint.shapes.secrets import is_made_up, secrets_in
from promptlint.source import Place, Span, alignment

_AUTHORED = (Section.SYSTEM, Section.TOOLS, Section.EXAMPLES)
_WHERE = {Section.SYSTEM: "the system text", Section.TOOLS: "a tool's definition", Section.EXAMPLES: "the examples"}


def secret_in_prefix(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """What looks like a real secret in literal text; of a request that was sent, only what its author wrote."""
    prompt = appraisal.prompt
    authored = [each for each in prompt.segments if not prompt.rendered or each.section in _AUTHORED]
    for run in _runs(authored):
        text = "".join(segment.text or "" for segment in run)
        code = fences(text)
        for secret in secrets_in(text):
            written = text[secret.span.start : secret.span.end]
            chosen_in_code = not secret.issued and covers(code, secret.span.start)
            place = _place(run, secret.span)
            if chosen_in_code or place is None or is_made_up(written, issued=secret.issued):
                continue
            section = run[0].section
            where = _WHERE.get(section, "the prompt")
            yield rule.finding(
                place,
                f"what looks like {secret.title} stands in {where}, which each request sends",
                severity=Severity.ERROR if secret.issued else Severity.WARNING,
                confidence=Confidence.HIGH if secret.issued else Confidence.MEDIUM,
                label="whoever reads the prompt, its logs or a shared cache has it",
                kind="secret",
                subject=blake2b(written.encode("utf-8", "replace")).hexdigest(),
                evidence="shape",
                section=section.value,
            )


def _runs(segments: Sequence[Segment]) -> Iterator[list[Segment]]:
    """Neighbours that are literal text of one message in one file."""

    def key(segment: Segment) -> tuple[object, ...]:
        place = segment.place
        return segment.text is None, segment.field, segment.message, id(place.source) if place else None

    for (is_hole, *_), run in groupby(segments, key):
        if not is_hole:
            yield list(run)


def _place(run: Sequence[Segment], span: Span) -> Place | None:
    """The span of the joined text in its file; None where its characters cannot be found there."""
    at = 0
    start = end = source = None
    for segment in run:
        text, place = segment.text or "", segment.place
        offsets = alignment(place.text, text) if place is not None else None
        if place is None or offsets is None:
            return None
        if start is None and span.start < at + len(text):
            start, source = place.span.start + offsets[span.start - at], place.source
        if start is not None and span.end <= at + len(text):
            end = place.span.start + offsets[span.end - at - 1] + 1
            break
        at += len(text)
    return Place(source, Span(start, end)) if source is not None and start is not None and end is not None else None
