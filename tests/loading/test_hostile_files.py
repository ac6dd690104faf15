"""Damaged and hostile files: whatever the bytes, one clear sentence and nothing else."""

from __future__ import annotations

import io
import os
import resource
import struct
import tempfile
import traceback
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from analyzer.loading.files import NotFetchedProblem, check_file
from analyzer.loading.formats import detect
from analyzer.loading.limits import Limits
from analyzer.loading.reading import load
from analyzer.loading.scan import scan
from analyzer.loading.search import find_models
from analyzer.loading.tensorflow_schema import message_class
from analyzer.loading.weights import open_weights
from analyzer.problem import TargetProblem


def onnx_model() -> bytes:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 2])
    weights = [numpy_helper.from_array(np.ones((3, 2), np.float32), "w"), numpy_helper.from_array(np.arange(2), "i")]
    branch = helper.make_graph(
        [helper.make_node("Neg", ["m"], ["b"])], "t", [], [helper.make_tensor_value_info("b", TensorProto.FLOAT, None)]
    )
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["m"], name="matmul"),
        helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(np.array(True))),
        helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=branch),
    ]
    graph = helper.make_graph(nodes, "g", [x], [y], weights)
    return bytes(helper.make_model(graph).SerializeToString())


def graphdef() -> bytes:
    graph = message_class("GraphDef")()

    def node(name: str, op: str, *inputs: str) -> Any:
        return graph.node.add(name=name, op=op, input=list(inputs))

    node("x", "Placeholder").attr["dtype"].type = 1
    constant = node("c", "Const").attr["value"].tensor
    constant.dtype = 1
    constant.tensor_shape.dim.add(size=4)
    constant.float_val.extend([1, 2])
    for name, op, inputs in (("a", "AddV2", ("x", "c")), ("call", "PartitionedCall", ("a", "^x"))):
        node(name, op, *inputs).attr["T"].type = 1
    graph.node[-1].attr["f"].func.name = "double"
    function = graph.library.function.add()
    function.signature.name = "double"
    function.signature.input_arg.add(name="v", type=1)
    function.signature.output_arg.add(name="r", type=1)
    function.ret["r"] = "sum:z:0"
    function.node_def.add(name="sum", op="AddV2", input=["v", "v"]).attr["T"].type = 1
    frame = [("enter", "Enter", ("x",)), ("merge", "Merge", ("enter", "next")), ("less", "Less", ("merge", "c")),
             ("cond", "LoopCond", ("less",)), ("switch", "Switch", ("merge", "cond")), ("exit", "Exit", ("switch",)),
             ("body", "Exp", ("switch:1",)), ("next", "NextIteration", ("body",))]  # fmt: skip
    for name, op, inputs in frame:
        node(name, op, *inputs).attr["T"].type = 1
    graph.node[4].attr["frame_name"].s = b"loop"
    return bytes(graph.SerializeToString())


def graphdef_text() -> bytes:
    from google.protobuf import text_format

    return text_format.MessageToString(message_class("GraphDef").FromString(graphdef())).encode()


def saved_model() -> bytes:
    model = message_class("SavedModel")(saved_model_schema_version=1)
    meta = model.meta_graphs.add()
    meta.meta_info_def.tags.append("serve")
    meta.graph_def.ParseFromString(graphdef())
    signature = meta.signature_def["serving_default"]
    signature.inputs["x"].name = "x:0"
    signature.outputs["y"].name = "call:0"
    return bytes(model.SerializeToString())


CONFIG = (
    b'{"class_name": "Sequential", "config": {"name": "s", "layers": [{"class_name": "InputLayer", "config": '
    b'{"batch_shape": [null, 3], "dtype": "float32", "name": "x"}}, {"module": "keras.layers", "class_name": "Dense", '
    b'"config": {"name": "d", "units": 2, "activation": "relu", "use_bias": true, "trainable": true}}]}}'
)


