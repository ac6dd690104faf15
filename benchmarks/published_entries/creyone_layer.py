"""Entry points of creyone-layer: its activations, scaled residuals, adapters and layers of pixels, trained."""

import torch
from creyone_layer.act import HardSwish, MemoryEfficientSwish, QuickGELU
from creyone_layer.layer_scale import LayerScale
from creyone_layer.linear import Linear2d, Linear3d, LoRALinear


class _Images(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.act = torch.nn.Conv2d(3, 8, 3, stride=2), MemoryEfficientSwish()
        self.squeeze, self.gate, self.head = Linear2d(8, 4), HardSwish(inplace=False), Linear2d(4, 3)

    def forward(self, images, labels):
        given = self.gate(self.squeeze(self.act(self.first(images))))
        return torch.nn.functional.cross_entropy(self.head(given).mean((2, 3)), labels)


def images():
    return _Images(), (torch.rand(2, 3, 9, 9), torch.tensor([2, 0]))


class _Volumes(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.act, self.last = Linear3d(2, 6), QuickGELU(), Linear3d(6, 2)

    def forward(self, volumes, labels):
        return torch.nn.functional.cross_entropy(self.last(self.act(self.first(volumes))), labels)


def volumes():
    return _Volumes(), (torch.randn(2, 2, 4, 4, 4), torch.randint(2, (2, 4, 4, 4)))


class _Adapted(torch.nn.Module):
    """A block of a frozen transformer's perceptron, adapted and scaled."""

    def __init__(self):
        super().__init__()
        self.norm, self.act, self.scale = torch.nn.LayerNorm(8), QuickGELU(), LayerScale(8, 0.1)
        self.up, self.down = LoRALinear(8, 16, lora_r=2, alpha=4.0, drop=0.1), LoRALinear(16, 8, lora_r=2)
        for layer in (self.up, self.down):
            torch.nn.init.kaiming_uniform_(layer.adwA)
            layer.weight.requires_grad_(False)

    def forward(self, tokens, wanted):
        given = tokens + self.scale(self.down(self.act(self.up(self.norm(tokens)))))
        return torch.nn.functional.mse_loss(given, wanted)


def adapted():
    return _Adapted(), (torch.randn(2, 6, 8), torch.randn(2, 6, 8))
