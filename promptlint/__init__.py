"""promptlint reads prompts the way a prefix cache reads them."""

__version__ = "0.1.0"
