"""A prompt as a prefix cache reads it: its segments in render order, where reuse ends, what each horizon reuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TYPE_CHECKING, Any

from promptlint.events import Lifetime
from promptlint.prompt import GuardKind, Prompt, Segment
from promptlint.report.figures import figures_table, prices_of_layouts
from promptlint.report.json_v1 import document, extent, layouts_json, served_json
from promptlint.report.mask import mask
from promptlint.report.money import PriceOf, lost_dollars, rounded
from promptlint.report.paint import Paint, escaped, shortened
from promptlint.report.summary import counter_title, order_title
from promptlint.report.tables import table

if TYPE_CHECKING:
    from promptlint.layout.appraisal import Appraisal, Layout
    from promptlint.providers.row import Provider
    from promptlint.serving.workload import Workload

_TEXT = 60
"""Columns of a segment's text that are shown."""

_VARIANTS = frozenset({"turn", "request"})
"""A condition over what changes so often is a cause of its own, not a fork into a few variants."""


def view(
    appraisal: Appraisal,
    providers: Sequence[Provider],
    paint: Paint,
    horizon: str | None = None,
    price_of: PriceOf | None = None,
    traffic: int | None = None,
    served: Workload | None = None,
) -> Iterator[str]:
    """The lines of `show`: one a segment, with where reuse ends, then a table of all horizons.

    `price_of` adds what is lost in dollars where the model is known, `traffic` (requests a day) those of a month.
    Where it is known what serves the prompt, the last line says what the lost prefix costs it.
    """
    prompt, tokens = appraisal.prompt, appraisal.tokens()
    layouts = _layouts(appraisal, providers, horizon)
    provider = appraisal.provider.name + ("" if appraisal.provider_known else " (assumed)")
    title = f"{prompt.path} ({prompt.name})" if prompt.name else prompt.path
    yield f"{paint.bold(escaped(title))}: {sum(tokens):,} tokens, {provider}, {counter_title(appraisal.counter.label)}"
    yield ""
    order = _render_order(prompt, layouts)
    rows = [_row(prompt, index, tokens[index]) for index in order]
    head, *lines = table(["at", "section", "events", "tokens", "evidence", "text"], rows, right=(0, 3))
    yield paint.dim(head)
    ends, breakpoints = _ends(layouts), {marker.after: marker for marker in prompt.markers}
    for index, line in zip(order, lines, strict=True):
        yield from (paint.error(_rule(f"reuse ends here ({words})")) for words in ends.get(index, ()))
        yield line
        if marker := breakpoints.get(index):
            yield paint.frame(_rule("breakpoint" + (f", {escaped(marker.ttl)}" if marker.ttl else "")))
    yield from (paint.note(_rule(f"reuse does not end ({words})")) for words in ends.get(len(prompt.segments), ()))
    yield ""
    yield from figures_table(layouts, prices_of_layouts(appraisal, layouts, price_of), appraisal.model, traffic, paint)
    if served is not None:
        from promptlint.report.kv_prefix import lost_prefix

        if lost := lost_prefix(layouts, served, counter_title(appraisal.counter.label)):
            yield ""
            yield lost


def view_json(
    appraisal: Appraisal,
    providers: Sequence[Provider],
    horizon: str | None = None,
    price_of: PriceOf | None = None,
    served: Workload | None = None,
) -> str:
    """The same as one JSON document. Segments are in the order of the request as written."""
    prompt, layouts = appraisal.prompt, _layouts(appraisal, providers, horizon)
    prices = prices_of_layouts(appraisal, layouts, price_of)
    dollars = [rounded(lost_dollars([layout], prices.get(layout.provider.name))) for layout in layouts]
    segments = [_segment(segment, tokens) for segment, tokens in zip(prompt.segments, appraisal.tokens(), strict=True)]
    return document(
        {
            "version": 1,
            "path": prompt.path,
            "name": prompt.name,
            "segments": segments,
            "model": appraisal.model,
            "layouts": [
                {**layout, "lost_usd_per_million_requests": lost}
                for layout, lost in zip(layouts_json(layouts), dollars, strict=True)
            ],
            **served_json(layouts, served),
        }
    )


