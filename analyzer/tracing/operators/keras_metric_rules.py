"""``keras.metrics``: functions of targets and predictions, one number for each example."""

from __future__ import annotations

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, tensor


def _functions(home: str, words: str) -> str:
    return " ".join(f"{home}.{word}" for word in words.split())


_MEANS = """mean_squared_error mean_absolute_error mean_absolute_percentage_error mean_squared_logarithmic_error
    kl_divergence poisson hinge squared_hinge log_cosh"""


@operator(
    _functions("keras.metrics", f"{_MEANS} binary_accuracy")
    + " "
    + _functions(
        "keras.losses", "mean_absolute_percentage_error mean_squared_logarithmic_error kl_divergence poisson hinge"
    ),
    "y_true y_pred *rest",
)
def compared(op: Op, y_true: Value, y_pred: Value, rest: tuple[Value, ...]) -> Value:
    """Element by element, where both have as many axes; a mean over the last axis but of the `binary_accuracy`."""
    targets, predictions = tensor(op, y_true), tensor(op, y_pred)
    if targets is None or predictions is None or not targets.dims or not predictions.dims:
        return unknown_tensor(op, "tf")
    if len(targets.dims) != len(predictions.dims):
        return unknown_tensor(op, "tf", (targets, predictions))  # one of them is squeezed or expanded
    made = broadcast(op, "-", like(op, targets, targets.shape), predictions, "tf")  # Keras converts the targets
    if not isinstance(made, Tensor) or made.dims is None:
        return unknown_tensor(op, "tf", (targets, predictions))
    return like(op, made, made.dims if op.short == "binary_accuracy" else made.dims[:-1], None)


@operator(
    _functions("keras.metrics", "sparse_categorical_accuracy sparse_top_k_categorical_accuracy"), "y_true y_pred *rest"
)
def of_classes(op: Op, y_true: Value, y_pred: Value, rest: tuple[Value, ...]) -> Value:
    """Targets are numbers of classes, one for each row of predictions."""
    targets, predictions = tensor(op, y_true), tensor(op, y_pred)
    if targets is None or predictions is None or targets.dims is None or predictions.dims is None:
        return unknown_tensor(op, "tf")
    if len(targets.dims) != len(predictions.dims) - 1:
        return unknown_tensor(op, "tf", (targets, predictions))
    return like(op, predictions, targets.dims, None)
