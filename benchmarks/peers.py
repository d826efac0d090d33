"""A generated log and a tokenizer in the forms that other programs read.

kvlint takes the JSON lines as they are and a Hugging Face tokenizer, here o200k_base written as one; llmtrafficlens
takes a gateway's CSV and counts without a tokenizer.
"""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from pathlib import Path

from promptlint.tokens.vocabulary import load

_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


def commands(log: Path, folder: Path) -> dict[str, list[str]]:
    """The command of each program over the log, by its name; what it reads and writes stands in the folder."""
    tokenizer, table = folder / "tokenizer", folder / "gateway.csv"
    _write_tokenizer(tokenizer)
    _write_table(log, table)
    lens = ["llmtrafficlens", "profile", str(table), "--salt-file", str(folder / "salt"), "--out", str(folder / "lens")]
    return {
        "kvlint": ["kvlint", "lint", str(log), "--model", str(tokenizer), "--json", str(folder / "kvlint.json")],
        "llmtrafficlens": lens,
    }


def _write_table(log: Path, path: Path) -> None:
    with log.open(encoding="utf-8") as lines, path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["timestamp", "model_name", "status_code", "request_json", "response_json"])
        for line in lines:
            record = json.loads(line)
            body = json.dumps({"model": record["model"], "messages": record["messages"]})
            writer.writerow([record["timestamp"], record["model"], 200, body, "{}"])


def _write_tokenizer(folder: Path) -> None:
    """The vocabulary in the form of byte-level BPE: the merges are what the ranks imply."""
    encoding = load("o200k_base").encoding
    ranks = encoding._mergeable_ranks
    letters = _letters()

    def written(token: bytes) -> str:
        return "".join(letters[byte] for byte in token)

    merges = [" ".join(map(written, _halves(token, rank, ranks))) for token, rank in ranks.items() if len(token) > 1]
    model = {
        "type": "BPE",
        "vocab": {written(token): rank for token, rank in ranks.items()},
        "merges": merges,
        "ignore_merges": True,
    }
    split = {"type": "Split", "pattern": {"Regex": encoding._pat_str}, "behavior": "Isolated", "invert": False}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
    tokenizer = {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, byte_level]},
        "decoder": byte_level,
        "model": model,
    }
    folder.mkdir()
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    named = {"tokenizer_class": "PreTrainedTokenizerFast", "chat_template": _TEMPLATE}
    (folder / "tokenizer_config.json").write_text(json.dumps(named), encoding="utf-8")


def _halves(token: bytes, rank: int, ranks: dict[bytes, int]) -> list[bytes]:
    """The two tokens that merge into one: what the earlier merges make of its bytes."""
    parts = [token[at : at + 1] for at in range(len(token))]
    while len(parts) > 2:
        pairs = [ranks.get(left + right, rank) for left, right in pairwise(parts)]
        lowest = min(pairs)
        if lowest >= rank:
            break
        at = pairs.index(lowest)
        parts[at : at + 2] = [parts[at] + parts[at + 1]]
    return parts


def _letters() -> dict[int, str]:
    """A visible character for each byte, as byte-level BPE writes them: its own where it has one."""
    own = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in own]
    return {**{byte: chr(byte) for byte in own}, **{byte: chr(256 + at) for at, byte in enumerate(others)}}
