"""Known numerical defects as people write them in PyTorch, each with a repaired twin.

The line that fails is marked ``# defect: <name>``.
"""

import torch
from torch import nn


class LogOfSoftmax(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(8, 4)

    def forward(self, features, labels):
        probabilities = torch.softmax(self.score(features), dim=1)
        return -(labels * torch.log(probabilities)).sum(1).mean()  # defect: log_of_softmax


class LogOfSoftmaxRepaired(LogOfSoftmax):
    def forward(self, features, labels):
        return -(labels * torch.log_softmax(self.score(features), dim=1)).sum(1).mean()


class LogOfSoftmaxInOneLine(nn.Module):
    def forward(self, logits, labels):
        return -(labels * torch.log(torch.softmax(logits, dim=1))).mean()  # defect: log_of_softmax_in_one_line


class LogOfSoftmaxInOneLineRepaired(nn.Module):
    def forward(self, logits, labels):
        return -(labels * torch.log_softmax(logits, dim=1)).mean()


class LogOfOneMinusSigmoid(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(8, 1)

    def forward(self, fake):
        return -torch.log(1 - torch.sigmoid(self.score(fake))).mean()  # defect: log_of_one_minus_sigmoid


class LogOfOneMinusSigmoidRepaired(LogOfOneMinusSigmoid):
    def forward(self, fake):
        return nn.functional.softplus(self.score(fake)).mean()


class SoftmaxByHand(nn.Module):
    def forward(self, logits):
        return torch.exp(logits) / torch.exp(logits).sum(dim=1, keepdim=True)  # defect: softmax_by_hand


class SoftmaxByHandRepaired(nn.Module):
    def forward(self, logits):
        moved = torch.exp(logits - logits.amax(dim=1, keepdim=True))
        return moved / moved.sum(dim=1, keepdim=True)


class KernelWeights(nn.Module):
    """A softmax by hand that underflows: far from every centre all weights are 0."""

    def __init__(self):
        super().__init__()
        self.centres = nn.Parameter(torch.linspace(-1, 1, 5))

    def forward(self, points):
        weights = torch.exp(-((points - self.centres) ** 2))
        return weights / weights.sum(dim=1, keepdim=True)  # defect: kernel_weights


class KernelWeightsRepaired(KernelWeights):
    def forward(self, points):
        return torch.softmax(-((points - self.centres) ** 2), dim=1)


class EpsilonLost(nn.Module):
    def __init__(self):
        super().__init__()
        self.decode = nn.Linear(8, 6)

    def forward(self, code, pixels):
        p = torch.sigmoid(self.decode(code))
        drawn = pixels * torch.log(1e-10 + p)
        left = (1 - pixels) * torch.log(1e-10 + 1 - p)  # defect: epsilon_lost
        return -(drawn + left).sum(1).mean()


class EpsilonLostRepaired(EpsilonLost):
    def forward(self, code, pixels):
        p = torch.sigmoid(self.decode(code))
        drawn = pixels * torch.log(1e-10 + p)
        left = (1 - pixels) * torch.log(1e-7 + (1 - p))
        return -(drawn + left).sum(1).mean()


class ClipDiscarded(nn.Module):
    def forward(self, logits):
        p = torch.sigmoid(logits)
        p.clamp(1e-6, 1.0)
        return -torch.log(p).mean()  # defect: clip_discarded


class ClipDiscardedRepaired(nn.Module):
    def forward(self, logits):
        p = torch.sigmoid(logits)
        p = p.clamp(1e-6, 1.0)
        return -torch.log(p).mean()


class ClipFromData(nn.Module):
    """The bound is the data's own minimum: it guards nothing."""

    def forward(self, logits):
        p = torch.sigmoid(logits)
        p = torch.maximum(p, p.min())
        return -torch.log(p).mean()  # defect: clip_from_data


class ClipFromDataRepaired(nn.Module):
    def forward(self, logits):
        p = torch.sigmoid(logits)
        p = torch.maximum(p, torch.tensor(1e-6))
        return -torch.log(p).mean()


class OneOfTwoLogs(nn.Module):
    def forward(self, logits, labels):
        p = torch.sigmoid(logits)
        positive = labels * torch.log(p.clamp(min=1e-7))
        negative = (1 - labels) * torch.log(1 - p)  # defect: one_of_two_logs
        return -(positive + negative).mean()


class OneOfTwoLogsRepaired(nn.Module):
    def forward(self, logits, labels):
        p = torch.sigmoid(logits)
        positive = labels * torch.log(p.clamp(min=1e-7))
        negative = (1 - labels) * torch.log((1 - p).clamp(min=1e-7))
        return -(positive + negative).mean()


class SqrtOfExp(nn.Module):
    """A variational encoder: the gradient of sqrt is infinite where exp underflows."""

    def __init__(self):
        super().__init__()
        self.mean, self.log_variance = nn.Linear(8, 4), nn.Linear(8, 4)

    def forward(self, features, noise):
        variance = torch.exp(torch.clamp(self.log_variance(features), -110, 80))
        z = self.mean(features) + torch.sqrt(variance) * noise  # defect: sqrt_of_exp
        return (z * z).mean()


class SqrtOfExpRepaired(SqrtOfExp):
    def forward(self, features, noise):
        deviation = torch.exp(torch.clamp(self.log_variance(features), -110, 80) / 2)
        z = self.mean(features) + deviation * noise
        return (z * z).mean()


class FreeEnergy(nn.Module):
    """A restricted Boltzmann machine."""

    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(64, 16)

    def forward(self, visible):
        return -torch.log(1 + torch.exp(self.hidden(visible))).sum(1).mean()  # defect: free_energy


class FreeEnergyRepaired(FreeEnergy):
    def forward(self, visible):
        return -nn.functional.softplus(self.hidden(visible)).sum(1).mean()


class TrainableGain(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(1))

    def forward(self, x):
        return x / self.gain  # defect: trainable_gain


class TrainableGainRepaired(TrainableGain):
    def forward(self, x):
        return x / (self.gain.abs() + 1e-6)


class ColumnSum(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(-1, 1, 12).reshape(4, 3))

    def forward(self, x):
        normal = self.weight / self.weight.abs().sum(0)  # defect: column_sum
        return x @ normal


class ColumnSumRepaired(ColumnSum):
    def forward(self, x):
        normal = self.weight / self.weight.abs().sum(0).clamp(min=1e-6)
        return x @ normal


class LogOfEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encode = nn.Linear(8, 2)

    def forward(self, x):
        return torch.log(self.encode(x)).mean()  # defect: log_of_encoder


class LogOfEncoderRepaired(LogOfEncoder):
    def forward(self, x):
        return torch.log(nn.functional.softplus(self.encode(x)) + 1e-6).mean()


class Divergence(nn.Module):
    """Kullback-Leibler divergence of two predictions."""

    def forward(self, first, second):
        p, q = torch.softmax(first, 1), torch.softmax(second, 1)
        ratio = p / q  # defect: divergence
        return (p * torch.log(ratio.clamp(min=1e-9))).sum(1).mean()


class DivergenceRepaired(nn.Module):
    def forward(self, first, second):
        p = torch.softmax(first, 1)
        return (p * (torch.log_softmax(first, 1) - torch.log_softmax(second, 1))).sum(1).mean()


class Entropy(nn.Module):
    def forward(self, logits):
        p = torch.softmax(logits, 1)
        return -(p * p.log()).sum(1).mean()  # defect: entropy


class EntropyRepaired(nn.Module):
    def forward(self, logits):
        return -(torch.softmax(logits, 1) * torch.log_softmax(logits, 1)).sum(1).mean()


class CosineSimilarity(nn.Module):
    def forward(self, a, b):
        lengths = torch.sqrt((a * a).sum(1)) * torch.sqrt((b * b).sum(1))
        return (a * b).sum(1) / lengths  # defect: cosine_similarity


class CosineSimilarityRepaired(nn.Module):
    def forward(self, a, b):
        lengths = torch.sqrt((a * a).sum(1) + 1e-6) * torch.sqrt((b * b).sum(1) + 1e-6)
        return (a * b).sum(1) / lengths


class DeviationOfOne(nn.Module):
    """Standardises over a dimension that has one element."""

    def forward(self, x):
        centred = x - x.mean(1, keepdim=True)
        deviation = torch.sqrt((centred * centred).mean(1, keepdim=True))
        return centred / deviation  # defect: deviation_of_one


class DeviationOfOneRepaired(nn.Module):
    def forward(self, x):
        centred = x - x.mean(1, keepdim=True)
        deviation = torch.sqrt((centred * centred).mean(1, keepdim=True) + 1e-5)
        return centred / deviation


class MaskedAttention(nn.Module):
    """A row whose keys are all masked has no finite score."""

    def forward(self, scores, mask):
        scores = scores.masked_fill(mask, float("-inf"))
        return torch.softmax(scores, -1)  # defect: masked_attention


class MaskedAttentionRepaired(nn.Module):
    def forward(self, scores, mask):
        scores = scores.masked_fill(mask, -1e9)
        return torch.softmax(scores, -1)


class HalfPrecision(nn.Module):
    """The squared length overflows float16 at 65504."""

    def forward(self, x):
        return (x.half() * x.half()).float().sum(1)  # defect: half_precision


class HalfPrecisionRepaired(nn.Module):
    def forward(self, x):
        return (x.half().float() * x.half().float()).sum(1)


class OneOfTwoExps(nn.Module):
    def forward(self, first, second):
        guarded = torch.exp(first.clamp(-50, 50)).mean()
        return guarded + torch.exp(second).mean()  # defect: one_of_two_exps


class OneOfTwoExpsRepaired(nn.Module):
    def forward(self, first, second):
        return torch.exp(first.clamp(-50, 50)).mean() + torch.exp(second.clamp(-50, 50)).mean()


class SampleDeviation(nn.Module):
    """The unbiased deviation of a single row divides by 0."""

    def forward(self, single):
        return single.std(1)  # defect: sample_deviation


class SampleDeviationRepaired(nn.Module):
    def forward(self, single):
        return torch.sqrt(single.var(1, correction=0) + 1e-6)


class Distance(nn.Module):
    """The gradient of a root at 0 is not defined."""

    def forward(self, first, second):
        return torch.sqrt(((first - second) ** 2).sum(1)).mean()  # defect: distance


class DistanceRepaired(nn.Module):
    """PyTorch's own norms, distances and deviations have a gradient of 0 there."""

    def forward(self, first, second):
        own = torch.linalg.vector_norm(first - second, dim=1) + torch.cdist(first, second)[0] + first.std(0).sum()
        return own.mean() + self.with_epsilon(first, second)

    def with_epsilon(self, first, second):
        return torch.sqrt(((first - second) ** 2).sum(1) + 1e-6).mean()


class SignedRoot(nn.Module):
    """The gradient of a power below 1 is infinite at 0."""

    def forward(self, x):
        return (torch.sign(x) * x.abs().pow(0.3)).mean()  # defect: signed_root


class SignedRootRepaired(nn.Module):
    def forward(self, x):
        return (torch.sign(x) * (x.abs() + 1e-3).pow(0.3)).mean()


class Angle(nn.Module):
    """Clamped to the domain of arccos, at whose edge the gradient is infinite."""

    def forward(self, cosine):
        return torch.acos(cosine.clamp(-1, 1)).mean()  # defect: angle


class AngleRepaired(nn.Module):
    def forward(self, cosine):
        return torch.acos(cosine.clamp(-0.999, 0.999)).mean()


class UntakenBranch(nn.Module):
    """The value of the other branch is right; its gradient is 0 times infinity."""

    def forward(self, x):
        return torch.where(x > 0, torch.log(x), 0.0).mean()  # defect: untaken_branch


class UntakenBranchRepaired(nn.Module):
    def forward(self, x):
        return torch.where(x > 0, torch.log(torch.where(x > 0, x, 1.0)), 0.0).mean()


class RootMeanSquare(nn.Module):
    """A root mean square norm without an epsilon."""

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True))  # defect: root_mean_square