def hdf5(**datasets: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    with h5py.File(buffer, "w") as file:
        for name, value in datasets.items():
            file[name.replace("__", "/")] = value
        if any(name.startswith("model_weights") for name in datasets):
            file.attrs["model_config"] = CONFIG
    return buffer.getvalue()


def archive(members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return buffer.getvalue()


def keras_archive() -> bytes:
    weights = hdf5(layers__dense__vars__0=np.ones((3, 2), np.float32), layers__dense__vars__1=np.ones(2, np.float32))
    return archive({"config.json": CONFIG, "metadata.json": b'{"keras_version": "3.0"}', "model.weights.h5": weights})


def keras_h5() -> bytes:
    kernel, bias = np.ones((3, 2), np.float32), np.ones(2, np.float32)
    return hdf5(model_weights__d__d__kernel=kernel, model_weights__d__d__bias=bias)


def safetensors() -> bytes:
    header = (
        b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"I8","shape":[3],"data_offsets":[8,11]}}'
    )
    return struct.pack("<Q", len(header)) + header + bytes(11)


def torch_pickle() -> bytes:
    """What torch.save writes into data.pkl for {"w": a tensor of shape (2, 3)}, opcode by opcode."""
    return (
        b"\x80\x02}X\x01\x00\x00\x00wctorch._utils\n_rebuild_tensor_v2\n((X\x07\x00\x00\x00storagectorch\nFloatStorage\n"
        b"X\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x06tQK\x00K\x02K\x03\x86K\x03K\x01\x86\x89ccollections\nOrderedDict\n)RtRs."
    )


def torch_archive() -> bytes:
    return archive({"m/data.pkl": torch_pickle(), "m/byteorder": b"little", "m/data/0": bytes(24), "m/version": b"3\n"})


def npz(compressed: bool = False) -> bytes:
    buffer = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(buffer, a=np.ones((2, 3)), b=np.arange(4))
    return buffer.getvalue()


def checkpoint_index() -> bytes:
    """One block of entries, an index block, a footer; a table of LevelDB has these at least."""
    header = message_class("BundleHeaderProto")(num_shards=1).SerializeToString()
    entry = message_class("BundleEntryProto")(dtype=1, size=8, offset=0)
    entry.shape.dim.add(size=2)
    data = b"".join(struct.pack("BBB", 0, len(k), len(v)) + k + v
                    for k, v in ((b"", header), (b"v", entry.SerializeToString())))  # fmt: skip
    block = data + struct.pack("<II", 0, 1)
    body = block + b"\0" + bytes(4)
    meta = struct.pack("<II", 0, 1)
    meta_at = len(body)
    body += meta + b"\0" + bytes(4)
    handle = bytes([0, len(block)])
    index = struct.pack("BBB", 0, 1, len(handle)) + b"w" + handle + struct.pack("<II", 0, 1)
    index_at = len(body)
    body += index + b"\0" + bytes(4)
    footer = bytes([meta_at, len(meta), index_at, len(index)])
    return body + footer + bytes(40 - len(footer)) + b"\x57\xfb\x80\x8b\x24\x75\x47\xdb"


MAKERS: dict[str, Callable[[], bytes]] = {
    "m.onnx": onnx_model,
    "g.pb": graphdef,
    "g.pbtxt": graphdef_text,
    "saved_model.pb": saved_model,
    "m.keras": keras_archive,
    "m.h5": keras_h5,
    "w.safetensors": safetensors,
    "w.pt": torch_archive,
    "w.npz": npz,
    "c.npz": lambda: npz(compressed=True),
    "c.index": checkpoint_index,
}
WEIGHTS = ("w.safetensors", "w.pt", "w.npz", "c.npz", "c.index", "m.keras", "m.h5", "m.onnx")


@cache
def content(name: str) -> bytes:
    return MAKERS[name]()


