"""Entry points of torch-einops-utils: its losses of stable softmax on one layer."""

import torch
from torch_einops_utils import stable_softmax


class _Layer(torch.nn.Module):
    def __init__(self, loss, outputs=5, **options):
        super().__init__()
        self.layer, self.loss, self.options = torch.nn.Linear(8, outputs), loss, options

    def forward(self, features, wanted):
        return self.loss(self.layer(features), wanted, **self.options)


def cross_entropy():
    return _Layer(stable_softmax.cross_entropy), (torch.randn(4, 8), torch.tensor([0, 4, -100, 2]))


def binary_cross_entropy():
    wanted = torch.tensor([[0.0], [1.0], [1.0], [0.3]])
    return _Layer(stable_softmax.binary_cross_entropy_with_logits, outputs=1), (torch.randn(4, 8), wanted)


def soft_targets():
    loss = stable_softmax.soft_target_cross_entropy
    return _Layer(loss, reduction="mean"), (torch.randn(4, 8), torch.randn(4, 5).softmax(dim=-1))


class _Distilled(torch.nn.Module):
    """A student that learns from the logits of its teacher."""

    def __init__(self, loss):
        super().__init__()
        self.student, self.teacher, self.loss = torch.nn.Linear(8, 5), torch.nn.Linear(8, 5), loss

    def forward(self, features):
        return self.loss(self.student(features), self.teacher(features).detach()).mean()


def distilled():
    return _Distilled(stable_softmax.categorical_kl), (torch.randn(4, 8),)


def distilled_labels():
    return _Distilled(stable_softmax.soft_target_binary_cross_entropy), (torch.randn(4, 8),)
