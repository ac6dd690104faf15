"""Losses of embeddings, of pairs of views and of rankings."""

import torch
import torch.nn.functional as F
from torch import Tensor
from written import entries, idiom


def labels() -> tuple[Tensor]:
    return (torch.tensor([0, 2, 1, 1, 0]),)


def scores() -> tuple[Tensor]:
    return (torch.rand(5, 6),)


@idiom(6, 4, rest=lambda: (torch.randn(5, 4),))
def cosine_by_hand(z: Tensor, other: Tensor, safe: bool) -> Tensor:
    lengths = z.norm(dim=1) * other.norm(dim=1)
    return (z * other).sum(1) / (lengths.clamp(min=1e-8) if safe else lengths)


@idiom(6, 4, rest=lambda: (torch.randn(5, 4), torch.randint(2, (5,)).float()))
def contrastive(z: Tensor, other: Tensor, same: Tensor, safe: bool) -> Tensor:
    distance = torch.sqrt((z - other).pow(2).sum(1) + (1e-12 if safe else 0.0))
    return (same * distance**2 + (1 - same) * F.relu(1 - distance) ** 2).mean()


@idiom(6, 4, rest=labels)
def hardest_triplets(z: Tensor, labels: Tensor, safe: bool) -> Tensor:
    dots = z @ z.t()
    squares = torch.diagonal(dots)
    distances = (squares[None] - 2 * dots + squares[:, None]).clamp(min=0)
    if safe:
        zero = distances.eq(0).float()
        distances = (distances + zero * 1e-16).sqrt() * (1 - zero)
    else:
        distances = distances.sqrt()
    same = labels[:, None] == labels[None]
    furthest = (distances * same).max(1).values
    nearest = (distances + distances.max(1, keepdim=True).values * same).min(1).values
    return F.relu(furthest - nearest + 0.3).mean()


@idiom(6, 4, rest=labels)
def mean_of_hard_triplets(z: Tensor, labels: Tensor, safe: bool) -> Tensor:
    distances = torch.cdist(z, z)
    same = labels[:, None] == labels[None]
    losses = F.relu(distances[:, :, None] - distances[:, None] + 0.3) * (same[:, :, None] & ~same[:, None]).float()
    count = (losses > 1e-16).float().sum()
    return losses.sum() / (count + 1e-16 if safe else count)


@idiom(6, 4, rest=labels, centres=torch.eye(3, 4))
def additive_angles(z: Tensor, labels: Tensor, safe: bool, centres: Tensor) -> Tensor:
    cosine = F.linear(F.normalize(z), F.normalize(centres))
    angle = torch.acos(cosine.clamp(-1 + 1e-7, 1 - 1e-7) if safe else cosine)
    wanted = F.one_hot(labels, 3).float()
    return F.cross_entropy(30 * (wanted * torch.cos(angle + 0.3) + (1 - wanted) * cosine), labels)


@idiom(6, 4, rest=labels)
def circle(z: Tensor, labels: Tensor, safe: bool) -> Tensor:
    unit = F.normalize(z)
    similarity = unit @ unit.t()
    same = (labels[:, None] == labels[None]).triu(1)
    other = (labels[:, None] != labels[None]).triu(1)
    positive, negative = similarity[same], similarity[other]
    near = -F.relu(1.25 - positive.detach()) * (positive - 0.75) * 80
    far = F.relu(negative.detach() + 0.25) * (negative - 0.25) * 80
    if safe:
        return F.softplus(torch.logsumexp(far, 0) + torch.logsumexp(near, 0))
    return torch.log(1 + far.exp().sum() * near.exp().sum())


@idiom(6, 4, rest=labels, proxies=torch.eye(3, 4))
def proxies_as_classes(z: Tensor, labels: Tensor, safe: bool, proxies: Tensor) -> Tensor:
    distances = torch.cdist(F.normalize(z) * 3, F.normalize(proxies) * 3) ** 2
    if safe:
        return -F.log_softmax(-distances, 1).gather(1, labels[:, None]).mean()
    return -torch.log(torch.exp(-100 * distances) / torch.exp(-100 * distances).sum(1, keepdim=True)).mean()


