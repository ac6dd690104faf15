"""TensorFlow programs: sessions, tapes, optimizers, assignments, control flow, methods of tensors."""

from __future__ import annotations

from dataclasses import replace

from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.names import lookup
from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import Api, Function, ListV, Object, Partial, Value
from analyzer.tracing.operators.hyperparameters import dropped, plain
from analyzer.tracing.operators.keras_objects import learning_rate
from analyzer.tracing.operators.operands import as_numpy, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, tensor
from analyzer.tracing.paths.agreement import alike
from analyzer.validity.terms import equal

# ------------------------------------------------------------------------------------------ graph and session


@operator("tf.Session tf.InteractiveSession tf.train.MonitoredTrainingSession tf.train.MonitoredSession", "*args")
def session(op: Op, args: tuple[Value, ...]) -> Value:
    return Object("session", site=op.where)


@operator("tf.GradientTape", "*args")
def tape(op: Op, args: tuple[Value, ...]) -> Value:
    return Object("tape", site=op.where)


@operator(
    "tf.config.list_physical_devices tf.config.list_logical_devices "
    "tf.config.experimental.list_physical_devices tf.config.experimental.list_logical_devices",
    "device_type=None",
)
def devices(op: Op, device_type: Value) -> Value:
    """Whether the machine has accelerators stays as it is: asked again, a run gets the same answer."""
    if device_type not in ("GPU", "TPU", "XLA_GPU"):
        return op.tr.unknown(f"tf.config.{op.short}()", "foreign")
    if op.tr.sampler is not None:
        return ListV([])  # one run is followed, on a machine without accelerators
    name = f"{op.short} {device_type}"
    found = op.tr.machine.get(name)
    if found is None:
        found = op.tr.machine[name] = op.tr.unknown("what the machine has", "data", op.short, "list")
        number = found.attrs["len()"] = op.tr.unknown("how many the machine has", "data", f"len({op.short}())", "int")
        number.term = op.tr.fresh(number.label, "machine", 0)
    return found


_OPTIMIZERS = (
    "GradientDescentOptimizer AdamOptimizer AdagradOptimizer RMSPropOptimizer "
    "MomentumOptimizer AdadeltaOptimizer FtrlOptimizer"
)


@operator(
    " ".join(f"tf.train.{n}" for n in _OPTIMIZERS.split())
    + " "
    + " ".join(
        f"keras.optimizers.{n}"
        for n in [
            "Adam",
            "SGD",
            "RMSprop",
            "Adagrad",
            "AdamW",
            "Nadam",
            "Adadelta",
            "Adamax",
            "Ftrl",
            "Adafactor",
            "Lion",
            "Lamb",
            "Muon",
        ]
    )
    + " tf.optimizers.Adam tf.optimizers.SGD",
    "*args",
)
def optimizer(op: Op, args: tuple[Value, ...]) -> Value:
    given = op.extra.get("learning_rate", op.extra.get("lr", args[0] if args else None))
    rate = learning_rate(given)
    step = Tensor((), "int64", "tf", tags=frozenset(("variable",)))
    return Object("optimizer", {"learning_rate": rate, "lr": rate, "iterations": step}, site=op.where)


@operator(
    (
        "tf.global_variables_initializer tf.initialize_all_variables "
        "tf.local_variables_initializer tf.group tf.no_op tf.tables_initializer"
    ),
    "*args",
)
def initializer(op: Op, args: tuple[Value, ...]) -> Value:
    sources = tuple(a for a in args if isinstance(a, Tensor))
    return Tensor((), None, "tf", name="operation", sources=sources, graph=any(s.graph for s in sources))


@operator("tf.assign tf.assign_add tf.assign_sub", "ref value *rest")
def assign(op: Op, ref: Value, value: Value, rest: tuple[Value, ...]) -> Value:
    target, source = tensor(op, ref), tensor(op, value)
    if (
        target is None
        or source is None
        or target.dims is None
        or source.dims is None
        or op.extra.get("validate_shape") is False
    ):
        return unknown_tensor(op, "tf")
    sentence = (
        f"a value of shape {show_shape(source.dims)} cannot be assigned to a variable of shape "
        f"{show_shape(target.dims)}"
    )
    if len(target.dims) != len(source.dims):
        fail(op, "assign", sentence, (target, source))
    for p, q in zip(target.dims, source.dims, strict=True):
        require(op, equal(p, q), "assign", sentence, (target, source))
    return target


@operator(
    "tf.variable_scope tf.name_scope tf.device tf.control_dependencies "
    "tf.get_default_graph tf.get_variable_scope tf.init_scope "
    "tf.contrib.layers.l2_regularizer tf.summary.scalar tf.summary.histogram tf.summary.image tf.scalar_summary "
    "tf.print tf.get_logger",
    "*args",
)
def ignored(op: Op, args: tuple[Value, ...]) -> Value:
    return op.tr.unknown(op.short, "imprecise", op.short, "object")


