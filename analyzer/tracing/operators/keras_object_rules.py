"""Keras: metrics, schedules, callbacks, policies and other objects that stand beside layers."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Api, DictV, Instance, ListV, Object, Unknown, Value
from analyzer.tracing.operators.bystanders import bystander
from analyzer.tracing.operators.element_types import default_float, dtype_name
from analyzer.tracing.operators.keras_custom_objects import registered
from analyzer.tracing.operators.keras_objects import METRIC, SCHEDULE, learning_rate
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import tensor
from analyzer.validity.terms import Poly, product

# ------------------------------------------------------------------------------------------------- metrics

_OF_ONE_NUMBER = """Mean Sum Accuracy BinaryAccuracy CategoricalAccuracy SparseCategoricalAccuracy
    TopKCategoricalAccuracy SparseTopKCategoricalAccuracy AUC PrecisionAtRecall RecallAtPrecision
    SensitivityAtSpecificity SpecificityAtSensitivity MeanIoU IoU BinaryIoU OneHotIoU OneHotMeanIoU MeanSquaredError
    RootMeanSquaredError MeanAbsoluteError MeanAbsolutePercentageError MeanSquaredLogarithmicError CosineSimilarity
    KLDivergence Poisson Hinge SquaredHinge CategoricalHinge LogCoshError BinaryCrossentropy CategoricalCrossentropy
    SparseCategoricalCrossentropy MeanMetricWrapper"""
_BY_THRESHOLD = "Precision Recall TruePositives TrueNegatives FalsePositives FalseNegatives"
_BY_CLASS = "F1Score FBetaScore R2Score MeanTensor MeanRelativeError"


@operator(" ".join(f"keras.metrics.{n}" for n in f"{_OF_ONE_NUMBER} {_BY_THRESHOLD} {_BY_CLASS}".split()), "*args")
def metric(op: Op, args: tuple[Value, ...]) -> Value:
    """Whether it gives one number: by several thresholds, or by classes, it gives more."""
    by_threshold = op.short in _BY_THRESHOLD.split()
    listed = by_threshold and not isinstance(
        op.extra.get("thresholds", args[0] if args else None), (int, float, type(None))
    )
    one = op.short not in _BY_CLASS.split() and not listed
    name = op.extra.get("name")
    return Object(METRIC, {"name": name} if isinstance(name, str) else {}, {"one": one, "name": op.short}, op.where)


# ----------------------------------------------------------------------------------------------- schedules

_SCHEDULES = """ExponentialDecay PolynomialDecay PiecewiseConstantDecay InverseTimeDecay CosineDecay
    CosineDecayRestarts"""
_RATES = """exponential_decay polynomial_decay cosine_decay inverse_time_decay piecewise_constant natural_exp_decay
    cosine_decay_restarts noisy_linear_cosine_decay linear_cosine_decay piecewise_constant_decay"""


@operator(
    " ".join(f"keras.optimizers.schedules.{name}" for name in _SCHEDULES.split())
    + " keras.experimental.CosineDecay keras.experimental.CosineDecayRestarts",
    "*args",
)
def schedule(op: Op, args: tuple[Value, ...]) -> Value:
    """A function of the step; the arguments are its attributes where they are named."""
    return Object(SCHEDULE, dict(op.extra.items()), {"name": op.short}, op.where)


@operator(
    " ".join(f"tf.train.{name}" for name in _RATES.split()),
    "*args",
)
def rate(op: Op, args: tuple[Value, ...]) -> Value:
    return Tensor((), None, "tf", site=op.where)


# ---------------------------------------------------------------------------------------------- callbacks

_CALLBACKS = """EarlyStopping ModelCheckpoint TensorBoard ReduceLROnPlateau LearningRateScheduler CSVLogger History
    LambdaCallback ProgbarLogger TerminateOnNaN BackupAndRestore RemoteMonitor BaseLogger CallbackList SwapEMAWeights"""


@operator(
    " ".join(f"keras.callbacks.{name}" for name in _CALLBACKS.split())
    + " keras.models.save_model keras.saving.save_model keras.utils.plot_model keras.utils.Progbar"
    + " keras.utils.model_to_dot keras.utils.print_summary",
    "*args",
)
def beside(op: Op, args: tuple[Value, ...]) -> Value:
    op.tr.forget((*args, *op.extra.values()))  # functions among them are called while it trains or tells
    return bystander(op.short, op.where, dict(op.extra.items()))


# ---------------------------------------------------------------------------------------- types and policies


@operator("keras.mixed_precision.Policy keras.DTypePolicy keras.dtype_policies.DTypePolicy", "name=None *rest")
def policy(op: Op, name: Value, rest: tuple[Value, ...]) -> Value:
    return _policy(op, name if isinstance(name, str) else None)


@operator(
    "keras.mixed_precision.global_policy keras.mixed_precision.dtype_policy keras.config.dtype_policy "
    "keras.dtype_policies.get",
    "identifier=None",
)
def policy_of_all(op: Op, identifier: Value) -> Value:
    if isinstance(identifier, Object):
        return identifier
    asked = identifier if isinstance(identifier, str) else None
    return _policy(op, asked if identifier is not None else None if op.tr.types_open else default_float(op.tr))


def _policy(op: Op, name: str | None) -> Value:
    if name is None:
        kinds = {"name": "str", "compute_dtype": "str", "variable_dtype": "str"}
        return bystander(
            "policy", op.where, {k: op.tr.unknown("a policy", "foreign", k, kind) for k, kind in kinds.items()}
        )
    computed, kept = (name.removeprefix("mixed_"), "float32") if name.startswith("mixed_") else (name, name)
    return bystander("policy", op.where, {"name": name, "compute_dtype": computed, "variable_dtype": kept})


@operator("keras.backend.standardize_dtype", "dtype")
def standardised(op: Op, dtype: Value) -> Value:
    """A type's name, as a text; without one the default."""
    if dtype is None:
        return default_float(op.tr) or op.tr.unknown("an element type", "foreign", pytype="str")
    found = dtype if isinstance(dtype, str) and dtype not in ("int", "float") else dtype_name(dtype)
    return op.tr.unknown("an element type", "foreign", "dtype", "str") if found is None else found