def touch_everything(path: Path) -> None:
    """Open a file in every way there is; only `TargetProblem` may come out, with one line that ends in a full stop."""
    (path.parent / "c.data-00000-of-00001").write_bytes(bytes(8))
    for use in (_use_graph, _use_weights, scan):
        try:
            use(path)
        except TargetProblem as problem:
            text = str(problem)
            assert "\n" not in text, text
            assert text.rstrip().endswith((".", "…")), text
            assert len(text) < 1000, text


def touch_damaged(path: Path) -> None:
    """Like `touch_everything`, in a child for HDF5, whose C library can loop or crash on damaged files.

    That is why models are read in child processes with limits; a child that its limit ends is no failure.
    """
    if path.name not in ("m.h5", "m.keras"):
        touch_everything(path)
        return
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
        try:
            touch_everything(path)
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) <= 0


def _use_graph(path: Path) -> None:
    graph = load(path)
    for value in graph.graph.initializers.values():
        if value.const_value is not None:
            value.const_value.numpy()


def _use_weights(path: Path) -> None:
    for weight in open_weights(path).values():
        assert weight.array().shape == weight.shape


@pytest.mark.parametrize("name", MAKERS)
def test_undamaged(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(content(name))
    (tmp_path / "c.data-00000-of-00001").write_bytes(bytes(8))
    assert detect(path) is not None
    if name in WEIGHTS:
        _use_weights(path)
    if name in ("m.onnx", "g.pb", "g.pbtxt", "saved_model.pb", "m.keras", "m.h5"):
        assert len(load(path)) >= 2


RELAXED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("name", MAKERS)
@RELAXED
@given(data=st.data())
def test_truncated(tmp_path: Path, name: str, data: st.DataObject) -> None:
    whole = content(name)
    size = data.draw(st.integers(0, len(whole) - 1))
    path = tmp_path / name
    path.write_bytes(whole[:size])
    touch_damaged(path)


@pytest.mark.parametrize("name", MAKERS)
@RELAXED
@given(data=st.data())
def test_flipped_bits_and_spliced_bytes(tmp_path: Path, name: str, data: st.DataObject) -> None:
    damaged = bytearray(content(name))
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, max(len(damaged) - 1, 0)))
        action = data.draw(st.sampled_from(("flip", "set", "drop", "insert", "repeat")))
        if action == "flip":
            damaged[at] ^= 1 << data.draw(st.integers(0, 7))
        elif action == "set":
            damaged[at] = data.draw(st.sampled_from((0, 1, 0x7F, 0x80, 0xFF)))
        elif action == "drop":
            del damaged[at : at + data.draw(st.integers(1, 8))]
        elif action == "insert":
            damaged[at:at] = data.draw(st.binary(max_size=8))
        else:
            damaged[at:at] = damaged[at : at + 64]
        if not damaged:
            break
    path = tmp_path / name
    path.write_bytes(bytes(damaged))
    touch_damaged(path)


@RELAXED
@given(data=st.binary(max_size=200), name=st.sampled_from(sorted(MAKERS)))
def test_noise(tmp_path: Path, data: bytes, name: str) -> None:
    (tmp_path / name).write_bytes(data)
    touch_everything(tmp_path / name)


def test_things_that_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "real.onnx").write_bytes(content("m.onnx"))
    (tmp_path / "link.onnx").symlink_to(tmp_path / "real.onnx")
    os.mkfifo(tmp_path / "pipe.onnx")
    (tmp_path / "empty.onnx").write_bytes(b"")
    (tmp_path / "folder.onnx").mkdir()
    for name, reason in (
        ("link.onnx", "symbolic link"),
        ("pipe.onnx", "not a regular file"),
        ("empty.onnx", "is empty"),
        ("folder.onnx", "not a model"),
        ("missing.onnx", "No such file"),
        ("a\0b", "cannot be read"),
    ):
        with pytest.raises(TargetProblem, match=reason):
            load(tmp_path / name)
    os.link(tmp_path / "real.onnx", tmp_path / "hard.onnx")
    with pytest.raises(TargetProblem, match="2 hard links"):
        load(tmp_path / "hard.onnx")
    assert find_models(tmp_path) == [tmp_path / "hard.onnx", tmp_path / "real.onnx"]


