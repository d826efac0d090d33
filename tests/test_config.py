"""Configuration: which file counts, what it says, and errors that point at the key."""

from __future__ import annotations

import string
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.config import (
    DIALECTS,
    HORIZONS,
    Config,
    ConfigError,
    Suppress,
    Traffic,
    ValueRule,
    find_root,
    load_config,
)
from promptlint.events import Event
from promptlint.finding import Severity
from promptlint.layout.horizons import horizons
from promptlint.readers.cutting import DIALECTS as READABLE
from promptlint.served import Serving
from promptlint.source import Place, Position, Source, Span
from promptlint.toml_keys import locate

EVERYTHING = """\
provider = "anthropic"
model = "claude-opus-5"
horizon = "fleet"
persona = "auditor"
ignore-below = 0
dialect = "jinja"
include = ["texts/*.txt"]
exclude = ["legacy", "!legacy/kept.j2"]

select = ["values"]
ignore = ["date-in-prefix"]
require-reason = true
baseline = "known.json"

[dialects]
"*.md" = "strformat"

[per-file-ignores]
"tests/**" = ["all"]

[severity]
clock-in-prefix = "note"

[[suppress]]
path = "a.json"
rule = "clock-in-prefix"
at = "/messages/0"
text = "now"
reason = "known"

[[suppress]]
path = "b.json"
rule = "date-in-prefix"

[request]
tools = 1200
system = 0

[sizes]
chunks = 900
user.profile = 40

[values]
plan = "deploy"
locale = "constant"
"user.id" = ["user", "tenant"]

[traffic]
requests-per-day = 20_000
interval = "20m"

[serving]
config = "served/config.json"
params = 70.6
active-params = 70
kv-dtype = "fp8"
weight-dtype = "bf16"
gpu = "H100"
gpus = 8
"""


ANYWHERE = Place(Source("", ""), Span(0, 0))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def load(project: Path, text: str | bytes, name: str = "promptlint.toml") -> Config:
    (project / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_config(project)


def error(project: Path, text: str | bytes, name: str = "promptlint.toml") -> str:
    with pytest.raises(ConfigError) as caught:
        load(project, text, name)
    return str(caught.value)


def test_every_setting(project: Path) -> None:
    assert load(project, EVERYTHING) == Config(
        path=project / "promptlint.toml",
        root=project,
        provider="anthropic",
        model="claude-opus-5",
        horizon="fleet",
        persona="auditor",
        ignore_below=0,
        dialect="jinja",
        dialects={"*.md": "strformat"},
        include=("texts/*.txt",),
        exclude=("legacy", "!legacy/kept.j2"),
        request={"tools": 1200, "system": 0},
        sizes={"chunks": 900, "user.profile": 40},
        values={
            "plan": ValueRule(frozenset({Event.DEPLOY}), ANYWHERE),
            "locale": ValueRule(frozenset(), ANYWHERE),
            "user.id": ValueRule(frozenset({Event.USER, Event.TENANT}), ANYWHERE),
        },
        traffic=Traffic(requests_per_day=20_000, interval=1200),
        serving=Serving(
            config=Path("served/config.json"),
            params=70.6,
            active_params=70.0,
            kv_dtype="fp8",
            weight_dtype="bf16",
            gpu="H100",
            gpus=8,
        ),
        select=frozenset({"values"}),
        ignore=frozenset({"date-in-prefix"}),
        require_reason=True,
        baseline=project / "known.json",
        per_file_ignores={"tests/**": frozenset({"all"})},
        severity={"clock-in-prefix": Severity.NOTE},
        suppress=(
            Suppress("a.json", "clock-in-prefix", "/messages/0", "now", "known", ANYWHERE),
            Suppress("b.json", "date-in-prefix", None, None, "", ANYWHERE),
        ),
    )


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("90", 90), ("'90s'", 90), ("'20m'", 1200), ("'2h'", 7200), ("'1d'", 86400), ("' 5 m '", 300)],
)
def test_an_interval_is_a_length_of_time(project: Path, written: str, seconds: int) -> None:
    assert load(project, f"[traffic]\ninterval = {written}\n").traffic == Traffic(interval=seconds)


