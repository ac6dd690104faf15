"""A single-scale detector with anchors and its loss."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        layers, inside = [], 3
        for outside in (16, 32, 64, 128):
            layers += [nn.Conv2d(inside, outside, 3, stride=2, padding=1), nn.BatchNorm2d(outside), nn.SiLU()]
            inside = outside
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return self.layers(x)


class Detector(nn.Module):
    anchors = ((10, 13), (33, 23), (62, 45))

    def __init__(self, classes=20):
        super().__init__()
        self.classes = classes
        self.backbone = Backbone()
        self.head = nn.Conv2d(128, len(self.anchors) * (5 + classes), 1)

    def forward(self, images):
        features = self.head(self.backbone(images))
        batch, _, height, width = features.shape
        out = features.view(batch, len(self.anchors), 5 + self.classes, height, width)
        return out.permute(0, 1, 3, 4, 2).contiguous()


def detection_loss(predicted, target):
    found = target[..., 4] > 0.5
    confidence = F.binary_cross_entropy_with_logits(predicted[..., 4], target[..., 4])
    centres = F.mse_loss(torch.sigmoid(predicted[..., :2])[found], target[..., :2][found])
    sizes = F.smooth_l1_loss(predicted[..., 2:4][found], target[..., 2:4][found])
    kinds = F.cross_entropy(predicted[..., 5:][found], target[..., 5].long()[found])
    return confidence + centres + sizes + kinds


def synthetic(batch, grid):
    target = torch.zeros(batch, 3, grid, grid, 6)
    target[:, 1, 4, 4, :4] = torch.rand(4)
    target[:, 1, 4, 4, 4] = 1.0
    target[:, 1, 4, 4, 5] = 7
    return torch.rand(batch, 3, grid * 16, grid * 16), target


if __name__ == "__main__":
    detector = Detector()
    optimizer = torch.optim.SGD(detector.parameters(), lr=1e-2)
    for step in range(2):
        images, target = synthetic(4, 10)
        loss = detection_loss(detector(images), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, float(loss))
