"""What Keras's layers are written with: ONNX nodes with the layer's name on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.graph import Role, set_layer, set_role
from analyzer.loading.files import shown
from analyzer.loading.keras_weights import Store
from analyzer.loading.limits import Limits
from analyzer.loading.weight import Weight, lazy_tensor
from analyzer.operators.declaration import BOOLEAN
from analyzer.operators.registry import names
from analyzer.problem import TargetProblem

DOMAIN = "keras"  # of layers that have no rule
OPSET = 20  # an operator set that every engine compared here runs
Dims = tuple[int | None, ...]
Config = Mapping[str, Any]


class Unsupported(Exception):
    """This configuration of the layer has no ONNX form; it becomes an operator of the domain ``keras``."""


@dataclass
class Model:
    """The graph that is being built."""

    limits: Limits
    keras_major: int = 3
    nodes: list[ir.Node] = field(default_factory=list)
    inputs: list[ir.Value] = field(default_factory=list)
    initializers: dict[str, ir.Value] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    masked: bool = False  # some layer masks time steps, which changes what later layers compute

    def fresh(self, name: str) -> str:
        candidate, number = name, 0
        while candidate in self.names:
            number += 1
            candidate = f"{name}_{number}"
        self.names.add(candidate)
        return candidate


@dataclass
class KerasLayer:
    """One layer while its calls are converted."""

    model: Model
    name: str  # path: outer model / layer
    class_name: str
    config: Config
    store: Store
    compute: ir.DataType = ir.DataType.FLOAT
    parameters: dict[str, ir.Value] = field(default_factory=dict)  # shared by all calls

    def inner(self, class_name: str, config: Config, child: str, alias: str) -> KerasLayer:
        """A layer inside this one, as wrappers have."""
        return replace(
            self,
            name=f"{self.name}/{config.get('name', child)}",
            class_name=class_name,
            config=config,
            store=self.store.part(child, alias),
            parameters={},
        )

    # Nodes

    def op(
        self, op_type: str, *inputs: ir.Value | None, shape: Dims | None = None, outputs: int = 1, **attributes: Any
    ) -> Any:
        """An ONNX node; its value, or a list of values if `outputs` > 1. Same type as the first input by default."""
        return self.node("", op_type, inputs, attributes, shape, outputs)

    def node(
        self,
        domain: str,
        op_type: str,
        inputs: Sequence[ir.Value | None],
        attributes: Mapping[str, Any],
        shape: Dims | None,
        outputs: int = 1,
    ) -> Any:
        model = self.model
        if len(model.nodes) >= model.limits.nodes:
            raise TargetProblem(f"it has more than {model.limits.nodes} operations.")
        name = model.fresh(f"{self.name}/{op_type}")
        first = next((v for v in inputs if v is not None), None)
        dtype = RESULT_TYPES.get(op_type) or (
            ir.DataType(attributes["to"]) if op_type == "Cast" else first.dtype if first is not None else self.compute
        )
        values = [
            ir.Value(
                name=name if i == 0 else f"{name}:{i}",
                type=ir.TensorType(dtype) if dtype is not None else None,
                shape=ir.Shape(shape) if shape is not None and i == 0 else None,
            )
            for i in range(outputs)
        ]
        made = ir.Node(domain, op_type, inputs, ir_attributes(attributes), outputs=values, name=name)
        set_layer(made, self.name, self.class_name)
        model.nodes.append(made)
        return values[0] if outputs == 1 else values

    def constant(self, value: Any, dtype: Any = None) -> ir.Value:
        """A Constant node."""
        array = np.asarray(value, dtype if dtype is not None else self.compute.numpy())
        name = self.model.fresh(f"{self.name}/constant")
        tensor = ir.Tensor(array, name=name)
        output = ir.Value(name=name, type=ir.TensorType(tensor.dtype), shape=ir.Shape(array.shape), const_value=tensor)
        made = ir.Node("", "Constant", [], [ir.AttrTensor("value", tensor)], outputs=[output], name=name)
        set_layer(made, self.name, self.class_name)
        self.model.nodes.append(made)
        return output

    def ints(self, values: Sequence[int]) -> ir.Value:
        return self.constant(np.asarray(list(values), np.int64), np.int64)

    def cast(self, value: ir.Value, dtype: ir.DataType) -> ir.Value:
        if value.dtype == dtype:
            return value
        result: ir.Value = self.op("Cast", value, to=int(dtype), shape=dims(value))
        return result

    def computed(self, value: ir.Value) -> ir.Value:
        """`value` in the layer's compute type, as Keras casts floating inputs."""
        if value.dtype is not None and value.dtype.is_floating_point():
            return self.cast(value, self.compute)
        return value

    # Weights

    def weights(
        self,
        *names: str,
        child: str = "",
        alias: str = "",
        state: Sequence[str] = (),
        arrange: Mapping[str, Callable[[np.ndarray], np.ndarray]] | None = None,
    ) -> list[ir.Value]:
        """The parameters of the layer (or of its part `child`, `alias` in legacy files), in the order of `names`.

        `a|b` are two names of one weight. `arrange` turns an array into the layout that ONNX wants.
        """
        if any(f"{child}/{name}" not in self.parameters for name in names):
            found = self.store.get(child, alias, names)
            for name in names:
                weight = found.get(name)
                if weight is None:
                    raise TargetProblem(
                        f"the weight '{name}' of the layer '{shown(self.name)}' is not in the file; save a built model."
                    )
                if arrange is not None and name in arrange:
                    weight = arranged(weight, arrange[name])
                self.parameters[f"{child}/{name}"] = self.parameter(name, alias, weight, name in state)
        return [self.computed(self.parameters[f"{child}/{name}"]) for name in names]

    def parameter(self, name: str, alias: str, weight: Weight, state: bool = False) -> ir.Value:
        full = self.model.fresh("/".join(p for p in (self.name, alias, name.partition("|")[0]) if p))
        value = ir.Value(
            name=full,
            type=ir.TensorType(weight.dtype),
            shape=ir.Shape(weight.shape),
            const_value=lazy_tensor(weight, full),
        )
        set_role(value, Role.STATE if state else Role.PARAMETER)
        self.model.initializers[full] = value
        return value