def test_nothing_is_set_without_a_file(project: Path) -> None:
    assert load_config(project) == Config(path=None, root=project)
    assert load_config(project).ignore_below == 100


def test_an_empty_file_is_a_configuration(project: Path) -> None:
    assert load(project, "") == Config(path=project / "promptlint.toml", root=project)


def test_an_empty_request_is_a_visible_one(project: Path) -> None:
    assert load(project, "[request]\n").request == {}


def test_a_served_model_lies_beside_the_configuration(project: Path) -> None:
    (project / "inner").mkdir()
    (project / "promptlint.toml").write_text("[serving]\nconfig = 'served'\n")
    serving = load_config(project / "inner").serving
    assert serving is not None
    assert serving.config == Path("served")


def test_dialects_are_the_ones_that_can_be_read() -> None:
    assert set(DIALECTS) == set(READABLE)


class TestWhichFile:
    def test_the_closest_one_alone_counts(self, project: Path) -> None:
        load(project, 'model = "far"\nhorizon = "user"\n')
        inner = project / "a" / "b"
        inner.mkdir(parents=True)
        (project / "a" / "promptlint.toml").write_text('model = "near"\n')
        config = load_config(inner)
        assert (config.model, config.horizon, config.root) == ("near", None, project / "a")

    def test_a_file_is_a_start_too(self, project: Path) -> None:
        load(project, 'model = "m"\n')
        (project / "a.j2").touch()
        assert load_config(project / "a.j2").model == "m"
        assert load_config(project / "not-there-yet.j2").model == "m"

    def test_a_relative_start(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        load(project, 'model = "m"\n')
        (project / "a").mkdir()
        monkeypatch.chdir(project / "a")
        assert load_config(Path()).root == project

    def test_pyproject(self, project: Path) -> None:
        config = load(project, '[tool.promptlint]\nmodel = "m"\n', "pyproject.toml")
        assert (config.path, config.model) == (project / "pyproject.toml", "m")

    def test_our_own_file_before_pyproject(self, project: Path) -> None:
        load(project, '[tool.promptlint]\nmodel = "shared"\n', "pyproject.toml")
        assert load(project, 'model = "own"\n').model == "own"

    @pytest.mark.parametrize(
        "text",
        [
            b"",
            b"[project]\nname = 'x'\n",
            b"[project]\ndependencies = ['promptlint']\n",
            b"[tool.other]\npromptlint = 1\n",
            b"tool = 'promptlint'\n",
            b"this is not TOML",
            b"\xff\xfe",
        ],
    )
    def test_pyproject_without_our_table_is_skipped(self, project: Path, text: bytes) -> None:
        load(project, 'model = "above"\n')
        (project / "a").mkdir()
        (project / "a" / "pyproject.toml").write_bytes(text)
        assert load_config(project / "a").model == "above"

    def test_an_empty_table_counts(self, project: Path) -> None:
        load(project, 'model = "above"\n')
        (project / "a").mkdir()
        (project / "a" / "pyproject.toml").write_text("[tool.promptlint]\n")
        assert load_config(project / "a").model is None

    def test_isolated_reads_none(self, project: Path) -> None:
        (project / "promptlint.toml").write_text("broken")
        assert load_config(project, isolated=True) == Config(path=None, root=project)

    def test_a_folder_of_that_name_is_no_configuration(self, project: Path) -> None:
        (project / "promptlint.toml").mkdir()
        assert load_config(project).path is None


class TestRoot:
    @pytest.mark.parametrize("worktree", [True, False])
    def test_the_repository(self, project: Path, worktree: bool) -> None:
        (project / ".git").touch() if worktree else (project / ".git").mkdir()
        inner = project / "a" / "b"
        inner.mkdir(parents=True)
        assert find_root(inner) == project
        assert load_config(inner).root == project

    def test_the_start_outside_of_a_repository(self, project: Path) -> None:
        (project / "a").mkdir()
        (project / "a" / "x.j2").touch()
        assert find_root(project / "a") == project / "a"
        assert find_root(project / "a" / "x.j2") == project / "a"

    def test_a_configuration_below_the_repository(self, project: Path) -> None:
        (project / ".git").mkdir()
        (project / "a").mkdir()
        (project / "a" / "promptlint.toml").touch()
        assert load_config(project / "a").root == project / "a"

    def test_a_link_to_itself_is_a_start_like_any_other(self, project: Path) -> None:
        (project / "loop").symlink_to(project / "loop")
        assert find_root(project / "loop") == project


class TestDialectOf:
    def test_the_last_glob_that_matches_counts(self, project: Path) -> None:
        config = load(
            project, 'dialect = "none"\n[dialects]\n"*.md" = "jinja"\n"/legacy/" = "strformat"\n"/a.md" = "macros"\n'
        )
        assert config.dialect_of(project / "b" / "a.md") == "jinja"
        assert config.dialect_of(project / "legacy" / "a.md") == "strformat"
        assert config.dialect_of(project / "a.md") == "macros"
        assert config.dialect_of(project / "a.txt") == "none"
        assert config.dialect_of(Path("a.md")) == "macros"

    def test_files_elsewhere_have_the_common_one(self, project: Path) -> None:
        (project / "a").mkdir()
        (project / "a" / "promptlint.toml").write_text('[dialects]\n"*" = "jinja"\n')
        config = load_config(project / "a")
        assert config.dialect_of(project / "b.md") is None
        assert config.dialect_of(project / "a" / "b.md") == "jinja"


ERRORS = [
    # Unknown names.
    ('horizn = "user"', "1:1: no setting is called 'horizn'; did you mean 'horizon'?"),
    ("\n\n  ignore_below = 3", "3:3: no setting is called 'ignore_below'; did you mean 'ignore-below'?"),
    ('"Provider" = "openai"', "1:1: no setting is called 'Provider'; did you mean 'provider'?"),
    ("[reqest]\ntools = 1", "1:2: no setting is called 'reqest'; did you mean 'request'?"),
    ("[request]\ntools = 1\n\ttolls = 2", "3:2: no key of [request] is called 'tolls'; did you mean 'tools'?"),
    ("request.tolls = 2", "1:9: no key of [request] is called 'tolls'; did you mean 'tools'?"),
    ("request = {tools = 1, users = 2}", "1:23: no key of [request] is called 'users'; did you mean 'user'?"),
    ('provider = "antropic"', "1:1: no provider is called 'antropic'; did you mean 'anthropic'?"),
    ('horizon = "converzation"', "1:1: no horizon is called 'converzation'; did you mean 'conversation'?"),
    ('horizon = "User"', "1:1: no horizon is called 'User'; did you mean 'user'?"),
    ('persona = "audit"', "1:1: no persona is called 'audit'; did you mean 'auditor'?"),
    ("[traffic]\nintervall = 5", "2:1: no key of [traffic] is called 'intervall'; did you mean 'interval'?"),
    ('dialect = "jinja2"', "1:1: no dialect is called 'jinja2'; did you mean 'jinja'?"),
    ('[dialects]\n"*.md" = "mustache"', "2:1: no dialect is called 'mustache'; did you mean 'macros'?"),
    ('[values]\nnow = "requests"', "2:1: no event is called 'requests'; did you mean 'request'?"),
    ('[values]\nx = 1\ny = "sesion"', "2:1: 'x' holds an integer; write an event or an array of events"),
    ('[values]\na = "day"\nb = ["user", "sesion"]', "3:1: no event is called 'sesion'; did you mean 'session'?"),
    ('[values.user]\nid = "users"', "2:1: no event is called 'users'; did you mean 'user'?"),
    # Values of another kind.
    ("provider = 1", "1:1: 'provider' is an integer; write a string, such as 'anthropic'"),
    ("model = true", "1:1: 'model' is a boolean; write a string, such as 'claude-opus-5'"),
    ("model = ' '", "1:1: 'model' is empty; name a model, or leave the key out"),
    ("horizon = 2026-11-29", "1:1: 'horizon' is a date or time; write a string, such as 'user'"),
    ("dialect = ['jinja']", "1:1: 'dialect' is an array; write a string, such as 'jinja'"),
    ("ignore-below = '5'", "1:1: 'ignore-below' is a string; write a whole number of tokens, such as 100"),
    ("ignore-below = true", "1:1: 'ignore-below' is a boolean; write a whole number of tokens, such as 100"),
    ("ignore-below = 1.5", "1:1: 'ignore-below' is a float; write a whole number of tokens, such as 100"),
    ("ignore-below = -1", "1:1: 'ignore-below' is negative; write a number of tokens, 0 or more"),
    ("sizes = {a = 1, b = -2}", "1:17: 'b' is negative; write a number of tokens, 0 or more"),
    ("sizes.user.name = 'long'", "1:12: 'name' is a string; write a whole number of tokens, such as 100"),
    (
        "[traffic]\nrequests-per-day = 0",
        "2:1: 'requests-per-day' is less than one; write a whole number of requests, such as 20000",
    ),
    (
        "[traffic]\nrequests-per-day = '9'",
        "2:1: 'requests-per-day' is a string; write a whole number of requests, such as 20000",
    ),
    (
        "[traffic]\nrequests-per-hour = 9",
        "2:1: no key of [traffic] is called 'requests-per-hour'; did you mean 'requests-per-day'?",
    ),
    ("[request]\nuser = []", "2:1: 'user' is an array; write a whole number of tokens, such as 100"),
    ("request = true", "1:1: 'request' is a boolean; make it a table"),
    ("[[values]]\na = 'day'", "1:3: 'values' is an array; make it a table"),
    ("include = '*.txt'", "1:1: 'include' is a string; write an array of globs, such as ['prompts/*.txt']"),
    ("exclude = [1]", "1:1: 'exclude' holds more than strings; write an array of globs, such as ['prompts/*.txt']"),
    ("[serving]\nmodel = 'lama-3-70b'", "2:1: no model is called 'lama-3-70b'; did you mean 'llama-3-70b'?"),
    ("[serving]\ngpu = 'h1000'", "2:1: no GPU is called 'h1000'; did you mean 'h100'?"),
    ("[serving]\nkv-dtype = 'fp88'", "2:1: no type is called 'fp88'; did you mean 'fp8'?"),
    ("[serving]\ngpus = 0", "2:1: 'gpus' is no number of GPUs; write a whole number, 1 to 4096"),
    ("[serving]\ngpus = true", "2:1: 'gpus' is no number of GPUs; write a whole number, 1 to 4096"),
    ("[serving]\nparams = '70b'", "2:1: 'params' is no number of 10^9 parameters; write one, such as 70.6"),
    ("[serving]\nparams = nan", "2:1: 'params' is no number of 10^9 parameters; write one, such as 70.6"),
    ("[serving]\nconfig = 1", "2:1: 'config' is an integer; write a string, such as 'models/served/config.json'"),
    ("[serving]\nmodle = 'phi-4'", "2:1: no key of [serving] is called 'modle'; did you mean 'model'?"),
    (
        "[serving]\nmodel = 'phi-4'\nconfig = 'x'",
        "1:2: [serving] names a model and a config.json; keep one of the two",
    ),
    (
        "[traffic]\ninterval = 'often'",
        "2:1: 'interval' is no length of time; write seconds, or such as '90s', '20m', '2h', '1d'",
    ),
    (
        "[traffic]\ninterval = 0",
        "2:1: 'interval' is no length of time; write seconds, or such as '90s', '20m', '2h', '1d'",
    ),
    ("[traffic]\ninterval = 1.5", "2:1: 'interval' is a float; write a string, such as '20m'"),
    # Globs and events that say nothing.
    ("exclude = ['a', '!']", "1:1: '!' is no glob; write one as in a .gitignore file"),
    ("exclude = ['[z-a]']", "1:1: '[z-a]' is no glob; write one as in a .gitignore file"),
    ("exclude = ['']", "1:1: '' is no glob; write one as in a .gitignore file"),
    ("[dialects]\n'#' = 'jinja'", "2:1: '#' is no glob; write one as in a .gitignore file"),
    ("[values]\nx = []", "2:1: 'x' names no event; write 'constant' for a value that never changes"),
    (
        "[values]\nx = ['constant', 'day']",
        "2:1: 'x' is 'constant' and changes as well; keep one of the two",
    ),
    (
        "[values]\n'user.id' = 'user'\nuser.id = 'user'",
        "3:6: 'user.id' is stated a second time, first in line 2; keep one of the two",
    ),
    # Texts that are no TOML.
    ("a b", "1:3: this is not TOML: expected '=' after a key in a key/value pair; correct the syntax"),
    ("\r\nx = [1", "2:7: this is not TOML: unclosed array; correct the syntax"),
    ("model = 'a'\nmodel = 'b'", "2:12: this is not TOML: cannot overwrite a value; correct the syntax"),
    ("\ufeffmodel = 'a'", "1:1: the file begins with a byte order mark; save it as UTF-8 without one"),
    (b"# \xc3\xa9\nmodel = 'caf\xe9'", "2:13: the file is not UTF-8; save it as UTF-8"),
    ("model = 'a'".encode("utf-16"), "1:1: the file is not UTF-8; save it as UTF-8"),
    ("x = " + "[" * 5000 + "]" * 5000, "1:1: the values are nested too deeply; flatten them"),
]


@pytest.mark.parametrize("text, message", ERRORS)
def test_errors_point_at_the_key(project: Path, text: str | bytes, message: str) -> None:
    assert error(project, text) == f"promptlint.toml:{message}"


def test_errors_in_pyproject(project: Path) -> None:
    text = "[tool.other]\nhorizn = 1\n\n[tool.promptlint]\nmodel = 'm'\nhorizn = 'user'\n"
    assert error(project, text, "pyproject.toml") == (
        "pyproject.toml:6:1: no setting is called 'horizn'; did you mean 'horizon'?"
    )


@pytest.mark.parametrize(
    "text, message",
    [
        ("[tool]\npromptlint = 3\n", "2:1: 'promptlint' is an integer; make it a table"),
        ("[tool.promptlint.reqest]\n", "1:18: no setting is called 'reqest'; did you mean 'request'?"),
        ("[tool.promptlint]\nmodel = \n", "2:9: this is not TOML: invalid value; correct the syntax"),
        ("# \xe9 promptlint", "1:3: the file is not UTF-8; save it as UTF-8"),
    ],
)
def test_our_table_in_pyproject_is_held_to_the_same(project: Path, text: str, message: str) -> None:
    assert error(project, text.encode("latin-1"), "pyproject.toml") == f"pyproject.toml:{message}"


def test_a_file_elsewhere_is_shown_in_full(project: Path) -> None:
    (project / "here").mkdir()
    path = project / "promptlint.toml"
    path.write_text("x = 1")
    with pytest.MonkeyPatch.context() as patch, pytest.raises(ConfigError) as caught:
        patch.chdir(project / "here")
        load_config(Path())
    assert str(caught.value).startswith(f"{path}:1:1: no setting is called 'x'; did you mean ")


def test_a_file_that_cannot_be_read(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(_: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", deny)
    (project / "pyproject.toml").touch()
    assert load_config(project).path is None
    (project / "promptlint.toml").touch()
    with pytest.raises(ConfigError) as caught:
        load_config(project)
    assert str(caught.value) == (
        "promptlint.toml:1:1: the file cannot be read (permission denied); make it readable, or pass --isolated"
    )


@pytest.mark.parametrize(
    "text, line, column",
    [
        ('[values]\nuser.id = "user"', 2, 1),
        ('[values.user]\n  id = "user"', 2, 3),
        ('[values]\nuser = { id = "user" }', 2, 10),
        ('[values]\nuser = {name = "user", id = "user"}', 2, 24),
        ('values."user.id" = "user"', 1, 1),
        ('"values" . user . "id" = "user"', 1, 1),
        ("values.user.'id' = 'user'", 1, 1),
        ('[values]\n"user\\u002Eid" = "user"', 2, 1),
        ('[values] # id = 1\n# id = 2\nx.y = "day"\n\n user.id = "user"', 5, 2),
        ('model = """\n[values]\nuser.id = "x"\\"""" # """\n[values]\nuser.id = "user"', 5, 1),
        ("model = '''\n[values]\nuser.id = '' ''''\n[values]\nuser.id = 'user'", 5, 1),
        ('include = [\n  "[values]", # ]\n  "user.id = {"\n]\n[values]\r\nuser.id = "user"', 6, 1),
        ('[sizes]\nuser.id = 3\n[values]\n"é漢".x = "day"\nuser.id = "user"', 5, 1),
    ],
)
def test_places_of_rules(project: Path, text: str, line: int, column: int) -> None:
    rule = load(project, text).values["user.id"]
    assert rule.place.source.position(rule.place.span.start) == Position(line, column)


def test_a_name_of_many_parts(project: Path) -> None:
    name = ".".join("a" * 2000)
    assert list(load(project, f"[values]\n{name} = 'day'").values) == [name]


class TestExtend:
    def test_single_settings_replace_and_tables_add_up(self, project: Path) -> None:
        (project / "shared.toml").write_text(
            'model = "far"\nhorizon = "fleet"\nexclude = ["a"]\nbaseline = "x.json"\n'
            '[values]\na = "day"\nb = "day"\n[[suppress]]\npath = "a"\nrule = "clock-in-prefix"\n'
        )
        config = load(
            project,
            'extend = "shared.toml"\nmodel = "near"\nexclude = ["b"]\n[values]\nb = "user"\n'
            '[[suppress]]\npath = "b"\nrule = "clock-in-prefix"\n',
        )
        assert (config.model, config.horizon, config.exclude) == ("near", "fleet", ("b",))
        assert {name: rule.events for name, rule in config.values.items()} == {"a": {Event.DAY}, "b": {Event.USER}}
        assert [entry.path for entry in config.suppress] == ["a", "b"]

    def test_paths_run_from_the_file_that_says_them_and_globs_from_the_last_one(self, project: Path) -> None:
        (project / "shared" / "rules").mkdir(parents=True)
        (project / "shared" / "promptlint.toml").write_text(
            'baseline = "known.json"\nrule-dirs = ["rules"]\ninclude = ["*.x"]\n'
        )
        config = load(project, 'extend = "shared/promptlint.toml"\n')
        assert config.baseline == project / "shared" / "known.json"
        assert config.rule_dirs == (project / "shared" / "rules",)
        assert config.root == project
        assert list(config.matching(project / "a.x", config.include)) == ["*.x"]

    def test_over_several_files_and_out_of_pyproject(self, project: Path) -> None:
        (project / "a").mkdir()
        (project / "pyproject.toml").write_text('[tool.promptlint]\nmodel = "top"\nprovider = "openai"\n')
        (project / "b.toml").write_text('extend = "pyproject.toml"\nhorizon = "user"\n')
        config = load(project / "a", 'extend = "../b.toml"\nmodel = "near"\n')
        assert (config.model, config.horizon, config.provider) == ("near", "user", "openai")

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("extend = 3", "1:1: 'extend' is no path; write a string, such as '../promptlint.toml'"),
            ("extend = 'no.toml'", "1:1: 'no.toml' is no file with a promptlint configuration; check the path"),
            ("extend = '.'", "1:1: '.' is no file with a promptlint configuration; check the path"),
            ("extend = 'promptlint.toml'", "1:1: 'promptlint.toml' extends this file in turn; break the circle"),
        ],
    )
    def test_what_cannot_be_extended(self, project: Path, text: str, said: str) -> None:
        assert error(project, text) == f"promptlint.toml:{said}"

    def test_an_error_is_shown_in_the_file_that_has_it(self, project: Path) -> None:
        (project / "shared.toml").write_text("\nhorizn = 'user'\n")
        assert error(project, "extend = 'shared.toml'").startswith("shared.toml:2:1: no setting is called 'horizn'")

    def test_where_each_setting_is_stated(self, project: Path) -> None:
        (project / "shared.toml").write_text('model = "far"\n[values]\na.b = "day"\n')
        stated = load(project, 'extend = "shared.toml"\nhorizon = "user"\n[values]\nc = "day"').stated
        at = {key: (place.source.path, place.source.position(place.span.start).line) for key, place in stated.items()}
        assert at == {
            "model": ("shared.toml", 1),
            "horizon": ("promptlint.toml", 2),
            "values": ("promptlint.toml", 3),
            "values.a.b": ("shared.toml", 3),
            "values.c": ("promptlint.toml", 4),
        }


def test_a_hidden_file_counts_behind_the_plain_one(project: Path) -> None:
    load(project, 'model = "shared"', "pyproject.toml")
    assert load(project, 'model = "hidden"', ".promptlint.toml").model == "hidden"
    assert load(project, 'model = "plain"').model == "plain"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("select = 'values'", "1:1: 'select' is a string; write an array of rule names"),
        ("select = ['valus']", "1:1: no rule is called 'valus'; did you mean 'values'?"),
        ("ignore = [1]", "1:1: a rule is named by an integer; write its name as a string"),
        ("severity = 3", "1:1: 'severity' is an integer; make it a table"),
        ("[severity]\nclock = 'note'", "2:1: no rule is called 'clock'; did you mean 'clock-in-prefix'?"),
        (
            "[severity]\nclock-in-prefix = 'off'",
            "2:1: 'clock-in-prefix' has no severity; write one of 'error', 'warning', 'note'",
        ),
        ("[per-file-ignores]\n'a' = 'all'", "2:1: 'a' is a string; write an array of rule names"),
        ("[per-file-ignores]\n'' = ['all']", "2:1: '' is no glob; write one as in a .gitignore file"),
        ("require-reason = 1", "1:1: 'require-reason' is an integer; write true or false"),
        ("baseline = 1", "1:1: 'baseline' is an integer; write a string, such as '.promptlint-baseline.json'"),
        ("rule-dirs = 'a'", "1:1: 'rule-dirs' is a string; make it an array"),
        ("rule-dirs = ['a']", "1:1: 'a' is no folder; name one, from the configuration's folder on"),
        ("rule-dirs = [1]", "1:1: '0' is an integer; write a string, such as 'lint/rules'"),
        ("suppress = 1", "1:1: 'suppress' is an integer; make it an array"),
        ("suppress = [1]", "1:1: an entry of 'suppress' is an integer; make it a table"),
        ("[[suppress]]\nrule = 'clock-in-prefix'", "1:3: this entry has no 'path'; say which file it is about"),
        ("[[suppress]]\npath = 'a'", "1:3: this entry has no 'rule'; say which rule it is about"),
        ("[[suppress]]\npath = 'a'\nline = '3'", "3:1: no key of [[suppress]] is called 'line'; did you mean 'rule'?"),
        ("[[suppress]]\npath = 'a'\nrule = 3", "3:1: 'rule' is an integer; write a string"),
        (
            "[[suppress]]\npath='a'\nrule='clock-in-prefix'\n[[suppress]]\npath='b'\nrule='clok'",
            "4:3: no rule is called 'clok'; did you mean 'clock-in-prefix'?",
        ),
        (
            "[[suppress]]\npath='a'\nrule='clock-in-prefix'\nat='messages'",
            "1:3: 'messages' is no JSON pointer; it begins with a slash, such as '/messages/0/content'",
        ),
    ],
)
def test_settings_about_rules_say_what_is_wrong(project: Path, text: str, said: str) -> None:
    assert error(project, text) == f"promptlint.toml:{said}"


