"""Generated requests: conversations that grow over a few shared prompts, in several namespaces, with gaps."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from promptlint.replay.sequential import Arrival

Generate = Callable[..., list[Arrival]]


@pytest.fixture
def arrivals() -> Generate:
    def generate(seed: int, count: int, unit: int = 4) -> list[Arrival]:
        chance = random.Random(seed)
        prompts = [[(chance.randrange(9), number, at) for at in range(chance.randrange(1, 12))] for number in range(4)]
        talks: list[tuple[int, list[tuple[int, ...]]]] = []
        time, made = 0.0, []
        for number in range(count):
            time += chance.choice([0, 0, 1, 5, 40])
            if not talks or chance.random() < 0.3:
                talks.append((chance.randrange(2), list(chance.choice(prompts))))
            namespace, talk = chance.choice(talks)
            if chance.random() < 0.1:
                del talk[chance.randrange(len(talk)) :]
            talk.extend((number, at) for at in range(chance.randrange(1, 4)))
            blocks, parent = [], 0
            for token in talk:
                parent = hash((parent, token))
                blocks.append(parent)
            made.append(Arrival(time, namespace, blocks, len(blocks) * unit + chance.randrange(unit)))
        return made

    return generate
