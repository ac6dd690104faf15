"""TensorFlow code that no trace follows -> the operators of one run of it on the example, as a GraphDef.

``tf.function`` refuses code that asks a tensor for its value (``if loss > 0``), that makes layers in every call or
keeps tensors in Python. Run eagerly such code works, and TensorFlow tells of each operator that it executes
(``op_callbacks``). Python decides by the values that it reads: what is recorded behind the first such reading holds for
the example's numbers only. NumPy reads a tensor's memory unseen; a second run on other numbers shows what it read.
"""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

MOST = 200_000  # operators: a run of more is a loop of training, not a model

Innermost = Callable[[Iterator[Any]], Any]  # of frames, the first of the project: path and line, or None


class NotRecorded(Exception):
    """The run holds what a graph cannot: a resource of an unknown kind, an operator that calls functions."""


@dataclass
class EagerRun:
    """The operators of one run, in the order of their execution.

    `variables` are by the names of their nodes, with the values before the run; `operators` and `constants` tell how
    many operators were executed before theirs, `reading` how many before a value was read.
    """

    definition: Any
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    variables: dict[str, tuple[Any, bool]] = field(default_factory=dict)
    lines: dict[str, list[Any]] = field(default_factory=dict)
    constants: dict[str, int] = field(default_factory=dict)
    operators: dict[str, int] = field(default_factory=dict)
    reading: int | None = None


@dataclass(frozen=True)
class HeldVariable:
    """A variable's value where it stood before the run."""

    value: Any

    def numpy(self) -> Any:
        return self.value.numpy()


def record(function: Any, specs: Any, examples: Any, innermost: Innermost, tf: Any) -> EagerRun:
    """Of ``function(*args, **kwargs)``; `specs` and `examples` are both (args, kwargs). Raises what the run raises.

    What is built in the first call is there before the run that is recorded.
    """
    function(*examples[0], **examples[1])
    first = _Recorder(innermost, tf).run(function, specs, examples)
    try:
        second = _Recorder(innermost, tf).run(function, specs, _otherwise(examples, tf))
    except Exception:
        first.reading = 0
    else:
        differs = _first_difference(first, second)
        first.reading = min((n for n in (first.reading, differs) if n is not None), default=None)
    return first


def note(recorded: EagerRun, cause: str) -> str:
    """What the record leaves open, in words; `cause`: why there is no trace."""
    told = f"TensorFlow does not trace the model ({cause}); one run of it on the example inputs was recorded"
    if recorded.reading is None:
        return told
    return told + (
        ": what it reads from its own values (a branch, a size, a number) was fixed as this run gives it, so other "
        "branches were not analysed, and nothing behind the first such place is proved"
    )


def frozen(recorded: EagerRun) -> list[str]:
    """The nodes that were recorded behind the first reading."""
    reading = recorded.reading
    return [] if reading is None else [name for name, place in recorded.operators.items() if place >= reading]


def _otherwise(examples: Any, tf: Any) -> Any:
    """Floating-point examples halved: another number wherever there is one."""

    def other(value: Any) -> Any:
        floats = hasattr(value, "shape") and tf.as_dtype(value.dtype).is_floating
        return tf.convert_to_tensor(value) * 0.5 if floats else value

    return tf.nest.map_structure(other, examples)


def _first_difference(first: EagerRun, second: EagerRun) -> int | None:
    """How many operators the first run had executed where the second took another one, or another number."""
    mine, others = (list(r.definition.node) for r in (first, second))
    for node, other in zip(mine, others):  # noqa: B905
        if node.op != other.op or (node.op == "Const" and node.attr["value"] != other.attr["value"]):
            return first.operators.get(node.name, first.constants.get(node.name, 0))
    return None if len(mine) == len(others) else 0


def _live(recorded: EagerRun) -> None:
    """Drop what no result hangs on: what new weights are drawn from, checks."""
    nodes = {node.name: node for node in recorded.definition.node}
    stack = [name.partition(":")[0] for name in recorded.outputs]
    live = set(recorded.inputs)
    while stack:
        name = stack.pop()
        if name not in live:
            live.add(name)
            stack += [reference.partition(":")[0] for reference in nodes[name].input]
    kept = [nodes[name] for name in nodes if name in live]
    del recorded.definition.node[:]
    recorded.definition.node.extend(kept)
    for told in (recorded.operators, recorded.constants, recorded.variables, recorded.lines):
        for name in [name for name in told if name not in live]:
            del told[name]


