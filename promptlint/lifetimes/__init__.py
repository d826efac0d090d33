"""What events change a value: its call, format, declaration, macro or name, from `rules/data/sources`."""
