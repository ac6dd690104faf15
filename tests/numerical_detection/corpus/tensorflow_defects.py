"""The same defects in TensorFlow, each once as a function for ``tf.function`` (``tf2_…``) and once as a TensorFlow 1 graph
(``tf1_…``, with variables and a session's placeholders); repaired twins end in ``_repaired``.

The line that fails is marked ``# defect: <name>``.
"""

import tensorflow as tf


def log_of_softmax(x, labels, weight):
    p = tf.nn.softmax(tf.matmul(x, weight))
    return -tf.reduce_mean(tf.reduce_sum(labels * tf.math.log(p), axis=1))  # defect: log_of_softmax


def log_of_softmax_repaired(x, labels, weight):
    p = tf.nn.log_softmax(tf.matmul(x, weight))
    return -tf.reduce_mean(tf.reduce_sum(labels * p, axis=1))


def log_of_softmax_in_one_line(logits, labels):
    return -tf.reduce_mean(labels * tf.math.log(tf.nn.softmax(logits)))  # defect: log_of_softmax_in_one_line


def log_of_softmax_in_one_line_repaired(logits, labels):
    return -tf.reduce_mean(labels * tf.nn.log_softmax(logits))


def log_of_one_minus_sigmoid(x, weight):
    return -tf.reduce_mean(tf.math.log(1 - tf.sigmoid(tf.matmul(x, weight))))  # defect: log_of_one_minus_sigmoid


def log_of_one_minus_sigmoid_repaired(x, weight):
    return tf.reduce_mean(tf.nn.softplus(tf.matmul(x, weight)))


def softmax_by_hand(logits):
    powers = tf.exp(logits)  # defect: softmax_by_hand
    return powers / tf.reduce_sum(powers, axis=1, keepdims=True)


def softmax_by_hand_repaired(logits):
    powers = tf.exp(logits - tf.reduce_max(logits, axis=1, keepdims=True))
    return powers / tf.reduce_sum(powers, axis=1, keepdims=True)


def kernel_weights(points, centres):
    weights = tf.exp(-tf.square(points - centres))
    return weights / tf.reduce_sum(weights, axis=1, keepdims=True)  # defect: kernel_weights


def kernel_weights_repaired(points, centres):
    return tf.nn.softmax(-tf.square(points - centres))


def epsilon_lost(x, pixels, weight):
    p = tf.sigmoid(tf.matmul(x, weight))
    drawn = pixels * tf.math.log(1e-10 + p)
    left = (1 - pixels) * tf.math.log(1e-10 + 1 - p)  # defect: epsilon_lost
    return -tf.reduce_mean(tf.reduce_sum(drawn + left, axis=1))


def epsilon_lost_repaired(x, pixels, weight):
    p = tf.sigmoid(tf.matmul(x, weight))
    drawn = pixels * tf.math.log(1e-10 + p)
    left = (1 - pixels) * tf.math.log(1e-7 + (1 - p))
    return -tf.reduce_mean(tf.reduce_sum(drawn + left, axis=1))


def clip_discarded(logits):
    p = tf.sigmoid(logits)
    tf.clip_by_value(p, 1e-6, 1.0)
    return -tf.reduce_mean(tf.math.log(p))  # defect: clip_discarded


def clip_discarded_repaired(logits):
    p = tf.sigmoid(logits)
    p = tf.clip_by_value(p, 1e-6, 1.0)
    return -tf.reduce_mean(tf.math.log(p))


def clip_from_data(logits):
    p = tf.sigmoid(logits)
    p = tf.maximum(p, tf.reduce_min(p))
    return -tf.reduce_mean(tf.math.log(p))  # defect: clip_from_data


def clip_from_data_repaired(logits):
    p = tf.sigmoid(logits)
    p = tf.maximum(p, 1e-6)
    return -tf.reduce_mean(tf.math.log(p))


