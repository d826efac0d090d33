"""Which files are prompts: the ones that are named, and what is met on a walk through folders."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from promptlint.config import Config, find_root
from promptlint.project.ignoring import Ignored, spec_of
from promptlint.project.programs import PROGRAM_SUFFIXES, is_for_tests, is_program

if TYPE_CHECKING:
    pass

TEMPLATE_SUFFIXES = frozenset({".j2", ".jinja", ".jinja2", ".prompt", ".prompty", ".tmpl"})
TEXT_SUFFIXES = frozenset({".txt", ".md", ".hbs", ".handlebars", ".mustache"})
DATA_SUFFIXES = frozenset({".json", ".jsonl", ".yaml", ".yml"})
"""Of files that may hold anything: what a walk meets of them is passed over when there is no prompt in it."""

_GIT_IGNORE = ".gitignore"
_OWN_IGNORE = ".promptlintignore"
_NOT_WALKED = frozenset({"node_modules", "venv", "__pycache__", "dist", "build", "site-packages"})
_RESIDUE = ("._", ".#")

_AGENT_FILE = re.compile(
    r"(?:claude|agents|gemini|skill)(?:\.local|\.override)?\.md"
    r"|.+\.(?:agent|prompt|instructions|chatmode)\.md"
    r"|\.?(?:cursor|windsurf|cline|roo)rules(?:\.md)?"
)
_NEVER_TEXT = re.compile(
    r"(?:readme|licen[sc]e|changelog|contributing).*"
    r"|(?:requirements|constraints).*\.txt"
    r"|(?:robots|humans|llms|llms-full|cmakelists|top_level|entry_points)\.txt"
    r"|(?:code_of_conduct|notice|authors|maintainers)\.(?:txt|md)"
)
_PROMPT_DATA = re.compile(r"[^.].*\.prompt\.(?:json|ya?ml)")
_OTHER_NAME = re.compile(
    r"readme|licen[sc]e|changelog|contributing|(?:docker|container|make|jenkins|vagrant|proc|caddy|gem|brew)file"
    r"|hosts|crontab|fstab|sudoers|sshd?_config|motd"
)
_OTHER_SUFFIX = re.compile(
    r"\.(?:adoc|bash|bat|bib|c|cc|cfg|cjs|cmake|cmd|cnf|conf|config|cpp|cron|cs|css|csv|desktop|diff|env|fish|go|gql"
    r"|gradle|graphql|h|hcl|hpp|html?|ics|ini|ipynb|java|js|jsonl?|jsx|key|kts?|less|lock|log|lua|m|mjml|mjs|mk|mount"
    r"|nix|nomad|patch|pem|php|pl|plist|properties|proto|ps1|pyi?|r|rb|repo|rs|rst|sass|scala|scss|service|sh|socket"
    r"|sql|svelte|svg|swift|tex|tf|tfvars|timer|toml|tsv|tsx?|vcl|vue|xhtml|xml|xsl|ya?ml|zsh)"
)
_CHANGE_OF_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PROMPT_WORD = re.compile(
    r"(?<![a-z])(?:(?:system|sys|sk)?prompts?|personas?|instructions?|(?<!user[-_ ])agents?|few[-_ ]?shots?|skills?"
    r"|(?<!file[-_ ])(?<!design[-_ ])(?<!operating[-_ ])system(?![-_ ](?:architecture|design|overview|requirements)))"
    r"(?![a-z])"
)
_DOCUMENTATION = frozenset({"doc", "docs", "documentation"})
_PROMPT_FOLDERS = frozenset({"prompt", "prompts"})

_ABOVE_TEXT = re.compile(r"[\s\ufeff]+|\{#.*?#\}|\{%.*?%\}|<!--.*?-->", re.DOTALL)
_HTML_FILE = re.compile(r"""["'][^"']*\.(?:html?|xhtml|xml)(?:\.\w+)?["']""")
_MARKUP = re.compile(
    r"(?i:<!doctype|<\?(?:xml|php)|<(?:html|head|body|div|nav|table|svg|mjml)(?=[\s/>])"
    r"|<(?:meta|link|script|style)\s+[\w:-]+=)"
    r"|\#!\s?/|\#include\s*[<\"]|\#\s*\{\{\s*ansible_managed"
    r"|\[(?:Unit|Service|Install|Desktop Entry)\]"
    r"|(?:---\s+)?(?:apiVersion:\s|services:\s*\n)|(?:server|http|upstream\s+\w+)\s*\{\s"
    r"|FROM\s+[\w./-]+(?::[\w.-]+|\s+AS\s+\w+)\s|package\s+\w+;?\r?\n|syntax\s*=\s*\"proto"
    r"|-----BEGIN\s|\\documentclass\b"
)
_BEGINNING = 4000

_YAML = frozenset({".yaml", ".yml"})
_MOST_OF_YAML = 200_000
"""Bytes of a YAML file in which keys are looked for."""


def walk(paths: Sequence[Path], config: Config) -> Iterator[Path]:
    """Prompt files at these paths, each once, in the order of the paths; folders in the order of names.

    A named file is a prompt whatever it is called; a path that does not exist gives nothing. What `exclude` or a
    `.promptlintignore` leaves out is left out even when it is named. Links to folders are not followed.
    """
    seen: set[str] = set()
    for path in paths:
        for file in _files(path, config):
            real = os.path.realpath(file)
            if real not in seen:
                seen.add(real)
                yield file


def is_prompt_file(path: Path) -> bool:
    """Whether a file met on a walk is a prompt, as its name and the folders on `path` say.

    `path` begins where its folders begin to mean something: at the project's root.
    """
    name, suffix = path.name.lower(), path.suffix.lower()
    if name.startswith(_RESIDUE):
        return False
    if _AGENT_FILE.fullmatch(name):
        return True
    if suffix in PROGRAM_SUFFIXES:
        return is_program(path)
    if suffix in TEMPLATE_SUFFIXES:
        return not _is_other_template(name.removesuffix(suffix))
    if suffix in DATA_SUFFIXES:
        return bool(_PROMPT_DATA.fullmatch(name)) or (not name.startswith(".") and _says_prompt(path))
    return suffix in TEXT_SUFFIXES and not _NEVER_TEXT.fullmatch(name) and _says_prompt(path)


def looks_like_markup(text: str) -> bool:
    """Whether a template begins like a web page, a script or a configuration file, which is no prompt."""
    beginning, at = text[:_BEGINNING], 0
    while (above := _ABOVE_TEXT.match(beginning, at)) is not None:
        if above[0].startswith("{%") and _HTML_FILE.search(above[0]):
            return True
        at = above.end()
    return _MARKUP.match(beginning, at) is not None


def relative(path: Path, base: Path) -> str:
    """How a path is shown: from `base` on with forward slashes when it lies below, else as given."""
    return path.relative_to(base).as_posix() if path.is_relative_to(base) else str(path)


def _is_other_template(stem: str) -> bool:
    """Whether a template, its last suffix taken off, is one of a configuration file, a page or a program."""
    first = stem.split(".", 1)[0]
    # A leading dot: `.env.j2`, `.bashrc.j2`.
    return bool(not first or _OTHER_NAME.fullmatch(first) or _OTHER_SUFFIX.fullmatch(Path(stem).suffix))


def _says_prompt(path: Path) -> bool:
    folders = path.parts[:-1]
    lowered = {folder.lower() for folder in folders}
    if lowered & _DOCUMENTATION:
        # What is written about prompts uses the same words.
        return bool(lowered & _PROMPT_FOLDERS)
    return any(_PROMPT_WORD.search(_CHANGE_OF_CASE.sub("_", name).lower()) for name in (*folders, path.stem))


def _files(path: Path, config: Config) -> Iterator[Path]:
    mode = _mode(path)
    if not mode:
        return
    folder = stat.S_ISDIR(mode)
    real = Path(os.path.realpath(path)) if folder else Path(os.path.realpath(path.parent), path.name)
    root = config.root.as_posix()
    own = Ignored().plus(root, config.exclude) if config.exclude else Ignored()
    git, hidden = Ignored(), False
    above = _folders_above(real, find_root(real if folder else real.parent), config.root)
    for parent, entry in pairwise((*above, real)):
        own = own.within(parent.as_posix(), _OWN_IGNORE)
        git = git.within(parent.as_posix(), _GIT_IGNORE) if folder else git
        below = entry.as_posix() + ("/" if folder or entry != real else "")
        if own.covers(below):
            return
        hidden = hidden or git.covers(below)
    if folder:
        # Who names a folder that git ignores means it.
        yield from _Walk(path, real, config).files(own, Ignored() if hidden else git)
    else:
        yield path


def is_met(path: Path, config: Config) -> bool:
    """Whether a walk through the file's project would meet it."""
    real, root = Path(os.path.realpath(path.parent), path.name), config.root
    if not real.is_relative_to(root) or not stat.S_ISREG(_mode(real)):
        return False
    walk = _Walk(root, root, config)
    own = Ignored().plus(root.as_posix(), config.exclude) if config.exclude else Ignored()
    git = Ignored()
    above = _folders_above(real, find_root(real.parent), root)
    for parent, entry in pairwise((*above, real)):
        own, git = own.within(parent.as_posix(), _OWN_IGNORE), git.within(parent.as_posix(), _GIT_IGNORE)
        below = entry.as_posix() + ("/" if entry != real else "")
        if own.covers(below) or git.covers(below):
            return False
        if entry != real and entry.is_relative_to(root) and entry != root and not walk.enters(entry):
            return False
    return walk.takes(real)


