"""The checks, by the name that rule files call them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from promptlint.checks.batches import key_order
from promptlint.checks.breakpoints import dropped, lookback_exceeded, too_many, ttl_order
from promptlint.checks.calls import key_for_each, switched
from promptlint.checks.chat_templates import chat_template_trap
from promptlint.checks.dumps import unsorted_arguments
from promptlint.checks.edits import history_rewrite
from promptlint.checks.isolation import tenant_data, unsalted_cache
from promptlint.checks.media import media_first
from promptlint.checks.minimum import below_minimum, missing_breakpoint
from promptlint.checks.order import section_order
from promptlint.checks.parameters import unstable_key, varying_parameter
from promptlint.checks.positions import position_dependent
from promptlint.checks.secrets import secret_in_prefix
from promptlint.checks.side_calls import auxiliary_call
from promptlint.checks.tools import dynamic_tool_set, unordered_tools
from promptlint.checks.values import selected
from promptlint.checks.windows import front_truncation
from promptlint.checks.writes import on_volatile, paid_writes, ttl_too_short
from promptlint.finding import Finding
from promptlint.layout.appraisal import Appraisal
from promptlint.rulebook import Rule

Check = Callable[[Appraisal, Rule], Iterator[Finding]]

FileCheck = Callable[[Sequence[Appraisal], Rule], Iterator[Finding]]
"""Looks at all prompts of one file together. A rule can have a check of each kind under one name."""

CHECKS: dict[str, Check] = {
    "batches.key_order": unsorted_arguments,
    "breakpoints.dropped": dropped,
    "breakpoints.lookback_exceeded": lookback_exceeded,
    "breakpoints.too_many": too_many,
    "breakpoints.ttl_order": ttl_order,
    "chat_templates.chat_template_trap": chat_template_trap,
    "edits.history_rewrite": history_rewrite,
    "isolation.tenant_data": tenant_data,
    "isolation.unsalted_cache": unsalted_cache,
    "media.media_first": media_first,
    "minimum.below_minimum": below_minimum,
    "minimum.missing_breakpoint": missing_breakpoint,
    "order.section_order": section_order,
    "parameters.unstable_key": unstable_key,
    "parameters.varying_parameter": varying_parameter,
    "secrets.secret_in_prefix": secret_in_prefix,
    "positions.position_dependent": position_dependent,
    "side_calls.auxiliary_call": auxiliary_call,
    "tools.dynamic_tool_set": dynamic_tool_set,
    "tools.unordered_tools": unordered_tools,
    "windows.front_truncation": front_truncation,
    "writes.on_volatile": on_volatile,
    "writes.paid_writes": paid_writes,
    "writes.ttl_too_short": ttl_too_short,
}

FILE_CHECKS: dict[str, FileCheck] = {
    "batches.key_order": key_order,
    "parameters.unstable_key": key_for_each,
    "parameters.varying_parameter": switched,
}


def check_of(rule: Rule) -> Check | None:
    """The function behind a rule; None for rules about files that cannot be read."""
    if rule.when is not None:
        return selected
    return CHECKS.get(rule.check or "")
