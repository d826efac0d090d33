"""`promptlint audit` as users run it: outputs, exit codes, and what can go wrong with logs and machines."""

from __future__ import annotations

import gzip
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

TEXT = "train ticket platform refund delay station carriage seat window journey guard signal bridge valley"
WORDS = TEXT.split()


def prose(seed: int, words: int) -> str:
    chance = random.Random(seed)
    return " ".join(chance.choice(WORDS) for _ in range(words))


def record(number: int, system: str, **more: Any) -> str:
    messages = [{"role": "system", "content": system}, {"role": "user", "content": prose(number, 30)}]
    return (
        json.dumps({"timestamp": 1_795_946_400 + 20 * number, "model": "gpt-5-mini", "messages": messages, **more})
        + "\n"
    )


def broken(count: int = 12) -> str:
    return "".join(record(number, f"It is 10:{number:02}:07.\n{prose(1, 1500)}") for number in range(count))


def sound(count: int = 12) -> str:
    return "".join(record(number, prose(1, 1500)) for number in range(count))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_text(broken())
    return path


def shares(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def test_the_share_stands_first(promptlint: Run, log: Path) -> None:
    done = promptlint("audit", "log.jsonl")
    assert done.returncode == 0
    assert done.stdout.startswith("cached-token share: 0.0 % simulated, ")
    assert " reachable\n" in done.stdout.splitlines(keepends=True)[0]
    assert "error[clock-in-prefix]: a clock in `messages[0].content` differs" in done.stdout
    assert "--> log.jsonl:" in done.stdout
    assert "move what changes in `messages[0].content`" in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize(("limit", "code"), [("0", 0), ("0.5", 1)])
def test_a_share_can_fail_a_build(promptlint: Run, log: Path, limit: str, code: int) -> None:
    done = promptlint("audit", "log.jsonl", "--fail-under", limit, "--output-format", "concise")
    assert done.returncode == code
    assert ("is below" in done.stderr) == (code == 1)


def test_what_was_measured_counts_before_what_is_simulated(promptlint: Run, tmp_path: Path) -> None:
    usage = {"prompt_tokens": 2000, "prompt_tokens_details": {"cached_tokens": 1500}}
    (tmp_path / "log.jsonl").write_text("".join(record(number, prose(1, 1500), usage=usage) for number in range(4)))
    found = shares(promptlint("audit", "log.jsonl", "--output-format", "json"))
    assert found["share"]["measured"] == {"share": 0.75, "cached_tokens": 6000, "tokens": 8000}
    assert promptlint("audit", "log.jsonl", "--fail-under", "0.74").returncode == 0
    assert promptlint("audit", "log.jsonl", "--fail-under", "0.76").returncode == 1


def test_markdown(promptlint: Run, log: Path) -> None:
    done = promptlint("audit", "log.jsonl", "--output-format", "markdown")
    assert done.stdout.startswith("## Cached-token share: ")
    assert "| clock-in-prefix | a clock in `messages[0].content` differs" in done.stdout


def test_what_the_lost_prefixes_cost_the_machine(promptlint: Run, log: Path, tmp_path: Path) -> None:
    named = shares(promptlint("audit", "log.jsonl", "--model-config", "llama-3-70b", "--output-format", "json"))
    tokens = sum(cause["lost_tokens"] for cause in named["causes"])
    told = named["lost_prefix"]
    assert told["kv_bytes"] == pytest.approx(tokens / 12 * 1_000 * 327_680)
    assert told["flops"] > 2 * 70.6e9 * tokens / 12 * 1_000
    assert (told["gpu"], told["seconds"]) == (None, None)
    (tmp_path / "promptlint.toml").write_text("[serving]\nmodel = 'llama-3-70b'\ngpu = 'h100'\ngpus = 8\n")
    said = f"lost prefix = {told['kv_bytes'] / 1e9:.2f} GB of KV recomputed per 1,000 requests, "
    for form in ("text", "markdown"):
        assert said in promptlint("audit", "log.jsonl", "--output-format", form).stdout
    stated = shares(promptlint("audit", "log.jsonl", "--output-format", "json"))["lost_prefix"]
    assert stated["seconds"] == pytest.approx(told["flops"] / (8 * 989.4e12), rel=0.01)
    log.write_text(sound())
    assert shares(promptlint("audit", "log.jsonl", "--output-format", "json"))["lost_prefix"] is None
    unknown = promptlint("audit", "log.jsonl", "--model-config", "lama-3-70b")
    assert unknown.returncode == 2
    assert "did you mean" in unknown.stderr


def test_without_a_served_model_nothing_is_said_about_machines(promptlint: Run, log: Path) -> None:
    assert "lost prefix" not in promptlint("audit", "log.jsonl").stdout


def test_secrets_are_masked_in_every_output(promptlint: Run, tmp_path: Path) -> None:
    def key(number: int) -> str:
        return f"sk-ant-api03-{random.Random(number).getrandbits(160):040x}"

    lines = (record(number, f"The key is {key(number)}\n{prose(1, 1500)}") for number in range(6))
    (tmp_path / "log.jsonl").write_text("".join(lines))
    for form in ("text", "concise", "json", "markdown"):
        done = promptlint("audit", "log.jsonl", "--output-format", form)
        assert "differs, above text" in done.stdout
        assert not any(key(number)[16:40] in done.stdout + done.stderr for number in range(6))


def test_the_line_of_a_template_is_named(promptlint: Run, log: Path, tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "system.j2").write_text("{# desk #}\nIt is {{ clock }}.\n{{ rest }}\n")
    (tmp_path / "prompts" / "other.j2").write_text("Is it {{ clock }}?\n")
    lines = "".join(record(number, f"Today: it is 10:{number:02}:07.\n{prose(1, 1500)}") for number in range(6))
    (tmp_path / "log.jsonl").write_text(lines)
    (tmp_path / "prompts" / "day.j2").write_text("You help.\n  Today: it is {{ clock }}.\n")
    done = promptlint("audit", "log.jsonl", "--templates", "prompts")
    assert f"template: prompts{os.sep}day.j2:2:16" in done.stdout


def test_an_export_holds_no_text_and_is_read_again(promptlint: Run, log: Path, tmp_path: Path) -> None:
    first = shares(promptlint("audit", "log.jsonl", "--export", "hashes.parquet", "--output-format", "json"))
    data = (tmp_path / "hashes.parquet").read_bytes()
    assert not any(word.encode() in data for word in WORDS)
    again = shares(promptlint("audit", "hashes.parquet", "--output-format", "json"))
    assert again["share"]["simulated"] == first["share"]["simulated"]
    assert again["requests"] == first["requests"]
    other = promptlint("audit", "log.jsonl", "--export", "other.parquet", "--output-format", "json")
    assert other.returncode == 0
    assert (tmp_path / "other.parquet").read_bytes() != data, "hashes are made with a secret of the run"
    assert not list(tmp_path.glob("*.partial"))


def test_times_as_people_write_them(promptlint: Run, log: Path, tmp_path: Path) -> None:
    log.write_text(sound())
    forever = shares(promptlint("audit", "log.jsonl", "--ttl", "1h", "--output-format", "json"))
    short = shares(promptlint("audit", "log.jsonl", "--ttl", "19s", "--output-format", "json"))
    assert forever["share"]["simulated"]["share"] > 0.8
    assert short["share"]["simulated"]["share"] == 0
    assert [cause["rule"] for cause in short["causes"]] == ["gap-miss"]
    assert promptlint("audit", "log.jsonl", "--ttl", "soon").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.jsonl"], "none.jsonl: no such log"),
        (["empty.jsonl"], "no request in 1 file; the files are empty"),
        (["drawer"], "drawer: no log in this folder; the names of logs end in .jsonl, .ndjson, .log"),
        (["notes.jsonl"], "notes.jsonl:1: not JSON"),
        (["log.jsonl", "--provider", "antropic"], "did you mean 'anthropic'"),
        (["log.jsonl", "--format", "lightllm"], "did you mean 'litellm'"),
        (["log.jsonl", "--map", "ts"], "write field=path"),
        (["log.jsonl", "--export", "no/such/folder.parquet"], "no/such"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    promptlint: Run, log: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "notes.jsonl").write_text("dear diary\n")
    (tmp_path / "drawer").mkdir()
    done = promptlint("audit", *arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_what_is_skipped_is_counted_and_named(promptlint: Run, tmp_path: Path) -> None:
    good = sound(6).splitlines(keepends=True)
    text = "".join([*good[:2], '{"model": \n', *good[2:4], '{"event": 1}\n', *good[4:]])
    (tmp_path / "log.jsonl").write_text(text)
    done = promptlint("audit", "log.jsonl")
    assert done.returncode == 0
    assert "2 records skipped" in done.stdout
    assert "log.jsonl:3: not JSON" in done.stdout
    assert "log.jsonl:6: no request of a known form" in done.stdout
    found = shares(promptlint("audit", "log.jsonl", "--output-format", "json"))
    assert (found["requests"], found["omitted"]["records"]) == (6, 2)


def test_a_truncated_gzip(promptlint: Run, tmp_path: Path) -> None:
    text = "".join(record(number, prose(number, 1500)) for number in range(40))
    packed = gzip.compress(text.encode())
    (tmp_path / "log.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    done = promptlint("audit", "log.jsonl.gz", "--no-what-if")
    assert done.returncode == 0
    assert "damaged from here on" in done.stdout


def test_clock_skew_and_repeated_ids(promptlint: Run, tmp_path: Path) -> None:
    lines = [record(number, prose(1, 1500), id=f"r{number}") for number in range(30)]
    (tmp_path / "log.jsonl").write_text("".join([*lines[20:], *lines[:20], *lines[5:8]]))
    done = promptlint("audit", "log.jsonl", "--output-format", "json")
    found = shares(done)
    assert (found["requests"], found["omitted"]["repeated_ids"]) == (30, 3)
    assert found["omitted"]["backwards"] == 1
    straight = tmp_path / "straight.jsonl"
    straight.write_text("".join(lines))
    assert shares(promptlint("audit", "straight.jsonl", "--output-format", "json"))["share"] == found["share"]


def test_a_log_without_times_is_replayed_in_its_order(promptlint: Run, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in sound(6).splitlines()]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps({**line, "timestamp": None}) + "\n" for line in lines))
    done = promptlint("audit", "log.jsonl")
    assert "6 requests without a time: taken to follow the one above" in done.stdout


def test_standard_input(promptlint: Run, tmp_path: Path) -> None:
    assert shares(promptlint("audit", "-", "--output-format", "json", stdin=sound()))["requests"] == 12


def test_several_processes_find_what_one_does(promptlint: Run, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(broken(8))
    (tmp_path / "b.jsonl").write_text("".join(broken(20).splitlines(keepends=True)[8:]) + "{\n")
    one = shares(promptlint("audit", ".", "--jobs", "1", "--output-format", "json"))
    assert shares(promptlint("audit", ".", "--jobs", "2", "--output-format", "json")) == one
    assert one["omitted"]["named"][0]["line"] == 13


def test_no_room_for_what_is_spilled(promptlint: Run, log: Path) -> None:
    """A limit on the size of files stands for a full disk: writing fails in the same way."""
    done = subprocess.run(
        [sys.executable, "-m", "promptlint", "audit", str(log), "--jobs", "1"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=_little_room,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("Error: ")
    assert done.stdout == ""


def _little_room() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


@pytest.mark.long
@pytest.mark.parametrize("victim", ["whole", "reader"])
def test_killed_in_the_middle(tmp_path: Path, victim: str) -> None:
    """Nothing stands at the export's name, and the next run removes what the killed one left."""
    spill = tmp_path / "spill"
    spill.mkdir()
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text("".join(record(n, prose(n, 4000)) for n in range(700)))
    command = [sys.executable, "-m", "promptlint", "audit", "a.jsonl", "b.jsonl", "--jobs", "2"]
    command += ["--spill", str(spill), "--export", "out.parquet"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not list(spill.glob("*/part-*.texts")) and time.monotonic() < deadline:
        time.sleep(0.02)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if victim == "reader":
        readers = [int(child) for child in children.read_text().split() if _reads(int(child))]
        os.kill(readers[0], signal.SIGKILL)
    else:
        os.kill(process.pid, signal.SIGKILL)
    _, said = process.communicate(timeout=60)
    assert process.returncode == (2 if victim == "reader" else -signal.SIGKILL)
    assert not (tmp_path / "out.parquet").exists()
    if victim == "reader":
        assert "a reading process was killed" in said
        assert list(spill.iterdir()) == []
        return
    assert len(list(spill.iterdir())) == 1
    (tmp_path / "small.jsonl").write_text(sound(3))
    again = subprocess.run(
        [*command[:4], "small.jsonl", "--spill", str(spill)], cwd=tmp_path, check=False, capture_output=True, text=True
    )
    assert again.returncode == 0, again.stderr
    assert list(spill.iterdir()) == []


def _reads(process: int) -> bool:
    return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()


@pytest.mark.long
def test_a_line_of_200_megabytes(tmp_path: Path) -> None:
    with (tmp_path / "log.jsonl").open("w") as stream:
        stream.write(sound(3))
        stream.write(record(4, "x" * 200_000_000))
        stream.write(record(5, prose(1, 1500)))
    command = [sys.executable, "-m", "promptlint", "audit", "log.jsonl", "--output-format", "json", "--jobs", "1"]
    most = 0
    with (tmp_path / "out.json").open("w") as out:
        child = subprocess.Popen(command, cwd=tmp_path, stdout=out)
        while child.poll() is None:
            # What the system says at the end includes the process that started it.
            status = Path(f"/proc/{child.pid}/status").read_text()
            most = max([most, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))])
            time.sleep(0.01)
    said = (tmp_path / "out.json").read_text()
    found = shares(subprocess.CompletedProcess(command, child.returncode, said, ""))
    assert found["requests"] == 4
    assert found["omitted"]["named"] == [{"path": "log.jsonl", "line": 4, "reason": "a line longer than 64 MB"}]
    assert 20_000 < most < 700_000