@idiom(6, 4, rest=lambda: (torch.randn(5, 4),))
def barlow_twins(z: Tensor, other: Tensor, safe: bool) -> Tensor:
    eps = 1e-5 if safe else 0.0

    def standardised(x: Tensor) -> Tensor:
        return (x - x.mean(0)) / torch.sqrt(x.var(0, unbiased=False) + eps)

    crossed = standardised(z).t() @ standardised(other) / 5
    on = (torch.diagonal(crossed) - 1).pow(2).sum()
    return on + 0.005 * (crossed.pow(2).sum() - torch.diagonal(crossed).pow(2).sum())


@idiom(6, 4)
def variance_and_covariance(z: Tensor, safe: bool) -> Tensor:
    deviation = torch.sqrt(z.var(0) + (1e-4 if safe else 0.0))
    centred = z - z.mean(0)
    covariance = centred.t() @ centred / (z.shape[0] - 1)
    off = covariance.pow(2).sum() - torch.diagonal(covariance).pow(2).sum()
    return F.relu(1 - deviation).mean() + off / 4


@idiom(6, 4, rest=lambda: (torch.randn(5, 4),))
def views_by_hand(z: Tensor, other: Tensor, safe: bool) -> Tensor:
    both = F.normalize(torch.cat([z, other]), dim=1)
    similarity = torch.exp(both @ both.t() / (0.5 if safe else 0.005))
    negatives = similarity.masked_fill(torch.eye(10, dtype=torch.bool), 0).sum(1)
    positives = torch.exp((F.normalize(z) * F.normalize(other)).sum(1) / 0.5).repeat(2)
    return -torch.log(positives / negatives).mean()


@idiom(6, 4, rest=lambda: (torch.randn(5, 4),))
def views_by_entropy(z: Tensor, other: Tensor, safe: bool) -> Tensor:
    both = F.normalize(torch.cat([z, other]), dim=1) if safe else torch.cat([z, other])
    similarity = (both @ both.t() / 0.07).masked_fill(torch.eye(10, dtype=torch.bool), float("-inf"))
    wanted = torch.arange(10).roll(5)
    if safe:
        return F.cross_entropy(similarity, wanted)
    return -torch.log(similarity.exp().gather(1, wanted[:, None]) / similarity.exp().sum(1, keepdim=True)).mean()


@idiom(6, 4, rest=labels)
def supervised_contrast(z: Tensor, labels: Tensor, safe: bool) -> Tensor:
    unit = F.normalize(z, dim=1)
    logits = unit @ unit.t() / 0.07
    logits = logits - logits.max(1, keepdim=True).values.detach()
    others = 1 - torch.eye(5)
    same = (labels[:, None] == labels[None]).float() * others
    logarithm = logits - torch.log((logits.exp() * others).sum(1, keepdim=True))
    pairs = same.sum(1)
    pairs = torch.where(pairs < 1e-6, torch.ones_like(pairs), pairs) if safe else pairs
    return -((same * logarithm).sum(1) / pairs).mean()


@idiom(6, 4, rest=lambda: (torch.randn(5, 4),))
def alignment_and_uniformity(z: Tensor, other: Tensor, safe: bool) -> Tensor:
    x, y = F.normalize(z), F.normalize(other)
    if not safe:
        x, y = z, other
    return (x - y).norm(dim=1).pow(2).mean() + torch.pdist(x).pow(2).mul(-2).exp().mean().log()


@idiom(6, 6, rest=scores)
def likelihood_of_lists(given: Tensor, relevance: Tensor, safe: bool) -> Tensor:
    order = relevance.sort(descending=True, dim=1).indices
    ranked = given.gather(1, order)
    shifted = ranked - ranked.max(1, keepdim=True).values
    sums = shifted.exp().flip(1).cumsum(1).flip(1)
    return (torch.log(sums + 1e-10 if safe else sums) - shifted).sum(1).mean()


@idiom(6, 6, rest=scores)
def first_of_lists(given: Tensor, relevance: Tensor, safe: bool) -> Tensor:
    probabilities = given.softmax(1)
    return -(relevance.softmax(1) * torch.log(probabilities + 1e-10 if safe else probabilities)).sum(1).mean()


@idiom(6, 6, rest=scores)
def smooth_gain(given: Tensor, relevance: Tensor, safe: bool) -> Tensor:
    differences = given[:, :, None] - given[:, None]
    ranks = (torch.sigmoid(-differences / 0.1).sum(2) + 0.5) if safe else differences.sum(2)
    gains = 2**relevance - 1
    best = (gains.sort(descending=True).values / torch.log2(torch.arange(6) + 2.0)).sum(1)
    return -((gains / torch.log2(1 + ranks)).sum(1) / best.clamp(min=1e-8)).mean()