def _layouts(appraisal: Appraisal, providers: Sequence[Provider], horizon: str | None) -> list[Layout]:
    return [layout for provider in providers or (None,) for layout in appraisal.layouts(provider, horizon)]


def _render_order(prompt: Prompt, layouts: Sequence[Layout]) -> list[int]:
    """Indices of the segments in the first layout's order."""
    ranks = {field: rank for rank, field in enumerate(layouts[0].order if layouts else ())}
    return sorted(range(len(prompt.segments)), key=lambda at: ranks.get(prompt.segments[at].field.value, len(ranks)))


def _ends(layouts: Sequence[Layout]) -> dict[int, list[str]]:
    """Where reuse ends at each provider's narrowest horizon, with the words that say for what."""
    ends: dict[int, list[str]] = {}
    for name in dict.fromkeys(layout.provider.name for layout in layouts):
        of_provider = [layout for layout in layouts if layout.provider.name == name]
        narrowest = [layout for layout in of_provider if layout.horizon == of_provider[0].horizon]
        for end in dict.fromkeys(layout.end for layout in narrowest):
            orders = [order_title(layout.order) for layout in narrowest if layout.end == end]
            all_orders = len(orders) == len(narrowest) > 1
            words = [narrowest[0].horizon.name, name, *([] if all_orders else orders)]
            ends.setdefault(end, []).append(", ".join(words))
    return ends


def _row(prompt: Prompt, index: int, tokens: int) -> list[str]:
    segment = prompt.segments[index]
    section = segment.section.value + (" (assumed)" if segment.assumed else "")
    main = segment.lifetime.main
    variants = _variants(prompt, segment)
    text = shortened(escaped(mask(_text(segment))), _TEXT)
    return [
        _position(prompt, segment),
        section,
        _events(segment.lifetime),
        f"{tokens:,}",
        main.evidence.value if main else "",
        f"[{variants} variants] {text}" if variants else text,
    ]


def _position(prompt: Prompt, segment: Segment) -> str:
    if segment.place is None:
        return "-"
    source = segment.place.source
    at = source.position(segment.place.span.start)
    file = "" if source.path == prompt.path else f"{escaped(source.path.rsplit('/', 1)[-1])}:"
    return f"{file}{at.line}:{at.column}"


def _text(segment: Segment) -> str:
    if segment.text is not None:
        return segment.text
    return segment.place.text if segment.place else segment.name


def _events(lifetime: Lifetime) -> str:
    """The events in words, the most frequent first: `request, user`, `constant`, `unknown`."""
    words = [event.value for event in sorted(lifetime.events, key=lambda event: -event.rank)]
    words += ["unknown"] * (not lifetime.known) + ["growing"] * lifetime.growing + ["few values"] * lifetime.few
    return ", ".join(words) or "constant"


def _variants(prompt: Prompt, segment: Segment) -> int:
    """Into how many variants the conditions around a segment fork the prefix; 0 when there is none."""
    groups = {guard.group for guard in segment.guards if guard.kind is GuardKind.BRANCH}
    arms: dict[int, set[int]] = {}
    for guard in (guard for other in prompt.segments for guard in other.guards if guard.group in groups):
        if guard.lifetime.few or not guard.lifetime.events & _VARIANTS:
            arms.setdefault(guard.group, set()).add(guard.arm)
    return prod(max(2, len(seen)) for seen in arms.values()) if arms else 0


def _segment(segment: Segment, tokens: int) -> dict[str, Any]:
    main = segment.lifetime.main
    nowhere = dict.fromkeys(("line", "column", "end_line", "end_column"))
    return {
        **(extent(segment.place) if segment.place else nowhere),
        "section": segment.section.value,
        "field": segment.field.value,
        "message": segment.message,
        "events": [event.value for event in sorted(segment.lifetime.events, key=lambda event: -event.rank)],
        "known": segment.lifetime.known,
        "evidence": main.evidence.value if main else None,
        "kind": main.kind if main else None,
        "tokens": tokens,
        "text": None if segment.text is None else mask(segment.text),
    }


def _rule(words: str) -> str:
    return f"──── {words} ────"
