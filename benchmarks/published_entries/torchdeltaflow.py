"""Entry points of torchdeltaflow: flows of pictures by a small transformer, with the package's losses and paths."""

import torch
from deltaflow import interpolants, losses
from deltaflow.models import DiT, MultiScaleProjector


def _field():
    return DiT(input_size=8, patch_size=2, in_channels=1, hidden_size=16, depth=2, num_heads=2, num_classes=4)


class _Flowing(torch.nn.Module):
    def __init__(self, path, loss_type="l2"):
        super().__init__()
        self.field, self.loss = _field(), losses.ConditionalFlowMatchingLoss(path, loss_type=loss_type)

    def forward(self, pictures, labels):
        return self.loss(self.field, pictures, y=labels)


class _Equilibrium(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.field, self.loss = torch.nn.Conv2d(1, 1, 3, padding=1), losses.EquilibriumMatchingLoss()

    def forward(self, pictures):
        return self.loss(self.field, pictures)


class _Aligned(torch.nn.Module):
    """What guidance changes in the features of two levels, alike in two views of the same pictures."""

    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(2, 6, 3, padding=1)
        self.projector = MultiScaleProjector({"coarse": 6, "fine": 6}, 16, 8, layer_set=("coarse", "fine"))

    def features(self, pictures, guide):
        fine = torch.relu(self.convolution(torch.cat([pictures, guide], 1)))
        return {"fine": fine, "coarse": torch.nn.functional.avg_pool2d(fine, 2)}

    def forward(self, first, second, guide):
        views = [self.features(view, g) for view in (first, second) for g in (torch.zeros_like(guide), guide)]
        return losses.delta_alignment_loss(*views, self.projector)


def _pictures():
    return torch.rand(2, 1, 8, 8), torch.tensor([1, 3])


def field():
    pictures, labels = _pictures()
    return _field(), (pictures, torch.rand(2), labels)


def straight():
    return _Flowing(interpolants.LinearInterpolant()), _pictures()


def variance_preserving():
    return _Flowing(interpolants.VariancePreservingInterpolant(), "l1"), _pictures()


def bridge():
    return _Flowing(interpolants.SchrodingerBridgeInterpolant(sigma=0.5)), _pictures()


def equilibrium():
    return _Equilibrium(), (torch.rand(2, 1, 8, 8),)


def aligned():
    return _Aligned(), tuple(torch.rand(2, 1, 8, 8) for _ in range(3))
