"""The same defects inside Keras layers, each with a repaired twin. The line that fails is marked ``# defect: <name>``."""

import keras
from keras import ops


class LogOfSoftmax(keras.layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.score = keras.layers.Dense(4)

    def call(self, features, labels):
        probabilities = ops.softmax(self.score(features))
        return -ops.mean(ops.sum(labels * ops.log(probabilities), axis=1))  # defect: log_of_softmax


class LogOfSoftmaxRepaired(LogOfSoftmax):
    def call(self, features, labels):
        return -ops.mean(ops.sum(labels * ops.log_softmax(self.score(features)), axis=1))


class LogOfSoftmaxInOneLine(keras.layers.Layer):
    def call(self, logits, labels):
        return -ops.mean(labels * ops.log(ops.softmax(logits)))  # defect: log_of_softmax_in_one_line


class LogOfSoftmaxInOneLineRepaired(keras.layers.Layer):
    def call(self, logits, labels):
        return -ops.mean(labels * ops.log_softmax(logits))


class LogOfOneMinusSigmoid(keras.layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.score = keras.layers.Dense(1)

    def call(self, features):
        return -ops.mean(ops.log(1 - ops.sigmoid(self.score(features))))  # defect: log_of_one_minus_sigmoid


class LogOfOneMinusSigmoidRepaired(LogOfOneMinusSigmoid):
    def call(self, features):
        return ops.mean(ops.softplus(self.score(features)))


class SoftmaxByHand(keras.layers.Layer):
    def call(self, logits):
        powers = ops.exp(logits)  # defect: softmax_by_hand
        return powers / ops.sum(powers, axis=1, keepdims=True)


class SoftmaxByHandRepaired(keras.layers.Layer):
    def call(self, logits):
        powers = ops.exp(logits - ops.max(logits, axis=1, keepdims=True))
        return powers / ops.sum(powers, axis=1, keepdims=True)


class KernelWeights(keras.layers.Layer):
    """Underflow: far from every centre all weights are 0."""

    def build(self, shape):
        self.centres = self.add_weight(shape=(5,), initializer="random_normal", name="centres")

    def call(self, points):
        weights = ops.exp(-ops.square(points - self.centres))
        return weights / ops.sum(weights, axis=1, keepdims=True)  # defect: kernel_weights


class KernelWeightsRepaired(KernelWeights):
    def call(self, points):
        return ops.softmax(-ops.square(points - self.centres))


class EpsilonLost(keras.layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.decode = keras.layers.Dense(6)

    def call(self, features, pixels):
        p = ops.sigmoid(self.decode(features))
        drawn = pixels * ops.log(1e-10 + p)
        left = (1 - pixels) * ops.log(1e-10 + 1 - p)  # defect: epsilon_lost
        return -ops.mean(ops.sum(drawn + left, axis=1))


class EpsilonLostRepaired(EpsilonLost):
    def call(self, features, pixels):
        p = ops.sigmoid(self.decode(features))
        drawn = pixels * ops.log(1e-10 + p)
        left = (1 - pixels) * ops.log(1e-7 + (1 - p))
        return -ops.mean(ops.sum(drawn + left, axis=1))


class ClipDiscarded(keras.layers.Layer):
    def call(self, logits):
        p = ops.sigmoid(logits)
        ops.clip(p, 1e-6, 1.0)
        return -ops.mean(ops.log(p))  # defect: clip_discarded


class ClipDiscardedRepaired(keras.layers.Layer):
    def call(self, logits):
        p = ops.sigmoid(logits)
        p = ops.clip(p, 1e-6, 1.0)
        return -ops.mean(ops.log(p))


class ClipFromData(keras.layers.Layer):
    """The bound is the data's own minimum: it guards nothing."""

    def call(self, targets):
        p = ops.sigmoid(targets)
        p = ops.maximum(p, ops.min(p))
        return -ops.mean(ops.log(p))  # defect: clip_from_data


class ClipFromDataRepaired(keras.layers.Layer):
    def call(self, targets):
        p = ops.sigmoid(targets)
        p = ops.maximum(p, 1e-6)
        return -ops.mean(ops.log(p))


class OneOfTwoLogs(keras.layers.Layer):
    def call(self, logits, labels):
        p = ops.sigmoid(logits)
        positive = labels * ops.log(ops.maximum(p, 1e-7))
        negative = (1 - labels) * ops.log(1 - p)  # defect: one_of_two_logs
        return -ops.mean(positive + negative)


class OneOfTwoLogsRepaired(keras.layers.Layer):
    def call(self, logits, labels):
        p = ops.sigmoid(logits)
        positive = labels * ops.log(ops.maximum(p, 1e-7))
        negative = (1 - labels) * ops.log(ops.maximum(1 - p, 1e-7))
        return -ops.mean(positive + negative)


class OneOfTwoExps(keras.layers.Layer):
    def call(self, logits, targets):
        first = ops.exp(ops.clip(logits, -50.0, 50.0))
        second = ops.exp(targets)  # defect: one_of_two_exps
        return ops.mean(first + second)


class OneOfTwoExpsRepaired(keras.layers.Layer):
    def call(self, logits, targets):
        first = ops.exp(ops.clip(logits, -50.0, 50.0))
        second = ops.exp(ops.clip(targets, -50.0, 50.0))
        return ops.mean(first + second)


class SqrtOfExp(keras.layers.Layer):
    """A variational encoder: the gradient of sqrt is infinite where exp underflows."""

    def __init__(self, **options):
        super().__init__(**options)
        self.log_variance = keras.layers.Dense(4)

    def call(self, features, noise):
        variance = ops.exp(ops.clip(self.log_variance(features), -110.0, 80.0))
        return ops.mean(ops.sqrt(variance) * noise)  # defect: sqrt_of_exp


class SqrtOfExpRepaired(SqrtOfExp):
    def call(self, features, noise):
        deviation = ops.exp(ops.clip(self.log_variance(features), -110.0, 80.0) / 2)
        return ops.mean(deviation * noise)


class FreeEnergy(keras.layers.Layer):
    """A restricted Boltzmann machine."""

    def __init__(self, **options):
        super().__init__(**options)
        self.hidden = keras.layers.Dense(5)

    def call(self, visible):
        return -ops.sum(ops.log(1 + ops.exp(self.hidden(visible))))  # defect: free_energy


class FreeEnergyRepaired(FreeEnergy):
    def call(self, visible):
        return -ops.sum(ops.softplus(self.hidden(visible)))


class TrainableGain(keras.layers.Layer):
    def build(self, shape):
        self.gain = self.add_weight(shape=(1,), initializer="ones", name="gain")

    def call(self, rows):
        return rows / self.gain  # defect: trainable_gain


class TrainableGainRepaired(TrainableGain):
    def call(self, rows):
        return rows / (ops.abs(self.gain) + 1e-6)


class ColumnSum(keras.layers.Layer):
    def build(self, shape):
        self.mix = self.add_weight(shape=(4, 3), initializer="random_normal", name="mix")

    def call(self, rows):
        normal = self.mix / ops.sum(ops.abs(self.mix), axis=0)  # defect: column_sum
        return ops.matmul(rows, normal)


class ColumnSumRepaired(ColumnSum):
    def call(self, rows):
        normal = self.mix / ops.maximum(ops.sum(ops.abs(self.mix), axis=0), 1e-6)
        return ops.matmul(rows, normal)


class LogOfEncoder(keras.layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.encode = keras.layers.Dense(2)

    def call(self, features):
        return ops.mean(ops.log(self.encode(features)))  # defect: log_of_encoder


class LogOfEncoderRepaired(LogOfEncoder):
    def call(self, features):
        return ops.mean(ops.log(ops.softplus(self.encode(features)) + 1e-6))


class Divergence(keras.layers.Layer):
    def call(self, logits, targets):
        p, q = ops.softmax(logits), ops.softmax(targets)
        ratio = p / q  # defect: divergence
        return ops.mean(ops.sum(p * ops.log(ops.maximum(ratio, 1e-9)), axis=1))


class DivergenceRepaired(keras.layers.Layer):
    def call(self, logits, targets):
        p = ops.softmax(logits)
        return ops.mean(ops.sum(p * (ops.log_softmax(logits) - ops.log_softmax(targets)), axis=1))


class Entropy(keras.layers.Layer):
    def call(self, guess):
        p = ops.softmax(guess)
        return -ops.mean(ops.sum(p * ops.log(p), axis=1))  # defect: entropy


class EntropyRepaired(keras.layers.Layer):
    def call(self, guess):
        return -ops.mean(ops.sum(ops.softmax(guess) * ops.log_softmax(guess), axis=1))


class CosineSimilarity(keras.layers.Layer):
    def call(self, logits, targets):
        lengths = ops.sqrt(ops.sum(logits * logits, axis=1)) * ops.sqrt(ops.sum(targets * targets, axis=1))
        return ops.sum(logits * targets, axis=1) / lengths  # defect: cosine_similarity


class CosineSimilarityRepaired(keras.layers.Layer):
    def call(self, logits, targets):
        first, second = ops.sum(logits * logits, axis=1), ops.sum(targets * targets, axis=1)
        return ops.sum(logits * targets, axis=1) / (ops.sqrt(first + 1e-6) * ops.sqrt(second + 1e-6))


class DeviationOfOne(keras.layers.Layer):
    """Standardises over a dimension that has one element."""

    def call(self, single):
        centred = single - ops.mean(single, axis=1, keepdims=True)
        deviation = ops.sqrt(ops.mean(centred * centred, axis=1, keepdims=True))
        return centred / deviation  # defect: deviation_of_one


class DeviationOfOneRepaired(keras.layers.Layer):
    def call(self, single):
        centred = single - ops.mean(single, axis=1, keepdims=True)
        deviation = ops.sqrt(ops.mean(centred * centred, axis=1, keepdims=True) + 1e-5)
        return centred / deviation


class SampleDeviation(keras.layers.Layer):
    """The unbiased deviation of a single element divides by 0."""

    def call(self, single):
        centred = single - ops.mean(single, axis=1, keepdims=True)
        others = ops.cast(ops.shape(single)[1], "float32") - 1
        return ops.sqrt(ops.sum(centred * centred, axis=1) / others)  # defect: sample_deviation


class SampleDeviationRepaired(keras.layers.Layer):
    def call(self, single):
        centred = single - ops.mean(single, axis=1, keepdims=True)
        return ops.sqrt(ops.mean(centred * centred, axis=1) + 1e-6)


class MaskedAttention(keras.layers.Layer):
    """A row whose keys are all masked has no finite score."""

    def call(self, logits, mask):
        scores = ops.where(mask > 0.5, float("-inf"), logits)
        return ops.softmax(scores)  # defect: masked_attention


class MaskedAttentionRepaired(keras.layers.Layer):
    def call(self, logits, mask):
        scores = ops.where(mask > 0.5, -1e9, logits)
        return ops.softmax(scores)


class HalfPrecision(keras.layers.Layer):
    """The square overflows float16 at 65504."""

    def call(self, rows):
        half = ops.cast(rows, "float16")
        return ops.sum(ops.cast(half * half, "float32"), axis=1)  # defect: half_precision


class HalfPrecisionRepaired(keras.layers.Layer):
    def call(self, rows):
        half = ops.cast(ops.cast(rows, "float16"), "float32")
        return ops.sum(half * half, axis=1)


class Distance(keras.layers.Layer):
    """The gradient of a norm at 0 is not defined."""

    def call(self, logits, targets):
        return ops.mean(ops.norm(logits - targets, axis=1))  # defect: distance


class DistanceRepaired(keras.layers.Layer):
    def call(self, logits, targets):
        return ops.mean(ops.sqrt(ops.sum(ops.square(logits - targets), axis=1) + 1e-6))


class SignedRoot(keras.layers.Layer):
    """The gradient of a power below 1 is infinite at 0."""

    def call(self, rows):
        return ops.mean(ops.sign(rows) * ops.power(ops.abs(rows), 0.3))  # defect: signed_root


class SignedRootRepaired(keras.layers.Layer):
    def call(self, rows):
        return ops.mean(ops.sign(rows) * ops.power(ops.abs(rows) + 1e-3, 0.3))


class Angle(keras.layers.Layer):
    """Clamped to the domain of arccos, at whose edge the gradient is infinite."""

    def call(self, cosine):
        return ops.mean(ops.arccos(ops.clip(cosine, -1.0, 1.0)))  # defect: angle


class AngleRepaired(keras.layers.Layer):
    def call(self, cosine):
        return ops.mean(ops.arccos(ops.clip(cosine, -0.999, 0.999)))


class UntakenBranch(keras.layers.Layer):
    """The value of the other branch is right; its gradient is 0 times infinity."""

    def call(self, rows):
        return ops.mean(ops.where(rows > 0, ops.log(rows), 0.0))  # defect: untaken_branch


class UntakenBranchRepaired(keras.layers.Layer):
    def call(self, rows):
        return ops.mean(ops.where(rows > 0, ops.log(ops.where(rows > 0, rows, 1.0)), 0.0))


ARGUMENTS = {
    "LogOfSoftmax": ("features", "labels"),
    "LogOfSoftmaxInOneLine": ("logits", "labels"),
    "LogOfOneMinusSigmoid": ("features",),
    "SoftmaxByHand": ("logits",),
    "KernelWeights": ("points",),
    "EpsilonLost": ("features", "pixels"),
    "ClipDiscarded": ("logits",),
    "ClipFromData": ("targets",),
    "OneOfTwoLogs": ("logits", "labels"),
    "OneOfTwoExps": ("logits", "targets"),
    "SqrtOfExp": ("features", "noise"),
    "FreeEnergy": ("visible",),
    "TrainableGain": ("rows",),
    "ColumnSum": ("rows",),
    "LogOfEncoder": ("features",),
    "Divergence": ("logits", "targets"),
    "Entropy": ("guess",),
    "CosineSimilarity": ("logits", "targets"),
    "DeviationOfOne": ("single",),
    "SampleDeviation": ("single",),
    "MaskedAttention": ("logits", "mask"),
    "HalfPrecision": ("rows",),
    "Distance": ("logits", "targets"),
    "SignedRoot": ("rows",),
    "Angle": ("cosine",),
    "UntakenBranch": ("rows",),
}
SIZES = {
    "features": 8, "labels": 4, "logits": 4, "targets": 4, "points": 1, "pixels": 6, "noise": 4, "visible": 64,
    "rows": 4, "single": 1, "mask": 4, "guess": 4, "cosine": 4,
}  # fmt: skip


def _model(suffix):
    keras.utils.set_random_seed(0)
    inputs = {name: keras.Input((size,), name=name) for name, size in SIZES.items()}
    results = []
    for name, arguments in ARGUMENTS.items():
        layer = globals()[name + suffix](name=name.lower())
        results.append(layer(*(inputs[a] for a in arguments)))
    return keras.Model(inputs, results)


def defective():
    return _model("")


def repaired():
    return _model("Repaired")
