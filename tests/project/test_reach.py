"""Which programs are looked at because they use what was asked for, and what of them is."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptlint.project.reach import Reach
from promptlint.project.workspace import Workspace
from promptlint.readers.choose import read
from promptlint.unit import Unit

FILES = {
    "kit/__init__.py": "from .desk import ask as question\nfrom .shelf import count\n",
    "kit/desk.py": "RULES = 'Name the shelf.'\n\ndef ask(moment):\n    return RULES + moment\n",
    "kit/shelf.py": "def count():\n    return 3\n",
    "serve.py": "import kit\n\ndef serve(moment):\n    return shown(kit.question(moment))\n\n"
    "def shown(text):\n    return text\n\ndef health():\n    return 'ok'\n",
    "app.py": "from serve import serve, health\n\nclass App:\n    def get(self):\n        return serve('now')\n",
    "probe.py": "from serve import health\n\ndef probe():\n    return health()\n",
    "late.py": "import app\n\ndef late():\n    return app.App().get()\n",
    "stock.py": "from kit import count\n\ndef stock():\n    return count()\n",
    "fill.py": "from pathlib import Path\n\nFILE = Path('desk.md')\n\ndef filled():\n    return FILE.read_text()\n\n"
    "def other():\n    return 1\n",
    "web/desk.ts": "export const RULES = `Name the shelf.`\n",
    "web/index.ts": "export { RULES as rules } from './desk.js'\n",
    "web/serve.ts": "import { rules } from '.'\nexport const serve = () => rules\nexport const other = () => 1\n",
    "web/late.ts": "const serve = require('./serve')\nconst late = () => serve.serve()\n",
    "desk.md": "Name the shelf of {book}.\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def reached(folder: Path, asked: str) -> dict[str, set[str]]:
    workspace = Workspace(read)
    found = workspace.related(workspace.units([folder / asked])[0])
    named = {path.relative_to(folder).as_posix(): set(each.names) for path, each in found.items()}
    return {path: {name for name in names if not name.startswith("<")} for path, names in named.items()}


def test_a_program_is_reached_by_those_that_use_its_names_and_what_these_use(folder: Path) -> None:
    assert reached(folder, "kit/desk.py") == {
        "kit/__init__.py": set(),
        "serve.py": {"serve", "shown"},
        "app.py": {"App"},
    }


def test_a_script_is_reached_by_those_that_use_its_names(folder: Path) -> None:
    assert reached(folder, "web/desk.ts") == {
        "web/index.ts": set(),
        "web/serve.ts": {"serve"},
        "web/late.ts": {"late"},
    }


def test_a_template_is_reached_by_those_that_say_its_file_name(folder: Path) -> None:
    assert reached(folder, "desk.md") == {"fill.py": {"FILE", "filled"}}


def test_work_is_bounded_the_nearest_programs_first(folder: Path) -> None:
    workspace = Workspace(read)
    asked = workspace.units([folder / "kit" / "desk.py"])[0]
    project = workspace.project(folder / "app.py")
    others = {folder / name: text.encode() for name, text in FILES.items() if name.endswith(".py")}
    others.pop(folder / "kit" / "desk.py")

    def unit(path: Path) -> Unit | None:
        found = project.unit(path)
        return found if isinstance(found, Unit) else None

    found = Reach(unit, project.locate, most=2).around(asked, others.items())
    assert [path.name for path in found] == ["__init__.py", "serve.py"]
