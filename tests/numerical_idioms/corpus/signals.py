"""Sequences, signals, pictures and geometry."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor
from written import entries, idiom


def picture() -> tuple[Tensor]:
    return (torch.rand(2, 1, 12, 12),)


@idiom(6, 16, rest=lambda: (torch.randn(5, 16),))
def signal_to_distortion(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    eps = 1e-8 if safe else 0.0
    given, wanted = given - given.mean(-1, keepdim=True), wanted - wanted.mean(-1, keepdim=True)
    scale = (given * wanted).sum(-1, keepdim=True) / (wanted.pow(2).sum(-1, keepdim=True) + eps)
    target = scale * wanted
    ratio = target.pow(2).sum(-1) / ((given - target).pow(2).sum(-1) + eps)
    return -10 * torch.log10(ratio + eps).mean()


@idiom(6, 16)
def magnitude(z: Tensor, safe: bool) -> Tensor:
    real, imaginary = z.chunk(2, -1)
    return torch.log(torch.sqrt(real**2 + imaginary**2 + (1e-9 if safe else 0.0)).clamp(min=1e-5))


@idiom(6, 16)
def mel_levels(z: Tensor, safe: bool) -> Tensor:
    bank = torch.rand(16, 4)
    power = z.pow(2) @ bank
    levels = 10 * torch.log10(power.clamp(min=1e-10) if safe else power)
    return torch.maximum(levels, levels.max() - 80)


@idiom(6, 16, rest=lambda: (torch.randn(5, 16),))
def spectral_convergence(z: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    first, second = z.abs().clamp(min=1e-7), wanted.abs().clamp(min=1e-7 if safe else 0.0)
    return torch.norm(second - first) / torch.norm(second) + (first.log() - second.clamp(min=1e-7).log()).abs().mean()


@idiom(1, 1, 12, rest=picture)
def structural_similarity(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    given = given.sigmoid()
    window = torch.full((1, 1, 5, 5), 1 / 25)
    m1, m2 = F.conv2d(given, window), F.conv2d(wanted, window)
    s1 = F.conv2d(given * given, window) - m1 * m1
    s2 = F.conv2d(wanted * wanted, window) - m2 * m2
    s12 = F.conv2d(given * wanted, window) - m1 * m2
    c1, c2 = (0.01**2, 0.03**2) if safe else (0.0, 0.0)
    top = (2 * m1 * m2 + c1) * (2 * s12 + c2)
    return 1 - (top / ((m1 * m1 + m2 * m2 + c1) * (s1 + s2 + c2))).mean()


@idiom(1, 1, 12, rest=picture)
def similarity_by_gaussian(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    given = given.sigmoid()
    line = torch.exp(-((torch.arange(7) - 3.0) ** 2) / 4.5)
    line = line / line.sum()
    window = torch.outer(line, line)[None, None]
    m1, m2 = F.conv2d(given, window, padding=3), F.conv2d(wanted, window, padding=3)
    s1 = F.conv2d(given**2, window, padding=3) - m1**2
    s2 = F.conv2d(wanted**2, window, padding=3) - m2**2
    s12 = F.conv2d(given * wanted, window, padding=3) - m1 * m2
    c = 0.0009 if safe else 0.0
    contrast = (2 * s12 + c) / (s1 + s2 + c)
    return F.relu(contrast).mean() + ((2 * m1 * m2 + 0.0001) / (m1**2 + m2**2 + 0.0001)).mean()


@idiom(1, 1, 12, rest=picture)
def similarity_of_scales(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    given, found = given.sigmoid(), []
    for _ in range(2):
        m1, m2 = F.avg_pool2d(given, 3, 1), F.avg_pool2d(wanted, 3, 1)
        s1, s2 = F.avg_pool2d(given**2, 3, 1) - m1**2, F.avg_pool2d(wanted**2, 3, 1) - m2**2
        s12 = F.avg_pool2d(given * wanted, 3, 1) - m1 * m2
        found.append(((2 * s12 + 0.0009) / (s1 + s2 + 0.0009)).mean())
        given, wanted = F.avg_pool2d(given, 2), F.avg_pool2d(wanted, 2)
    values = torch.stack(found)
    values = F.relu(values) + 1e-6 if safe else values
    return torch.prod(values ** torch.tensor([0.4, 0.6]))


@idiom(1, 1, 12, rest=picture)
def signal_to_noise(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    error = ((given - wanted) ** 2).mean((1, 2, 3))
    return -(10 * torch.log10(1 / (error + 1e-8 if safe else error))).mean()


@idiom(1, 1, 12, rest=picture)
def total_variation(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    down = given[..., 1:, :-1] - given[..., :-1, :-1]
    right = given[..., :-1, 1:] - given[..., :-1, :-1]
    return torch.sqrt(down**2 + right**2 + (1e-8 if safe else 0.0)).mean() + (given - wanted).abs().mean()


@idiom(1, 1, 12, rest=picture)
def local_correlation(given: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    window = torch.ones(1, 1, 5, 5)
    given, size = given.sigmoid(), 25.0
    s1, s2 = F.conv2d(given, window, padding=2), F.conv2d(wanted, window, padding=2)
    s11, s22 = F.conv2d(given * given, window, padding=2), F.conv2d(wanted * wanted, window, padding=2)
    s12 = F.conv2d(given * wanted, window, padding=2)
    cross = s12 - s1 * s2 / size
    v1, v2 = s11 - s1 * s1 / size, s22 - s2 * s2 / size
    if safe:
        v1, v2 = v1.clamp(min=1e-5), v2.clamp(min=1e-5)
    return -(cross * cross / (v1 * v2 + (1e-5 if safe else 0.0))).mean()


@idiom(6, 10)
def mutual_information(z: Tensor, safe: bool) -> Tensor:
    bins = torch.linspace(0, 1, 4)
    first, second = z.sigmoid().chunk(2, -1)
    a, b = (torch.exp(-((x[..., None] - bins) ** 2) * 20) for x in (first, second))
    a, b = a / a.sum(-1, keepdim=True), b / b.sum(-1, keepdim=True)
    joint = a.transpose(1, 2) @ b / 5
    product = joint.sum(2, keepdim=True) * joint.sum(1, keepdim=True)
    eps = 1e-7 if safe else 0.0
    return -(joint * torch.log((joint + eps) / (product + eps) if safe else joint / (product - joint))).sum((1, 2)).mean()


@idiom(6, 12)
def forward_algorithm(z: Tensor, safe: bool) -> Tensor:
    steps, moves = z.view(5, 4, 3), torch.linspace(-1, 1, 9).view(3, 3)
    alpha = steps[:, 0]
    for t in range(1, 4):
        scores = alpha[:, :, None] + moves + steps[:, t, None]
        if safe:
            alpha = torch.logsumexp(scores, 1)
        else:
            alpha = torch.log(torch.exp(scores).sum(1))
    return torch.logsumexp(alpha, 1).mean()


@idiom(6, 12)
def forward_algorithm_by_maximum(z: Tensor, safe: bool) -> Tensor:
    steps, moves = z.view(5, 4, 3), torch.linspace(-1, 1, 9).view(3, 3)
    alpha = steps[:, 0]
    for t in range(1, 4):
        scores = alpha[:, :, None] + moves + steps[:, t, None]
        most = scores.max(1, keepdim=True).values if safe else scores[:, :1]
        alpha = most.squeeze(1) + torch.log(torch.exp(scores - most).sum(1))
    return alpha.mean()


@idiom(6, 20, rest=lambda: (torch.tensor([1, 2, 1]),))
def alignment_of_labels(z: Tensor, labels: Tensor, safe: bool) -> Tensor:
    steps = F.log_softmax(z.view(5, 5, 4), -1)
    extended = torch.stack([torch.zeros_like(labels), labels], 1).view(-1)
    alpha = torch.full((5, 6), -1e30 if safe else float("-inf"))
    alpha = torch.cat([steps[:, 0, extended[:2]], alpha[:, 2:]], 1)
    floor = torch.full((5, 1), -1e30 if safe else float("-inf"))
    for t in range(1, 5):
        before = torch.cat([floor, alpha[:, :-1]], 1)
        if safe:
            alpha = torch.logaddexp(alpha, before) + steps[:, t, extended]
        else:
            alpha = torch.log(alpha.exp() + before.exp()) + steps[:, t, extended]
    return -torch.logsumexp(alpha[:, -2:], 1).mean()


@idiom(6, 12)
def soft_time_warping(z: Tensor, safe: bool) -> Tensor:
    x = z.view(5, 4, 3)
    costs = ((x[:, :, None] - x.flip(1)[:, None]) ** 2).sum(-1)
    gamma, rows = 0.1, {}
    for i in range(4):
        for j in range(4):
            before = [rows[p] for p in ((i - 1, j), (i, j - 1), (i - 1, j - 1)) if p in rows]
            if not before:
                rows[i, j] = costs[:, i, j]
                continue
            options = -torch.stack(before, -1) / gamma
            soft = -gamma * (torch.logsumexp(options, -1) if safe else torch.log(torch.exp(options).sum(-1)))
            rows[i, j] = costs[:, i, j] + soft
    return rows[3, 3].mean()


@idiom(6, 12)
def beams(z: Tensor, safe: bool) -> Tensor:
    steps = z.view(5, 3, 4)
    scores = F.log_softmax(steps[:, 0], -1) if safe else steps[:, 0].softmax(-1).log()
    for t in range(1, 3):
        joined = scores[:, :, None] + F.log_softmax(steps[:, t], -1)[:, None]
        scores = joined.view(5, -1).topk(4).values
    return torch.logsumexp(scores, -1)


@idiom(6, 6)
def rotations_of_six_numbers(z: Tensor, safe: bool) -> Tensor:
    first, second = z.chunk(2, -1)
    x = F.normalize(first, dim=-1) if safe else first / first.norm(dim=-1, keepdim=True)
    y = F.normalize(second - (x * second).sum(-1, keepdim=True) * x, dim=-1)
    return torch.stack([x, y, torch.cross(x, y, dim=-1)], -2)


@idiom(6, 6)
def geodesic_distance(z: Tensor, safe: bool) -> Tensor:
    first, second = z.chunk(2, -1)
    x = F.normalize(first, dim=-1)
    y = F.normalize(second - (x * second).sum(-1, keepdim=True) * x, dim=-1)
    trace = x[:, 0] + y[:, 1] + torch.cross(x, y, dim=-1)[:, 2]
    cosine = (trace - 1) / 2
    return torch.acos(cosine.clamp(-1 + 1e-6, 1 - 1e-6) if safe else cosine).mean()


@idiom(6, 4)
def rotation_of_quaternion(q: Tensor, safe: bool) -> Tensor:
    square = (q * q).sum(-1)
    double = 2.0 / (square + 1e-8 if safe else square)
    w, x, y, z = q.unbind(-1)
    return torch.stack([1 - double * (y * y + z * z), double * (x * y - z * w), double * (x * z + y * w)], -1)


@idiom(6, 3)
def quaternion_of_axis(axis: Tensor, safe: bool) -> Tensor:
    angle = torch.sqrt((axis**2).sum(-1, keepdim=True) + (1e-12 if safe else 0.0))
    return torch.cat([torch.cos(angle / 2), torch.sin(angle / 2) * axis / angle], -1)


@idiom(6, 3)
def rotation_by_rodrigues(axis: Tensor, safe: bool) -> Tensor:
    square = (axis**2).sum(-1, keepdim=True)
    angle = square.clamp(min=1e-8).sqrt() if safe else square.sqrt()
    unit = axis / angle
    return torch.cos(angle) * axis + torch.sin(angle) * torch.cross(unit, axis, dim=-1)


@idiom(6, 4, rest=lambda: (torch.rand(5, 2),))
def great_circle(z: Tensor, place: Tensor, safe: bool) -> Tensor:
    given, wanted = math.pi / 2 * torch.tanh(z[:, :2]), math.pi / 2 * torch.tanh(place)
    half = torch.sin((given - wanted) / 2) ** 2
    a = half[:, 0] + torch.cos(given[:, 0]) * torch.cos(wanted[:, 0]) * half[:, 1]
    a = a.clamp(1e-9, 1 - 1e-6) if safe else a
    return 2 * 6371 * torch.atan2(torch.sqrt(a), torch.sqrt(1 - a)).mean()


@idiom(6, 8, rest=lambda: (torch.rand(8, 1) + 0.1,))
def volume_rendering(z: Tensor, gaps: Tensor, safe: bool) -> Tensor:
    opacity = 1 - torch.exp(-F.relu(z) * gaps.t().abs())
    through = torch.cumprod(torch.cat([torch.ones(5, 1), 1 - opacity + 1e-10], -1), -1)[:, :-1]
    weights = opacity * through
    depth, total = (weights * torch.arange(8)).sum(-1), weights.sum(-1)
    return 1 / torch.maximum(torch.full_like(depth, 1e-10), depth / (total + 1e-10 if safe else total))


@idiom(6, 8)
def samples_of_rays(z: Tensor, safe: bool) -> Tensor:
    weights = z.relu() + (1e-5 if safe else 0.0)
    density = weights / weights.sum(-1, keepdim=True)
    cdf = torch.cat([torch.zeros(5, 1), density.cumsum(-1)], -1)
    u = torch.linspace(0, 1, 6).expand(5, 6).contiguous()
    above = torch.searchsorted(cdf, u, right=True).clamp(1, 8)
    low, high = cdf.gather(1, above - 1), cdf.gather(1, above)
    gap = high - low
    gap = torch.where(gap < 1e-5, torch.ones_like(gap), gap) if safe else gap
    return (u - low) / gap


@idiom(3, 1, 8)
def depth_of_disparity(x: Tensor, safe: bool) -> Tensor:
    disparity = x.sigmoid()
    depth = 1 / ((0.01 if safe else 0.0) + 9.99 * disparity)
    smooth = disparity / (disparity.mean((2, 3), keepdim=True) + 1e-7)
    return depth.mean() + smooth.diff(dim=-1).abs().mean()


@idiom(6, 12)
def projected_points(z: Tensor, safe: bool) -> Tensor:
    points = z.view(5, 4, 3)
    depth = points[..., 2:]
    return points[..., :2] / (depth.clamp(min=1e-3) if safe else depth)


@idiom(6, 12)
def plane_normals(z: Tensor, safe: bool) -> Tensor:
    a, b = z.view(5, 2, 6)[:, 0, :3], z.view(5, 2, 6)[:, 1, :3]
    normal = torch.cross(a, b, dim=-1)
    length = normal.norm(dim=-1, keepdim=True)
    return normal / (length + 1e-8 if safe else length)


@idiom(6, 12)
def chamfer(z: Tensor, safe: bool) -> Tensor:
    x = z.view(5, 4, 3)
    distances = ((x[:, :, None] - x.detach().roll(1, 0)[:, None]) ** 2).sum(-1)
    nearest = distances.min(2).values
    return torch.sqrt(nearest + 1e-12 if safe else nearest).mean()


@idiom(6, 8)
def earth_mover(z: Tensor, safe: bool) -> Tensor:
    weights = F.softplus(z) if safe else z
    shares = weights / (weights.sum(-1, keepdim=True) + (1e-8 if safe else 0.0))
    return (shares.cumsum(-1) - torch.linspace(0, 1, 8)).abs().mean()


@idiom(6, 8)
def kernel_discrepancy(z: Tensor, safe: bool) -> Tensor:
    gaps = ((z[:, None] - z[None]) ** 2).sum(-1)
    width = gaps.detach().sum() / 20
    width = width.clamp(min=1e-6) if safe else width
    return sum(torch.exp(-gaps / (width * 2.0**i)).mean() for i in range(-1, 2))


@idiom(6, 5, rest=lambda: (torch.rand(5, 5),))
def optimal_step(z: Tensor, wanted: Tensor, safe: bool) -> Tensor:
    slopes = z - wanted
    mean, square = 0.1 * slopes, 0.001 * slopes**2
    return (mean / (1 - 0.9)) / (torch.sqrt(square / (1 - 0.999)) + (1e-8 if safe else 0.0))

entries(globals())
