"""What the configuration says: the part of it that results depend on."""

from promptlint.config.config import Config, Suppress, Traffic, ValueRule
from promptlint.config.loading import find_root, load_config
from promptlint.config.values import BASELINE, DIALECTS, HORIZONS
from promptlint.toml_keys import ConfigError

__all__ = [
    "BASELINE",
    "DIALECTS",
    "HORIZONS",
    "Config",
    "ConfigError",
    "Suppress",
    "Traffic",
    "ValueRule",
    "find_root",
    "load_config",
]
