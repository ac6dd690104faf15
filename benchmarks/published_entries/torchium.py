"""Entry points of torchium: its losses of masks, boxes, series, latents and tasks, on small layers."""

import torch
from torchium import losses
from torchium.losses.computer_vision import segmentation


class _Mapped(torch.nn.Module):
    """A layer on features, before a loss."""

    def __init__(self, layer, loss, activation=None):
        super().__init__()
        self.layer, self.loss, self.activation = layer, loss, activation or torch.nn.Identity()

    def forward(self, features, *wanted):
        return self.loss(self.activation(self.layer(features)), *wanted)


def _masks(loss):
    images, labels = torch.rand(2, 3, 8, 8), torch.randint(3, (2, 8, 8))
    return _Mapped(torch.nn.Conv2d(3, 3, 3, padding=1), loss), (images, labels)


def tversky():
    return _masks(segmentation.TverskyLoss(alpha=0.3, beta=0.7))


def focal_tversky():
    return _masks(segmentation.FocalTverskyLoss())


def lovasz():
    return _masks(segmentation.LovaszLoss())


def dice():
    layer = torch.nn.Conv2d(3, 1, 3, padding=1)
    return _Mapped(layer, losses.DiceLoss()), (torch.rand(2, 3, 8, 8), torch.randint(2, (2, 1, 8, 8)).float())


class _Boxes(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(6, 4), loss

    def forward(self, features, boxes):
        centre, size = self.layer(features).sigmoid().split(2, -1)
        return self.loss(torch.cat([centre - size / 2, centre + size / 2], -1), boxes)


def _boxes():
    corners = 0.5 * torch.rand(5, 2)
    return torch.randn(5, 6), torch.cat([corners, corners + 0.1 + 0.4 * torch.rand(5, 2)], -1)


def complete_boxes():
    return _Boxes(losses.CIoULoss()), _boxes()


def efficient_boxes():
    return _Boxes(losses.EIoULoss()), _boxes()


def alpha_boxes():
    return _Boxes(losses.AlphaIoULoss(alpha=3.0)), _boxes()


def time_warping():
    return _Mapped(torch.nn.Linear(3, 2), losses.DTWLoss()), (torch.randn(2, 6, 3), torch.randn(2, 6, 2))


class _Autoencoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder, self.loss = torch.nn.Linear(6, 4), torch.nn.Linear(2, 6), losses.BetaVAELoss(4.0)

    def forward(self, images):
        mean, logarithm = self.encoder(images).chunk(2, -1)
        drawn = mean + torch.randn_like(mean) * torch.exp(0.5 * logarithm)
        return self.loss(self.decoder(drawn).sigmoid(), images, mean, logarithm)


def autoencoder():
    return _Autoencoder(), (torch.rand(4, 6),)


class _Margins(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.weight = torch.nn.Linear(6, 4), torch.nn.Parameter(torch.randn(3, 4))
        self.loss = losses.ArcFaceMetricLoss(margin=0.3, scale=16)

    def forward(self, features, labels):
        return self.loss(self.layer(features), labels, self.weight)


def angular_margins():
    return _Margins(), (torch.randn(5, 6), torch.tensor([0, 2, 1, 1, 0]))


def uncertain_tasks():
    class Tasks(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.loss = torch.nn.Linear(6, 4), losses.UncertaintyWeightingLoss(2)

        def forward(self, features, labels, wanted):
            given = self.layer(features)
            of_class = torch.nn.functional.cross_entropy(given[:, :3], labels)
            return self.loss([of_class, torch.nn.functional.mse_loss(given[:, 3], wanted)])

    return Tasks(), (torch.randn(5, 6), torch.tensor([0, 2, 1, 1, 0]), torch.randn(5))
