"""Shapes of ``keras.ops``, held against Keras: each call is run and traced, and must give the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import keras
import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore, read_source

CALLS = """
    ops.exp(a)                                | a=2,3
    ops.logical_not(a)                        | a=2,3
    ops.clip(a, 0.0, 1.0)                     | a=2,3
    ops.softmax(a, axis=1)                    | a=2,3,4
    ops.log_softmax(a)                        | a=2,3
    ops.cast(a, "int32")                      | a=2,3
    ops.convert_to_tensor(a, dtype="float32") | a=2,3
    ops.full_like(a, 2.0)                     | a=2,3
    ops.subtract(a, b)                        | a=3,1,4 b=5,4
    ops.power(a, 2)                           | a=3,4
    ops.logical_xor(a, b)                     | a=3,1 b=4
    ops.greater_equal(a, b)                   | a=3,1 b=4
    ops.where(a > 0, b, 0.0)                  | a=3,1 b=4
    ops.where(a > 0, b, a)                    | a=5 b=4,1
    ops.sum(a, axis=(0, 2))                   | a=2,3,4
    ops.var(a, -1, keepdims=True)             | a=2,3,4
    ops.logsumexp(a, axis=1)                  | a=2,3,4
    ops.all(a)                                | a=2,3
    ops.median(a, axis=0, keepdims=True)      | a=2,3
    ops.count_nonzero(a, axis=1)              | a=2,3
    ops.max(a, axis=[0, 1])                   | a=2,3,4
    ops.argmin(a)                             | a=2,3
    ops.argmax(a, axis=-1, keepdims=True)     | a=2,3
    ops.norm(a, axis=-1)                      | a=2,3
    ops.moments(a, axes=[0])[1]               | a=2,3
    ops.cumsum(a)                             | a=2,3
    ops.cumsum(a, axis=1)                     | a=2,3
    ops.cumprod(a, 0)                         | a=2,3
    ops.argsort(a)                            | a=2,3
    ops.sort(a, axis=0)                       | a=2,3
    ops.top_k(a, 2)[1]                        | a=5,3
    ops.take(a, [0, 2])                       | a=2,3
    ops.take(a, b, axis=1)                    | a=2,3,4 b=5,6:int32
    ops.take(a, 0, axis=-1)                   | a=2,3,4
    ops.take_along_axis(a, b, axis=1)         | a=2,3 b=2,1:int32
    ops.take_along_axis(a, b, 1)              | a=2,3 b=1,2:int32
    ops.split(a, 3, axis=1)[2]                | a=2,6
    ops.split(a, [1, 4], axis=-1)[2]          | a=2,6
    ops.array_split(a, 4)[3]                  | a=6,2
    ops.unstack(a, axis=1)[0]                 | a=2,3,4
    ops.tile(a, [2, 3])                       | a=2,3
    ops.tile(a, (2, 1, 3))                    | a=2,3
    ops.tile(a, 2)                            | a=2,3
    ops.repeat(a, 3)                          | a=2,3
    ops.repeat(a, 3, axis=-1)                 | a=2,3
    ops.pad(a, [[1, 2], [0, 3]])              | a=2,3
    ops.slice(a, (0, 1), (2, 2))              | a=2,3
    ops.slice_update(a, (0, 1), b)            | a=2,3 b=1,2
    ops.scatter_update(a, [[0, 1]], [2.0])    | a=2,3
    ops.one_hot(a, 7)                         | a=2,3:int32
    ops.one_hot(a, 7, axis=1)                 | a=2,3:int32
    ops.swapaxes(a, 0, -1)                    | a=2,3,4
    ops.moveaxis(a, 0, -1)                    | a=2,3,4,5
    ops.moveaxis(a, (0, 3), (1, 0))           | a=2,3,4,5
    ops.ravel(a)                              | a=2,3
    ops.broadcast_to(a, (4, 2, 3))            | a=2,3
    ops.full((2, 3), 1.0)                     | a=1
    ops.eye(3)                                | a=1
    ops.eye(3, 4)                             | a=1
    ops.identity(3)                           | a=1
    ops.tri(3, 2)                             | a=1
    ops.arange(7)                             | a=1
    ops.arange(1, 7, 2, dtype="float32")      | a=1
    ops.linspace(0.0, 1.0, 9)                 | a=1
    ops.hstack([a, b])                        | a=2,3 b=2,5
    ops.vstack([a, b])                        | a=2,3 b=4,3
    ops.meshgrid(a, b)[0]                     | a=2 b=3
    ops.meshgrid(a, b, indexing="ij")[1]      | a=2 b=3
    ops.dot(a, b)                             | a=2,3 b=5,3,4
    ops.dot(a, b)                             | a=2,3 b=3
    ops.outer(a, b)                           | a=2,3 b=4
    ops.binary_crossentropy(a, b)             | a=2,3 b=2,3
    ops.categorical_crossentropy(a, b)        | a=2,3 b=2,3
    ops.sparse_categorical_crossentropy(b, a) | a=2,3 b=2:int32
    ops.batch_normalization(a, b, b, -1)      | a=2,3 b=3
    ops.tril(a)                               | a=3,4
    ops.flip(a, axis=1)                       | a=3,4
    ops.roll(a, 2, axis=0)                    | a=3,4
    ops.conv(a, b)                            | a=2,9,8,3 b=3,2,3,6
    ops.conv(a, b, 2, "same")                 | a=2,9,8,4 b=3,3,2,6
    ops.conv(a, b, strides=(2, 1))            | a=2,9,8,3 b=3,3,3,6
    ops.conv(a, b, dilation_rate=2)           | a=2,9,3 b=3,3,6
    ops.depthwise_conv(a, b, 2)               | a=2,9,8,3 b=3,3,3,2
    ops.separable_conv(a, b, c)               | a=2,9,8,3 b=3,3,3,2 c=1,1,6,7
    ops.conv_transpose(a, b, 2)               | a=2,5,4,3 b=3,2,6,3
    ops.conv_transpose(a, b, 2, "same")       | a=2,5,4,3 b=3,3,6,3
    ops.max_pool(a, 2)                        | a=2,9,8,3
    ops.average_pool(a, (3, 2), 1, "same")    | a=2,9,8,3
    ops.max_pool(a, 3, strides=2)             | a=2,9,3
    ops.image.extract_patches(a, (3, 2))      | a=2,9,8,3
    ops.image.extract_patches(a, 3, strides=2, padding="same") | a=9,8,3
    ops.image.resize(a, (4, 5))               | a=2,9,8,3
    ops.image.rgb_to_grayscale(a)             | a=2,9,8,3
