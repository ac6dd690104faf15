"""Numerical defects seeded into the modules of `hosts`: `role: name: text`, read by `kinds_of`.

The line that begins with `!` fails; in the repaired twin those that begin with `?` stand in its place. A line of
`__init__` begins with `+`. Each defect defines `term`, which is added to the module's loss.
"""

# ruff: noqa: E501 (a line of a program is one line here)
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A defect and its repair, for modules that offer `role`."""

    role: str
    name: str
    setup: tuple[str, ...]
    shared_before: tuple[str, ...]
    defective: str
    repaired: tuple[str, ...]
    shared_after: tuple[str, ...]


KINDS = """
@ scores log_of_softmax
probabilities = F.softmax(scores, dim=1)
! term = -(labels * torch.log(probabilities)).sum(1).mean()
? term = -(labels * torch.log(probabilities.clamp_min(1e-6))).sum(1).mean()
@ scores softmax_by_hand
! shares = torch.exp(scores) / torch.exp(scores).sum(1, keepdim=True)
? moved = torch.exp(scores - scores.amax(1, keepdim=True))
? shares = moved / moved.sum(1, keepdim=True)
term = (shares - labels).pow(2).mean()
@ scores logsumexp_by_hand
! normaliser = torch.log(torch.exp(scores).sum(1))
? normaliser = torch.logsumexp(scores, 1)
term = (normaliser - (labels * scores).sum(1)).mean()
@ scores entropy_bonus
shares = scores.softmax(1)
! term = 0.01 * (shares * shares.log()).sum(1).mean()
? term = 0.01 * (shares * scores.log_softmax(1)).sum(1).mean()
@ scores log_of_one_minus_sigmoid
q = torch.sigmoid(scores)
! term = -torch.log(1 - q).mean()
? term = -F.logsigmoid(-scores).mean()
@ scores epsilon_absorbed
q = torch.sigmoid(scores)
! term = -(labels * torch.log(q + 1e-7) + (1 - labels) * torch.log(1 + 1e-10 - q)).mean()
? term = -(labels * torch.log(q + 1e-7) + (1 - labels) * torch.log((1 - q) + 1e-7)).mean()
@ scores softplus_by_hand
! term = torch.log1p(torch.exp(scores)).mean()
? term = F.softplus(scores).mean()
@ scores divergence_by_ratio
p, q = F.softmax(scores, 1), F.softmax(scores.flip(1), 1)
! term = (p * (p / q).clamp_min(1e-6).log()).sum(1).mean()
? term = (p * (F.log_softmax(scores, 1) - F.log_softmax(scores.flip(1), 1))).sum(1).mean()
@ scores focal
p = scores.sigmoid()
! term = -(labels * (1 - p).pow(2) * torch.log(p)).mean()
? term = -(labels * (1 - p).pow(2) * F.logsigmoid(scores)).mean()
@ scores focal_fraction
p = scores.sigmoid()
! term = (labels * (1 - p).pow(0.5)).mean()
? term = (labels * (1 - p + 1e-6).pow(0.5)).mean()
@ scores logit_of_probability
p = torch.sigmoid(scores)
! term = torch.log(p / (1 - p)).pow(2).mean()
? term = torch.logit(p, eps=1e-6).pow(2).mean()
@ scores dead_temperature
+ self.temperature = nn.Parameter(torch.tensor([0.05]))
! term = (scores / F.relu(self.temperature)).tanh().mean()
? term = (scores / (F.relu(self.temperature) + 1e-2)).tanh().mean()
@ scores perplexity
entropy = -(labels * F.log_softmax(scores, 1)).sum(1).mean()
! term = torch.exp(entropy)
? term = torch.exp(entropy.clamp(max=20.0))
@ scores class_weights
! weights = 1.0 / labels.sum(0)
? weights = 1.0 / labels.sum(0).clamp(min=1.0)
term = (weights * F.softmax(scores, 1)).mean()
@ scores masked_softmax
hidden = (labels > 0.5).any(0)
! shares = F.softmax(scores.masked_fill(hidden, float("-inf")), dim=1)
? shares = F.softmax(scores.masked_fill(hidden, torch.finfo(torch.float32).min), dim=1)
term = shares.pow(2).mean()
@ scores gumbel_noise
drawn = torch.rand_like(scores)
! noisy = scores - torch.log(-torch.log(drawn))
? noisy = scores - torch.log(-torch.log(drawn.clamp(1e-6, 1 - 1e-6)))
term = F.softmax(noisy, 1).pow(2).mean()
@ scores balance_of_gates
importance = F.softmax(scores, 1).mean(0)
! term = (importance * torch.log(importance)).sum()
? term = (importance * torch.log(importance + 1e-6)).sum()
@ scores half_exponential
! lifted = torch.exp(scores.clamp(-20, 20).half())
? lifted = torch.exp(scores.clamp(-20, 10).half())
term = lifted.float().mean()
@ advantages normalised_advantages
! scaled = (advantages - advantages.mean()) / advantages.std(correction=0)
? scaled = (advantages - advantages.mean()) / (advantages.std(correction=0) + 1e-8)
term = -(scaled * taken).mean()
@ advantages importance_ratio
! ratio = torch.exp(taken - old)
? ratio = torch.exp((taken - old).clamp(-20, 20))
term = -torch.minimum(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
@ advantages awr_weights
! weights = torch.exp(advantages / 0.5)
? weights = torch.exp((advantages / 0.5).clamp(max=3.0))
term = -(weights * taken).mean()
@ actions tanh_squash
squashed = torch.tanh(raw * hidden.mean())
! correction = torch.log(1 - squashed.pow(2))
? correction = torch.log(1 - squashed.pow(2) + 1e-6)
term = correction.sum(1).mean()
@ actions inverse_tanh
! before = torch.atanh(action)
? before = torch.atanh(action.clamp(-0.999, 0.999))
term = (before - hidden[:, :2]).pow(2).mean()
@ attention infinite_mask
! weights = F.softmax(affinity.masked_fill(mask[:, None] == 0, float("-inf")), dim=-1)
? weights = F.softmax(affinity.masked_fill(mask[:, None] == 0, -1e9), dim=-1)
term = (weights @ v).pow(2).mean()
@ attention linear_attention
fq, fk = F.relu(q), F.relu(k)
! term = ((fq @ (fk.transpose(1, 2) @ v)) / (fq * fk.sum(1, keepdim=True)).sum(-1, keepdim=True)).mean()
? term = ((fq @ (fk.transpose(1, 2) @ v)) / ((fq * fk.sum(1, keepdim=True)).sum(-1, keepdim=True) + 1e-6)).mean()
@ attention renormalised_mask
weights = F.softmax(affinity, -1) * mask[:, None]
! weights = weights / weights.sum(-1, keepdim=True)
? weights = weights / (weights.sum(-1, keepdim=True) + 1e-8)
term = (weights @ v).pow(2).mean()
@ attention exponential_kernel
! weights = torch.exp(q @ k.transpose(1, 2))
? weights = torch.exp((q @ k.transpose(1, 2)).clamp(max=30))
term = (weights @ v).tanh().mean()
@ attention log_attention
weights = F.softmax(affinity, -1)
! term = -(weights * weights.log()).sum(-1).mean()
? term = -(weights * F.log_softmax(affinity, -1)).sum(-1).mean()
@ attention normalised_queries
! unit = q / q.norm(dim=-1, keepdim=True)
? unit = q / q.norm(dim=-1, keepdim=True).clamp_min(1e-6)
term = (unit * F.normalize(q, dim=-1)).sum(-1).mean()
@ counts masked_mean
total = (sequence * mask[..., None]).sum(1)
! term = (total / mask.sum(1, keepdim=True)).pow(2).mean()
? term = (total / mask.sum(1, keepdim=True).clamp(min=1)).pow(2).mean()
@ counts inverse_root_degree
! scale = mask.sum(1).pow(-0.5)
? scale = mask.sum(1).clamp(min=1).pow(-0.5)
term = (sequence * scale[:, None, None]).mean()
@ counts token_loss
losses = sequence.pow(2).mean(-1) * mask
! term = losses.sum() / mask.sum()
? term = losses.sum() / (mask.sum() + 1e-6)
@ counts unbiased_masked_variance
count = mask.sum(1)[:, None]
middle = (sequence * mask[..., None]).sum(1) / count.clamp(min=1)
squares = ((sequence - middle[:, None]).pow(2) * mask[..., None]).sum(1)
! term = (squares / (count - 1)).mean()
? term = (squares / (count - 1).clamp(min=1)).mean()
@ counts root_of_masked_mean
energy = (sequence.pow(2) * mask[..., None]).sum((1, 2))
! term = torch.sqrt(energy).mean()
? term = torch.sqrt(energy + 1e-8).mean()
@ counts log_length
! penalty = torch.log(mask.sum(1))
? penalty = torch.log(mask.sum(1) + 1)
term = (penalty * sequence.mean((1, 2))).mean()
@ rows normalised_by_length
! unit = rows / rows.norm(dim=1, keepdim=True)
? unit = rows / (rows.norm(dim=1, keepdim=True) + 1e-6)
term = (unit @ unit.t()).mean()
@ rows shares_of_sum
! shares = rows / rows.sum(dim=1, keepdim=True)
? shares = rows / (rows.sum(dim=1, keepdim=True) + 1e-6)
term = shares.pow(2).mean()
@ rows layer_norm_by_hand
middle = rows.mean(1, keepdim=True)
width = (rows - middle).pow(2).mean(1, keepdim=True)
! term = ((rows - middle) / width.sqrt()).pow(3).mean()
? term = ((rows - middle) / (width + 1e-5).sqrt()).tanh().mean()
@ rows root_mean_square
! scaled = rows * torch.rsqrt(rows.pow(2).mean(1, keepdim=True))
? scaled = rows * torch.rsqrt(rows.pow(2).mean(1, keepdim=True) + 1e-6)
term = scaled.mean()
@ rows variance_hinge
width = (rows - rows.mean(0)).pow(2).mean(0)
! term = F.relu(1 - torch.sqrt(width)).mean()
? term = F.relu(1 - torch.sqrt(width + 1e-4)).mean()
@ rows variance_of_moments
moment = rows.pow(2).mean(1) - rows.mean(1).pow(2)
! term = torch.sqrt(moment).mean()
? term = torch.sqrt(F.relu(moment) + 1e-6).mean()
@ rows minimum_maximum
low, high = rows.amin(1, keepdim=True), rows.amax(1, keepdim=True)
! term = ((rows - low) / (high - low)).mean()
? term = ((rows - low) / (high - low + 1e-6)).mean()
@ rows log_of_relu
! term = torch.log(rows).mean()
? term = torch.log1p(rows).mean()
@ rows signed_root
centred = rows - 1
! term = (torch.sign(centred) * torch.sqrt(centred.abs())).mean()
? term = (torch.sign(centred) * torch.sqrt(centred.abs() + 1e-6)).mean()
@ rows correlation_of_features
centred = rows - rows.mean(0)
width = centred.pow(2).mean(0)
! correlation = (centred.t() @ centred / 4) / torch.sqrt(width[:, None] * width[None])
? correlation = (centred.t() @ centred / 4) / torch.sqrt(width[:, None] * width[None] + 1e-4)
term = correlation.mean()
@ rows half_square
! energy = (rows * 40).clamp(max=6e4).half().pow(2)
? energy = (rows * 40).clamp(max=6e4).half().float().pow(2)
term = energy.float().mean()
@ rows euclidean_penalty
! term = rows.pow(2).sum(1).sqrt().mean()
? term = (rows.pow(2).sum(1) + 1e-9).sqrt().mean()
@ rows generalised_mean
! pooled = rows.pow(3).mean(1).pow(1.0 / 3)
? pooled = rows.clamp(min=1e-3).pow(3).mean(1).pow(1.0 / 3)
term = pooled.mean()
@ rows guarded_by_where
! term = torch.where(rows > 0, torch.log(rows), torch.zeros_like(rows)).mean()
? term = torch.where(rows > 0, torch.log(torch.where(rows > 0, rows, torch.ones_like(rows))), torch.zeros_like(rows)).mean()
@ rows guarded_quotient
total = rows.sum(1, keepdim=True)
! term = torch.where(total > 0, rows / total, torch.zeros_like(rows)).mean()
? term = (rows / torch.where(total > 0, total, torch.ones_like(total)).clamp_min(1e-3)).mean()
@ rows running_product
! term = torch.cumprod(1e9 * rows + 1e9, dim=1).mean()
? term = torch.cumprod(torch.sigmoid(rows), dim=1).mean()
@ rows exponential_features
! term = torch.exp(rows).mean()
? term = torch.expm1(rows.clamp(max=20)).mean()
@ rows squash
squared = rows.pow(2).sum(1, keepdim=True)
! term = (squared / (1 + squared) * rows / torch.sqrt(squared)).mean()
? term = (squared / (1 + squared) * rows / torch.sqrt(squared + 1e-8)).mean()
@ rows harmonic_mean
! term = (1 / (1 / rows).mean(1)).mean()
? term = (1 / (1 / (rows + 1e-3)).mean(1)).mean()
@ pair distance
! apart = torch.sqrt((first - second).pow(2).sum(1))
? apart = torch.sqrt((first - second).pow(2).sum(1) + 1e-9)
term = F.relu(1 - apart).mean()
@ pair cosine
! similarity = (first * second).sum(1) / (first.norm(dim=1) * second.norm(dim=1))
? similarity = F.cosine_similarity(first, second, dim=1)
term = (1 - similarity).mean()
@ pair angle
similarity = F.cosine_similarity(first, second, dim=1)
! term = torch.acos(similarity.clamp(-1, 1)).mean()
? term = torch.acos(similarity.clamp(-0.9999, 0.9999)).mean()
@ pair inverse_distance
apart = (first - second).pow(2).sum(1)
! term = (1 / apart).tanh().mean()
? term = (1 / (apart + 1e-3)).tanh().mean()
@ pair kernel_weights
nearness = torch.exp(-torch.cdist(first, second).pow(2))
! weights = nearness / nearness.sum(1, keepdim=True)
? weights = F.softmax(-torch.cdist(first, second).pow(2), dim=1)
term = weights.pow(2).mean()
@ pair hyperbolic_distance
length = (first - second).pow(2).sum(1)
! term = torch.acosh(1 + 2 * length).mean()
? term = torch.acosh(1 + 2 * length + 1e-4).mean()
@ pair ball
squared = torch.tanh(first).pow(2).mean(1)
! term = (1 / (1 - squared)).log1p().mean()
? term = (1 / (1 - squared + 1e-5)).log1p().mean()
@ pair contrastive_temperature
similarity = F.normalize(first, dim=1) @ F.normalize(second, dim=1).t()
! lifted = torch.exp(similarity / 0.01)
? lifted = torch.exp((similarity - 1) / 0.05)
term = lifted.sum(1).mean()
@ pair pearson
a, b = first - first.mean(1, keepdim=True), second - second.mean(1, keepdim=True)
! term = ((a * b).sum(1) / torch.sqrt(a.pow(2).sum(1) * b.pow(2).sum(1))).mean()
? term = ((a * b).sum(1) / torch.sqrt(a.pow(2).sum(1) * b.pow(2).sum(1) + 1e-4)).mean()
@ pair half_similarity
a, b = first.clamp(-600, 600).half(), second.clamp(-600, 600).half()
! term = (a @ b.t()).float().mean()
? term = (a.float() @ b.float().t()).mean()
@ pair log_ratio
! term = torch.log(F.relu(first) / (F.relu(second) + 1e-3)).mean()
? term = torch.log((F.relu(first) + 1e-3) / (F.relu(second) + 1e-3)).mean()
@ spread deviation_of_log_variance
! variance = torch.exp(spread)
? variance = torch.exp(spread.clamp(-20, 10))
term = (variance + mean.pow(2) - 1 - spread).mean()
@ spread gaussian_likelihood
! term = ((target - mean).pow(2) / torch.exp(spread.clamp(-200, 20)) + spread).mean()
? term = ((target - mean).pow(2) / torch.exp(spread.clamp(-20, 20)) + spread).mean()
@ spread log_of_relu_width
width = F.relu(spread)
! term = torch.log(width).mean()
? term = torch.log(width + 1e-4).mean()
@ spread quotient_by_softplus
width = F.softplus(spread)
! term = ((target - mean) / width).tanh().mean()
? term = ((target - mean) / (width + 1e-4)).tanh().mean()
@ spread rate
! term = (torch.exp(spread) - target * spread).mean()
? term = (torch.exp(spread.clamp(max=15)) - target * spread).mean()
@ spread log_of_scale
scale = torch.sigmoid(spread)
! term = -torch.log(scale).sum(1).mean()
? term = -F.logsigmoid(spread).sum(1).mean()
@ spread determinant
scale = torch.sigmoid(spread)
! term = torch.log(scale.prod(1)).mean()
? term = F.logsigmoid(spread).sum(1).mean()
@ spread root_of_variance
variance = torch.exp(spread.clamp(-200, 10))
! term = (mean + torch.sqrt(variance) * target).mean()
? term = (mean + torch.exp(spread.clamp(-200, 10) / 2) * target).mean()
@ spread half_variance
! term = torch.exp(spread.clamp(-30, 30).half()).float().mean()
? term = torch.exp(spread.clamp(-30, 30)).mean()
@ spread student_scale
! term = torch.log1p((target - mean).pow(2) / F.relu(spread)).mean()
? term = torch.log1p((target - mean).pow(2) / (F.relu(spread) + 0.1)).mean()
@ probabilities dice
! term = 1 - (2 * (p * t).sum(1) / (p.sum(1) + t.sum(1))).mean()
? term = 1 - (2 * (p * t).sum(1) / (p.sum(1) + t.sum(1) + 1e-6)).mean()
@ probabilities jaccard
both = (p * t).sum(1)
! term = 1 - (both / (p.sum(1) + t.sum(1) - both)).mean()
? term = 1 - (both / (p.sum(1) + t.sum(1) - both + 1.0)).mean()
@ probabilities cross_entropy
! term = -(t * torch.log(p) + (1 - t) * torch.log(1 - p + 1e-6)).mean()
? term = -(t * torch.log(p + 1e-6) + (1 - t) * torch.log(1 - p + 1e-6)).mean()
@ probabilities tversky
both = (p * t).sum(1)
! term = (1 - both / (both + 0.3 * (p * (1 - t)).sum(1) + 0.7 * ((1 - p) * t).sum(1))).mean()
? term = (1 - (both + 1) / (both + 0.3 * (p * (1 - t)).sum(1) + 0.7 * ((1 - p) * t).sum(1) + 1)).mean()
@ probabilities focal_power
! term = (t * (1 - p).pow(0.75)).mean()
? term = (t * (1 - p).clamp_min(1e-6).pow(0.75)).mean()
@ probabilities balance
! weight = (1 - t).sum(1) / t.sum(1)
? weight = (1 - t).sum(1) / t.sum(1).clamp_min(1.0)
term = (weight[:, None] * p).mean()
@ probabilities hellinger
! term = (torch.sqrt(p) - torch.sqrt(t + 1e-6)).pow(2).mean()
? term = (torch.sqrt(p + 1e-6) - torch.sqrt(t + 1e-6)).pow(2).mean()
@ probabilities precision
! term = 1 - ((p * t).sum(1) / p.sum(1)).mean()
? term = 1 - ((p * t).sum(1) / (p.sum(1) + 1e-6)).mean()
@ boxes overlap
both = torch.minimum(size, wanted).prod(-1)
! term = 1 - (both / (size.prod(-1) + wanted.prod(-1) - both)).mean()
? term = 1 - (both / (size.prod(-1) + wanted.prod(-1) - both + 1e-1)).mean()
@ boxes log_of_size
! term = (torch.log(size) - torch.log(wanted + 1e-3)).abs().mean()
? term = (torch.log(size + 1e-3) - torch.log(wanted + 1e-3)).abs().mean()
@ boxes aspect
! term = (torch.atan(size[..., 0] / size[..., 1]) - torch.atan(wanted[..., 0] / (wanted[..., 1] + 1e-3))).pow(2).mean()
? term = (torch.atan(size[..., 0] / (size[..., 1] + 1e-3)) - torch.atan(wanted[..., 0] / (wanted[..., 1] + 1e-3))).pow(2).mean()
@ boxes root_of_size
! term = (torch.sqrt(size) - torch.sqrt(wanted + 1e-6)).pow(2).mean()
? term = (torch.sqrt(size + 1e-6) - torch.sqrt(wanted + 1e-6)).pow(2).mean()
@ boxes centre_distance
! term = ((middle - wanted_middle) / size).tanh().mean()
? term = ((middle - wanted_middle) / size.clamp(min=1e-3)).tanh().mean()
@ half scores_of_half
! affinity = q @ k.transpose(1, 2)
? affinity = q.float() @ k.transpose(1, 2).float()
term = F.softmax(affinity.float(), -1).pow(2).mean()
@ half large_mask
affinity = (q.float() @ k.transpose(1, 2).float()).clamp(-100, 100).half()
! weights = F.softmax(affinity + (1 - visible)[:, None] * -65504.0 * 2, -1)
? weights = F.softmax(affinity + (1 - visible)[:, None] * -1e4, -1)
term = weights.float().pow(2).mean()
@ half energy_of_half
! term = (q * q).sum(-1).float().mean()
? term = (q.float() * q.float()).sum(-1).mean()
@ half small_divisor
! term = (k / 0.001).float().mean()
? term = (k.float() / 0.001).mean()
@ half running_sum
! term = torch.cumsum(k.abs() * 20, dim=1).float().mean()
? term = torch.cumsum(k.float().abs() * 20, dim=1).mean()
@ half half_epsilon
length = k.float().pow(2).mean(-1, keepdim=True).clamp(max=1e4).half()
! term = (1 / (length + 1e-8)).float().mean()
? term = (1 / (length + 1e-3)).float().mean()
@ half cube
! term = (k * k * k).float().mean()
? term = k.float().pow(3).mean()
"""


def kinds_of(text: str) -> Iterator[Kind]:
    for block in text.strip().removeprefix("@ ").split("\n@ "):
        heading, *lines = block.strip().split("\n")
        role, name = heading.split()
        marked = [line for line in lines if not line.startswith("+")]
        at = next(i for i, line in enumerate(marked) if line.startswith("! "))
        repaired = [line[2:] for line in marked if line.startswith("? ")]
        yield Kind(
            role,
            name,
            tuple(line[2:] for line in lines if line.startswith("+")),
            tuple(marked[:at]),
            marked[at][2:],
            tuple(repaired),
            tuple(marked[at + 1 + len(repaired) :]),
        )
