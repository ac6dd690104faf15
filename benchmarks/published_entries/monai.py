"""Entry points of monai: losses of segmentation and registration, and small networks."""

import torch
from monai import losses
from monai.networks import nets


class _Segmenting(torch.nn.Module):
    """A convolution that gives scores of three classes, and a loss with one-hot labels."""

    def __init__(self, loss, classes=3):
        super().__init__()
        self.convolution, self.loss = torch.nn.Conv2d(1, classes, 3, padding=1), loss

    def forward(self, image, labels):
        return self.loss(self.convolution(image), labels)


def _labelled(classes=3):
    labels = torch.nn.functional.one_hot(torch.randint(classes, (2, 8, 8)), classes).permute(0, 3, 1, 2).float()
    return torch.randn(2, 1, 8, 8), labels


def dice():
    return _Segmenting(losses.DiceLoss(softmax=True)), _labelled()


def dice_squared():
    return _Segmenting(losses.DiceLoss(sigmoid=True, squared_pred=True, jaccard=True)), _labelled()


def dice_cross_entropy():
    return _Segmenting(losses.DiceCELoss(softmax=True)), _labelled()


def generalized_dice():
    return _Segmenting(losses.GeneralizedDiceLoss(softmax=True)), _labelled()


def dice_focal():
    return _Segmenting(losses.DiceFocalLoss(sigmoid=True)), _labelled()


def focal():
    return _Segmenting(losses.FocalLoss(gamma=2.0)), _labelled()


def tversky():
    return _Segmenting(losses.TverskyLoss(sigmoid=True)), _labelled()


def correlation_coefficient():
    return _Segmenting(losses.MCCLoss(sigmoid=True)), _labelled()


class _Registering(torch.nn.Module):
    """A convolution that warps nothing yet, and a likeness of its result and the fixed image."""

    def __init__(self, loss, channels=1):
        super().__init__()
        self.convolution, self.loss = torch.nn.Conv2d(1, channels, 3, padding=1), loss

    def forward(self, moving, fixed):
        return self.loss(self.convolution(moving), fixed)


def _pair():
    return torch.rand(2, 1, 12, 12), torch.rand(2, 1, 12, 12)


def mutual_information():
    return _Registering(losses.GlobalMutualInformationLoss(num_bins=8)), _pair()


def local_correlation():
    return _Registering(losses.LocalNormalizedCrossCorrelationLoss(spatial_dims=2)), _pair()


def structural_similarity():
    return _Registering(losses.SSIMLoss(spatial_dims=2)), _pair()


class _Bending(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.convolution, self.loss = torch.nn.Conv2d(1, 2, 3, padding=1), loss

    def forward(self, image):
        return self.loss(self.convolution(image))


def bending_energy():
    return _Bending(losses.BendingEnergyLoss(normalize=True)), (torch.rand(2, 1, 8, 8),)


class _Contrasting(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.projection, self.loss = torch.nn.Linear(12, 8), loss

    def forward(self, first, second):
        return self.loss(self.projection(first), self.projection(second))


def contrastive():
    return _Contrasting(losses.ContrastiveLoss()), (torch.randn(4, 12), torch.randn(4, 12))


class _Boxes(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head, self.loss = torch.nn.Linear(6, 4), losses.BoxGIoULoss()

    def forward(self, features, boxes):
        corner, size = self.head(features).sigmoid().chunk(2, 1)
        return self.loss(
            torch.cat([corner, corner + size], 1), torch.cat([boxes[:, :2], boxes.sum(1, True) + boxes[:, 2:]], 1)
        )


def boxes():
    return _Boxes(), (torch.randn(5, 6), torch.rand(5, 4))


def unet():
    return nets.UNet(2, 1, 2, channels=(4, 8, 16), strides=(2, 2)), (torch.randn(1, 1, 16, 16),)


def attention_unet():
    return nets.AttentionUnet(2, 1, 2, channels=(4, 8, 16), strides=(2, 2)), (torch.randn(1, 1, 16, 16),)


def segresnet():
    return nets.SegResNet(2, init_filters=8, in_channels=1, blocks_down=(1, 1), blocks_up=(1,)), (
        torch.randn(1, 1, 16, 16),
    )


class _Autoencoding(torch.nn.Module):
    """The evidence's lower bound as its paper has it."""

    def __init__(self):
        super().__init__()
        self.inner = nets.VarAutoEncoder(2, (1, 16, 16), 1, 3, channels=(4, 8), strides=(2, 2))

    def forward(self, image):
        made, mean, log_variance, _ = self.inner(image)
        divergence = -0.5 * (1 + log_variance - mean.pow(2) - log_variance.exp()).sum(1).mean()
        return torch.nn.functional.binary_cross_entropy(torch.sigmoid(made), image) + divergence


def variational_autoencoder():
    return _Autoencoding(), (torch.rand(2, 1, 16, 16),)
