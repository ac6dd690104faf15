"""Keras models (``.keras``, ``.h5``) -> `Graph`: the architecture is read as text, layers become ONNX nodes by a table.

Functional and Sequential models, nested in any way. Lambda and custom layers are never executed: they become operators
of the domain ``keras`` that nothing is known about.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import onnx_ir as ir

from analyzer.graph import Graph, Role, set_role
from analyzer.graph.model import NAME
from analyzer.loading.archives import open_archive
from analyzer.loading.files import shown
from analyzer.loading.hdf5 import WEIGHTS_MEMBER, datasets, open_file
from analyzer.loading.json_text import read_json
from analyzer.loading.keras_builder import DOMAIN, OPSET, KerasLayer, Model, Unsupported
from analyzer.loading.keras_layers import LAYERS, OPERATIONS, LayerCall
from analyzer.loading.keras_weights import ArchiveStore, Datasets, LegacyStore, Store
from analyzer.loading.limits import DEFAULT, Limits
from analyzer.problem import TargetProblem

_MODELS = ("Functional", "Sequential", "Model")


def read_keras(path: Path, limits: Limits = DEFAULT) -> Graph:
    """The graph of a ``.keras`` archive or an HDF5 model file.

    Raises:
        TargetProblem: damaged, a subclassed model (whose architecture is code), or weights that do not fit.
    """
    config, version, store = _read_h5(path, limits) if not _is_zip(path) else _read_archive(path, limits)
    try:
        return _convert(config, version, store, limits)
    except TargetProblem as error:
        raise TargetProblem(f"{shown(path)}: {error}") from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        # The configuration is free-form JSON: a missing or misplaced piece shows itself wherever it is used.
        raise TargetProblem(
            f"{shown(path)} has a damaged architecture ({type(error).__name__}: {shown(error)})."
        ) from None


def read_config(path: Path, limits: Limits = DEFAULT) -> Any:
    """The architecture alone, as JSON."""
    return (_read_h5(path, limits) if not _is_zip(path) else _read_archive(path, limits))[0]


def _is_zip(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"PK\x03\x04"
    except OSError:
        return False


def _read_archive(path: Path, limits: Limits) -> tuple[Any, str, Store]:
    with open_archive(path, limits) as archive:
        config = read_json(archive.read("config.json", limits.json_size), f"config.json in {shown(path)}", limits)
        metadata: Any = {}
        if "metadata.json" in archive:
            metadata = read_json(
                archive.read("metadata.json", limits.json_size), f"metadata.json in {shown(path)}", limits
            )
        source = io.BytesIO(archive.view(WEIGHTS_MEMBER).tobytes()) if WEIGHTS_MEMBER in archive else None
    version = str(metadata.get("keras_version", "")) if isinstance(metadata, dict) else ""
    found = {}
    what = f"the weights in {shown(path)}"
    if source is not None:
        with open_file(source, what, limits) as file:
            found = {name: (tuple(map(int, d.shape)), d.dtype) for name, d in datasets(file, limits)}
    return config, version, ArchiveStore(Datasets(source or io.BytesIO(), what, limits, found))


def _read_h5(path: Path, limits: Limits) -> tuple[Any, str, Store]:
    what = shown(path)
    with open_file(path, what, limits) as file:
        text = file.attrs.get("model_config")
        if not isinstance(text, str | bytes):
            raise TargetProblem(f"{what} holds weights but no architecture; name the model it belongs to.")
        config = read_json(text.encode() if isinstance(text, str) else text, f"the architecture in {what}", limits)
        version = file.attrs.get("keras_version", "")
        version = version.decode("utf-8", "replace") if isinstance(version, bytes) else str(version)
        root = "model_weights" if "model_weights" in file else ""
        group = file[root] if root else file
        found = {name: (tuple(map(int, d.shape)), d.dtype) for name, d in datasets(group, limits, root)}
    return config, version, LegacyStore(Datasets(path, what, limits, found), root)


def _convert(config: Any, version: str, store: Store, limits: Limits) -> Graph:
    major = int(version.partition(".")[0]) if version.partition(".")[0].isdecimal() else 3
    kind = config.get("class_name") if isinstance(config, dict) else None
    if kind not in _MODELS or "layers" not in (config.get("config") or {}):
        raise TargetProblem(
            f"the architecture of '{shown(kind)}' is Python code, not data; "
            "analyse it through an entry point (file.py:name)."
        )
    model = Model(limits, major)
    model.masked = any(_masks(part) for part in config_parts(config, limits))
    builder = _KerasBuilder(model)
    results = builder.run(config, store, None, "")
    outputs: list[ir.Value] = []
    if not results:
        raise TargetProblem("its architecture names no outputs; the file is damaged.")
    for index, value in enumerate(results):
        if value.is_graph_output() or value in outputs or value.producer() is None:
            layer = KerasLayer(model, "output", "", {}, store)
            value = layer.op(
                "Identity", value, shape=tuple(d if isinstance(d, int) else None for d in value.shape or ())
            )
        value.metadata_props.setdefault(NAME, builder.output_names[index] if index < len(builder.output_names) else "")
        outputs.append(value)
    used = {v for node in model.nodes for v in node.inputs if v is not None}
    graph = ir.Graph(
        model.inputs,
        outputs,
        nodes=model.nodes,
        initializers=[v for v in model.initializers.values() if v in used],
        opset_imports={"": OPSET, DOMAIN: 1},
        name=shown(config["config"].get("name", "model")),
    )
    for value in model.inputs:
        set_role(value, Role.INPUT)
    made = ir.Model(graph, ir_version=10, producer_name="keras", producer_version=version or None)
    return Graph(made, "keras", {"keras": version} if version else {})


def config_parts(config: Any, limits: Limits, functions: bool = False) -> Iterator[Mapping[str, Any]]:
    """All layer configurations, nested ones included; with `functions` the names of functions too."""
    kinds = (dict, str) if functions else dict
    stack, count = [config], 0
    while stack:
        item = stack.pop()
        count += 1
        if count > limits.nodes:
            raise TargetProblem("its architecture has too many parts.")
        if isinstance(item, dict):
            if "class_name" in item and isinstance(item.get("config"), kinds):
                yield item
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)


def _masks(part: Mapping[str, Any]) -> bool:
    return part["class_name"] == "Masking" or bool(part["config"].get("mask_zero"))


class _KerasBuilder:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.output_names: list[str] = []
        self.layers: dict[
            int, KerasLayer
        ] = {}  # by id of the configuration: a layer called twice has one set of weights

    def run(self, config: Mapping[str, Any], store: Store, inputs: list[ir.Value] | None, path: str) -> list[ir.Value]:
        """Convert a model. `inputs` are None for the outermost one, which makes its own."""
        if path.count("/") > self.model.limits.depth:
            raise TargetProblem("its models are nested too deeply.")
        if config["class_name"] == "Sequential":
            return self.sequential(config["config"], store, inputs, path)
        return self.functional(config["config"], store, inputs, path)

    def stores(self, layers: list[Any], store: Store) -> dict[str, Store]:
        """The store of every layer. Operations (``keras.ops``) are no layers and have none."""
        found = {}
        for part in layers:
            name = part.get("name") or part["config"].get("name")
            if not _is_operation(part):
                found[str(name)] = store.layer(str(name), part["class_name"])
        return found

    def sequential(
        self, config: Mapping[str, Any], store: Store, inputs: list[ir.Value] | None, path: str
    ) -> list[ir.Value]:
        layers = [part for part in config["layers"] if part["class_name"] != "InputLayer"]
        if inputs is None:
            first = config["layers"][0]
            shape = _input_shape(first) or config.get("build_input_shape") or _input_shape(_innermost(first))
            if shape is None:
                raise TargetProblem("the model was saved before it knew its input shape; build it before saving.")
            named = first if first["class_name"] == "InputLayer" else {"config": {"name": "input"}}
            inputs = [self.input(named["config"], shape)]
        stores = self.stores(layers, store)
        for part in layers:
            name = str(part["config"].get("name"))
            inputs = self.call(part, stores.get(name, store), LayerCall(inputs, {}), path, None)
        self.output_names = [str(layers[-1]["config"].get("name"))] if layers and not path else self.output_names
        return inputs

    def functional(
        self, config: Mapping[str, Any], store: Store, inputs: list[ir.Value] | None, path: str
    ) -> list[ir.Value]:
        layers = list(config["layers"])
        stores = self.stores(layers, store)
        by_name = {str(part.get("name") or part["config"].get("name")): part for part in layers}
        values: dict[tuple[str, int, int], ir.Value] = {}
        names = [reference[0] for reference in _references(config.get("input_layers", []))]
        for index, name in enumerate(names):
            if inputs is None:
                part = by_name[name]
                values[name, 0, 0] = self.input(part["config"], _input_shape(part) or [None])
            elif index < len(inputs):
                values[name, 0, 0] = inputs[index]
        waiting: list[tuple[str, int, Any]] = []
        for name, part in by_name.items():
            nodes = part.get("inbound_nodes") or []
            for index, node in enumerate(nodes):
                waiting.append((name, index, node))
        while waiting:
            later = []
            for name, index, node in waiting:
                call = _call(node, values)
                if call is None:
                    later.append((name, index, node))
                    continue
                part = by_name[name]
                results = self.call(part, stores.get(name, store), call, path, _expected(node))
                values.update({(name, index, i): value for i, value in enumerate(results)})
            if len(later) == len(waiting):
                stuck = later[0][0]
                raise TargetProblem(f"the layer '{shown(stuck)}' reads what no layer makes, or depends on itself.")
            waiting = later
        results = []
        for reference in _references(config.get("output_layers", [])):
            if reference not in values:
                raise TargetProblem(f"the output '{shown(reference[0])}' is made by no layer.")
            results.append(values[reference])
        if not path:
            self.output_names = [reference[0] for reference in _references(config.get("output_layers", []))]
        return results

    def input(self, config: Mapping[str, Any], shape: Any) -> ir.Value:
        """A graph input; unknown dimensions get names, the first is the batch."""
        if not isinstance(shape, list | tuple) or not all(d is None or (type(d) is int and d >= 0) for d in shape):
            raise TargetProblem(f"an input has the shape {shown(shape)}, which is none.")
        name = self.model.fresh(str(config.get("name", "input")))
        dtype = _DTYPES.get(_dtype_name(config.get("dtype")), ir.DataType.FLOAT)
        dims = ["batch" if i == 0 else f"{name}_dim_{i}" if d is None else d for i, d in enumerate(shape)]
        if shape and shape[0] is not None:
            dims[0] = shape[0]
        value = ir.Value(name=name, type=ir.TensorType(dtype), shape=ir.Shape(dims))
        self.model.inputs.append(value)
        return value

    def call(self, part: Mapping[str, Any], store: Store, call: LayerCall, path: str, expected: Any) -> list[ir.Value]:
        """One call of one layer; its results in order."""
        config = part["config"]
        kind = str(part["class_name"])
        name = str(part.get("name") or config.get("name") or kind)
        full = f"{path}/{name}" if path else name
        if kind in _MODELS and "layers" in config:
            return self.run(part, _fresh(store), _flattened(call), full)
        if kind == "InputLayer":
            return _flattened(call)
        layer = self.layers.get(id(part))
        if layer is None:
            policy = _DTYPES.get(_dtype_name(config.get("dtype")), ir.DataType.FLOAT)
            layer = self.layers[id(part)] = KerasLayer(self.model, full, kind, config, store, policy)
        if kind == "Masking":
            self.model.masked = True
        table = OPERATIONS if _is_operation(part) else LAYERS
        rule = table.get(kind)
        if rule is not None and (not _is_custom(part) or kind in _APPLICATIONS):
            before = len(self.model.nodes)
            try:
                result = rule(layer, call)
                results = list(result) if isinstance(result, list | tuple) else [result]
                for value in results:
                    self.restore_batch(value, call)
                return results
            except Unsupported:
                for node in self.model.nodes[before:]:
                    for index in range(len(node.inputs)):
                        node.replace_input_with(index, None)
                del self.model.nodes[before:]
        return [self.unknown(layer, kind, call)]

    @staticmethod
    def restore_batch(value: ir.Value, call: LayerCall) -> None:
        """Give the first dimension its name back, which rules drop."""
        sources = [v for v in _flattened(call) if v.shape is not None and len(v.shape)]
        if value.shape is not None and len(value.shape) and sources and value.shape[0] is not None:
            source = sources[0].shape
            first = value.shape[0]
            if source is not None and not isinstance(first, int) and not isinstance(source[0], int):
                value.shape = ir.Shape([source[0], *value.shape.dims[1:]])

    def unknown(self, layer: KerasLayer, kind: str, call: LayerCall) -> ir.Value:
        """An operator that nothing is known about."""
        plain = {k: v for k, v in layer.config.items() if isinstance(v, bool | int | float | str) and k != "name"}
        plain.pop("function", None)
        result: ir.Value = layer.node(DOMAIN, kind, _flattened(call), plain, None)
        result.type = ir.TensorType(layer.compute)
        return result


_APPLICATIONS = frozenset(
    {"LayerScale", "CustomScaleLayer", "StochasticDepth"}
)  # the custom layers of keras.applications


def _is_operation(part: Mapping[str, Any]) -> bool:
    """A function of ``keras.ops``: legacy files do not name its module, but only layers have a type."""
    module = part.get("module")
    return ".ops" in str(module or "") or (module is None and not {"trainable", "dtype"} & set(part["config"]))


def custom_classes(config: Any, limits: Limits) -> list[str]:
    """The names of classes and functions that are not Keras' own, nor its applications', which this loader knows."""
    parts = (part for part in config_parts(config, limits, functions=True) if _is_custom(part))
    return sorted({shown(_name(part), 60) for part in parts} - _APPLICATIONS)


def _name(part: Mapping[str, Any]) -> str:
    return str(part["config"] if isinstance(part["config"], str) else part["class_name"])


def _is_custom(part: Mapping[str, Any]) -> bool:
    """A class or function of the project's own: its name says nothing about what it does."""
    module = part.get("module")
    own_module = isinstance(module, str) and module.partition(".")[0] not in ("keras", "builtins")
    return (
        own_module
        or any(">" in str(part.get(key) or "") for key in ("registered_name", "class_name"))
        or (isinstance(part["config"], str) and ">" in part["config"])
    )


