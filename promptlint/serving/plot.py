"""Cache traffic against weight traffic over tokens in flight, as a picture."""

from __future__ import annotations

from io import StringIO

from promptlint.serving.workload import Workload
from promptlint.toml_keys import ConfigError

_POINTS = 97
_INK, _CACHE, _WEIGHTS = "#22272e", "#1f6feb", "#8b949e"


def plot(workload: Workload) -> str:
    """The picture as SVG; the same workload gives the same text.

    Contexts grow at the workload's batch. Raises ConfigError where the weights are not known, or matplotlib is not
    installed.
    """
    weights = workload.weights_read
    if weights is None:
        raise ConfigError(f"{workload.model.title}: the parameters are not known, so there is no crossover; state them")
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ConfigError("matplotlib is missing, which draws the picture; install promptlint with [plot]") from error
    model, batch = workload.model, workload.batch
    crossing = workload.crossover_context(batch)
    longest = max(2 * (crossing or 0), workload.tokens, 1024)
    contexts = [max(1, longest * point // (_POINTS - 1)) for point in range(_POINTS)]
    cache = [batch * model.read(context, workload.kv_bits, workload.ranks) / 1e9 for context in contexts]
    with rc_context({"svg.hashsalt": "promptlint", "svg.fonttype": "none", "font.size": 10, "text.parse_math": False}):
        figure = Figure(figsize=(8, 4.5), layout="constrained")
        axes = figure.add_subplot()
        in_flight = [batch * context for context in contexts]
        axes.plot(in_flight, cache, color=_CACHE, label=f"cache, {workload.kv_dtype}")
        axes.axhline(weights / 1e9, color=_WEIGHTS, label=f"weights, {workload.weight_dtype}")
        if crossing:
            at = batch * crossing
            axes.plot([at], [weights / 1e9], "o", color=_INK)
            axes.annotate(
                f"{at:,} tokens\n{batch:,} x {crossing:,}",
                (at, weights / 1e9),
                textcoords="offset points",
                xytext=(-8, 10),
                ha="right",
                color=_INK,
            )
        axes.set(
            title=f"{model.title}: what a decode step reads, {batch:,} request{'s' * (batch > 1)}",
            xlabel="tokens in flight",
            ylabel="GB per decode step",
            xlim=(0, batch * longest),
            ylim=(0, None),
        )
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, loc="lower right")
        drawn = StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()
