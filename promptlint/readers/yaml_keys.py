"""What the keys and the path of a YAML file say about prompts in it (`rules/data/yaml_keys.toml`)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from typing import Any

from promptlint.data import load_toml
from promptlint.prompt import Section

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[^\W_A-Za-z0-9]+")
_WRITTEN_KEY = re.compile(r"""(?<![\w.-])([\w.-]{1,60})["']?[ \t]*:""")
_TOP_KEY = re.compile(r"""(?m)^(?:-[ \t]+|\{\s*)?["']?([$\w.-]{1,60})["']?[ \t]*:(?=\s|$)""")
_SPACED = re.compile(r"\S*[^\W\d_]\S*")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_PARTS_THAT_COUNT = 3


@dataclass(frozen=True, slots=True)
class Key:
    """What a key says about the text under it.

    A key without role and section is a prompt that says itself what it is. `clear` keys are only used for prompts.
    `stem` is what stands before the known words and names the request that the text belongs to.
    """

    role: str | None = None
    section: Section | None = None
    clear: bool = True
    stem: str = ""


def table() -> dict[str, Any]:
    """The tables of `yaml_keys.toml`; shared, so only to be read."""
    return load_toml("yaml_keys.toml")


@lru_cache(4096)
def words(key: str) -> str:
    """A key as lower-case words with one blank between them."""
    return " ".join(found.lower() for found in _WORD.findall(key))


@lru_cache(4096)
def key_of(phrase: str) -> Key | None:
    """What a key means, given in words; None when it holds no prompt."""
    whole, ends = _vocabulary()
    if phrase in whole:
        return whole[phrase]
    rest = phrase
    # The longest ending that is known counts: "user prompt template" before "template".
    while " " in rest:
        rest = rest.split(" ", 1)[1]
        if rest in ends:
            known = ends[rest]
            return Key(known.role, known.section, known.clear, phrase.removesuffix(rest).strip())
    return None


@cache
def _vocabulary() -> tuple[dict[str, Key], dict[str, Key]]:
    whole: dict[str, Key] = {}
    ends: dict[str, Key] = {}
    for row in (*table()["key"], *table()["part"]):
        section = Section(row["section"]) if "section" in row else None
        key = Key(row.get("role"), section, not row.get("vague", False))
        whole.update(dict.fromkeys((*row["words"], *row.get("ends", ())), key))
        ends.update(dict.fromkeys(row.get("ends", ()), key))
    return whole, ends


def may_hold_prompts(text: str) -> bool:
    """Whether keys that a prompt can begin with stand anywhere in the text: reading YAML is slow, and most has none."""
    written = set(map(words, set(_WRITTEN_KEY.findall(text))))
    if not written.isdisjoint(_starting_points()):
        return True
    if any(written.issuperset(shape["needs"]) for shape in table()["shape"]):
        return True
    return any(key.section is None for phrase in written if (key := key_of(phrase)) is not None)


def names_prompts(text: str) -> bool:
    """Whether a key that only prompts have stands anywhere in the text."""
    written = set(map(words, set(_WRITTEN_KEY.findall(text))))
    return any((key := key_of(phrase)) is not None and key.clear and key.section is None for phrase in written)


@cache
def _starting_points() -> frozenset[str]:
    """Keys, other than those of texts, with which a prompt can begin."""
    lists = table()["messages"]["lists"]
    return frozenset(
        {*lists, *table()["messages"]["role"], *(word for row in table()["collection"] for word in row["words"])}
    )


def is_named(path: str) -> bool:
    """Whether the file's name alone says that it is a prompt."""
    name = _parts(path)[-1]
    return any(fnmatchcase(name, glob) for glob in table()["file"]["named"])


def is_unrelated(path: str, document: str) -> bool:
    """Whether a document is of a kind that holds no prompts, by its path and the keys at its top."""
    keys = set(_TOP_KEY.findall(document))
    slashed = "/" + "/".join(_parts(path))
    for row in table()["unrelated"]:
        if row["keys"] and keys.issuperset(row["keys"]):
            return True
        if any(fnmatchcase(slashed, f"*/{glob}") for glob in row.get("paths", ())):
            return True
    return _is_translation(path, keys)


def _is_translation(path: str, keys: Collection[str]) -> bool:
    said = table()["translations"]
    *folders, name = _parts(path)
    if any(folder.lower() in said["unless"] for folder in folders):
        return False
    stem = name.rsplit(".", 1)[0].rsplit(".", 1)[-1]
    if _is_language(stem) or any(folder.lower() in said["folders"] for folder in folders):
        return True
    return len(keys) == 1 and _is_language(next(iter(keys)))


def _is_language(name: str) -> bool:
    """`en`, `pt-BR`, `zh_Hans`."""
    language, *region = re.split("[-_]", name)
    plausible = len(region) <= 1 and all(part.isalpha() and 2 <= len(part) <= 4 for part in region)
    return plausible and language in table()["translations"]["languages"]


def has_sign(path: str, above: Iterable[str], beside: Iterable[str], text: str) -> bool:
    """Whether something near a vague key speaks of models: the path, the keys above or beside it, the first words."""
    signs = table()["signs"]
    near = " ".join(map(words, (*_parts(path)[-_PARTS_THAT_COUNT:], *above))).split()
    if not set(near).isdisjoint(signs["around"]) or not set(beside).isdisjoint(signs["beside"]):
        return True
    return text.lstrip().lower().startswith(tuple(signs["opening"]))


def reads_like_prose(text: str, clear: bool) -> bool:
    """Whether a text has as many words as a prompt under a clear or a vague key must have."""
    least: int = table()["prose"]["clear" if clear else "vague"]
    return len(_SPACED.findall(text)) + len(_UNSPACED.findall(text)) // 2 >= least


def _parts(path: str) -> list[str]:
    return path.replace("\\", "/").strip("/").split("/") or [""]
