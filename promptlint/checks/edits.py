"""Messages that a program changes after it has sent them."""

from __future__ import annotations

from collections.abc import Iterator

from promptlint.finding import Finding
from promptlint.layout.appraisal import Appraisal
from promptlint.prompt import Section
from promptlint.rulebook import Rule


def history_rewrite(appraisal: Appraisal, rule: Rule) -> Iterator[Finding]:
    """Each place at which all messages but the last ones are changed, which is another one's turn each time."""
    for place in appraisal.prompt.edits:
        yield rule.finding(
            place,
            "all messages but the last ones are changed: with every turn another one that was sent before",
            label="everything below the message that is changed is fresh on every turn",
            kind="history",
            evidence="call",
            section=Section.HISTORY.value,
        )