@pytest.mark.parametrize("name", ["OpenAI", "claude", " vllm "])
def test_providers_are_known_by_aliases_and_in_any_case(project: Path, name: str) -> None:
    from promptlint.providers.registry import provider

    config = load(project, f"provider = '{name}'")
    assert config.provider == name
    assert provider(name).name in {"openai", "anthropic", "vllm"}


def test_horizons_are_those_of_the_table() -> None:
    assert tuple(each.name for each in horizons()) == HORIZONS


def test_without_a_configuration_nothing_slow_is_imported(project: Path) -> None:
    (project / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    program = (
        "import sys; from pathlib import Path; from promptlint.config import load_config\n"
        "config = load_config(Path()); config.dialect_of(Path('a.j2'))\n"
        "print(sorted({'tomllib', 'msgspec', 'pathspec', 'promptlint.providers'} & set(sys.modules)))"
    )
    repository = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(repository)}
    )
    assert done.stdout.strip() == "[]"


BARE = st.text(string.ascii_letters + string.digits + "-_", min_size=1, max_size=4)
NAMES = st.one_of(BARE, st.sampled_from(["", "a.b", "é", "#", "[x]", "=", "{", ",", '"', "\\", "tab\t"]))
VALUES = st.sampled_from(
    ["1", "-1.5e3", "true", "1979-05-27T07:32:00Z", '"a # [b] {c} = ,"', "'#'", '"""\nx = "1"\n"""', "'''\n[t]'''"]
)
TREES = st.recursive(
    st.one_of(VALUES, st.lists(VALUES, max_size=3)),
    lambda inner: st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


def quoted(name: str) -> str:
    if name and set(name) <= set(string.ascii_letters + string.digits + "-_"):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t") + '"'


def value_of(tree: Any) -> str:
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{quoted(key)} = {value_of(value)}" for key, value in tree.items()) + "}"
    return f"[ {' , '.join(tree)}, # ]\n]" if isinstance(tree, list) and tree else "[]" if tree == [] else str(tree)


