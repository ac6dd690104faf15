"""Random TensorFlow 2, Keras and TensorFlow 1 scripts: see `tracing_scripts`."""

from __future__ import annotations

import random
from typing import Any

from tracing_scripts import Draw, Step, StepMaker, Text, applied, chain, inline

HEAD = (
    "import argparse",
    "import numpy as np",
    "import tensorflow as tf",
    "import keras",
    "from keras import layers",
    "",
)
HEAD_1 = ("import numpy as np", "import tensorflow.compat.v1 as tf", "")
RELU, SAME = ", activation='relu'", ", padding='same'"


def layer(text: str) -> Step:
    return Step("{l}({x})", f"layers.{text}", plain=True)


# --------------------------------------------------------------------------------------------- Keras layers


def dense(d: Draw) -> Step | None:
    if len(d.shape) < 2 and not d.slip():
        return None
    more = d.pick("", RELU, ", use_bias=False")
    return layer(f"Dense({d.pick(2, 3, 5)}{more})")


def conv(d: Draw) -> Step | None:
    rank = len(d.shape)
    if rank not in (3, 4):
        return None
    n = rank - 2 if not d.slip() else 5 - rank
    more = d.pick("", ", padding='same'", ", strides=2", ", strides=2, padding='same'", ", dilation_rate=2")
    kind = d.pick("Conv", "Conv", "Conv", "SeparableConv", "DepthwiseConv", "ConvTranspose")
    kernel = d.pick(1, 2, 3, 3, 5)
    if kind == "ConvTranspose":
        more = d.pick("", ", strides=2", SAME)
        return layer(f"Conv{n}DTranspose({d.pick(2, 3)}, {kernel}{more})")
    if kind == "DepthwiseConv":
        more = d.pick("", SAME, ", depth_multiplier=2")
        return layer(f"DepthwiseConv{n}D({kernel}{more})")
    return layer(f"{kind}{n}D({d.pick(2, 3, 4)}, {kernel}{more})")


def pool(d: Draw) -> Step | None:
    rank = len(d.shape)
    if rank not in (3, 4):
        return None
    n = rank - 2 if not d.slip() else 5 - rank
    kind = d.pick("MaxPooling", "AveragePooling", "GlobalAveragePooling", "GlobalMaxPooling")
    if kind.startswith("Global"):
        return layer(f"{kind}{n}D({d.pick('', 'keepdims=True')})")
    more = d.pick("", "", ", strides=1", ", padding='same'")
    return Step("{l}({x})", f"layers.{kind}{n}D({d.pick(2, 2, 3)}{more})", plain=True, again=True)


def same(d: Draw) -> Step | None:
    name = d.pick(
        "Activation('relu')", "ReLU()", "Dropout(0.5)", "BatchNormalization()", "LayerNormalization()", "LeakyReLU()",
        "Softmax()", "GaussianNoise(0.1)",
    )  # fmt: skip
    return Step("{l}({x})", f"layers.{name}", plain=True, again=True) if len(d.shape) > 1 else None


def shapes(d: Draw) -> Step | None:
    rank = len(d.shape)
    if rank < 2:
        return None
    rest = 1
    for v in d.shape[1:]:
        rest *= v
    options = ["Flatten()", f"Reshape((-1, {d.pick(1, d.off(d.shape[-1]))}))", f"Reshape(({d.off(rest)},))"]
    if rank == 2:
        options += [f"RepeatVector({d.pick(1, 2, 3)})"]
    if rank == 3:
        options += ["Permute((2, 1))", "UpSampling1D(2)", "ZeroPadding1D(1)", f"Cropping1D({d.pick(1, 2)})"]
        options += [f"Permute(({d.pick(1, 2)}, {d.pick(2, 3)}))"] if d.slip() else []
    if rank == 4:
        options += ["Permute((3, 1, 2))", "UpSampling2D(2)", "ZeroPadding2D((1, 2))", f"Cropping2D({d.pick(1, 2, 3)})"]
    return layer(d.rng.choice(options))


def recurrent(d: Draw) -> Step | None:
    rank = len(d.shape)
    if rank != 3 and not (d.slip() and rank in (2, 4)):
        return None
    kind = d.pick("LSTM", "GRU", "SimpleRNN")
    more = d.pick("", ", return_sequences=True")
    text = f"{kind}({d.pick(2, 3)}{more})"
    return layer(f"Bidirectional(layers.{text})" if d.pick(True, False, False) else text)


def wrapped(d: Draw) -> Step | None:
    if len(d.shape) not in (3, 4):
        return None
    return layer(f"TimeDistributed(layers.Dense({d.pick(2, 3)}))")