def one_of_two_logs(logits, labels):
    p = tf.sigmoid(logits)
    positive = labels * tf.math.log(tf.maximum(p, 1e-7))
    negative = (1 - labels) * tf.math.log(1 - p)  # defect: one_of_two_logs
    return -tf.reduce_mean(positive + negative)


def one_of_two_logs_repaired(logits, labels):
    p = tf.sigmoid(logits)
    positive = labels * tf.math.log(tf.maximum(p, 1e-7))
    negative = (1 - labels) * tf.math.log(tf.maximum(1 - p, 1e-7))
    return -tf.reduce_mean(positive + negative)


def sqrt_of_exp(x, noise, weight):
    log_variance = tf.clip_by_value(tf.matmul(x, weight), -110.0, 80.0)
    return tf.reduce_mean(tf.sqrt(tf.exp(log_variance)) * noise)  # defect: sqrt_of_exp


def sqrt_of_exp_repaired(x, noise, weight):
    log_variance = tf.clip_by_value(tf.matmul(x, weight), -110.0, 80.0)
    return tf.reduce_mean(tf.exp(log_variance / 2) * noise)


def free_energy(visible, weight):
    return -tf.reduce_sum(tf.math.log(1 + tf.exp(tf.matmul(visible, weight))))  # defect: free_energy


def free_energy_repaired(visible, weight):
    return -tf.reduce_sum(tf.nn.softplus(tf.matmul(visible, weight)))


def trainable_gain(x, gain):
    return x / gain  # defect: trainable_gain


def trainable_gain_repaired(x, gain):
    return x / (tf.abs(gain) + 1e-6)


def column_sum(x, weight):
    normal = weight / tf.reduce_sum(tf.abs(weight), axis=0)  # defect: column_sum
    return tf.matmul(x, normal)


def column_sum_repaired(x, weight):
    normal = weight / tf.maximum(tf.reduce_sum(tf.abs(weight), axis=0), 1e-6)
    return tf.matmul(x, normal)


def log_of_encoder(x, weight):
    return tf.reduce_mean(tf.math.log(tf.matmul(x, weight)))  # defect: log_of_encoder


def log_of_encoder_repaired(x, weight):
    return tf.reduce_mean(tf.math.log(tf.nn.softplus(tf.matmul(x, weight)) + 1e-6))


def divergence(first, second):
    p, q = tf.nn.softmax(first), tf.nn.softmax(second)
    ratio = p / q  # defect: divergence
    return tf.reduce_mean(tf.reduce_sum(p * tf.math.log(tf.maximum(ratio, 1e-9)), axis=1))


def divergence_repaired(first, second):
    p = tf.nn.softmax(first)
    return tf.reduce_mean(tf.reduce_sum(p * (tf.nn.log_softmax(first) - tf.nn.log_softmax(second)), axis=1))


def entropy(logits):
    p = tf.nn.softmax(logits)
    return -tf.reduce_mean(tf.reduce_sum(p * tf.math.log(p), axis=1))  # defect: entropy


def entropy_repaired(logits):
    p = tf.nn.softmax(logits)
    return -tf.reduce_mean(tf.reduce_sum(p * tf.nn.log_softmax(logits), axis=1))


def cosine_similarity(a, b):
    lengths = tf.sqrt(tf.reduce_sum(a * a, axis=1)) * tf.sqrt(tf.reduce_sum(b * b, axis=1))
    return tf.reduce_sum(a * b, axis=1) / lengths  # defect: cosine_similarity


def cosine_similarity_repaired(a, b):
    lengths = tf.sqrt(tf.reduce_sum(a * a, axis=1) + 1e-6) * tf.sqrt(tf.reduce_sum(b * b, axis=1) + 1e-6)
    return tf.reduce_sum(a * b, axis=1) / lengths


def deviation_of_one(single):
    centred = single - tf.reduce_mean(single, axis=1, keepdims=True)
    deviation = tf.sqrt(tf.reduce_mean(centred * centred, axis=1, keepdims=True))
    return centred / deviation  # defect: deviation_of_one


