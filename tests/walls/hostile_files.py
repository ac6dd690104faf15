"""Model files that leave a mark outside of their folder if anything executes them; written without their frameworks."""

from __future__ import annotations

import io
import json
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import onnx
from onnx import TensorProto, helper

from analyzer.loading.tensorflow_schema import message_class

STRING, FLOAT, RESOURCE, VARIANT = 7, 1, 20, 21


class Touches:
    """Unpickling it makes the file `mark`."""

    def __init__(self, mark: Path, call: Callable[..., Any] = os.system) -> None:
        self.mark, self.call = mark, call

    def __reduce__(self) -> tuple[Any, ...]:
        if self.call is os.system:
            return (os.system, (f"touch {self.mark}",))
        return (self.call, (f"open({str(self.mark)!r}, 'w').close()",))


def _node(graph: Any, name: str, op: str, inputs: tuple[str, ...] = (), **attributes: Any) -> None:
    node = graph.node.add() if hasattr(graph, "node") else graph.node_def.add()
    node.name, node.op = name, op
    node.input.extend(inputs)
    for key, value in attributes.items():
        if isinstance(value, bytes):
            node.attr[key].s = value
        elif isinstance(value, bool):
            node.attr[key].b = value
        else:
            node.attr[key].type = value


def _text(graph: Any, name: str, text: str) -> None:
    _node(graph, name, "Const", dtype=STRING)
    tensor = (graph.node if hasattr(graph, "node") else graph.node_def)[-1].attr["value"].tensor
    tensor.dtype = STRING
    tensor.string_val.append(text.encode())


def _graph(op: str, mark: Path, count: int, **attributes: Any) -> Any:
    """A placeholder that goes to the output, and `op` on the mark's name beside it."""
    graph = message_class("GraphDef")()
    _node(graph, "x", "Placeholder", dtype=FLOAT)
    _text(graph, "mark", str(mark))
    _node(graph, "act", op, ("mark",) * count, **attributes)
    _node(graph, "y", "Identity", ("x", "^act"), T=FLOAT)
    return graph


# operator -> how many inputs, all of them the mark's name
OPERATORS: dict[str, int] = {
    "WriteFile": 2, "MatchingFiles": 1, "ReadFile": 1, "SaveV2": 4, "Save": 3, "SaveSlices": 4, "RestoreV2": 3,
    "Restore": 2, "MergeV2Checkpoints": 2, "WholeFileReaderV2": 0, "LoadAndRemapMatrix": 4, "DebugIdentityV2": 1,
    "DumpTensor": 1, "CreateSummaryFileWriter": 5, "CreateSummaryDbWriter": 5, "DatasetToTFRecord": 3,
    "SaveDatasetV2": 2, "SnapshotDatasetV2": 4, "CacheDatasetV2": 3, "SqlDataset": 3, "LMDBReader": 0, "LMDBDataset": 1,
    "DistributedSave": 3, "PyFunc": 1, "PyFuncStateless": 1, "EagerPyFunc": 1, "RpcCall": 3, "RpcServer": 1,
    "RegisterDatasetV2": 3, "DataServiceDatasetV4": 9, "RemoteCall": 2, "Abort": 0, "FileSystemSetConfiguration": 3,
    "InitializeTableFromTextFileV2": 2, "CalibrationStatisticsSaver": 1, "RequiresOlderGraphVersion": 0,
}  # fmt: skip


def tensorflow(folder: Path, mark: Path) -> dict[str, Path]:
    made = {}
    for op, count in OPERATORS.items():
        made[f"tf {op}"] = folder / f"{op}.pb"
        made[f"tf {op}"].write_bytes(_graph(op, mark, count).SerializeToString())
    printed = _graph("PrintV2", mark, 1, output_stream=f"file://{mark}".encode())
    made["tf PrintV2 to a file"] = folder / "print.pb"
    made["tf PrintV2 to a file"].write_bytes(printed.SerializeToString())

    within = message_class("GraphDef")()
    _node(within, "x", "Placeholder", dtype=FLOAT)
    _node(within, "call", "StatefulPartitionedCall", ("x",))
    within.node[-1].attr["f"].func.name = "hidden"
    function = within.library.function.add()
    function.signature.name = "hidden"
    _text(function, "mark", str(mark))
    _node(function, "act", "WriteFile", ("mark:output:0", "mark:output:0"))
    made["tf WriteFile in a function"] = folder / "function.pb"
    made["tf WriteFile in a function"].write_bytes(within.SerializeToString())

    made["tf WriteFile as text"] = folder / "text.pbtxt"
    made["tf WriteFile as text"].write_text(
        'node { name: "m" op: "Const" attr { key: "dtype" value { type: DT_STRING } } '
        'attr { key: "value" value { tensor '
        f'{{ dtype: DT_STRING tensor_shape {{ }} string_val: "{mark}" }} }} }} }}\n'
        'node { name: "act" op: "WriteFile" input: "m" input: "m" }\n'
    )
    saved = message_class("SavedModel")()
    saved.saved_model_schema_version = 1
    meta = saved.meta_graphs.add()
    meta.meta_info_def.tags.append("serve")
    meta.graph_def.CopyFrom(_graph("WriteFile", mark, 2))
    (folder / "saved").mkdir()
    (folder / "saved" / "saved_model.pb").write_bytes(saved.SerializeToString())
    made["tf SavedModel"] = folder / "saved"
    return made


