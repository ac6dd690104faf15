"""What TensorFlow and Keras do with an instance, and the same instance for our types (operands that are constants)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from instances import Instance

from analyzer.validity.registry import spec
from analyzer.validity.spec import CheckResult, TensorType, check

Outputs = tuple[tuple[tuple[int, ...], str], ...]


def _complaint(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def run_tf(instance: Instance) -> Outputs | str:
    """Shapes and element types of the raw operator, or its complaint.

    Graph mode is asked first: some kernels end the process at a stride of 0, and oneDNN's convolutions hand back a
    meaningless tensor, without a word, where the kernel does not fit; shape inference refuses both.
    """
    import tensorflow as tf

    parameters = dict(instance.hyperparameters)
    try:
        with tf.Graph().as_default():
            traced = [tf.zeros(s, dtype=d) for s, d in zip(instance.shapes, instance.dtypes, strict=True)]
            _raw(tf, instance.operator, traced, parameters)
        tensors = [tf.zeros(s, dtype=d) for s, d in zip(instance.shapes, instance.dtypes, strict=True)]
        result = _raw(tf, instance.operator, tensors, parameters)
    except Exception as error:
        return _complaint(error)
    items = result if isinstance(result, (list, tuple)) else [result]
    return tuple((tuple(t.shape.as_list()), t.dtype.name) for t in items)


def _raw(tf: Any, operator: str, x: Sequence[Any], p: dict[str, Any]) -> Any:
    raw = tf.raw_ops
    match operator:
        case "Conv2D":
            return raw.Conv2D(input=x[0], filter=x[1], **p)
        case "DepthwiseConv2dNative":
            return raw.DepthwiseConv2dNative(input=x[0], filter=x[1], **p)
        case "MaxPool":
            return raw.MaxPool(input=x[0], **p)
        case "AvgPool":
            return raw.AvgPool(value=x[0], **p)
        case "MatMul":
            return raw.MatMul(a=x[0], b=x[1], **p)
        case "BatchMatMulV2":
            return raw.BatchMatMulV2(x=x[0], y=x[1])
        case "BiasAdd":
            return raw.BiasAdd(value=x[0], bias=x[1])
        case "ConcatV2":
            return raw.ConcatV2(values=list(x), axis=p["axis"])
        case "Pack":
            return raw.Pack(values=list(x), axis=p["axis"])
        case "Reshape":
            return raw.Reshape(tensor=x[0], shape=list(p["shape"]))
        case "Sum" | "Mean" | "Max":
            return getattr(raw, operator)(input=x[0], axis=p["axis"], keep_dims=p["keep"])
        case "ExpandDims":
            return raw.ExpandDims(input=x[0], axis=p["axis"])
        case "Squeeze":
            return raw.Squeeze(input=x[0], axis=[p["axis"]])
        case "ArgMax":
            return raw.ArgMax(input=x[0], dimension=p["axis"])
        case "Transpose":
            return raw.Transpose(x=x[0], perm=list(p["perm"]))
        case "Pad" | "MirrorPad":
            pads = [list(p["pads"][i : i + 2]) for i in range(0, len(p["pads"]), 2)]
            if operator == "Pad":
                return raw.Pad(input=x[0], paddings=pads)
            return raw.MirrorPad(input=x[0], paddings=pads, mode=p["mode"])
        case "Slice":
            return raw.Slice(input=x[0], begin=list(p["begin"]), size=list(p["size"]))
        case "StridedSlice":
            lists = {k: list(p[k]) for k in ("begin", "end", "strides")}
            return raw.StridedSlice(input=x[0], **lists, **{k: v for k, v in p.items() if k not in lists})
        case "Split":
            return raw.Split(axis=p["axis"], value=x[0], num_split=p["num_split"])
        case "GatherV2":
            return raw.GatherV2(params=x[0], indices=x[1], axis=p["axis"], batch_dims=p["batch_dims"])
        case "SparseSoftmaxCrossEntropyWithLogits" | "SoftmaxCrossEntropyWithLogits":
            return getattr(raw, operator)(features=x[0], labels=x[1])
        case "DepthToSpace" | "SpaceToDepth":
            return getattr(raw, operator)(input=x[0], **p)
    return getattr(raw, operator)(x=x[0], y=x[1])


def ours_tf(instance: Instance) -> CheckResult:
    """The same application for the type, with constant operands as values."""
    operands = [TensorType(s, d) for s, d in zip(instance.shapes, instance.dtypes, strict=True)]
    p = dict(instance.hyperparameters)
    match instance.operator:
        case "ConcatV2":
            operands.append(_scalar(p.pop("axis")))
        case "Reshape":
            operands.append(_vector(p.pop("shape")))
        case "Sum" | "Mean" | "Max":
            operands.append(_scalar(p.pop("axis")))
            p = {"keep_dims": p["keep"]}
        case "ExpandDims" | "ArgMax":
            operands.append(_scalar(p.pop("axis")))
            p = {}
        case "Squeeze":
            p = {"squeeze_dims": (p["axis"],)}
        case "Transpose":
            operands.append(_vector(p.pop("perm")))
        case "Pad" | "MirrorPad":
            flat = p.pop("pads")
            operands.append(TensorType((len(flat) // 2, 2), "int32", value=flat))
        case "Slice":
            operands += [_vector(p.pop("begin")), _vector(p.pop("size"))]
        case "StridedSlice":
            operands += [_vector(p.pop(k)) for k in ("begin", "end", "strides")]
        case "Split":
            operands = [_scalar(p.pop("axis")), *operands]
        case "GatherV2":
            operands.append(_scalar(p.pop("axis")))
    found = spec(instance.operator, "tf")
    assert found is not None, instance.operator
    return check(found, operands, p)


def _scalar(value: int) -> TensorType:
    return TensorType((), "int32", value=value)


def _vector(values: Sequence[int]) -> TensorType:
    return TensorType((len(values),), "int32", value=tuple(values))


def run_keras(instance: Instance) -> Outputs | str:
    """Shapes of the layer on zeros, or Keras's complaint."""
    import keras
    import tensorflow as tf

    tensors = [tf.zeros(s, dtype=d) for s, d in zip(instance.shapes, instance.dtypes, strict=True)]
    try:
        layer = getattr(keras.layers, instance.operator)(**instance.hyperparameters)
        if "Pooling" in instance.operator:  # a stride of 0 would end the process; Keras's own inference refuses it
            layer(*(keras.KerasTensor(s, d) for s, d in zip(instance.shapes, instance.dtypes, strict=True)))
        many = instance.operator in ("Add", "Subtract", "Multiply", "Maximum", "Concatenate", "Attention")
        result = layer(tensors) if many else layer(*tensors)
    except Exception as error:
        return _complaint(error)
    return ((tuple(result.shape), result.dtype.name),)


def ours_keras(instance: Instance) -> CheckResult:
    """The same application for the type."""
    found = spec(instance.operator, "keras")
    assert found is not None, instance.operator
    operands = [TensorType(s, d) for s, d in zip(instance.shapes, instance.dtypes, strict=True)]
    return check(found, operands, instance.hyperparameters)
