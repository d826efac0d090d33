"""A comparison for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from promptlint.comparing.comparison import Comparison, Reading
from promptlint.comparing.difference import Difference, difference_of
from promptlint.comparing.divergence import characters
from promptlint.finding import Finding
from promptlint.report.annotate import Mark, annotate, location
from promptlint.report.full import annotated
from promptlint.report.lost import lost_pieces
from promptlint.report.paint import Paint, escaped
from promptlint.report.summary import counted, counter_title, interval, order_title, share

_MOST = 6
"""Lost pieces that are named, the first of a request and the largest of a template; the rest is counted."""

_RELATIONS = {
    "identical": "B is A",
    "append-only": "B continues A: all of A stands at its start",
    "shortened": "B is the start of A",
    "reshaped": "B says the same as A in another JSON shape",
    "new-question": "B asks something else behind the same start",
    "changed": "B changes what A sent",
}
_BOUNDARIES = {
    "none": "",
    "source": "up to breakpoints that A sets",
    "automatic": "up to boundaries that the provider writes",
    "assumed": "boundaries assumed at the ends of tools, system and messages",
}
_KINDS = {
    "key-order": "keys in another order",
    "reorder": "the same in another order",
    "shape": "the same text in another JSON shape",
    "added": "a part that A does not have",
    "removed": "a part of A is missing",
    "condition": "another condition or loop",
    "hole": "another value or expression",
    "case": "upper or lower case",
}


def comparison_text(comparison: Comparison, findings: Sequence[Finding], paint: Paint) -> Iterator[str]:
    """The lines: the two versions, the first difference, what is reused, what is lost, then the findings."""
    reading = comparison.reading
    yield from _versions(comparison, paint)
    yield ""
    yield paint.bold(_RELATIONS[comparison.relation])
    if not reading.appends:
        difference = difference_of(comparison, reading.found[0])
        yield from _first(difference)
        if not findings:
            yield from _marked(difference, paint)
    yield from _reused(comparison)
    yield from _lost(comparison)
    for setting in comparison.settings:
        yield f"setting: {escaped(setting.name)} differs, {_loses(setting.loses)}"
    for finding in findings:
        yield ""
        yield from annotated(finding, paint)


def _versions(comparison: Comparison, paint: Paint) -> Iterator[str]:
    sides = ((comparison.previous, comparison.reading.previous), (comparison.current, comparison.reading.current))
    for letter, (version, laid) in zip("AB", sides, strict=True):
        name = version.appraisal.prompt.name
        title = f"{version.name} ({name})" if name else version.name
        length, tokens = characters([each.piece for each in laid]), sum(each.tokens for each in laid)
        yield f"{letter}  {paint.bold(escaped(title))}: {counted(length, 'character')}, {counted(tokens, 'token')}"


def _first(difference: Difference) -> Iterator[str]:
    where = difference.pointer if difference.pointer is not None else difference.divergence.field.value
    kind = _KINDS.get(difference.kind, difference.kind)
    places = [f"{letter} {location(at)}" for letter, at in zip("AB", difference.at, strict=True) if at is not None]
    after = counted(difference.offset, "character")
    yield f"first difference: {kind} at {escaped(where)}, after {after} ({', '.join(places)})"


def _marked(difference: Difference, paint: Paint) -> Iterator[str]:
    """The two values in their lines, when no finding shows them."""
    pairs = zip("BA", difference.places[::-1], strict=True)
    marks = [Mark(place, letter, primary=letter == "B") for letter, place in pairs if place is not None]
    if marks:
        yield from annotate(marks, paint.warning, paint)


def _reused(comparison: Comparison) -> Iterator[str]:
    alike = len({(reading.shared, reading.reused) for reading in comparison.readings}) == 1
    for reading in comparison.readings[:1] if alike else comparison.readings:
        order = "" if alike else f" ({order_title(reading.order)})"
        text = share((reading.shared, reading.shared), reading.length)
        if not reading.length:
            text = "nothing to reuse"
        yield f"same from the start: {reading.shared:,} of {counted(reading.length, 'character')} of A, {text}{order}"
        yield f"reusable: {_tokens(comparison, reading)}"


def _tokens(comparison: Comparison, reading: Reading) -> str:
    said = [comparison.provider.name, counter_title(comparison.previous.appraisal.counter.label)]
    said.append(_BOUNDARIES[reading.boundaries])
    figures = f"{interval(reading.reused)} of {counted(reading.total, 'token')} of A"
    return f"{figures}, {share(reading.reused, reading.total)} ({'; '.join(filter(None, said))})"


def _lost(comparison: Comparison) -> Iterator[str]:
    lost = list(lost_pieces(comparison))
    ranked = list(range(len(lost)))
    if comparison.previous.request is None:
        ranked.sort(key=lambda index: -lost[index].tokens)
    shown = set(ranked[:_MOST])
    for each in (lost[index] for index in sorted(shown)):
        name = each.pointer or each.section or each.field
        place = f" {location(each.place)}" if each.place is not None else ""
        again = ", sent again" if each.sent_again else ""
        yield f"lost: {escaped(name)}{place}: {counted(each.tokens, 'token')}{again}"
    if len(lost) > _MOST:
        rest = sum(each.tokens for index, each in enumerate(lost) if index not in shown)
        yield f"lost: {counted(len(lost) - _MOST, 'more piece')}: {counted(rest, 'token')}"


def _loses(field: str) -> str:
    if field == "unknown":
        return "which may break the cache at a place that is not stated"
    return "which makes everything fresh" if field == "all" else f"which makes {field} and what follows fresh"
