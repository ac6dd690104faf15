"""Entry points of neurofixer: its networks of both kinds over small pictures, and its modules, with losses."""

import torch
from neurofixer import EncodingGate, EncodingModule, FusionBridge
from neurofixer.models.neurofuser_basic import build_neurofuser_basic_cnn, build_neurofuser_basic_vit


def convolutions():
    return build_neurofuser_basic_cnn(num_classes=4, latent_dim=32), torch.rand(1, 3, 16, 16)


class _Segmented(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, pictures, labels):
        return torch.nn.functional.cross_entropy(self.model(pictures), labels)


def _labelled():
    return torch.rand(2, 3, 16, 16), torch.randint(4, (2, 16, 16))


def convolutions_trained():
    return _Segmented(build_neurofuser_basic_cnn(num_classes=4, latent_dim=32)), _labelled()


def patches_trained():
    return _Segmented(build_neurofuser_basic_vit(num_classes=4, latent_dim=32, patch_size=4)), _labelled()


class _Fused(torch.nn.Module):
    """Two scales of one picture."""

    def __init__(self):
        super().__init__()
        self.fine, self.coarse = torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.Conv2d(3, 16, 3, stride=2, padding=1)
        self.gates = torch.nn.ModuleList([EncodingGate(8), EncodingGate(16)])
        self.aligned = torch.nn.ModuleList([EncodingModule(8, latent_dim=16), EncodingModule(16, latent_dim=16)])
        self.bridge, self.head = FusionBridge([16, 16], 16), torch.nn.Conv2d(16, 4, 1)

    def forward(self, pictures):
        fine = self.aligned[0](self.gates[0](self.fine(pictures)))
        coarse = self.aligned[1](self.gates[1](self.coarse(pictures)))
        coarse = torch.nn.functional.interpolate(coarse, size=fine.shape[-2:], mode="bilinear", align_corners=False)
        return self.head(self.bridge([coarse, fine]))


def fused():
    return _Segmented(_Fused()), _labelled()
