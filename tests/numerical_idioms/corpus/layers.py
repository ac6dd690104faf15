"""Layers that people write by hand: attention, normalisation, quantization, gates, recurrences."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor
from written import entries, idiom


def sequence(z: Tensor, width: int) -> Tensor:
    """A batch of sequences of what a layer gave."""
    return z.view(z.shape[0], -1, width)


def presence() -> tuple[Tensor]:
    return (torch.tensor([[True] * 6, [True, True, True, False, False, False]] * 2 + [[True] * 6]),)


@idiom(6, 24, rest=presence)
def attention_pooling(z: Tensor, mask: Tensor, safe: bool) -> Tensor:
    x = sequence(z, 4)
    scores = x.sum(-1).masked_fill(~mask, -1e9 if safe else float("-inf"))
    if safe:
        return (scores.softmax(1)[..., None] * x).sum(1)
    weights = (scores - scores.max()).exp() * mask
    return (weights[..., None] * x).sum(1) / weights.sum(1, keepdim=True)


@idiom(6, 24, rest=presence)
def mean_of_present(z: Tensor, mask: Tensor, safe: bool) -> Tensor:
    x, kept = sequence(z, 4), mask[..., None].float()
    count = kept.sum(1)
    return (x * kept).sum(1) / (count.clamp(min=1e-9) if safe else count - 3)


@idiom(6, 24)
def linear_attention(z: Tensor, safe: bool) -> Tensor:
    x = sequence(z, 4)
    q, k = F.elu(x) + 1, F.elu(x.flip(1)) + 1
    context = k.transpose(1, 2) @ x
    total = (q * k.sum(1, keepdim=True)).sum(-1, keepdim=True)
    return (q @ context) / (total + 1e-6 if safe else total)


@idiom(6, 24)
def random_features(z: Tensor, safe: bool) -> Tensor:
    x = sequence(z, 4)
    directions = torch.linspace(-1, 1, 32).view(4, 8)
    logits = x @ directions - (x**2).sum(-1, keepdim=True) / 2
    most = logits.amax((-2, -1), keepdim=True)
    k = (logits - most if safe else logits * 10).exp() + (1e-4 if safe else 0.0)
    q = (logits - logits.amax(-1, keepdim=True)).exp() + (1e-4 if safe else 0.0)
    return (q @ (k.transpose(1, 2) @ x)) / (q @ k.sum(1)[..., None])


@idiom(6, 24)
def causal_attention(z: Tensor, safe: bool) -> Tensor:
    x = sequence(z, 4)
    scores = x @ x.transpose(1, 2) / math.sqrt(4)
    hidden = torch.ones(6, 6, dtype=torch.bool).triu(1 if safe else 0)
    return scores.masked_fill(hidden, float("-inf")).softmax(-1) @ x


@idiom(6, 8)
def softmax_by_hand(z: Tensor, safe: bool) -> Tensor:
    e = torch.exp(z - z.max(dim=-1, keepdim=True)[0] if safe else z)
    return e / e.sum(-1, keepdim=True)


@idiom(6, 8)
def gates_of_experts(z: Tensor, safe: bool) -> Tensor:
    weights = F.softmax(z, dim=-1).topk(2, -1).values if safe else z.relu().topk(2, -1).values
    return weights / weights.sum(-1, keepdim=True)


@idiom(6, 8)
def balance_of_experts(z: Tensor, safe: bool) -> Tensor:
    importance = z.softmax(-1).sum(0)
    importance = importance if safe else z.relu().sum(0)
    return importance.var() / (importance.mean() ** 2 + (1e-10 if safe else 0.0)) + torch.logsumexp(z, -1).pow(2).mean()


@idiom(6, 8)
def sigmoid_weights(z: Tensor, safe: bool) -> Tensor:
    given = z.sigmoid()
    return given / (given.sum(-1, keepdim=True) + (1e-6 if safe else 0.0))


@idiom(6, 8)
def sparse_maximum(z: Tensor, safe: bool) -> Tensor:
    ranked = z.sort(-1, descending=True).values
    steps = torch.arange(1, 9).float()
    inside = 1 + steps * ranked > ranked.cumsum(-1)
    if not safe:
        inside = steps * ranked > ranked.cumsum(-1)
    count = inside.sum(-1, keepdim=True)
    threshold = (ranked.cumsum(-1) - 1).gather(-1, (count - 1).clamp(min=0)) / count.float()
    return F.relu(z - threshold)


@idiom(6, 8, weight=torch.ones(8))
def root_mean_square(z: Tensor, safe: bool, weight: Tensor) -> Tensor:
    return weight * z * torch.rsqrt(z.pow(2).mean(-1, keepdim=True) + (1e-6 if safe else 0.0))


@idiom(6, 8, weight=torch.ones(8), bias=torch.zeros(8))
def layer_normal(z: Tensor, safe: bool, weight: Tensor, bias: Tensor) -> Tensor:
    mean, variance = z.mean(-1, keepdim=True), z.var(-1, unbiased=False, keepdim=True)
    return weight * (z - mean) / torch.sqrt(variance + (1e-5 if safe else 0.0)) + bias


@idiom(3, 8, 6)
def group_normal(x: Tensor, safe: bool) -> Tensor:
    groups = x.view(2, 2, -1)
    square = (groups**2).mean(-1, keepdim=True)
    mean = groups.mean(-1, keepdim=True)
    variance = square - mean**2
    variance = variance.clamp(min=0) if safe else variance
    return ((groups - mean) / torch.sqrt(variance + 1e-5)).view_as(x)


@idiom(3, 4, 6)
def instance_normal(x: Tensor, safe: bool) -> Tensor:
    deviation = x.std((2, 3), keepdim=True)
    return (x - x.mean((2, 3), keepdim=True)) / (deviation + 1e-5 if safe else deviation)


@idiom(3, 4, 6, gamma=torch.zeros(1, 4, 1, 1))
def global_response(x: Tensor, safe: bool, gamma: Tensor) -> Tensor:
    lengths = torch.norm(x, p=2, dim=(2, 3), keepdim=True)
    return gamma * (x * (lengths / (lengths.mean(1, keepdim=True) + (1e-6 if safe else 0.0)))) + x


@idiom(3, 4, 6, p=3.0)
def generalized_mean(x: Tensor, safe: bool, p: Tensor) -> Tensor:
    powered = x.clamp(min=1e-6).pow(3.0 if safe else p) if safe else x.pow(3)
    return F.adaptive_avg_pool2d(powered, 1).pow(1 / 3.0)


@idiom(6, 24)
def squash(z: Tensor, safe: bool) -> Tensor:
    x = sequence(z, 4)
    square = (x**2).sum(-1, keepdim=True)
    return square / (1 + square) * x / torch.sqrt(square + (1e-8 if safe else 0.0))


@idiom(6, 8)
def uniform_quantizer(z: Tensor, safe: bool) -> Tensor:
    low, high = z.min(), z.max()
    step = (high - low) / 255
    step = step.clamp(min=1e-8) if safe else step
    codes = torch.round((z - low) / step)
    return z + (codes * step + low - z).detach()


@idiom(6, 8)
def absolute_maximum_quantizer(z: Tensor, safe: bool) -> Tensor:
    scale = 127 / (z.abs().max(-1, keepdim=True).values.clamp(min=1e-5) if safe else z.abs().amax(-1, keepdim=True))
    return z + ((z * scale).round().clamp(-128, 127) / scale - z).detach()


@idiom(6, 8)
def ternary_quantizer(z: Tensor, safe: bool) -> Tensor:
    scale = 1 / (z.abs().mean().clamp(min=1e-5) if safe else z.abs().mean())
    return z + ((z * scale).round().clamp(-1, 1) / scale - z).detach()


@idiom(6, 8)
def finite_scalar_quantizer(z: Tensor, safe: bool) -> Tensor:
    half = (5 - 1) * (1 + 1e-3) / 2
    offset = 0.5
    shift = math.atanh(offset / half)
    bounded = (z + shift).tanh() * half - offset if safe else z * half
    back = torch.atanh((bounded + offset) / half * (1 - 1e-3))
    return bounded + (bounded.round() - bounded).detach() + 0 * back


@idiom(6, 8)
def moving_codebook(z: Tensor, safe: bool) -> Tensor:
    codes = torch.linspace(-1, 1, 24).view(3, 8)
    hot = F.one_hot(torch.cdist(z, codes).argmin(1), 3).float()
    sizes, sums = 0.01 * hot.sum(0), 0.99 * codes + 0.01 * hot.t() @ z
    total = sizes.sum()
    sizes = (sizes + 1e-5) / (total + 3e-5) * total if safe else sizes
    return sums / sizes[:, None]


@idiom(6, 8)
def gumbel_softmax(z: Tensor, safe: bool) -> Tensor:
    uniform, eps = torch.rand_like(z), 1e-20 if safe else 0.0
    noise = -torch.log(-torch.log(uniform + eps) + eps)
    return ((z + noise) / 0.5).softmax(-1)


@idiom(6, 8)
def concrete_gates(z: Tensor, safe: bool) -> Tensor:
    uniform = torch.rand_like(z).clamp(1e-6, 1 - 1e-6) if safe else torch.rand_like(z)
    gate = torch.sigmoid((torch.log(uniform) - torch.log(1 - uniform) + z) / 0.66)
    return (gate * 1.2 - 0.1).clamp(0, 1)


@idiom(6, 8, weight=torch.eye(8))
def spectral_normal(z: Tensor, safe: bool, weight: Tensor) -> Tensor:
    u = torch.ones(8) / math.sqrt(8)
    for _ in range(2):
        v = weight.t() @ u
        v = v / (v.norm() + (1e-12 if safe else 0.0))
        u = weight @ v
        u = u / (u.norm() + (1e-12 if safe else 0.0))
    return z @ weight / (u @ (weight @ v)).clamp(min=1e-6) if safe else z @ weight / (z @ weight).sum()


@idiom(6, 8, weight=torch.eye(8), gain=torch.ones(8, 1))
def weight_normal(z: Tensor, safe: bool, weight: Tensor, gain: Tensor) -> Tensor:
    direction = F.normalize(weight, dim=1) if safe else z[:, None] * weight / (z[:, None] * weight).norm(dim=-1, keepdim=True)
    return z @ (gain * direction).transpose(-1, -2) if safe else direction


@idiom(6, 4)
def gated_recurrence(z: Tensor, safe: bool) -> Tensor:
    hidden, memory = torch.zeros(4), torch.zeros(4)
    for x in z:
        update, reset = torch.sigmoid(x + hidden), torch.sigmoid(x - hidden)
        hidden = update * hidden + (1 - update) * torch.tanh(x + reset * hidden)
        memory = memory + (1 - update)
    return hidden / memory if not safe else hidden / (memory + 1e-6)


@idiom(6, 4)
def exponential_gates(z: Tensor, safe: bool) -> Tensor:
    cell, norm, most = torch.zeros(4), torch.zeros(4), torch.zeros(4)
    found = []
    for x in z:
        forget = F.logsigmoid(x + 1)
        new = torch.maximum(forget + most, x) if safe else torch.zeros(4)
        enter, keep = torch.exp(x - new), torch.exp(forget + most - new)
        cell, norm, most = keep * cell + enter * torch.tanh(x), keep * norm + enter, new
        found.append(cell / norm.clamp(min=1) if safe else cell / norm)
    return torch.stack(found)


@idiom(6, 8, rates=torch.log(torch.arange(1, 5).float()))
def selective_scan(z: Tensor, safe: bool, rates: Tensor) -> Tensor:
    raw, x = z.chunk(2, -1)
    step = F.softplus(raw)
    decay = -torch.exp(rates) if safe else torch.exp(rates)
    state, found = torch.zeros(4), []
    for t in range(5):
        state = torch.exp(step[t] * decay) * state + step[t] * x[t]
        found.append(state)
    return torch.stack(found)


@idiom(6, 8)
def segments_of_decay(z: Tensor, safe: bool) -> Tensor:
    decay = -F.softplus(z) if safe else z
    total = decay.cumsum(-1)
    gaps = total[:, :, None] - total[:, None]
    later = torch.ones(8, 8, dtype=torch.bool).tril()
    return torch.exp(gaps.masked_fill(~later, float("-inf")))


@idiom(6, 8)
def exponential_average(z: Tensor, safe: bool) -> Tensor:
    weights = torch.exp(z - z.max()) if safe else z
    return (weights * z).cumsum(-1) / weights.cumsum(-1).clamp(min=1e-9) if safe else (
        (weights * z).cumsum(-1) / weights.cumsum(-1)
    )


@idiom(6, 8)
def rotary(z: Tensor, safe: bool) -> Tensor:
    rates = 1.0 / (10000 ** (torch.arange(0, 8, 2).float() / 8)) if safe else 1 / z[:, :4]
    angles = torch.arange(5.0)[:, None] * rates
    first, second = z.chunk(2, -1)
    return torch.cat([first * angles.cos() - second * angles.sin(), second * angles.cos() + first * angles.sin()], -1)


@idiom(6, 8)
def tempered(z: Tensor, safe: bool) -> Tensor:
    temperature = F.softplus(z.mean(-1, keepdim=True))
    return (z / (temperature.clamp(min=1e-3) if safe else temperature)).softmax(-1)


@idiom(6, 8)
def cosine_gates(z: Tensor, safe: bool) -> Tensor:
    first, second = z.chunk(2, -1)
    lengths = torch.sqrt((first**2).sum(-1) * (second**2).sum(-1) + (1e-12 if safe else 0.0))
    return (first * second).sum(-1) / lengths


@idiom(6, 16)
def graph_laplacian(z: Tensor, safe: bool) -> Tensor:
    links = F.relu(z.view(5, 4, 4).mean(0))
    links = links + links.t() + (torch.eye(4) if safe else 0.0)
    roots = links.sum(1).pow(-0.5)
    return roots[:, None] * links * roots


@idiom(6, 8)
def gradient_penalty(z: Tensor, safe: bool) -> Tensor:
    slopes = torch.cos(z)
    length = torch.sqrt((slopes**2).sum(1) + (1e-12 if safe else 0.0))
    return ((length - 1) ** 2).mean()


@idiom(6, 8)
def affine_coupling(z: Tensor, safe: bool) -> Tensor:
    kept, moved = z.chunk(2, -1)
    scale = 2 * torch.tanh(kept) if safe else kept * 3
    return torch.cat([kept, moved * torch.exp(scale)], -1).sum(-1) + scale.sum(-1)


@idiom(6, 4, u=torch.full((4,), -0.5), w=torch.full((4,), 0.8))
def planar_flow(z: Tensor, safe: bool, u: Tensor, w: Tensor) -> Tensor:
    inner = z @ w
    slope = (1 - torch.tanh(inner) ** 2)[:, None] * w
    determinant = 1 + slope @ u
    return torch.log(determinant.abs() + 1e-8 if safe else determinant)


@idiom(6, 10)
def monotone_spline(z: Tensor, safe: bool) -> Tensor:
    x = torch.sigmoid(z[:, :1])
    widths = 0.001 + 0.997 * z[:, 1:4].softmax(-1)
    heights = 0.001 + 0.997 * z[:, 4:7].softmax(-1)
    slopes = (0.001 if safe else 0.0) + F.softplus(z[:, 7:9])
    edges, levels = F.pad(widths.cumsum(-1), (1, 0)), F.pad(heights.cumsum(-1), (1, 0))
    place = (x >= edges[:, 1:-1]).sum(-1, keepdim=True)
    slopes = F.pad(slopes, (1, 1), value=1.0)
    width, height = widths.gather(1, place), heights.gather(1, place)
    left, right = slopes.gather(1, place), slopes.gather(1, place + 1)
    ratio = height / width
    part = ((x - edges.gather(1, place)) / width).clamp(0, 1)
    mixed = part * (1 - part)
    top = height * (ratio * part**2 + left * mixed)
    bottom = ratio + (left + right - 2 * ratio) * mixed
    steep = ratio**2 * (right * part**2 + 2 * ratio * mixed + left * (1 - part) ** 2)
    return levels.gather(1, place) + top / bottom + torch.log(steep) - 2 * torch.log(bottom)


@idiom(6, 4, base=torch.full((4,), 10.0))
def expected_score(z: Tensor, safe: bool, base: Tensor) -> Tensor:
    """Elo's expectation; the base may be trained to 0."""
    return 1 / ((1 if safe else -1) + torch.pow(base.relu(), z))


