"""Readers: a file's bytes become text, its text a unit. A reader knows containers and roles, never holes."""
