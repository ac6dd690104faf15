"""Entry points of tokenlearner-pytorch: tokens learned of images, and fused back."""

import torch
from tokenlearner_pytorch import TokenFuser, TokenLearner


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.learner, self.head = TokenLearner(S=3), torch.nn.Linear(8, 4)

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.head(self.learner(images).mean(dim=1)), labels)


def classified():
    return _Classified(), (torch.rand(2, 6, 6, 8), torch.tensor([0, 3]))


class _Fused(torch.nn.Module):
    """Tokens worked on by a layer, in the image again."""

    def __init__(self):
        super().__init__()
        self.learner, self.layer, self.fuser = TokenLearner(S=8), torch.nn.Linear(8, 8), TokenFuser(6, 6, 8, 8)

    def forward(self, images):
        return self.fuser(self.layer(self.learner(images)), images)


def fused():
    return _Fused(), (torch.rand(2, 6, 6, 8),)
