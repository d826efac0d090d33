"""The checks, by the name that rule files call them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from promptlint.checks.batches import key_order
from promptlint.checks.dumps import unsorted_arguments
from promptlint.checks.media import media_first
from promptlint.checks.order import section_order
from promptlint.checks.positions import position_dependent
from promptlint.checks.side_calls import auxiliary_call
from promptlint.checks.tools import dynamic_tool_set, unordered_tools
from promptlint.checks.values import selected
from promptlint.checks.windows import front_truncation
from promptlint.finding import Finding
from promptlint.layout.appraisal import Appraisal
from promptlint.rulebook import Rule

Check = Callable[[Appraisal, Rule], Iterator[Finding]]

FileCheck = Callable[[Sequence[Appraisal], Rule], Iterator[Finding]]
"""Looks at all prompts of one file together."""

CHECKS: dict[str, Check] = {
    "batches.key_order": unsorted_arguments,
    "media.media_first": media_first,
    "order.section_order": section_order,
    "tools.dynamic_tool_set": dynamic_tool_set,
    "tools.unordered_tools": unordered_tools,
    "windows.front_truncation": front_truncation,
    "positions.position_dependent": position_dependent,
    "side_calls.auxiliary_call": auxiliary_call,
}

FILE_CHECKS: dict[str, FileCheck] = {
    "batches.key_order": key_order,
}


def check_of(rule: Rule) -> Check | None:
    """The function behind a rule; None for rules about files that cannot be read."""
    if rule.when is not None:
        return selected
    return CHECKS.get(rule.check or "")
