"""The composite action: its script is run as a runner runs it, with promptlint in place of the installed one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
CLOCK = "It is {{ now() }}.\nYou answer questions about gardens.\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A repository with a prompt, and a runner's folder that holds promptlint."""
    (tmp_path / "repository" / "prompts").mkdir(parents=True)
    (tmp_path / "repository" / "prompts" / "a b.j2").write_text(CLOCK)
    command = tmp_path / "temp" / "promptlint" / "bin" / "promptlint"
    command.parent.mkdir(parents=True)
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m promptlint "$@"\n')
    command.chmod(0o755)
    return tmp_path


def run(workspace: Path, **inputs: str) -> tuple[subprocess.CompletedProcess[str], str, str]:
    """The step's result, its summary and its outputs."""
    step = STEPS["Check prompts"]
    defaults = {name: given["default"] for name, given in ACTION["inputs"].items()}
    values = {**defaults, **inputs}
    environment = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: values[match[1]], value)
        for name, value in step["env"].items()
    }
    summary, output = workspace / "summary", workspace / "output"
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=workspace / "repository",
        env={
            **os.environ,
            **environment,
            "RUNNER_TEMP": str(workspace / "temp"),
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_OUTPUT": str(output),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    read = [path.read_text() if path.exists() else "" for path in (summary, output)]
    return done, read[0], read[1]


def test_findings_are_printed_annotated_and_summarised(workspace: Path) -> None:
    done, summary, output = run(workspace, sarif="promptlint.sarif")
    assert done.returncode == 1
    assert done.stdout.startswith("error[clock-in-prefix]: ")
    assert "\n::error file=prompts/a b.j2,line=1," in done.stdout
    assert summary.startswith("### promptlint\n")
    assert output == "exit-code=1\n"
    assert json.loads((workspace / "repository" / "promptlint.sarif").read_text())["version"] == "2.1.0"


def test_paths_and_arguments_are_lines(workspace: Path) -> None:
    done, _, output = run(workspace, paths="prompts/a b.j2\n", args="--ignore\nclock-in-prefix\n")
    assert (done.returncode, output) == (0, "exit-code=0\n")
    assert "no findings in 1 prompt" in done.stdout
    assert not (workspace / "repository" / "promptlint.sarif").exists()


@pytest.mark.parametrize("name", ["paths", "args", "sarif"])
@pytest.mark.parametrize("value", ["'; touch pwned; '", "$(touch pwned)", "`touch pwned`", '"; touch pwned; "'])
def test_an_input_is_never_run(workspace: Path, name: str, value: str) -> None:
    run(workspace, **{name: value})
    assert not list(workspace.rglob("pwned"))


def test_no_input_is_pasted_into_a_script() -> None:
    assert all("${{" not in step["run"] for step in STEPS.values())


def test_a_usage_error_fails_the_step(workspace: Path) -> None:
    done, _, output = run(workspace, paths="gone")
    assert (done.returncode, output) == (2, "exit-code=2\n")
    assert "gone: there is no such file or folder" in done.stderr


def test_the_pages_examples_are_yaml_with_known_inputs() -> None:
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    examples = [yaml.safe_load(text) for text in re.findall(r"(?ms)^```yaml\n(.*?)^```", page)]
    assert len(examples) == 5
    steps = [step for example in examples for job in example.get("jobs", {}).values() for step in job["steps"]]
    ours = [step for step in steps if step["uses"].startswith("OWNER/promptlint@")]
    assert ours
    assert all(set(step.get("with", {})) <= set(ACTION["inputs"]) for step in ours)
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    used = {hook["id"] for example in examples for repo in example.get("repos", ()) for hook in repo["hooks"]}
    assert used <= hooks
    assert set(re.findall(r"(?m)^\| `([\w-]+)` \|", page)) == set(ACTION["inputs"])
