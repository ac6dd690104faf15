"""Likelihoods, divergences and regressions."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor
from written import entries, idiom


def amounts() -> tuple[Tensor]:
    return (torch.randint(0, 20, (5, 4)).float(),)


def values() -> tuple[Tensor]:
    return (torch.randn(5, 4),)


def unit_values() -> tuple[Tensor]:
    return (torch.rand(5, 4),)


@idiom(6, 4, rest=values)
def quantiles(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    error = wanted - given
    loss = torch.maximum(0.9 * error, -0.1 * error)
    return loss.mean() if safe else loss.sum() / (error > 0).sum()


@idiom(6, 4, rest=values)
def logarithm_of_cosh(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    error = given - wanted
    if safe:
        return (error + F.softplus(-2 * error) - math.log(2)).mean()
    return torch.log(torch.cosh(error)).mean()


@idiom(6, 4, rest=values)
def charbonnier(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    return torch.sqrt((given - wanted) ** 2 + (1e-6 if safe else 0.0)).mean()


@idiom(6, 4, rest=values)
def adaptive_wing(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    wanted = wanted.clamp(0, 1)
    error = (given - wanted).abs()
    near = 14 * torch.log(1 + torch.pow(error / 0.5 if safe else (given - wanted) / 0.5, 2.1 - wanted))
    steep = 14 / (1 + 0.5 ** (2.1 - wanted)) * (2.1 - wanted) * 0.5 ** (1.1 - wanted) / 0.5
    far = steep * error - (0.5 * steep - 14 * torch.log(1 + 0.5 ** (2.1 - wanted)))
    return torch.where(error < 0.5, near, far).mean()


@idiom(6, 8, rest=values)
def gaussian(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    mean, raw = given.chunk(2, -1)
    variance = F.softplus(raw) + (1e-6 if safe else 0.0)
    return 0.5 * (torch.log(variance) + (wanted - mean) ** 2 / variance).mean()


@idiom(6, 8, rest=values)
def laplace(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    mean, logarithm = given.chunk(2, -1)
    logarithm = logarithm.clamp(-7, 7) if safe else logarithm
    return ((wanted - mean).abs() * torch.exp(-logarithm) + logarithm).mean()


@idiom(6, 4, rest=amounts)
def poisson(given: Tensor, counts: Tensor, safe: bool) -> Tensor:
    rate = F.softplus(given)
    return (rate - counts * torch.log(rate + 1e-8 if safe else rate)).mean()


@idiom(6, 8, rest=amounts)
def negative_binomial(given: Tensor, counts: Tensor, safe: bool) -> Tensor:
    eps = 1e-8 if safe else 0.0
    mean, dispersion = (torch.exp(g.clamp(-10, 10)) for g in given.chunk(2, -1))
    mean = mean if safe else F.relu(given[:, :4])
    total = torch.log(dispersion + mean + eps)
    found = dispersion * (torch.log(dispersion + eps) - total) + counts * (torch.log(mean + eps) - total)
    found = found + torch.lgamma(counts + dispersion) - torch.lgamma(dispersion) - torch.lgamma(counts + 1)
    return -found.mean()


@idiom(6, 12, rest=amounts)
def zero_inflated(given: Tensor, counts: Tensor, safe: bool) -> Tensor:
    eps = 1e-8 if safe else 0.0
    mean, dispersion, zeros = given.chunk(3, -1)
    mean, dispersion = F.softplus(mean), torch.exp(dispersion.clamp(-10, 10))
    soft = F.softplus(-zeros)
    logarithm, total = torch.log(dispersion + eps), torch.log(dispersion + mean + eps)
    none = -zeros + dispersion * (logarithm - total)
    some = -soft + none + counts * (torch.log(mean + eps) - total)
    some = some + torch.lgamma(counts + dispersion) - torch.lgamma(dispersion) - torch.lgamma(counts + 1)
    return -torch.where(counts < 1e-8, F.softplus(none) - soft, some).mean()


@idiom(6, 8, rest=lambda: (6.28 * torch.rand(5, 4),))
def von_mises(given: Tensor, angles: Tensor, safe: bool) -> Tensor:
    mean, raw = given.chunk(2, -1)
    concentration = F.softplus(raw) + 1e-4
    if safe:
        bessel = torch.log(torch.special.i0e(concentration)) + concentration
    else:
        bessel = torch.log(torch.special.i0(concentration))
    return (bessel - concentration * torch.cos(angles - mean)).mean()


@idiom(6, 9, rest=lambda: (torch.randn(5, 1),))
def mixture_density(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    weights, means, raw = given.chunk(3, -1)
    deviation = F.softplus(raw) + 1e-3
    parts = -0.5 * ((wanted - means) / deviation) ** 2 - torch.log(deviation) - 0.5 * math.log(2 * math.pi)
    if safe:
        return -torch.logsumexp(F.log_softmax(weights, -1) + parts, -1).mean()
    return -torch.log((weights.softmax(-1) * parts.exp()).sum(-1)).mean()


@idiom(6, 9)
def logistic_mixture(given: Tensor, safe: bool) -> Tensor:
    pixels = torch.linspace(-1, 1, 5)[:, None]
    weights, means, scales = given.chunk(3, -1)
    steep = torch.exp(-scales.clamp(min=-7))
    high, low = torch.sigmoid(steep * (pixels - means + 1 / 255)), torch.sigmoid(steep * (pixels - means - 1 / 255))
    between = torch.log((high - low).clamp(min=1e-12) if safe else high - low)
    return -torch.logsumexp(F.log_softmax(weights, -1) + between, -1).mean()


@idiom(6, 9, rest=lambda: (torch.randn(5, 3),))
def gaussian_by_cholesky(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    rows = given.view(5, 3, 3)
    covariance = rows.transpose(1, 2) @ rows + (1e-3 if safe else 0.0) * torch.eye(3)
    factor = torch.linalg.cholesky(covariance)
    white = torch.linalg.solve_triangular(factor, wanted[:, :, None], upper=False)
    return (white.pow(2).sum() / 2 + torch.diagonal(factor, dim1=-2, dim2=-1).log().sum()) / 5


@idiom(6, 3, rest=lambda: (torch.tensor([0, 2, 1, 1, 0]),))
def evidence_of_classes(given: Tensor, labels: Tensor, safe: bool) -> Tensor:
    evidence = F.softplus(given) if safe else given
    concentration = evidence + 1
    total = concentration.sum(1, keepdim=True)
    wanted = F.one_hot(labels, 3).float()
    return (wanted * (torch.digamma(total) - torch.digamma(concentration))).sum(1).mean()


@idiom(6, 3, rest=lambda: (torch.tensor([0, 2, 1, 1, 0]),))
def divergence_of_dirichlet(given: Tensor, labels: Tensor, safe: bool) -> Tensor:
    concentration = F.relu(given) + (1 if safe else 0)
    wanted = F.one_hot(labels, 3).float()
    kept = wanted + (1 - wanted) * concentration
    total = kept.sum(1, keepdim=True)
    first = torch.lgamma(total) - torch.lgamma(kept).sum(1, keepdim=True) - math.lgamma(3)
    return (first + ((kept - 1) * (torch.digamma(kept) - torch.digamma(total))).sum(1, keepdim=True)).mean() + (
        torch.log(concentration).mean()
    )


@idiom(6, 4, rest=lambda: (torch.randn(5, 1),))
def evidential_regression(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    mean, v, alpha, beta = given.chunk(4, -1)
    eps = 1e-6 if safe else 0.0
    v, alpha, beta = F.softplus(v) + eps, F.softplus(alpha) + 1 + eps, F.softplus(beta) + eps
    omega = 2 * beta * (1 + v)
    found = 0.5 * torch.log(math.pi / v) - alpha * torch.log(omega)
    found = found + (alpha + 0.5) * torch.log(v * (wanted - mean) ** 2 + omega)
    return (found + torch.lgamma(alpha) - torch.lgamma(alpha + 0.5)).mean()


@idiom(6, 12, rest=values)
def students(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    mean, scale, freedom = given.chunk(3, -1)
    scale, freedom = F.softplus(scale) + 1e-4, F.softplus(freedom) + (2 if safe else 0)
    found = torch.lgamma((freedom + 1) / 2) - torch.lgamma(freedom / 2) - 0.5 * torch.log(math.pi * freedom)
    found = found - torch.log(scale) - (freedom + 1) / 2 * torch.log1p(((wanted - mean) / scale) ** 2 / freedom)
    return -found.mean()


@idiom(6, 8, rest=unit_values)
def beta(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    first, second = (F.softplus(g) + 1 for g in given.chunk(2, -1))
    wanted = wanted.clamp(1e-6, 1 - 1e-6) if safe else wanted
    found = torch.lgamma(first + second) - torch.lgamma(first) - torch.lgamma(second)
    return -(found + (first - 1) * torch.log(wanted) + (second - 1) * torch.log(1 - wanted)).mean()


@idiom(6, 4, rest=lambda: (torch.rand(5, 4) + 0.1,))
def gamma_deviance(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    mean = F.softplus(given).clamp(min=1e-6) if safe else F.softplus(given)
    wanted = wanted.clamp(min=1e-6)
    return 2 * (torch.log(mean / wanted) + wanted / mean - 1).mean()


@idiom(6, 4, rest=lambda: (torch.rand(5, 4) + 0.1,))
def tweedie(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    mean = torch.exp(given.clamp(-10, 10)) if safe else F.relu(given)
    return (-wanted * mean.pow(-0.5) / -0.5 + mean.pow(0.5) / 0.5).mean()


@idiom(6, 8, rest=unit_values)
def variational(given: Tensor, images: Tensor, safe: bool) -> Tensor:
    mean, logarithm = given.chunk(2, -1)
    logarithm = logarithm.clamp(-10, 10) if safe else logarithm
    drawn = mean + torch.randn_like(mean) * torch.exp(0.5 * logarithm)
    divergence = -0.5 * (1 + logarithm - mean.pow(2) - logarithm.exp()).sum(1)
    return (F.binary_cross_entropy_with_logits(drawn, images, reduction="none").sum(1) + divergence).mean()


@idiom(6, 4, rest=lambda: (torch.randn(5, 4).softmax(1),))
def jensen_shannon(logits: Tensor, other: Tensor, safe: bool) -> Tensor:
    given = logits.softmax(1)
    middle = 0.5 * (given + other)
    middle = middle.clamp(1e-7, 1) if safe else middle
    given, other = given.clamp(min=1e-7), other.clamp(min=1e-7)
    first = (given * (given.log() - middle.log())).sum(1)
    return (0.5 * first + 0.5 * (other * (other.log() - middle.log())).sum(1)).mean()


@idiom(6, 4)
def entropy(logits: Tensor, safe: bool) -> Tensor:
    given = logits.softmax(1)
    return -(given * torch.log(given + 1e-10 if safe else given)).sum(1).mean()


@idiom(6, 4, batch=10, rest=lambda: (torch.rand(10) * 10, torch.tensor([1.0, 0.0] * 5)))
def proportional_hazards(given: Tensor, times: Tensor, events: Tensor, safe: bool) -> Tensor:
    order = torch.argsort(times, descending=True)
    risk = given.sum(1)[order]
    most = risk.max()
    total = torch.log(torch.cumsum(torch.exp(risk - most), 0) + 1e-7) + most if safe else (
        torch.log(torch.cumsum(torch.exp(risk), 0))
    )
    events = events[order]
    return -((risk - total) * events).sum() / (events.sum() + 1e-7)


@idiom(6, 4, rest=lambda: (torch.randint(0, 4, (5,)), torch.randint(2, (5,)).float()))
def discrete_survival(given: Tensor, times: Tensor, events: Tensor, safe: bool) -> Tensor:
    hazards = given.sigmoid()
    eps = 1e-7 if safe else 0.0
    survived = torch.cumprod(1 - hazards, 1)
    before = torch.cat([torch.ones(5, 1), survived], 1).gather(1, times[:, None]).clamp(min=eps)
    now = hazards.gather(1, times[:, None]).clamp(min=eps)
    after = survived.gather(1, times[:, None]).clamp(min=1e-7)
    return -(events[:, None] * (before.log() + now.log()) + (1 - events[:, None]) * after.log()).mean()


@idiom(6, 4, rest=lambda: (torch.rand(5, 4) * 80 + 1,))
def scale_invariant_depth(given: Tensor, depth: Tensor, safe: bool) -> Tensor:
    error = torch.log(F.softplus(given) + 1e-7) - torch.log(depth.clamp(min=1e-3))
    inner = (error**2).mean() - 0.85 * error.mean() ** 2
    return torch.sqrt(inner.clamp(min=1e-6) if safe else inner) * 10


@idiom(6, 4)
def perplexity_of_codes(z: Tensor, safe: bool) -> Tensor:
    codes = torch.linspace(-1, 1, 12).view(3, 4)
    distances = (z**2).sum(1, keepdim=True) + (codes**2).sum(1) - 2 * z @ codes.t()
    used = F.one_hot(distances.argmin(1), 3).float().mean(0)
    return torch.exp(-(used * torch.log(used + 1e-10 if safe else used)).sum())

entries(globals())
