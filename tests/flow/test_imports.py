"""Names across the modules of a project: imports, what packages hand on, path aliases of TypeScript."""

from __future__ import annotations

import json

import pytest

from tests.flow.conftest import Follow

HEAD = "import uuid\nfrom datetime import datetime\n"

ASK = """
def ask(client, question):
    system = f"You are a desk. It is «{%s}». {rules}"
    return client.chat.completions.create(
        messages=[{"role": "system", "content": system}, {"role": "user", "content": question}]
    )
"""

CLOCK = HEAD + "def ‹stamp›():\n    return datetime.now().isoformat()\n"

SCRIPT_CLOCK = "export function ‹stamp›() {\n  return new Date().toISOString();\n}\n"

SCRIPT_ASK = """
export const ask = (client, question) => client.chat.completions.create({
  messages: [
    { role: "system", content: `You are a desk. It is «${%s}». {rules}` },
    { role: "user", content: question },
  ],
});
"""


@pytest.mark.parametrize(
    ("module", "line", "call"),
    [
        ("clock.py", "from clock import stamp", "stamp()"),
        ("clock.py", "from clock import stamp as now", "now()"),
        ("clock.py", "from clock import *", "stamp()"),
        ("clock.py", "import clock", "clock.stamp()"),
        ("clock.py", "import clock as c", "c.stamp()"),
        ("clock.py", "from .clock import stamp", "stamp()"),
        ("clock.py", "from . import clock", "clock.stamp()"),
        ("kit/clock.py", "from kit.clock import stamp", "stamp()"),
        ("kit/clock.py", "import kit.clock", "kit.clock.stamp()"),
        ("kit/clock.py", "from kit import clock", "clock.stamp()"),
        ("kit/__init__.py", "from kit import stamp", "stamp()"),
        ("kit/__init__.py", "import kit as k", "k.stamp()"),
    ],
)
def test_a_function_of_another_module(follow: Follow, module: str, line: str, call: str) -> None:
    assert follow({module: CLOCK, "app.py": f"{line}\n" + ASK.replace("%s", call)}) == ["clock-in-prefix"]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("from kit import RUN", "RUN"),
        ("import kit", "kit.RUN"),
        ("from kit.names import RUN as THIS", "THIS"),
        ("from kit import names", "names.RUN"),
        ("import kit.names as n", "n.RUN"),
    ],
)
def test_a_constant_that_a_package_hands_on(follow: Follow, line: str, name: str) -> None:
    files = {
        "kit/__init__.py": "from .names import RUN\n",
        "kit/names.py": HEAD + "‹RUN› = str(uuid.uuid4())\n",
        "app.py": f"{line}\n" + ASK.replace("%s", name),
    }
    assert follow(files) == ["import-time-value"]


def test_a_function_that_three_modules_hand_on(follow: Follow) -> None:
    files = {
        "kit/__init__.py": "from .tools import *\n",
        "kit/tools/__init__.py": "from .time import show as stamp\n",
        "kit/tools/time.py": "from ...base.clock import stamp as show\n",
        "base/clock.py": CLOCK,
        "app.py": "from kit import stamp\n" + ASK.replace("%s", "stamp()"),
    }
    assert follow(files) == ["clock-in-prefix"]


def test_relative_imports_of_a_package_within_a_folder(follow: Follow) -> None:
    files = {
        "src/shop/core/clock.py": CLOCK,
        "src/shop/web/app.py": "from ..core.clock import stamp\n" + ASK.replace("%s", "stamp()"),
        "src/shop/cli/app.py": "from shop.core import clock\n" + ASK.replace("%s", "clock.stamp()"),
    }
    assert follow(files) == ["clock-in-prefix", "clock-in-prefix"]


def test_a_method_of_a_class_of_another_module(follow: Follow) -> None:
    files = {
        "base.py": HEAD + "class Base:\n    def ‹stamp›(self):\n        return datetime.now().isoformat()\n",
        "desk.py": "import base\n\nclass Desk(base.Base):\n"
        + ASK.replace("%s", "self.stamp()").replace("\n", "\n    "),
    }
    files["desk.py"] = files["desk.py"].replace("def ask(client", "def ask(self, client")
    assert follow(files) == ["clock-in-prefix"]


def test_an_object_of_a_class_of_another_module(follow: Follow) -> None:
    files = {
        "clock.py": HEAD + "class Clock:\n    def ‹stamp›(self):\n        return datetime.now().isoformat()\n",
        "app.py": "from clock import Clock\n‹clock› = Clock()\n" + ASK.replace("%s", "clock.stamp()"),
    }
    files["app.py"] = files["app.py"].replace("‹clock› ", "clock ")
    assert follow(files) == ["clock-in-prefix"]


