from __future__ import annotations

import json
from dataclasses import replace

from promptlint.finding import Finding
from promptlint.report.json_lines import json_lines
from promptlint.report.json_v1 import json_v1
from promptlint.run import Run


def test_each_line_is_a_finding_of_the_json_report(finding: Finding) -> None:
    run = Run((finding, replace(finding, message="line\u2028break \x9b")), (), 1, None)
    lines = json_lines(run).split("\n")
    assert lines.pop() == ""
    assert [json.loads(line) for line in lines] == json.loads(json_v1(run))["findings"]
    assert not {"\u2028", "\x9b"} & set("".join(lines))


def test_nothing_found_is_nothing_said() -> None:
    assert json_lines(Run((), (), 3, None)) == ""
