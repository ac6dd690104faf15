"""Entry points of g-mlp-pytorch: a language model and a classifier with their losses."""

import torch
from g_mlp_pytorch import gMLP, gMLPVision


class _Language(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = gMLP(num_tokens=11, dim=8, depth=1, seq_len=6, causal=True, attn_dim=4)

    def forward(self, text, wanted):
        return torch.nn.functional.cross_entropy(self.model(text).transpose(1, 2), wanted)


def language():
    return _Language(), (torch.randint(11, (2, 6)), torch.randint(11, (2, 6)))


class _Classifying(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = gMLPVision(image_size=16, patch_size=8, num_classes=3, dim=8, depth=1)

    def forward(self, image, labels):
        return torch.nn.functional.cross_entropy(self.model(image), labels)


def vision():
    return _Classifying(), (torch.randn(2, 3, 16, 16), torch.randint(3, (2,)))
