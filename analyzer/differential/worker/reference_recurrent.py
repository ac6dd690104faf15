"""Recurrent operators as ONNX specifies them, which `onnx.reference` knows in part: lengths, peepholes, clips."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from onnx.reference.op_run import OpRun


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.exp(-np.logaddexp(0, -x)))


def _recurrent(
    node: Any,
    X: np.ndarray,
    W: np.ndarray,
    lengths: np.ndarray | None,
    states: Sequence[np.ndarray | None],
    layout: int | None,
    step: Callable[[int, np.ndarray, tuple[np.ndarray, ...]], tuple[np.ndarray, ...]],
    hidden: int,
) -> tuple[np.ndarray, ...]:
    """Runs `step` (direction, input, states -> states) over the sequence: an instance's states stop with its length,
    its outputs beyond are 0, and the backward direction begins at its last element."""
    attributes = {a.name: a for a in node.attribute}
    direction = attributes["direction"].s.decode() if "direction" in attributes else "forward"
    x = np.swapaxes(X, 0, 1) if layout else X
    steps, batch = x.shape[:2]
    ends = np.full(batch, steps) if lengths is None else np.asarray(lengths)
    ways = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}[direction]
    Y = np.zeros((steps, len(ways), batch, hidden), X.dtype)
    last = []
    for number, backward in enumerate(ways):
        first = [None if s is None else (s[:, number] if layout else s[number]) for s in states]
        state = tuple(np.zeros((batch, hidden), X.dtype) if s is None else s.astype(X.dtype) for s in first)
        for t in reversed(range(steps)) if backward else range(steps):
            alive = (t < ends)[:, None]
            moved = step(number, x[t], state)
            state = tuple(np.where(alive, new, old) for new, old in zip(moved, state, strict=True))
            Y[t, number] = np.where(alive, state[0], 0)
        last.append(state)
    final = [np.stack([s[i] for s in last]) for i in range(len(states))]
    if layout:
        return (Y.transpose(2, 0, 1, 3), *(np.swapaxes(f, 0, 1) for f in final))
    return (Y, *final)


Function = Callable[[np.ndarray], np.ndarray]
FUNCTIONS: dict[str, Callable[[float | None, float | None], Function]] = {
    "Sigmoid": lambda a, b: _sigmoid,
    "Tanh": lambda a, b: np.tanh,
    "Relu": lambda a, b: lambda v: np.maximum(v, 0),
    "Softsign": lambda a, b: lambda v: v / (1 + np.abs(v)),
    "Softplus": lambda a, b: lambda v: np.logaddexp(0, v),
    "LeakyRelu": lambda a, b: lambda v: np.where(v < 0, (0.01 if a is None else a) * v, v),
    "Elu": lambda a, b: lambda v: np.where(v < 0, (1.0 if a is None else a) * np.expm1(v), v),
    "HardSigmoid": lambda a, b: lambda v: np.clip((0.2 if a is None else a) * v + (0.5 if b is None else b), 0, 1),
}


def _functions(node: Any, usual: Sequence[str]) -> list[Function]:
    """The activations of each direction in turn, with what they clip their operand to.

    The last one of an LSTM takes the cell's state, which engines do not clip.
    """
    given = {a.name: a for a in node.attribute}
    ways = 2 if "direction" in given and given["direction"].s == b"bidirectional" else 1
    names = [s.decode() for s in given["activations"].strings] if "activations" in given else list(usual) * ways
    unknown = [n for n in names if n not in FUNCTIONS]
    if unknown:
        raise NotImplementedError(f"{node.op_type} with the activation {unknown[0]}")
    first, second = (list(given[n].floats) if n in given else [] for n in ("activation_alpha", "activation_beta"))
    limit = given["clip"].f if "clip" in given and given["clip"].f else None

    def clipped(function: Function) -> Function:
        return function if limit is None else lambda v: function(np.clip(v, -limit, limit))

    found = []
    for place, name in enumerate(names):  # parameters stand in the order of the functions that take one
        a = first.pop(0) if first and name in ("LeakyRelu", "Elu", "HardSigmoid") else None
        b = second.pop(0) if second and name == "HardSigmoid" else None
        function = FUNCTIONS[name](a, b)
        found.append(function if place % len(usual) == 2 else clipped(function))
    return found


class LSTM(OpRun):  # type: ignore[misc]
    """`onnx.reference` leaves the lengths of sequences out. Peepholes included; gates in the order i, o, f, c."""

    op_domain = ""

    def _run(
        self, X: Any, W: Any, R: Any, B: Any = None, sequence_lens: Any = None, initial_h: Any = None,
        initial_c: Any = None, P: Any = None, hidden_size: int | None = None, layout: int | None = None, **_: Any,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        size, chosen = R.shape[-1], _functions(self.onnx_node, ("Sigmoid", "Tanh", "Tanh"))
        coupled = any(a.name == "input_forget" and a.i for a in self.onnx_node.attribute)

        def step(d: int, x: np.ndarray, state: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
            (h, c), (gate, inner, outer) = state, chosen[3 * d : 3 * d + 3]
            gates = x @ W[d].T + h @ R[d].T + (0 if B is None else B[d, : 4 * size] + B[d, 4 * size :])
            i, o, f, g = np.split(gates, 4, axis=-1)
            pi, po, pf = np.split(P[d], 3) if P is not None else (0.0, 0.0, 0.0)
            taken = gate(i + pi * c)
            new = (1 - taken if coupled else gate(f + pf * c)) * c + taken * inner(g)
            return gate(o + po * new) * outer(new), new

        return _recurrent(self.onnx_node, X, W, sequence_lens, (initial_h, initial_c), layout, step, size)


class GRU(OpRun):  # type: ignore[misc]
    """As `LSTM`; gates in the order z, r, h."""

    op_domain = ""

    def _run(
        self, X: Any, W: Any, R: Any, B: Any = None, sequence_lens: Any = None, initial_h: Any = None,
        hidden_size: int | None = None, layout: int | None = None, linear_before_reset: int | None = None, **_: Any,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        size, chosen = R.shape[-1], _functions(self.onnx_node, ("Sigmoid", "Tanh"))

        def step(d: int, x: np.ndarray, state: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
            (h,), (gate, inward) = state, chosen[2 * d : 2 * d + 2]
            wz, wr, wh = np.split(x @ W[d].T + (0 if B is None else B[d, : 3 * size]), 3, axis=-1)
            rz, rr, rh = np.split(R[d], 3)
            bz, br, bh = np.split(B[d, 3 * size :], 3) if B is not None else (0.0, 0.0, 0.0)
            z, r = gate(wz + h @ rz.T + bz), gate(wr + h @ rr.T + br)
            inner = r * (h @ rh.T + bh) if linear_before_reset else (r * h) @ rh.T + bh
            return ((1 - z) * inward(wh + inner) + z * h,)

        return _recurrent(self.onnx_node, X, W, sequence_lens, (initial_h,), layout, step, size)


class RNN(OpRun):  # type: ignore[misc]
    op_domain = ""

    def _run(
        self, X: Any, W: Any, R: Any, B: Any = None, sequence_lens: Any = None, initial_h: Any = None,
        hidden_size: int | None = None, layout: int | None = None, **_: Any,
    ) -> tuple[np.ndarray, ...]:  # fmt: skip
        chosen = _functions(self.onnx_node, ("Tanh",))
        size = R.shape[-1]

        def step(d: int, x: np.ndarray, state: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
            total = x @ W[d].T + state[0] @ R[d].T + (0 if B is None else B[d, :size] + B[d, size:])
            return (np.asarray(chosen[d](total)),)

        return _recurrent(self.onnx_node, X, W, sequence_lens, (initial_h,), layout, step, size)


RECURRENT = (LSTM, GRU, RNN)
