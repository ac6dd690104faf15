"""Deviations that depend on the processor: 8-bit products on one that adds them in pairs in 16 bits."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.differential.backend import Backend
from analyzer.differential.runner import Runner
from analyzer.differential.structure import Unit
from analyzer.operators.declaration import CONTRACTION, INTEGER_PRODUCT
from analyzer.operators.registry import names

PRODUCTS = frozenset((*names("onnx", INTEGER_PRODUCT), *names("microsoft", INTEGER_PRODUCT)))
CONTRACTIONS = frozenset(names("onnx", CONTRACTION))
DOT_PRODUCTS = ("avx512_vnni", "avx_vnni", "amx_int8")  # instructions that add four products in 32 bits

# What each engine's own documentation says against it.
MENDS = {
    "onnxruntime": "quantise with `reduce_range=True` (7-bit weights), or both operands unsigned (U8U8)",
    "openvino": "quantise with NNCF's `overflow_fix` on (`OverflowFix.FIRST_LAYER` or `ENABLE`)",
    "torch": "quantise with the `fbgemm` configuration, whose observers have `reduce_range=True`",
}


def depends_on_processor(unit: Unit, backend: Backend, features: Sequence[str]) -> str:
    """One sentence where an engine's 8-bit products may saturate on this processor; empty where they cannot.

    `features`: flags of the processor as its worker saw them. An int16 holds the sum of two products of a signed and
    an unsigned byte only up to 32767, and 2 × 127 × 255 is more.
    """
    kinds = {o.op.rpartition("::")[2] for o in unit.operations}  # without the domain
    fused = "DequantizeLinear" in kinds and bool(kinds & CONTRACTIONS)
    mend = MENDS.get(backend.engine.name)
    if mend is None or not features or not (kinds & PRODUCTS or fused) or any(f in features for f in DOT_PRODUCTS):
        return ""
    return (
        "This depends on the processor: it has no VNNI, so 8-bit products are added in pairs in 16 bits and saturate, "
        f"which they do not on others. {backend.engine.title} documents the mend: {mend}."
    )


def saturation(unit: Unit, runner: Runner) -> str:
    """`depends_on_processor` for a worker, which tells what its processor has."""
    features = [str(f) for f in runner.fingerprint.get("cpu") or ()]
    return depends_on_processor(unit, runner.backend, features)
