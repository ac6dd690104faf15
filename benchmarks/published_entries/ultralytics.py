"""Entry points of ultralytics: losses of detection, pose and segmentation behind a small head."""

import torch
from ultralytics.utils.loss import BboxLoss, KeypointLoss, MultiChannelDiceLoss, RLELoss, VarifocalLoss


class _Varifocal(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head, self.loss = torch.nn.Linear(6, 3), VarifocalLoss()

    def forward(self, features, scores, labels):
        return self.loss(self.head(features), scores, labels)


def varifocal():
    return _Varifocal(), (torch.randn(2, 5, 6), torch.rand(2, 5, 3), torch.randint(2, (2, 5, 3)).float())


class _Detecting(torch.nn.Module):
    """Distances of the sides from anchors as distributions over four bins."""

    def __init__(self):
        super().__init__()
        self.head, self.loss = torch.nn.Linear(6, 16), BboxLoss(4)

    def forward(self, features, anchors, boxes, scores, chosen, size, stride):
        spread = self.head(features)
        bins = torch.arange(4, dtype=torch.float32)
        sides = spread.view(*spread.shape[:2], 4, 4).softmax(-1) @ bins
        corners = torch.cat([anchors - sides[..., :2], anchors + sides[..., 2:]], dim=-1)
        total = scores.sum().clamp(min=1)
        overlap, distribution = self.loss(spread, corners, anchors, boxes, scores, total, chosen, size, stride)
        return overlap + distribution


def boxes():
    corner = torch.rand(2, 5, 2)
    chosen = torch.tensor([[True, False, True, True, False]] * 2)
    return _Detecting(), (
        torch.randn(2, 5, 6),
        torch.rand(5, 2),
        torch.cat([corner, corner + torch.rand(2, 5, 2) + 0.1], dim=-1),
        torch.rand(2, 5, 3),
        chosen,
        torch.tensor([64.0, 64.0]),
        torch.tensor(8.0),
    )


class _Residual(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head, self.loss = torch.nn.Linear(6, 5), RLELoss()

    def forward(self, features, wanted, weights):
        place, spread, density = self.head(features).split([2, 2, 1], dim=-1)
        spread = spread.sigmoid()
        return self.loss(spread, density[:, 0], (place - wanted) / (spread + 1e-9), weights)


def residual_likelihood():
    return _Residual(), (torch.randn(4, 6), torch.randn(4, 2), torch.ones(4))


class _Pose(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head, self.loss = torch.nn.Linear(6, 10), KeypointLoss(torch.full((5,), 0.2))

    def forward(self, features, points, mask, area):
        return self.loss(self.head(features).view(-1, 5, 2), points, mask, area)


def keypoints():
    return _Pose(), (torch.randn(4, 6), torch.rand(4, 5, 2), torch.randint(2, (4, 5)).float(), torch.rand(4, 1) + 0.1)


class _Segmenting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution, self.loss = torch.nn.Conv2d(3, 2, 3, padding=1), MultiChannelDiceLoss()

    def forward(self, image, labels):
        return self.loss(self.convolution(image), labels)


def dice():
    return _Segmenting(), (torch.randn(2, 3, 8, 8), torch.randint(2, (2, 2, 8, 8)).float())