def joined(d: Draw) -> Step | None:
    rank = len(d.shape)
    if rank < 2:
        return None
    axis = d.rng.randrange(1, rank)
    other = [d.shape[0], *[d.off(v) if i != axis else d.pick(1, v) for i, v in enumerate(d.shape) if i]]
    alike = [d.shape[0], *[d.off(v) for v in d.shape[1:]]]
    kind = d.pick("Add", "Multiply", "Average", "Maximum", "Concatenate")
    if kind == "Concatenate":
        return Step(f"{{l}}([{{x}}, tf.zeros({other})])", f"layers.Concatenate(axis={d.pick(axis, axis - rank)})")
    return Step(f"{{l}}([{{x}}, tf.zeros({alike})])", f"layers.{kind}()")


def attention(d: Draw) -> Step | None:
    if len(d.shape) != 3:
        return None
    return Step("{l}({x}, {x})", f"layers.MultiHeadAttention(num_heads={d.pick(1, 2)}, key_dim={d.pick(2, 3)})")


def lookup(d: Draw) -> Step | None:
    if len(d.shape) > 2:
        return None
    return Step("{l}(tf.cast({x} * 0, tf.int32))", f"layers.Embedding(4, {d.pick(2, 3)})")


LAYERS: tuple[StepMaker, ...] = (
    dense, dense, conv, conv, pool, pool, same, same, shapes, shapes, recurrent, wrapped, joined, attention, lookup,
)  # fmt: skip


# ------------------------------------------------------------------------------------------- TensorFlow functions


def _known(d: Draw) -> bool:
    return -1 not in d.shape[1:]