def _fresh(store: Store) -> Store:
    """The store of a nested model from its start, for a model that is called again."""
    return ArchiveStore(store.data, store.path) if isinstance(store, ArchiveStore) else store


def _flattened(call: LayerCall) -> list[ir.Value]:
    found: list[ir.Value] = []
    stack: list[Any] = [*call.keywords.values()][::-1] + [*call.arguments][::-1]
    while stack:
        item = stack.pop()
        if isinstance(item, ir.Value):
            found.append(item)
        elif isinstance(item, list | tuple):
            stack.extend(reversed(item))
        elif isinstance(item, dict):
            stack.extend(reversed(item.values()))
    return found


def _input_shape(part: Any) -> Any:
    if not isinstance(part, Mapping):
        return None
    config = part.get("config") or {}
    return config.get("batch_shape") or config.get("batch_input_shape")


def _innermost(part: Mapping[str, Any]) -> Any:
    while part["class_name"] in _MODELS and part["config"].get("layers"):
        part = part["config"]["layers"][0]
    return part


def _references(items: Any) -> list[tuple[str, int, int]]:
    """``["name", 0, 0]``, lists and dictionaries of those, in order."""
    if isinstance(items, dict):
        return [r for key in items for r in _references(items[key])]
    if isinstance(items, list | tuple):
        if len(items) >= 3 and isinstance(items[0], str) and all(type(i) is int for i in items[1:3]):
            return [(items[0], items[1], items[2])]
        return [r for item in items for r in _references(item)]
    return []