class RootMeanSquareRepaired(nn.Module):
    def forward(self, x):
        own = nn.functional.rms_norm(x, (4,)) + nn.functional.normalize(x, dim=-1)
        return own + x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


class Adversarial(nn.Module):
    """The loss of a discriminator."""

    def forward(self, first, second):
        genuine = torch.log(torch.sigmoid(first) + 1e-12).mean()
        return -genuine - torch.log(1 - torch.sigmoid(second)).mean()  # defect: adversarial


class AdversarialRepaired(nn.Module):
    """PyTorch's own loss limits its logarithms."""

    def forward(self, first, second):
        loss = nn.BCELoss()
        genuine, fake = torch.sigmoid(first), torch.sigmoid(second)
        return loss(genuine, torch.ones_like(genuine)) + loss(fake, torch.zeros_like(fake))


class LinearAttention(nn.Module):
    """Attention with a kernel: far below 0 the features of the queries are 0."""

    def forward(self, first, second):
        q, k = nn.functional.elu(first) + 1, nn.functional.elu(second) + 1
        return torch.einsum("nd,md->nm", q, k) / torch.einsum("nd,d->n", q, k.sum(0))[:, None]  # defect: linear_attention


class LinearAttentionRepaired(nn.Module):
    def forward(self, first, second):
        q, k = nn.functional.elu(first) + 1, nn.functional.elu(second) + 1
        total = torch.einsum("nd,d->n", q, k.sum(0)) + 1e-6
        return torch.einsum("nd,md->nm", q, k) / total[:, None]