@operator("keras.backend.dtype", "x")
def type_of(op: Op, x: Value) -> Value:
    source = tensor(op, x)
    known = source is not None and source.dtype is not None
    return source.dtype if source is not None and known else op.tr.unknown("an element type", "foreign", "dtype", "str")


@operator("keras.backend.get_uid", "prefix=''")
def number_of(op: Op, prefix: Value) -> Value:
    return op.tr.unknown("a number", "data", "get_uid()", "int")


@operator("keras.backend.count_params", "x")
def count_params(op: Op, x: Value) -> Value:
    source = tensor(op, x)
    known = source is not None and source.dims is not None and all(isinstance(d, (int, Poly)) for d in source.dims)
    return (
        product(source.dims)
        if source is not None and source.dims is not None and known
        else op.tr.fresh("count", "unknown", 0)
    )


@operator("keras.backend.set_value keras.backend.batch_set_value keras.backend.set_session "
          "keras.backend.manual_variable_initialization keras.backend.set_learning_phase "
          "keras.backend.reset_uids keras.config.enable_unsafe_deserialization "
          "keras.config.disable_traceback_filtering "
          "keras.config.enable_traceback_filtering keras.config.enable_interactive_logging "
          "keras.config.disable_interactive_logging keras.config.enable_flash_attention", "*args")  # fmt: skip
def quiet(op: Op, args: tuple[Value, ...]) -> Value:
    return None


# --------------------------------------------------------------------------------------------------- chance


@operator("keras.random.SeedGenerator", "seed=None *rest")
def seeds(op: Op, seed: Value, rest: tuple[Value, ...]) -> Value:
    return bystander("SeedGenerator", op.where, {"seed": seed})


# ------------------------------------------------------------------------------------------ optimizers, losses


