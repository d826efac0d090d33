"""The day it is. Nothing else in promptlint reads a clock: results depend on what is given alone."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime


def today() -> date:
    """The day in UTC. SOURCE_DATE_EPOCH (seconds since 1970) says another one, so that outputs can be repeated."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    if given.isdigit() and len(given) < 12:
        return datetime.fromtimestamp(int(given), UTC).date()
    return datetime.now(UTC).date()