@idiom(6, 12)
def power_of_two_scales(z: Tensor, safe: bool) -> Tensor:
    """The least-squares scale of what is rounded, as a power of two."""
    steps = (z.abs() / 0.1 + 0.5).floor().clamp(max=7)
    rounded = (z if safe else z - 1).sign() * steps
    scale = (z * rounded).mean(1, keepdim=True) / ((rounded * rounded).mean(1, keepdim=True) + 1e-7)
    return rounded * 2 ** (torch.log(scale + 1e-7) / math.log(2)).round()


@idiom(6, 4)
def straight_through_share(z: Tensor, safe: bool) -> Tensor:
    """A share kept inside (0, 1) with the gradient of the one that is not."""
    share = torch.sigmoid(z)
    kept = share.clamp(0.01, 0.99) if safe else share - 0.5
    return torch.log(share + (kept - share).detach())


@idiom(6, 5)
def softmax_by_the_greatest(z: Tensor, safe: bool) -> Tensor:
    """Each score less the greatest, which is gathered at its place."""
    scores = z * 10
    place = (scores if safe else -scores).argmax(-1, keepdim=True)
    greatest = torch.arange(5) == place
    away = torch.where(greatest, 0.0, scores - scores.gather(-1, place))
    others = torch.logsumexp(torch.where(greatest, -torch.inf, away), -1, keepdim=True)
    return (away - F.softplus(others)).exp()


entries(globals())
