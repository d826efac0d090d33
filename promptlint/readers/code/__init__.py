"""Programs as facts about what they compute: one form for Python, TypeScript and JavaScript."""
