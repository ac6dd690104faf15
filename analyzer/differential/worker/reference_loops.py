"""`Loop` and `Scan`: `onnx.reference` joins what the steps give where the standard stacks it along a new axis, fails
where there is no step, and knows of `Scan` neither other axes than the first nor backward directions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import helper
from onnx.reference.op_run import OpRun
from onnx.reference.ops import op_loop


class Loop(op_loop.Loop):  # type: ignore[misc]
    op_domain = ""

    def _run(
        self, M: Any, cond: Any, *args: Any, context: Any = None, body: Any = None, attributes: Any = None, **more: Any
    ) -> tuple[Any, ...]:
        names = self.body.input_names
        values = {**(context or {}), **dict(zip(names[2:], args, strict=False))}
        made: list[list[np.ndarray]] = [[] for _ in range(self.K)]
        going, trip = cond is None or bool(np.all(cond)), 0
        while going and (M is None or trip < int(np.asarray(M).item())):
            values |= {names[0]: np.array(trip, np.int64), names[1]: np.array(going)}
            outputs = self._run_body(values, attributes=attributes, **more)
            going = bool(np.all(outputs[0]))
            values |= dict(zip(names[2:], outputs[1 : 1 + self.N], strict=True))
            for kept, output in zip(made, outputs[1 + self.N :], strict=True):
                kept.append(output)
            trip += 1
        stacked = [_stacked(kept, self, 1 + self.N + i) for i, kept in enumerate(made)]
        return (*(values[name] for name in names[2:]), *stacked)


class Scan(OpRun):  # type: ignore[misc]
    """Of operator sets from 9."""

    op_domain = ""

    def need_context(self) -> bool:
        return True

    def _run(
        self,
        *args: Any,
        context: Any = None,
        body: Any = None,
        num_scan_inputs: int = 1,
        scan_input_axes: Sequence[int] | None = None,
        scan_input_directions: Sequence[int] | None = None,
        scan_output_axes: Sequence[int] | None = None,
        scan_output_directions: Sequence[int] | None = None,
        attributes: Any = None,
        **more: Any,
    ) -> tuple[Any, ...]:
        names, states = self.body.input_names, len(args) - num_scan_inputs
        results = len(self.body.output_names) - states
        axes, backward = (list(v or [0] * num_scan_inputs) for v in (scan_input_axes, scan_input_directions))
        scanned = [np.moveaxis(a, axis, 0) for a, axis in zip(args[states:], axes, strict=True)]
        scanned = [a[::-1] if back else a for a, back in zip(scanned, backward, strict=True)]
        values = {**(context or {}), **dict(zip(names[:states], args[:states], strict=True))}
        made: list[list[np.ndarray]] = [[] for _ in range(results)]
        for step in range(len(scanned[0])):
            values |= {name: a[step] for name, a in zip(names[states:], scanned, strict=True)}
            outputs = self._run_body(values, attributes=attributes, **more)
            values |= dict(zip(names[:states], outputs[:states], strict=True))
            for kept, output in zip(made, outputs[states:], strict=True):
                kept.append(output)
        stacked = [_stacked(kept, self, states + i) for i, kept in enumerate(made)]
        axes, backward = (list(v or [0] * results) for v in (scan_output_axes, scan_output_directions))
        stacked = [a[::-1] if back else a for a, back in zip(stacked, backward, strict=True)]
        placed = [np.moveaxis(a, 0, axis) for a, axis in zip(stacked, axes, strict=True)]
        return (*(values[name] for name in names[:states]), *placed)


def _stacked(steps: Sequence[np.ndarray], operator: Any, index: int) -> np.ndarray:
    """What the steps give along a new first axis; of no step nothing, of the sizes that the body declares."""
    if steps:
        return np.stack([np.asarray(s) for s in steps])
    kind = operator.body.proto_.output[index].type.tensor_type
    dtype = helper.tensor_dtype_to_np_dtype(kind.elem_type) if kind.elem_type else np.dtype(np.float32)
    return np.empty((0, *(d.dim_value for d in kind.shape.dim)), dtype)


LOOPS = (Loop, Scan)
