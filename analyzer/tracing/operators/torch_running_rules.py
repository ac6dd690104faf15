"""torch: how a program runs, which changes no shape: profilers, compilers, generators' states, choices of kernels."""

from __future__ import annotations

from analyzer.tracing.language.contexts import NULL
from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, Instance, Layer, ListV, Native, Object, Value
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.operands import tensor_of
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.specs.broadcasting import promoted

_STATE = 5_056  # bytes of the state of PyTorch's generator of a processor


@operator("torch.get_rng_state torch.cuda.get_rng_state", "*device")
def state_of_generator(op: Op, device: tuple[Value, ...]) -> Value:
    sizes = (_STATE,) if op.name == "torch.get_rng_state" else (op.tr.fresh("state", "unknown"),)
    return Tensor(sizes, "uint8", "torch", site=op.where)


@operator("torch.cuda.get_rng_state_all", "")
def states_of_generators(op: Op) -> Value:
    return ListV((), True)


@operator(
    "torch.nn.attention.sdpa_kernel torch.backends.cuda.sdp_kernel torch.profiler.record_function "
    "torch.autograd.set_detect_anomaly torch.autograd.detect_anomaly torch.backends.cudnn.flags "
    "torch.autograd.graph.save_on_cpu torch.autograd.set_multithreading_enabled torch.cuda.nvtx.range "
    "torch._C.DisableTorchFunctionSubclass torch._C._AutoDispatchBelowAutograd "
    "torch.sparse.check_sparse_tensor_invariants",
    "*args",
)
def around(op: Op, args: tuple[Value, ...]) -> Value:
    """A context that does nothing to what is computed in it."""
    return Object(NULL, {}, {"value": None})


@operator("torch.profiler.profile torch.autograd.profiler.profile torch.autograd.profiler.emit_nvtx", "*args")
def profiler(op: Op, args: tuple[Value, ...]) -> Value:
    """The context is the profiler, whose `step` and `start` do nothing to what is computed."""
    made = Object(NULL, {}, {})
    made.data["value"] = made
    quiet = ("step", "start", "stop", "export_chrome_trace", "add_metadata", "export_stacks")
    made.attrs |= {name: Native(name, lambda c: None) for name in quiet}
    for name in ("key_averages", "events", "total_average"):
        made.attrs[name] = Native(name, lambda c: c.tr.unknown("what a profiler has seen", "data", pytype="object"))
    return made


@operator(
    "torch.profiler.schedule torch.profiler.tensorboard_trace_handler torch.autograd.graph.saved_tensors_hooks",
    "*args",
)
def of_a_profiler(op: Op, args: tuple[Value, ...]) -> Value:
    return op.tr.unknown(op.short, "data", op.short, "object")


@operator(
    "torch.compiler.disable torch._dynamo.disable torch.compiler.allow_in_graph torch.jit.unused", "fn=None *rest"
)
def as_it_is(op: Op, fn: Value, rest: tuple[Value, ...]) -> Value:
    """The function itself, or what gives it back where it is asked for with settings."""
    return Native(op.short, lambda c: c.get(0)) if fn is None else fn


@operator("torch.jit.annotate", "the_type the_value")
def annotated(op: Op, the_type: Value, the_value: Value) -> Value:
    return the_value


@operator(
    "torch.jit.freeze torch.jit.optimize_for_inference torch.nn.SyncBatchNorm.convert_sync_batchnorm", "mod *rest"
)
def same_module(op: Op, mod: Value, rest: tuple[Value, ...]) -> Value:
    """A module that computes what the given one does."""
    return mod if isinstance(mod, (Layer, Instance)) else op.tr.unknown("a module")


@operator("torch.promote_types", "type1 type2")
def promoted_types(op: Op, type1: Value, type2: Value) -> Value:
    return _type(op, promoted(dtype_name(type1), dtype_name(type2)))


@operator("torch.result_type", "tensor1 tensor2")
def type_of_result(op: Op, tensor1: Value, tensor2: Value) -> Value:
    """Of tensors with axes: what their types are promoted to; a number beside one keeps the tensor's kind."""
    kinds = [t.dtype if isinstance(t, Tensor) and t.dims else None for t in (tensor1, tensor2)]
    for kind, other in (kinds, tensor2), (kinds[::-1], tensor1):
        if type(other) is int and kind[0] is not None and kind[0] != "bool":
            return _type(op, kind[0])
        if type(other) is float and (kind[0] or "").startswith(("float", "bfloat", "complex")):
            return _type(op, kind[0])
    return _type(op, promoted(kinds[0], kinds[1]))


def _type(op: Op, kind: str | None) -> Value:
    return op.tr.unknown("an element type", label="dtype") if kind is None else Api(f"torch.{kind}")


@operator("torch.distributions.utils.broadcast_all", "*values")
def broadcast_all(op: Op, values: tuple[Value, ...]) -> Value:
    """Tensors and numbers, each stretched to the shape of all."""
    given = [tensor_of(op.tr, v, "torch") for v in values]
    if any(t is None or t.dims is None for t in given):
        return tuple(op.tr.unknown("a parameter") for _ in values)
    kind = next((t.dtype for t in given if t is not None and t.dims), None)
    told = [t for t in given if t is not None]
    tensors = [t if isinstance(v, Tensor) else Tensor((), kind, "torch") for t, v in zip(told, values, strict=True)]
    made = call(op.tr, Api("torch.broadcast_tensors"), tuple(tensors), {})
    return tuple(made.items) if isinstance(made, ListV) else made


@operator("torch.quasirandom.SobolEngine", "dimension *rest")
def sobol(op: Op, dimension: Value, rest: tuple[Value, ...]) -> Value:
    """`draw(n)` gives n points of that many coordinates."""
    width = op.tr.term_of(dimension)

    def draw(c: object) -> Value:
        count = c.get(0, "n", 1)  # type: ignore[attr-defined]
        rows = op.tr.term_of(count)
        return Tensor(None if rows is None or width is None else (rows, width), "float32", "torch", site=op.where)

    made = Object("sequence of points", {"dimension": dimension, "draw": Native("draw", draw)}, site=op.where)
    made.attrs |= {name: Native(name, lambda c: made) for name in ("reset", "fast_forward")}
    return made


@operator("torch.is_nonzero", "input")
def is_nonzero(op: Op, input: Value) -> Value:
    return op.tr.unknown("a truth of data", "data", pytype="bool")


@operator("torch.utils.checkpoint.get_device_states", "*args")
def no_devices(op: Op, args: tuple[Value, ...]) -> Value:
    """(devices, states): none of a processor."""
    return op.tr.unknown("devices", pytype="list"), op.tr.unknown("states", pytype="list")
