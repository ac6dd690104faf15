"""Entry points of rethge-torch: small classifiers by its vision transformer and residual blocks."""

import sys
import types

import torch

_package = sys.modules["rethge_torch"] = types.ModuleType("rethge_torch")
_package.__path__ = ["rethge_torch"]

from rethge_torch.rethge_components import RTG_res_block_expand, RTG_TransformerEncoderBlock, RTG_ViT  # noqa: E402


class _Classifier(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image, labels):
        return torch.nn.functional.cross_entropy(self.model(image), labels)


def _entry(model):
    return _Classifier(model), (torch.rand(2, 3, 8, 8), torch.randint(3, (2,)))


def vision():
    return _entry(RTG_ViT(8, 3, 4, num_transformer_layers=1, num_head=2, mlp_size=16, num_classes=3))


def residual():
    part = RTG_res_block_expand(3, 4), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(4, 3)
    return _entry(torch.nn.Sequential(*part))


def encoder():
    first, last = torch.nn.Linear(64, 8), torch.nn.Linear(3 * 8, 3)
    part = torch.nn.Flatten(2), first, RTG_TransformerEncoderBlock(8, 2, 16), torch.nn.Flatten(), last
    return _entry(torch.nn.Sequential(*part))
