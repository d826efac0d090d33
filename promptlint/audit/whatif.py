"""Changes replayed: the share that the same requests would reach."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from promptlint.audit.blame import general, seen_requests
from promptlint.audit.causes import Cause
from promptlint.audit.changes import Change, changes_of
from promptlint.audit.columns import Columns, Row
from promptlint.audit.lines import Lines, spelled, staying
from promptlint.audit.reference import TOOLS_FIELD, Seen
from promptlint.audit.replayed import replay
from promptlint.audit.rewriting import Rewriter, Sent, spellings
from promptlint.audit.rules import Rules
from promptlint.audit.store import Store
from promptlint.audit.texts import Library
from promptlint.providers.registry import provider
from promptlint.replay.chain import Chained, Chainer, Texts
from promptlint.replay.lines import KnownLines
from promptlint.tokens.vocabulary import load

MOST = 6
"""Changes that are replayed, those whose causes lose most."""

LEAST = 0.005
"""Of all tokens: what a cause has to lose to be replayed."""

_TEXTS = 1_000
"""Distinct texts at a path, of which it is told which lines stay: of more, as many by their hashes, so by chance."""

_LONGER = 3600.0
"""Seconds that are tried where the registry knows no longer life."""


Sums = Mapping[tuple[str, str], tuple[int, int, int]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What changes win, in tokens of the whole log: `cached` instead of what is simulated, of `tokens`.

    `sums` are input, cached and written tokens by provider and model.
    """

    label: str
    changes: tuple[Change, ...]
    cached: int
    tokens: int
    sums: Sums

    @property
    def share(self) -> float:
        return self.cached / self.tokens if self.tokens else 0.0


class WhatIf:
    """Replays changes of a log. `earlier` numbers for each request the one before it in its conversation, `secret` is
    what the log's hashes were made with."""

    def __init__(self, store: Store, library: Library, earlier: Sequence[int], folder: Path, secret: bytes) -> None:
        self._runs = _Runs(store, library, earlier, folder, secret)
        self._rules = store.rules
        self.base = self._runs.outcome(())
        """The log as it is."""

    def outcomes(self, causes: Sequence[Cause]) -> Iterator[Outcome]:
        """Each change that the causes ask for and that wins anything, best first; then the best ones together."""
        base = self.base
        heavy = (cause for cause in causes if cause.tokens >= LEAST * base.tokens)
        changes = changes_of(heavy, lambda *who: _longer(self._rules[who]))[:MOST]
        alone = sorted((self._runs.outcome((change,)) for change in changes), key=lambda outcome: -outcome.share)
        useful = [outcome for outcome in alone if outcome.share > base.share]
        yield from useful
        best = useful[0] if useful else base
        for outcome in useful[1:]:
            tried = self._runs.outcome((*best.changes, *outcome.changes))
            best = max(best, tried, key=lambda outcome: outcome.share)
        if len(best.changes) > 1:
            yield replace(best, label="all of: " + "; ".join(change.label for change in best.changes))


def _longer(rules: Rules) -> float:
    lives = [float(ttl.seconds[0]) for ttl in provider(rules.provider).ttl or ()]
    return min((life for life in lives if life > rules.policy.ttl), default=max(_LONGER, rules.policy.ttl))


