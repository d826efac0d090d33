"""What the imports of a program name, told without parsing it."""

from __future__ import annotations

from pathlib import PurePath

import pytest

from promptlint.project.programs import imported_words


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.py", "from kit.desk import ask, tell\n", "from kit desk import ask tell"),
        ("a.py", "x = 1\n    from . import (\n    ask,\n    tell as say,\n)\n", "from import ask tell as say"),
        ("a.py", "import kit.desk as desk\n", "import kit desk as"),
        ("a.py", "# what to import from whom\nimported = 'from desk import x'\n", ""),
        ("a.ts", "import { ask } from './kit/desk.js';\n", "from kit desk js"),
        ("a.ts", 'const desk = require("../desk"), late = await import("./late");\n', "require desk import late"),
        ("a.ts", "export * from '@/desk'\n", "from desk"),
        ("a.ts", "// comes from there\nconst from = 1\n", ""),
    ],
)
def test_words_of_imports(name: str, text: str, words: str) -> None:
    assert imported_words(PurePath(name), text.encode()) == {word.encode() for word in words.split()}
