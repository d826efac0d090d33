"""A first configuration, from what a run found."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from promptlint.config import BASELINE
from promptlint.events import Evidence, Lifetime
from promptlint.expression import Attribute, Name, path
from promptlint.layout.appraisal import Appraisal
from promptlint.report.summary import counted
from promptlint.run import Run

_MOST_NAMES = 20


def first_config(run: Run) -> str:
    """The text of a promptlint.toml: what is known as settings, what is not known as comments to fill in."""
    return "\n\n".join("\n".join(part) for part in (_head(run), _provider(run.appraisals), _baseline(), _values(run)))


def _head(run: Run) -> Iterator[str]:
    yield f"# promptlint found {counted(len(run.appraisals), 'prompt')} in {counted(run.files, 'file')}."
    yield "# Every setting: `promptlint config`. What applies to a file: `promptlint config --explain FILE`."


def _provider(appraisals: Sequence[Appraisal]) -> Iterator[str]:
    yield "# Who caches. Without it a request's own form speaks, and of templates both render orders are looked at."
    known = Counter(each.provider.name for each in appraisals if each.provider_known)
    if not known:
        yield '# provider = "anthropic"'
    for name, prompts in known.most_common():
        yield f"# provider = {json.dumps(name)}  # what {counted(prompts, 'prompt')} of {len(appraisals):,} speak for"


def _baseline() -> Iterator[str]:
    yield "# Findings that are known and are not to be reported; `promptlint baseline write` writes the file."
    yield f"# baseline = {json.dumps(BASELINE)}"


def _values(run: Run) -> Iterator[str]:
    yield "# When your own values change: deploy, restart, day, tenant, user, session, turn, request, or constant."
    names = _unknown(run.appraisals)
    if names:
        yield "# Nothing is known about these; take the # away from a line that is right."
    yield "[values]"
    for name, prompts in names.most_common(_MOST_NAMES):
        yield f'# {_key(name)} = "constant"  # in {counted(prompts, "prompt")}'
    yield ""


def _key(name: str) -> str:
    """A dotted name as TOML has it: other letters than ASCII stand in quotes."""
    return ".".join(part if part.isascii() else json.dumps(part, ensure_ascii=False) for part in name.split("."))


def _unknown(appraisals: Iterable[Appraisal]) -> Counter[str]:
    """Names of holes about which nothing is known, with the number of prompts that have them."""
    found: Counter[str] = Counter()
    for appraisal in appraisals:
        names = set()
        for segment in appraisal.prompt.segments:
            if isinstance(segment.expression, Name | Attribute) and _is_unknown(segment.lifetime):
                names.add(".".join(path(segment.expression)))
        found.update(name for name in names if name and all(part.isidentifier() for part in name.split(".")))
    return found


def _is_unknown(lifetime: Lifetime) -> bool:
    """Whether at most the section in which a value stands speaks for when it changes."""
    return not lifetime.known or {cause.evidence for cause in lifetime.causes} == {Evidence.SECTION}
