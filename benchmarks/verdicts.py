"""Findings in published packages against `docs/verdicts.csv`: `python benchmarks/verdicts.py [FOLDER] [PACKAGE ...]`.

Downloads each package of the table once into FOLDER (`verdicts-packages` when none is given) with `pip download` or
`npm pack`, unpacks it, runs promptlint in it, and prints precision, recall, and what is new, gone, found or silent
now. Nothing of a package is installed or run. Ends with 1 when a finding is not judged yet or a true one is gone.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

TABLE = Path(__file__).parent.parent / "docs" / "verdicts.csv"
LOUD = ("warning", "error")

READ = {
    "litellm": "litellm/litellm_core_utils litellm/llms/anthropic",
    "@browserbasehq/stagehand": "dist",
    "@copilotkit/runtime": "dist",
    "@google/gemini-cli-core": "dist/src",
    "@langchain/core": "dist",
    "@librechat/agents": "src",
    "@mariozechner/pi-coding-agent": "dist",
    "@n8n/n8n-nodes-langchain": "dist",
    "@openai/agents-core": "dist",
    "@qwen-code/qwen-code-core": "dist",
    "@voltagent/core": "dist",
    "ai": "src",
    "beeai-framework": "dist",
    "deepagents": "dist",
    "flowise-components": "nodes",
    "langchain-js": "dist",
}
"""Folders of packages that are not read as a whole: where programs are shipped, or a part of a large one."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A row of the table. `listed` says that it was known before promptlint read the package."""

    package: str
    version: str
    registry: str
    path: str
    line: int
    rule: str
    severity: str
    verdict: str
    listed: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Found:
    """A finding: `places` are those of its value, path and line; `more` says that not all of them are listed."""

    path: str
    line: int
    rule: str
    severity: str
    places: frozenset[tuple[str, int]] = frozenset()
    more: bool = False

    def is_about(self, row: Verdict) -> bool:
        """Whether its value stands where a row says, by the same rule."""
        wanted = (row.path, row.line)
        here = wanted == (self.path, self.line) or wanted in self.places or (self.more and row.path == self.path)
        return here and self.rule == row.rule


@dataclass(slots=True)
class Tally:
    """What the findings are worth against the table."""

    right: int = 0
    wrong: int = 0
    listed: int = 0
    found: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """Share of true ones among the findings of warning or worse that are judged; 1 when there are none."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        """Share of the listed positives that are found, at any severity; 1 when none is listed."""
        return self.found / self.listed if self.listed else 1.0


def verdicts(table: Path = TABLE) -> list[Verdict]:
    """The rows of the table."""
    with table.open(encoding="utf-8", newline="") as file:
        return [
            Verdict(**{**row, "line": int(row["line"]), "listed": row["listed"] == "yes"})  # type: ignore[arg-type]
            for row in csv.DictReader(file)
        ]


def compare(rows: Sequence[Verdict], findings: Sequence[Found], tally: Tally) -> None:
    """Count the findings of one package, and note what the table does not say of them."""
    for row in rows:
        place = f"{row.package} {row.path}:{row.line} {row.rule}"
        found = any(each.is_about(row) for each in findings)
        tally.listed += row.listed
        tally.found += row.listed and found
        if row.verdict == "true" and not found:
            tally.notes.append(f"gone    {place}")
        elif row.verdict == "missed" and found:
            tally.notes.append(f"found   {place}")
        elif row.verdict == "false" and not found:
            tally.notes.append(f"silent  {place}")
    for each in findings:
        said = {row.verdict for row in rows if each.is_about(row)}
        if each.severity not in LOUD:
            continue
        if not said:
            tally.notes.append(f"new     {rows[0].package} {each.path}:{each.line} {each.rule} {each.severity}")
        elif said & {"true", "missed"}:
            tally.right += 1
        else:
            tally.wrong += 1


def findings_in(folder: Path, read: str = ".") -> list[Found]:
    """What promptlint finds in folders of an unpacked package, which is a project of its own.

    A program that is shipped a second time as CommonJS counts once.
    """
    (folder / "promptlint.toml").touch()
    command = [sys.executable, "-P", "-m", "promptlint", "check", "--output-format", "json", *read.split()]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{folder}: promptlint ended with {done.returncode}; {done.stderr.strip()}")
    return [_found(each) for each in json.loads(done.stdout)["findings"] if not _is_twin(folder / each["path"])]


def _is_twin(path: Path) -> bool:
    return path.suffix in (".cjs", ".mjs") and path.with_suffix(".js").exists()


def _found(finding: dict[str, object]) -> Found:
    related: list[dict[str, object]] = finding.get("related", [])  # type: ignore[assignment]
    own = [each for each in related if "from here on" not in str(each["message"])]
    return Found(
        path=str(finding["path"]),
        line=int(str(finding["line"])),
        rule=str(finding["rule"]),
        severity=str(finding["severity"]),
        places=frozenset((str(each["path"]), int(str(each["line"]))) for each in own),
        more=any("more places" in str(each["message"]) for each in related),
    )


def unpacked(package: str, version: str, registry: str, into: Path) -> Path:
    """The folder of a package, downloaded when it is not there yet. Ends the run where that fails."""
    folder = into / f"{package.replace('/', '-').lstrip('@')}-{version}"
    if not folder.exists():
        archives = into / "archives"
        archives.mkdir(parents=True, exist_ok=True)
        named = package.removesuffix("-js")
        command = {
            "pypi": [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--no-deps",
                "--only-binary=:all:",
                f"{named}=={version}",
            ],
            "npm": ["npm", "pack", "--silent", f"{named}@{version}"],
        }[registry]
        before = set(archives.iterdir())
        done = subprocess.run(command, cwd=archives, capture_output=True, text=True, check=False)
        new = set(archives.iterdir()) - before
        if done.returncode or len(new) != 1:
            raise SystemExit(f"{package} {version} was not downloaded; {done.stderr.strip()[-300:]}")
        _unpack(new.pop(), folder)
    return folder / "package" if registry == "npm" else folder


def _unpack(archive: Path, folder: Path) -> None:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(folder)
    else:
        with tarfile.open(archive) as pack:
            pack.extractall(folder, filter="data")


def packages(rows: Iterable[Verdict], wanted: Sequence[str]) -> Iterator[tuple[str, list[Verdict]]]:
    """The rows of each package; of those that are wanted only, where any are named."""
    by_package: dict[str, list[Verdict]] = {}
    for row in rows:
        by_package.setdefault(row.package, []).append(row)
    yield from ((name, own) for name, own in by_package.items() if not wanted or name in wanted)


def main(arguments: Sequence[str]) -> int:
    into = Path(arguments[0]) if arguments else Path("verdicts-packages")
    tally = Tally()
    for package, rows in packages(verdicts(), arguments[1:]):
        folder = unpacked(package, rows[0].version, rows[0].registry, into.resolve())
        findings = findings_in(folder, READ.get(package, "."))
        compare(rows, findings, tally)
        loud = sum(each.severity in LOUD for each in findings)
        print(f"{package:<32} {len(findings):4} findings, {loud:3} of warning or worse", flush=True)
    print(f"precision {tally.precision:.2f}  ({tally.right} of {tally.right + tally.wrong} judged)")
    print(f"recall    {tally.recall:.2f}  ({tally.found} of {tally.listed} listed)")
    print("\n".join(sorted(tally.notes)))
    return int(any(note.startswith(("new", "gone")) for note in tally.notes))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
