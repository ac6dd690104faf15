"""Bugs put into one layer of the model that a Keras worker has loaded; carried into the worker, undone afterwards.

A fault wraps the layer: it is called with other weights, other settings, other inputs, or what it gives is changed, as
a wrong kernel of that backend would change it. The four kinds of CRADLE come first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Weights = dict[str, np.ndarray]


@dataclass
class Faulty:
    """`operation` with a bug. `weights` and `settings` hold while it runs; `call` replaces the call itself."""

    operation: Any
    weights: Callable[[Weights], Weights] | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    call: Callable[..., Any] | None = None

    @property
    def _call_has_training_arg(self) -> bool:
        return getattr(self.operation, "_call_has_training_arg", False)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        old = {name: getattr(self.operation, name) for name in self.settings}
        kept = named(self.operation) if self.weights is not None else {}
        try:
            for name, value in self.settings.items():
                setattr(self.operation, name, value)
            if self.weights is not None:
                assign(self.operation, self.weights(dict(kept)))
            if self.call is not None:
                return self.call(self.operation, *args, **kwargs)
            return self.operation(*args, **kwargs)
        finally:
            for name, value in old.items():
                setattr(self.operation, name, value)
            if kept:
                assign(self.operation, kept)


def named(operation: Any) -> Weights:
    import keras

    return {w.path.rpartition("/")[2]: np.array(keras.ops.convert_to_numpy(w)) for w in operation.weights}


def assign(operation: Any, weights: Weights) -> None:
    for variable in operation.weights:
        variable.assign(weights[variable.path.rpartition("/")[2]])


def _kind(operation: Any, *names: str) -> bool:
    return type(operation).__name__ in names


CONVOLUTIONS = ("Conv2D", "DepthwiseConv2D", "SeparableConv2D", "Conv2DTranspose")


def _weight(operation: Any, name: str, change: Callable[[np.ndarray], np.ndarray]) -> Faulty | None:
    """The layer with one weight changed; None where it has no such weight or the change is none."""
    weights = named(operation)
    if name not in weights or np.array_equal(change(weights[name]), weights[name]):
        return None
    return Faulty(operation, weights=lambda w: {**w, name: change(w[name])})


def batch_norm_epsilon_outside(operation: Any) -> Faulty | None:
    """CRADLE: 1 / (sqrt(var) + eps) instead of 1 / sqrt(var + eps)."""
    if not _kind(operation, "BatchNormalization"):
        return None
    eps = operation.epsilon
    return _weight(operation, "moving_variance", lambda v: ((np.sqrt(v) + eps) ** 2 - eps).astype(v.dtype))


def padding_on_the_other_side(operation: Any) -> Faulty | None:
    """CRADLE: padding "same" that is shifted by one pixel."""
    if not _kind(operation, *CONVOLUTIONS, "MaxPooling2D", "AveragePooling2D"):
        return None
    size = getattr(operation, "kernel_size", None) or getattr(operation, "pool_size", (1, 1))
    if operation.padding != "same" or max(size) == 1:
        return None

    def shifted(layer: Any, x: Any) -> Any:
        from keras import ops

        return layer(ops.pad(x, ((0, 0), (1, 0), (1, 0), (0, 0)))[:, :-1, :-1, :])

    return Faulty(operation, call=shifted)


def pooling_counts_padding(operation: Any) -> Faulty | None:
    """CRADLE: padded cells counted in the mean; where nothing is padded, the maximum instead of the mean."""

    def counted(layer: Any, x: Any) -> Any:
        from keras import ops

        pads = []
        for size, stride, length in zip(layer.pool_size, layer.strides, x.shape[1:3]):  # noqa: B905
            total = max((-(-length // stride) - 1) * stride + size - length, 0)
            pads.append((total // 2, total - total // 2))
        return ops.average_pool(ops.pad(x, ((0, 0), *pads, (0, 0))), layer.pool_size, layer.strides, "valid")

    if _kind(operation, "AveragePooling2D") and operation.padding == "same":
        return Faulty(operation, call=counted)
    if _kind(operation, "GlobalAveragePooling2D"):
        return Faulty(operation, call=lambda layer, x: _ops().max(x, axis=(1, 2), keepdims=layer.keepdims))
    return None


def kernel_flipped(operation: Any) -> Faulty | None:
    """CRADLE: parameters organised for convolution instead of cross-correlation."""
    if not _kind(operation, *CONVOLUTIONS):
        return None
    return _weight(operation, _kernel(operation), lambda w: w[::-1, ::-1].copy())


def epsilon_of_another_size(operation: Any) -> Faulty | None:
    if not _kind(operation, "BatchNormalization", "LayerNormalization", "GroupNormalization"):
        return None
    return Faulty(operation, settings={"epsilon": 0.05})


def input_channels_rolled(operation: Any) -> Faulty | None:
    if not _kind(operation, "Dense", *CONVOLUTIONS):
        return None
    return _weight(operation, _kernel(operation), lambda w: np.roll(w, 1, axis=-2))


def bias_lost(operation: Any) -> Faulty | None:
    if not _kind(operation, "Dense", *CONVOLUTIONS):
        return None
    return _weight(operation, "bias", np.zeros_like)


def weights_in_bfloat16(operation: Any) -> Faulty | None:
    """A kernel that takes the upper half of each float32, unasked."""
    if not _kind(operation, "Dense", *CONVOLUTIONS):
        return None
    return _weight(operation, _kernel(operation), lambda w: (w.view(np.uint32) & 0xFFFF0000).view(np.float32))


def relu_leaks(operation: Any) -> Faulty | None:
    if not _activation(operation, "relu", "relu6"):
        return None
    return Faulty(operation, call=lambda layer, x: layer(x) + 0.1 * _ops().minimum(x, 0.0))


def activation_approximated(operation: Any) -> Faulty | None:
    """The cheap piecewise form of a smooth function."""
    if _activation(operation, "sigmoid"):
        return Faulty(operation, call=lambda _, x: _ops().hard_sigmoid(x))
    if _activation(operation, "silu", "swish"):
        return Faulty(operation, call=lambda _, x: _ops().hard_silu(x))
    if _activation(operation, "gelu"):
        return Faulty(operation, call=lambda _, x: x * _ops().sigmoid(1.702 * x))
    return None


def softmax_over_the_batch(operation: Any) -> Faulty | None:
    activation = getattr(getattr(operation, "activation", None), "__name__", "")
    if activation != "softmax":
        return None

    def wrong(layer: Any, x: Any, **options: Any) -> Any:
        return _ops().softmax(_ops().log(layer(x, **options) + 1e-12), axis=0)

    return Faulty(operation, call=wrong)


def sum_is_a_maximum(operation: Any) -> Faulty | None:
    if not _kind(operation, "Add"):
        return None
    return Faulty(operation, call=lambda _, values: _ops().maximum(values[0], values[1]))


def concatenated_backwards(operation: Any) -> Faulty | None:
    if not _kind(operation, "Concatenate"):
        return None
    return Faulty(operation, call=lambda layer, values: layer(values[::-1]) if _same_rows(values) else layer(values))


def scale_ignored(operation: Any) -> Faulty | None:
    if not _kind(operation, "BatchNormalization", "LayerNormalization", "GroupNormalization"):
        return None
    return _weight(operation, "gamma", np.ones_like)


def mean_ignored(operation: Any) -> Faulty | None:
    if not _kind(operation, "BatchNormalization"):
        return None
    return _weight(operation, "moving_mean", np.zeros_like)


def last_row_not_written(operation: Any) -> Faulty | None:
    """A loop bound that is one too small."""
    if not _kind(operation, *CONVOLUTIONS, "MaxPooling2D", "AveragePooling2D"):
        return None

    def short(layer: Any, x: Any) -> Any:
        ops = _ops()
        y = layer(x)
        return ops.concatenate([y[:, :-1], ops.zeros_like(y[:, -1:])], axis=1)

    return Faulty(operation, call=short)


FAULTS = (
    batch_norm_epsilon_outside, padding_on_the_other_side, pooling_counts_padding, kernel_flipped,
    epsilon_of_another_size, input_channels_rolled, bias_lost, weights_in_bfloat16, relu_leaks, activation_approximated,
    softmax_over_the_batch, sum_is_a_maximum, concatenated_backwards, scale_ignored, mean_ignored, last_row_not_written,
)  # fmt: skip


def inject(engine: Any, number: int, seed: list[int]) -> list[list[str]]:
    """Put `number` faults into different layers; gives [tensor that the layer makes, kind] for each."""
    restore(engine)
    if number == 0:
        return []
    rng = np.random.default_rng(seed)
    done: list[list[str]] = []
    for index in rng.permutation(len(FAULTS)):
        for place in rng.permutation(len(engine.steps)):
            step = engine.steps[place]
            if step.outputs[0] in [d[0] for d in done]:
                continue
            faulty = FAULTS[index](step.operation)
            if faulty is not None:
                step.operation = faulty
                done.append([step.outputs[0], FAULTS[index].__name__])
                break
        if len(done) == number:
            break
    return done


def restore(engine: Any) -> None:
    for step in engine.steps:
        if isinstance(step.operation, Faulty):
            step.operation = step.operation.operation


def _ops() -> Any:
    from keras import ops

    return ops


def _kernel(operation: Any) -> str:
    return "depthwise_kernel" if _kind(operation, "SeparableConv2D") else "kernel"


def _activation(operation: Any, *names: str) -> bool:
    kind = type(operation).__name__
    name = "relu" if kind == "ReLU" else getattr(getattr(operation, "activation", None), "__name__", "")
    return kind in ("ReLU", "Activation") and name in names


def _same_rows(values: Any) -> bool:
    return len({tuple(v.shape[:-1]) for v in values}) == 1