def test_a_file_that_this_user_may_not_read_is_told_so(tmp_path: Path) -> None:
    """As another user where the tests run as root, whom no permission stops."""
    path = tmp_path / "m.onnx"
    path.write_bytes(content("m.onnx"))
    path.chmod(0)
    for folder in (tmp_path, *tmp_path.parents):
        if not folder.stat().st_mode & 1 and os.geteuid() == 0 and folder.is_relative_to(tempfile.gettempdir()):
            folder.chmod(folder.stat().st_mode | 0o011)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        said = "read"
        try:
            if os.geteuid() == 0:
                os.setuid(65534)
            check_file(path, 1 << 20)
        except BaseException as error:
            said = str(error)
        os.write(writer, said.encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 1000).decode().endswith("its permissions do not let this user; `chmod u+r` lets it.")


def test_lfs_pointers_are_found_and_not_fetched(tmp_path: Path) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12345\n"
    for name in ("m.onnx", "w.safetensors", "w.pt", "m.keras", "g.pb"):
        (tmp_path / name).write_bytes(pointer)
        for use in (load, open_weights):
            with pytest.raises(NotFetchedProblem, match="git lfs pull"):
                use(tmp_path / name)
        assert scan(tmp_path / name) == ()
    assert len(find_models(tmp_path)) == 5


def test_found_by_content_and_not_by_ending(tmp_path: Path) -> None:
    (tmp_path / "onnx-without-ending").write_bytes(content("m.onnx"))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "weights.dat").write_bytes(content("w.safetensors"))
    (tmp_path / "notes.onnx").write_text("to do: export the model\n")
    (tmp_path / "table.pb").write_bytes(bytes(range(256)))
    (tmp_path / "settings.json").write_text("{}")
    (tmp_path / "page.zip").write_bytes(archive({"index.html": b"<p>"}))
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "m.onnx").write_bytes(content("m.onnx"))
    expected = [tmp_path / "onnx-without-ending", tmp_path / "sub" / "weights.dat"]
    assert find_models(tmp_path) == expected
    assert find_models(tmp_path, ["sub/**"]) == expected[:1]
    assert find_models(tmp_path, ["sub"]) == expected[:1]
    assert find_models(tmp_path, ["*.dat", "onnx-*"]) == []
    assert find_models(tmp_path / "sub", root=tmp_path) == expected[1:]
    assert find_models(tmp_path / "sub", ["sub/weights*"], root=tmp_path) == []
    assert find_models(tmp_path / "sub", ["sub/**"], root=tmp_path) == expected[1:]  # named itself


def test_zip_bombs(tmp_path: Path) -> None:
    members = {"m/data.pkl": torch_pickle(), "m/data/0": bytes(50_000_000)}
    (tmp_path / "bomb.pt").write_bytes(archive(members, zipfile.ZIP_DEFLATED))
    with pytest.raises(TargetProblem, match=r"would unpack from .* to 47\.7 MiB"):
        open_weights(tmp_path / "bomb.pt", Limits(archive_ratio=500))
    (tmp_path / "many.npz").write_bytes(archive({f"{i}.npy": b"" for i in range(200)}))
    with pytest.raises(TargetProblem, match="200 members"):
        open_weights(tmp_path / "many.npz", Limits(archive_members=100))