"""
CASES = [tuple(part.strip() for part in line.split("|")) for line in CALLS.strip().splitlines()]
REFUSED = """
    ops.sum(a, axis=2)                        | a=2,3
    ops.softmax(a, axis=3)                    | a=2,3
    ops.subtract(a, b)                        | a=2,3 b=4
    ops.where(a > 0, a, b)                    | a=2,3 b=2
    ops.split(a, 4, axis=1)                   | a=2,6
    ops.take_along_axis(a, b, axis=1)         | a=2,3 b=2:int32
    ops.dot(a, b)                             | a=2,3 b=4,3
    ops.binary_crossentropy(a, b)             | a=2,3 b=2
    ops.pad(a, [[1, 2], [0, 3], [0, 1]])      | a=2,3
    ops.swapaxes(a, 0, 2)                     | a=2,3
    ops.hstack([a, b])                        | a=2,3 b=3,3
    ops.conv(a, b)                            | a=2,9,8,3 b=3,3,4,6
    ops.conv(a, b)                            | a=2,9,3 b=3,3,3,6
    ops.depthwise_conv(a, b)                  | a=2,9,8,3 b=3,3,4,1
    ops.max_pool(a, (2, 2, 2))                | a=2,9,8,3
"""
WRONG = [tuple(part.strip() for part in line.split("|")) for line in REFUSED.strip().splitlines()]


def program(call: str, sizes: str) -> str:
    lines = ["from keras import ops"]
    for pair in sizes.split():
        name, _, rest = pair.partition("=")
        dims, _, dtype = rest.partition(":")
        lines.append(f"{name} = ops.zeros(({dims},), dtype='{dtype or 'float32'}')")
    return "\n".join([*lines, f"y = {call}", ""])


def traced(text: str, root: Path) -> Any:
    path = root / "program.py"
    path.write_text(text)
    _, tree = read_source(path, root)
    return explore(root, path.name, tree, Versions())


@pytest.mark.parametrize(("call", "sizes"), CASES, ids=[f"{call} of {sizes}" for call, sizes in CASES])
def test_a_function_has_the_shape_that_keras_gives(call: str, sizes: str, tmp_path: Path) -> None:
    text = program(call, sizes)
    scope: dict[str, Any] = {}
    exec(text, scope)
    shared = traced(text, tmp_path)
    assert not shared.problems
    assert not shared.unknown_calls
    last = text.count("\n")
    found = [t.dims for (_, line, _), tensors in shared.assigned.items() if line == last for t in tensors]
    assert found == [tuple(scope["y"].shape)]


@pytest.mark.parametrize(("call", "sizes"), WRONG, ids=[f"{call} of {sizes}" for call, sizes in WRONG])
def test_what_keras_refuses_is_an_error(call: str, sizes: str, tmp_path: Path) -> None:
    text = program(call, sizes)
    with pytest.raises(Exception):  # noqa: B017 - each backend has its own
        exec(text, {})
    problems = traced(text, tmp_path).problems.values()
    assert [(p.level, p.site.line) for p in problems] == [("error", text.count("\n"))]


NUMBERS = ("negative", "ptp", "sign", "relu", "hypot", "arctan2", "add")  # of which truths are none
OF_WHOLE = """
    abs sign negative square relu sqrt exp log sin sinc floor ceil sum prod mean std var median max ptp
    count_nonzero cumsum arctan2 hypot add
"""


@pytest.mark.parametrize("name", OF_WHOLE.split())
def test_what_functions_make_of_whole_numbers(name: str, tmp_path: Path) -> None:
    for kind in ("int32", "int64", "int8", "bool") if name not in NUMBERS else ("int32", "int64", "int8"):
        call = f"ops.{name}(a, a)" if name in ("arctan2", "hypot", "add") else f"ops.{name}(a)"
        text = program(call, f"a=2,3:{kind}")
        scope: dict[str, Any] = {"keras": keras}
        exec(text, scope)
        shared = traced(text, tmp_path)
        last = text.count("\n")
        found = [t.dtype for (_, line, _), tensors in shared.assigned.items() if line == last for t in tensors]
        assert found in ([keras.backend.standardize_dtype(scope["y"].dtype)], [None])
        assert found != [None] or kind in ("int8", "bool") or name in ("arctan2", "hypot")
