"""Text that a program builds before it is sent: formats in two stages, replacements, sums, what is never used."""

from __future__ import annotations

import pytest

from tests.flow.conftest import Follow

HEAD = "import uuid\nfrom datetime import datetime\n"

PYTHON = """
def ask(client, question):
    return client.chat.completions.create(
        messages=[{"role": "system", "content": %s}, {"role": "user", "content": question}]
    )
"""

SCRIPT = """
export async function ask(client, question) {
  %s
  return client.chat.completions.create({
    messages: [{ role: "system", content: system }, { role: "user", content: question }],
  });
}
"""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('TEXT = "You are a desk. It is «{now}». {rules}"', "TEXT.format(now=‹datetime.now().isoformat()›)"),
        ('TEXT = "You are a desk. It is «{}». {rules}"', "TEXT.format(‹datetime.now().isoformat()›)"),
        ('TEXT = "You are a desk. It is «{0}». {rules}"', "TEXT.format(‹datetime.now().isoformat()›)"),
        ('TEXT = "You are a desk. It is «{now!s:>30}». {rules}"', "TEXT.format(now=‹datetime.now()›)"),
        ('TEXT = "You are a desk. It is «%s». {rules}"', "TEXT % ‹datetime.now().isoformat()›"),
        ('TEXT = "You are 100%% a desk. It is «%s» in %s. {rules}"', 'TEXT % (‹datetime.now().isoformat()›, "Riga")'),
        ('TEXT = "You are a desk. It is «$now». {rules}"', 'TEXT.replace("$now", ‹datetime.now().isoformat()›)'),
        ('TEXT = "You are a desk. {rules}"', '"It is «{}». ".format(‹datetime.now().isoformat()›) + TEXT'),
        # Doubled braces of an f-string are the holes of a later format.
        (
            'SHOP = "books"\nTEXT = f"You are a desk of {SHOP}. It is «{{now}»}. {rules}"',
            "TEXT.format(now=‹datetime.now().isoformat()›)",
        ),
        # A constant that is itself the mark of a later replacement.
        (
            '‹MARK› = "[[NOW]]"\nTEXT = f"You are a desk. It is «{MARK}». {rules}"',
            "TEXT.replace(MARK, ‹datetime.now().isoformat()›)",
        ),
        (
            '‹MARK› = "{{NOW}}"\nTEXT = "You are a desk. It is " + «MARK» + ". {rules}"',
            'TEXT.replace("{{NOW}}", ‹datetime.now().isoformat()›)',
        ),
        # A hole that begins in one literal and ends in the next.
        (
            'TEXT = ("You are a desk. It is «{{N"\n        "OW}}». {rules}")',
            'TEXT.replace("{{NOW}}", ‹datetime.now().isoformat()›)',
        ),
        ('TEXT = "You are a desk. It is «{n" "ow}». {rules}"', "TEXT.format(now=‹datetime.now().isoformat()›)"),
        # Filled in twice.
        (
            'TEXT = "You are a desk of {shop}. It is «{{now}»}. {rules}"',
            'TEXT.format(shop="books").format(now=‹datetime.now().isoformat()›)',
        ),
        (
            'TEXT = """\\\n  You are a desk.\n  It is «{now}».\n  {rules}"""',
            "textwrap.dedent(TEXT).format(now=‹datetime.now().isoformat()›)",
        ),
    ],
)
def test_text_that_is_filled_in_later(follow: Follow, text: str, value: str) -> None:
    assert follow({"app.py": HEAD + text + PYTHON % value}) == ["clock-in-prefix"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('TEXT = "You are a desk. It is {now}. {rules}"', 'TEXT.format(now="ten")'),
        ('TEXT = "You are a desk. It is {now}. {rules}"', "TEXT.format(now=OPENING_TIME)"),
        ('TEXT = "You are a desk. It is {{now}}. {rules}"', "TEXT.format(now=datetime.now())"),
        ('TEXT = "You are a desk. It is ten. {rules}"', 'TEXT.replace("{now}", datetime.now().isoformat())'),
        ('TEXT = "You are a desk. It is ten. {rules}"', 'TEXT + ""'),
        # Computed and never used.
        ('NOW = datetime.now().isoformat()\nTEXT = "You are a desk. {rules}"', "TEXT"),
        ('TEXT = "You are a desk. {rules}"', "TEXT.format(now=datetime.now().isoformat())"),
    ],
)
def test_text_that_is_filled_in_with_what_stays(follow: Follow, text: str, value: str) -> None:
    assert follow({"app.py": HEAD + text + PYTHON % value}) == []


def test_a_module_computes_its_f_string_once(follow: Follow) -> None:
    head = HEAD + 'TEXT = f"You are a desk. It is «{datetime.now().isoformat()}». {rules}"\n'
    assert follow({"app.py": head + PYTHON % "TEXT"}) == ["import-time-value"]


