"""Entry points of emp-ssl-pytorch: encoders trained on many patches of an image by their coding rate."""

import torch
from emp_ssl_pytorch import EMPSSL


class _Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, stride=2, padding=1),
            torch.nn.BatchNorm2d(8),
            torch.nn.ReLU(),
            torch.nn.AdaptiveAvgPool2d(1),
            torch.nn.Flatten(),
        )

    def forward(self, images):
        return self.layers(images)


class _Loss(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, patches):
        return self.model(patches).loss


def small():
    model = EMPSSL(image_size=8, encoder=_Encoder(), encoder_dim=8, num_patches=3, proj_hidden_dim=16, proj_out_dim=8)
    return _Loss(model), (torch.randn(4, 3, 3, 8, 8),)


def residual():
    model = EMPSSL(image_size=32, num_patches=2, proj_hidden_dim=32, proj_out_dim=16, inv_weight=100.0)
    return _Loss(model), (torch.randn(2, 2, 3, 32, 32),)