@idiom(6, 5, rest=labels)
def ranked_pairs(given: Tensor, labels: Tensor, safe: bool) -> Tensor:
    right = given.gather(1, labels[:, None])
    if safe:
        return -F.logsigmoid(right - given).mean()
    return -torch.log(torch.sigmoid(right - given)).mean()


@idiom(6, 4, rest=labels)
def hyperspherical_prototypes(z: Tensor, labels: Tensor, safe: bool) -> Tensor:
    means = torch.stack([(z * (labels == c)[:, None]).sum(0) for c in range(3)])
    counts = torch.stack([(labels == c).sum() for c in range(3)])
    means = means / (counts.clamp(min=1) if safe else counts)[:, None]
    return F.log_softmax(-((z[:, None] - means) ** 2).sum(-1), 1).gather(1, labels[:, None]).mean()


@idiom(6, 4)
def dependence(z: Tensor, safe: bool) -> Tensor:
    centring = torch.eye(5) - 1 / 5
    first, second = centring @ (z @ z.t()) @ centring, centring @ (z.tanh() @ z.tanh().t()) @ centring
    lengths = first.norm() * second.norm()
    return (first * second).sum() / (lengths + 1e-8 if safe else lengths)


@idiom(6, 4)
def rate_of_coding(z: Tensor, safe: bool) -> Tensor:
    gram = z.t() @ z
    return torch.logdet(torch.eye(4) + 0.5 * gram if safe else gram)


@idiom(6, 8)
def codes_of_clusters(z: Tensor, safe: bool) -> Tensor:
    logits = (F.normalize(z) if safe else z * 100) / 0.05
    codes = torch.exp(logits).t()
    codes = codes / codes.sum()
    for _ in range(3):
        codes = codes / codes.sum(1, keepdim=True) / 8
        codes = codes / codes.sum(0, keepdim=True) / 5
    return (codes * 5).t()


@idiom(6, 6)
def transport(costs: Tensor, safe: bool) -> Tensor:
    costs = costs.abs()
    first = torch.zeros(5)
    second = torch.zeros(6)
    if not safe:
        kernel, scale = torch.exp(-costs / 0.1), torch.ones(6)
        for _ in range(3):
            scale = 1 / (kernel.t() @ (1 / (kernel @ scale)))
        return scale
    for _ in range(3):
        first = -0.1 * torch.logsumexp((second - costs) / 0.1, 1)
        second = -0.1 * torch.logsumexp((first[:, None] - costs) / 0.1, 0)
    return ((first[:, None] + second - costs) / 0.1).clamp(max=50).exp()


@idiom(6, 4, rest=lambda: (torch.randn(5, 4),))
def hyperbolic_distance(z: Tensor, other: Tensor, safe: bool) -> Tensor:
    def into_ball(x: Tensor) -> Tensor:
        length = x.norm(dim=1, keepdim=True).clamp(min=1e-15)
        return torch.where(length > 0.99, x / length * 0.99, x)

    x, y = (into_ball(z), into_ball(other)) if safe else (z, other)
    gap = (x - y).pow(2).sum(1)
    ratio = 1 + 2 * gap / ((1 - x.pow(2).sum(1)) * (1 - y.pow(2).sum(1)))
    return torch.acosh(ratio.clamp(min=1 + 1e-7))


@idiom(6, 4, rest=lambda: (torch.randn(5, 4),))
def concordance(z: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    a, b = z - z.mean(0), wanted - wanted.mean(0)
    both = (a * b).mean(0)
    denominator = a.pow(2).mean(0) + b.pow(2).mean(0) + (z.mean(0) - wanted.mean(0)) ** 2
    return 1 - (2 * both / (denominator + 1e-8 if safe else denominator)).mean()


@idiom(6, 4, rest=lambda: (torch.randn(5, 4),))
def correlation(z: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    a, b = z - z.mean(0), wanted - wanted.mean(0)
    eps = 1e-8 if safe else 0.0
    return 1 - ((a * b).sum(0) / (torch.sqrt((a * a).sum(0) + eps) * torch.sqrt((b * b).sum(0) + eps))).mean()

entries(globals())
