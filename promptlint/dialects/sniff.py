"""Which dialect a text is written in. The name of the file does not decide alone."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from promptlint.dialects.braces import plain_field_at
from promptlint.dialects.strformat import field_at

_SUFFIXES = {
    ".j2": "jinja",
    ".jinja": "jinja",
    ".jinja2": "jinja",
    ".hbs": "handlebars",
    ".handlebars": "handlebars",
    ".mustache": "handlebars",
}
_PROSE_FILE = re.compile(
    r"(?i)(?:claude|agents|gemini|skill)(?:\.local|\.override)?\.md|.+\.(?:agent|instructions|chatmode)\.md"
    r"|readme[^/]*\.md|changelog[^/]*"
)
_FENCE = re.compile(r"(?ms)^[ \t]*(```+|~~~+).*?(?:^[ \t]*\1|\Z)")
_QUOTED = re.compile(r"`[^`\r\n]+`")

_STATEMENT = re.compile(
    r"\{%[-+]?\s*(?:if|elif|else|endif|for|endfor|set|endset|macro|endmacro|include|import|from|extends|block|endblock"
    r"|raw|endraw|call|endcall|filter|endfilter|with|endwith|chat|endchat|message|generation|do|break|continue)\b"
    r"[^%]{0,2000}%\}"
)
_COMMENT = re.compile(r"(?<!\{)\{#[^{}]{0,2000}#\}(?!\})")
_EXPRESSION = re.compile(
    r"\{\{[-+]?\s*(?:not\s+)?(?:"
    r"[A-Za-z_][\w.]{0,100}(?:[(\[]|\s*\|\s*[A-Za-z_]|\s+(?:if|is|in|and|or|not)\s|\s*[~+]\s*[\w\"'])"
    r"|\"[^\"{}]{0,200}\"\s*[|~+.)\]}]|'[^'{}]{0,200}'\s*[|~+.)\]}]|[(\[])"
)
_GO = re.compile(
    r"\{\{-?\s*(?:\.[A-Za-z_]"
    r"|(?:range|with|template|block|define|if|else if)\s+(?:[$\"]|\.[\w\s|}]|(?:and|or|not|eq|ne|len|gt|lt)\s+[.($])"
    r"|\$\w+\s*:?=)"
)
_BLOCK = re.compile(r"\{\{\{?~?\s*(?:#(?![\w.]{1,200}#\}\})[\s>*\"'\w@.]|/\s*[\w.\"-]{1,100}\s*~?\}\}|\^|>|else\b)")
_DOTPROMPT = re.compile(r"\{\{\s*(?:role|section|media)\s+[\w\"']")
_CALL = re.compile(
    r"\{\{~?\s*(?!(?:if|not)\b)[A-Za-z_][\w.-]{0,100}\s+(?:[\w.@-]{1,100}=)?(?:[\w@(]|\"[^\"{}]{0,200}\"|'[^'{}]{0,200}')"
)
_MACRO = re.compile(
    r"\{\{(?:[A-Za-z]\w{0,60}::|(?:random|roll|pick|reverse|banned|timeDiff|getvar|setvar)[:\s]|[A-Z][A-Z0-9]{0,40}(?:_[A-Z0-9]{1,40}){0,8}\}\}"
    r"|\s*\$[A-Za-z_]|//|time_UTC|datetimeformat\s|#[\w.]{1,200}#\}\}"
    r"|\s*[A-Za-z_][\w.]{0,100}\s+\$[A-Za-z_])"
)
_SIMPLE = re.compile(r"\{\{\{?[-~&]?\s*(?:@?[A-Za-z_][\w.\-/]{0,200})\s*[-~]?\}\}")
_HANDLEBARS_VALUE = re.compile(r"\{\{(?:\{|&|~?@|~?\.\./|~?this\b|!)")

_ESCAPED = re.compile(r"\{\{\s*(?:[\"'][^\"'{}]{0,200}[\"']\s*:|\}\})")

_FIELD_NAME = re.compile(r"[^\W\d]\w*(?:\.\w+|\[\w+\]){0,20}")
_POSITION = re.compile(r"\d{0,3}")
_NOT_BEFORE = re.compile(
    r"(?:[$\\}]|\\\w{1,30}(?:\[[^\[\]]{0,30}\])?|\b(?:import|export|const|let|var|type)\s{1,3}"
    # A path of an HTTP interface, an attribute of a component, a table of PowerShell.
    r"|\b(?:GET|HEAD|POST|PUT|PATCH|DELETE)\s{1,3}\S{0,99}/|<[A-Z]\w{0,30}(?:\s[^<>]{0,99})?=|\b(?:className|on[A-Z]\w{0,30})="
    r"|(?<!\w)@)\Z"
)
_NOT_BEFORE_LENIENT = re.compile(r"[\^_/#]\Z")
_SPOKEN_NAME = re.compile(r"[A-Za-z]\w{2,}(?:[.\[].*)?")
_NO_NAMES = frozenset(
    {"return", "break", "continue", "pass", "this", "true", "false", "null", "none", "self", "children"}
)
_CODE = re.compile(
    r"(?m)^[ \t]{0,40}(?:import\s[^\r\n]{0,200}\bfrom\s+['\"]|"
    r"export\s+(?:default|const|function|class|type|interface)\b|(?:const|let|var)\s+[\w{\[][^\r\n=]{0,100}=(?!=)|(?:async\s+)?function\s*\w{0,60}\s*\(|(?:interface|enum|struct)\s+\w{1,60}[^\r\n]{0,60}\{"
    r"|(?:public|private|protected)\s+\w|\#include\s*[<\"]|using\s+namespace\b|package\s+\w[\w.]{0,60};|def\s+\w{1,60}\(|@media\b"
    r"|[.\#]?[\w\-]{1,40}\s*\{\s*[\w\-]{1,30}\s*:[^\"{}\r\n]{1,80};)"
    r"|\\(?:documentclass|usepackage|newcommand|begin\{document\})|\)\s*=>\s*[{(]"
)
_BACK = 140


def sniff(path: str, text: str) -> str:
    """ "jinja", "strformat", "braces", "macros", "handlebars" or "none", from what the tags in the text look like.

    Tags that are only shown, in fenced code or backticks, do not count.
    """
    name = PurePosixPath(path.replace("\\", "/")).name
    suffix = PurePosixPath(name).suffix.lower()
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    shown = _without_code(text)
    if _PROSE_FILE.fullmatch(name):
        return "jinja" if _STATEMENT.search(shown) else "none"
    if "{" not in text:
        return "none"
    dotprompt = suffix == ".prompt" and _first_line(text) == "---"
    if "{{" in text or "{%" in text or "{#" in text:
        found = _double(text, shown, dotprompt)
        if found is not None:
            return found
    if dotprompt or suffix == ".prompty":
        return "none"
    fields = _fields(text, shown)
    if fields is None:
        return "braces" if _has_plain_field(text, shown) else "none"
    return "strformat" if fields else "none"


def _first_line(text: str) -> str:
    """The first line that is neither blank nor a comment: `---` where front matter begins."""
    lines = (line.rstrip() for line in text.removeprefix("\ufeff").splitlines())
    return next((line for line in lines if line and not line.startswith("#")), "")


def _double(text: str, shown: str, dotprompt: bool) -> str | None:
    """The dialect that double braces or `{%` speak for; None when they are escapes of `str.format`, or none."""
    if _STATEMENT.search(text):
        return "jinja"
    if _GO.search(text):
        return "none"
    if _DOTPROMPT.search(text) or (_BLOCK.search(text) and not _COMMENT.search(text)):
        return "handlebars"
    simple = _SIMPLE.findall(text)
    if not _EXPRESSION.search(text) and _escapes(text, simple, _fields(text, shown)):
        return None
    for pattern, dialect in (
        (_MACRO, "macros"),
        (_COMMENT, "jinja"),
        (_HANDLEBARS_VALUE, "handlebars"),
        (_EXPRESSION, "jinja"),
        (_CALL, "handlebars"),
    ):
        if pattern.search(text):
            return "handlebars" if dotprompt else dialect
    if simple:
        return "handlebars" if dotprompt else "jinja"
    return None


def _escapes(text: str, simple: list[str], fields: int | None) -> bool:
    """Whether double braces are the escapes of a `str.format` text with this many fields."""
    if not fields or any(" " in tag for tag in simple):
        return False
    if _ESCAPED.search(text) is not None:
        return True
    # Placeholders that are only shown; a template that is filled through doubled braces has far more of them.
    enough = fields > len(simple) or (2 * fields >= len(simple) and not _HANDLEBARS_VALUE.search(text))
    return enough and not _MACRO.search(text)


def _without_code(text: str) -> str:
    """The text with fenced and quoted code blanked; offsets stay."""
    if "`" not in text and "~~~" not in text:
        return text
    blanked = _FENCE.sub(lambda match: " " * len(match[0]), text)
    return _QUOTED.sub(lambda match: " " * len(match[0]), blanked)


def _fields(text: str, shown: str) -> int | None:
    """How many named fields stand outside of code; None when the text is not what `str.format` would take."""
    count, at = 0, 0
    while True:
        opened, closed = text.find("{", at), text.find("}", at)
        if opened < 0 and closed < 0:
            return count
        at = min(place for place in (opened, closed) if place >= 0)
        if text.startswith(("{{", "}}"), at):
            at += 2
            continue
        field = field_at(text, at, len(text)) if at == opened else None
        if field is None or not _plausible(text, field.name.start, field.name.end, field.spec is not None):
            return None
        named = text[field.name.start] not in "0123456789}!:"
        if named and shown[at] == "{" and not _NOT_BEFORE.search(text[max(0, at - _BACK) : at]):
            count += 1
        at = field.span.end


def _has_plain_field(text: str, shown: str) -> bool:
    """Whether a name in single braces stands outside of code, in a text that is no code itself."""
    at = 0
    while (at := shown.find("{", at)) >= 0:
        field = plain_field_at(text, at, len(text))
        doubled = text[at - 1 : at] == "{" or (field is None and text.startswith("{{", at))
        if field is not None and not doubled:
            name, before = text[field.name.start : field.name.end], text[max(0, at - _BACK) : at]
            spoken = _SPOKEN_NAME.fullmatch(name) and name.lower() not in _NO_NAMES
            if spoken and not _NOT_BEFORE.search(before) and not _NOT_BEFORE_LENIENT.search(before):
                return not _CODE.search(shown)
        at += 1
    return False


def _plausible(text: str, start: int, end: int, specified: bool) -> bool:
    """Whether a field's name is one, and what follows is no value of an object or style sheet."""
    name = text[start:end]
    if specified and text[end] == ":" and text[end + 1 : end + 2] in (" ", "\n", "\r", "\t"):
        return False
    return bool(_FIELD_NAME.fullmatch(name) or _POSITION.fullmatch(name))