def test_a_caller_in_another_module_decides_a_parameter(follow: Follow) -> None:
    files = {
        "desk.py": ASK.replace("%s", "moment").replace("question):", "question, moment):"),
        "app.py": HEAD + "from desk import ask\n\ndef main(client):\n"
        "    ask(client, input(), ‹datetime.now().isoformat()›)\n",
    }
    assert follow(files) == ["clock-in-prefix"]
    assert follow(files, "desk.py") == ["clock-in-prefix"]


def test_callers_of_callers_in_other_modules_decide_a_parameter(follow: Follow) -> None:
    files = {
        "kit/desk.py": ASK.replace("%s", "moment").replace("question):", "question, moment):"),
        "kit/__init__.py": "from .desk import ask\n",
        "serve.py": "import kit\n\ndef serve(client, moment):\n    kit.ask(client, input(), ‹moment›)\n",
        "app.py": HEAD
        + "from serve import serve\n\ndef main(client):\n    serve(client, ‹datetime.now().isoformat()›)\n",
    }
    assert follow(files) == ["clock-in-prefix"]
    assert follow(files, "kit/desk.py") == ["clock-in-prefix"]


@pytest.mark.parametrize(
    ("module", "line", "call"),
    [
        ("clock.ts", 'import { stamp } from "./clock";', "stamp()"),
        ("clock.ts", 'import { stamp as now } from "./clock";', "now()"),
        ("clock.ts", 'import { stamp } from "./clock.js";', "stamp()"),
        ("clock.mts", 'import { stamp } from "./clock.mjs";', "stamp()"),
        ("clock.ts", 'import * as clock from "./clock";', "clock.stamp()"),
        ("clock/index.ts", 'import { stamp } from "./clock";', "stamp()"),
        ("kit/clock.js", 'const { stamp } = require("./kit/clock");', "stamp()"),
    ],
)
def test_a_function_of_another_script(follow: Follow, module: str, line: str, call: str) -> None:
    assert follow({module: SCRIPT_CLOCK, "app.ts": f"{line}\n" + SCRIPT_ASK.replace("%s", call)}) == ["clock-in-prefix"]


@pytest.mark.parametrize("line", ['export { stamp } from "./clock";', 'export * from "./clock";'])
def test_a_function_that_an_index_hands_on(follow: Follow, line: str) -> None:
    files = {
        "kit/clock.ts": SCRIPT_CLOCK,
        "kit/index.ts": line + "\n",
        "app.ts": 'import { stamp } from "./kit";\n' + SCRIPT_ASK.replace("%s", "stamp()"),
    }
    assert follow(files) == ["clock-in-prefix"]


def test_a_default_export(follow: Follow) -> None:
    files = {
        "clock.ts": SCRIPT_CLOCK.replace("export", "export default"),
        "app.ts": 'import now from "./clock";\n' + SCRIPT_ASK.replace("%s", "now()"),
    }
    assert follow(files) == ["clock-in-prefix"]


COMMENTED = """{
  // Paths as the bundler sees them.
  "compilerOptions": {
    "baseUrl": ".", /* the root */
    "paths": {
      "@/*": ["./src/*", "./generated/*"],
      "clock": ["src/lib/clock.ts"], // exactly this one
    },
  },
}
"""


@pytest.mark.parametrize(
    ("config", "module", "wanted"),
    [
        (COMMENTED, "src/lib/clock.ts", "@/lib/clock"),
        (COMMENTED, "generated/clock.ts", "@/clock"),
        (COMMENTED, "src/lib/clock.ts", "clock"),
        (json.dumps({"compilerOptions": {"baseUrl": "src"}}), "src/lib/clock.ts", "lib/clock"),
        (json.dumps({"compilerOptions": {"paths": {"#lib/*": ["./src/lib/*"]}}}), "src/lib/clock.ts", "#lib/clock"),
        (json.dumps({"compilerOptions": {"paths": {"~*": ["./src/*"]}}}), "src/lib/index.ts", "~lib"),
        (json.dumps({"compilerOptions": {"paths": {"*/time": ["./src/*/clock"]}}}), "src/lib/clock.ts", "lib/time"),
    ],
)
@pytest.mark.parametrize("name", ["tsconfig.json", "jsconfig.json"])
def test_a_path_alias(follow: Follow, config: str, module: str, wanted: str, name: str) -> None:
    ask = f'import {{ stamp }} from "{wanted}";\n' + SCRIPT_ASK.replace("%s", "stamp()")
    assert follow({name: config, module: SCRIPT_CLOCK, "src/web/app.ts": ask}) == ["clock-in-prefix"]


def test_an_alias_that_nothing_configures_is_the_source_folder(follow: Follow) -> None:
    ask = 'import { stamp } from "@/clock"\n' + SCRIPT_ASK % "stamp()"
    assert follow({"src/clock.ts": SCRIPT_CLOCK, "src/desk/ask.ts": ask}) == ["clock-in-prefix"]