class _Runs:
    def __init__(self, store: Store, library: Library, earlier: Sequence[int], folder: Path, secret: bytes) -> None:
        self._store, self._library, self._earlier = store, library, earlier
        self._folder, self._secret = folder, secret
        rows = store.all("""
            SELECT provider, model, sum(tokens)::BIGINT, sum(coalesce(cached, 0))::BIGINT,
                sum(coalesce(written, 0))::BIGINT
            FROM log JOIN ranks USING (part, nth) LEFT JOIN replayed USING (rid) WHERE len(keys) > 0
            GROUP BY provider, model""")
        self._sums = {(name, model): (tokens, cached, written) for name, model, tokens, cached, written in rows}
        self._number = 0

    def outcome(self, changes: tuple[Change, ...]) -> Outcome:
        sums = dict(self._sums)
        for who in dict.fromkeys((change.provider, change.model) for change in changes):
            sums[who] = self._replayed(who, [change for change in changes if (change.provider, change.model) == who])
        tokens, cached, _ = (sum(column) for column in zip(*sums.values(), strict=True))
        label = changes[0].label if changes else "as it is"
        return Outcome(label, changes, cached, tokens, sums)

    def _replayed(self, who: tuple[str, str], changes: list[Change]) -> tuple[int, int, int]:
        self._number += 1
        rules = self._store.rules[who]
        ttl = max((change.ttl for change in changes if change.action == "ttl"), default=0.0)
        path = self._folder / f"what-{self._number}.parquet"
        texts = Texts(KnownLines(load(rules.vocabulary).ids).encode, self._secret)
        life = ttl or rules.policy.ttl
        stays = {
            path: self._staying(who, path, actions) for path, actions in spellings(changes).items() if "move" in actions
        }
        tools = self._tools(who) if any(change.action == "tools" for change in changes) else ()
        rewriter = Rewriter(changes, self._library, texts, self._earlier, life, tools, stays)
        columns, chainer = Columns(path), Chainer(rules.unit, self._secret)
        for seen in seen_requests(self._store, who):
            sent = rewriter.sent(seen, [ttl] * len(seen.marks) if ttl else seen.lives)
            if not sent.is_as(seen):
                columns.add(_row(seen, sent, chainer.chained(list(map(rewriter.piece, sent.keys))), rules))
        columns.close()
        self._store.alternative(path, who, ttl)
        replay(self._store, "changed", "alternative", policies="otherwise")
        ((tokens, cached, written),) = self._store.all("""
            SELECT sum(tokens)::BIGINT, sum(coalesce(cached, 0))::BIGINT, sum(coalesce(written, 0))::BIGINT
            FROM alternative JOIN ranks USING (part, nth) LEFT JOIN changed USING (rid) WHERE len(keys) > 0""")
        path.unlink()
        return tokens or 0, cached or 0, written or 0

    def _staying(self, who: tuple[str, str], path: str, actions: tuple[str, ...]) -> Lines | None:
        """The lines that stay of the texts at a path, once they are spelled as the changes ask for."""
        query = """
            SELECT DISTINCT unnest(keys) AS key, unnest(paths) AS path, unnest(fields) AS field
            FROM log JOIN ranks USING (part, nth) WHERE provider = $who[1] AND model = $who[2]"""
        keys = set()
        for batch in self._store.stream(query, {"who": list(who)}, 8192):
            columns = (column.to_pylist() for column in batch)  # type: ignore[attr-defined]
            keys |= {key for key, each, number in zip(*columns, strict=True) if general(each, number) == path}
        some = sorted(keys)[:: len(keys) // _TEXTS + 1]
        return staying(spelled(actions, (self._library.text(key) or ("", ""))[1]) for key in some)

    def _tools(self, who: tuple[str, str]) -> list[tuple[int, str]]:
        """Keys and paths of all tools of a model's requests, in the order of the keys."""
        return self._store.all(
            """
            SELECT key, min(path) FROM (
                SELECT unnest(keys) AS key, unnest(paths) AS path, unnest(fields) AS field FROM log
                WHERE provider = ? AND model = ?
            ) WHERE field = ? GROUP BY key ORDER BY key""",
            *who,
            TOOLS_FIELD,
        )


def _row(seen: Seen, sent: Sent, chained: Chained, rules: Rules) -> Row:
    ends = rules.scaled(chained.ends)
    marks = sorted(sent.marks)
    return Row(
        seen.part,
        seen.nth,
        0,
        0,
        seen.time,
        seen.provider,
        seen.model,
        seen.pool,
        sent.route,
        seen.conversation,
        None,
        None,
        None,
        int(ends[-1]) if len(ends) else 0,
        sent.keys,
        [0] * len(sent.keys),
        sent.fields,
        sent.paths,
        chained.chain,
        ends,
        sent.positions if rules.by_boundaries else (),
        marks,
        [sent.marks[at] for at in marks],
        chained.blocks,
    )