def _folders_above(real: Path, repository: Path, project: Path) -> tuple[Path, ...]:
    """The folders around a path whose ignore files count, the outermost first."""
    outermost = project if repository.is_relative_to(project) else repository
    return tuple(folder for folder in reversed(real.parents) if folder.is_relative_to(outermost))


def _mode(path: Path) -> int:
    """What kind of file it is, 0 when there is none."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):
        return 0


class _Walk:
    """A walk through one folder."""

    def __init__(self, start: Path, real: Path, config: Config) -> None:
        self._start, self._real = start, real.as_posix()
        self._root = config.root.as_posix().rstrip("/") + "/"
        self._include = spec_of(config.include) if config.include else None
        self._opened = frozenset(_literal_folders(config.include))
        inside = self._real.startswith(self._root)
        self._cut = len(self._root) if inside else len(self._real.rstrip("/")) + 1
        # What a repository is called says nothing about its files; what a loose folder is called does.
        whole = config.path is not None or (real / ".git").exists()
        self._named = "" if inside or whole or not real.name else f"{real.name}/"

    def files(self, own: Ignored, git: Ignored) -> Iterator[Path]:
        waiting = [(self._start, self._real, own, git, True)]
        while waiting:
            path, real, own, git, folder = waiting.pop()
            if not folder:
                yield path
                continue
            own, git = own.within(real, _OWN_IGNORE), git.within(real, _GIT_IGNORE)
            for entry in reversed(_entries(path)):
                below, folder = f"{real.rstrip('/')}/{entry.name}", entry.is_dir(follow_symlinks=False)
                if folder:
                    slashed = f"{below}/"
                    if self.enters(Path(below)) and not own.covers(slashed) and not git.covers(slashed):
                        waiting.append((path / entry.name, below, own, git, True))
                elif self._may_take(met := Path(below)) and not own.covers(below) and not git.covers(below):
                    file = path / entry.name
                    if stat.S_ISREG(_mode(file)) and self.takes(met):
                        waiting.append((file, below, own, git, False))

    def enters(self, folder: Path) -> bool:
        """Whether the walk goes into a folder that it meets."""
        skipped = folder.name.startswith(".") or folder.name in _NOT_WALKED
        real = folder.as_posix()
        return not skipped or (real.startswith(self._root) and real[len(self._root) :] in self._opened)

    def takes(self, file: Path) -> bool:
        """Whether a file that the walk meets is a prompt: by its name, by `include`, or by the keys in it."""
        return self._is_named(file) or _names_prompts(file, self._shown(file))

    def _may_take(self, file: Path) -> bool:
        """Whether a file has to be looked into, if anything, to know whether it is a prompt."""
        return file.suffix.lower() in _YAML or self._is_named(file)

    def _is_named(self, file: Path) -> bool:
        real = file.as_posix()
        below = real[len(self._root) :] if real.startswith(self._root) else None
        included = self._include is not None and below is not None and self._include.match_file(below)
        return included or is_prompt_file(self._shown(file))

    def _shown(self, file: Path) -> Path:
        return Path(self._named + file.as_posix()[self._cut :])


def _names_prompts(file: Path, shown: Path) -> bool:
    """Whether a YAML file, whatever it is called, has a key that only prompts have."""
    if file.suffix.lower() not in _YAML or file.name.startswith(".") or is_for_tests(shown):
        return False
    from promptlint.readers.yaml_keys import names_prompts

    try:
        with file.open("rb") as opened:
            beginning = opened.read(_MOST_OF_YAML)
    except OSError:
        return False
    return names_prompts(beginning.decode("utf-8", "replace"))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _literal_folders(globs: Sequence[str]) -> Iterator[str]:
    """Folders that globs spell out: of `.github/prompts/*.md`, `.github` and `.github/prompts`."""
    for glob in globs:
        parts = glob.lstrip("/").split("/")
        for count, part in enumerate(parts[:-1], start=1):
            if re.search(r"[*?\[\\!]", part):
                break
            yield "/".join(parts[:count])
