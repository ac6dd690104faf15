"""Attention."""

from __future__ import annotations

from analyzer.operators.conditions import SOFTMAX_OF_MINUS_INFINITY
from analyzer.operators.declaration import CONTRACTION, OTHER_LAYOUT, WEIGHTS, operator

OPERATORS = (
    operator(
        "Attention",
        (23, 24, 25),
        torch="MultiheadAttention scaled_dot_product_attention",
        keras="Attention MultiHeadAttention GroupQueryAttention GroupedQueryAttention",
        traits=CONTRACTION | WEIGHTS | OTHER_LAYOUT,
        unsafe=(SOFTMAX_OF_MINUS_INFINITY,),
        lacks="references",
    ),
    operator("FlexAttention", (1,), domain="ai.onnx.preview", traits=CONTRACTION, unsafe=(SOFTMAX_OF_MINUS_INFINITY,)),
    operator("LinearAttention", (27,), traits=CONTRACTION, lacks="references"),
    operator("ProjectedAttention", microsoft="Attention", traits=CONTRACTION),
    operator("HeadsAttention", microsoft="MultiHeadAttention", traits=CONTRACTION),
    operator("RotaryEmbedding", (23,), lacks="references"),
    operator(
        "Transformer",
        torch="TransformerEncoderLayer TransformerDecoderLayer TransformerEncoder TransformerDecoder",
        traits=WEIGHTS | OTHER_LAYOUT,
    ),
    operator("AdditiveAttention", keras="AdditiveAttention", traits=WEIGHTS),
)