def deviation_of_one_repaired(single):
    centred = single - tf.reduce_mean(single, axis=1, keepdims=True)
    deviation = tf.sqrt(tf.reduce_mean(centred * centred, axis=1, keepdims=True) + 1e-5)
    return centred / deviation


def sample_deviation(single):
    centred = single - tf.reduce_mean(single, axis=1, keepdims=True)
    others = tf.cast(tf.shape(single)[1], tf.float32) - 1
    return tf.sqrt(tf.reduce_sum(centred * centred, axis=1) / others)  # defect: sample_deviation


def sample_deviation_repaired(single):
    centred = single - tf.reduce_mean(single, axis=1, keepdims=True)
    return tf.sqrt(tf.reduce_mean(centred * centred, axis=1) + 1e-6)


def masked_attention(scores, mask):
    scores = tf.where(mask > 0.5, tf.fill(tf.shape(scores), float("-inf")), scores)
    return tf.nn.softmax(scores)  # defect: masked_attention


def masked_attention_repaired(scores, mask):
    scores = tf.where(mask > 0.5, tf.fill(tf.shape(scores), -1e9), scores)
    return tf.nn.softmax(scores)


def half_precision(x):
    half = tf.cast(x, tf.float16)
    return tf.reduce_sum(tf.cast(half * half, tf.float32), axis=1)  # defect: half_precision


def half_precision_repaired(x):
    half = tf.cast(tf.cast(x, tf.float16), tf.float32)
    return tf.reduce_sum(half * half, axis=1)


def one_of_two_exps(first, second):
    guarded = tf.exp(tf.clip_by_value(first, -50.0, 50.0))
    return tf.reduce_mean(guarded + tf.exp(second))  # defect: one_of_two_exps


def one_of_two_exps_repaired(first, second):
    guarded = tf.exp(tf.clip_by_value(first, -50.0, 50.0))
    return tf.reduce_mean(guarded + tf.exp(tf.clip_by_value(second, -50.0, 50.0)))


def distance(first, second):
    return tf.reduce_mean(tf.norm(first - second, axis=1))  # defect: distance


def distance_repaired(first, second):
    return tf.reduce_mean(tf.sqrt(tf.reduce_sum(tf.square(first - second), axis=1) + 1e-6))


def signed_root(x):
    return tf.reduce_mean(tf.sign(x) * tf.pow(tf.abs(x), 0.3))  # defect: signed_root


def signed_root_repaired(x):
    return tf.reduce_mean(tf.sign(x) * tf.pow(tf.abs(x) + 1e-3, 0.3))


def angle(cosine):
    return tf.reduce_mean(tf.acos(tf.clip_by_value(cosine, -1.0, 1.0)))  # defect: angle


def angle_repaired(cosine):
    return tf.reduce_mean(tf.acos(tf.clip_by_value(cosine, -0.999, 0.999)))


def untaken_branch(x):
    return tf.reduce_mean(tf.where(x > 0, tf.math.log(x), tf.zeros_like(x)))  # defect: untaken_branch


def untaken_branch_repaired(x):
    inside = tf.where(x > 0, x, tf.ones_like(x))
    return tf.reduce_mean(tf.where(x > 0, tf.math.log(inside), tf.zeros_like(x)))


