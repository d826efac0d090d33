"""Parse, link, appraise, check: from paths to sorted findings."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from promptlint.checks.table import FILE_CHECKS, check_of
from promptlint.config import Config, ConfigError, load_config
from promptlint.finding import Finding, Persona
from promptlint.flow.flow import Flow
from promptlint.flow.prompts import prompt_of
from promptlint.layout.appraisal import Appraisal
from promptlint.layout.appraise import appraise
from promptlint.project.link import Surroundings, link
from promptlint.project.reach import Reached
from promptlint.project.workspace import Load, Workspace
from promptlint.prompt import Prompt
from promptlint.providers.registry import provider, provider_for_model
from promptlint.readers.choose import read
from promptlint.readers.opening import Unreadable
from promptlint.rulebook import Rule, RuleError
from promptlint.run import TOO_DEEP, Failure, Run
from promptlint.selection import Selection
from promptlint.served import Serving
from promptlint.sifting import Sieve
from promptlint.source import Place, Source, Span
from promptlint.template import Problem
from promptlint.track import Track, untracked
from promptlint.unit import Unit

if TYPE_CHECKING:
    from promptlint.serving.workload import Workload


_TOO_DEEP = Problem(Span(0, 0), TOO_DEEP)


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
    baseline: Path | None = None
    without_baseline: bool = False
    only_prompts: bool = False
    model_config: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A run's findings and appraisals; what is said about files that could not be read at all, or broke promptlint.

    `files` are those that were checked, `parts` the findings before those of one cause were folded. `failures` are all
    files that could not be looked at; `broken` is said of those that no finding stands for.
    """

    run: Run
    notices: tuple[str, ...]
    broken: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    parts: tuple[Finding, ...] = ()
    failures: tuple[Failure, ...] = ()


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts of a run, by the file that each starts in.

    `units` are the files asked for, `notices` is said about those that could not be read; prompts of the files in
    `failures` are not known.
    """

    units: Mapping[Path, Unit]
    notices: tuple[str, ...]
    appraisals: Mapping[Path, tuple[Appraisal, ...]]
    failures: Mapping[Path, Failure]


@contextmanager
def noted(failures: dict[Path, Failure], path: Path, source: Source) -> Iterator[None]:
    """Keep what a file raises: one that promptlint cannot cope with never hides what is found in the others.

    What the user is to mend is raised: ConfigError, RuleError.
    """
    try:
        yield
    except (ConfigError, RuleError):
        raise
    except Exception as error:
        failures[path] = Failure(source, error)


class Engine:
    """One run over a workspace. Raises ConfigError, RuleError, BaselineError, UnknownNameError for what users gave.

    `load` finds the configuration of a folder.
    """

    def __init__(self, options: Options, track: Track = untracked, load: Load = load_config) -> None:
        self._options, self._track = options, track
        self._files = Workspace(read, isolated=options.isolated, dialect=options.dialect, load=load)
        self._flow = Flow()
        if options.provider is not None:
            provider(options.provider)
        self._selection = Selection(self._files, options.select, options.ignore, options.persona)
        if options.model_config is not None:
            from promptlint.serving.settings import named, workload

            workload(named(options.model_config, None))

    def check(self, paths: Sequence[Path], stdin: tuple[Path, str] | None = None) -> Outcome:
        """Everything that is wrong with the prompts at these paths, and in the text of `stdin` with its name."""
        found = self.prompts(paths, stdin)
        units, failures = found.units, dict(found.failures)
        shown = {unit.source.path for unit in units.values()}
        appraisals: list[Appraisal] = []
        findings: list[Finding] = []
        served: dict[str, Workload] = {}
        for path, prompts in self._track(found.appraisals.items(), "checking"):
            with noted(failures, path, self.unit(path).source):
                findings.extend(self._findings(prompts, shown, self._selection.rules(path)))
                appraisals.extend(prompts)
                if (workload := self.workload(path)) is not None:
                    served.update({appraisal.prompt.path: workload for appraisal in prompts})
        broken: list[str] = []
        for path, failure in failures.items():
            said = list(self._said(path, failure.source, [_TOO_DEEP])) if failure.is_depth else []
            findings.extend(said)
            if not said:
                broken.append(failure.line)
        problems = (problem for path, unit in units.items() for problem in self._problems(path, unit))
        covered = {*units, *(Path(os.path.realpath(path)) for path in paths)}
        sieve = self._sieve(units, covered, bool(failures))
        sifted = sieve.sift((*problems, *findings))
        run = Run(
            sifted.findings,
            tuple(appraisals),
            len(units),
            self._options.horizon,
            sieve.rules,
            sifted.suppressed,
            sifted.known,
            served,
        )
        return Outcome(run, found.notices, tuple(broken), tuple(units), sifted.parts, tuple(failures.values()))

    def prompts(self, paths: Sequence[Path], stdin: tuple[Path, str] | None = None) -> Prompts:
        """The prompts at these paths, and in the text of `stdin` with its name, before anything is checked."""
        # A text that stands for a file may be another one than before; other files are not read again.
        self._flow = Flow()
        units, notices = self._files.units(paths, self._track, only_met=self._options.only_prompts)
        if stdin is not None:
            units.update([self._files.take(*stdin)])
        shown = {unit.source.path for unit in units.values()}
        roots = self._files.roots(units)
        related = self._files.related({**units, **roots})
        failures = self._follow(roots, related)
        others = {path: each.unit for path, each in related.items()}
        appraisals: dict[Path, tuple[Appraisal, ...]] = {}
        for path, unit in self._track({**others, **roots}.items(), "linking"):
            if path in failures:
                continue
            with noted(failures, path, unit.source):
                linked = [prompt for prompt in self._link(path, unit) if prompt.segments]
                # Of another program only the requests count that have text of the files asked for.
                wanted = (each for each in linked if path in roots or shown.intersection(each.files))
                appraisals[path] = tuple(self._appraisal(path, prompt) for prompt in wanted)
        return Prompts(units, tuple(notices), appraisals, failures)

    def path(self, finding: Finding) -> Path:
        """Where the file of a finding was read from."""
        return self._files.path(finding.place.source)

    def unit(self, path: Path) -> Unit:
        """A file that was checked, as it was read."""
        unit = self._files.unit(path)
        assert isinstance(unit, Unit), "only what was read is checked"
        return unit

    def reread(self, path: Path, source: Source) -> Unit:
        """What a changed text of a file would be read as."""
        return self._files.reread(path, source)

    def home(self, path: Path) -> Path:
        """The folder that names of findings in a file run from."""
        return self._files.home(path)

    def config(self, path: Path) -> Config:
        """The configuration of a file or folder. Raises ConfigError."""
        return self._files.config(path)

    def appraisals(self, path: Path) -> tuple[Appraisal, ...]:
        """The prompts of one file, whether or not others include it. Raises OSError with a message."""
        return self.document(path)[1]

    def document(self, path: Path, text: str | None = None) -> tuple[Unit, tuple[Appraisal, ...]]:
        """One file and its prompts; `text` stands for what is in it. Raises OSError with a message."""
        unit = self._files.unit(path) if text is None else self._files.take(path, text)[1]
        if isinstance(unit, Unreadable):
            raise OSError(f"{unit.path}: {unit.message}")
        real = Path(os.path.realpath(path))
        failures = self._follow({real: unit}, self._files.related({real: unit}))
        appraisals: tuple[Appraisal, ...] = ()
        with noted(failures, real, unit.source):
            appraisals = tuple(self._appraisal(path, prompt) for prompt in self._link(real, unit))
        if failures:
            # What a program that cannot be followed fills in is not known, so that figures would be wrong.
            failure = next(iter(failures.values()))
            raise OSError(failure.line) from failure.error
        return unit, appraisals

    def _sieve(self, units: Mapping[Path, Unit], covered: Collection[Path], is_broken: bool) -> Sieve:
        options = self._options
        rules = self._selection.all_rules(units)
        # A run that looks at a part only cannot say what is of no use.
        asked = (options.horizon, options.provider, options.model, options.dialect, options.ignore_below)
        partial = is_broken or options.isolated or any(each is not None for each in asked)
        active = frozenset() if partial else frozenset(rule.name for rule in rules)
        return Sieve(
            self._files, self._selection, units, covered, rules, active, options.baseline, not options.without_baseline
        )

    def workload(self, path: Path) -> Workload | None:
        """What serves the prompts of a file, None where nothing is said about it. Raises ConfigError."""
        stated, asked = self._files.config(path).serving, self._options.model_config
        if asked is None and stated is None:
            return None
        from promptlint.serving.settings import named, workload

        return workload(named(asked, stated) if asked is not None else stated or Serving())

    def _follow(self, units: Mapping[Path, Unit], related: Mapping[Path, Reached]) -> dict[Path, Failure]:
        """Follow the programs among the units, so that what they build and fill in is known, and those around them.

        Gives those that could not be followed.
        """
        wanted: dict[Path, tuple[Unit, frozenset[str] | None]] = {}
        wanted.update((path, (each.unit, each.names)) for path, each in related.items())
        wanted.update((path, (unit, None)) for path, unit in units.items())
        failures: dict[Path, Failure] = {}
        programs = [(path, unit, names, self._files.project(path).module) for path, (unit, names) in wanted.items()]
        programs = [each for each in programs if each[1].module is not None]
        for _, unit, _, module in programs:
            self._flow.add(unit, module)
        for path, unit, names, module in programs:
            with noted(failures, path, unit.source):
                self._flow.search(unit, module, names)
        return failures

    def _link(self, path: Path, unit: Unit) -> Iterator[Prompt]:
        config = self._files.config(path)
        around = Surroundings(**config.request) if config.request is not None else None
        project, declared = self._files.project(path), self._files.declared(path)
        table = self._selection.table(path)
        given = self._flow.given(path, self._files.path_of)
        if given and any(prompt.rendered for prompt in unit.prompts):
            # What a program fills in is no sample of a request.
            unit = self._files.template(path, unit, self._flow.dialect_of(path, self._files.path_of))
        for prompt in unit.prompts:
            yield link(unit, prompt, project.find, declared, around, given, table)
        if unit.module is not None:
            for request in self._flow.requests(unit, project.module):
                yield prompt_of(request, unit.source.path, declared, around, table)

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

    def _problems(self, path: Path, unit: Unit) -> Iterator[Finding]:
        """What of a file could not be read, by the rule about files."""
        return self._said(path, unit.source, unit.problems)

    def _said(self, path: Path, source: Source, problems: Iterable[Problem]) -> Iterator[Finding]:
        for rule in self._selection.rules(path):
            if rule.check == "files.problems":
                for problem in problems:
                    place = Place(source, problem.span)
                    yield rule.finding(place, problem.message, label="here", kind="syntax")

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
