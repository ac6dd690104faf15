"""Operators that carry a state from one call to the next: linear attention, causal convolutions."""

from __future__ import annotations

from analyzer.validity.spec import Case, Category, Rule, TensorType, define
from analyzer.validity.specs.common import need_choice, need_positive, need_rank, need_size
from analyzer.validity.terms import Term, all_of, any_of, equal, floor_div, mod

HEADS = Rule("heads", Category.IMPROPER_VALUE, "{heads} heads do not divide {size}", ("q_num_heads", "kv_num_heads"))
PACKED = Rule(
    "packed-size", Category.INCOMPATIBLE_SHAPE, "the {operand} is {shape}; its batch and steps must be {expected}"
)
STATE = Rule("state", Category.INCOMPATIBLE_SHAPE, "the state is {state} and must be {expected}")
GATED = Rule("gate-missing", Category.IMPROPER_VALUE, "the rule {update_rule} needs {operand}", ("update_rule",))
GATE = Rule("gate", Category.INCOMPATIBLE_SHAPE, "the {operand} has {size} features; it must have {expected}")


@define("onnx", "LinearAttention")
def onnx_linear_attention(
    case: Case,
    query: TensorType,
    key: TensorType,
    value: TensorType,
    past_state: TensorType | None = None,
    decay: TensorType | None = None,
    beta: TensorType | None = None,
    *,
    q_num_heads: int,
    kv_num_heads: int,
    update_rule: str = "gated_delta",
    scale: float = 0.0,
    chunk_size: int = 64,
) -> tuple[TensorType, ...]:
    """ONNX LinearAttention: operands (batch, steps, heads × size), a state (batch, heads, key size, value size)."""
    need_positive(case, q_num_heads=q_num_heads, kv_num_heads=kv_num_heads)
    need_choice(case, update_rule, ("linear", "gated", "delta", "gated_delta"), "update_rule")
    case.require(HEADS, q_num_heads % kv_num_heads == 0, heads=kv_num_heads, size=q_num_heads)
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        need_rank(case, tensor, 3, operand=f"the {name}")
        agree = all_of(*(equal(a, b) for a, b in zip(tensor.dims[:2], query.dims[:2], strict=True)))
        case.require(PACKED, agree, operand=name, shape=tensor.dims, expected=query.dims[:2])
    for heads, tensor in ((q_num_heads, query), (kv_num_heads, key), (kv_num_heads, value)):
        case.require(HEADS, equal(mod(tensor.dims[2], heads), 0), heads=heads, size=tensor.dims[2])
    key_size, value_size = floor_div(key.dims[2], kv_num_heads), floor_div(value.dims[2], kv_num_heads)
    need_size(case, floor_div(query.dims[2], q_num_heads), key_size, "the size of a query head")
    state: tuple[Term, ...] = (query.dims[0], kv_num_heads, key_size, value_size)
    if past_state is not None and past_state.shape is not None:
        need_rank(case, past_state, 4, operand="the state")
        agree = all_of(*(equal(a, b) for a, b in zip(past_state.dims, state, strict=True)))
        case.require(STATE, agree, state=past_state.dims, expected=state)
    gates = (("decay", decay, (kv_num_heads, key.dims[2]), "gated"), ("beta", beta, (kv_num_heads, 1), "delta"))
    for name, gate, sizes, rule in gates:
        case.require(GATED, gate is not None or rule not in update_rule, update_rule=update_rule, operand=name)
        if gate is not None and gate.shape is not None:
            need_rank(case, gate, 3, operand=f"the {name}")
            agree = all_of(*(equal(a, b) for a, b in zip(gate.dims[:2], query.dims[:2], strict=True)))
            case.require(PACKED, agree, operand=name, shape=gate.dims, expected=query.dims[:2])
            fits = any_of(*(equal(gate.dims[2], size) for size in sizes))
            case.require(GATE, fits, operand=name, size=gate.dims[2], expected=f"{sizes[0]} or {sizes[1]}")
    out = TensorType((*query.dims[:2], value_size * q_num_heads), query.dtype)
    return out, TensorType(state, past_state.dtype if past_state is not None else None)


@define("onnx", "CausalConvWithState")
def onnx_causal_conv(
    case: Case,
    x: TensorType,
    weight: TensorType,
    bias: TensorType | None = None,
    past_state: TensorType | None = None,
    *,
    activation: str = "none",
) -> tuple[TensorType, ...]:
    """ONNX CausalConvWithState: (batch, channels, length), weight (channels, 1, k), state (batch, channels, k − 1)."""
    need_choice(case, activation, ("silu", "swish", "none"), "activation")
    need_rank(case, x, 3)
    need_rank(case, weight, 3, operand="the weight")
    need_size(case, weight.dims[0], x.dims[1], "the number of kernels")
    need_size(case, weight.dims[1], 1, "the middle dimension of the weight")
    if bias is not None and bias.shape is not None:
        need_rank(case, bias, 1, operand="the bias")
        need_size(case, bias.dims[0], x.dims[1], "the length of the bias")
    state = (*x.dims[:2], weight.dims[2] - 1)
    if past_state is not None and past_state.shape is not None:
        need_rank(case, past_state, 3, operand="the state")
        agree = all_of(*(equal(a, b) for a, b in zip(past_state.dims, state, strict=True)))
        case.require(STATE, agree, state=past_state.dims, expected=state)
    return x, TensorType(state, x.dtype)
