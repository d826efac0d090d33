"""Recorded requests: where they stand, in which format, and what each of them sent in the order the model reads it."""
