"""What events change a value: calls, formats, declarations, macros and names, from the tables in `rules/data/sources`."""
