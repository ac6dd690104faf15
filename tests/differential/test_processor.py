"""8-bit products that saturate on a processor without VNNI: said, with the mend, and never a block."""

from __future__ import annotations

import pytest

from analyzer.differential.backend import parse
from analyzer.differential.processor import depends_on_processor
from analyzer.differential.structure import Operation, Unit

OLD, NEW = ("avx2", "fma"), ("avx2", "avx512f", "avx512_vnni")


def unit(*ops: str) -> Unit:
    return Unit("y", tuple(Operation(op, op, (), ("y",)) for op in ops), ("x",), ("y",))


@pytest.mark.parametrize(
    ("ops", "engine", "features", "mend"),
    [
        (("QLinearConv",), "onnxruntime", OLD, "reduce_range=True"),
        (("DequantizeLinear", "Conv", "QuantizeLinear"), "openvino", OLD, "overflow_fix"),
        (("MatMulInteger",), "onnxruntime:opt=disable", OLD, "U8U8"),
        (("com.microsoft::MatMulIntegerToFloat",), "onnxruntime", OLD, "U8U8"),
        (("com.microsoft::DynamicQuantizeMatMul",), "onnxruntime", NEW, ""),
        (("QLinearConv",), "onnxruntime", NEW, ""),
        (("QLinearConv",), "onnxruntime", (), ""),  # nothing is known of the processor
        (("Conv",), "onnxruntime", OLD, ""),
        (("DequantizeLinear",), "onnxruntime", OLD, ""),
        (("QLinearConv",), "reference", OLD, ""),
    ],
)
def test_the_mend_is_named_where_products_may_saturate(
    ops: tuple[str, ...], engine: str, features: tuple[str, ...], mend: str
) -> None:
    said = depends_on_processor(unit(*ops), parse(engine), features)
    assert bool(said) == bool(mend)
    assert mend in said
