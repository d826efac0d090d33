"""Comments that are written change nothing of what a model reads."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import Environment

from promptlint.engine import Engine, Options
from promptlint.finding import Finding
from promptlint.readers.choose import read
from promptlint.source import Place, Source, Span
from promptlint.suppression.adding import with_comments
from promptlint.template import PieceKind

RULES = "You answer questions about gardens.\n"


def added(folder: Path, name: str, text: str) -> tuple[str, list[str]]:
    """The text with comments, and the rules of findings that are left."""
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    engine = Engine(Options())
    outcome = engine.check([path])
    unit = engine.unit(path)
    changed, left = with_comments(unit, outcome.parts, "known", partial(engine.reread, path))
    return changed, [finding.rule for finding in left]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.j2", "Now {{ now() }}.\n", "Now {# promptlint: ignore[clock-in-prefix] known #}{{ now() }}.\n"),
        ("a.j2", "{{ now() }}\n", "{# promptlint: ignore[clock-in-prefix] known #}{{ now() }}\n"),
        ("a.j2", "x\n  {{- now() }}\n", "x\n  {#- promptlint: ignore[clock-in-prefix] known #}{{- now() }}\n"),
        ("a.j2", "  {{ now() }} x\n", "  {{ now() }}{# promptlint: ignore[clock-in-prefix] known #} x\n"),
        ("a.j2", "  {{ now() }}\n", None),
        (
            "a.j2",
            "{% for d in retrieved_docs %}{{ d }}{% endfor %}\n",
            "{# promptlint: ignore[retrieval-in-prefix] known #}{% for d in retrieved_docs %}{{ d }}{% endfor %}\n",
        ),
        (
            "a.hbs",
            "It is {{current_time}}.\n",
            "It is {{! promptlint: ignore[clock-in-prefix] known }}{{current_time}}.\n",
        ),
        ("a.hbs", "It is {{~current_time}}.\n", None),
        ("a.md", "It is {{ current_time }}.\n", None),
        (
            "a.md",
            "It is {{ current_time }}. {# x #}\n",
            "It is {# promptlint: ignore[clock-in-prefix] known #}{{ current_time }}. {# x #}\n",
        ),
        ("a.txt", "It is {current_time}.\n", None),
    ],
)
def test_where_comments_go(tmp_path: Path, name: str, text: str, expected: str | None) -> None:
    changed, left = added(tmp_path, name, text + RULES)
    assert changed == (text if expected is None else expected) + RULES
    assert bool(left) == (expected is None)


def test_several_rules_share_a_comment_and_line_ends_stay(tmp_path: Path) -> None:
    text = "Hi {{ now() }} {{ uuid4() }}\r\n" + RULES
    changed, left = added(tmp_path, "a.j2", text)
    assert not left
    assert changed.count("promptlint:") == 2
    assert changed.endswith("\r\n" + RULES)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_line_above_a_statement_ends_as_the_statement_does(tmp_path: Path, end: str) -> None:
    text = (
        "from datetime import datetime\n\n\ndef build(client):\n"
        f'    system = f"""It is {{datetime.now()}}.\n{RULES * 40}"""\n'
        '    return client.chat.completions.create(model="m", messages=[{"role": "system", "content": system}])\n'
    ).replace("\n", end)
    changed, _ = added(tmp_path, "app.py", text)
    assert changed.count("\n") == changed.count(end) == text.count(end) + 1


def test_programs_get_a_line_above_the_statement(tmp_path: Path) -> None:
    text = (
        "from datetime import datetime\n\n\ndef build(client):\n"
        f'    system = f"""It is {{datetime.now()}}.\n{RULES * 40}"""\n'
        '    return client.chat.completions.create(model="m", messages=[{"role": "system", "content": system}])\n'
    )
    changed, left = added(tmp_path, "app.py", text)
    assert not left
    assert changed == text.replace("    system", "    # promptlint: ignore[clock-in-prefix] known\n    system", 1)


NOW = "{{ now }}"
PARTS = st.lists(
    st.sampled_from(
        [
            NOW,
            "{{- now }}",
            "{{ now -}}",
            "{{- now -}}",
            " ",
            "  ",
            "\n",
            "x",
            "{% if y %}",
            "{%- if y -%}",
            "{% endif %}",
            "{# c #}",
        ]
    ),
    max_size=12,
)


@given(PARTS, st.booleans(), st.booleans())
def test_what_jinja_renders_stays(parts: list[str], trim: bool, lstrip: bool) -> None:
    opened = [part for part in parts if "if y" in part]
    closed = [part for part in parts if "endif" in part]
    text = "".join([*(part for part in parts if "endif" not in part), *["{% endif %}"] * len(opened)]) + "\nend\n"
    unit = read(Source("a.j2", text))
    assert not unit.problems, (opened, closed)
    (message,) = unit.prompts[0].messages
    holes = [piece for piece in message.template.pieces if piece.kind is PieceKind.HOLE]
    findings = [_finding(unit.source, hole.span) for hole in holes]
    changed, _ = with_comments(unit, findings, "known", read)
    environment = Environment(trim_blocks=trim, lstrip_blocks=lstrip, keep_trailing_newline=True)
    for y in (True, False):
        before = environment.from_string(text).render(now="NOW", y=y)
        assert environment.from_string(changed).render(now="NOW", y=y) == before


def _finding(source: Source, span: Span) -> Finding:
    from promptlint.events import Confidence
    from promptlint.finding import Severity

    return Finding("clock-in-prefix", Severity.NOTE, Confidence.LOW, "", Place(source, span))
