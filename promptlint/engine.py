"""Parse, link, appraise, check: from paths to sorted findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from promptlint.checks.table import check_of
from promptlint.config import Config, load_config
from promptlint.events import Confidence
from promptlint.finding import Finding, Persona, Related, Severity, with_fingerprints
from promptlint.layout.appraisal import Appraisal
from promptlint.layout.appraise import appraise
from promptlint.lifetimes.classify import Declared
from promptlint.project.discover import is_prompt_file, looks_like_markup, relative, walk
from promptlint.project.link import Surroundings, link
from promptlint.project.project import Project
from promptlint.prompt import Prompt
from promptlint.providers.registry import Provider, provider
from promptlint.readers.opening import Unreadable
from promptlint.readers.text import read
from promptlint.rulebook import Rule, rules
from promptlint.run import Run
from promptlint.source import Place, Source, Span
from promptlint.template import Problem
from promptlint.unit import Unit


@dataclass(frozen=True, slots=True)
class Options:
    """What a run was asked for. None stands for what the configuration says."""

    provider: str | None = None
    horizon: str | None = None
    dialect: str | None = None
    ignore_below: int | None = None
    select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    persona: Persona = Persona.REGULAR
    isolated: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """A run's findings and appraisals, and what is said about files that could not be read at all."""

    run: Run
    notices: tuple[str, ...]


