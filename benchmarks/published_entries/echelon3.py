"""Entry points of echelon3: its losses of segmenters, detectors and classifiers, and its differences of neighbours."""

import torch
from echelon3.losses.classification import FixedMarginCrossEntropyLoss, WMV_Ur_Loss
from echelon3.losses.cldice import MultiHeadSoftCLDiceWithIgnore
from echelon3.losses.detection import DetectionFocalLoss
from echelon3.nets.layers.cdc import Conv2d_Hori_Veri_Cross


class _Lines(torch.nn.Module):
    """Roads and rivers, each found by its own head."""

    def __init__(self):
        super().__init__()
        self.heads = torch.nn.ModuleDict({name: torch.nn.Conv2d(3, 1, 3, padding=1) for name in ("road", "river")})
        self.loss = MultiHeadSoftCLDiceWithIgnore(["road", "river"])

    def forward(self, images, roads, rivers):
        found = {name: head(images) for name, head in self.heads.items()}
        return self.loss(found, {"road": roads, "river": rivers})


def lines():
    roads, rivers = torch.zeros(2, 12, 12), torch.zeros(2, 12, 12)
    roads[:, 5:7], rivers[:, :, 3:5], rivers[:, 0] = 1, 1, 255
    return _Lines(), (torch.rand(2, 3, 12, 12), roads, rivers)


class _Heatmaps(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.loss = torch.nn.Conv2d(3, 2, 3, padding=1), DetectionFocalLoss()

    def forward(self, images, heatmaps):
        return self.loss(torch.sigmoid(self.layer(images)), heatmaps)


def heatmaps():
    wanted = 0.8 * torch.rand(2, 2, 8, 8)
    wanted[:, :, 4, 4] = 1
    return _Heatmaps(), (torch.rand(2, 3, 8, 8), wanted)


class _Classifier(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(5, 2), loss

    def forward(self, features, labels):
        return self.loss(self.layer(features), labels)


def ranked_classes():
    return _Classifier(WMV_Ur_Loss(p=2, gamma=0.3)), (torch.randn(6, 5), torch.tensor([0, 1, 1, 0, 1, 0]))


class _Spoofing(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.differences, self.head = Conv2d_Hori_Veri_Cross(3, 4), torch.nn.Linear(4, 2)
        self.loss = FixedMarginCrossEntropyLoss(m=0.5, idx=1)

    def forward(self, images, labels):
        features = torch.relu(self.differences(images)).mean((2, 3))
        return self.loss(self.head(features), labels)


def spoofing():
    return _Spoofing(), (torch.rand(3, 3, 8, 8), torch.tensor([0, 1, 1]))