def reshape(d: Draw) -> Step | None:
    shape = list(d.shape)
    if not shape or not _known(d):
        return None
    rest = 1
    for v in shape[1:]:
        rest *= v
    kind = d.pick("flat", "rows", "split", "shape", "same")
    if kind == "flat":
        target = "[-1]"
    elif kind == "rows":
        target = f"[-1, {d.off(rest)}]"
    elif kind == "split":
        i = d.rng.randrange(1, len(shape)) if len(shape) > 1 else 0
        if shape[i] < 1:
            return None
        factor = d.pick(1, 2, 3)
        target = str(
            [-1 if not j and shape[0] == -1 else v for j, v in enumerate(shape[:i])]
            + [factor, shape[i] // factor]
            + shape[i + 1 :]
        )
        if "-1" in target and i == 0:
            return None
    elif kind == "shape":
        target = f"[tf.shape({{x}})[0], {d.off(rest)}]"
    else:
        target = str([-1, *[d.off(v) for v in shape[1:]]])
    return Step(f"tf.reshape({{x}}, {target})")


def layout(d: Draw) -> Step | None:
    rank = len(d.shape)
    if rank < 2:
        return None
    order = list(range(rank))
    d.rng.shuffle(order)
    if d.slip():
        order = d.pick(order[:-1], [*order, rank])
    return Step(
        d.pick(
            f"tf.transpose({{x}}, {order})",
            f"tf.transpose({{x}}, perm={order})",
            "tf.transpose({x})",
            f"tf.expand_dims({{x}}, {d.rng.randrange(-rank - 1, rank + 1) if not d.slip() else rank + 1})"
            if rank < 5
            else "tf.identity({x})",
            f"tf.squeeze({{x}}, [{d.axis(rank)}])"
            if d.slip() or 1 not in d.shape
            else f"tf.squeeze({{x}}, axis={d.shape.index(1)})",
            f"tf.reverse({{x}}, [{d.axis(rank)}])",
        )
    )


def index(d: Draw) -> Step | None:
    rank = len(d.shape)
    if not rank or not _known(d):
        return None
    last = d.shape[-1]
    if last < 1:
        return None
    at = d.rng.randrange(-last, last) if not d.slip() else last
    return Step(
        d.pick(
            "{x}[:, 1:]" if rank > 1 else "{x}[1:]",
            f"{{x}}[..., {at}]" if rank > 1 else "{x}[:-1]",
            "{x}[..., tf.newaxis]" if rank < 5 else "{x}[...]",
            f"{{x}}[{', '.join([':'] * (rank if not d.slip() else rank + 1))}]",
            "{x}[:, ::2]" if rank > 1 else "{x}[::2]",
            f"tf.gather({{x}}, [0, 0], axis={d.axis(rank)})",
            f"tf.slice({{x}}, {[0] * rank}, {[-1] * (rank - 1) + [d.off(last)]})",
        )
    )


def pieces(d: Draw) -> Step | None:
    rank = len(d.shape)
    if rank < 2 or not _known(d):
        return None
    axis = d.rng.randrange(1, rank)
    length = d.shape[axis]
    if length < 1:
        return None
    parts = next((p for p in (3, 2) if length % p == 0), 1) if not d.slip() else d.pick(2, 3)
    other = [1 if d.shape[0] == -1 else d.shape[0], *[d.off(v) for v in d.shape[1:]]]
    return Step(
        d.pick(
            f"tf.split({{x}}, {parts}, axis={axis})[0]",
            f"tf.split({{x}}, [{d.pick(0, 1)}, {max(0, d.off(length - 1, 0))}], axis={axis})[0]",
            f"tf.unstack({{x}}, axis={axis})[0]",
            f"tf.concat([{{x}}, {{x}}], axis={d.axis(rank)})",
            f"tf.concat([{{x}}, tf.zeros({other})], {axis})" if d.shape[0] != -1 else "tf.concat([{x}, {x}], 1)",
            f"tf.stack([{{x}}, {{x}}], axis={d.rng.randrange(-rank - 1, rank + 1)})"
            if rank < 5
            else "tf.identity({x})",
            f"tf.tile({{x}}, {[1] * (rank - 1 if not d.slip() else rank - 2) + [2]})",
            f"tf.pad({{x}}, {[[0, 0]] * (rank - 1 if not d.slip() else rank) + [[1, 1]]})",
        )
    )


def arithmetic(d: Draw) -> Step | None:
    if not _known(d):
        return None
    wide = [d.pick(1, v) for v in (d.off(v) for v in d.shape[1:])]
    sign = d.pick("+", "*", "-", "/")
    return Step(
        d.pick(
            f"{{x}} {sign} tf.ones({wide})" if wide else "{x} * 2.0",
            f"tf.{d.pick('add', 'multiply', 'maximum')}({{x}}, tf.zeros({wide}))" if wide else "{x} + 1.0",
            "{x} + {x}",
            "tf.nn.relu({x})",
            "tf.tanh({x})",
            "{x} * 2.0 - 1.0",
            "tf.nn.softmax({x})" if len(d.shape) <= 5 else "tf.nn.relu({x})",  # oneDNN's kernel takes five dimensions
            "tf.where({x} > 0.0, {x}, tf.zeros_like({x}))",
            f"tf.nn.bias_add({{x}}, tf.zeros([{d.off(d.shape[-1])}]))"
            if len(d.shape) > 1 and d.shape[-1] > 0
            else "-{x}",
        )
    )


def reduction(d: Draw) -> Step | None:
    rank = len(d.shape)
    if not rank:
        return None
    keep = d.pick("", ", keepdims=True")
    name = d.pick("mean", "sum", "max")
    return Step(
        d.pick(
            f"tf.reduce_{name}({{x}}, axis={d.axis(rank)}{keep})",
            f"tf.reduce_{name}({{x}}, [{d.axis(rank)}]{keep})",
            f"tf.reduce_{name}({{x}}, axis=[0, {d.axis(rank)}])",
            f"tf.cast(tf.argmax({{x}}, {d.axis(rank)}), tf.float32)",
            f"tf.cumsum({{x}}, axis={d.axis(rank)})",
            f"tf.nn.l2_normalize({{x}}, {d.axis(rank)})",
        )
    )


def product(d: Draw) -> Step | None:
    rank = len(d.shape)
    if rank < 2 or not _known(d) or d.shape[-1] < 1:
        return None
    last = d.shape[-1]
    out = d.pick(2, 3)
    if rank == 2:
        options = [
            f"tf.matmul({{x}}, tf.zeros([{d.off(last)}, {out}]))",
            f"tf.matmul({{x}}, tf.zeros([{out}, {d.off(last)}]), transpose_b=True)",
            f"{{x}} @ tf.ones([{d.off(last)}, {out}])",
            f"tf.einsum('ij,jk->ik', {{x}}, tf.zeros([{d.off(last)}, {out}]))",
            "tf.matmul({x}, {x}, transpose_b=True)",
        ]
        options += [f"tf.matmul({{x}}, tf.zeros([{last}]))"] if d.slip() else []
    else:
        options = ["tf.matmul({x}, {x}, transpose_b=True)", f"tf.tensordot({{x}}, tf.zeros([{d.off(last)}, {out}]), 1)"]
        options += [f"tf.einsum('...j,jk->...k', {{x}}, tf.zeros([{d.off(last)}, {out}]))"]
        options += ["tf.matmul({x}, {x})"] if d.slip() else []
    return Step(d.rng.choice(options))


def image(d: Draw) -> Step | None:
    if len(d.shape) != 4 or not _known(d) or min(d.shape[1:]) < 1:
        return None
    channels, padding, step = d.off(d.shape[-1]), d.pick("SAME", "VALID"), d.pick(1, 2)
    return Step(
        d.pick(
            f"tf.nn.conv2d({{x}}, tf.zeros([3, 3, {channels}, 2]), strides=[1, {step}, {step}, 1], "
            f"padding='{padding}')",
            f"tf.nn.conv2d({{x}}, tf.zeros([1, 2, {channels}, 3]), strides=[1, 1, 1, 1], padding='{padding}')",
            f"tf.nn.max_pool({{x}}, [1, 2, 2, 1], [1, 2, 2, 1], '{padding}')",
            f"tf.nn.avg_pool({{x}}, [1, 3, 3, 1], [1, 1, 1, 1], '{padding}')",
            f"tf.nn.depthwise_conv2d({{x}}, tf.zeros([2, 2, {channels}, 2]), [1, 1, 1, 1], '{padding}')",
        )
    )


FUNCTIONS: tuple[StepMaker, ...] = (
    reshape, reshape, layout, layout, index, pieces, pieces, arithmetic, arithmetic, reduction, product, product, image,
)  # fmt: skip
STARTS = ((2, 8, 8, 3), (1, 9, 6, 2), (4, 12, 12, 1), (2, 5, 4), (3, 6), (4, 4), (2, 6, 3))


# ---------------------------------------------------------------------------------------------------- layouts


def script(seed: int) -> str:
    """The text of one random Keras or TensorFlow 2 script."""
    rng = random.Random(seed)
    draw = Draw(rng, rng.random() < 0.55)
    environment: dict[str, Any] = {}
    exec("\n".join(HEAD), environment)
    shape = rng.choice(STARTS)
    start = f"x = tf.{rng.choice(['zeros', 'ones', 'random.normal'])}({list(shape)})"
    kind = rng.choice(["layers", "layers", "functions", "both"])
    makers = {"layers": LAYERS, "functions": FUNCTIONS, "both": LAYERS + FUNCTIONS}[kind]
    steps = [s for s, _ in chain(draw, makers, environment, rng.randint(2, 6), start)]
    text = Text(list(HEAD))
    layouts: list[Any] = [straight, function, subclass, subclass, in_loop, branch, flagged]
    if kind == "layers" and not any("tf.zeros" in s.use or "cast" in s.use for s in steps):
        layouts += [functional, functional, sequential, sequential]
    rng.choice(layouts)(text, draw, start, steps, shape)
    ending(text, draw)
    return str(text)


def ending(text: Text, d: Draw) -> None:
    if d.rng.random() < 0.25 and len(d.shape) > 1 and -1 not in d.shape:
        dims = [d.off(v) for v in d.shape]
        text.add(
            d.pick(
                f"loss = tf.reduce_mean(tf.square(x - tf.zeros({dims})))",
                "loss = keras.losses.MeanSquaredError()(tf.zeros_like(x), x)",
                f"loss = tf.nn.softmax_cross_entropy_with_logits(labels=tf.zeros({dims}), logits=x)",
                "loss = tf.reduce_sum(x)",
            )
        )


Shape = tuple[int, ...]


def straight(text: Text, d: Draw, start: str, steps: list[Step], shape: Shape) -> None:
    text.add(start)
    text.add(*[f"x = {inline(s)}" for s in steps])


def function(text: Text, d: Draw, start: str, steps: list[Step], shape: Shape) -> None:
    text.add("def block(x, scale=1.0):")
    text.add(*[f"x = {inline(s)}" for s in steps], "return x * scale", "", indent=1)
    text.add(start, d.pick("x = block(x)", "x = block(x, scale=2.0)"))


def subclass(text: Text, d: Draw, start: str, steps: list[Step], shape: Shape) -> None:
    base = d.pick("keras.Model", "keras.layers.Layer", "tf.keras.Model")
    text.add(f"class Net({base}):", "    def __init__(self, **kwargs):", "        super().__init__(**kwargs)")
    text.add(*[f"self.layer{i} = {s.layer}" for i, s in enumerate(steps) if s.layer], indent=2)
    text.add("", "    def call(self, x, training=False):")
    text.add(*[f"x = {applied(s, f'self.layer{i}')}" for i, s in enumerate(steps)], "return x", "", indent=2)
    text.add("", start, d.pick("x = Net()(x)", "net = Net(name='net')\nx = net(x)").partition("\n")[0])
    if text.lines[-1].startswith("net"):
        text.add("x = net(x)")


def functional(text: Text, d: Draw, start: str, steps: list[Step], shape: Shape) -> None:
    given = [d.off(v) for v in shape[1:]] if d.rng.random() < 0.3 else list(shape[1:])
    text.add(f"inputs = keras.Input(shape={tuple(given)})", "h = inputs")
    text.add(*[f"h = {inline(s, 'h')}" for s in steps], "model = keras.Model(inputs, h)", start, "x = model(x)")


def sequential(text: Text, d: Draw, start: str, steps: list[Step], shape: Shape) -> None:
    given = [d.off(v) for v in shape[1:]] if d.rng.random() < 0.3 else list(shape[1:])
    plain = [s for s in steps if s.plain]
    if d.pick(True, False):
        text.add("model = keras.Sequential([", f"    keras.Input(shape={tuple(given)}),  # member")
        text.add(*[f"    {s.layer},  # member" for s in plain], "])")
    else:
        text.add("model = keras.Sequential()", f"model.add(keras.Input(shape={tuple(given)}))")
        text.add(*[f"model.add({s.layer})" for s in plain])
    text.add(start, "x = model(x)")


def in_loop(text: Text, d: Draw, start: str, steps: list[Step], shape: Shape) -> None:
    text.add(start)
    for step in steps:
        if d.rng.random() < 0.4:
            text.add(f"for _ in range({d.pick(1, 2, 3)}):", f"    x = {inline(step)}")
        else:
            text.add(f"x = {inline(step)}")


def branch(text: Text, d: Draw, start: str, steps: list[Step], shape: Shape) -> None:
    text.add(start)
    for step in steps:
        if d.rng.random() < 0.5:
            test = d.pick("len(x.shape) == 4", "x.shape[-1] % 2 == 0", "x.shape.rank > 2", "x.shape[0] == 2")
            other = d.pick("x = x * 2.0", "pass", "x = tf.expand_dims(x, 0)", "x = tf.reshape(x, [-1])")
            text.add(f"if {test}:", f"    x = {inline(step)}", "else:", f"    {other}")
        else:
            text.add(f"x = {inline(step)}")


def flagged(text: Text, d: Draw, start: str, steps: list[Step], shape: Shape) -> None:
    text.add("parser = argparse.ArgumentParser()", "parser.add_argument('--one', action='store_true')")
    text.add("args = parser.parse_args()", start)
    left = True
    for step in steps:
        if left and d.rng.random() < 0.5:
            left = False
            other = d.pick("x = x * 2.0", "x = tf.expand_dims(x, 0)", "x = tf.reshape(x, [-1])")
            text.add("if args.one:", f"    x = {inline(step)}", "else:", f"    {other}")
        else:
            text.add(f"x = {inline(step)}")


# ----------------------------------------------------------------------------------------------- TensorFlow 1


def graph_script(seed: int) -> str:
    """The text of one random TensorFlow 1 script: a graph over a placeholder, and a run with a feed."""
    rng = random.Random(seed)
    draw = Draw(rng, rng.random() < 0.55)
    environment: dict[str, Any] = {}
    exec("\n".join(HEAD_1), environment)
    shape = rng.choice(STARTS)
    batch = rng.choice([None, None, shape[0]])
    start = f"x = tf.placeholder(tf.float32, {[batch, *shape[1:]]})"
    with environment["tf"].Graph().as_default():
        steps = [s for s, _ in chain(draw, FUNCTIONS, environment, rng.randint(2, 6), start)]
    text = Text(list(HEAD_1))
    text.add("graph = tf.Graph()", "with graph.as_default():")
    text.add(start.replace("x =", "inputs =").replace("x = ", ""), "x = inputs", indent=1)
    weights = 0
    for step in steps:
        line = inline(step)
        if "tf.zeros([" in line and rng.random() < 0.5 and "zeros_like" not in line:
            head, _, rest = line.partition("tf.zeros([")
            dims, _, tail = rest.partition("])")
            text.add(f"w{weights} = tf.get_variable('w{weights}', [{dims}])", indent=1)
            line = f"{head}w{weights}{tail}"
            weights += 1
        text.add(f"x = {line}  # member", indent=1)
    feed = [shape[0] if rng.random() < 0.7 else rng.choice([1, 3, 5]), *[draw.off(v) for v in shape[1:]]]
    text.add(
        "with tf.Session(graph=graph) as sess:",
        "    with graph.as_default():",
        "        sess.run(tf.global_variables_initializer())",
        f"    y = sess.run(x, feed_dict={{inputs: np.zeros({tuple(feed)})}})",
    )
    return str(text)
