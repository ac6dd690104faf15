"""Entry points of torch-points3d-modern: losses of points' classes, offsets and embeddings, on one layer."""

import torch
from torch_points3d.core.common_modules.base_modules import MultiHeadClassifier
from torch_points3d.core.losses.huber_loss import HuberLoss
from torch_points3d.core.losses.losses import FocalLoss
from torch_points3d.core.losses.metric_losses import BatchHardMiner, TripletMarginLoss
from torch_points3d.core.losses.panoptic_losses import offset_loss


class _Points(torch.nn.Module):
    def __init__(self, outputs, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(3, outputs), loss

    def forward(self, points, wanted):
        return self.loss(self.layer(points), wanted)


def _cloud():
    return 2 * torch.rand(8, 3) - 1


def focal():
    return _Points(4, FocalLoss(gamma=2)), (_cloud(), torch.randint(4, (8,)))


def focal_weighed():
    return _Points(4, FocalLoss(alphas=torch.tensor([0.1, 0.4, 0.3, 0.2]), normalized=False)), (
        _cloud(),
        torch.randint(4, (8,)),
    )


def triplets():
    return _Points(5, TripletMarginLoss(swap=True)), (_cloud(), torch.tensor([0, 0, 1, 1, 2, 2, 0, 1]))


class _Mined(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.miner, self.loss = torch.nn.Linear(3, 5), BatchHardMiner(), TripletMarginLoss(smooth_loss=True)

    def forward(self, points, labels):
        embedded = torch.nn.functional.normalize(self.layer(points), dim=-1)
        return self.loss(embedded, labels, self.miner(embedded, labels))


def hardest_triplets():
    return _Mined(), (_cloud(), torch.tensor([0, 0, 1, 1, 2, 2, 0, 1]))


class _Offsets(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.huber = torch.nn.Linear(3, 3), HuberLoss(0.1)

    def forward(self, points, offsets):
        given = self.layer(points)
        losses = offset_loss(given, offsets, offsets.shape[0])
        return losses["offset_norm_loss"] + losses["offset_dir_loss"] + self.huber(given - offsets).mean()


def offsets():
    return _Offsets(), (_cloud(), 0.2 * torch.randn(8, 3))


class _Parts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = MultiHeadClassifier(3, {"plane": [0, 1, 2], "table": [3, 4]}, dropout_proba=0.0)

    def forward(self, points, categories, parts):
        return torch.nn.functional.nll_loss(self.model(points, categories), parts)


def parts_of_categories():
    categories = torch.tensor([0, 0, 0, 0, 1, 1, 1, 1])
    return _Parts(), (_cloud(), categories, torch.tensor([0, 1, 2, 1, 3, 4, 3, 3]))
