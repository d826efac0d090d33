"""What a text looks like: which values in it change, and what kind of thing differs between two texts."""

from __future__ import annotations

from promptlint.shapes.code import in_code
from promptlint.shapes.differences import difference, stretches
from promptlint.shapes.values import Shape, shapes_in

__all__ = ["Shape", "difference", "in_code", "shapes_in", "stretches"]
