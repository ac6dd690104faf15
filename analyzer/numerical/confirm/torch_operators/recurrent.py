"""Recurrent layers, one step of time after another, as the ONNX standard states them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import onnx_ir as ir

from analyzer.numerical.confirm.torch_registry import Mode, UnsupportedOperator, attribute, op

GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
USUAL = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}


@op(["RNN", "GRU", "LSTM"])
def recurrent(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    kind = node.op_type
    data, w, r, b, lengths, first, cell, peepholes = [*x, *[None] * 8][:8]
    usual = USUAL[kind]
    if lengths is not None or peepholes is not None or attribute(node, "clip") or attribute(node, "input_forget"):
        raise UnsupportedOperator(f"{kind} with lengths, peepholes or a clip")
    if list(attribute(node, "activations", usual * w.shape[0])) != usual * w.shape[0]:
        raise UnsupportedOperator(f"{kind} with other activations")
    if attribute(node, "layout", 0):
        raise UnsupportedOperator(f"{kind} with the batch first")
    directions, _, size = r.shape
    zeros = data.new_zeros(directions, data.shape[1], size)
    first, cell = (zeros if first is None else first), (zeros if cell is None else cell)
    b = data.new_zeros(directions, 2 * GATES[kind] * size) if b is None else b
    backwards = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}
    ways = backwards[attribute(node, "direction", "forward")]
    every, lasts, cells = [], [], []
    for way, back in enumerate(ways):
        state, memory, made = first[way], cell[way], []
        biases = b[way].chunk(2)
        steps = list(data.unbind(0))
        for step in reversed(steps) if back else steps:
            given, kept = step @ w[way].t() + biases[0], (r[way], biases[1])
            if kind == "LSTM":
                state, memory = _lstm(given, kept, state, memory)
            elif kind == "GRU":
                state = _gru(given, kept, state, bool(attribute(node, "linear_before_reset", 0)))
            else:
                state = torch.tanh(given + state @ kept[0].t() + kept[1])
            made.append(state)
        every.append(torch.stack(made[::-1] if back else made))
        lasts.append(state)
        cells.append(memory)
    results = [torch.stack(every, 1), torch.stack(lasts)]
    return tuple([*results, torch.stack(cells)] if kind == "LSTM" else results)


def _lstm(given: Any, kept: Sequence[Any], state: Any, memory: Any) -> tuple[Any, Any]:
    i, o, f, c = (given + state @ kept[0].t() + kept[1]).chunk(4, -1)
    memory = f.sigmoid() * memory + i.sigmoid() * c.tanh()
    return o.sigmoid() * memory.tanh(), memory


def _gru(given: Any, kept: Sequence[Any], state: Any, linear_before_reset: bool) -> Any:
    z, r, h = given.chunk(3, -1)
    (rz, rr, rh), (bz, br, bh) = kept[0].chunk(3), kept[1].chunk(3)
    update = (z + state @ rz.t() + bz).sigmoid()
    reset = (r + state @ rr.t() + br).sigmoid()
    behind = reset * (state @ rh.t() + bh) if linear_before_reset else (reset * state) @ rh.t() + bh
    return (1 - update) * (h + behind).tanh() + update * state
