"""Entry points of dante-trainer: segmenting convolutions that its adapters of low rank change, with their loss."""

import torch
from dante.models.lora.layers import LoRA2dConvLayer, LoRANdConvLayer


def _adapted(kind, layer, rank_for):
    adapted = kind(layer, {"alpha": 4, "rank": 2, "rank_for": rank_for})
    adapted.enable_adapter()
    return adapted


class _Segmented(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.model = torch.nn.Sequential(*layers)

    def forward(self, pictures, labels):
        return torch.nn.functional.cross_entropy(self.model(pictures), labels)


def pictures():
    layers = _adapted(LoRA2dConvLayer, torch.nn.Conv2d(1, 8, 3, padding=1), "kernel"), torch.nn.ReLU()
    model = _Segmented(*layers, _adapted(LoRA2dConvLayer, torch.nn.Conv2d(8, 3, 3, padding=1), "kernel"))
    return model, (torch.rand(2, 1, 8, 8), torch.randint(3, (2, 8, 8)))


def volumes():
    layers = _adapted(LoRANdConvLayer, torch.nn.Conv3d(1, 8, 3, stride=2, padding=1), "channels"), torch.nn.ReLU()
    model = _Segmented(*layers, _adapted(LoRANdConvLayer, torch.nn.ConvTranspose3d(8, 3, 2, stride=2), "channels"))
    return model, (torch.rand(1, 1, 8, 8, 8), torch.randint(3, (1, 8, 8, 8)))
