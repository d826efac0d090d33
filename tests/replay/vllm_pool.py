"""Cached tokens of each request of a trace by vLLM's own KVCacheManager, on the CPU and without a model.

`python vllm_pool.py FOLDER TRACE BLOCK_SIZE BLOCKS`: the folder holds the Python files of vLLM's wheel, the trace a
JSON list of lists of token ids; prints a JSON list. One request is finished before the next one comes. BLOCKS has one
more than can be used, because vLLM keeps a null block.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import json
import os
import sys
import types
from collections.abc import Sequence
from unittest.mock import MagicMock

_COMPILED = {"tvm_ffi", "xgrammar"}
"""What vLLM imports on the way to its cache and never calls there."""


class _Anything(types.ModuleType):
    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        value = type(name, (), {"__class_getitem__": classmethod(lambda cls, item: cls)})
        made: object = value if name[:1].isupper() else MagicMock(name=name)
        setattr(self, name, made)
        return made


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname.partition(".")[0] not in _COMPILED:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = _Anything(spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def main(folder: str, trace: str, unit: int, blocks: int) -> None:
    os.environ |= {"VLLM_LOGGING_LEVEL": "ERROR", "PYTHONHASHSEED": "0"}
    sys.path.insert(0, folder)
    sys.meta_path.append(_Finder())
    import torch
    from vllm.sampling_params import SamplingParams
    from vllm.utils.hashing import sha256
    from vllm.v1.core.kv_cache_manager import KVCacheManager
    from vllm.v1.core.kv_cache_utils import get_request_block_hasher, init_none_hash
    from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheConfig, KVCacheGroupSpec
    from vllm.v1.request import Request

    init_none_hash(sha256)
    layers = FullAttentionSpec(block_size=unit, num_kv_heads=1, head_size=1, dtype=torch.float32)
    config = KVCacheConfig(
        num_blocks=blocks, kv_cache_tensors=[], kv_cache_groups=[KVCacheGroupSpec(["layer"], layers)]
    )
    manager = KVCacheManager(
        config, max_model_len=10**6, scheduler_block_size=unit, hash_block_size=unit, enable_caching=True
    )
    hasher, sampling = get_request_block_hasher(unit, sha256), SamplingParams(max_tokens=1)
    cached = []
    with open(trace, encoding="utf-8") as stream:  # noqa: PTH123
        tokens_of = json.load(stream)
    for number, tokens in enumerate(tokens_of):
        request = Request(str(number), tokens, sampling, None, block_hasher=hasher)
        found, count, *_ = manager.get_computed_blocks(request)
        if manager.allocate_slots(request, len(tokens) - count, count, found) is None:
            raise SystemExit(f"request {number} does not fit into {blocks} blocks")
        cached.append(count)
        request.num_computed_tokens = len(tokens)
        manager.free(request)
    print(json.dumps(cached))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