class Engine:
    """One run: files are read once, whatever number of prompts they belong to."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._configs: dict[Path, Config] = {}
        self._projects: dict[Path, Project] = {}
        self._rules = tuple(rule for rule in rules() if self._wants(rule))

    def _wants(self, rule: Rule) -> bool:
        chosen = not self._options.select or {rule.name, rule.group, "all"} & self._options.select
        return bool(chosen) and not {rule.name, rule.group} & self._options.ignore

    def check(self, paths: Sequence[Path], stdin: tuple[Path, str] | None = None) -> Outcome:
        """Everything that is wrong with the prompts at these paths."""
        files, notices = self._files(paths)
        if stdin is not None:
            path, text = stdin
            self._project(path).add(path, Source(str(path), text))
            files.append(path)
        units: dict[Path, Unit] = {}
        for path in files:
            unit = self._project(path).unit(path)
            if isinstance(unit, Unreadable):
                notices.append(f"{unit.path}: {unit.message}")
            elif path in paths or not looks_like_markup(unit.source.text):
                units[path] = unit
        appraisals = tuple(self._appraisals(units))
        shown = {unit.source.path for unit in units.values()}
        findings = [*self._problems(units.values()), *self._findings(appraisals, shown)]
        findings.sort(key=_order)
        run = Run(tuple(with_fingerprints(findings)), appraisals, len(units), self._options.horizon)
        return Outcome(run, tuple(notices))

    def appraisals(self, path: Path) -> tuple[Appraisal, ...]:
        """The prompts of one file, whether or not others include it. Raises OSError with a message."""
        unit = self._project(path).unit(path)
        if isinstance(unit, Unreadable):
            raise OSError(f"{unit.path}: {unit.message}")
        return tuple(self._appraisal(path, prompt) for prompt in self._link(path, unit))

    def _files(self, paths: Sequence[Path]) -> tuple[list[Path], list[str]]:
        found: dict[Path, None] = {}
        notices = []
        for path in paths:
            if not path.exists():
                notices.append(f"{path}: there is no such file or folder; check the path")
            for file in walk([path], self._config(path)):
                found.setdefault(file.resolve())
        self._only = frozenset(found) if self._options.isolated else None
        return list(found), notices

    def _config(self, path: Path) -> Config:
        folder = path.resolve() if path.is_dir() else path.resolve().parent
        if folder not in self._configs:
            self._configs[folder] = load_config(folder, isolated=self._options.isolated)
        return self._configs[folder]

    def _project(self, path: Path) -> Project:
        root = self._config(path).root.resolve()
        if root not in self._projects:
            only = getattr(self, "_only", None)
            self._projects[root] = Project(root, self._read, lambda file: relative(file, Path.cwd()), only)
        return self._projects[root]

    def _read(self, source: Source, path: Path) -> Unit:
        dialect = self._options.dialect or self._config(path).dialect_of(path)
        try:
            return read(source, dialect)
        except RecursionError:
            return Unit(source, (), (Problem(Span(0, 0), "this file is nested too deeply to be read; flatten it"),))

    def _appraisals(self, units: Mapping[Path, Unit]) -> Iterator[Appraisal]:
        for path, unit in self._roots(units).items():
            for prompt in self._link(path, unit):
                if prompt.segments:
                    yield self._appraisal(path, prompt)

    def _link(self, path: Path, unit: Unit) -> Iterator[Prompt]:
        config, project = self._config(path), self._project(path)
        around = Surroundings(**config.request) if config.request is not None else None
        place = Place(Source(str(config.path), ""), Span(0, 0))
        declared = {name: Declared(rule.events, place) for name, rule in config.values.items()}
        for prompt in unit.prompts:
            yield link(unit, prompt, project.find, declared, around)

    def _appraisal(self, path: Path, prompt: Prompt) -> Appraisal:
        config = self._config(path)
        named = self._options.provider or config.provider or (prompt.provider.name if prompt.provider else None)
        below = self._options.ignore_below
        return appraise(
            prompt,
            _provider(named),
            provider_known=named is not None,
            ignore_below=config.ignore_below if below is None else below,
            asked=self._options.horizon or config.horizon,
            sizes=config.sizes,
            model=config.model,
        )

    def _roots(self, units: Mapping[Path, Unit]) -> dict[Path, Unit]:
        """Files that are prompts: those that no other prompt includes, and the includers of the ones selected."""
        known = dict(units)
        if not self._options.isolated:
            known.update(self._includers(units))
        included = {path: set(self._included(path, unit)) - {path} for path, unit in known.items()}
        targets = set().union(*included.values()) if included else set()
        roots = [path for path in known if path not in targets]
        reached: set[Path] = set()
        queue = list(roots)
        while queue:
            path = queue.pop()
            if path not in reached:
                reached.add(path)
                queue.extend(included.get(path, ()))
        # What no root reaches is a cycle: each file of it stands for itself.
        return {path: unit for path, unit in known.items() if path in roots or path not in reached}

    def _included(self, path: Path, unit: Unit) -> Iterator[Path]:
        project = self._project(path)
        for name in unit.wanted:
            found = project.resolve(path, name)
            if found is not None:
                yield found

    def _includers(self, units: Mapping[Path, Unit]) -> dict[Path, Unit]:
        """Other files of the project that include one of these, directly or through others."""
        others: dict[Path, Unit] = {}
        wanted = {path.name.split(".")[0].lstrip("_") for path in units}
        for root, project in list(self._projects.items()):
            config = next(config for config in self._configs.values() if config.root.resolve() == root)
            for path in walk([root], config):
                real = path.resolve()
                if real in units or not is_prompt_file(path):
                    continue
                unit = project.unit(real)
                if isinstance(unit, Unit) and any(name in target for target in unit.wanted for name in wanted):
                    others[real] = unit
        return others

    def _problems(self, units: Iterable[Unit]) -> Iterator[Finding]:
        rule = next((rule for rule in self._rules if rule.check == "files.problems"), None)
        if rule is None:
            return
        for unit in units:
            for problem in unit.problems:
                yield Finding(
                    rule=rule.name,
                    severity=rule.severity,
                    confidence=Confidence.HIGH,
                    message=problem.message,
                    place=Place(unit.source, problem.span),
                    label="here",
                    advice=rule.advice,
                    kind="syntax",
                )

    def _findings(self, appraisals: Iterable[Appraisal], shown: set[str]) -> Iterator[Finding]:
        """Findings of all prompts whose files were selected, each cause once."""
        found: dict[tuple[str, Place], list[Finding]] = {}
        for appraisal in appraisals:
            for rule in self._rules:
                check = check_of(rule)
                if check is None or rule.persona > self._options.persona:
                    continue
                for finding in check(appraisal, rule):
                    if finding.path in shown or appraisal.prompt.path in shown:
                        found.setdefault((finding.rule, finding.place), []).append(finding)
        for same in found.values():
            yield _folded(same)


def _folded(same: list[Finding]) -> Finding:
    """One finding for one cause: the prompt that loses most, with a word about the others."""
    worst = max(same, key=lambda finding: finding.blocked)
    if len(same) == 1:
        return worst
    also = f"also in {len(same) - 1} other prompt{'s' if len(same) > 2 else ''}"
    return replace(worst, related=(*worst.related, Related(worst.place, also)))


def _order(finding: Finding) -> tuple[int, str, int]:
    return (-finding.blocked, finding.path, finding.place.span.start)


def _provider(name: str | None) -> Provider:
    return provider(name or "generic")


def worst(findings: Iterable[Finding]) -> Severity | None:
    """The highest severity among findings; None when there are none."""
    return max((finding.severity for finding in findings), default=None)
