from __future__ import annotations

from datetime import date

import pytest

from promptlint.providers.isolation import Attack, attacks, attacks_on
from promptlint.providers.registry import provider, providers
from promptlint.providers.table import sources


@pytest.mark.parametrize("attack", attacks(), ids=lambda attack: attack.name)
def test_an_attack_names_rows_and_has_sources_and_a_date(attack: Attack) -> None:
    assert set(attack.on) <= {of.name for of in providers()}
    assert attack.sources
    assert set(attack.sources) <= set(sources())
    assert isinstance(attack.checked_on, date)
    assert attack.confidence in {"high", "medium", "low"}


def test_attacks_on_a_server_that_users_share() -> None:
    assert [attack.name for attack in attacks_on(provider("vllm"))] == ["InputSnatch", "PROMPTPEEK"]
    assert attacks_on(provider("anthropic")) == ()
