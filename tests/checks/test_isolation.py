"""Who shares a cache: said to auditors alone."""

from __future__ import annotations

import pytest

from promptlint.finding import Persona

from .conftest import Check
from .test_breakpoints import user

RULES = "Answer from the price list. Name the page. Never speak of another customer. " * 3


def shop(
    model: str = "hosted_vllm/house-model", system: str = "You serve {{ tenant_name }}.\n" + RULES, **more: str
) -> dict:
    return {"model": model, **more, "messages": [{"role": "system", "content": system}, user("{{ question }}")]}


@pytest.mark.parametrize("rule", ["tenant-data-in-shared-prefix", "unsalted-shared-cache"])
@pytest.mark.parametrize("persona", list(Persona))
def test_only_an_auditor_hears_of_it(check: Check, rule: str, persona: Persona) -> None:
    assert bool(check(rule, shop(), persona=persona)) == (persona is Persona.AUDITOR)


def test_the_configuration_can_say_who_reads_and_the_command_line_overrules_it(check: Check) -> None:
    config = 'persona = "auditor"\n'
    assert check("unsalted-shared-cache", shop(), config=config)
    assert check("unsalted-shared-cache", shop(), config=config, persona=Persona.REGULAR) == []


@pytest.mark.parametrize(
    ("body", "rules"),
    [
        (shop(), ["tenant-data-in-shared-prefix", "unsalted-shared-cache"]),
        (shop(cache_salt="{{ tenant_id }}"), []),
        (shop(system=RULES + "\nYou serve {{ tenant_name }}."), ["unsalted-shared-cache"]),
        (shop(system=RULES), []),
        (shop(system=RULES, user="{{ user_id }}"), ["unsalted-shared-cache"]),
        (shop("gpt-5.6"), ["tenant-data-in-shared-prefix", "unsalted-shared-cache"]),
        # Nothing at Groq keeps entries of one organisation apart.
        (shop("groq/house-model"), ["tenant-data-in-shared-prefix"]),
        (shop("house-model"), []),
    ],
)
def test_what_is_said_about_a_request(check: Check, body: dict, rules: list[str]) -> None:
    both = ("tenant-data-in-shared-prefix", "unsalted-shared-cache")
    found = [finding.rule for rule in both for finding in check(rule, body, persona=Persona.AUDITOR)]
    assert found == rules


def test_fields_of_one_customer_are_one_finding(check: Check) -> None:
    body = shop(system="You serve {{ customer.name }} of {{ customer.town }}.\n" + RULES)
    (found,) = check("tenant-data-in-shared-prefix", body, persona=Persona.AUDITOR)
    assert found.related[-1].message == "and here"