@operator("keras.optimizers.get keras.optimizers.deserialize", "identifier *rest")
def optimizer(op: Op, identifier: Value, rest: tuple[Value, ...]) -> Value:
    own = registered(op.tr, identifier)
    if isinstance(identifier, (Object, Instance)):
        return identifier
    if own is not None or isinstance(identifier, Unknown):
        return op.tr.unknown("an optimizer", "imprecise", pytype="object")
    step = Tensor((), "int64", "tf", tags=frozenset(("variable",)))
    return Object("optimizer", {"iterations": step, "learning_rate": learning_rate(None)}, site=op.where)


@operator(
    "keras.losses.get keras.losses.deserialize keras.metrics.get keras.metrics.deserialize",
    "identifier *rest",
)
def loss(op: Op, identifier: Value, rest: tuple[Value, ...]) -> Value:
    """A function of a name, an object of plain data; anything else is the loss itself."""
    home = op.name.rpartition(".")[0]
    if isinstance(identifier, str):
        own = registered(op.tr, identifier)
        return own if own is not None else Api(f"{home}.{_LONG.get(identifier.lower(), identifier)}")
    if isinstance(identifier, DictV):
        return op.tr.unknown("a loss", "imprecise", pytype="object")
    return identifier


_LONG = {
    "mse": "mean_squared_error", "mae": "mean_absolute_error", "mape": "mean_absolute_percentage_error",
    "msle": "mean_squared_logarithmic_error", "kld": "kl_divergence",
}  # fmt: skip


@operator("keras.losses.serialize keras.metrics.serialize keras.optimizers.serialize "
          "keras.optimizers.schedules.serialize", "value *rest")  # fmt: skip
def as_data(op: Op, value: Value, rest: tuple[Value, ...]) -> Value:
    if isinstance(value, Api):
        return value.name.rpartition(".")[2]
    return op.tr.unknown("plain data", "foreign", pytype="object")


# -------------------------------------------------------------------------------------------------- pictures


@operator("keras.utils.normalize", "x *rest")
def normalised(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, x)
    return op.tr.unknown("an array") if source is None else Tensor(source.shape, None, "numpy", site=op.where)


@operator("keras.utils.img_to_array keras.preprocessing.image.img_to_array", "img data_format=None *rest")
def array_of_picture(op: Op, img: Value, data_format: Value, rest: tuple[Value, ...]) -> Value:
    """(height, width, channels), of a table with one channel."""
    source = img if isinstance(img, Tensor) else None
    if source is None or source.dims is None or data_format not in (None, "channels_last"):
        sizes = tuple(op.tr.fresh(name, "unknown", 1) for name in ("height", "width", "channels"))
        return Tensor(sizes if data_format in (None, "channels_last") else None, "float32", "numpy", site=op.where)
    if len(source.dims) not in (2, 3):
        return Tensor(None, "float32", "numpy", site=op.where)
    return Tensor(source.dims if len(source.dims) == 3 else (*source.dims, 1), "float32", "numpy", site=op.where)


# ------------------------------------------------------------------------------------------------- demands


@operator(
    "keras.InputSpec keras.layers.InputSpec keras.engine.InputSpec",
    "dtype=None shape=None ndim=None max_ndim=None min_ndim=None axes=None *rest",
)
def input_spec(
    op: Op, dtype: Value, shape: Value, ndim: Value, max_ndim: Value, min_ndim: Value, axes: Value, rest: Value
) -> Value:
    """What a layer demands of its input: the numbers of axes are kept as they are given, a shape tells its own."""
    names = ("dtype", "shape", "axes", "name", "optional", "allow_last_axis_squeeze", "get_config")
    kept: dict[str, Value] = {name: op.tr.unknown(f"the {name} of a demand", "imprecise") for name in names}
    if shape is None:
        kept.update(shape=None, ndim=ndim)
    else:
        sizes = _count(shape)
        kept["ndim"] = op.tr.unknown("a number of axes", "imprecise") if sizes is None else sizes
    return Object("an InputSpec", {**kept, "max_ndim": max_ndim, "min_ndim": min_ndim}, site=op.where)


def _count(shape: Value) -> int | None:
    """How many sizes a shape has, where that is known."""
    if isinstance(shape, ListV):
        return None if shape.open else len(shape.items)
    return len(shape) if isinstance(shape, tuple) else None
