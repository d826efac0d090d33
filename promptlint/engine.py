"""Parse, link, appraise, check: from paths to sorted findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from promptlint.checks.files import unreadable
from promptlint.checks.table import FILE_CHECKS, check_of
from promptlint.config import Config, ConfigError
from promptlint.finding import Finding, Persona, with_fingerprints
from promptlint.flow.flow import Flow
from promptlint.flow.prompts import prompt_of
from promptlint.folding import folded, in_order
from promptlint.layout.appraisal import Appraisal
from promptlint.layout.appraise import appraise
from promptlint.project.link import Surroundings, link
from promptlint.project.workspace import Workspace
from promptlint.prompt import Prompt
from promptlint.providers.registry import provider, provider_for_model
from promptlint.readers.choose import read
from promptlint.readers.opening import Unreadable
from promptlint.rulebook import Rule, rules
from promptlint.run import Run
from promptlint.served import Serving
from promptlint.source import Place
from promptlint.unit import Unit

if TYPE_CHECKING:
    from promptlint.serving.workload import Workload


@dataclass(frozen=True, slots=True)
class Options:
    """What a run was asked for. None stands for what the configuration says."""

    provider: str | None = None
    model: str | None = None
    horizon: str | None = None
    dialect: str | None = None
    ignore_below: int | None = None
    select: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    persona: Persona | None = None
    isolated: bool = False
    model_config: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A run's findings and appraisals; what is said about files that could not be read at all, or broke promptlint."""

    run: Run
    notices: tuple[str, ...]
    broken: tuple[str, ...] = ()


