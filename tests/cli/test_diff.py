from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

SYSTEM = "It is 12:03:11.\nYou repair bicycles."
ASK = {"role": "user", "content": "The chain jumps."}
BODY: dict[str, Any] = {"model": "claude-sonnet-4-5", "system": SYSTEM, "messages": [ASK]}
NEXT = {**BODY, "messages": [ASK, {"role": "assistant", "content": "When?"}, {"role": "user", "content": "Uphill."}]}


def _write(folder: Path, **bodies: object) -> None:
    for name, body in bodies.items():
        text = body if isinstance(body, str) else json.dumps(body, indent=1)
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8", newline="")


def test_exit_codes(promptlint: Run, tmp_path: Path) -> None:
    _write(tmp_path, a__json=BODY, b__json=NEXT, c__json={**NEXT, "system": SYSTEM.replace("11", "12")})
    assert promptlint("diff", "a.json", "a.json").returncode == 0
    assert promptlint("diff", "a.json", "b.json").returncode == 0
    assert promptlint("diff", "a.json", "c.json").returncode == 1
    assert promptlint("diff", "a.json").returncode == 2


def test_text_names_both_places_and_what_is_lost(promptlint: Run, tmp_path: Path) -> None:
    _write(tmp_path, a__json=BODY, c__json={**NEXT, "system": SYSTEM.replace("11", "42")})
    done = promptlint("diff", "a.json", "c.json")
    assert "first difference: time at /system, after 13 characters (A a.json:3:25, B c.json:3:25)\n" in done.stdout
    assert "same from the start: 13 of 83 characters of A, 16 %\n" in done.stdout
    assert "lost: /messages/0 a.json:5:3: " in done.stdout and "tokens, sent again\n" in done.stdout
    assert "error[clock-in-prefix]: a clock in the system prompt changes within the conversation" in done.stdout


def test_json_has_findings_in_the_shape_of_check(promptlint: Run, tmp_path: Path) -> None:
    _write(
        tmp_path, a__json=BODY, c__json={**NEXT, "system": SYSTEM.replace("11", "42")}, x__j2="{{ now() }} Be kind.\n"
    )
    result = json.loads(promptlint("diff", "a.json", "c.json", "--output-format", "json").stdout)
    checked = json.loads(promptlint("check", "x.j2", "--output-format", "json").stdout)
    (finding,) = result["findings"]
    assert finding.keys() == checked["findings"][0].keys()
    assert (result["version"], result["relation"], result["append_only"]) == (1, "changed", False)
    first = result["first_difference"]
    assert (first["pointer"], first["kind"], first["offset"], first["offset_in_piece"]) == ("/system", "time", 13, 13)
    assert (first["current"]["line"], first["current"]["column"], first["current"]["text"]) == (3, 25, "12:03:42")
    assert first["previous"]["text"] == "12:03:11"
    assert result["share_of_previous_reused"] == round(13 / result["previous"]["characters"], 4)
    assert [lost["pointer"] for lost in result["lost"]] == ["/system", "/messages/0"]


def test_secrets_are_masked(promptlint: Run, tmp_path: Path) -> None:
    old, new = "sk-proj-abcdefghijkl1234", "sk-proj-abcdefghijkl9876"
    key = "You repair bicycles. api_key: "
    _write(tmp_path, a__json={**BODY, "system": key + old}, b__json={**NEXT, "system": key + new})
    for output in ("text", "json"):
        done = promptlint("diff", "a.json", "b.json", "--output-format", output)
        assert done.returncode == 1
        assert "ijkl" not in done.stdout and "9876" not in done.stdout
    _write(tmp_path, a__j2=key + old, b__j2=key + new)
    assert "9876" not in promptlint("diff", "a.j2", "b.j2").stdout


def test_a_prompt_of_several_is_chosen(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(body) + "\n" for body in (BODY, NEXT)), encoding="utf-8")
    done = promptlint("diff", "log.jsonl", "log.jsonl")
    assert (done.returncode, done.stderr) == (2, "Error: log.jsonl: 2 prompts; choose one with --prompt: 1, 2\n")
    chosen = promptlint("diff", "log.jsonl", "log.jsonl", "--prompt", "1", "--prompt", "2", "--output-format", "json")
    assert json.loads(chosen.stdout)["relation"] == "append-only"
    assert "no prompt is called '3'" in promptlint("diff", "log.jsonl", "log.jsonl", "--prompt", "3").stderr


def test_revisions(promptlint: Run, tmp_path: Path) -> None:
    _write(tmp_path, system__j2="You repair bicycles.\n")
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "m"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    _write(tmp_path, system__j2="You repair bikes.\n")
    done = promptlint("diff", "HEAD:system.j2", "system.j2")
    assert done.returncode == 1
    assert (
        "first difference: text at system, after 13 characters (A HEAD:system.j2:1:14, B system.j2:1:14)" in done.stdout
    )
    assert promptlint("diff", "HEAD:system.j2", ":system.j2").returncode == 0


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ("broken.json", "a.json", "broken.json:1:45: "),
        ("nothing.json", "a.json", "nothing.json: there is no such file; check the path"),
        (".", "a.json", ".: this is a folder; name a file"),
        ("big.json", "a.json", "big.json: 4,000,001 bytes are more than the 4 MB"),
        ("deep.json", "a.json", "deep.json:1:"),
        ("other.json", "a.json", "other.json: no prompt and no request"),
        ("a.json", "x.j2", "a.json is a request and x.j2 a template; compare two requests or two templates"),
        ("binary.json", "a.json", "binary.json: this is a binary file"),
    ],
)
def test_what_cannot_be_compared_is_said_in_one_line(
    promptlint: Run, tmp_path: Path, a: str, b: str, said: str
) -> None:
    deep = "[" * 50_000 + "]" * 50_000
    _write(
        tmp_path,
        a__json=BODY,
        x__j2="You repair bicycles.\n",
        broken__json='{"messages":[{"role":"user","content":"q"}, nonsense',
        other__json='{"name": "p", "version": 2}',
        deep__json='{"tools":[{"name":"t","input_schema":' + deep + '}],"messages":[{"role":"user","content":"q"}]}',
        big__json="a" * 4_000_001,
        binary__json="\0\1",
    )
    done = promptlint("diff", a, b)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"Error: {said}") and done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--order", "tools,system"], "'tools,system' is no order; name each of tools, system, messages once"),
        (["--provider", "antropic"], "no provider is called 'antropic'; did you mean 'anthropic'?"),
        (["--prompt", "1", "--prompt", "2", "--prompt", "3"], "--prompt is given more than twice"),
    ],
)
def test_wrong_options_are_said(promptlint: Run, tmp_path: Path, options: list[str], said: str) -> None:
    _write(tmp_path, a__json=BODY)
    done = promptlint("diff", "a.json", "a.json", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