def test_a_value_of_another_script_stands_where_that_script_gives_it(follow: Follow) -> None:
    title = """
const WRITTEN = "Say what this conversation is about. {talk} {rules}"
export const make = (given) => ChatPromptTemplate.fromTemplate(given ?? WRITTEN)
"""
    run = """
// A longer script than the other one, so that its places are past the end of that one. {rules} {rules} {rules}
import { make } from "./title"
export const titled = (options) => make(options.titlePrompt)
"""
    assert follow({"title.ts": title, "run.ts": run}) == []


def test_the_longest_pattern_of_an_alias_counts(follow: Follow) -> None:
    paths = {"@/*": ["./src/*"], "@/lib/*": ["./other/*"]}
    files = {
        "tsconfig.json": json.dumps({"compilerOptions": {"paths": paths}}),
        "src/lib/clock.ts": 'export const stamp = () => "ten";\n',
        "other/clock.ts": SCRIPT_CLOCK,
        "app.ts": 'import { stamp } from "@/lib/clock";\n' + SCRIPT_ASK.replace("%s", "stamp()"),
    }
    assert follow(files) == ["clock-in-prefix"]


def test_the_nearest_configuration_counts_and_extends_another(follow: Follow) -> None:
    files = {
        "tsconfig.base.json": json.dumps({"compilerOptions": {"paths": {"@kit/*": ["./packages/kit/*"]}}}),
        "tsconfig.json": json.dumps({"compilerOptions": {"paths": {"@kit/*": ["./nowhere/*"]}}}),
        "apps/web/tsconfig.json": json.dumps({"extends": "../../tsconfig.base.json", "compilerOptions": {}}),
        "packages/kit/clock.ts": SCRIPT_CLOCK,
        "apps/web/app.ts": 'import { stamp } from "@kit/clock";\n' + SCRIPT_ASK.replace("%s", "stamp()"),
    }
    assert follow(files) == ["clock-in-prefix"]


@pytest.mark.parametrize(
    "config",
    [
        "{",
        "[]",
        '"x"',
        '{"compilerOptions": {"paths": 4}}',
        '{"compilerOptions": {"paths": {"@/*": [7, "../../../../etc/*", "\\u0000*"]}}}',
        '{"extends": "./tsconfig.json"}',
        '{"extends": ["./a.json", 4]}',
    ],
)
def test_an_odd_configuration_gives_no_alias(follow: Follow, config: str) -> None:
    ask = 'import { stamp } from "@/clock";\n' + SCRIPT_ASK.replace("%s", "stamp()").replace("«", "").replace("»", "")
    assert follow({"tsconfig.json": config, "app.ts": ask}) == []


@pytest.mark.parametrize("ending", ["py", "ts"])
def test_modules_that_import_each_other(follow: Follow, ending: str) -> None:
    if ending == "py":
        files = {
            "a.py": "from b import stamp, other\n" + ASK.replace("%s", "stamp()"),
            "b.py": "from a import ask\nfrom c import stamp\nfrom a import other\n",
            "c.py": "from b import *\n" + CLOCK,
        }
    else:
        files = {
            "a.ts": 'import { stamp, other } from "./b";\n' + SCRIPT_ASK.replace("%s", "stamp()"),
            "b.ts": 'export { ask, other } from "./a";\nexport { stamp } from "./c";\n',
            "c.ts": 'export * from "./b";\n' + SCRIPT_CLOCK,
        }
    assert follow(files) == ["clock-in-prefix"]


def test_messages_that_another_module_walks_stand_where_they_were_given(follow: Follow) -> None:
    files = {
        "turns.py": "def alternating(talk):\n    if not talk:\n        return talk\n    fixed = []\n"
        "    for each in talk:\n        if not each:\n"
        '            fixed.append({"role": "user", "content": ""})\n        fixed.append(each)\n    return fixed\n',
        "desk.py": HEAD
        + "from turns import alternating\n\nGUIDE = '{rules}'\n\n\ndef ask(client, messages):\n"
        + "    messages = alternating(messages)\n    return client.chat.completions.create(model='m', messages=["
        + "{'role': 'system', 'content': f'It is «{datetime.now()}». {GUIDE}'}, *messages])\n",
    }
    assert follow(files) == ["clock-in-prefix"]


def test_items_of_another_module_that_are_joined_stand_in_it(follow: Follow) -> None:
    files = {
        "kit/lines.py": HEAD + "def lines():\n    return ['Be brief.', f'It is «{datetime.now()}».']\n",
        "kit/desk.py": "from kit.lines import lines\n\n\ndef ask(client):\n    found = lines()\n"
        "    text = ', '.join(found)\n    return client.chat.completions.create(model='m', messages=["
        "{'role': 'system', 'content': f'{text} {rules}'}])\n",
    }
    assert follow(files) == ["clock-in-prefix"]
