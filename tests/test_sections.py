import pytest
from hypothesis import given
from hypothesis import strategies as st

from promptlint.prompt import Section
from promptlint.sections import Heading, headings, section_of_path, section_of_role

SYSTEM, TOOLS, EXAMPLES, HISTORY = Section.SYSTEM, Section.TOOLS, Section.EXAMPLES, Section.HISTORY
RETRIEVED, USER = Section.RETRIEVED, Section.USER


def found(text: str) -> tuple[Heading, ...]:
    return headings(text, 0, len(text))


def parts(text: str) -> list[tuple[str, object, str | None]]:
    """Marker, what it says, and the text after it up to its end."""
    return [
        (
            text[heading.span.start : heading.span.end],
            heading.role or heading.section,
            None if heading.end is None else text[heading.span.end : heading.end],
        )
        for heading in found(text)
    ]


@pytest.mark.parametrize(
    "marker, role",
    [
        ("<|im_start|>system", "system"),
        ("<|im_start|>user", "user"),
        ("<|start_header_id|>assistant<|end_header_id|>", "assistant"),
        ("<|system|>", "system"),
        ("<|start|>developer", "developer"),
        ("<start_of_turn>model", "assistant"),
        ("[INST]", "user"),
        ("[/INST]", "assistant"),
        ("<<SYS>>", "system"),
        ("<｜User｜>", "user"),
    ],
)
def test_tokens_of_chat_templates(marker: str, role: str) -> None:
    text = f"é {marker}\ntext"
    assert [(text[h.span.start : h.span.end], h.role, h.end) for h in found(text)] == [(marker, role, None)]


@pytest.mark.parametrize("text", ["<|im_start|>systematic", "<|im_start|>", "<|im_end|>", "[INSTALL]", "<|unknown|>"])
def test_other_tokens(text: str) -> None:
    assert found(text) == ()


