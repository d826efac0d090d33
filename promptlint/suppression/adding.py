"""Comments that suppress findings, put where they change nothing of what a model reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from promptlint.finding import Finding
from promptlint.source import Place, Source
from promptlint.suppression.comments import Comment, comments
from promptlint.suppression.statements import statement_at
from promptlint.template import Piece, PieceKind, Template
from promptlint.unit import Unit

FORBIDDEN = ("#}", "}}", "*/", "\n", "\r", "]")
"""What a reason must not hold: it would end the comment."""

_NEVER = re.compile(r"(?!)")
_SURE = {
    "jinja": (re.compile(r"\{[%#]"), (".j2", ".jinja", ".jinja2")),
    "handlebars": (re.compile(r"\{\{~?[#!>]"), (".hbs", ".handlebars", ".mustache", ".prompt")),
    "macros": (re.compile(r"\{\{//"), ()),
}
"""What shows that a file is of a dialect whose comments are taken out: something in it, or how it is called.

`{{name}}` alone may be filled by a program that knows no comments.
"""

_Reread = Callable[[Source], Unit]


@dataclass(slots=True)
class _Insertion:
    """A comment to be put at an offset: `before` and `after` what stands around `promptlint: ignore[...]`."""

    before: str
    after: str
    findings: list[Finding] = field(default_factory=list)

    def text(self, reason: str) -> str:
        rules = ", ".join(dict.fromkeys(finding.rule for finding in self.findings))
        return f"{self.before}promptlint: ignore[{rules}]{f' {reason}' if reason else ''}{self.after}"


def with_comments(unit: Unit, findings: Iterable[Finding], reason: str, reread: _Reread) -> tuple[str, list[Finding]]:
    """The file's text with comments for those findings that one can be written for, and the findings left over.

    `reread` reads the new text as the file is read: a comment that would change what the model reads is not written.
    """
    insertions: dict[int, _Insertion] = {}
    left: list[Finding] = []
    for finding in findings:
        found = _insertion(unit, finding.place)
        if found is None:
            left.append(finding)
        else:
            insertions.setdefault(found[0], _Insertion(*found[1:])).findings.append(finding)
    kept: dict[int, _Insertion] = {}
    for at, insertion in insertions.items():
        changed = reread(Source(unit.source.path, _inserted(unit, {at: insertion}, reason)))
        if _is_harmless(unit, changed, insertion):
            kept[at] = insertion
        else:
            left.extend(insertion.findings)
    return _inserted(unit, kept, reason), left


def _inserted(unit: Unit, insertions: dict[int, _Insertion], reason: str) -> str:
    text = unit.source.text
    for at in sorted(insertions, reverse=True):
        text = text[:at] + insertions[at].text(reason) + text[at:]
    return text


def _is_harmless(unit: Unit, changed: Unit, insertion: _Insertion) -> bool:
    """Whether the model reads the same as before, and one more comment is understood."""
    rules = {finding.rule for finding in insertion.findings}
    before, after = (sum(isinstance(said, Comment) for said in comments(each, rules)) for each in (unit, changed))
    return _read_by_model(unit) == _read_by_model(changed) and before + 1 == after


def _read_by_model(unit: Unit) -> list[tuple[str, ...]]:
    """For each string of a prompt the literal text between its holes."""
    strings = []
    for prompt in unit.prompts:
        for message in prompt.messages:
            texts = [""]
            for piece in message.template.pieces:
                if piece.kind is PieceKind.TEXT:
                    texts[-1] += piece.text
                elif piece.kind is PieceKind.HOLE:
                    texts.append("")
            strings.append(tuple(texts))
    return strings


def _insertion(unit: Unit, place: Place) -> tuple[int, str, str] | None:
    """Offset and surroundings of a comment on a place; None where the format has none."""
    if unit.module is not None:
        span = statement_at(unit.module.body, place.span.start)
        mark = "#" if unit.module.language == "python" else "//"
        return _line_above(unit.source, span.start, f"{mark} ", "") if span is not None else None
    for template in (message.template for prompt in unit.prompts for message in prompt.messages):
        for piece in template.pieces:
            if piece.span.start <= place.span.start < piece.span.end:
                return _beside(unit.source, template, piece)
    return None


def _line_above(source: Source, offset: int, before: str, after: str) -> tuple[int, str, str]:
    line = source.position(offset).line
    starts, text = source.line_starts(), source.line(line)
    start, following = starts[line - 1], starts[line] if line < len(starts) else len(source.text)
    indent = text[: len(text) - len(text.lstrip())]
    return start, f"{indent}{before}", after + (source.text[start + len(text) : following] or "\n")


def _beside(source: Source, template: Template, piece: Piece) -> tuple[int, str, str] | None:
    """A comment of the template beside one of its holes or tags, where it writes nothing and strips nothing."""
    written = source.slice(piece.span)
    sure, suffixes = _SURE.get(template.dialect, (_NEVER, ()))
    if not source.path.endswith(suffixes) and not sure.search(source.text):
        return None
    match template.dialect:
        case "jinja" if written.startswith("{"):
            return _beside_jinja(source, piece, written)
        case "macros" if written.startswith("{{"):
            return piece.span.start, "{{// ", " }}"
        case "handlebars" if piece.kind is PieceKind.HOLE and "~" not in (written[2:3], written[-3:-2]):
            # A tag alone on its line takes the line with it, and `~` works on the text beside a tag only.
            return piece.span.start, "{{! ", " }}"
    return None


def _beside_jinja(source: Source, piece: Piece, written: str) -> tuple[int, str, str] | None:
    """`lstrip_blocks` takes blanks away between a line's begin and a comment, `trim_blocks` the line end behind one.

    `-` works on the text beside a tag only, so a comment beside such a tag has one as well.
    """
    position = source.position(piece.span.start)
    prefix = source.line(position.line)[: position.column - 1]
    following = source.text[piece.span.end : piece.span.end + 1]
    if written[2:3] == "-":
        return piece.span.start, "{#- ", " #}"
    if not prefix or prefix.strip() or written.startswith("{%"):
        return piece.span.start, "{# ", " #}"
    if following in ("", "\n", "\r"):
        return None
    return piece.span.end, "{# ", " -#}" if written.endswith("-}}") else " #}"
