"""Overlaps of boxes and masks."""

import torch
import torch.nn.functional as F
from torch import Tensor
from written import entries, idiom


def corners(raw: Tensor) -> Tensor:
    """Boxes x1, y1, x2, y2 of centres and sizes in [0, 1]."""
    centre, size = raw.sigmoid().chunk(2, -1)
    return torch.cat([centre - size / 2, centre + size / 2], -1)


def some_boxes() -> tuple[Tensor]:
    corner = torch.rand(5, 2)
    return (torch.cat([corner, corner + 0.1 + torch.rand(5, 2)], -1),)


def _overlap(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    area = (a[:, 2] - a[:, 0]).clamp(min=0) * (a[:, 3] - a[:, 1]).clamp(min=0)
    other = (b[:, 2] - b[:, 0]).clamp(min=0) * (b[:, 3] - b[:, 1]).clamp(min=0)
    low, high = torch.max(a[:, :2], b[:, :2]), torch.min(a[:, 2:], b[:, 2:])
    sides = (high - low).clamp(min=0)
    inter = sides[:, 0] * sides[:, 1]
    return inter, area + other - inter


@idiom(6, 4, rest=some_boxes)
def iou(raw: Tensor, boxes: Tensor, safe: bool) -> Tensor:
    inter, union = _overlap(corners(raw), boxes)
    return 1 - (inter / (union + 1e-7 if safe else union)).mean()


@idiom(6, 4, rest=some_boxes)
def logarithm_of_iou(raw: Tensor, boxes: Tensor, safe: bool) -> Tensor:
    inter, union = _overlap(corners(raw), boxes)
    overlap = inter / (union + 1e-7)
    return -torch.log(overlap.clamp(min=1e-6) if safe else overlap).mean()


@idiom(6, 4, rest=some_boxes)
def giou(raw: Tensor, boxes: Tensor, safe: bool) -> Tensor:
    given = corners(raw)
    inter, union = _overlap(given, boxes)
    low, high = torch.min(given[:, :2], boxes[:, :2]), torch.max(given[:, 2:], boxes[:, 2:])
    sides = (high - low).clamp(min=0)
    hull = sides[:, 0] * sides[:, 1]
    eps = 1e-7 if safe else 0.0
    overlap = inter / (union + 1e-7)
    return (1 - (overlap - (hull - union) / (hull + eps))).mean()


@idiom(6, 4, rest=some_boxes)
def diou(raw: Tensor, boxes: Tensor, safe: bool) -> Tensor:
    given = corners(raw)
    inter, union = _overlap(given, boxes)
    low, high = torch.min(given[:, :2], boxes[:, :2]), torch.max(given[:, 2:], boxes[:, 2:])
    diagonal = (high - low).clamp(min=0).pow(2).sum(-1)
    apart = ((given[:, :2] + given[:, 2:] - boxes[:, :2] - boxes[:, 2:]) ** 2).sum(-1) / 4
    return (1 - inter / (union + 1e-7) + apart / (diagonal + 1e-7 if safe else diagonal)).mean()


@idiom(6, 4, rest=some_boxes)
def ciou(raw: Tensor, boxes: Tensor, safe: bool) -> Tensor:
    given, eps = corners(raw), 1e-7
    w1, h1 = given[:, 2] - given[:, 0], given[:, 3] - given[:, 1] + eps
    w2, h2 = (boxes[:, 2] - boxes[:, 0]).clamp(min=eps), (boxes[:, 3] - boxes[:, 1]).clamp(min=eps)
    inter, union = _overlap(given, boxes)
    overlap = inter / (union + eps)
    v = 4 / torch.pi**2 * (torch.atan(w2 / h2) - torch.atan(w1 / h1.clamp(min=eps))) ** 2
    with torch.no_grad():
        alpha = v / (v - overlap + (1 + eps if safe else 1))
    return (1 - overlap + v * alpha).mean()


def a_mask() -> tuple[Tensor]:
    return (torch.randint(2, (2, 1, 8, 8)).float(),)


@idiom(3, 1, 8, rest=a_mask)
def dice(logits: Tensor, mask: Tensor, safe: bool) -> Tensor:
    given = logits.sigmoid().flatten(1)
    wanted = mask.flatten(1)
    eps = 1e-6 if safe else 0.0
    return 1 - ((2 * (given * wanted).sum(1) + eps) / (given.sum(1) + wanted.sum(1) + eps)).mean()


@idiom(3, 1, 8, rest=a_mask)
def dice_of_squares(logits: Tensor, mask: Tensor, safe: bool) -> Tensor:
    given = logits.sigmoid()
    sums = (given * given).sum((1, 2, 3)) + (mask * mask).sum((1, 2, 3))
    return 1 - (2 * (given * mask).sum((1, 2, 3)) / (sums.clamp(min=1e-7) if safe else sums)).mean()


@idiom(3, 3, 8, rest=lambda: (torch.randint(3, (2, 8, 8)),))
def dice_of_classes(logits: Tensor, labels: Tensor, safe: bool) -> Tensor:
    given = logits.softmax(1)
    wanted = F.one_hot(labels, 3).permute(0, 3, 1, 2).float()
    inter, total = (given * wanted).sum((0, 2, 3)), given.sum((0, 2, 3)) + wanted.sum((0, 2, 3))
    return 1 - ((2 * inter + 1) / (total + (1 if safe else 0))).mean()


@idiom(3, 1, 8, rest=a_mask)
def tversky(logits: Tensor, mask: Tensor, safe: bool) -> Tensor:
    given, wanted = logits.sigmoid().view(-1), mask.view(-1)
    hits, extra, missed = (given * wanted).sum(), ((1 - wanted) * given).sum(), (wanted * (1 - given)).sum()
    smooth = 1.0 if safe else 0.0
    return 1 - (hits + smooth) / (hits + 0.3 * extra + 0.7 * missed + smooth)


@idiom(3, 1, 8, rest=a_mask)
def focal_tversky(logits: Tensor, mask: Tensor, safe: bool) -> Tensor:
    given, wanted = logits.sigmoid().view(-1), mask.view(-1)
    hits, extra, missed = (given * wanted).sum(), ((1 - wanted) * given).sum(), (wanted * (1 - given)).sum()
    index = (hits + 1) / (hits + 0.3 * extra + 0.7 * missed + 1)
    return ((1 - index).clamp(min=1e-6) if safe else 1 - index) ** 0.75


@idiom(3, 1, 8, rest=a_mask)
def jaccard(logits: Tensor, mask: Tensor, safe: bool) -> Tensor:
    given = logits.sigmoid()
    inter = (given * mask).sum()
    union = given.sum() + mask.sum() - inter
    return 1 - inter / (union + 1e-7 if safe else union)


@idiom(3, 1, 8, rest=a_mask)
def logarithm_of_dice(logits: Tensor, mask: Tensor, safe: bool) -> Tensor:
    given = logits.sigmoid()
    score = (2 * (given * mask).sum() + 1) / (given.sum() + mask.sum() + 1)
    return -torch.log(score) if safe else -torch.log(1 - score)


@idiom(6, 4, rest=lambda: (torch.rand(5, 4),))
def inverse_sigmoid(raw: Tensor, reference: Tensor, safe: bool) -> Tensor:
    x = reference.clamp(0, 1)
    first, second = (x.clamp(min=1e-5), (1 - x).clamp(min=1e-5)) if safe else (x, 1 - x)
    return (raw + torch.log(first / second)).sigmoid()


@idiom(6, 3, rest=lambda: (torch.tensor([0, 2, 1]),))
def cost_of_matching(logits: Tensor, labels: Tensor, safe: bool) -> Tensor:
    given, eps = logits.sigmoid(), 1e-8 if safe else 0.0
    negative = 0.75 * given**2 * -(1 - given + 1e-8 if not safe else 1 - given + 1e-6).log()
    positive = 0.25 * (1 - given) ** 2 * -(given + eps).log()
    return positive[:, labels] - negative[:, labels]


@idiom(6, 4, rest=lambda: (torch.randint(2, (5, 4)).float(),))
def focal(logits: Tensor, labels: Tensor, safe: bool) -> Tensor:
    if safe:
        loss = F.binary_cross_entropy_with_logits(logits, labels, reduction="none")
        return ((1 - torch.exp(-loss)) ** 2 * loss).mean()
    given = logits.sigmoid()
    right = given * labels + (1 - given) * (1 - labels)
    return -((1 - right) ** 2 * torch.log(right)).mean()


@idiom(6, 4, rest=lambda: (torch.tensor([0, 3, 1, 1, 2]),))
def focal_of_classes(logits: Tensor, labels: Tensor, safe: bool) -> Tensor:
    if safe:
        logarithm = F.log_softmax(logits, -1).gather(1, labels[:, None])
        return -((1 - logarithm.exp()) ** 2 * logarithm).mean()
    given = logits.softmax(-1).gather(1, labels[:, None])
    return -((1 - given) ** 2 * given.log()).mean()


@idiom(6, 4, rest=lambda: (torch.randint(2, (5, 4)).float(),))
def asymmetric(logits: Tensor, labels: Tensor, safe: bool) -> Tensor:
    positive = logits.sigmoid()
    negative = (1 - positive + 0.05).clamp(max=1)
    eps = 1e-8 if safe else 0.0
    loss = labels * torch.log(positive.clamp(min=eps)) + (1 - labels) * torch.log(negative.clamp(min=1e-8))
    right = positive * labels + negative * (1 - labels)
    with torch.no_grad():
        weight = torch.pow((1 - right).clamp(min=0), 1 * labels + 4 * (1 - labels))
    return -(loss * weight).sum()


@idiom(3, 1, 8, rest=a_mask)
def generalized_dice(logits: Tensor, mask: Tensor, safe: bool) -> Tensor:
    given = torch.cat([logits.sigmoid(), 1 - logits.sigmoid()], 1).flatten(2)
    wanted = torch.cat([mask, 1 - mask], 1).flatten(2)
    volumes = wanted.sum(-1)
    weights = 1 / (volumes * volumes).clamp(min=1e-6) if safe else 1 / (volumes * volumes)
    inter = (weights * (given * wanted).sum(-1)).sum(-1)
    total = (weights * (given + wanted).sum(-1)).sum(-1)
    return 1 - (2 * inter / total.clamp(min=1e-6)).mean()

entries(globals())