@pytest.mark.parametrize(
    "line, marker, role",
    [
        ("system:", "system:", "system"),
        ("  # user:", "# user:", "user"),
        ("assistant :  ", "assistant :", "assistant"),
        ('user[nonce="ab"]:', 'user[nonce="ab"]:', "user"),
        ("User:", "User:", "user"),
        ("developer:", "developer:", "developer"),
        ("### System:", "### System:", "system"),
        ("### Instruction:", "### Instruction:", "user"),
        ("## User:", "## User:", "user"),
        ("### Response:", "### Response:", "assistant"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_that_begin_a_message(line: str, marker: str, role: str, end: str) -> None:
    assert parts(f"é{end}{line}{end}text") == [(marker, role, None)]


@pytest.mark.parametrize(
    "line",
    [
        "# user",
        "user",
        "user: hello",
        "the user:",
        "name:",
        "### Response",
        "system prompt:",
        "- user:",
        "> user:",
        "user::",
    ],
)
def test_lines_that_do_not(line: str) -> None:
    assert found(f"a\n{line}\nb") == ()


@pytest.mark.parametrize(
    "heading, section",
    [
        ("# Tools", TOOLS),
        ("## Available tools", TOOLS),
        ("## Tools available to you:", TOOLS),
        ("### Functions", TOOLS),
        ("# Examples", EXAMPLES),
        ("## Few-shot examples", EXAMPLES),
        ("## 3. Examples ##", EXAMPLES),
        ("## **Examples**", EXAMPLES),
        ("## 📚 Examples", EXAMPLES),
        ("# Context", RETRIEVED),
        ("## Relevant documents", RETRIEVED),
        ("## Search results", RETRIEVED),
        ("# Knowledge base", RETRIEVED),
        ("# Memory", RETRIEVED),
        ("## Conversation history", HISTORY),
        ("## Chat History:", HISTORY),
        ("# Question", USER),
        ("## User's question", USER),
        ("## User request", USER),
        ("# Input", USER),
    ],
)
def test_headings_that_say_a_section(heading: str, section: Section) -> None:
    text = f"é\r\n{heading}\r\ntext"
    marker = heading.removesuffix(" ##")
    assert parts(text) == [(marker, section, "\r\ntext" if marker == heading else " ##\r\ntext")]


@pytest.mark.parametrize(
    "line",
    [
        "# Instructions",
        "## Tool usage rules",
        "## How to use examples",
        "## Testing",
        "# Output format",
        "## Input validation",
        "## Business context and goals",
        "## Contextual hints",
        "Here are some examples:",
        "Examples",
        "#Examples",
        "    # Examples",
        "See the context below.",
        "## Historical notes",
        "## Request",
        "# </tools>",
        "# The <examples> tag",
        "## Messages",
        "####### Examples",
    ],
)
def test_headings_and_prose_that_do_not(line: str) -> None:
    assert found(f"a\n\n{line}\nb") == ()


def test_a_heading_ends_at_the_next_of_its_rank() -> None:
    text = "# Rules\nr\n## Examples\ne\n### One\no\n## Style\ns\n# Context\nc\n"
    assert parts(text) == [("## Examples", EXAMPLES, "\ne\n### One\no\n"), ("# Context", RETRIEVED, "\nc\n")]


def test_a_heading_ends_at_a_role_and_with_its_element() -> None:
    assert parts("system:\n# Context\nc\nuser:\nq") == [
        ("system:", "system", None),
        ("# Context", RETRIEVED, "\nc\n"),
        ("user:", "user", None),
    ]
    assert parts("<rules>\n# Examples\ne\n</rules>\nmore") == [("# Examples", EXAMPLES, "\ne\n")]


@pytest.mark.parametrize(
    "tag, section",
    [
        ("tools", TOOLS),
        ("available_functions", TOOLS),
        ("examples", EXAMPLES),
        ("memory_examples", EXAMPLES),
        ("retrieved_documents", RETRIEVED),
        ("searchResults", RETRIEVED),
        ("chat-history", HISTORY),
        ("messages", HISTORY),
        ("user_query", USER),
        ("Question", USER),
    ],
)
def test_tags_that_say_a_section(tag: str, section: Section) -> None:
    text = f"é\r\n  <{tag} kind='x'>\r\n{{x}}\r\n</{tag}> more"
    assert parts(text) == [(f"<{tag} kind='x'>", section, f"\r\n{{x}}\r\n</{tag}>")]


@pytest.mark.parametrize(
    "text",
    [
        "<rules>\na\n</rules>",
        "<examples>\nnever closed",
        "</examples>",
        "Text in <examples> is shown in </examples>.",
        "`<examples>` and `</examples>`",
        "- <context>: what was found\n- <question>: what was asked",
        "<input type='text'>",
        "a < b and c > d",
    ],
)
def test_tags_that_do_not(text: str) -> None:
    assert found(text) == ()


def test_a_mention_does_not_disturb_the_element() -> None:
    text = "Use <examples> well.\n<examples>\nThe <examples> tag; <examples>so</examples>.\n</examples>\n"
    assert parts(text) == [("<examples>", EXAMPLES, "\nThe <examples> tag; <examples>so</examples>.\n</examples>")]


def test_elements_nest() -> None:
    text = "<context>\n<documents>\nd\n</documents>\n<context>\ni\n</context>\n</context>"
    assert parts(text) == [
        ("<context>", RETRIEVED, "\n<documents>\nd\n</documents>\n<context>\ni\n</context>\n</context>"),
        ("<documents>", RETRIEVED, "\nd\n</documents>"),
        ("<context>", RETRIEVED, "\ni\n</context>"),
    ]


def test_messages_as_elements() -> None:
    text = '<system>\ns\n</system>\n<message role="user">\nq\n</message>'
    assert parts(text) == [
        ("<system>", "system", "\ns\n</system>"),
        ('<message role="user">', "user", "\nq\n</message>"),
    ]


def test_dialogues_that_are_shown_begin_no_message() -> None:
    assert [part[1] for part in parts("system:\n# Examples\nUser:\nq\nAssistant:\na\n")] == ["system", EXAMPLES]
    assert [part[1] for part in parts("<examples>\nuser:\nq\n<system>\nx\n</system>\n</examples>")] == [EXAMPLES]
    assert [part[1] for part in parts("# Examples\ne\nuser:\nq")] == [EXAMPLES, "user"]


@pytest.mark.parametrize("fence", ["```", "~~~", "````"])
def test_fenced_code_has_no_headings(fence: str) -> None:
    text = f"a\n{fence}md\n# Examples\nuser:\n<tools>\n</tools>\n<|im_start|>user\n{fence}\n# Context\n"
    assert [part[1] for part in parts(text)] == [RETRIEVED]
    assert found(f"{fence}\n# Examples\n") == ()


def test_offsets_are_those_of_the_whole_source() -> None:
    text = "# Tools\n# Examples\ne\n# Context\n"
    (heading,) = headings(text, 8, 21)
    assert text[heading.span.start : heading.span.end] == "# Examples"
    assert heading.end == 21


@pytest.mark.parametrize(
    "path, section",
    [
        ("system_prompt.md", SYSTEM),
        ("prompts/system/x.j2", SYSTEM),
        ("prompts/SystemPrompt.txt", SYSTEM),
        ("system.md.j2", SYSTEM),
        ("x.system.prompt", SYSTEM),
        ("grader_system.txt", SYSTEM),
        ("system_prompt_flash.md", SYSTEM),
        ("few_shots.txt", EXAMPLES),
        ("few-shot-examples.md", EXAMPLES),
        ("user_template.j2", USER),
        ("qa.user.j2", USER),
        ("rag_context.txt", RETRIEVED),
        ("chat_history.j2", HISTORY),
        ("tools.json", TOOLS),
        ("prompts\\system\\x.md", SYSTEM),
    ],
)
def test_paths_that_say_a_section(path: str, section: Section) -> None:
    assert section_of_path(path) is section


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "summary.j2",
        "user_guide.md",
        "examples/qa.md",
        "example.prompt",
        "systems.md",
        "context_window.md",
        "",
        ".j2",
    ],
)
def test_paths_that_do_not(path: str) -> None:
    assert section_of_path(path) is None


@pytest.mark.parametrize(
    "role, section",
    [
        ("system", SYSTEM),
        ("developer", SYSTEM),
        ("user", USER),
        ("assistant", HISTORY),
        ("model", HISTORY),
        ("tool", HISTORY),
        ("System", SYSTEM),
        ("critic", USER),
    ],
)
def test_roles(role: str, section: Section) -> None:
    assert section_of_role(role) is section


WORDS = st.sampled_from(
    [
        "# ",
        "## ",
        "Examples",
        "Context",
        "\n",
        "\r\n",
        "<tools>",
        "</tools>",
        "<context>",
        "</context>",
        "user:",
        "```",
        " ",
        "é",
        "[INST]",
    ]
)


@given(st.lists(WORDS, max_size=40).map("".join))
def test_parts_lie_inside_the_text_and_do_not_overlap_their_markers(text: str) -> None:
    last = 0
    for heading in headings(f"x{text}", 1, 1 + len(text)):
        assert last <= heading.span.start < heading.span.end <= 1 + len(text)
        assert heading.end is None or heading.span.end <= heading.end <= 1 + len(text)
        assert (heading.role is None) != (heading.section is None)
        last = heading.span.end


def test_long_odd_texts_are_quick() -> None:
    for text in (
        "<a>\n" * 20000,
        "<" * 50000,
        "# a\n" * 20000,
        " " * 100000,
        "#" * 100000,
        "`" * 50000,
        "\n<a>\n</b>" * 9000,
    ):
        headings(text, 0, len(text))


@pytest.mark.parametrize(
    "text, roles",
    [
        ("### System\nBe kind.\n### User\n{q}\n", ["system", "user"]),
        ("[SYSTEM]\r\nBe kind.\r\n[USER]\r\n{q}\r\n[ASSISTANT]\r\n", ["system", "user", "assistant"]),
        ("# System\n## Examples\n### User\nhi\n### Assistant\nyes\n# Human\n{q}\n", ["system", "user"]),
        ("### User\nThe user is new.\n", []),
        ("### User\na\n### User\nb\n", []),
        ("## System\na\n### User\nb\n", []),
        ("### System design\na\n### User stories\nb\n", []),
        ("See [SYSTEM] and\n[USER] there\n", []),
        ("```\n### System\n### User\n```\n", []),
    ],
)
def test_role_headings_without_a_colon_count_in_pairs(text: str, roles: list[str]) -> None:
    marked = [heading for heading in found(text) if heading.role]
    assert [heading.role for heading in marked] == roles
    assert all(text[heading.span.start] in "#[" and text[heading.span.end] in "\r\n" for heading in marked)