def test_constants_larger_than_memory(tmp_path: Path) -> None:
    graph = message_class("GraphDef")()
    tensor = graph.node.add(name="huge", op="Const").attr["value"].tensor
    tensor.dtype = 1
    tensor.float_val.append(1)
    for _ in range(4):
        tensor.tensor_shape.dim.add(size=1 << 20)
    (tmp_path / "g.pb").write_bytes(graph.SerializeToString())
    with pytest.raises(TargetProblem, match="would take"):
        load(tmp_path / "g.pb")
    model = onnx.load_from_string(content("m.onnx"))
    model.graph.initializer.append(TensorProto(name="h", data_type=1, dims=[1 << 30, 1 << 30]))
    (tmp_path / "m.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(TargetProblem, match="would take"):
        load(tmp_path / "m.onnx")


def test_functions_that_multiply_without_end(tmp_path: Path) -> None:
    graph = message_class("GraphDef")()
    graph.node.add(name="x", op="Placeholder").attr["dtype"].type = 1
    graph.node.add(name="start", op="f0", input=["x"])
    for level in range(40):
        function = graph.library.function.add()
        function.signature.name = f"f{level}"
        function.signature.input_arg.add(name="v", type=1)
        function.signature.output_arg.add(name="r", type=1)
        function.ret["r"] = "b:r:0"
        op, output = (f"f{level + 1}", "r") if level < 39 else ("Neg", "y")
        function.node_def.add(name="a", op=op, input=["v"])
        function.node_def.add(name="b", op=op, input=[f"a:{output}:0"])
        if level == 39:
            function.ret["r"] = "b:y:0"
    (tmp_path / "g.pb").write_bytes(graph.SerializeToString())
    with pytest.raises(TargetProblem, match="nodes once its functions are inlined"):
        load(tmp_path / "g.pb", Limits(nodes=10_000))
    graph.library.function[3].node_def[0].op = "f0"
    (tmp_path / "g.pb").write_bytes(graph.SerializeToString())
    with pytest.raises(TargetProblem, match="too deeply, or without end"):
        load(tmp_path / "g.pb")


def field(number: int, content: bytes) -> bytes:
    """A length-delimited field of a protocol buffer."""
    size, length = len(content), b""
    while size >= 128:
        length, size = length + bytes([size & 127 | 128]), size >> 7
    return bytes([number << 3 | 2]) + length + bytes([size]) + content


@pytest.mark.parametrize("depth", [30, 90, 5000])
def test_graphs_inside_graphs(tmp_path: Path, depth: int) -> None:
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g", [], []).SerializeToString()
    for _ in range(depth):
        attribute = field(1, b"then_branch") + field(6, graph) + bytes([20 << 3, 1, 5])
        graph = field(1, field(4, b"If") + field(5, attribute)) + field(2, b"g")
    (tmp_path / "m.onnx").write_bytes(b"\x08\x08" + field(7, graph))
    touch_everything(tmp_path / "m.onnx")
    with pytest.raises(TargetProblem):
        load(tmp_path / "m.onnx")


def test_cycles_and_loose_ends(tmp_path: Path) -> None:
    def model(*nodes: Any) -> None:
        y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
        (tmp_path / "m.onnx").write_bytes(helper.make_model(helper.make_graph(nodes, "g", [], [y])).SerializeToString())

    model(helper.make_node("Neg", ["y"], ["z"]), helper.make_node("Neg", ["z"], ["y"]))
    with pytest.raises(TargetProblem, match="cycle"):
        load(tmp_path / "m.onnx")
    model(helper.make_node("Neg", ["nowhere"], ["y"]))
    with pytest.raises(TargetProblem, match="reads 'nowhere', which nothing makes"):
        load(tmp_path / "m.onnx")
    (tmp_path / "g.pbtxt").write_text('node { name: "a" op: "Neg" input: "b" } node { name: "b" op: "Neg" input: "a" }')
    with pytest.raises(TargetProblem, match="depends on itself"):
        load(tmp_path / "g.pbtxt")


def test_names_cannot_break_out_of_the_sentence(tmp_path: Path) -> None:
    name = "x\n::error::\x1b[31m\u202e" + "y" * 5000
    (tmp_path / "g.pb").write_bytes(
        message_class("GraphDef")(node=[{"name": "a", "op": "Neg", "input": [name]}]).SerializeToString()
    )
    with pytest.raises(TargetProblem) as problem:
        load(tmp_path / "g.pb")
    assert str(problem.value).isprintable()
    assert len(str(problem.value)) < 500