class StraightThrough(nn.Module):
    """Gumbel noise: a uniform draw is 0 now and then."""

    def forward(self, logits):
        noise = -torch.log(1e-20 - torch.log(torch.rand_like(logits)))  # defect: gumbel_noise
        return torch.softmax(logits + noise, dim=-1)


class StraightThroughRepaired(nn.Module):
    def forward(self, logits):
        noise = -torch.log(-torch.log(torch.empty_like(logits).uniform_(1e-6, 0.999)))
        return torch.softmax(logits + noise, dim=-1) + nn.functional.gumbel_softmax(logits, dim=-1)


PARTS = (
    (RootMeanSquare, RootMeanSquareRepaired),
    (Adversarial, AdversarialRepaired),
    (LinearAttention, LinearAttentionRepaired),
    (StraightThrough, StraightThroughRepaired),
    (LogOfSoftmax, LogOfSoftmaxRepaired),
    (LogOfSoftmaxInOneLine, LogOfSoftmaxInOneLineRepaired),
    (LogOfOneMinusSigmoid, LogOfOneMinusSigmoidRepaired),
    (SoftmaxByHand, SoftmaxByHandRepaired),
    (KernelWeights, KernelWeightsRepaired),
    (EpsilonLost, EpsilonLostRepaired),
    (ClipDiscarded, ClipDiscardedRepaired),
    (ClipFromData, ClipFromDataRepaired),
    (OneOfTwoLogs, OneOfTwoLogsRepaired),
    (SqrtOfExp, SqrtOfExpRepaired),
    (FreeEnergy, FreeEnergyRepaired),
    (TrainableGain, TrainableGainRepaired),
    (ColumnSum, ColumnSumRepaired),
    (LogOfEncoder, LogOfEncoderRepaired),
    (Divergence, DivergenceRepaired),
    (Entropy, EntropyRepaired),
    (CosineSimilarity, CosineSimilarityRepaired),
    (DeviationOfOne, DeviationOfOneRepaired),
    (MaskedAttention, MaskedAttentionRepaired),
    (HalfPrecision, HalfPrecisionRepaired),
    (OneOfTwoExps, OneOfTwoExpsRepaired),
    (SampleDeviation, SampleDeviationRepaired),
    (Distance, DistanceRepaired),
    (SignedRoot, SignedRootRepaired),
    (Angle, AngleRepaired),
    (UntakenBranch, UntakenBranchRepaired),
)