def _zip(path: Path | io.BytesIO, members: dict[str, bytes]) -> bytes:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path.getvalue() if isinstance(path, io.BytesIO) else b""


def _program(
    call: str = "torch.ops.aten.relu.default",
    size: str = "s0 + 1",
    pickled: bool = False,
    guard: str = "",
    spec: str = "",
) -> dict[str, bytes]:
    graph = {
        "graph_module": {
            "graph": {"nodes": [{"target": call, "inputs": [], "outputs": [], "metadata": {}}]},
            "module_call_graph": [{"fqn": "", "signature": {"in_spec": spec, "out_spec": spec}}],
        },
        "range": {"as_expr": {"expr_str": size}},
        "guards_code": [guard] if guard else [],
    }
    weights = {"config": {"w": {"path_name": "weight_0", "use_pickle": pickled, "tensor_meta": None}}}
    return {
        "p/archive_format": b"pt2", "p/archive_version": b"0", "p/byteorder": b"little",
        "p/models/model.json": json.dumps(graph).encode(),
        "p/data/weights/model_weights_config.json": json.dumps(weights).encode(),
    }  # fmt: skip


def pickles(folder: Path, mark: Path) -> dict[str, Path]:
    evil = pickle.dumps(Touches(mark))
    torch_file = _zip(io.BytesIO(), {"m/data.pkl": evil, "m/version": b"3"})
    made: dict[str, Path] = {}
    plain = {
        "pickle.pkl": evil, "protocol0.pkl": pickle.dumps(Touches(mark), 0),
        "eval.pkl": pickle.dumps(Touches(mark, exec)),
        "legacy.pth": evil, "checkpoint.ckpt": evil, "weights.pt": torch_file, "weights.pth": torch_file,
    }  # fmt: skip
    for name, content in plain.items():
        made[f"pickle {name}"] = folder / name
        made[f"pickle {name}"].write_bytes(content)
    np.savez(folder / "objects.npz", good=np.ones(2), bad=np.array([Touches(mark)], object))
    np.save(folder / "objects.npy", np.array([Touches(mark)], object), allow_pickle=True)
    made |= {"pickle npz": folder / "objects.npz", "pickle npy": folder / "objects.npy"}
    archives = {
        "beside.pt": {"m/data.pkl": pickle.dumps({}), "m/version": b"3", "m/extra/hook.pkl": evil},
        "unnamed.pt": {"m/data.pkl": pickle.dumps({}), "m/version": b"3", "m/notes": evil},
        "sample.pt2": {**_program(), "p/data/sample_inputs/model.pt": torch_file},
        "twice.pt2": {**_program(), "p/extra/inner.pt2": _zip(io.BytesIO(), {"a/b.pt": torch_file})},
        "call.pt2": _program(call="torch.serialization.load"),
        "hub.pt2": _program(call="torch.hub.load"),
        "library.pt2": _program(call="torch.ops.load_library"),
        "size.pt2": _program(size=f"__import__('os').system('touch {mark}')"),
        "attribute.pt2": _program(size="s0.__class__"),
        "guard.pt2": _program(guard=f"__import__('os').system('touch {mark}')"),
        "file.pt2": _program(call="torch.ops.aten.from_file.default"),
        "save.pt2": _program(call="torch.ops.aten.save.default"),
        "getter.pt2": _program(call="_operator.attrgetter"),
        "walk.pt2": _program(call="torch._higher_order_ops.utils.os.system"),
        "import.pt2": _program(call="torch.ops.import_module.__call__"),
        "enumeration.pt2": _program(spec='[1, {"type": "builtins.dict", "context": "[{\\"__enum__\\": true}]"}]'),
        "weight.pt2": {**_program(pickled=True), "p/data/weights/weight_0": torch_file},
        "script.pt": {"m/data.pkl": evil, "m/version": b"3", "m/constants.pkl": evil, "m/code/__torch__.py": b"x"},
    }  # fmt: skip
    deep = torch_file
    for _ in range(6):
        deep = _zip(io.BytesIO(), {"m/in.pt": deep})
    archives["deep.pt"] = {"m/data.pkl": pickle.dumps({}), "m/version": b"3", "m/in.pt": deep}
    for name, members in archives.items():
        made[f"archive {name}"] = folder / name
        _zip(folder / name, members)
    return made


