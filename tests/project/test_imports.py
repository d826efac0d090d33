"""What the imports of a program name, told without parsing it."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from promptlint.project.imports import Import, imports


@pytest.mark.parametrize(
    ("name", "text", "taken"),
    [
        ("a.py", "from kit.desk import ask, tell as say\n", {"kit.desk": "ask=ask tell=say"}),
        ("a.py", "x = 1\n    from . import (\n    ask,  # one, two\n    tell as say,\n)\n", {".": "ask=ask tell=say"}),
        ("a.py", "from .a import b, \\\n    c\nfrom .d import *\n", {".a": "b=b c=c", ".d": "*=*"}),
        ("a.py", "import kit.desk as d, json\nimport os.path\n", {"kit.desk": "=d", "json": "=json", "os.path": "=os"}),
        ("a.py", "# what to import from whom\nimported = 'from desk import x'\n", {}),
        ("a.ts", "import { ask, type Desk as D } from './kit/desk.js';\n", {"./kit/desk.js": "ask=ask Desk=D"}),
        ("a.ts", "import ask, {\n  tell,\n} from '../desk'\n", {"../desk": "=ask tell=tell"}),
        ("a.ts", "import * as desk from '@/desk'\n", {"@/desk": "=desk"}),
        (
            "a.ts",
            'const desk = require("../desk"), late = await import("./late");\n',
            {"../desk": "=*", "./late": "=*"},
        ),
        ("a.ts", "export * from '@/desk'\nexport { ask } from './ask'\n", {"@/desk": "*=*", "./ask": "ask=ask"}),
        ("a.ts", "// comes from there\nconst from = 1\n", {}),
    ],
)
def test_imports(name: str, text: str, taken: dict[str, str]) -> None:
    found = {
        each.module: " ".join(f"{name}={alias}" for name, alias in each.names)
        for each in imports(PurePath(name), text.encode())
    }
    assert found == taken


@pytest.mark.parametrize(
    ("module", "last"),
    [
        ("kit.desk", "desk"),
        ("..desk", "desk"),
        (".", ""),
        ("./kit/desk.js", "desk"),
        ("@/a.b/desk", "desk"),
        ("./desk.data", "desk.data"),
    ],
)
def test_what_the_file_of_a_module_is_called(module: str, last: str) -> None:
    assert Import(module, ()).last == last