def arranged(weight: Weight, arrange: Callable[[np.ndarray], np.ndarray]) -> Weight:
    """`weight` in another layout, still lazy. The shape is that of an array without memory, arranged the same way."""
    try:
        shape = arrange(np.broadcast_to(np.zeros((), np.uint8), weight.shape)).shape
    except ValueError:
        raise TargetProblem(f"a weight has the shape {list(weight.shape)}, which its layer cannot have.") from None
    return Weight(weight.dtype, tuple(shape), lambda: arrange(weight.array()))


RESULT_TYPES = {
    **dict.fromkeys(names("onnx", BOOLEAN), ir.DataType.BOOL),
    **dict.fromkeys(("Shape", "ArgMax", "ArgMin", "Size"), ir.DataType.INT64),
}


def dims(value: ir.Value) -> Dims | None:
    """The shape, unknown and symbolic dimensions as None; None if the rank is unknown."""
    if value.shape is None:
        return None
    return tuple(d if isinstance(d, int) else None for d in value.shape)


def rank(value: ir.Value) -> int:
    """The rank; layers whose conversion needs it give up without."""
    if value.shape is None:
        raise Unsupported
    return len(value.shape)


def known_dims(value: ir.Value) -> Dims:
    shape = dims(value)
    if shape is None:
        raise Unsupported
    return shape


def ir_attributes(attributes: Mapping[str, Any]) -> list[ir.Attr]:
    """Python values as attributes; None is left out."""
    made = []
    for key, value in attributes.items():
        if isinstance(value, bool | int | np.integer):
            made.append(ir.AttrInt64(key, int(value)))
        elif isinstance(value, float):
            made.append(ir.AttrFloat32(key, value))
        elif isinstance(value, str):
            made.append(ir.AttrString(key, value))
        elif isinstance(value, list | tuple) and all(isinstance(v, bool | int | np.integer) for v in value):
            made.append(ir.AttrInt64s(key, [int(v) for v in value]))
        elif isinstance(value, list | tuple) and all(isinstance(v, str) for v in value):
            made.append(ir.AttrStrings(key, list(value)))
        elif isinstance(value, list | tuple) and all(isinstance(v, float | int) for v in value):
            made.append(ir.AttrFloat32s(key, [float(v) for v in value]))
    return made
