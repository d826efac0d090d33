"""Comments in programs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from promptlint.engine import Engine, Options

Found = Callable[..., list[str]]

IGNORE = "promptlint: ignore[clock-in-prefix] known"
RULES = " ".join(["You answer questions about gardens. Keep it short. Never promise anything."] * 12)


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Found:
    """Checks a program: the rules that speak, with their lines."""
    monkeypatch.chdir(tmp_path)

    def check(name: str, text: str) -> list[str]:
        (tmp_path / name).write_text(text, encoding="utf-8")
        run = Engine(Options()).check([Path(name)]).run
        at = [(finding.place.source.position(finding.place.span.start).line, finding.rule) for finding in run.findings]
        return [f"{line} {rule}" for line, rule in sorted(at)]

    return check


PYTHON = '''\
from datetime import datetime
import openai


def ask(client, question):
    system = f"""{{text}}It is {datetime.now()}.
{RULES}
"""  {{below}}
    {{above}}
    return client.chat.completions.create(
        model="gpt-5-mini",
        messages=[
            {"role": "system", "content": system},
            {"role": "user", "content": question},
        ],
    )
'''.replace("{RULES}", RULES)


def python(**parts: str) -> str:
    text = PYTHON
    for name in ("text", "above", "below"):
        text = text.replace("{{" + name + "}}", parts.get(name, ""))
    return text


def test_without_a_comment(found: Found) -> None:
    assert found("app.py", python()) == ["6 clock-in-prefix"]


@pytest.mark.parametrize(
    "text",
    [
        python(below=f"# {IGNORE}"),
        python().replace("    system =", f"    # {IGNORE}\n    system ="),
        python()
        .replace("    system =", f"    # {IGNORE}\n    # more words\n\n    system =")
        .replace("    # more words\n", ""),
        f"# {IGNORE.replace('ignore', 'ignore-file')}\n" + python(),
        python().replace('f"""', f'(  # {IGNORE}\n        f"""').replace('"""  \n', '"""\n    )\n'),
    ],
)
def test_python_comments(found: Found, text: str) -> None:
    assert found("app.py", text) == []


def test_a_comment_speaks_of_its_statement_only(found: Found) -> None:
    assert found("app.py", python(above=f"# {IGNORE}")) == ["6 clock-in-prefix", "9 unused-suppression"]
    assert found("app.py", python().replace("def ask", f"# {IGNORE}\ndef ask")) == [
        "5 unused-suppression",
        "7 clock-in-prefix",
    ]


def test_inside_a_string_it_is_text(found: Found) -> None:
    text = python(text=f"Hello.\n# {IGNORE}\n")
    assert found("app.py", text) == ["7 invalid-suppression", "8 clock-in-prefix"]


def test_words_in_a_line_of_code_are_no_comment(found: Found) -> None:
    assert found("app.py", f'HELP = "write # {IGNORE}"\n' + python()) == ["7 clock-in-prefix"]


SCRIPT = """\
import OpenAI from "openai";

export async function ask(client: OpenAI, question: string) {
  const system = `It is ${new Date().toISOString()}.
{RULES}`;{below}
  return client.chat.completions.create({
    model: "gpt-5-mini",
    messages: [
      { role: "system", content: system },
      { role: "user", content: question },
    ],
  });
}
""".replace("{RULES}", RULES)


@pytest.mark.parametrize("name", ["app.ts", "app.tsx", "App.TSX", "app.mts", "app.mjs"])
def test_script_comments(found: Found, name: str) -> None:
    typed = SCRIPT if name != "app.mjs" else SCRIPT.replace(": OpenAI", "").replace(": string", "")
    plain = typed.replace("{below}", "")
    assert found(name, plain) == ["4 clock-in-prefix"]
    for text in (
        typed.replace("{below}", f" // {IGNORE}"),
        plain.replace("  const system", f"  // {IGNORE}\n  const system"),
        plain.replace("  const system", f"  /* {IGNORE} */\n  const system"),
        plain.replace("  const system", f"  /*\n   * {IGNORE}\n   */\n  const system"),
    ):
        assert found(name, text) == []
