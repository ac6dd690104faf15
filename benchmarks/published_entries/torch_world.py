"""Entry points of torch-world: small models of worlds that predict embeddings, with their losses."""

import sys
import types

import torch

_package = sys.modules["torch_world"] = types.ModuleType("torch_world")
_package.__path__ = ["torch_world"]

from torch_world.losses import SIGReg, info_nce  # noqa: E402
from torch_world.metrics.probes import AttentiveProbe  # noqa: E402
from torch_world.models import DINOWM, IJEPA, LeWM  # noqa: E402
from torch_world.nn import CLSEncoder, MaskedPredictor, PatchTokens, VisionTransformer  # noqa: E402


class _Course(torch.nn.Module):
    def __init__(self, world):
        super().__init__()
        self.world = world

    def forward(self, frames, *others):
        return self.world(frames, *others)["loss"]


def embedded_world():
    encoder = CLSEncoder(16, 8, embed_dim=16, depth=1, num_heads=2)
    sizes = {"embed_dim": 16, "depth": 1, "num_heads": 2, "head_dim": 8, "mlp_dim": 32, "proj_dim": 32}
    return _Course(LeWM(encoder, 2, sigreg=SIGReg(num_slices=32), **sizes)), (
        torch.rand(3, 4, 3, 16, 16),
        torch.randn(3, 4, 2),
    )


class _Patches(torch.nn.Module):
    """An encoder in the form of those that are downloaded."""

    def __init__(self):
        super().__init__()
        self.embed_dim, self.model = 12, torch.nn.Conv2d(3, 12, 8, stride=8)

    def forward_features(self, images):
        return {"x_norm_patchtokens": self.model(images).flatten(2).transpose(1, 2)}


def world_of_patches():
    sizes = {"action_emb_dim": 4, "proprio_emb_dim": 4, "depth": 1, "num_heads": 2, "head_dim": 8, "mlp_dim": 32}
    world = DINOWM(PatchTokens(_Patches(), normalize=True), 4, 12, action_dim=2, proprio_dim=3, **sizes)
    return _Course(world), (torch.rand(2, 4, 3, 16, 16), torch.randn(2, 4, 2), torch.randn(2, 4, 3))


class _Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        encoder = VisionTransformer(16, 4, embed_dim=16, depth=1, num_heads=2)
        self.model = IJEPA(encoder, MaskedPredictor((4, 4), 16, predictor_dim=16, depth=1, num_heads=2))

    def forward(self, images, kept, first, second):
        return self.model(images, [kept], [first, second])["loss"]


def masked():
    kept = torch.tensor([[0, 1, 4, 5, 8], [2, 3, 6, 7, 11]])
    first, second = torch.tensor([[10, 11], [8, 9]]), torch.tensor([[14, 15], [12, 13]])
    return _Masked(), (torch.rand(2, 3, 16, 16), kept, first, second)


class _Pairs(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(6, 8), torch.nn.Linear(5, 8)

    def forward(self, images, texts):
        return info_nce(self.first(images), self.second(texts))


def pairs():
    return _Pairs(), (torch.randn(4, 6), torch.randn(4, 5))


def probe():
    return AttentiveProbe(16, 4, num_heads=2), torch.randn(2, 9, 16)
