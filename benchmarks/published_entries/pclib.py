"""Entry points of pclib: predictive coding networks and the energies their inference leaves, with labels or not."""

import torch
from pclib.nn.models import FCPCN, ConvClassifierUs
from pclib.utils.functional import format_y


class _Supervised(torch.nn.Module):
    """The free energy once inference is over, with observations and labels given."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, observed, labels):
        _, state = self.model(observed, format_y(labels, self.model.num_classes), pin_obs=True, pin_target=True)
        return self.model.vfe(state)


class _Unsupervised(_Supervised):
    """The free energy of what is seen, and the error of a classifier on what inference found."""

    def forward(self, observed, labels):
        classes, state = self.model(observed, pin_obs=True)
        return self.model.vfe(state), torch.nn.functional.cross_entropy(classes, labels)


def supervised():
    return _Supervised(FCPCN([6, 8, 3], steps=4)), (torch.rand(4, 6), torch.tensor([0, 2, 1, 1]))


class _Memory(torch.nn.Module):
    def __init__(self):
        super().__init__()
        options = {"symmetric": False, "actv_fn": torch.nn.functional.gelu, "x_decay": 0.01, "has_memory_vec": True}
        self.model = FCPCN([6, 8, 4], steps=3, **options)

    def forward(self, observed):
        found, state = self.model(observed, pin_obs=True)
        return found, self.model.vfe(state)


def memory():
    return _Memory(), (torch.rand(4, 6),)


def unsupervised_convolutions():
    return _Unsupervised(ConvClassifierUs(steps=2)), (torch.rand(2, 1, 32, 32), torch.tensor([7, 2]))