def keras(folder: Path, mark: Path) -> dict[str, Path]:
    def config(*layers: dict[str, Any]) -> dict[str, Any]:
        start = {
            "module": "keras.layers",
            "class_name": "InputLayer",
            "config": {"batch_shape": [None, 2], "name": "i"},
        }
        return {"module": "keras", "class_name": "Sequential", "config": {"name": "s", "layers": [start, *layers]}}

    code = {"class_name": "__lambda__", "config": {"code": "4wEAAAA=", "defaults": None, "closure": None}}
    layers = {
        "lambda": {"module": "keras.layers", "class_name": "Lambda", "config": {"name": "l", "function": code}},
        "torch": {
            "module": "keras.layers",
            "class_name": "TorchModuleWrapper",
            "config": {"name": "t", "module": "gA=="},
        },
        "saved": {"module": "keras.layers", "class_name": "TFSMLayer", "config": {"name": "f", "filepath": "/etc"}},
        "system": {"module": "os", "class_name": "function", "registered_name": "system", "config": {"name": "o"}},
        "numpy": {"module": "numpy.lib", "class_name": "load", "registered_name": "load", "config": {"name": "n"}},
    }
    buffer = io.BytesIO()
    with h5py.File(buffer, "w"):
        pass
    made = {}
    for name, layer in layers.items():
        made[f"keras {name}"] = folder / f"{name}.keras"
        members = {"config.json": json.dumps(config(layer)).encode(), "metadata.json": b"{}"}
        _zip(folder / f"{name}.keras", {**members, "model.weights.h5": buffer.getvalue()})
    linked = io.BytesIO()
    with h5py.File(linked, "w") as file:
        file["w"] = h5py.ExternalLink(str(mark.parent / "secret.h5"), "/w")
    members = {"config.json": json.dumps(config()).encode(), "metadata.json": b"{}"}
    _zip(folder / "linked.keras", {**members, "model.weights.h5": linked.getvalue()})
    made["keras weights with an external link"] = folder / "linked.keras"
    with h5py.File(folder / "lambda.h5", "w") as file:
        legacy = {"class_name": "Lambda", "config": {"name": "l", "function": ["4wEAAAA=", None, None]}}
        file.attrs["model_config"] = json.dumps(config(legacy))
    made["hdf5 lambda"] = folder / "lambda.h5"
    for name in ("external", "soft", "storage"):
        with h5py.File(folder / f"{name}.h5", "w") as file:
            file.attrs["model_config"] = json.dumps(config())
            if name == "external":
                file["w"] = h5py.ExternalLink("/etc/passwd", "/w")
            elif name == "soft":
                file["w"] = h5py.SoftLink("/elsewhere")
            else:
                file.create_dataset("w", (4,), "u1", external=[("/etc/passwd", 0, 4)])
        made[f"hdf5 {name} link"] = folder / f"{name}.h5"
    return made


def onnx_files(folder: Path, mark: Path) -> dict[str, Path]:
    made = {}
    for index, place in enumerate(
        ("../secret", "/etc/passwd", "/proc/self/environ", "a/../../secret", "..\\secret", "~/secret")
    ):
        tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2], data_location=TensorProto.EXTERNAL)
        tensor.external_data.add(key="location", value=place)
        x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
        graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g", [x], [y], [tensor])
        made[f"onnx data at {place}"] = folder / f"external{index}.onnx"
        made[f"onnx data at {place}"].write_bytes(helper.make_model(graph).SerializeToString())
    made["onnx that is a link"] = folder / "link.onnx"
    made["onnx that is a link"].symlink_to("/etc/passwd")
    made["onnx that is a pipe"] = folder / "pipe.onnx"
    os.mkfifo(made["onnx that is a pipe"])
    linked = folder / "linked" / "m.onnx"
    linked.parent.mkdir()
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="w.bin")
    (linked.parent / "w.bin").symlink_to("/etc/passwd")
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g", [x], [y], [tensor])
    onnx.save(helper.make_model(graph), linked)
    made["onnx data behind a link"] = linked
    return made