class _Recorder:
    def __init__(self, innermost: Innermost, tf: Any) -> None:
        from tensorflow.python.eager import context

        self._tf, self._innermost, self._context = tf, innermost, context
        self._record = EagerRun(tf.compat.v1.GraphDef())
        self._names: dict[int, str] = {}  # by the tensor's number: the output of a node that stands for it
        self._constant: set[int] = set()  # the numbers of tensors that are the same in every run
        self._taken: dict[str, int] = {}
        self._variables: dict[int, tuple[Any, Any]] = {}  # by the handle's number: the variable, its value before
        self._made: dict[int, Any] = {}  # handles of variables that the run makes: their nodes
        self._current: dict[str, str] = {}  # variables that the run assigned: the output with their value
        self._silent = False
        self._first = tf.constant(0)._id  # what has a smaller number was made before the run
        self._standing: dict[int, list[Any]] = {}  # variables by the address of their values

    def run(self, function: Any, specs: Any, examples: Any) -> EagerRun:
        tf = self._tf
        from tensorflow.python.framework import op_callbacks

        self._keep_variables()
        given = tf.nest.map_structure(lambda s, v: self._input(s, v), specs, examples)
        eagerly = tf.config.functions_run_eagerly()
        tf.config.run_functions_eagerly(True)
        op_callbacks.add_op_callback(self._executed)
        try:
            with _read(tf, self._was_read), tf.variable_creator_scope(self._created):
                results = function(*given[0], **given[1])
        finally:
            op_callbacks.remove_op_callback(self._executed)
            tf.config.run_functions_eagerly(eagerly)
        for tensor in tf.nest.flatten(results):
            if tf.is_tensor(tensor) and hasattr(tensor, "_id"):
                self._record.outputs.append(self._reference(tensor))
        if not self._record.outputs:
            raise NotRecorded("it returns no tensor")
        _live(self._record)
        return self._record

    def _keep_variables(self) -> None:
        from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable

        for found in gc.get_objects():
            if isinstance(found, BaseResourceVariable):
                with contextlib.suppress(Exception):  # one that holds no value yet
                    self._variables[found.handle._id] = (found, found.read_value())
        for variable, value in self._variables.values():
            address = _address(value)
            if address is not None:
                self._standing.setdefault(address, []).append(variable)

    def _input(self, spec: Any, value: Any) -> Any:
        tf = self._tf
        if not isinstance(spec, tf.TensorSpec):
            return value
        if isinstance(value, tf.TensorSpec) or value is None:
            raise NotRecorded("it has no example inputs")
        tensor = tf.identity(tf.convert_to_tensor(value, dtype=spec.dtype))
        node = self._node("Placeholder", spec.name or "input", [tensor])
        node.attr["dtype"].type = tensor.dtype.as_datatype_enum
        node.attr["shape"].shape.CopyFrom(tensor.shape.as_proto())
        self._record.inputs.append(node.name)
        return tensor

    def _was_read(self, tensor: Any) -> None:
        number = getattr(tensor, "_id", None)
        known = number in self._names and number not in self._constant
        if not self._silent and known and self._record.reading is None:
            self._record.reading = len(self._record.operators)

    def _node(self, op: str, name: str, outputs: Any) -> Any:
        node = self._record.definition.node.add(op=op, name=self._free(name))
        for place, tensor in enumerate(outputs):
            node.attr["_output_shapes"].list.shape.add().CopyFrom(tensor.shape.as_proto())
            self._names[tensor._id] = node.name + (f":{place}" if place else "")
        return node

    def _free(self, name: str) -> str:
        count = self._taken.get(name)
        self._taken[name] = (count or 0) + 1
        return name if count is None else self._free(f"{name}_{count}")

    def _reference(self, tensor: Any) -> str:
        """The output of a node that gives the tensor: a constant's node is made where it is first used."""
        if tensor._id not in self._names and not self._reads_variable(tensor):
            if tensor.dtype in (self._tf.resource, self._tf.variant):
                raise NotRecorded("it keeps state that is no variable")
            self._silent = True
            value = self._tf.make_tensor_proto(tensor.numpy())
            self._silent = False
            node = self._node("Const", "Const", [tensor])
            node.attr["dtype"].type = tensor.dtype.as_datatype_enum
            node.attr["value"].tensor.CopyFrom(value)
            self._constant.add(tensor._id)
            self._record.constants[node.name] = len(self._record.operators)
        return self._names[tensor._id]

    def _reads_variable(self, tensor: Any) -> bool:
        """Whether a tensor that no operator gave is the value of a variable, which it then shares the memory of.

        TensorFlow does not tell of the reading of a variable that is an operand itself (``tf.exp(variable)``).
        """
        address = _address(tensor) if tensor._id > self._first else None
        held = [v for v in self._standing.get(address or 0, ()) if v.dtype == tensor.dtype and v.shape == tensor.shape]
        if len(held) != 1:
            return False
        (variable,) = held
        self._of_variable("ReadVariableOp", [variable.handle], {"dtype": variable.dtype}, [tensor])
        return True

    def _handle(self, tensor: Any) -> Any:
        """The node of a variable, by its handle."""
        if tensor._id in self._made:
            return self._made[tensor._id]
        if tensor._id not in self._variables:
            raise NotRecorded("it keeps state that is no variable")
        variable, value = self._variables[tensor._id]
        node = self._node("VarHandleOp", variable.name.split(":")[0], [])
        node.attr["dtype"].type = variable.dtype.as_datatype_enum
        node.attr["shape"].shape.CopyFrom(variable.shape.as_proto())
        self._record.variables[node.name] = (HeldVariable(value), bool(getattr(variable, "trainable", True)))
        self._made[tensor._id] = node
        return node

    def _executed(
        self, op: Any, inputs: Any, attributes: Any, outputs: Any, op_name: Any = None, graph: Any = None
    ) -> None:
        if graph is not None or self._silent:  # a data set traces its functions
            return
        kind = op.decode() if isinstance(op, bytes) else str(op)
        if len(self._record.operators) >= MOST:
            raise NotRecorded(f"a run of it takes more than {MOST} operators")
        named = dict(zip(attributes[::2], attributes[1::2]))  # noqa: B905
        if kind == "VarHandleOp":
            return self._made_variable(named, outputs[0])
        if inputs and getattr(inputs[0], "dtype", None) == self._tf.resource and "Variable" in kind:
            return self._of_variable(kind, inputs, named, outputs)
        self._operator(kind, [self._reference(tensor) for tensor in inputs], inputs, named, outputs)

    def _created(self, create: Callable[..., Any], **arguments: Any) -> Any:
        """A variable that the run makes: whether training moves it is known of the object alone."""
        variable = create(**arguments)
        node = self._made.get(getattr(getattr(variable, "handle", None), "_id", -1))
        if node is not None and node.name in self._record.variables:
            value, _ = self._record.variables[node.name]
            self._record.variables[node.name] = (value, bool(getattr(variable, "trainable", True)))
        return variable

    def _made_variable(self, named: Mapping[str, Any], handle: Any) -> None:
        name = str(named.get("debug_name") or named.get("shared_name") or "Variable").strip("/")
        node = self._node("VarHandleOp", name, [])
        node.attr["dtype"].type = self._tf.as_dtype(named["dtype"]).as_datatype_enum
        node.attr["shape"].shape.CopyFrom(self._tf.TensorShape(named["shape"]).as_proto())
        self._made[handle._id] = node

    def _of_variable(self, kind: str, inputs: Any, named: Mapping[str, Any], outputs: Any) -> None:
        node = self._handle(inputs[0])
        if kind == "ReadVariableOp":
            if node.name in self._current:
                self._names[outputs[0]._id] = self._current[node.name]
            else:
                self._operator(kind, [node.name], inputs, named, outputs)
        elif kind == "AssignVariableOp" and node.name not in self._record.variables:  # the first value of a new one
            self._record.variables[node.name] = (HeldVariable(self._tf.identity(inputs[1])), True)
        elif kind == "AssignVariableOp":
            self._current[node.name] = self._reference(inputs[1])
        elif kind in ("AssignAddVariableOp", "AssignSubVariableOp"):
            self._current[node.name] = self._assigned(node, "AddV2" if "Add" in kind else "Sub", inputs[1])
        elif kind not in ("VarIsInitializedOp", "DestroyResourceOp"):
            raise NotRecorded(f"it changes a variable by {kind}")

    def _assigned(self, variable: Any, op: str, change: Any) -> str:
        definition = self._record.definition
        number, shapes = variable.attr["dtype"].type, variable.attr["shape"].shape
        before = self._current.get(variable.name)
        if before is None:
            read = definition.node.add(op="ReadVariableOp", name=self._free(f"{variable.name}/Read"))
            read.input.append(variable.name)
            read.attr["dtype"].type = number
            read.attr["_output_shapes"].list.shape.add().CopyFrom(shapes)
            before = read.name
        node = definition.node.add(op=op, name=self._free(f"{variable.name}/{op}"))
        node.input.extend([before, self._reference(change)])
        node.attr["T"].type = number
        node.attr["_output_shapes"].list.shape.add().CopyFrom(shapes)
        return str(node.name)

    def _operator(self, kind: str, references: list[str], inputs: Any, named: Mapping[str, Any], outputs: Any) -> None:
        node = self._node(kind, f"{self._context.context().scope_name}{kind}", outputs)
        node.input.extend(references)
        self._attributes(node, kind, named)
        self._record.operators[node.name] = len(self._record.operators)
        place = self._innermost(_frames(sys._getframe(2)))
        if place is not None:
            self._record.lines[node.name] = list(place)
        drawn = "Random" in kind or "Multinomial" in kind
        sizes = kind in ("Shape", "ShapeN", "Size", "Rank")  # the same for all numbers of an example's sizes
        if sizes or (not drawn and all(tensor._id in self._constant for tensor in inputs)):
            self._constant.update(tensor._id for tensor in outputs)

    def _attributes(self, node: Any, kind: str, named: Mapping[str, Any]) -> None:
        from tensorflow.python.framework import op_def_library, op_def_registry

        definition = op_def_registry.get(kind)
        if definition is None:
            raise NotRecorded(f"TensorFlow knows no operator {kind}")
        for attribute in definition.attr:
            value = named.get(attribute.name)
            if value is not None:
                if attribute.type == "func":
                    raise NotRecorded(f"{kind} calls a function")
                if attribute.type == "string" and isinstance(value, str):
                    value = value.encode()
                written = op_def_library.value_to_attr_value(value, attribute.type, attribute.name)
                node.attr[attribute.name].CopyFrom(written)
            elif attribute.HasField("default_value"):
                node.attr[attribute.name].CopyFrom(attribute.default_value)
            elif attribute.type.startswith("list"):
                node.attr[attribute.name].list.SetInParent()


def _address(tensor: Any) -> int | None:
    """Where a tensor's numbers stand in memory; None where it has none, or does not tell."""
    import numpy

    try:
        array = numpy.asarray(memoryview(tensor))
    except (TypeError, ValueError, BufferError, RuntimeError):
        return None
    return int(array.__array_interface__["data"][0]) if array.size else None


def _frames(frame: Any) -> Iterator[tuple[str, int]]:
    while frame is not None:
        yield frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back


@contextlib.contextmanager
def _read(tf: Any, told: Callable[[Any], None]) -> Iterator[None]:
    """Calls `told` with each tensor whose value Python asks for (``bool``, ``int``, ``float``, ``numpy()``)."""
    base: Any = next((c for c in type(tf.constant(0)).__mro__ if "_numpy" in c.__dict__), None)
    if base is None:
        raise NotRecorded("this TensorFlow does not tell when a value is read")
    original = base._numpy

    def watched(tensor: Any) -> Any:
        told(tensor)
        return original(tensor)

    base._numpy = watched
    try:
        yield
    finally:
        base._numpy = original