class Engine:
    """One run over a workspace. Raises ConfigError and UnknownNameError for what the user gave."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._files = Workspace(read, isolated=options.isolated, dialect=options.dialect)
        self._flow = Flow()
        self._rules = tuple(rule for rule in rules() if self._wants(rule))
        if options.provider is not None:
            provider(options.provider)
        if options.model_config is not None:
            from promptlint.serving.settings import named, workload

            workload(named(options.model_config, None))

    def check(self, paths: Sequence[Path], stdin: tuple[Path, str] | None = None) -> Outcome:
        """Everything that is wrong with the prompts at these paths, and in the text of `stdin` with its name."""
        units, notices = self._files.units(paths)
        if stdin is not None:
            units.update([self._files.take(*stdin)])
        shown = {unit.source.path for unit in units.values()}
        appraisals: list[Appraisal] = []
        findings: list[Finding] = []
        broken: list[str] = []
        served: dict[str, Workload] = {}
        roots = self._files.roots(units)
        related = self._files.related({**units, **roots})
        self._follow({**related, **roots}, broken)
        for path, unit in {**related, **roots}.items():
            try:
                linked = [prompt for prompt in self._link(path, unit) if prompt.segments]
                # Of another program only the requests count that have text of the files asked for.
                wanted = (each for each in linked if path in roots or shown.intersection(each.files))
                prompts = [self._appraisal(path, prompt) for prompt in wanted]
                findings.extend(self._findings(prompts, shown, self._rules_for(path)))
                appraisals.extend(prompts)
                if (workload := self.workload(path)) is not None:
                    served.update({appraisal.prompt.path: workload for appraisal in prompts})
            except ConfigError:
                raise
            except Exception as error:
                # One file that promptlint cannot cope with never hides what it found in the others.
                broken.append(f"{unit.source.path}: internal error ({type(error).__name__}: {error}); please report it")
        findings = [*self._problems(units.values()), *folded(findings)]
        signed = tuple(with_fingerprints(in_order(findings)))
        run = Run(signed, tuple(appraisals), len(units), self._options.horizon, served)
        return Outcome(run, tuple(notices), tuple(broken))

    def appraisals(self, path: Path) -> tuple[Appraisal, ...]:
        """The prompts of one file, whether or not others include it. Raises OSError with a message."""
        return self.document(path)[1]

    def document(self, path: Path, text: str | None = None) -> tuple[Unit, tuple[Appraisal, ...]]:
        """One file and its prompts; `text` stands for what is in it. Raises OSError with a message."""
        unit = self._files.unit(path) if text is None else self._files.take(path, text)[1]
        if isinstance(unit, Unreadable):
            raise OSError(f"{unit.path}: {unit.message}")
        return unit, tuple(self._appraisal(path, prompt) for prompt in self._link(path, unit))

    def config(self, path: Path) -> Config:
        """The configuration that holds for a file. Raises ConfigError."""
        return self._files.config(path)

    def workload(self, path: Path) -> Workload | None:
        """What serves the prompts of a file, None where nothing is said about it. Raises ConfigError."""
        stated, asked = self._files.config(path).serving, self._options.model_config
        if asked is None and stated is None:
            return None
        from promptlint.serving.settings import named, workload

        return workload(named(asked, stated) if asked is not None else stated or Serving())

    def _wants(self, rule: Rule) -> bool:
        names = {rule.name, rule.group}
        chosen = not self._options.select or bool({*names, "all"} & self._options.select)
        return chosen and not names & self._options.ignore

    def _rules_for(self, path: Path) -> tuple[Rule, ...]:
        """The rules that speak to whoever reads about this file."""
        stated = self._files.config(path).persona
        asked = self._options.persona
        persona = asked if asked is not None else Persona[(stated or "regular").upper()]
        return tuple(rule for rule in self._rules if rule.persona <= persona)

    def _follow(self, units: Mapping[Path, Unit], broken: list[str]) -> None:
        """Follow the programs among the units, so that what they build and fill in is known."""
        programs = [(unit, self._files.project(path).module) for path, unit in units.items() if unit.module]
        for unit, module in programs:
            self._flow.add(unit, module)
        for unit, module in programs:
            try:
                self._flow.search(unit, module)
            except Exception as error:
                broken.append(f"{unit.source.path}: internal error ({type(error).__name__}: {error}); please report it")

    def _link(self, path: Path, unit: Unit) -> Iterator[Prompt]:
        config = self._files.config(path)
        around = Surroundings(**config.request) if config.request is not None else None
        project, declared = self._files.project(path), self._files.declared(path)
        given = self._flow.given(path, project.path_of)
        if given and any(prompt.rendered for prompt in unit.prompts):
            # What a program fills in is no sample of a request.
            unit = self._files.template(path, unit, self._flow.dialect_of(path, project.path_of))
        for prompt in unit.prompts:
            yield link(unit, prompt, project.find, declared, around, given)
        if unit.module is not None:
            for request in self._flow.requests(unit, project.module):
                yield prompt_of(request, unit.source.path, declared, around)

    def _appraisal(self, path: Path, prompt: Prompt) -> Appraisal:
        config, options = self._files.config(path), self._options
        model = options.model or config.model
        named = options.provider or config.provider or _provider_of(model or prompt.model, prompt)
        return appraise(
            prompt,
            provider(named or "generic"),
            provider_known=named is not None,
            ignore_below=config.ignore_below if options.ignore_below is None else options.ignore_below,
            asked=options.horizon or config.horizon,
            sizes=config.sizes,
            model=model,
            interval=config.traffic.interval,
        )

    def _problems(self, units: Iterable[Unit]) -> Iterator[Finding]:
        """What could not be read, by the rule about files."""
        rule = next((rule for rule in self._rules if rule.check == "files.problems"), None)
        if rule is None:
            return
        for unit in units:
            for problem in unit.problems:
                yield unreadable(Place(unit.source, problem.span), problem.message, rule)

    def _findings(self, appraisals: Sequence[Appraisal], shown: set[str], rules: Sequence[Rule]) -> Iterator[Finding]:
        """Findings of all prompts that stand in the files asked for, or in prompts that start there."""
        for appraisal in appraisals:
            for rule in rules:
                check = check_of(rule)
                for finding in check(appraisal, rule) if check is not None else ():
                    if finding.path in shown or appraisal.prompt.path in shown:
                        yield finding
        for rule in rules:
            together = FILE_CHECKS.get(rule.check or "")
            if together is not None and len(appraisals) > 1:
                yield from together(appraisals, rule)


def _provider_of(model: str | None, prompt: Prompt) -> str | None:
    """The provider that the model is known to run at, else the one that the prompt's own form speaks for."""
    known = provider_for_model(model) if model is not None else None
    if known is not None:
        return known.name
    return prompt.provider.name if prompt.provider is not None else None
