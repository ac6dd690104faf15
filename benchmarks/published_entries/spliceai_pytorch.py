"""Entry points of spliceai-pytorch: sites of splicing in a sequence of bases, with their training loss."""

import torch
from spliceai_pytorch.spliceai_pytorch import SpliceAI


class _Training(torch.nn.Module):
    def __init__(self, name):
        super().__init__()
        self.model = SpliceAI.from_preconfigured(name)

    def forward(self, bases, labels):
        return torch.nn.functional.cross_entropy(self.model(bases).transpose(1, 2), labels)


def _bases(length):
    return torch.nn.functional.one_hot(torch.randint(0, 4, (1, length)), 4).transpose(1, 2).float()


def short_context():
    return SpliceAI.from_preconfigured("80nt"), (_bases(5080),)


def training():
    return _Training("80nt"), (_bases(5080), torch.randint(0, 3, (1, 5000)))


def longer_context():
    return _Training("400nt"), (_bases(5400), torch.randint(0, 3, (1, 5000)))
