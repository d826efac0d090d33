"""What the layers of an architecture keep, from the fields of its `config.json`.

An architecture that is not listed is refused: a formula that does not fit would give a figure that looks exact.
The field names and the layouts are those of Hugging Face's configuration classes (transformers 5.x).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from promptlint.data import load_toml
from promptlint.serving.fields import Fields
from promptlint.serving.geometry import Part, grouped, index_keys, latent, shared, state

_FULL, _WINDOWED = ("full_attention", "attention"), ("sliding_attention", "chunked_attention")
_HINTS: Final = (
    "kv_lora_rank",
    "sliding_window",
    "attention_chunk_size",
    "linear_attn_config",
    "layer_types",
    "compress_ratios",
    "hybrid_override_pattern",
    "mamba_d_state",
    "ssm_cfg",
)
"""Fields that say a model keeps more, or other things, than keys and values of every token."""


def parts_of(fields: Fields) -> tuple[Part, ...]:
    """The parts of a model, layers that keep nothing left out.

    Raises ConfigError for an architecture that is not known, or a field that it needs and lacks.
    """
    maker = _grouped if fields.kind in _of_grouped_heads() else _MAKERS.get(fields.kind)
    if maker is None:
        raise _unknown(fields)
    return tuple(part for part in maker(fields) if part.layers)


def attention(parts: Sequence[Part], fields: Fields) -> str:
    """The kind of attention in a few words: "GQA, 52 of 62 layers with a window of 1,024"."""
    said = []
    for part in parts:
        layers = f"{part.layers} layers"
        if part.kind == "attention":
            heads = part.heads
            said.append(f"{layers} {'MQA' if heads == 1 else 'MHA' if heads == _heads(fields) else 'GQA'}")
        elif part.kind == "window":
            said.append(f"{layers} with a window of {part.window:,}")
        elif part.kind == "latent":
            said.append(f"{layers} MLA" + (f" reading {part.reads:,} entries" if part.reads else ""))
        elif part.kind == "compressed":
            said.append(f"{layers} compressed {part.ratio}:1")
        elif part.kind == "state" and part.fp32:
            said.append(f"{layers} with a constant state")
    return ", ".join(said) + ("; mixture of experts" if fields.experts() else "")


def _of_grouped_heads() -> tuple[str, ...]:
    """Model types whose layers all keep keys and values, of every token or of a window."""
    return tuple(load_toml("models.toml")["architectures"]["grouped"])


def _heads(fields: Fields) -> int:
    return fields.number("num_attention_heads")


def _unknown(fields: Fields) -> Exception:
    classes = fields.raw.get("architectures")
    name = fields.kind or (", ".join(map(str, classes)) if isinstance(classes, list) else "") or "(no model_type)"
    hints = [name for name in _HINTS if fields.has(name)]
    also = f" (it has {', '.join(hints)})" if hints else ""
    known = sorted({*_MAKERS, *_of_grouped_heads()})
    return fields.error(
        f"the architecture {name!r} is not known{also}: which layers keep keys and values, of how many tokens, and "
        f"what the others keep is missing; known are {', '.join(known)}"
    )


def _grouped(fields: Fields) -> list[Part]:
    layers, window, windowed = fields.number("num_hidden_layers"), fields.text.get("sliding_window"), 0
    listed = fields.layer_types((*_FULL, *_WINDOWED))
    if listed is not None:
        windowed = sum(listed[kind] for kind in _WINDOWED)
    elif window and fields.text.get("use_sliding_window") is not False:
        windowed = _implied(fields, layers)
    size = fields.number("sliding_window") if windowed else None
    shape = (fields.kv_heads(), fields.head_dim(), _heads(fields))
    return [grouped(layers - windowed, *shape), grouped(windowed, *shape, window=size)]


def _implied(fields: Fields, layers: int) -> int:
    """Layers with a window where none are listed: each architecture has its own rule."""
    if fields.kind == "gemma2" or fields.kind == "gpt_oss":
        return -(-layers // 2)
    if fields.kind == "gemma3_text" or fields.has("sliding_window_pattern"):
        return layers - layers // fields.number_or("sliding_window_pattern", 6)
    if fields.has("max_window_layers"):
        # The first max_window_layers see everything, those above them a window.
        return max(0, layers - fields.number("max_window_layers"))
    return layers


def _llama4(fields: Fields) -> list[Part]:
    layers = fields.number("num_hidden_layers")
    listed = fields.layer_types((*_FULL, *_WINDOWED))
    full = sum(listed[kind] for kind in _FULL) if listed else layers // fields.number_or("no_rope_layer_interval", 4)
    shape = (fields.kv_heads(), fields.head_dim(), _heads(fields))
    chunk = fields.number("attention_chunk_size")
    return [grouped(full, *shape), grouped(layers - full, *shape, window=chunk)]


def _gemma4(fields: Fields) -> list[Part]:
    listed = fields.text.get("layer_types")
    if fields.layer_types((*_FULL, *_WINDOWED)) is None or not isinstance(listed, list):
        raise fields.error("the field 'layer_types' is missing; add it")
    # The last layers may reuse what earlier ones keep.
    own = listed[: len(listed) - fields.number_or("num_kv_shared_layers", 0)] if listed else []
    full, heads = sum(kind in _FULL for kind in own), _heads(fields)
    kv_heads, width = fields.number("num_key_value_heads"), fields.head_dim()
    wide = (fields.number_or("num_global_key_value_heads", kv_heads), fields.number_or("global_head_dim", width))
    return [
        grouped(full, *wide, heads),
        grouped(len(own) - full, kv_heads, width, heads, window=fields.number("sliding_window")),
    ]


def _latent(fields: Fields, layers: int | None = None, top_k: int | None = None) -> Part:
    return latent(
        fields.number("num_hidden_layers") if layers is None else layers,
        rank=fields.number("kv_lora_rank"),
        rope=fields.number("qk_rope_head_dim", least=0),
        heads=_heads(fields),
        nope=fields.number("qk_nope_head_dim", least=0),
        value=fields.number("v_head_dim"),
        top_k=top_k,
    )


def _mla(fields: Fields) -> list[Part]:
    return [_latent(fields)]


def _sparse_mla(fields: Fields) -> list[Part]:
    layers = fields.number("num_hidden_layers")
    types = fields.text.get("indexer_types")
    if types is not None and (not isinstance(types, list) or len(types) != layers):
        raise fields.error(f"'indexer_types' does not list {layers} layers; correct it")
    # A layer whose indexer is shared uses the choice of a layer below and keeps no keys of its own.
    own = layers if types is None else sum(kind == "full" for kind in types)
    if types is None and fields.number_or("index_topk_freq", 1) > 1:
        raise fields.error("the field 'indexer_types' is missing; add it: not every layer has an indexer of its own")
    keys = index_keys(own, fields.number("index_head_dim"), fields.number("index_n_heads"))
    return [_latent(fields, top_k=fields.number("index_topk")), keys]


def _deepseek_v4(fields: Fields) -> list[Part]:
    layers, ratios = fields.number("num_hidden_layers"), fields.text.get("compress_ratios")
    if not isinstance(ratios, list) or len(ratios) < layers or not all(type(ratio) is int for ratio in ratios):
        raise fields.error(f"'compress_ratios' does not list {layers} layers; add it")
    if fields.number("num_key_value_heads") != 1:
        raise fields.error("'num_key_value_heads' is not 1: one vector for keys and values is what is known")
    # Entries behind the model's own layers belong to draft layers.
    own = ratios[:layers]
    indexed, coarse = fields.number_or("compress_rate_csa", 4), fields.number_or("compress_rate_hca", 128)
    if strange := sorted(set(own) - {0, indexed, coarse}):
        raise fields.error(f"what layers with the compression {strange} keep is not known")
    width, heads = fields.head_dim(), _heads(fields)
    index = (fields.number("index_head_dim"), fields.number("index_n_heads"), indexed)
    return [
        shared(layers, width, heads, window=fields.number("sliding_window")),
        shared(own.count(indexed), width, heads, ratio=indexed, top_k=fields.number("index_topk")),
        index_keys(own.count(indexed), *index),
        shared(own.count(coarse), width, heads, ratio=coarse),
    ]


def _gated_delta(fields: Fields) -> list[Part]:
    layers = fields.number("num_hidden_layers")
    listed = fields.layer_types((*_FULL, "linear_attention"))
    full = sum(listed[kind] for kind in _FULL) if listed else layers // fields.number("full_attention_interval")
    keys, values = fields.number("linear_num_key_heads"), fields.number("linear_num_value_heads")
    key_width, value_width = fields.number("linear_key_head_dim"), fields.number("linear_value_head_dim")
    channels = 2 * keys * key_width + values * value_width
    return [
        grouped(full, fields.kv_heads(), fields.head_dim(), _heads(fields)),
        state(layers - full, channels * (fields.number("linear_conv_kernel_dim") - 1), min(keys, values)),
        state(layers - full, values * value_width * key_width, values, fp32=True),
    ]


def _kimi_linear(fields: Fields) -> list[Part]:
    layers, linear = fields.number("num_hidden_layers"), fields.text.get("linear_attn_config")
    if not isinstance(linear, dict):
        raise fields.error("the field 'linear_attn_config' is missing; add it")
    inner = Fields(fields.path, {"model_type": fields.kind, **linear})
    full = linear.get("full_attn_layers")
    if not isinstance(full, list) or len(full) > layers:
        raise fields.error("'linear_attn_config.full_attn_layers' lists no layers of this model; correct it")
    heads, width = inner.number("num_heads"), inner.number("head_dim")
    rest = layers - len(full)
    return [
        _latent(fields, layers=len(full)),
        state(rest, 3 * heads * width * (inner.number("short_conv_kernel_size") - 1), heads),
        state(rest, heads * width * width, heads, fp32=True),
    ]


def _nemotron_h(fields: Fields) -> list[Part]:
    pattern, layers = fields.text.get("hybrid_override_pattern"), fields.number("num_hidden_layers")
    if not isinstance(pattern, str) or len(pattern) != layers or set(pattern) - set("M*E-"):
        raise fields.error(f"'hybrid_override_pattern' does not name {layers} layers by M, *, E and -; correct it")
    heads, width = fields.number("mamba_num_heads"), fields.number("mamba_head_dim")
    size, groups = fields.number("ssm_state_size"), fields.number("n_groups")
    channels = heads * width + 2 * groups * size
    mamba = pattern.count("M")
    return [
        grouped(pattern.count("*"), fields.kv_heads(), fields.head_dim(), _heads(fields)),
        state(mamba, channels * (fields.number("conv_kernel") - 1), groups),
        state(mamba, heads * width * size, heads, fp32=True),
    ]


_MAKERS: Final[Mapping[str, Callable[[Fields], list[Part]]]] = {
    "llama4_text": _llama4,
    "gemma4_text": _gemma4,
    "deepseek_v2": _mla,
    "deepseek_v3": _mla,
    "kimi_k2": _mla,
    "deepseek_v32": _sparse_mla,
    "deepseek_v3_2": _sparse_mla,
    "glm_moe_dsa": _sparse_mla,
    "deepseek_v4": _deepseek_v4,
    "qwen3_next": _gated_delta,
    "qwen3_5_text": _gated_delta,
    "qwen3_5_moe_text": _gated_delta,
    "kimi_linear": _kimi_linear,
    "nemotron_h": _nemotron_h,
}
