"""Every setting: how it is read, what it is for, and what an editor may offer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from promptlint.config import values
from promptlint.config.rule_names import SUPPRESS_KEYS, RuleNames
from promptlint.finding import Severity
from promptlint.served import DTYPES, KEYS, read_serving
from promptlint.toml_keys import Entry, string


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting. `read` is given the entry, the folder that its paths run from, and the rules that it may name.

    `default` and `example` are TOML, `schema` is the value's JSON Schema.
    """

    read: Callable[[Entry, Path, RuleNames], Any]
    summary: str
    default: str
    example: str
    schema: Mapping[str, Any]


def _plain(
    read: Callable[[Entry], Any], summary: str, default: str, example: str, schema: Mapping[str, Any]
) -> Setting:
    return Setting(lambda entry, _folder, _names: read(entry), summary, default, example, schema)


_TEXT: Mapping[str, Any] = {"type": "string"}
_TEXTS: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}}
_TOKENS: Mapping[str, Any] = {"type": "integer", "minimum": 0}
_DIALECT: Mapping[str, Any] = {"enum": list(values.DIALECTS)}
_EVENT: Mapping[str, Any] = {"enum": [*values.EVENTS, values.NEVER_CHANGES]}
_EVENTS_OF_A_VALUE: Mapping[str, Any] = {
    "anyOf": [_EVENT, {"type": "array", "items": _EVENT, "minItems": 1}, {"type": "object"}]
}


def _table_of(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"type": "object", "additionalProperties": schema}


def _record(properties: Mapping[str, Any], required: list[str]) -> Mapping[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


_COUNT: Mapping[str, Any] = {"type": "integer", "minimum": 1}
_LENGTH_OF_TIME: Mapping[str, Any] = {"type": "string", "pattern": r"^\s*[0-9]{1,9}\s*[smhd]\s*$"}
_BILLIONS: Mapping[str, Any] = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1_000_000}
_SERVED: Mapping[str, Any] = {
    "params": _BILLIONS,
    "active-params": _BILLIONS,
    "kv-dtype": {"enum": list(DTYPES)},
    "weight-dtype": {"enum": list(DTYPES)},
    "gpus": {"type": "integer", "minimum": 1, "maximum": 4096},
}

SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "extend": _plain(
            lambda entry: string(entry, "../promptlint.toml"),
            "another configuration to build on; single settings replace its own, tables and [[suppress]] add to them",
            "",
            'extend = "../promptlint.toml"',
            _TEXT,
        ),
        "provider": _plain(
            values.provider,
            "who caches; without it both render orders are looked at",
            "",
            'provider = "anthropic"',
            _TEXT,
        ),
        "model": _plain(
            values.model, "the model that the prompts are for", "", 'model = "claude-opus-5"', {**_TEXT, "minLength": 1}
        ),
        "horizon": _plain(
            values.horizon,
            "look at one horizon only",
            "",
            'horizon = "user"',
            {"enum": list(values.HORIZONS)},
        ),
        "persona": _plain(
            values.persona,
            "who reads: auditor adds who shares a cache, and what may leak",
            '"regular"',
            'persona = "auditor"',
            {"enum": list(values.PERSONAS)},
        ),
        "ignore-below": _plain(
            values.tokens,
            "tokens; smaller losses inside user messages are not said",
            "100",
            "ignore-below = 300",
            _TOKENS,
        ),
        "dialect": _plain(values.dialect, "the dialect of every template", "", 'dialect = "jinja"', _DIALECT),
        "dialects": _plain(
            values.dialects,
            "the dialect of files by glob; of several that match the last counts",
            "",
            '[dialects]\n"prompts/legacy/*.md" = "strformat"',
            _table_of(_DIALECT),
        ),
        "include": _plain(values.globs, "more prompt files, as globs", "[]", 'include = ["texts/*.txt"]', _TEXTS),
        "exclude": _plain(
            values.globs,
            "files and folders that are never read, as globs",
            "[]",
            'exclude = ["prompts/old/**"]',
            _TEXTS,
        ),
        "request": _plain(
            values.request,
            "what surrounds a template, in tokens; the whole request is then visible",
            "",
            "[request]\ntools = 1500\nhistory = 3000",
            _record(dict.fromkeys(values.SURROUNDINGS, _TOKENS), []),
        ),
        "sizes": _plain(
            values.sizes,
            "assumed tokens of a hole, by its name or kind",
            "",
            "[sizes]\nretrieved_docs = 2400",
            _table_of({"anyOf": [_TOKENS, {"type": "object"}]}),
        ),
        "traffic": _plain(
            values.traffic,
            "how many requests a day, and the time between two that begin alike",
            "",
            '[traffic]\nrequests-per-day = 20000\ninterval = "20m"',
            _record({"requests-per-day": _COUNT, "interval": {"anyOf": [_COUNT, _LENGTH_OF_TIME]}}, []),
        ),
        "serving": _plain(
            read_serving,
            "the model that is served and what it runs on, for prices in bytes and seconds",
            "",
            '[serving]\nmodel = "llama-3-70b"\ngpu = "h100"\ngpus = 8',
            _record({**dict.fromkeys(KEYS, _TEXT), **_SERVED}, []),
        ),
        "values": _plain(
            values.values,
            'when your own names change: events, or "constant"',
            "",
            '[values]\nticket_id = "session"\npersona = "constant"',
            _table_of(_EVENTS_OF_A_VALUE),
        ),
        "select": Setting(
            lambda entry, _folder, names: names.listed(entry),
            "rules or groups to run, instead of all",
            '["all"]',
            'select = ["values", "syntax-error"]',
            _TEXTS,
        ),
        "ignore": Setting(
            lambda entry, _folder, names: names.listed(entry),
            "rules or groups to leave out",
            "[]",
            'ignore = ["identity-in-prefix"]',
            _TEXTS,
        ),
        "severity": Setting(
            lambda entry, _folder, names: names.severities(entry),
            "the severity of a rule's findings, whatever the evidence",
            "",
            '[severity]\nsession-in-prefix = "error"',
            _table_of({"enum": [each.label for each in Severity]}),
        ),
        "per-file-ignores": Setting(
            lambda entry, _folder, names: names.by_glob(entry),
            "rules or groups that say nothing about files, by glob",
            "",
            '[per-file-ignores]\n"tests/**" = ["all"]',
            _table_of(_TEXTS),
        ),
        "suppress": Setting(
            lambda entry, _folder, names: names.suppressions(entry),
            "single findings that are known and stay, for files that hold no comments",
            "",
            '[[suppress]]\npath = "prompts/reply.json"\nrule = "clock-in-prefix"\nat = "/messages/0/content"\n'
            'text = "{now}"\nreason = "the caller passes the date"',
            {"type": "array", "items": _record(dict.fromkeys(SUPPRESS_KEYS, _TEXT), ["path", "rule"])},
        ),
        "require-reason": _plain(
            values.flag,
            "whether a suppression without a reason is an error",
            "false",
            "require-reason = true",
            {"type": "boolean"},
        ),
        "baseline": Setting(
            lambda entry, folder, _names: values.path(entry, folder, values.BASELINE),
            "the file of known findings, which `promptlint baseline write` writes",
            "",
            f'baseline = "{values.BASELINE}"',
            _TEXT,
        ),
        "rule-dirs": Setting(
            lambda entry, folder, _names: values.folders(entry, folder),
            "folders with rules of your own",
            "[]",
            'rule-dirs = ["lint/rules"]',
            _TEXTS,
        ),
    }
)

TABLES = frozenset({"dialects", "sizes", "values", "severity", "per-file-ignores", "suppress"})
"""Settings whose parts add up over files that extend each other; others are replaced."""
