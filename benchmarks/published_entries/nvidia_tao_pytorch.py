"""Entry points of nvidia-tao-pytorch: its losses of changes between images, and a small network of its backbones."""

import torch
from nvidia_tao_pytorch.cv.backbone.convnext_utils import ConvNeXt
from nvidia_tao_pytorch.cv.visual_changenet.classification.losses.contrastive_loss import ContrastiveLoss
from nvidia_tao_pytorch.cv.visual_changenet.segmentation.utils.losses import (
    FocalLoss,
    mIoULoss,
    mmIoULoss,
    softmax_helper,
)


class _Changed(torch.nn.Module):
    """Masks of what changed from one image to the next."""

    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Conv2d(6, 2, 3, padding=1), loss

    def forward(self, before, after, masks):
        return self.loss(self.layer(torch.cat((before, after), dim=1)), masks)


def _images():
    return torch.rand(2, 3, 6, 6), torch.rand(2, 3, 6, 6), torch.randint(0, 2, (2, 1, 6, 6))


def focal():
    return _Changed(FocalLoss(apply_nonlin=softmax_helper, alpha=[0.3, 0.7], gamma=2, smooth=1e-5)), _images()


def overlap():
    return _Changed(mIoULoss(weight=torch.tensor([0.3, 0.7]), n_classes=2)), _images()


def least_overlap():
    return _Changed(mmIoULoss(n_classes=2)), _images()


class _Compared(torch.nn.Module):
    """Pairs of images, changed or not, by the distance of their embeddings."""

    def __init__(self):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(12, 4), ContrastiveLoss(margin=2.0)

    def forward(self, before, after, changed):
        distance = torch.nn.functional.pairwise_distance(self.layer(before), self.layer(after))
        return self.loss(distance, changed)


def compared():
    return _Compared(), (torch.rand(4, 12), torch.rand(4, 12), torch.tensor([0.0, 1.0, 1.0, 0.0]))


class _Classified(torch.nn.Module):
    """A head on the features of its backbone."""

    def __init__(self):
        super().__init__()
        self.network = ConvNeXt(depths=(1, 1, 1, 1), dims=(8, 8, 16, 16), use_head=False)
        self.head = torch.nn.Linear(16, 3)

    def forward(self, images, labels):
        features, _ = self.network.forward_features(images, return_feat=True)
        return torch.nn.functional.cross_entropy(self.head(features.mean(dim=(2, 3))), labels)


def convolutional():
    return _Classified(), (torch.rand(2, 3, 32, 32), torch.tensor([0, 2]))
