"""Formats of logs: each knows its own records and says what they hold."""
