"""Entry points of lvsm-pytorch: views of a scene from images and rays, with their losses."""

import sys
from unittest.mock import MagicMock

import torch

sys.modules["torchvision"] = MagicMock()  # the perceptual loss, which needs weights and is switched off here

from lvsm_pytorch.lvsm import LVSM, MAE, CameraWrapper  # noqa: E402


def _model(**options):
    sizes = {"dim": 32, "max_image_size": 16, "patch_size": 8, "depth": 1, "heads": 2, "dim_head": 16}
    return LVSM(**sizes, max_input_images=4, perceptual_loss_weight=0.0, **options)


def _views():
    return torch.rand(2, 3, 3, 16, 16), torch.randn(2, 3, 6, 16, 16), torch.randn(2, 6, 16, 16)


class _Reconstructing(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model = MAE(_model(), **options)

    def forward(self, images, rays, lengths):
        return self.model(images, rays, num_images=lengths)


def view():
    return _model(), _views()


def training():
    return _model(dropout_input_ray_prob=0.2), (*_views(), torch.rand(2, 3, 16, 16), torch.tensor([3, 2]))


def masked():
    return _Reconstructing(), (torch.rand(2, 4, 3, 16, 16), torch.randn(2, 4, 6, 16, 16), torch.tensor([4, 3]))


def cameras():
    def rotations(*shape):
        return torch.linalg.qr(torch.randn(*shape, 3, 3))[0]

    def intrinsics(*shape):
        return torch.tensor([[20.0, 0, 8], [0, 20, 8], [0, 0, 1]]).expand(*shape, 3, 3).clone()

    across = torch.arange(16.0)
    points = torch.stack([*torch.meshgrid(across, across, indexing="xy"), torch.ones(16, 16)])
    inputs = intrinsics(2, 3), rotations(2, 3), torch.randn(2, 3, 3), points.expand(2, 3, 3, 16, 16).clone()
    target = intrinsics(2), rotations(2), torch.randn(2, 3), points.expand(2, 3, 16, 16).clone()
    return CameraWrapper(_model()), (*inputs, *target, torch.rand(2, 3, 3, 16, 16), torch.rand(2, 3, 16, 16))