def test_a_name_that_a_module_gives_a_value_once(follow: Follow) -> None:
    head = HEAD + '‹RUN› = str(uuid.uuid4())\nTEXT = f"You are a desk. Run «{RUN}». {rules}"\n'
    assert follow({"app.py": head + PYTHON % "TEXT"}) == ["import-time-value"]


@pytest.mark.parametrize(
    "build",
    [
        """
    text = "You are a desk. "
    text += f"It is «{datetime.now().isoformat()}». "
    text += "{rules}"
""",
        """
    text = "You are a desk. " + "It is " + «datetime.now().isoformat()» + ". "
    text = text + "{rules}"
""",
        """
    lines = ["You are a desk."]
    lines.append(f"It is «{datetime.now().isoformat()}».")
    lines.append("{rules}")
    text = "\\n".join(lines)
""",
        """
    lines = ["You are a desk."]
    lines += ["It is " + «datetime.now().isoformat()»]
    lines.extend(["{rules}"])
    text = " ".join(lines)
""",
        """
    lines = []
    lines.append("{rules}")
    lines.insert(0, "It is «%s»" % ‹datetime.now().isoformat()›)
    text = " ".join(lines)
""",
        """
    text = "{rules}"
    text = f"It is «{datetime.now().isoformat()}». {text}"
""",
        """
    text = "".join([f"It is «{datetime.now().isoformat()}». ", "{rules}"])
""",
        """
    text = "".join(part for part in (f"It is «{datetime.now().isoformat()}». ", "{rules}"))
""",
        """
    intro = "You are a desk. "
    text = (intro if client else "") + f"It is «{datetime.now().isoformat()}». {rules}"
""",
        """
    text = "You are a desk. "
    if client:
        text += f"It is «{datetime.now().isoformat()}». "
    text += "{rules}"
""",
        """
    with open("x") as file:
        text = f"It is «{datetime.now().isoformat()}». {rules}"
""",
        """
    try:
        text = f"It is «{datetime.now().isoformat()}». {rules}"
    except ValueError:
        text = "{rules}"
""",
    ],
)
def test_text_that_is_built_step_by_step(follow: Follow, build: str) -> None:
    ask = (PYTHON % "text").replace(":\n", ":" + build, 1)
    assert follow({"app.py": HEAD + ask}) == ["clock-in-prefix"]


@pytest.mark.parametrize(
    "build",
    [
        "let system = `You are a desk. It is «${new Date().toISOString()}». {rules}`;",
        "let system = 'You are a desk. ';\n  system += `It is «${new Date().toISOString()}». `;"
        "\n  system += '{rules}';",
        "const lines = ['You are a desk.'];\n  lines.push(`It is «${new Date().toISOString()}».`);\n"
        "  lines.push('{rules}');\n  const system = lines.join('\\n');",
        "const system = ['You are a desk.', `It is «${new Date().toISOString()}».`, '{rules}'].join(' ');",
        "const system = ['You are a desk.', «new Date().toISOString()», '{rules}'].filter(Boolean).join(' ');",
        "const text = `It is «[[NOW]]». {rules}`;\n"
        "  const system = text.replace('[[NOW]]', ‹new Date().toISOString()›);",
        "const text = `It is «[[NOW]]». {rules}`;\n"
        "  const system = text.replaceAll('[[NOW]]', ‹new Date().toISOString()›).trim();",
        "const ‹now› = new Date();\n  const system = `It is «${now.toISOString()}». {rules}`;",
        "const ‹now› = new Date().toISOString();\n  const system = 'It is '.concat(«`${now}`», '. {rules}');",
    ],
)
def test_text_that_a_script_builds(follow: Follow, build: str) -> None:
    assert follow({"app.ts": SCRIPT % build}) == ["clock-in-prefix"]


def test_what_is_appended_to_a_constant_of_another_module_pushes_its_text_down(follow: Follow) -> None:
    files = {
        "base.py": 'BASE = "You are a desk of books. {rules}"\nMORE = " Examples: boats are on shelf four."\n',
        "app.py": HEAD
        + "from base import BASE, MORE\n"
        + PYTHON % 'BASE + f" It is «{datetime.now().isoformat()}». " + MORE + BASE',
    }
    assert follow(files) == ["clock-in-prefix"]


def test_a_mark_is_replaced_in_another_file(follow: Follow) -> None:
    files = {
        "system.ts": "export const SYSTEM = `You edit code. Today is «{{CURRENT_TIME}}».\n{rules}`;\n",
        "agent.ts": "import { SYSTEM } from './system';\n"
        + SCRIPT % "const system = SYSTEM.replace('{{CURRENT_TIME}}', ‹new Date().toLocaleTimeString()›);",
    }
    assert follow(files) == ["clock-in-prefix"]
    # Each of the files alone, as a hook is given it, says the same.
    assert follow(files, "system.ts") == ["clock-in-prefix"]
    assert follow(files, "agent.ts") == ["clock-in-prefix"]
