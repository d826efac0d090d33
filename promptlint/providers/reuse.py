"""How many tokens of a request a cache can read: every provider's match rule, in one function."""

from __future__ import annotations

from collections.abc import Sequence

from promptlint.providers.registry import UNBOUNDED, Interval, Provider


def reuse(
    tokens: int,
    common_prefix: int,
    written_boundaries: Sequence[int],
    provider: Provider,
    *,
    model: str | None = None,
    positions: Sequence[int] | None = None,
) -> Interval:
    """Cached tokens that a request can read, as (low, high); the ends differ where facts conflict or are unknown.

    `tokens` is the request's length n and `common_prefix` its longest common token prefix with an earlier request.
    `written_boundaries` are the lengths of the prefixes that an earlier request wrote; the boundary and object rules
    look at them, and engines whose model resumes only at checkpoints: there they are the checkpoints that are known.
    `positions` gives for each of them how many positions it stands before the nearest of the request's markers at or
    after it, 0 for the marker's own; without it no look-back is applied. All but `positions` are tokens.

    With p = min(common_prefix, n - 1), because the last token's output has to be computed:

    - block and token rule: floor(p / unit) * unit (unit 1 for tokens), zero when that is below the minimum. Of an
      interval of units the ends are tried, and both units of 1 and the block where a block can be reused in part; as
      floor(p / unit) * unit does not fall steadily with the unit, low and high are the worse and the better of the
      two, and a unit between them can lie outside.
    - the same where the model resumes only at checkpoints (sliding windows, recurrent state): the low end is the
      largest checkpoint known that is at most p, the high end as before, since the engine can have kept others.
    - boundary and object rule: the largest written boundary that is at most common_prefix, at least the minimum and
      inside the look-back. It may be the whole request. Where the provider also writes boundaries at places that it
      does not publish (its unit is unknown), anything up to common_prefix may be one: that is the high end.
    - unknown rule: from nothing to what the token rule gives.

    The low end is held against the minimum's high end and the high end against its low end. The rules are those of
    docs/design.md, "Reuse, loss, share"; each provider's figures have their sources in rules/data/providers.toml.

    Raises ValueError when a figure is negative, when `common_prefix` exceeds `tokens`, or when `positions` does not
    match `written_boundaries`.
    """
    _refuse_impossible(tokens, common_prefix, written_boundaries, positions)
    readable = min(common_prefix, max(0, tokens - 1)) if provider.whole_prompt_minus_one else common_prefix
    if provider.match in ("boundary", "object"):
        found = [boundary for boundary in _in_sight(written_boundaries, positions, provider) if boundary <= readable]
        least = most = max(found, default=0)
        if provider.unit[1] == UNBOUNDED:
            most = readable
    else:
        ends = [readable // unit * unit for unit in _units(provider)]
        least, most = min(ends), max(ends)
        if provider.resumes_at_checkpoints(model):
            least = min(most, max((kept for kept in written_boundaries if kept <= readable), default=0))
    low, high = provider.minimum_for(model)
    return least if least >= high else 0, most if most >= low else 0


def _units(provider: Provider) -> Interval:
    """The two units between which the provider's lies, in tokens."""
    low, high = provider.unit
    return (1, high) if provider.partial_blocks else (low, high)


def _in_sight(boundaries: Sequence[int], positions: Sequence[int] | None, provider: Provider) -> Sequence[int]:
    """The boundaries that the look-back reaches: a marker's own position is the first that it counts."""
    if positions is None or not provider.lookback:
        return boundaries
    return [boundary for boundary, back in zip(boundaries, positions, strict=True) if back < provider.lookback]


def _refuse_impossible(
    tokens: int, common_prefix: int, boundaries: Sequence[int], positions: Sequence[int] | None
) -> None:
    if not 0 <= common_prefix <= tokens:
        raise ValueError(f"a common prefix of {common_prefix} in {tokens} tokens; give 0 to {max(0, tokens)}")
    if any(boundary < 0 for boundary in boundaries):
        raise ValueError(f"a boundary at {min(boundaries)} tokens; give 0 or more")
    if positions is None:
        return
    if len(positions) != len(boundaries):
        raise ValueError(f"{len(positions)} positions for {len(boundaries)} boundaries; give one for each")
    if any(position < 0 for position in positions):
        raise ValueError(f"a boundary {min(positions)} positions back; give 0 or more")
