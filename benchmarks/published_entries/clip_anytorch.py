"""Entry points of clip-anytorch: a small model with the contrastive loss of its training."""

import torch
from clip.model import CLIP


class _Contrasting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = CLIP(8, 16, 1, 64, 8, 6, 11, 16, 2, 1)

    def forward(self, images, text):
        first, second = self.model(images, text)
        labels = torch.arange(first.shape[0])
        cross_entropy = torch.nn.functional.cross_entropy
        return (cross_entropy(first, labels) + cross_entropy(second, labels)) / 2


def contrastive():
    return _Contrasting(), (torch.randn(3, 3, 16, 16), torch.randint(11, (3, 6)))
