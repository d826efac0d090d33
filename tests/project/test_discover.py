"""Which files are prompts, and which a walk meets."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from promptlint.config import Config, load_config
from promptlint.project.discover import is_met, is_prompt_file, looks_like_markup, relative, walk
from promptlint.project.workspace import Workspace
from promptlint.readers import choose
from promptlint.readers.opening import LARGEST


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository that is the current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    return tmp_path


def write(root: Path, *files: str, **texts: str) -> None:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("You are helpful.\n")


def read(*paths: str) -> tuple[list[str], list[str]]:
    """The files of the units at these paths, and what is said about those that could not be read."""
    units, notices = Workspace(choose.read).units([Path(path) for path in paths])
    return [unit.source.path for unit in units.values()], notices


def ignore(folder: Path, *lines: str, name: str = ".gitignore") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("\n".join(lines) + "\n")


def found(paths: Sequence[str | Path] = (".",), config: Config | None = None) -> list[str]:
    given = [Path(path) for path in paths]
    config = config or load_config(Path())
    return [relative(path, Path.cwd()) for path in walk(given, config)]


PROMPTS = [
    "a.py",
    "src/chat.ts",
    "src/a.tsx",
    "a.j2",
    "a.jinja",
    "a.JINJA2",
    "chat_template.jinja",
    "a.prompt",
    "_partial.prompt",
    "a.tmpl",
    "a.prompty",
    "prompts/a.hbs",
    "agent.mustache",
    "system.handlebars",
    "x.md.j2",
    "x.txt.j2",
    "x.prompt.j2",
    "x.system.j2",
    "agent.v2.j2",
    "readme_writer.j2",
    "hosts_agent.j2",
    "prompts/a.txt",
    "prompts/a.md",
    "src/prompts/v2/a.md",
    "app/system.md",
    "app/system_message.txt",
    "planner_system.txt",
    "systemPrompt.txt",
    "SystemPrompt.md",
    "skprompt.txt",
    "prompt-v2.txt",
    "personas/critic.md",
    "judge_instructions.md",
    "agents/coder.md",
    "few-shot/a.txt",
    "few_shots.md",
    "fewshots.txt",
    "skills/pdf/reference.md",
    "CLAUDE.md",
    "docs/AGENTS.md",
    "gemini.md",
    "SKILL.md",
    "CLAUDE.local.md",
    "coder.agent.md",
    "review.prompt.md",
    "python.instructions.md",
    ".cursorrules",
    ".cursorrules.md",
    ".windsurfrules",
    "docs/prompts/a.md",
    "prompts/a.json",
    "prompts/batch.JSONL",
    "prompts/a.yaml",
    "agents/coder.yml",
    "systemPrompt.json",
    "few_shots.jsonl",
    "title.prompt.json",
    "title.prompt.yml",
    "docs/title.prompt.yaml",
]
OTHERS = [
    "nginx.conf.j2",
    "page.html.j2",
    "values.yaml.j2",
    "docker-compose.yml.j2",
    "x.service.j2",
    "x.sh.j2",
    "x.sql.j2",
    "x.xml.jinja",
    "x.json.j2",
    "x.toml.j2",
    "x.ini.j2",
    "x.py.j2",
    "x.ts.jinja2",
    "x.js.tmpl",
    "x.css.j2",
    "x.tf.tmpl",
    "Dockerfile.j2",
    "Dockerfile.prod.j2",
    "Makefile.tmpl",
    "README.md.j2",
    ".env.j2",
    ".bashrc.tmpl",
    "hosts.j2",
    "sshd_config.j2",
    "._a.j2",
    ".#a.j2",
    "prompts/._a.txt",
    "a.txt",
    "notes.md",
    "prompting.md",
    "agentic.md",
    "impersonas.txt",
    "user_agents.txt",
    "user-agents/list.txt",
    "filesystem.md",
    "file-system.md",
    "system-design.md",
    "design-system/button.md",
    "ecosystem/a.md",
    "docs/agents/overview.md",
    "docs/prompt-caching.md",
    "prompts/README.md",
    "prompts/README_AGENTS.md",
    "prompts/readme.txt",
    "agents/LICENSE.txt",
    "agents/LICENCE.md",
    "agents/CHANGELOG.md",
    "agents/CONTRIBUTING.md",
    "agents/requirements.txt",
    "agents/requirements-dev.txt",
    "prompts/robots.txt",
    "agents/CMakeLists.txt",
    "prompts/tests/a.py",
    "test_prompts.py",
    "src/a.test.ts",
    "a.min.js",
    "a.go",
    "a.json",
    "data/a.jsonl",
    "values.yaml",
    "user-agents.json",
    "docs/agents/a.yml",
    "prompts/._a.json",
    "._a.prompt.json",
    "prompts/a.json5",
    "prompts/a",
    "prompt",
    ".md",
    ".j2",
]


@pytest.mark.parametrize("path", PROMPTS)
def test_prompts(path: str) -> None:
    assert is_prompt_file(Path(path))


@pytest.mark.parametrize("path", OTHERS)
def test_other_files(path: str) -> None:
    assert not is_prompt_file(Path(path))


class TestWalk:
    def test_folders_in_the_order_of_names(self, project: Path) -> None:
        write(project, "b.j2", "a/z.j2", "a/b/c.j2", "a.j2", "prompts/system.md", "notes.md", "a/page.html.j2", "Z.j2")
        assert found() == ["Z.j2", "a/b/c.j2", "a/z.j2", "a.j2", "b.j2", "prompts/system.md"]

    def test_paths_in_their_own_order_each_file_once(self, project: Path) -> None:
        write(project, "a.j2", "b/c.j2", "b/d.j2")
        assert found(["b/d.j2", ".", "a.j2", "./b/d.j2", project / "a.j2"]) == ["b/d.j2", "a.j2", "b/c.j2"]

    def test_paths_keep_their_spelling(self, project: Path) -> None:
        write(project, "b/c.j2")
        config = load_config(project)
        assert list(walk([Path("b")], config)) == [Path("b/c.j2")]
        assert list(walk([project / "b"], config)) == [project / "b" / "c.j2"]
        assert list(walk([Path("b/../b")], config)) == [Path("b/../b/c.j2")]

    def test_named_files_are_prompts_whatever_they_are_called(self, project: Path) -> None:
        write(project, "README.md", "values.yaml.j2", "node_modules/a.py", "noise")
        names = ["README.md", "values.yaml.j2", "node_modules/a.py", "noise"]
        assert found(names) == names

    def test_named_files_are_taken_though_git_ignores_them(self, project: Path) -> None:
        write(project, "a.j2", "b/c.j2")
        ignore(project, "*.j2", "b/")
        assert found(["a.j2", "b/c.j2"]) == ["a.j2", "b/c.j2"]
        assert found() == []

    @pytest.mark.parametrize("name", ["absent", "absent/a.j2", "nul\0", ""])
    def test_what_does_not_exist_gives_nothing(self, project: Path, name: str) -> None:
        assert found([project / "below" / name]) == []

    def test_folders_that_are_never_walked(self, project: Path) -> None:
        skipped = [".git", ".tox", ".venv", ".hidden", "node_modules", "venv", "__pycache__", "dist", "build"]
        write(project, *(f"{folder}/a.j2" for folder in (*skipped, "lib/site-packages", "kept")))
        assert found() == ["kept/a.j2"]

    def test_such_a_folder_is_walked_when_it_is_named(self, project: Path) -> None:
        write(project, ".github/prompts/a.md", "build/a.j2", "build/dist/b.j2")
        assert found([".github", "build"]) == [".github/prompts/a.md", "build/a.j2"]

    def test_links_to_folders_are_not_followed(self, project: Path) -> None:
        write(project, "a/b.j2")
        (project / "a" / "up").symlink_to(project)
        (project / "a" / "self").symlink_to(project / "a" / "self")
        (project / "again").symlink_to(project / "a")
        assert found() == ["a/b.j2"]
        assert found(["again"]) == ["again/b.j2"]

    def test_links_to_files_count_once(self, project: Path) -> None:
        write(project, "AGENTS.md")
        (project / "CLAUDE.md").symlink_to("AGENTS.md")
        (project / "loop.j2").symlink_to("loop.j2")
        (project / "lost.j2").symlink_to("absent")
        (project / "folder.j2").symlink_to(".")
        assert found() == ["AGENTS.md"]
        assert found(["CLAUDE.md", "."]) == ["CLAUDE.md"]
        assert found(["loop.j2", "lost.j2"]) == []

    def test_what_is_no_regular_file_is_passed_over(self, project: Path) -> None:
        os.mkfifo(project / "pipe.j2")
        (project / "folder.prompt").mkdir()
        write(project, "folder.prompt/a.j2")
        assert found() == ["folder.prompt/a.j2"]

    def test_folders_that_cannot_be_read_are_passed_over(self, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(project, "a/b.j2", "c.j2", "d/e.j2")
        listed = os.scandir

        def deny(path: Path) -> object:
            if path.name == "a":
                raise PermissionError(13, "Permission denied")
            return listed(path)

        monkeypatch.setattr(os, "scandir", deny)
        assert found() == ["c.j2", "d/e.j2"]

    def test_odd_names(self, project: Path) -> None:
        names = sorted(["prompts/é 漢.md", "a b.j2", "#c.j2", "!d.j2", "[e].j2", "\\f.j2", "new\nline.j2"])
        write(project, *names)
        ignore(project, "nothing")
        assert found() == names


class TestDataOnAWalk:
    """Files that may hold anything are announced only when they are named."""

    @pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.yaml", "a.prompt.yml", "A.JSON"])
    @pytest.mark.parametrize("content", [b" " * (LARGEST + 1), b"{\0}"], ids=["large", "binary"])
    def test_what_cannot_be_read(self, project: Path, name: str, content: bytes) -> None:
        write(project, "prompts/b.txt")
        (project / "prompts" / name).write_bytes(content)
        assert read(".") == read("prompts") == (["prompts/b.txt"], [])
        shown, notices = read(".", f"prompts/{name}")
        assert shown == ["prompts/b.txt"]
        assert [notice.split(":")[0] for notice in notices] == [f"prompts/{name}"]

    def test_templates_and_texts_are_announced_as_before(self, project: Path) -> None:
        write(project, "prompts/b.txt")
        (project / "prompts" / "b.txt").write_bytes(b"\0")
        assert len(read(".")[1]) == 1

    @pytest.mark.parametrize("content", [b"{}", b'{"name": "\xe9"}', b'{"name": [', b"a: \xe9"])
    @pytest.mark.parametrize("suffix", [".json", ".jsonl", ".yaml"])
    def test_data_without_a_prompt(self, project: Path, content: bytes, suffix: str) -> None:
        file = f"agents/a{suffix}"
        write(project, file)
        (project / file).write_bytes(content)
        assert read(".") == ([], [])
        assert read(file) == ([file], [])

    @pytest.mark.parametrize("content", ['{"messages": [{"role": "user", "content": "Hi"}]}', '{"messages": ['])
    def test_requests_whole_or_broken(self, project: Path, content: str) -> None:
        write(project, "prompts/a.json")
        (project / "prompts" / "a.json").write_text(content)
        assert read(".") == (["prompts/a.json"], [])


class TestFoldersThatSpeak:
    def test_folders_above_the_repository_say_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        root = tmp_path / "agents" / "prompts"
        write(root, "notes.md", "system/a.md")
        (root / ".git").mkdir()
        monkeypatch.chdir(root)
        assert found() == found([root]) == ["system/a.md"]
        assert found(["system"]) == ["system/a.md"]

    def test_a_folder_inside_the_repository_says_what_it_is_when_named(self, project: Path) -> None:
        write(project, "src/prompts/deep/notes.md")
        assert found(["src/prompts/deep"]) == found() == ["src/prompts/deep/notes.md"]

    def test_a_folder_outside_of_any_repository(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(tmp_path, "prompts/a.md")
        config = load_config(tmp_path / "prompts", isolated=True)
        monkeypatch.chdir(tmp_path)
        assert found(["prompts"], config) == ["prompts/a.md"]
        monkeypatch.chdir(tmp_path / "prompts")
        assert found(["."], config) == ["a.md"]


class TestGitignore:
    def test_patterns_and_exceptions(self, project: Path) -> None:
        write(project, "a.j2", "b.j2", "out/c.j2", "x/out/d.j2", "only/e.j2", "x/only/f.j2")
        ignore(project, "# a comment", "", "*.j2", "!a.j2", "!/x/**", "out/", "/only")
        assert found() == ["a.j2", "x/only/f.j2"]

    def test_the_innermost_file_decides(self, project: Path) -> None:
        write(project, "a.j2", "in/a.j2", "in/b.j2", "in/deep/b.j2")
        ignore(project, "a.j2")
        ignore(project / "in", "!a.j2", "/b.j2")
        assert found() == ["in/a.j2", "in/deep/b.j2"]

    def test_nothing_comes_back_from_an_ignored_folder(self, project: Path) -> None:
        write(project, "out/a.j2")
        ignore(project, "out", "!out/a.j2")
        assert found() == []

    def test_everything_but_one_folder(self, project: Path) -> None:
        write(project, "a.j2", "b/c.j2", "prompts/d.j2", "prompts/e/f.j2")
        ignore(project, "/*", "!/prompts/")
        assert found() == ["prompts/d.j2", "prompts/e/f.j2"]

    def test_files_above_the_start_count_up_to_the_repository(self, project: Path) -> None:
        write(project, "a/b/c.j2", "a/b/d.j2", "a/b/e.j2")
        ignore(project, "c.j2")
        ignore(project / "a", "/b/d.j2")
        ignore(project.parent, "e.j2")
        try:
            assert found(["a/b"]) == ["a/b/e.j2"]
        finally:
            (project.parent / ".gitignore").unlink()

    def test_a_folder_that_git_ignores_is_walked_when_named(self, project: Path) -> None:
        write(project, "out/a.j2", "out/b.j2")
        ignore(project, "out/", "b.j2")
        ignore(project / "out", "a.j2")
        assert found(["out"]) == ["out/b.j2"]

    @pytest.mark.parametrize("line", ["!", "\\", "[z-a]", "/", "a[", "\0"])
    def test_lines_that_are_no_patterns_are_passed_over(self, project: Path, line: str) -> None:
        write(project, "a.j2", "b.j2")
        ignore(project, line, "b.j2")
        assert found() == ["a.j2"]

    def test_files_that_are_no_text_and_folders_of_that_name(self, project: Path) -> None:
        write(project, "a.j2", "b.j2", "in/c.j2")
        (project / ".gitignore").write_bytes(b"\xef\xbb\xbfb.j2\r\n\xff\xfe\n")
        (project / "in" / ".gitignore").mkdir()
        assert found() == ["a.j2", "in/c.j2"]


class TestPromptlintignore:
    def test_it_is_read_like_gitignore(self, project: Path) -> None:
        write(project, "a.j2", "b.j2", "in/b.j2", "in/c.j2")
        ignore(project, "b.j2", name=".promptlintignore")
        ignore(project / "in", "!b.j2", "c.j2", name=".promptlintignore")
        assert found() == ["a.j2", "in/b.j2"]

    def test_it_holds_for_what_is_named_too(self, project: Path) -> None:
        write(project, "a.j2", "b.j2", "in/c.j2", "in/deep/d.j2")
        ignore(project, "b.j2", "/in/", name=".promptlintignore")
        assert found(["a.j2", "b.j2", "in", "in/c.j2", "in/deep"]) == ["a.j2"]

    def test_of_a_link_its_own_folder_counts(self, project: Path) -> None:
        write(project, "in/a.j2")
        (project.parent / "elsewhere.j2").touch()
        (project / "in" / "b.j2").symlink_to(project.parent / "elsewhere.j2")
        ignore(project, "b.j2", name=".promptlintignore")
        assert found(["in/a.j2", "in/b.j2"]) == ["in/a.j2"]

    def test_neither_file_overrules_the_other(self, project: Path) -> None:
        write(project, "a.j2", "b.j2", "c.j2")
        ignore(project, "a.j2", "!b.j2")
        ignore(project, "!a.j2", "b.j2", name=".promptlintignore")
        assert found() == ["c.j2"]


class TestConfiguration:
    def config(self, project: Path, **settings: tuple[str, ...]) -> Config:
        return Config(path=project / "promptlint.toml", root=project, **settings)  # type: ignore[arg-type]

    def test_excluded_means_excluded_even_for_named_files(self, project: Path) -> None:
        write(project, "a.j2", "legacy/b.j2", "x/legacy/c.j2", "gen/d.j2", "gen/e.j2")
        config = self.config(project, exclude=("legacy", "gen/*", "!gen/e.j2"))
        assert found(config=config) == ["a.j2", "gen/e.j2"]
        assert found(["legacy/b.j2", "legacy", "x/legacy", "gen/d.j2", "gen/e.j2"], config) == ["gen/e.j2"]
        assert found([project / "x" / ".." / "legacy" / "b.j2"], config) == []

    def test_nothing_comes_back_from_an_excluded_folder(self, project: Path) -> None:
        write(project, "legacy/a.j2")
        config = self.config(project, exclude=("legacy/", "!legacy/a.j2"))
        assert found(config=config) == found(["legacy/a.j2"], config) == []

    def test_files_outside_of_the_project_are_not_excluded(self, project: Path) -> None:
        write(project, "in/a.j2", "b.j2")
        config = Config(path=None, root=project / "in", exclude=("*",))
        assert found(["in/a.j2", "b.j2"], config) == ["b.j2"]

    def test_what_is_included_counts_as_a_prompt(self, project: Path) -> None:
        write(project, "texts/a.txt", "texts/b.yaml", "c.txt", "x/texts/d.txt", "page.html.j2", "README.md")
        config = self.config(project, include=("/texts/*", "*.html.j2", "README.md"))
        assert found(config=config) == ["README.md", "page.html.j2", "texts/a.txt", "texts/b.yaml"]
        assert found(["texts", "x"], config) == ["texts/a.txt", "texts/b.yaml"]

    def test_a_folder_that_is_spelled_out_is_walked_though_it_is_hidden(self, project: Path) -> None:
        write(project, ".github/prompts/a.md", ".github/notes.md", ".git/a.md", "build/b.txt", "x/build/c.txt")
        config = self.config(project, include=(".github/prompts/*.md", "build/*.txt"))
        assert found(config=config) == [".github/prompts/a.md", "build/b.txt"]

    def test_ignored_and_excluded_files_are_not_included(self, project: Path) -> None:
        write(project, "a.txt", "b.txt", "c.txt")
        ignore(project, "a.txt")
        config = self.config(project, include=("*.txt",), exclude=("b.txt",))
        assert found(config=config) == ["c.txt"]

    def test_a_project_below_the_start(self, project: Path) -> None:
        write(project, "in/a.txt", "b.txt")
        config = Config(path=None, root=project / "in", include=("*.txt",))
        assert found(["."], config) == ["in/a.txt"]


MARKUP = [
    "<!DOCTYPE html>\n",
    "\ufeff\n  <!doctype html>",
    "<html lang='en'>",
    "<?xml version='1.0'?>",
    "<?php echo 1;",
    "<head>",
    "<div class='a'>",
    "<svg/>",
    "<meta charset='utf-8'>",
    "#!/bin/sh\n",
    "#! /usr/bin/env python\n",
    "#include <stdio.h>",
    "# {{ ansible_managed }}\nx",
    "[Unit]\nDescription=x",
    "apiVersion: v1\n",
    "---\napiVersion: v1\n",
    "services:\n  web:",
    "server {\n  listen 80;",
    "upstream app {\n",
    "FROM python:3.11-slim\n",
    "FROM {{ image }}\n".replace("{{ image }}", "base AS build"),
    "package main\n",
    'syntax = "proto3";',
    "-----BEGIN CERTIFICATE-----",
    "\\documentclass{article}",
    "{# a licence #}\n<!-- more -->\n{%- set x = 1 -%}\n<html>",
    '{% extends "base.html" %}\n{% block content %}',
    "{%- extends 'layouts/base.html.j2' -%}",
    '{% from "macros.html" import x %}\nText',
]
PROSE = [
    "",
    "You are helpful.",
    "<system>\nYou are",
    "<role>x</role>",
    "<instructions>",
    "<header_note>",
    "<meta-prompt>",
    "<meta>\n",
    "<style>\nBe brief",
    "<body_of_work>",
    "# System\n",
    "#!important",
    "---\nname: a\n---\n",
    "[INST] Hi",
    "[System]\n",
    "From now on, be brief.\n",
    "FROM NOW ON, be brief",
    "FROM the documents below",
    "services: none",
    "server: x",
    "package delivery rules",
    '{% extends "base.j2" %}',
    "{# never closed <html>",
    "{% if x %}You are{% endif %} <html>",
    "The page begins with <html>.",
    "-----\nBEGIN",
    "{{ system }}\n<!doctype html>",
]


@pytest.mark.parametrize("text", MARKUP)
def test_markup(text: str) -> None:
    assert looks_like_markup(text)


@pytest.mark.parametrize("text", PROSE)
def test_prose(text: str) -> None:
    assert not looks_like_markup(text)


def test_a_long_beginning_takes_no_time() -> None:
    for text in ("{#" * 100_000, " " * 100_000, "<!--" * 100_000, "{% '" * 100_000, "<meta " + "a" * 100_000):
        assert not looks_like_markup(text)


@pytest.mark.parametrize(
    "path, base, shown",
    [
        ("/a/b/c.j2", "/a", "b/c.j2"),
        ("/a/b/c.j2", "/a/b", "c.j2"),
        ("/a/bc/d.j2", "/a/b", "/a/bc/d.j2"),
        ("/other/c.j2", "/a", "/other/c.j2"),
        ("b/c.j2", "/a", "b/c.j2"),
        ("../c.j2", "/a", "../c.j2"),
        ("/a", "/a", "."),
    ],
)
def test_how_paths_are_shown(path: str, base: str, shown: str) -> None:
    assert relative(Path(path), Path(base)) == shown


def test_a_plain_walk_imports_nothing_slow(project: Path) -> None:
    write(project, "a.j2", "b/c.j2")
    program = (
        "import sys; from pathlib import Path; from promptlint.config import load_config\n"
        "from promptlint.project.discover import walk\n"
        "print(len(list(walk([Path()], load_config(Path())))), sorted({'tomllib', 'pathspec'} & set(sys.modules)))"
    )
    repository = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(repository)}
    )
    assert done.stdout.strip() == "2 []"


def test_a_bundle_is_no_program_of_the_project(project: Path) -> None:
    (project / "a.js").write_text("const system = 'prompt';\n" * 9)
    (project / "b.js").write_text("const system = 'prompt';" * 99)
    units, _ = Workspace(choose.read).units([project])
    assert [path.name for path in units] == ["a.js"]


def test_a_walk_meets_yaml_with_a_key_that_only_prompts_have(project: Path) -> None:
    prompt = "agent:\n  system_template: |\n    You mend bicycles.\n"
    for name in (
        "config/mini.yaml",
        "config/big.YML",
        "tests/config/mini.yaml",
        "config/.mini.yaml",
        "config/mini.txt",
    ):
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(prompt)
    (project / "config" / "other.yaml").write_text("server:\n  template: page.html\n  system: linux\n")
    assert found() == ["config/big.YML", "config/mini.yaml"]
    config = load_config(Path())
    assert is_met(project / "config/mini.yaml", config)
    assert not is_met(project / "config/other.yaml", config)


def test_a_named_file_can_be_held_to_what_a_walk_meets(tmp_path: Path) -> None:
    """`is_met` and a walk through the project give one answer for every file."""
    names = [
        "a.j2",
        "README.md",
        "notes.txt",
        "prompts/a.txt",
        "prompts/README.md",
        "prompts/old/b.md",
        "prompts/kept.md",
        ".hidden/a.j2",
        "node_modules/prompts/a.md",
        ".github/prompts/c.md",
        "texts/extra.txt",
        "src/agent.py",
        "tests/test_agent.py",
        "CLAUDE.md",
        "ignored/prompts/a.md",
        "prompts/x.json",
        "docs/prompts/a.md",
        "docs/a.md",
        "build/a.j2",
        "prompts/generated.md",
    ]
    (tmp_path / ".git").mkdir()
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / ".gitignore").write_text("ignored/\n")
    (tmp_path / ".promptlintignore").write_text("generated.md\n")
    (tmp_path / "promptlint.toml").write_text(
        'include = ["texts/*.txt", ".github/prompts/*.md"]\nexclude = ["prompts/old"]\n'
    )
    config = load_config(tmp_path)
    met = {path.relative_to(tmp_path).as_posix() for path in walk([tmp_path], config)}
    assert {name for name in names if is_met(tmp_path / name, config)} == met
    assert {"a.j2", "prompts/a.txt", "texts/extra.txt", ".github/prompts/c.md", "src/agent.py"} <= met
    assert not {"README.md", "prompts/old/b.md", "ignored/prompts/a.md", "prompts/generated.md", "build/a.j2"} & met
    assert not is_met(tmp_path.parent / "a.j2", config)
    assert not is_met(tmp_path / "prompts", config)