@operator(
    "tf.set_random_seed tf.random.set_seed "
    "tf.add_to_collection tf.disable_v2_behavior tf.disable_eager_execution "
    "tf.enable_eager_execution tf.logging.set_verbosity tf.reset_default_graph tf.logging.info "
    "tf.enable_v2_behavior tf.compat.v1.disable_v2_behavior tf.debugging.set_log_device_placement",
    "*args",
)
def silent(op: Op, args: tuple[Value, ...]) -> Value:
    return None


@operator("tf.summary.merge_all tf.summary.merge tf.merge_all_summaries", "*args")
def summaries(op: Op, args: tuple[Value, ...]) -> Value:
    return Tensor((), "string", "tf", name="summary")


@operator("tf.function tf.autograph.experimental.do_not_convert tf.custom_gradient", "func=None *rest")
def function(op: Op, func: Value, rest: tuple[Value, ...]) -> Value:
    if isinstance(func, Function) and op.short == "function":
        func.compiled = True
    if isinstance(func, Function) and op.short == "custom_gradient":
        return replace(func, own_gradient=True)
    return Partial(Api(op.name), (), dict(op.extra)) if func is None else func  # a decorator, where it stands alone


@operator("tf.cond", "pred true_fn=None false_fn=None *rest")
def cond(op: Op, pred: Value, true_fn: Value, false_fn: Value, rest: tuple[Value, ...]) -> Value:
    results = [call(op.tr, f, (), {}) for f in (true_fn, false_fn) if f is not None]
    if len(results) == 2 and alike(results[0], results[1]):
        return results[0]
    return unknown_tensor(op, "tf")


@operator("tf.app.run", "main=None *rest")
def app_run(op: Op, main: Value, rest: tuple[Value, ...]) -> Value:
    target = main if main is not None else lookup(op.tr, "main")
    return call(op.tr, target, (op.tr.unknown("arguments", "data"),), {})


# -------------------------------------------------------------------------------------------- tensor methods


@operator("tf.Tensor.set_shape", "input shape")
def set_shape(op: Op, input: Value, shape: Value) -> Value:
    """A promise about the shape: it refines, it does not reshape."""
    source = input
    dims = plain(op.tr, shape)
    if not isinstance(source, Tensor) or dropped(dims) or not isinstance(dims, tuple):
        return None
    if source.dims is None:
        op.tr.set_rank(source, len(dims))
    assert source.dims is not None
    sentence = (
        f"set_shape {show_shape([d if d is not None else 'None' for d in dims])} contradicts "
        f"the shape {show_shape(source.dims)}; it cannot reshape"
    )
    if len(source.dims) != len(dims):
        fail(op, "set-shape", sentence, (source,))
    for have, want in zip(source.dims, dims, strict=True):
        if want is not None and not (isinstance(want, int) and want == -1):
            agrees = equal(have, want)
            if agrees is False:
                fail(op, "set-shape", sentence, (source,))
            op.tr.assume(agrees, "definition", op.where)  # a promise of the programmer
    return None


@operator("tf.ensure_shape", "x shape *rest")
def ensure_shape(op: Op, x: Value, shape: Value, rest: tuple[Value, ...]) -> Value:
    set_shape(op, x, shape)
    return x


@operator("tf.Tensor.assign tf.Tensor.assign_add tf.Tensor.assign_sub", "input value *rest")
def assign_method(op: Op, input: Value, value: Value, rest: tuple[Value, ...]) -> Value:
    return assign(op, input, value, ())


@operator(
    " ".join(f"tf.Tensor.scatter_nd_{n}" for n in ("update", "add", "sub", "max", "min"))
    + " "
    + " ".join(f"tf.Tensor.scatter_{n}" for n in ("update", "add", "sub", "max", "min", "mul", "div")),
    "input *rest",
)
def scattered(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    """The variable, some of whose rows were written."""
    if not isinstance(input, Tensor):
        return unknown_tensor(op, "tf")
    return Tensor(input.shape, input.dtype, "tf", site=op.where, sources=(input,), graph=input.graph, tags=input.tags)


@operator("tf.Tensor.sparse_read tf.Tensor.gather_nd", "input indices *rest")
def rows_read(op: Op, input: Value, indices: Value, rest: tuple[Value, ...]) -> Value:
    target = "tf.gather" if op.short == "sparse_read" else "tf.gather_nd"
    return call(op.tr, Api(target), (input, indices), {}, op.node)


@operator("tf.Tensor.numpy tf.Tensor.read_value tf.Tensor.value tf.Tensor.initialized_value", "input")
def read(op: Op, input: Value) -> Value:
    if not isinstance(input, Tensor):
        return unknown_tensor(op, "tf")
    if op.short == "numpy":
        return as_numpy(input, op.where)
    return like(op, input, input.shape, input.dtype, value=input.value)
