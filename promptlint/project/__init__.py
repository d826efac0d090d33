"""From units to prompts: includes, imports, inheritance, assignments and macros are followed here."""
