"""`promptlint config`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from promptlint.config.table import SETTINGS

Run = Callable[..., CompletedProcess[str]]


def test_it_lists_and_explains_every_setting(promptlint: Run) -> None:
    lines = promptlint("config").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(SETTINGS)
    assert promptlint("config", "ignore-below").stdout == (
        "ignore-below: tokens; smaller losses inside user messages are not said.\n\n"
        "Default: 100\n\nExample:\n\nignore-below = 300\n"
    )
    done = promptlint("config", "ignore-blow")
    assert (done.returncode, done.stderr) == (
        2,
        "Error: no setting is called 'ignore-blow'; did you mean 'ignore-below'?\n",
    )


def test_the_schema_is_printed(promptlint: Run) -> None:
    assert set(json.loads(promptlint("config", "--schema").stdout)["properties"]) == set(SETTINGS)


def test_one_thing_at_a_time(promptlint: Run) -> None:
    done = promptlint("config", "values", "--schema")
    assert done.returncode == 2
    assert "exclude each other" in done.stderr


def test_what_applies_to_a_file_and_where_it_comes_from(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "shared.toml").write_text(
        'provider = "openai"\n[values]\nplan = "user"\n[severity]\nclock-in-prefix = "note"\n'
    )
    (tmp_path / "app" / "promptlint.toml").write_text(
        'extend = "../shared.toml"\nbaseline = "known.json"\nignore = ["values"]\n'
        '[values]\nuser.id = ["user", "tenant"]\nfixed = "constant"\n'
        '[dialects]\n"*.md" = "macros"\n"*.j2" = "jinja"\n'
        "[traffic]\nrequests-per-day = 7\n[request]\ntools = 3\n"
        '[[suppress]]\npath = "a.md"\nrule = "clock-in-prefix"\ntext = "x"\n'
        '[[suppress]]\npath = "b.md"\nrule = "clock-in-prefix"\n'
    )
    lines = promptlint("config", "--explain", "app/a.md").stdout.splitlines()
    assert lines[:2] == ["app/a.md: app/promptlint.toml", ""]
    said = {tuple(part.strip() for part in line.split("  ", 1)) for line in lines[2:]}
    assert {
        ("shared.toml:1:1", 'provider = "openai"'),
        ("shared.toml:3:1", 'values.plan = "user"'),
        ("shared.toml:5:1", 'severity.clock-in-prefix = "note"'),
        ("app/promptlint.toml:2:1", 'baseline = "known.json"'),
        ("app/promptlint.toml:3:1", 'ignore = ["values"]'),
        ("app/promptlint.toml:5:1", 'values."user.id" = ["tenant", "user"]'),
        ("app/promptlint.toml:6:1", 'values.fixed = "constant"'),
        ("app/promptlint.toml:8:1", 'dialects."*.md" = "macros"'),
        ("app/promptlint.toml:14:3", 'suppress = { rule = "clock-in-prefix", text = "x" }'),
        ("app/promptlint.toml:11:1", "traffic.requests-per-day = 7"),
        ("app/promptlint.toml:13:1", "request.tools = 3"),
        ("default", "ignore-below = 100"),
        ("default", "horizon is not set"),
    } <= said
    assert not any("*.j2" in line or ":18:3" in line for line in lines), "what does not match is left out"


def test_without_a_configuration_all_is_default(promptlint: Run) -> None:
    lines = promptlint("config", "--explain", "a.md").stdout.splitlines()
    assert lines[0] == "a.md: no configuration file"
    assert all(line.startswith("default") for line in lines[2:])