class _Missing(Exception):
    pass


def _call(node: Any, values: Mapping[tuple[str, int, int], ir.Value]) -> LayerCall | None:
    """The arguments of one inbound node; None while one of them is not made yet."""

    def value(item: Any) -> Any:
        if isinstance(item, dict) and item.get("class_name") == "__keras_tensor__":
            name, index, tensor = item["config"]["keras_history"][:3]
            if (name, index, tensor) not in values:
                raise _Missing
            return values[name, index, tensor]
        if isinstance(item, dict) and item.get("class_name") == "__slice__":
            return item
        if isinstance(item, dict) and item.get("class_name") == "__numpy__":
            return item["config"]["value"]
        if isinstance(item, dict):
            return {key: value(part) for key, part in item.items()}
        if isinstance(item, list):
            return [value(part) for part in item]
        return item

    def reference(item: Any) -> Any:
        """Keras 2: ``["name", node, tensor, kwargs]``."""
        if (item[0], item[1], item[2]) not in values:
            raise _Missing
        return values[item[0], item[1], item[2]]

    try:
        if isinstance(node, dict):
            return LayerCall(value(node.get("args", [])), value(node.get("kwargs", {})))
        keywords = {k: v for k, v in (node[0][3] if len(node[0]) > 3 else {}).items() if v is not None}
        if any(_looks_like_reference(v) for v in keywords.values()):
            keywords = {k: reference(v) if _looks_like_reference(v) else v for k, v in keywords.items()}
        tensors = [reference(item) for item in node]
        return LayerCall([tensors[0] if len(tensors) == 1 else tensors], keywords)
    except _Missing:
        return None


def _looks_like_reference(item: Any) -> bool:
    return isinstance(item, list) and len(item) >= 3 and isinstance(item[0], str) and type(item[1]) is int


def _expected(node: Any) -> Any:
    return node.get("args") if isinstance(node, dict) else None


_DTYPES = {
    "float32": ir.DataType.FLOAT, "float16": ir.DataType.FLOAT16, "bfloat16": ir.DataType.BFLOAT16,
    "float64": ir.DataType.DOUBLE, "int32": ir.DataType.INT32, "int64": ir.DataType.INT64, "int8": ir.DataType.INT8,
    "uint8": ir.DataType.UINT8, "int16": ir.DataType.INT16, "uint16": ir.DataType.UINT16, "bool": ir.DataType.BOOL,
    "string": ir.DataType.STRING, "mixed_float16": ir.DataType.FLOAT16, "mixed_bfloat16": ir.DataType.BFLOAT16,
}  # fmt: skip


def _dtype_name(policy: Any) -> str:
    """The compute type of a type or policy as Keras writes it."""
    if isinstance(policy, dict):
        policy = (policy.get("config") or {}).get("name")
    return str(policy or "float32")
