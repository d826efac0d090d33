from __future__ import annotations

import pytest

from promptlint.finding import Finding
from promptlint.report.formats import FORMATS, rendered
from promptlint.report.paint import Paint
from promptlint.run import Run


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_has_a_function_and_ends_its_last_line(name: str, finding: Finding) -> None:
    text = rendered(name, Run((finding,), (), 1, None), Paint(True))
    assert "clock-in-prefix" in text
    assert text.endswith("\n")


def test_only_text_is_coloured(finding: Finding) -> None:
    run = Run((finding,), (), 1, None)
    coloured = {name for name in FORMATS if "\x1b" in rendered(name, run, Paint(True))}
    assert coloured == {"full", "concise", "grouped"}
