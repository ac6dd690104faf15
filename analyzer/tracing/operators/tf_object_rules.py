"""TensorFlow: objects and functions beside the tensors: checkpoints, records, writers, files, tables of words."""

from __future__ import annotations

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import DictV, ListV, Native, Object, Value
from analyzer.tracing.operators.bystanders import bystander
from analyzer.tracing.operators.keras_objects import STRATEGY
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import tensor

_TRAIN = """Example SequenceExample Feature Features FeatureList FeatureLists Int64List FloatList BytesList Checkpoint
    CheckpointManager CheckpointOptions Saver Coordinator ClusterSpec Server Scaffold"""
_OTHERS = """Graph summary.create_file_writer summary.FileWriter summary.create_noop_writer io.TFRecordWriter
    io.TFRecordOptions io.gfile.GFile gfile.GFile gfile.Open gfile.FastGFile python_io.TFRecordWriter GraphDef
    ConfigProto GPUOptions data.Options Summary summary.Summary RunOptions RunMetadata OptimizerOptions GraphOptions
    config.LogicalDeviceConfiguration config.experimental.VirtualDeviceConfiguration profiler.experimental.Profile
    profiler.experimental.Trace saved_model.SaveOptions saved_model.LoadOptions
    distribute.cluster_resolver.TPUClusterResolver distribute.cluster_resolver.TFConfigClusterResolver
    distribute.InputOptions distribute.RunOptions"""


@operator(
    " ".join((*(f"tf.train.{name}" for name in _TRAIN.split()), *(f"tf.{name}" for name in _OTHERS.split()))), "*args"
)
def beside(op: Op, args: tuple[Value, ...]) -> Value:
    return bystander(op.short, op.where, dict(op.extra.items()))


# ----------------------------------------------------------------------------------------------- strategies

_STRATEGIES = "MirroredStrategy TPUStrategy OneDeviceStrategy MultiWorkerMirroredStrategy ParameterServerStrategy"


@operator(
    " ".join(
        f"tf.distribute.{n} tf.distribute.experimental.{n}" for n in (*_STRATEGIES.split(), "CentralStorageStrategy")
    )
    + " tf.distribute.get_strategy",
    "*args",
)
def strategy(op: Op, args: tuple[Value, ...]) -> Value:
    """How many replicas there are is the machine's matter, but for those of one."""
    alone = op.short in ("OneDeviceStrategy", "get_strategy") or op.tr.sampler is not None
    count: Value = 1
    if not alone:
        count = op.tr.unknown("how many replicas there are", "data", "num_replicas_in_sync", "int")
        count.term = op.tr.fresh("num_replicas_in_sync", "machine", 1)
    return Object(STRATEGY, {"num_replicas_in_sync": count}, {}, op.where)


@operator("tf.distribute.has_strategy tf.distribute.in_cross_replica_context", "")
def asked_of_strategy(op: Op) -> Value:
    return op.tr.unknown(f"result of {op.name}", "data", f"{op.short}()", "bool")


# ---------------------------------------------------------------------------------------------- gradients


@operator("tf.gradients", "ys xs *rest")
def gradients(op: Op, ys: Value, xs: Value, rest: tuple[Value, ...]) -> Value:
    """One for each of a list, of its shape; None for what the results do not rest on."""
    if isinstance(xs, ListV) and xs.open:
        return op.tr.unknown("gradients", "imprecise")
    found = xs.items if isinstance(xs, ListV) else xs if type(xs) is tuple else (xs,)
    return ListV([_gradient(op, x) for x in found])


def _gradient(op: Op, value: Value) -> Value:
    source = tensor(op, value)
    if source is None:
        return op.tr.unknown("a gradient", "imprecise")
    told = frozenset(("may be None",))
    return Tensor(source.shape, source.dtype, "tf", site=op.where, sources=(source,), graph=source.graph, tags=told)


@operator("tf.no_gradient tf.NotDifferentiable tf.NoGradient", "op_type")
def without_gradient(op: Op, op_type: Value) -> Value:
    return None


@operator("tf.RegisterGradient", "op_type")
def registered_gradient(op: Op, op_type: Value) -> Value:
    """A decorator of the function of a gradient."""
    return Native("RegisterGradient", lambda c: c.get(0))


# ------------------------------------------------------------------------------------- branches by a number


@operator("tf.switch_case", "branch_index branch_fns=None default=None *rest")
def switch_case(op: Op, branch_index: Value, branch_fns: Value, default: Value, rest: tuple[Value, ...]) -> Value:
    functions = branch_fns.items if isinstance(branch_fns, ListV) else branch_fns if type(branch_fns) is tuple else ()
    if isinstance(branch_fns, DictV):
        functions = tuple(branch_fns.items.values())
    functions = [f[1] if type(f) is tuple and len(f) == 2 else f for f in functions]
    made = [call(op.tr, f, (), {}) for f in (*functions, *([] if default is None else [default])) if f is not None]
    tensors = [m for m in made if isinstance(m, Tensor)]
    if made and len(tensors) == len(made) and all(t.dims is not None and t.dims == tensors[0].dims for t in tensors):
        return tensors[0]
    return unknown_tensor(op, "tf", tuple(tensors))


# -------------------------------------------------------------------------------------------------- numbers


@operator("tf.train.get_global_step tf.train.get_or_create_global_step tf.train.create_global_step", "*args")
def global_step(op: Op, args: tuple[Value, ...]) -> Value:
    return Tensor((), "int64", "tf", site=op.where, tags=frozenset(("variable",)))


@operator("tf.as_string tf.strings.as_string", "input *rest")
def as_string(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, input)
    if source is None:
        return unknown_tensor(op, "tf")
    return Tensor(source.shape, "string", "tf", site=op.where, sources=(source,), graph=source.graph)


@operator("tf.io.read_file tf.read_file tf.io.serialize_tensor tf.io.encode_jpeg tf.io.encode_png tf.image.encode_jpeg "
          "tf.image.encode_png tf.io.encode_base64", "contents *rest")  # fmt: skip
def one_text(op: Op, contents: Value, rest: tuple[Value, ...]) -> Value:
    return Tensor((), "string", "tf", site=op.where)


@operator("tf.linalg.global_norm tf.global_norm", "t_list *rest")
def global_norm(op: Op, t_list: Value, rest: tuple[Value, ...]) -> Value:
    return Tensor((), None, "tf", site=op.where)


# ---------------------------------------------------------------------------------------- variables of graphs


@operator(
    "tf.trainable_variables tf.global_variables tf.local_variables tf.get_collection tf.model_variables "
    "tf.moving_average_variables tf.get_collection_ref",
    "*args",
)
def collection(op: Op, args: tuple[Value, ...]) -> Value:
    return ListV([], True)


@operator(
    "tf.variables_initializer tf.initialize_variables tf.report_uninitialized_variables",
    "*args",
)
def initialised(op: Op, args: tuple[Value, ...]) -> Value:
    return Tensor((), None, "tf", name="operation", graph=True)


@operator("tf.test.main", "*args")
def run_tests(op: Op, args: tuple[Value, ...]) -> Value:
    """Methods of test cases are found and followed on their own."""
    return None


@operator("tf.tpu.experimental.initialize_tpu_system tf.config.experimental_connect_to_cluster", "*args")
def cluster(op: Op, args: tuple[Value, ...]) -> Value:
    return op.tr.unknown("a cluster", "data", pytype="object")


@operator("tf.recompute_grad tf.grad_pass_through", "f")
def of_function(op: Op, f: Value) -> Value:
    return f