PARTS = (
    "log_of_softmax", "log_of_one_minus_sigmoid", "softmax_by_hand", "kernel_weights", "epsilon_lost", "clip_discarded",
    "clip_from_data", "one_of_two_logs", "sqrt_of_exp", "free_energy", "trainable_gain", "column_sum", "log_of_encoder",
    "divergence", "entropy", "cosine_similarity", "deviation_of_one", "masked_attention", "half_precision",
    "one_of_two_exps", "distance", "signed_root", "angle", "untaken_branch", "log_of_softmax_in_one_line",
    "sample_deviation",
)  # fmt: skip
FED = {
    "features": (3, 8), "labels": (3, 4), "logits": (3, 4), "targets": (3, 4), "points": (3, 1), "pixels": (3, 6),
    "noise": (3, 4), "visible": (3, 64), "rows": (3, 4), "single": (3, 1), "mask": (3, 4), "guess": (3, 4),
    "cosine": (3, 4),
}  # fmt: skip
TRAINED = {
    "score": (8, 4), "one": (8, 1), "centres": (5,), "decode": (8, 6), "hidden": (64, 5), "gain": (1,), "mix": (4, 3),
    "encode": (8, 2),
}
ARGUMENTS = {
    "log_of_softmax": ("features", "labels", "score"),
    "log_of_one_minus_sigmoid": ("features", "one"),
    "softmax_by_hand": ("logits",),
    "kernel_weights": ("points", "centres"),
    "epsilon_lost": ("features", "pixels", "decode"),
    "clip_discarded": ("logits",),
    "clip_from_data": ("targets",),
    "one_of_two_logs": ("logits", "labels"),
    "sqrt_of_exp": ("features", "noise", "score"),
    "free_energy": ("visible", "hidden"),
    "trainable_gain": ("rows", "gain"),
    "column_sum": ("rows", "mix"),
    "log_of_encoder": ("features", "encode"),
    "divergence": ("logits", "targets"),
    "entropy": ("guess",),
    "cosine_similarity": ("logits", "targets"),
    "deviation_of_one": ("single",),
    "masked_attention": ("logits", "mask"),
    "half_precision": ("rows",),
    "one_of_two_exps": ("logits", "targets"),
    "distance": ("logits", "targets"),
    "signed_root": ("rows",),
    "angle": ("cosine",),
    "untaken_branch": ("rows",),
    "log_of_softmax_in_one_line": ("logits", "labels"),
    "sample_deviation": ("single",),
}


def _all(values, suffix):
    return [globals()[name + suffix](*(values[a] for a in ARGUMENTS[name])) for name in PARTS]


def _start(name, shape):
    if name == "gain":
        return tf.ones(shape)
    count = 1
    for size in shape:
        count *= size
    return tf.reshape(tf.linspace(-0.5, 0.5, count), shape)


class Everything(tf.Module):
    def __init__(self, suffix):
        super().__init__()
        self.suffix = suffix
        self.held = {n: tf.Variable(_start(n, s), name=n) for n, s in TRAINED.items()}

    def __call__(
        self, features, labels, logits, targets, points, pixels, noise, visible, rows, single, mask, guess, cosine
    ):
        fed = {
            "features": features, "labels": labels, "logits": logits, "targets": targets, "points": points,
            "pixels": pixels, "noise": noise, "visible": visible, "rows": rows, "single": single, "mask": mask,
            "guess": guess, "cosine": cosine,
        }  # fmt: skip
        return _all({**fed, **self.held}, self.suffix)


def _tf2(suffix):
    return Everything(suffix), tuple(_start(n, s).numpy() for n, s in FED.items())


def _tf1(suffix):
    graph = tf.Graph()
    with graph.as_default():
        values = {n: tf.compat.v1.placeholder(tf.float32, (None, *s[1:]), name=n) for n, s in FED.items()}
        for name, shape in TRAINED.items():
            start = tf.ones(shape) if name == "gain" else tf.random.uniform(shape, -0.5, 0.5)
            values[name] = tf.compat.v1.get_variable(name, initializer=start, use_resource=False)
        results = _all(values, suffix)
        names = [tf.identity(result, name=f"result_{i}").op.name for i, result in enumerate(results)]
    return graph, {n: (s, "float32") for n, s in FED.items()}, names


def tf2_defective():
    return _tf2("")


def tf2_repaired():
    return _tf2("_repaired")


def tf1_defective():
    return _tf1("")


def tf1_repaired():
    return _tf1("_repaired")
