"""Entry points of segmentation-models-pytorch: losses behind one convolution, and small networks."""

import segmentation_models_pytorch as smp
import torch
from segmentation_models_pytorch import losses


class _Segmenting(torch.nn.Module):
    def __init__(self, loss, classes=1):
        super().__init__()
        self.convolution, self.loss = torch.nn.Conv2d(3, classes, 3, padding=1), loss

    def forward(self, image, labels):
        return self.loss(self.convolution(image), labels)


def _binary():
    return torch.randn(2, 3, 8, 8), (torch.rand(2, 1, 8, 8) > 0.5).float()


def _classes():
    return torch.randn(2, 3, 8, 8), torch.randint(3, (2, 8, 8))


def dice_binary():
    return _Segmenting(losses.DiceLoss("binary")), _binary()


def dice_classes():
    return _Segmenting(losses.DiceLoss("multiclass"), 3), _classes()


def dice_logarithm():
    return _Segmenting(losses.DiceLoss("binary", log_loss=True)), _binary()


def jaccard_binary():
    return _Segmenting(losses.JaccardLoss("binary")), _binary()


def jaccard_classes():
    return _Segmenting(losses.JaccardLoss("multiclass"), 3), _classes()


def tversky():
    return _Segmenting(losses.TverskyLoss("binary", gamma=1.3)), _binary()


def focal_binary():
    return _Segmenting(losses.FocalLoss("binary", alpha=0.25)), _binary()


def focal_classes():
    return _Segmenting(losses.FocalLoss("multiclass"), 3), _classes()


def lovasz_classes():
    return _Segmenting(losses.LovaszLoss("multiclass"), 3), _classes()


def soft_cross_entropy():
    return _Segmenting(losses.SoftCrossEntropyLoss(smooth_factor=0.1), 3), _classes()


def soft_binary_cross_entropy():
    return _Segmenting(losses.SoftBCEWithLogitsLoss(smooth_factor=0.1)), _binary()


def correlation_coefficient():
    return _Segmenting(losses.MCCLoss()), _binary()


def unet():
    return smp.Unet("resnet18", encoder_weights=None), (torch.randn(1, 3, 64, 64),)


def fpn():
    return smp.FPN("resnet18", encoder_weights=None), (torch.randn(1, 3, 64, 64),)


def manet():
    return smp.MAnet("resnet18", encoder_weights=None), (torch.randn(1, 3, 64, 64),)


def deep_lab():
    return smp.DeepLabV3Plus("resnet18", encoder_weights=None).eval(), (torch.randn(1, 3, 64, 64),)


def segformer():
    return smp.Segformer("mit_b0", encoder_weights=None), (torch.randn(1, 3, 64, 64),)
