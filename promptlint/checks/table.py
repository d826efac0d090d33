"""The checks, by the name that rule files call them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from promptlint.checks.batches import key_order
from promptlint.checks.media import media_first
from promptlint.checks.order import section_order
from promptlint.checks.templates import auxiliary_call, position_dependent
from promptlint.checks.values import selected
from promptlint.finding import Finding
from promptlint.layout.appraisal import Appraisal
from promptlint.rulebook import Rule

Check = Callable[[Appraisal, Rule], Iterator[Finding]]

FileCheck = Callable[[Sequence[Appraisal], Rule], Iterator[Finding]]
"""Looks at all prompts of one file together."""

CHECKS: dict[str, Check] = {
    "media.media_first": media_first,
    "order.section_order": section_order,
    "templates.auxiliary_call": auxiliary_call,
    "templates.position_dependent": position_dependent,
}

FILE_CHECKS: dict[str, FileCheck] = {
    "batches.key_order": key_order,
}


def check_of(rule: Rule) -> Check | None:
    """The function behind a rule; None for rules about files that cannot be read."""
    if rule.when is not None:
        return selected
    return CHECKS.get(rule.check or "")
