from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from promptlint.events import FIXED, UNKNOWN, Lifetime
from promptlint.layout.appraisal import Appraisal
from promptlint.layout.horizons import horizons
from promptlint.prompt import Field, Guard, GuardKind, Marker, Section, Segment
from promptlint.providers.registry import provider
from promptlint.report.paint import Paint
from promptlint.report.prompt_view import view, view_json
from promptlint.source import Place, Source, Span

Appraise = Callable[..., Appraisal]
FIGURES = {"conversation": (3, 3, 12), "user": (3, 1, 12)}


def test_segments_end_of_reuse_and_horizons(support: Source, appraise: Appraise) -> None:
    appraisal = appraise(support, FIGURES, FIGURES, total=15)
    assert (
        "\n".join(view(appraisal, [], Paint(False)))
        == """\
prompts/support.j2: 15 tokens, generic (assumed), counted with o200k_base

  at  section  events    tokens  evidence  text
 1:1  system   constant       4            The clock says
──── reuse ends here (conversation, generic) ────
1:16  system   request        5  call      {{ now().strftime("%H:%M:%S") }}
1:48  system   constant       6            .\\nYou are the voice of a smart home.\\n

provider  order         horizon       now  at least  best  total  share
generic   tools first   conversation    3         3    12     15  20 %, 80 % at best
generic   tools first   user            3         1    12     15  20 %, 80 % at best
generic   system first  conversation    3         3    12     15  20 %, 80 % at best
generic   system first  user            3         1    12     15  20 %, 80 % at best"""
    )


def test_rows_stand_in_render_order_and_each_order_has_its_end(support: Source, appraise: Appraise) -> None:
    system = appraise(support).prompt.segments[0]
    tools = Segment(Section.TOOLS, Field.TOOLS, 0, UNKNOWN, None, None, size=300, name="tools", assumed=True)
    appraisal = appraise(support, FIGURES, FIGURES, ends=(2, 1), segments=(system, tools))
    assert list(view(appraisal, [], Paint(False)))[2:8] == [
        " at  section          events    tokens  evidence  text",
        "──── reuse ends here (conversation, generic, system first) ────",
        "  -  tools (assumed)  unknown        5            tools",
        "1:1  system           constant       4            The clock says",
        "──── reuse does not end (conversation, generic, tools first) ────",
        "",
    ]


def test_conditions_breakpoints_and_other_files(support: Source, appraise: Appraise) -> None:
    part = Source("part.j2", "x" * 79 + " sk-abcdef0123456789")
    few = Guard(GuardKind.BRANCH, 1, 0, Lifetime(few=True), Place(support, Span(0, 3)))
    place = Place(part, Span(70, 99))
    segments = tuple(
        Segment(Section.SYSTEM, Field.SYSTEM, 0, FIXED, place, place.text, guards=guards)
        for guards in ((few,), (replace(few, arm=2),), (replace(few, arm=1),), (replace(few, group=2), few))
    )
    marker = Marker(1, place, ttl="1h")
    appraisal = appraise(support, FIGURES, ends=(4,), segments=segments, markers=(marker,), name="main")
    lines = list(view(appraisal, [], Paint(False)))
    assert lines[0].startswith("prompts/support.j2 (main): 22 tokens")
    text = "xxxxxxxxx sk-a***************"
    assert lines[3:9] == [
        f"part.j2:1:71  system   constant       4            [3 variants] {text}",
        f"part.j2:1:71  system   constant       5            [3 variants] {text}",
        "──── breakpoint, 1h ────",
        f"part.j2:1:71  system   constant       6            [3 variants] {text}",
        f"part.j2:1:71  system   constant       7            [6 variants] {text}",
        "──── reuse does not end (conversation, generic, tools first) ────",
    ]


def test_each_asked_provider_has_its_rows(support: Source, appraise: Appraise) -> None:
    asked = [provider("anthropic"), provider("vllm")]
    lines = list(view(appraise(support, FIGURES, FIGURES), asked, Paint(False)))
    assert [line.split()[0] for line in lines[-8:]] == ["anthropic"] * 4 + ["vllm"] * 4
    assert "──── reuse ends here (conversation, vllm) ────" in lines


def test_an_empty_prompt(support: Source, appraise: Appraise) -> None:
    lines = list(view(appraise(support, FIGURES, segments=(), ends=(0,)), [], Paint(True)))
    assert any("reuse does not end" in line for line in lines)


def test_json_has_the_segments_as_written(support: Source, appraise: Appraise) -> None:
    tools = Segment(Section.TOOLS, Field.TOOLS, 0, UNKNOWN, None, None, size=300, name="tools")
    clock = appraise(support).prompt.segments[1]
    appraisal = appraise(support, {"user": (0, 0, 9)}, segments=(clock, tools), name="support")
    assert horizons()[1].name == "user"
    assert json.loads(view_json(appraisal, [])) == {
        "version": 1,
        "path": "prompts/support.j2",
        "name": "support",
        "model": None,
        "segments": [
            {
                "line": 1,
                "column": 16,
                "end_line": 1,
                "end_column": 48,
                "section": "system",
                "field": "system",
                "message": 0,
                "events": ["request"],
                "known": True,
                "evidence": "call",
                "kind": "clock",
                "tokens": 4,
                "text": None,
            },
            {
                "line": None,
                "column": None,
                "end_line": None,
                "end_column": None,
                "section": "tools",
                "field": "tools",
                "message": 0,
                "events": [],
                "known": False,
                "evidence": None,
                "kind": None,
                "tokens": 5,
                "text": None,
            },
        ],
        "layouts": [
            {
                "provider": "generic",
                "order": ["tools", "system", "messages"],
                "horizon": "user",
                "now": [0, 0],
                "now_at_least": [0, 0],
                "best": [9, 9],
                "total": 100,
                "lost_usd_per_million_requests": None,
            }
        ],
    }
