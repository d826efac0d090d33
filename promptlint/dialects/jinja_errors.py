"""What is wrong with a Jinja template, in words that say what to do, at the place where to do it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jinja2 import TemplateSyntaxError

from promptlint.dialects.jinja_lexer import OffsetEnvironment
from promptlint.source import Span
from promptlint.template import Problem

_MISSPELT = {
    **dict.fromkeys(("elseif", "elsif", "elsefi", "esleif", "elfi", "eilf", "elife"), "elif"),
    **dict.fromkeys(("esle", "eles", "els", "lese"), "else"),
    **dict.fromkeys(("fro", "ofr", "foor"), "for"),
    **dict.fromkeys(("ednif", "endfi", "ednfi", "edif", "enif"), "endif"),
    **dict.fromkeys(("ednfor", "endfro", "ednfro", "enfor"), "endfor"),
    **dict.fromkeys(("inlcude", "incldue", "inculde"), "include"),
    **dict.fromkeys(("marco", "macor"), "macro"),
    **dict.fromkeys(("blcok", "bolck"), "block"),
    "ste": "set",
}
_ENDS = ("endif", "endfor", "endblock", "endmacro", "endset", "endcall", "endfilter", "endwith", "endraw")

_CLOSERS = {"{{": "}}", "{%": "%}", "{#": "#}"}
_BRACES = re.compile(
    r"""(?<!\w)(?:"[^"\r\n{}]*[{}]+[^"\r\n{}]*"|'[^'\r\n{}]*[{}]+[^'\r\n{}]*')|\{\{|\{%|\{#|\}\}|%\}|#\}"""
)
_RAW = re.compile(r"\{%[-+]?\s*raw\s*[-+]?%\}")
_ADVICE = re.compile(r"\.\s.*|\.\Z", re.DOTALL)


class TagError(TemplateSyntaxError):
    """An error that knows the tag it stands for: `lineno` is the offset in it, `whole` asks for all of the tag."""

    def __init__(self, message: str, offset: int, *, whole: bool = False) -> None:
        super().__init__(message, offset)
        self.whole = whole


@dataclass(frozen=True, slots=True)
class Opened:
    """A tag that is open."""

    name: str
    offset: int


def meant(tag: str, opened: set[str]) -> str | None:
    """The built-in tag that a misspelt one stands for; the end of a tag in `opened` is none."""
    if tag in _MISSPELT:
        return _MISSPELT[tag]
    if not tag.startswith("end") or tag[3:] in opened or tag[3:].lstrip("_") in opened or tag in _ENDS:
        return None
    return next((end for end in _ENDS if _one_slip(tag, end)), None)


def _one_slip(tag: str, end: str) -> bool:
    """Whether one letter is missing, added or other, or two are swapped."""
    at = next(
        (n for n, (left, right) in enumerate(zip(tag, end, strict=False)) if left != right), min(len(tag), len(end))
    )
    left, right = tag[at:], end[at:]
    return left[1:] == right[1:] or left[1:] == right or left == right[1:] or left == right[1::-1] + right[2:]


def misplaced(tag: str, offset: int, opened: list[Opened], text: str) -> TagError:
    """A tag that ends or divides a block that is not the innermost one."""
    opener = "if" if tag in ("else", "elif") else tag.removeprefix("end")
    if not opened:
        if not tag.startswith("end"):
            message = f"`{{% {tag} %}}` stands outside of a block; delete it or open `{{% {opener} %}}`"
        else:
            message = f"`{{% {tag} %}}` closes nothing; delete it or open `{{% {opener} %}}`"
        return TagError(message, offset, whole=True)
    inner = opened[-1]
    block = f"`{{% {inner.name} %}}`, opened {_where(text, inner.offset, offset)},"
    if tag == "elif" and inner.name == "if":
        message = f"`{{% elif %}}` comes after the `{{% else %}}` of {block.rstrip(',')}; move it above"
    elif tag == "else" and inner.name == "if":
        message = f"{block} has two `{{% else %}}`; delete one"
    elif any(each.name == opener for each in opened):
        message = f"{block} is not closed before `{{% {tag} %}}`; add `{{% end{inner.name} %}}` above"
    else:
        message = (
            f"`{{% {tag} %}}` does not belong to {block} which is open; write `{{% end{inner.name} %}}` or delete it"
        )
    return TagError(message, offset, whole=True)


def not_closed(opened: Opened) -> TagError:
    if opened.name == "set":
        message = "`{% set %}` has no value; write `= value`, or close it with `{% endset %}`"
    else:
        message = f"`{{% {opened.name} %}}` is not closed; add `{{% end{opened.name} %}}`"
    return TagError(message, opened.offset, whole=True)


def _where(text: str, opened: int, offset: int) -> str:
    """Lines are counted from here: the text can begin anywhere in a file."""
    between = text[opened:offset]
    lines = between.count("\n") + between.count("\r") - between.count("\r\n")
    return f"{lines} line{'s' if lines > 1 else ''} above" if lines else "in this line"


def problem_of(error: TemplateSyntaxError, text: str, start: int, end: int, environment: OffsetEnvironment) -> Problem:
    """The problem that jinja2 met in text[start:end]; `lineno` of the error is an offset."""
    at = min(max(error.lineno, start), end)
    tag = _tag_at(at, environment)
    if isinstance(error, TagError):
        span = tag if error.whole and tag is not None else _word(text, at, end)
        return Problem(span, error.message or "")
    message = error.message or "this is not Jinja"
    if message == "Missing end of raw directive":
        last = max((match.start() for match in _RAW.finditer(text, start, at)), default=max(at - 1, start))
        return Problem(Span(last, min(last + 2, end)), "`{% raw %}` is not closed; add `{% endraw %}`")
    if tag is not None:
        sigil = text[tag.start : tag.start + 2]
        if sigil in _CLOSERS and not _is_closed(text, tag.start, end):
            return Problem(Span(tag.start, tag.start + 2), f"`{sigil}` is not closed; add `{_CLOSERS[sigil]}`")
    here = Span(at, min(at + 1, end))
    said = _said(message, text, at, tag.start if tag is not None else start)
    if said is not None:
        words, place = said
        return Problem(here if place is None else place, words)
    kept = _ADVICE.sub("", message)
    kept = kept[:1].lower() + kept[1:]
    return Problem(here, f"Jinja cannot read this: {kept}; mend it or say what it is with --dialect")


def _said(message: str, text: str, at: int, begin: int) -> tuple[str, Span | None] | None:
    """jinja2's message in other words, with the place when it is not `at`; None when it is not known."""
    before = text[begin:at].rstrip()
    last = begin + len(before) - 1
    closer = text[at : at + 3].lstrip("-+")[:2]
    if message.startswith("unexpected char "):
        character = text[at : at + 1]
        if not character.isprintable():
            return "this character means nothing in Jinja; delete it", None
        if character and character in "\"'":
            return f"a string begins here and is not closed; add {character}", None
        return f"`{character}` means nothing in Jinja; delete it, or put it into a string", None
    if found := re.match(r"unexpected '(.)', expected '(.)'", message):
        return f"`{found[2]}` is missing before this `{found[1]}`; add it", None
    if found := re.fullmatch(r"unexpected '([)\]}])'", message):
        return f"this `{found[1]}` closes nothing; delete it", None
    if message.startswith(("expected token 'name'", "Expected token 'name'")) or message == "expected name or number":
        for sign, what in (("|", "a filter name"), ("is", "the name of a test"), (".", "a name")):
            if before.endswith(sign) and (sign != "is" or re.search(r"\bis\Z", before)):
                return f"{what} is missing after `{sign}`; write it, or delete the `{sign}`", Span(
                    last + 1 - len(sign), last + 1
                )
    if re.search(r"(?:unexpected|got) 'end of (?:print statement|statement block)'", message) and closer in (
        "}}",
        "%}",
    ):
        if before in ("{{", "{{-", "{{+"):
            return "`{{ }}` is empty; write a value into it or delete it", Span(begin, begin + 2)
        if "expected token" not in message:
            return f"a value is missing before `{closer}`; write one", None
    if message == "tag name expected":
        return "`{%` begins no tag; write the name of one, or use `{{` for a value", Span(begin, begin + 2)
    if message.startswith("expected token 'end of statement block'"):
        word = re.search(r"(\w+)\s*\Z", before)
        if text.startswith("if", at) and word is not None and word[1] == "else":
            return "no tag is called else if; did you mean elif?", Span(begin + word.start(1), at + 2)
        if text.startswith("=", at) and re.match(r"\{%[-+]?\s*(?:el)?if\b", before):
            return "`=` assigns; write `==` to compare", None
    return None


def _tag_at(at: int, environment: OffsetEnvironment) -> Span | None:
    items = environment.lexed.items
    if not items:
        return None
    item = items[min(environment.lexed.item_at(at), len(items) - 1)]
    return item.span if item.kind != "data" else None


def _word(text: str, at: int, end: int) -> Span:
    word = re.compile(r"\w+").match(text, at, end)
    return Span(at, word.end()) if word else Span(at, min(at + 1, end))


def _is_closed(text: str, opened: int, end: int) -> bool:
    """Whether the tag's own closing braces come before the next tag."""
    closer = _CLOSERS[text[opened : opened + 2]]
    for found in _BRACES.finditer(text, opened + 2, end):
        if found[0] == closer:
            return True
        if found[0] in _CLOSERS:
            return False
    return False
