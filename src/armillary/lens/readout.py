"""The readout: how a model turns its last state into a score for every token, with each part kept apart.

logits = softcap(m·(N(h)·Wᵀ + b)). The tables are the raw ones; the final norm, the embedding scale, the softcap, the
bias and the multiplier are fields, and a folded or a centred version is a named view made on request. All of it is
numpy on arrays that may be the model's own memory, so it can be tested, and used, without torch.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from armillary.errors import UsageError
from armillary.shapes import Float32

NormKind = Literal["none", "layer", "rms", "rms+1"]


@dataclass(frozen=True, eq=False)
class Norm:
    """The final norm of a model in d dimensions.

    `layer`: (h − mean)/√(variance + eps)·w + b (Ba et al. 2016); `rms`: h/√(mean h² + eps)·w (Zhang & Sennrich
    2019); `rms+1`: the same with 1 + w (Gemma); `none`: h as it is.
    """

    kind: NormKind = "none"
    weight: Float32[np.ndarray, "d"] | None = None
    bias: Float32[np.ndarray, "d"] | None = None
    eps: float = 0.0

    def plain(self, states: Float32[np.ndarray, "n d"]) -> Float32[np.ndarray, "n d"]:
        """The states normalised, before weight and bias."""
        if self.kind == "none":
            return states
        centred = states - states.mean(-1, keepdims=True) if self.kind == "layer" else states
        return centred / np.sqrt((centred * centred).mean(-1, keepdims=True) + np.float32(self.eps))

    @property
    def gain(self) -> Float32[np.ndarray, "d"] | None:
        """What the normalised state is multiplied by; None for 1."""
        return self.weight if self.kind != "rms+1" or self.weight is None else self.weight + np.float32(1)

    def __call__(self, states: Float32[np.ndarray, "n d"]) -> Float32[np.ndarray, "n d"]:
        """N(h), its statistics computed anew on these states."""
        out, gain = self.plain(states), self.gain
        out = out if gain is None else out * gain
        return out if self.bias is None else out + self.bias


@dataclass(frozen=True, eq=False, repr=False)
class Readout:
    """The two ends of a model: `input` and `output` table (V d) as stored, and what stands between state and score.

    `scale`: factor on a looked-up row. `softcap`: c of c·tanh(x/c). `bias` (V). `multiplier` on the scores. `tied`:
    whether both tables are the same memory. `view`: raw, folded or centred.
    """

    input: Float32[np.ndarray, "V d"]
    output: Float32[np.ndarray, "V d"]
    norm: Norm
    scale: float = 1.0
    softcap: float | None = None
    bias: Float32[np.ndarray, "V"] | None = None
    multiplier: float = 1.0
    tied: bool = False
    view: str = "raw"

    def logits(self, states: Float32[np.ndarray, "n d"]) -> Float32[np.ndarray, "n V"]:
        """The score of every token for each state of the residual stream (before the final norm)."""
        scores = self.norm(states) @ self.output.T
        scores = scores if self.bias is None else scores + self.bias
        scores = scores if self.multiplier == 1.0 else scores * np.float32(self.multiplier)
        return scores if self.softcap is None else np.float32(self.softcap) * np.tanh(scores / np.float32(self.softcap))

    def folded(self) -> Readout:
        """The view with the norm's weight and bias multiplied into the output table: the same logits.

        W′ = W·diag(w), b′ = b + W·b_norm. Makes a new table of V×d.
        """
        output, bias, gain = self.output, self.bias, self.norm.gain
        if self.norm.bias is not None:
            moved = output @ self.norm.bias
            bias = moved if bias is None else bias + moved
        if gain is not None:
            output = output * gain
        return replace(
            self, output=output, bias=bias, norm=replace(self.norm, weight=None, bias=None), tied=False, view="folded"
        )

    def centred(self) -> Readout:
        """The view with the mean row and the mean bias taken from the output: the same probabilities.

        Makes a new table of V×d. UsageError for a readout with a softcap, whose probabilities would change.
        """
        if self.softcap is not None:
            raise UsageError("expected a readout without a softcap to centre, found one", "use the raw or folded view")
        mean = self.output.mean(0, dtype=np.float64).astype(np.float32)
        bias = None if self.bias is None else self.bias - np.float32(self.bias.mean(dtype=np.float64))
        return replace(self, output=self.output - mean, bias=bias, tied=False, view="centred")

    def __repr__(self) -> str:
        return f"Readout({', '.join(f'{name} {value}' for name, value in self.to_dict().items())})"

    def to_dict(self) -> dict[str, Any]:
        """Plain facts, without the tables."""
        return {
            "shape": list(self.output.shape),
            "norm": self.norm.kind,
            "eps": self.norm.eps,
            "norm_bias": self.norm.bias is not None,
            "scale": self.scale,
            "softcap": self.softcap,
            "bias": self.bias is not None,
            "multiplier": self.multiplier,
            "tied": self.tied,
            "view": self.view,
        }
