"""JAX: a function with example inputs, traced to a jaxpr whose equations are the nodes.

Nested calls (``jit``, ``custom_jvp`` …) are written out: an equation is one primitive. Tensors are named after
the primitive and its number (``dot_general_2``). A run evaluates the whole traced function, parts go from given tensors
to wanted ones. Conversions of element types are no cut points: a float64 run has other ones.

Knobs: ``mode`` (jit: XLA compiles the whole; eager: one primitive after the other), ``precision`` (float32, bfloat16,
float16, tf32 for matrix products on a GPU, float64), ``device``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from . import tensors
from .contract import Arrays, EngineError, TensorRef, node, tensor

CALLS = ("jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "remat", "checkpoint")
PRODUCTS = {"tf32": "tensorfloat32", "bfloat16": "default", "float16": "default"}
DEVICES = {"cpu": "cpu", "cuda": "gpu"}


@dataclass
class NamedEquation:
    """One primitive: `inputs` are names of tensors or values."""

    equation: Any
    inputs: list[Any]
    outputs: list[str]
    name: str
    layer: str


class Jax:
    def __init__(self, knobs: Mapping[str, Any]) -> None:
        self.knobs = {"mode": "jit", "precision": "float32", "device": "cpu", **knobs}
        self.parts: dict[Any, Any] = {}

    def fingerprint(self) -> dict[str, Any]:
        import jax

        wanted = DEVICES[self.knobs["device"]]
        try:
            self.device = jax.devices(wanted)[0]
        except RuntimeError:
            have = ", ".join(sorted({d.platform for d in jax.devices()}))
            raise EngineError("missing", f"JAX {jax.__version__} finds no {wanted} (it finds {have})") from None
        if self.knobs["precision"] == "float64":
            jax.config.update("jax_enable_x64", True)
        jax.config.update("jax_default_matmul_precision", PRODUCTS.get(self.knobs["precision"], "highest"))
        return {"versions": {"jax": str(jax.__version__)}, "device": self.knobs["device"]}

    def load(self, model: dict[str, Any], folder: Path) -> dict[str, Any]:
        import jax
        from assay_inside.entry import build  # type: ignore[import-not-found]

        built = build(model["entry"], str(folder / model["root"]))
        if built.inputs is None or not callable(built.model):
            raise EngineError("unsupported", "JAX needs an entry point that gives a function with example inputs")
        args = () if isinstance(built.inputs, dict) else tuple(built.inputs)
        kwargs = built.inputs if isinstance(built.inputs, dict) else {}
        self.examples: Arrays = {}
        args, kwargs = jax.tree.map(self._array, (args, kwargs))
        closed = jax.make_jaxpr(built.model)(*args, **kwargs)
        constants = [np.asarray(c) for c in closed.consts]
        if model.get("state"):
            kept = tensors.read(folder / model["state"]["file"], model["state"]["manifest"])
            if [k.shape for k in kept.values()] != [c.shape for c in constants]:
                raise EngineError("unsupported", "the entry point makes other weights each time it is called")
            constants = list(kept.values())
        self.constants = constants
        self._flatten(closed.jaxpr)
        leaves = jax.tree.leaves((args, kwargs))
        self.examples = {n: _numpy(v) for n, v in zip(self.inputs, leaves)}  # noqa: B905
        return {
            "nodes": [self._describe(s) for s in self.steps],
            "inputs": [tensor(n, str(v.aval.dtype), v.aval.shape) for n, v in self.inputs.items()],
            "outputs": self.outputs,
            "alive": [o for s in self.steps if s.equation.primitive.name != "convert_element_type" for o in s.outputs],
            "dtypes": {},
            "notes": [],
        }

    def weights(self) -> Mapping[str, np.ndarray]:
        return {str(i): c for i, c in enumerate(self.constants)}

    def state(self) -> Arrays:
        """The arrays that the function closes over, in the order of the trace."""
        return dict(self.weights())

    def cut(self, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[dict[str, Any], Arrays]:
        """The part as exported StableHLO, which any later JAX reads."""
        import base64

        import jax
        from jax import export

        names = list(inputs)
        shapes = [jax.ShapeDtypeStruct(self.types[n].shape, self.types[n].dtype) for n in names]
        part = export.export(jax.jit(lambda *values: self._run(dict(zip(names, values)), outputs)))(*shapes)  # noqa: B905
        return {"stablehlo": base64.b64encode(part.serialize()).decode(), "inputs": names}, {}

    def evaluate(self, feeds: Arrays, fetches: Sequence[str] | None) -> Arrays:
        import jax

        names = self.outputs if fetches is None else list(fetches)
        given = {n: jax.device_put(self._array(a), self.device) for n, a in feeds.items()}
        if self.knobs["mode"] == "eager":
            return {n: _numpy(v) for n, v in zip(names, self._run(given, names))}  # noqa: B905
        key = (tuple(given), tuple(names))
        if key not in self.parts:
            self.parts[key] = jax.jit(lambda *values, key=key: self._run(dict(zip(key[0], values)), key[1]))  # noqa: B905
        return {n: _numpy(v) for n, v in zip(names, self.parts[key](*given.values()))}  # noqa: B905

    def _run(self, given: Mapping[str, Any], names: Sequence[str]) -> list[Any]:
        env = dict(given)
        for step in self._needed(set(given), names):
            values = [env[i.tensor] if isinstance(i, TensorRef) else i for i in step.inputs]
            bound = step.equation.primitive.get_bind_params(step.equation.params)
            functions, params = bound if isinstance(bound, tuple) else ((), bound)  # a pair before JAX 0.10
            result = step.equation.primitive.bind(*functions, *values, **params)
            results = result if step.equation.primitive.multiple_results else [result]
            env.update(zip(step.outputs, results))  # noqa: B905
        return [env[n] if n in env else self.passed[n] for n in names]

    def _needed(self, given: set[str], names: Sequence[str]) -> list[NamedEquation]:
        wanted: set[int] = set()
        queue = [n for n in names if n not in given and n not in self.passed]
        while queue:
            name = queue.pop()
            if name not in self.producer:
                raise EngineError("unreplayed", f"tensor {name!r} can be computed from none of {sorted(given)}")
            index = self.producer[name]
            if index not in wanted:
                wanted.add(index)
                queue += [
                    i.tensor for i in self.steps[index].inputs if isinstance(i, TensorRef) and i.tensor not in given
                ]
        return [self.steps[i] for i in sorted(wanted)]

    def _flatten(self, jaxpr: Any) -> None:
        self.steps: list[NamedEquation] = []
        self.counts: dict[str, int] = {}
        self.types: dict[str, Any] = {}
        self.parts.clear()
        env: dict[Any, Any] = dict(zip(jaxpr.constvars, self.constants))  # noqa: B905
        self.inputs = {f"input_{i}": v for i, v in enumerate(jaxpr.invars)}
        for name, variable in self.inputs.items():
            env[variable] = TensorRef(name)
            self.types[name] = variable.aval
        found = self._add(jaxpr, env, "")
        self.producer = {o: i for i, s in enumerate(self.steps) for o in s.outputs}
        self.outputs, self.passed = [], {}  # an output that no step computes is an input or a constant
        for number, value in enumerate(found):
            if isinstance(value, TensorRef):
                self.outputs.append(value.tensor)
            else:
                self.outputs.append(f"output_{number}")
                self.passed[f"output_{number}"] = value

    def _add(self, jaxpr: Any, env: dict[Any, Any], scope: str) -> list[Any]:
        """Append the equations of `jaxpr`; gives what its outputs are."""

        def value(atom: Any) -> Any:
            return atom.val if hasattr(atom, "val") else env[atom]

        for equation in jaxpr.eqns:
            inputs = [value(a) for a in equation.invars]
            layer = "/".join(filter(None, (scope, str(equation.source_info.name_stack))))
            kind = equation.primitive.name
            inner = next((equation.params[k] for k in ("jaxpr", "call_jaxpr") if k in equation.params), None)
            if kind in CALLS and inner is not None:
                body = getattr(inner, "jaxpr", inner)
                local = dict(zip(body.constvars, getattr(inner, "consts", ()))) | dict(zip(body.invars, inputs))  # noqa: B905
                env.update(zip(equation.outvars, self._add(body, local, layer)))  # noqa: B905
                continue
            number = self.counts.get(kind, 0)
            self.counts[kind] = number + 1
            many = len(equation.outvars) > 1
            names = [f"{kind}_{number}" + (f"#{i}" if many else "") for i in range(len(equation.outvars))]
            for variable, name in zip(equation.outvars, names):  # noqa: B905
                env[variable] = TensorRef(name)
                self.types[name] = variable.aval
            self.steps.append(NamedEquation(equation, inputs, names, f"{kind}_{number}", layer))
        return [value(a) for a in jaxpr.outvars]

    def _describe(self, step: NamedEquation) -> dict[str, Any]:
        params = step.equation.params
        simple = {k: v for k, v in params.items() if isinstance(v, (int, float, bool, str))}
        path, line = _source(step.equation)
        inputs = [i.tensor for i in step.inputs if isinstance(i, TensorRef)]
        kind = step.equation.primitive.name
        return node(step.name, kind, inputs, step.outputs, layer=step.layer, attributes=simple, path=path, line=line)

    def _array(self, value: Any) -> Any:
        import jax.numpy as jnp

        array = jnp.asarray(value)
        wide = self.knobs["precision"]
        if wide in ("float64", "bfloat16", "float16") and jnp.issubdtype(array.dtype, jnp.floating):
            return array.astype(wide)
        return array


def _numpy(value: Any) -> np.ndarray:
    array = np.asarray(value)
    return array.astype(np.float32) if array.dtype.kind not in "biufc" else array


def _source(equation: Any) -> tuple[str | None, int | None]:
    """The innermost line of the trace that lies in the project."""
    traceback = getattr(equation.source_info, "traceback", None)
    for frame in getattr(traceback, "frames", ()):
        path = str(frame.file_name).partition("/project/")[2]
        if path and "site-packages" not in str(frame.file_name):
            return path, int(frame.line_num)
    return None, None