def lines_of(tree: dict[str, Any], path: tuple[str, ...], draw: Any) -> list[str]:
    """The tree as TOML: each table as an inline table, with dotted keys, or under a header of its own."""
    lines: list[str] = []
    below: list[str] = []
    for key, value in tree.items():
        written = quoted(key)
        way = draw(st.sampled_from(["inline", "dotted", "header"])) if isinstance(value, dict) and value else "inline"
        if way == "header":
            below.append("[" + " . ".join(map(quoted, (*path, key))) + "] # [x]")
            below.extend(lines_of(value, (*path, key), draw))
        elif way == "dotted":
            lines.extend(f" {written} . {quoted(name)}= {value_of(inner)}" for name, inner in value.items())
        else:
            lines.append(f"{written} ={value_of(value)} # = 1")
    return [*lines, "", *below]


def paths_of(tree: Any, path: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    if not isinstance(tree, dict):
        return set()
    return {(*path, key) for key in tree}.union(*(paths_of(value, (*path, key)) for key, value in tree.items()))


@given(st.dictionaries(NAMES, TREES, max_size=4), st.data())
def test_every_key_is_found_where_it_stands(tree: dict[str, Any], data: st.DataObject) -> None:
    text = "\n".join(lines_of(tree, (), data.draw))
    read = tomllib.loads(text)
    found = locate(text)
    assert set(found) == paths_of(read) == paths_of(tree)
    for path, place in found.items():
        assert text.startswith(quoted(path[-1]), place.part)
        assert place.whole <= place.part
        assert "\n" not in text[place.whole : place.part]
