"""The checks, by the name that rule files call them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from promptlint.checks.order import section_order
from promptlint.checks.values import selected
from promptlint.finding import Finding
from promptlint.layout.appraisal import Appraisal
from promptlint.rulebook import Rule

Check = Callable[[Appraisal, Rule], Iterator[Finding]]

CHECKS: dict[str, Check] = {
    "order.section_order": section_order,
}


def check_of(rule: Rule) -> Check | None:
    """The function behind a rule; None for rules about files that cannot be read."""
    if rule.when is not None:
        return selected
    return CHECKS.get(rule.check or "")
