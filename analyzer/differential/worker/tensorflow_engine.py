"""TensorFlow graphs: GraphDef files, SavedModels and entry points, frozen to one graph of named tensors.

Knobs: ``mode`` (function: pruned and run as a function; eager: operation by operation; xla: jit_compile),
``grappler`` (the graph optimizer), ``precision`` (float64 makes the oracle), ``device``, ``threads``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import tensors
from .contract import Arrays, EngineError, node, tensor


class TensorFlow:
    def __init__(self, knobs: Mapping[str, Any]) -> None:
        self.knobs = {
            "mode": "function",
            "grappler": "on",
            "precision": "float32",
            "device": "cpu",
            "threads": 0,
            **knobs,
        }
        self.pruned: dict[Any, Any] = {}

    def fingerprint(self) -> dict[str, Any]:
        import tensorflow as tf

        if self.knobs["device"] == "cuda" and not tf.config.list_physical_devices("GPU"):
            raise EngineError("missing", f"TensorFlow {tf.__version__} finds no GPU")
        if self.knobs["threads"]:
            with contextlib.suppress(RuntimeError):  # the environment variable has set it already
                tf.config.threading.set_intra_op_parallelism_threads(int(self.knobs["threads"]))
        tf.config.experimental.enable_tensor_float_32_execution(self.knobs["precision"] == "tf32")
        off = self.knobs["grappler"] == "off" or self.knobs["mode"] == "eager"
        tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": off})
        return {"versions": {"tensorflow": str(tf.__version__)}, "device": self.knobs["device"]}

    def load(self, model: dict[str, Any], folder: Path) -> dict[str, Any]:
        import tensorflow as tf

        tf.random.set_seed(0)
        self.examples: Arrays = {}
        graph_def, inputs, outputs = self._graph_def(model, folder)
        self.entry = (graph_def, inputs, outputs)
        if self.knobs["precision"] == "float64":
            graph_def = tf.compat.v1.GraphDef.FromString(graph_def.SerializeToString())
            _widen(graph_def)
        if self.knobs["mode"] == "eager":
            graph_def = _without_effects(graph_def)
        self.graph_def = graph_def
        self.wrapped = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(graph_def, name=""), [])
        self.graph = self.wrapped.graph
        variables = [n.name for n in graph_def.node if n.op in ("Variable", "VariableV2", "VarHandleOp")]
        if variables:
            raise EngineError("unsupported", f"the graph has variables without values ({variables[0]}, …)")
        placeholders = [n.name for n in graph_def.node if n.op == "Placeholder"]
        self.inputs = [_port(n) for n in inputs] if inputs else [f"{n}:0" for n in placeholders]
        self.outputs = [_port(n) for n in outputs] if outputs else self._sinks()
        self._index()
        described = [self.graph.get_tensor_by_name(n) for n in self.inputs]
        return {
            "nodes": self._nodes(),
            "inputs": [tensor(t.name, t.dtype.name, _shape(t.shape)) for t in described],
            "outputs": self.outputs,
            "alive": None,
            "dtypes": {},
            "notes": [],
        }

    def weights(self) -> Mapping[str, np.ndarray]:
        return {}  # frozen: every weight is a constant of the graph

    def cut(self, inputs: Sequence[str], outputs: Sequence[str]) -> tuple[dict[str, Any], Arrays]:
        """A GraphDef of the part, its inputs as placeholders."""
        import base64

        import tensorflow as tf

        part = self.wrapped.prune(
            [self.graph.get_tensor_by_name(n) for n in inputs], [self.graph.get_tensor_by_name(n) for n in outputs]
        )
        graph = part.graph.as_graph_def()
        return {
            "graph": base64.b64encode(graph.SerializeToString()).decode(),
            "inputs": [t.name for t in part.inputs],
            "outputs": [t.name for t in part.outputs],
            "tensorflow": str(tf.__version__),
        }, {}

    def evaluate(self, feeds: Arrays, fetches: Sequence[str] | None) -> Arrays:
        import tensorflow as tf

        names = list(fetches) if fetches is not None else self.outputs
        given = list(feeds) if fetches is not None else [n for n in self.inputs if n in feeds]
        values = [self._tensor(feeds[n], n) for n in given]
        device = "/GPU:0" if self.knobs["device"] == "cuda" else "/CPU:0"
        with tf.device(device):
            if self.knobs["mode"] == "eager":
                env = dict(zip(given, values))  # noqa: B905
                for index in self._needed(set(given), names):
                    self._execute(self.operations[index], env)
                return {n: np.asarray(env[n].numpy()) for n in names if n in env}
            key = (tuple(given), tuple(names))
            if key not in self.pruned:
                self.pruned[key] = self._part(given, names)
            results = self.pruned[key](*values)
        return {n: np.asarray(r.numpy()) for n, r in zip(names, results)}  # noqa: B905

    def _part(self, given: list[str], names: list[str]) -> Any:
        import tensorflow as tf

        graph = self.graph
        part = self.wrapped.prune(
            [graph.get_tensor_by_name(n) for n in given], [graph.get_tensor_by_name(n) for n in names]
        )
        if self.knobs["mode"] == "xla":
            return tf.function(lambda *values: part(*values), jit_compile=True, autograph=False)
        return part

    def _execute(self, operation: Any, env: dict[str, Any]) -> None:
        """One operation as a function of its own, which leaves nothing to fuse."""
        given = [t.name for t in operation.inputs if t.op.type != "Const"]
        names = [t.name for t in operation.outputs]
        key = (tuple(given), tuple(names))
        if key not in self.pruned:
            self.pruned[key] = self._part(list(dict.fromkeys(given)), names)
        values = self.pruned[key](*[env[n] for n in dict.fromkeys(given)])
        env.update(zip(names, values))  # noqa: B905

    def _tensor(self, array: np.ndarray, name: str) -> Any:
        import tensorflow as tf

        return tf.constant(array, dtype=self.graph.get_tensor_by_name(name).dtype)

    def _index(self) -> None:
        self.operations = list(self.graph.get_operations())
        self.producer = {o.name: i for i, op in enumerate(self.operations) for o in op.outputs}

    def _needed(self, given: set[str], names: Sequence[str]) -> list[int]:
        wanted: set[int] = set()
        queue = [n for n in names if n not in given]
        while queue:
            name = queue.pop()
            index = self.producer[name]
            if name in given or index in wanted or self.operations[index].type == "Const":
                continue
            if self.operations[index].type == "Placeholder":
                raise EngineError("unreplayed", f"tensor {name!r} can be computed from none of {sorted(given)}")
            wanted.add(index)
            queue.extend(t.name for t in self.operations[index].inputs)
        return sorted(wanted)

    def _nodes(self) -> list[dict[str, Any]]:
        found = []
        for operation in self.operations:
            if operation.type == "Placeholder" or not operation.outputs:
                continue
            scope, _, _ = operation.name.rpartition("/")
            found.append(
                node(
                    operation.name,
                    operation.type,
                    [t.name for t in operation.inputs],
                    [t.name for t in operation.outputs],
                    layer=scope,
                    attributes=_attributes(operation),
                )
            )
        return found

    def _sinks(self) -> list[str]:
        used = {t.name for op in self.graph.get_operations() for t in op.inputs}
        found: list[str] = []
        for op in self.graph.get_operations():
            computed = op.inputs and op.type not in ("PlaceholderWithDefault", "RestoreV2")  # not fed, held or read
            if computed and not any(o.name in used for o in op.outputs):
                found.extend(o.name for o in op.outputs if o.dtype.name not in ("resource", "variant", "string"))
        return found

    def _graph_def(self, model: dict[str, Any], folder: Path) -> tuple[Any, list[str] | None, list[str] | None]:
        import tensorflow as tf

        if model["kind"] == "tensorflow-entry":
            return self._kept(model, folder) if model.get("state") else self._built(model, folder)
        path = folder / model["path"]
        if path.is_dir():
            loaded = tf.saved_model.load(str(path))
            signatures = loaded.signatures
            name = "serving_default" if "serving_default" in signatures else next(iter(signatures), None)
            if name is None:
                raise EngineError("unsupported", "the SavedModel has no signature")
            self.keep = loaded
            return self._frozen(signatures[name])
        graph_def = tf.compat.v1.GraphDef()
        if path.suffix == ".pbtxt":
            from google.protobuf import text_format

            text_format.Parse(path.read_text(encoding="utf-8"), graph_def)
        else:
            graph_def.ParseFromString(path.read_bytes())
        return graph_def, model.get("inputs"), model.get("outputs")

    def state(self) -> Arrays:
        """The frozen graph with the example inputs: it needs no code of the project, and its weights are settled.

        Empty where the graph calls back into Python, which only the process that built it can do.
        """
        graph_def, inputs, outputs = self.entry
        names = [n.op for n in [*graph_def.node, *(n for f in graph_def.library.function for n in f.node_def)]]
        if any("PyFunc" in name or "HashTable" in name for name in names):
            return {}
        found = {"graph": np.frombuffer(graph_def.SerializeToString(), np.uint8)}
        for label, ports in (("inputs", inputs), ("outputs", outputs)):
            if ports is not None:
                found[label] = np.array(list(ports), dtype=object)
        return found | {f"example/{n}": a for n, a in self.examples.items()}

    def _kept(self, model: dict[str, Any], folder: Path) -> tuple[Any, list[str] | None, list[str] | None]:
        import tensorflow as tf

        kept = tensors.read(folder / model["state"]["file"], model["state"]["manifest"])
        graph_def = tf.compat.v1.GraphDef()
        graph_def.ParseFromString(kept["graph"].tobytes())
        prefix = "example/"
        self.examples = {n[len(prefix) :]: a for n, a in kept.items() if n.startswith(prefix)}
        ports = [[str(n) for n in kept[k]] if k in kept else None for k in ("inputs", "outputs")]
        return graph_def, ports[0], ports[1]

    def _built(self, model: dict[str, Any], folder: Path) -> tuple[Any, list[str] | None, list[str] | None]:
        import tensorflow as tf
        from assay_inside.entry import build  # type: ignore[import-not-found]

        built = build(model["entry"], str(folder / model["root"]))
        if built.framework == "graph":
            graph_def = built.model.as_graph_def() if hasattr(built.model, "as_graph_def") else built.model
            return graph_def, list(built.inputs) if built.inputs else None, built.outputs
        inputs = built.inputs or ()
        arrays = inputs if isinstance(inputs, dict) else dict(enumerate(inputs))
        function = built.model if callable(built.model) else built.model.__call__
        compiled = tf.function(function)
        if isinstance(inputs, dict):
            concrete = compiled.get_concrete_function(**{k: tf.convert_to_tensor(v) for k, v in inputs.items()})
        else:
            concrete = compiled.get_concrete_function(*[tf.convert_to_tensor(v) for v in inputs])
        self.keep = built.model
        graph_def, names, outputs = self._frozen(concrete)
        if names and len(names) == len(arrays):
            values = [np.asarray(v) for v in arrays.values()]
            self.examples = {_port(n): v for n, v in zip(names, values)}  # noqa: B905
        return graph_def, names, outputs

    def _frozen(self, concrete: Any) -> tuple[Any, list[str], list[str]]:
        """Variables become constants; function calls stay, as they would be run."""
        from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

        frozen = convert_variables_to_constants_v2(concrete, lower_control_flow=False)
        inputs = [t.name for t in frozen.inputs if t.dtype.name != "resource"]
        return frozen.graph.as_graph_def(), inputs, [t.name for t in frozen.outputs]


def _without_effects(graph_def: Any) -> Any:
    """Loops and branches whose bodies act on nothing, as operators that say so, and no order but that of the tensors.

    TensorFlow runs the others with whatever part of a graph is asked for, and what a part only waits for too.
    """
    from tensorflow.python.framework import op_def_registry

    bodies = {f.signature.name: f for f in graph_def.library.function}
    stateless = {"While": "StatelessWhile", "If": "StatelessIf"}

    def acts(each: Any) -> bool:
        called = [a.func.name for a in each.attr.values() if a.HasField("func")]
        if each.op in stateless or each.op.endswith("PartitionedCall"):
            return any(acts(inner) for name in called if name in bodies for inner in bodies[name].node_def)
        definition = op_def_registry.get(each.op)
        return definition is None or bool(definition.is_stateful)

    found = type(graph_def).FromString(graph_def.SerializeToString())
    for each in found.node:
        each.input[:] = [name for name in each.input if not name.startswith("^")]
    for each in (*found.node, *(n for f in found.library.function for n in f.node_def)):
        if each.op in stateless and not acts(each):
            each.op = stateless[each.op]
    return found


def _widen(graph_def: Any) -> None:
    """float32 becomes float64 everywhere: constants, attributes, functions."""
    from tensorflow.core.framework import types_pb2
    from tensorflow.python.framework import tensor_util

    single, double = types_pb2.DT_FLOAT, types_pb2.DT_DOUBLE

    def change(nodes: Any) -> None:
        for each in nodes:
            drawing = "Random" in each.op and each.attr["dtype"].type == single
            for value in [] if drawing else each.attr.values():
                if value.type == single:
                    value.type = double
                if value.HasField("tensor") and value.tensor.dtype == single:
                    array = tensor_util.MakeNdarray(value.tensor).astype(np.float64)
                    value.tensor.CopyFrom(tensor_util.make_tensor_proto(array))
                for index, kind in enumerate(value.list.type):
                    if kind == single:
                        value.list.type[index] = double

    def narrow(nodes: Any) -> None:
        """Random operators draw other numbers for another type: theirs are drawn as before, then converted."""
        for each in [n for n in nodes if "Random" in n.op and n.attr["dtype"].type == single]:
            drawn = nodes.add()
            drawn.CopyFrom(each)
            drawn.name = f"{each.name}/drawn"
            each.Clear()
            each.name, each.op, each.input[:] = drawn.name.removesuffix("/drawn"), "Cast", [drawn.name]
            each.attr["SrcT"].type, each.attr["DstT"].type = single, double

    change(graph_def.node)
    narrow(graph_def.node)
    for function in graph_def.library.function:
        change(function.node_def)
        for argument in (*function.signature.input_arg, *function.signature.output_arg):
            if argument.type == single:
                argument.type = double


def _attributes(operation: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in operation.node_def.attr:
        value = operation.node_def.attr[name]
        kind = value.WhichOneof("value")
        if kind in ("i", "f", "b"):
            found[name] = getattr(value, kind)
        elif kind == "s":
            found[name] = value.s.decode("utf-8", "replace")[:64]
        elif kind == "list" and value.list.i and len(value.list.i) <= 8:
            found[name] = list(value.list.i)
    return found


def _shape(shape: Any) -> list[Any]:
    return [None if d is None else int(d) for d in shape] if shape.rank is not None else []


def _port(name: str) -> str:
    return name if ":" in name else f"{name}:0"