class Everything(nn.Module):
    """All parts side by side: what each needs is taken by the names of its arguments."""

    def __init__(self, repaired):
        super().__init__()
        torch.manual_seed(0)
        self.parts = nn.ModuleList(part[repaired]() for part in PARTS)

    def forward(
        self, features, labels, logits, targets, fake, points, code, pixels, noise, visible, rows, single, scores, mask,
        guess, cosine,
    ):  # fmt: skip
        given = {
            "features": features, "labels": labels, "logits": logits, "fake": fake, "points": points, "code": code,
            "pixels": pixels, "noise": noise, "visible": visible, "single": single, "scores": scores, "mask": mask,
            "rows": rows, "targets": targets, "guess": guess, "cosine": cosine, "first": logits, "second": targets, "a": logits, "b": targets,
        }  # fmt: skip
        return tuple(part(*(given[name] for name in ARGUMENTS[type(part).__name__.removesuffix("Repaired")])) for part in self.parts)


ARGUMENTS = {
    "RootMeanSquare": ("rows",),
    "Adversarial": ("first", "second"),
    "LinearAttention": ("first", "second"),
    "StraightThrough": ("guess",),
    "LogOfSoftmax": ("features", "labels"),
    "LogOfSoftmaxInOneLine": ("logits", "labels"),
    "LogOfOneMinusSigmoid": ("fake",),
    "SoftmaxByHand": ("logits",),
    "KernelWeights": ("points",),
    "EpsilonLost": ("code", "pixels"),
    "ClipDiscarded": ("logits",),
    "ClipFromData": ("targets",),
    "OneOfTwoLogs": ("logits", "labels"),
    "SqrtOfExp": ("features", "noise"),
    "FreeEnergy": ("visible",),
    "TrainableGain": ("rows",),
    "ColumnSum": ("rows",),
    "LogOfEncoder": ("features",),
    "Divergence": ("first", "second"),
    "Entropy": ("guess",),
    "CosineSimilarity": ("a", "b"),
    "DeviationOfOne": ("single",),
    "MaskedAttention": ("scores", "mask"),
    "HalfPrecision": ("rows",),
    "OneOfTwoExps": ("first", "second"),
    "SampleDeviation": ("single",),
    "Distance": ("first", "second"),
    "SignedRoot": ("rows",),
    "Angle": ("cosine",),
    "UntakenBranch": ("rows",),
}


def _numbers(*shape):
    return torch.linspace(-1, 1, torch.Size(shape).numel()).reshape(shape)


def _build(repaired):
    shares = torch.softmax(_numbers(3, 4), -1)
    examples = {
        "features": _numbers(3, 8), "labels": shares, "logits": _numbers(3, 4), "targets": _numbers(3, 4),
        "fake": _numbers(3, 8), "points": _numbers(3, 1), "code": _numbers(3, 8), "pixels": _numbers(3, 6).abs(),
        "noise": _numbers(3, 4), "visible": _numbers(3, 64).abs(), "rows": _numbers(3, 4), "single": _numbers(3, 1),
        "scores": _numbers(2, 4, 4), "mask": torch.zeros(2, 4, 4, dtype=torch.bool), "guess": _numbers(3, 4),
        "cosine": _numbers(3, 4),
    }  # fmt: skip
    return Everything(repaired), examples


def defective():
    return _build(False)


def repaired():
    return _build(True)
