"""How fast `promptlint audit` is beside the bare loop: read, tokenise and hash each new text once, nothing else.

`python benchmarks/audit.py [MB] [--rounds N] [--peers]`. The log is generated: agent sessions over shared prompts, some
with a clock on the first line, some with a UUID in the middle, the text cut from Python's own library. Figures are the
least of N rounds in turn, because other work on the machine only adds to them: CPU seconds of all processes, and the
largest sum of what they hold at one time. `--peers` runs kvlint and llmtrafficlens too where they are on the path: take
a small log then, they hold all of it.

The bare loop parses each line with the parser that the audit uses, tokenises each new text once, and hashes the blocks
of each new prefix once, through the same caches. It keeps nothing and says nothing. "with known lines" is the same loop
that tokenises only the lines of a new text that are new, as the audit does.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

from peers import commands

from promptlint.replay.chain import Chainer, Texts
from promptlint.replay.lines import KnownLines
from promptlint.tokens.vocabulary import load

SESSIONS, ORGANISATIONS, PROMPTS = 200, 20, 8
UNIT = 128


def generate(path: Path, megabytes: int, seed: int = 1) -> int:
    """Writes the log; how many requests it has."""
    chance = random.Random(seed)
    library = _library()

    def text(characters: int) -> str:
        at = chance.randrange(len(library) - characters)
        return library[at : at + characters]

    prompts = [text(chance.randrange(12_000, 32_000)) for _ in range(PROMPTS)]
    sessions: list[dict[str, object]] = []
    now, count, size = 1_795_946_400.0, 0, 0
    with path.open("w", encoding="utf-8") as stream:
        while size < megabytes * 1_000_000:
            now += chance.expovariate(1.0)
            if len(sessions) < SESSIONS and (len(sessions) < 20 or chance.random() < 0.05):
                kind = chance.random()
                sessions.append(
                    {
                        "org": f"org-{min(int(chance.paretovariate(1.0)), ORGANISATIONS)}",
                        "prompt": chance.randrange(PROMPTS),
                        "clock": kind < 0.25,
                        "id": 0.25 <= kind < 0.4,
                        "messages": [{"role": "user", "content": text(2_000)}],
                    }
                )
            session = chance.choice(sessions)
            system = prompts[session["prompt"]]  # type: ignore[index]
            if session["clock"]:
                system = f"{datetime.fromtimestamp(now, UTC):%Y-%m-%dT%H:%M:%SZ}\n{system}"
            if session["id"]:
                middle = len(system) // 2
                system = f"{system[:middle]}\nrun {UUID(int=chance.getrandbits(128), version=4)}\n{system[middle:]}"
            messages: list[dict[str, str]] = session["messages"]  # type: ignore[assignment]
            record = {
                "timestamp": now,
                "organization": session["org"],
                "model": "gpt-5-mini",
                "messages": [{"role": "system", "content": system}, *messages],
            }
            line = json.dumps(record) + "\n"
            stream.write(line)
            count, size = count + 1, size + len(line)
            messages += [
                {"role": "assistant", "content": text(chance.randrange(300, 3_000))},
                {"role": "user", "content": text(chance.randrange(300, 6_000))},
            ]
            if len(messages) > 80:
                sessions.remove(session)
    return count


def bare(path: Path, known_lines: bool) -> None:
    """The bare loop, in one process: its CPU seconds are what the audit is held against."""
    import msgspec

    gc.disable()  # as the audit does
    ids = load("o200k_base").ids
    texts, chainer = Texts(KnownLines(ids).encode if known_lines else ids), Chainer(UNIT)
    with path.open("rb", 2**20) as stream:
        for line in stream:
            body = msgspec.json.decode(line)
            chainer.chained([texts.of(message["role"], message["content"])[0] for message in body["messages"]])


def measured(*command: str) -> tuple[float, float, int]:
    """Wall seconds, CPU seconds and the peak of resident bytes of a command and its children. It has to succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun, peak, done = time.monotonic(), [0], threading.Event()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def watch() -> None:
        while not done.wait(0.2):
            peak[0] = max(peak[0], sum(_held(number) for number in _tree(process.pid)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    process.wait()
    done.set()
    watcher.join()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed with {process.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.monotonic() - begun, spent, peak[0]


def _held(process: int) -> int:
    """Bytes that a process holds, shared pages by its share."""
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def _tree(process: int) -> Iterator[int]:
    yield process
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return
    for child in children:
        yield from _tree(int(child))


def _library() -> str:
    folder = Path(sysconfig.get_path("stdlib"))
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.glob("*.py"))]
    return "\n".join(texts)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("megabytes", nargs="?", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--peers", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        log = Path(name) / "log.jsonl"
        requests = generate(log, asked.megabytes)
        size = log.stat().st_size / 1e9
        print(f"{requests:,} requests, {size:.2f} GB, {os.cpu_count()} cores")
        print(f"{'':<28}{'wall s':>8}{'CPU s':>8}{'CPU s/GB':>10}{'x bare':>8}{'peak MB':>9}")
        here = [sys.executable, __file__, str(log), "--bare"]
        lint = [sys.executable, "-m", "promptlint", "audit", str(log), "--output-format", "json"]
        rows = {
            "bare loop": here,
            "bare loop with known lines": [*here, "--known-lines"],
            "audit --no-what-if --jobs 1": [*lint, "--no-what-if", "--jobs", "1"],
            "audit --jobs 1": [*lint, "--jobs", "1"],
            "audit --no-what-if": [*lint, "--no-what-if"],
            "audit": lint,
        }
        if asked.peers:
            rows |= {title: each for title, each in commands(log, Path(name)).items() if shutil.which(each[0])}
        runs = [[measured(*command) for command in rows.values()] for _ in range(asked.rounds)]
        best = [[min(column) for column in zip(*run, strict=True)] for run in zip(*runs, strict=True)]
        for title, (wall, spent, peak) in zip(rows, best, strict=True):
            ratio = spent / best[0][1]
            print(f"{title:<28}{wall:>8.1f}{spent:>8.1f}{spent / size:>10.1f}{ratio:>8.2f}{peak / 2**20:>9.0f}")


if __name__ == "__main__":
    if "--bare" in sys.argv:
        bare(Path(sys.argv[1]), "--known-lines" in sys.argv)
    else:
        main()
