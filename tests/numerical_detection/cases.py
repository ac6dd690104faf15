"""The defects of the corpus: what is expected of each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A defect: rule, and the class in torch_defects.py."""

    name: str
    rule: str
    torch: str = ""  # the class in torch_defects.py
    tensorflow: bool = True
    confirmed: bool = True


CASES = (
    Case("log_of_softmax", "log-of-nonpositive", "LogOfSoftmax"),
    Case("log_of_softmax_in_one_line", "log-of-nonpositive", "LogOfSoftmaxInOneLine", tensorflow=False),
    Case("log_of_one_minus_sigmoid", "log-of-nonpositive", "LogOfOneMinusSigmoid"),
    Case("softmax_by_hand", "exp-overflow", "SoftmaxByHand"),
    Case("kernel_weights", "division-by-zero", "KernelWeights"),
    Case("epsilon_lost", "log-of-nonpositive", "EpsilonLost"),
    Case("clip_discarded", "log-of-nonpositive", "ClipDiscarded"),
    Case("clip_from_data", "log-of-nonpositive", "ClipFromData"),
    Case("one_of_two_logs", "log-of-nonpositive", "OneOfTwoLogs"),
    Case("sqrt_of_exp", "gradient-of-sqrt-at-zero", "SqrtOfExp"),
    Case("free_energy", "exp-overflow", "FreeEnergy"),
    Case("trainable_gain", "division-by-zero", "TrainableGain"),
    Case("column_sum", "division-by-zero", "ColumnSum"),
    Case("log_of_encoder", "log-of-nonpositive", "LogOfEncoder"),
    Case("divergence", "division-by-zero", "Divergence"),
    Case("entropy", "log-of-nonpositive", "Entropy"),
    Case("cosine_similarity", "division-by-zero", "CosineSimilarity"),
    Case("deviation_of_one", "division-by-zero", "DeviationOfOne"),
    Case("masked_attention", "softmax-of-minus-infinity", "MaskedAttention"),
    Case("half_precision", "overflow", "HalfPrecision"),
)
KERAS = (
    Case("surprise", "log-of-nonpositive", "Surprise"),
    Case("gain", "division-by-zero", "Gain"),
    Case("length", "division-by-zero", "Length"),
)
