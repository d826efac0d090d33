"""Time and memory of `promptlint check`, in ratios and counts: `python benchmarks/check.py`.

Prints CPU seconds of a bare interpreter, of one plain file, of one Jinja file with a finding, and of a folder of files;
and the peak memory of the last one.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

FILES = 500
TEMPLATE = "You answer questions about gardens.\n{% if tools %}{{ tools }}{% endif %}\n" + "Keep it short.\n" * 40


def cpu(*command: str, cwd: str) -> float:
    """CPU seconds of a command, the least of three runs."""
    best = float("inf")
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, cwd=cwd, stdout=subprocess.DEVNULL, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return best


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "plain.txt").write_text("You answer questions about gardens.\n")
        (root / "clock.j2").write_text("It is {{ now() }}.\n" + TEMPLATE)
        (root / "many").mkdir()
        for number in range(FILES):
            name = f"clock{number}.j2" if number % 10 == 0 else f"clean{number}.j2"
            start = "It is {{ now() }}.\n" if number % 10 == 0 else ""
            (root / "many" / name).write_text(start + TEMPLATE)
        bare = cpu(sys.executable, "-c", "pass", cwd=folder)
        print(f"bare interpreter        {bare:6.3f} s")
        for title, path in (("one plain file", "plain.txt"), ("one finding", "clock.j2"), (f"{FILES} files", "many")):
            spent = cpu(sys.executable, "-m", "promptlint", "check", path, cwd=folder)
            print(f"{title:<22} {spent:7.3f} s  {spent / bare:6.1f} x bare")
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        print(f"peak memory            {peak / 1024:7.1f} MB on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
