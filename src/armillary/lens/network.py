"""What a transformers model is made of: its layers, its final norm, the two tables, what it does to its scores.

The kind of the final norm is decided by what the module computes, not by its name: each formula is tried on a fixed
state. What is found is then held against the model's own logits (`self_test`); a model that does anything else to its
last state is refused rather than drawn wrongly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from armillary.errors import UnreadableError
from armillary.lens.backend import torch
from armillary.lens.readout import Norm, NormKind, Readout

NORM_NAMES = ("norm", "ln_f", "final_layer_norm", "final_layernorm", "final_norm", "norm_f", "ln_out", "layer_norm")
TOLERANCE = 1e-4  # largest difference of logits, for logits up to _LARGE; beyond, float32 has fewer digits left
_LARGE = 100.0
_KINDS: tuple[NormKind, ...] = ("layer", "rms", "rms+1")


def body_of(network: Any) -> Any:
    """The stack of layers, without the head."""
    decoder = getattr(network, "get_decoder", None)
    body = decoder() if decoder is not None else network.base_model
    body = body if body is not None else network.base_model
    inner = getattr(body, "decoder", None)  # OPT keeps its layers one step further in
    return inner if inner is not None and hasattr(inner, "layers") else body


def final_norm_of(network: Any) -> Any | None:
    """The module of the final norm, or None."""
    body = body_of(network)
    return next((module for name in NORM_NAMES if (module := getattr(body, name, None)) is not None), None)


def readout_of(network: Any, scale: float) -> Readout:
    """The readout of a causal model over its own memory; UnreadableError for a final norm of no known form."""
    config = network.config.get_text_config()
    head, table = network.get_output_embeddings(), network.get_input_embeddings().weight
    if head is None or head.weight.shape != table.shape:
        raise UnreadableError(
            "expected an output table of the shape of the input table, found "
            + ("no output" if head is None else f"{tuple(head.weight.shape)} beside {tuple(table.shape)}")
        )
    divisor = getattr(config, "logits_scaling", None)  # Granite divides, Cohere multiplies
    return Readout(
        input=array(table),
        output=array(head.weight),
        norm=norm_of(final_norm_of(network), table.shape[1]),
        scale=scale,
        softcap=getattr(config, "final_logit_softcapping", None),
        bias=None if getattr(head, "bias", None) is None else array(head.bias),
        multiplier=1.0 / divisor if divisor else float(getattr(config, "logit_scale", None) or 1.0),
        tied=head.weight.data_ptr() == table.data_ptr(),
    )


def norm_of(module: Any | None, width: int) -> Norm:
    """A norm module as numbers, by the formula that gives what it computes on a fixed state."""
    if module is None:
        return Norm()
    weight, bias = getattr(module, "weight", None), getattr(module, "bias", None)
    eps = next((float(e) for n in ("eps", "variance_epsilon", "epsilon") if (e := getattr(module, n, None))), 0.0)
    probe = np.random.default_rng(0).normal(0.5, 2.0, (2, width)).astype(np.float32)
    with torch().inference_mode():
        device = weight.device if weight is not None else "cpu"
        expected = module(torch().from_numpy(probe).to(device)).float().cpu().numpy()
    parts = (None if weight is None else array(weight), None if bias is None else array(bias))
    for kind in _KINDS:
        norm = Norm(kind, *parts, eps)
        if np.allclose(norm(probe), expected, rtol=1e-5, atol=1e-6):
            return norm
    raise UnreadableError(f"expected a layer norm or an RMS norm before the output, found {type(module).__name__}")


def self_test(readout: Readout, last_states: np.ndarray, logits: np.ndarray) -> float:
    """The largest difference between our logits of the last state and the model's own; UnreadableError if too large.

    At most 1e-4 where logits are up to 100 in size, and in proportion beyond (float32 has seven digits).
    """
    difference = float(np.abs(readout.logits(last_states) - logits).max())
    allowed = TOLERANCE * max(1.0, float(np.abs(logits).max()) / _LARGE)
    if not difference <= allowed:  # written so that NaN is refused
        raise UnreadableError(
            f"expected the readout to give the model's own logits to {allowed:.2g}, found them {difference:.2g} apart",
            "this architecture does something else to its last state; its lens would mislead and is not drawn",
        )
    return difference


def array(parameter: Any) -> np.ndarray:
    """A parameter as float32: the model's own memory where it is float32 on the CPU."""
    return parameter.detach().float().cpu().numpy()
