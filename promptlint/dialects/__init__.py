"""Dialects: a string with holes cut into pieces. None of them knows where the string was found."""
