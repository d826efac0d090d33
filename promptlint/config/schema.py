"""The JSON Schema of the configuration, for editors."""

from __future__ import annotations

import json
from pathlib import Path

from promptlint.config.table import SETTINGS

FILE = Path(__file__).parent / "schema.json"
"""The schema as it ships."""


def schema() -> str:
    """The schema in JSON (draft 7, which editors for TOML read)."""
    properties = {
        name: {
            **setting.schema,
            "description": f"{setting.summary[:1].upper()}{setting.summary[1:]}.",
            "examples": [setting.example],
        }
        for name, setting in SETTINGS.items()
    }
    document = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "promptlint",
        "description": "promptlint.toml, .promptlint.toml, or [tool.promptlint] in pyproject.toml",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
    return json.dumps(document, indent=2) + "\n"
