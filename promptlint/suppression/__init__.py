"""Findings that are known and stay: comments in files, entries in the configuration."""