def custom_domains(folder: Path, mark: Path) -> dict[str, Path]:
    """Operators of libraries that nobody here has: what they would do is not known."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("evil", 1), helper.make_opsetid("ai.onnx.contrib", 1)]
    run = helper.make_node("Run", ["x"], ["y"], domain="evil", command=f"touch {mark}")
    python = helper.make_node("PyOp", ["x"], ["y"], domain="ai.onnx.contrib", code=f"open({str(mark)!r}, 'w')")
    truth = helper.make_tensor("c", TensorProto.BOOL, [], [True])
    branch = helper.make_graph([run], "b", [], [y])
    choice = [
        helper.make_node("Constant", [], ["c"], value=truth),
        helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch),
    ]
    function = helper.make_function("own", "F", ["x"], ["y"], [run], opsets)
    called = helper.make_node("F", ["x"], ["y"], domain="own")
    made = {}
    for name, nodes, functions in (
        ("operator", [run], []), ("Python operator", [python], []), ("operator in a branch", choice, []),
        ("operator in a function", [called], [function]),
    ):  # fmt: skip
        model = helper.make_model(
            helper.make_graph(nodes, "g", [x], [y]), functions=functions, ir_version=9,
            opset_imports=[*opsets, helper.make_opsetid("own", 1)],
        )  # fmt: skip
        made[f"onnx custom {name}"] = folder / f"custom {name}.onnx"
        made[f"onnx custom {name}"].write_bytes(model.SerializeToString())
    return made


def places(folder: Path, mark: Path) -> dict[str, Path]:
    """Pipes and links where files are expected."""
    made = {}
    for name in ("pipe.pt", "pipe.h5", "pipe.pb", "pipe.keras", "pipe.safetensors"):
        made[f"{name} that is a pipe"] = folder / name
        os.mkfifo(made[f"{name} that is a pipe"])
    piped = folder / "piped" / "m.onnx"
    piped.parent.mkdir()
    os.mkfifo(piped.parent / "w.bin")
    tensor = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[2], data_location=TensorProto.EXTERNAL)
    tensor.external_data.add(key="location", value="w.bin")
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [2]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Add", ["x", "w"], ["y"])], "g", [x], [y], [tensor])
    onnx.save(helper.make_model(graph), piped)
    made["onnx data in a pipe"] = piped
    with h5py.File(folder / "virtual.h5", "w") as file:
        file.attrs["model_config"] = json.dumps({"class_name": "Sequential", "config": {"name": "s", "layers": []}})
        layout = h5py.VirtualLayout(shape=(4,), dtype="u1")
        layout[:] = h5py.VirtualSource("/etc/passwd", "w", shape=(4,))
        file.create_virtual_dataset("w", layout)
    made["hdf5 virtual dataset of another file"] = folder / "virtual.h5"
    linked = folder / "linked_model"
    linked.mkdir()
    (linked / "saved_model.pb").symlink_to("/etc/passwd")
    made["SavedModel that is a link"] = linked
    return made


def odd_places(folder: Path) -> dict[str, Path]:
    """What `test_odd_places` reads in its own process."""
    from tests.walls import test_odd_places as odd  # it is a test itself, and would be collected again from here

    made = {}
    models = {f"onnx data named in {place}": make for place, make in odd.AWAY.items()}
    models |= {f"onnx function that {name}": make for name, (make, _) in odd.BOMBS.items()}
    for number, (name, make) in enumerate(models.items()):
        made[name] = folder / f"odd{number}.onnx"
        made[name].write_bytes(make().SerializeToString())
    for number, (name, (layer, _)) in enumerate(odd.LAYERS.items()):
        made[f"keras {name}"] = odd.keras(folder / f"odd{number}.keras", layer)
    return made


def write_all(folder: Path, mark: Path) -> dict[str, Path]:
    """Name -> path. Each is hostile; `mark` must never come to be."""
    folder.mkdir()
    return {
        **tensorflow(folder, mark), **pickles(folder, mark), **keras(folder, mark), **onnx_files(folder, mark),
        **custom_domains(folder, mark), **places(folder, mark),
    }  # fmt: skip
