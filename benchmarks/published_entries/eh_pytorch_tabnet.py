"""Entry points of eh-pytorch-tabnet: TabNet with each kind of mask, its pretraining with its loss, sparse softmaxes."""

import torch
from pytorch_tabnet.metrics import UnsupervisedLoss
from pytorch_tabnet.sparsemax import Entmax15, Sparsemax
from pytorch_tabnet.tab_network import TabNet, TabNetPretraining


class _Sparse(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.score, self.function = torch.nn.Linear(6, 5), function

    def forward(self, x):
        return self.function(self.score(x))


class _Training(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = TabNet(6, 3, group_attention_matrix=torch.eye(6))

    def forward(self, x, classes):
        made, sparsity = self.net(x)
        return torch.nn.functional.cross_entropy(made, classes) - 1e-3 * sparsity


class _Pretraining(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = TabNetPretraining(6, group_attention_matrix=torch.eye(6))

    def forward(self, x):
        return UnsupervisedLoss(*self.net(x))


def network():
    return TabNet(6, 3, group_attention_matrix=torch.eye(6)), (torch.randn(4, 6),)


def entmax_network():
    return TabNet(6, 3, mask_type="entmax", group_attention_matrix=torch.eye(6)), (torch.randn(4, 6),)


def categories():
    numbers = torch.cat([torch.randn(4, 4), torch.randint(0, 5, (4, 2)).float()], 1)
    groups = torch.eye(6)
    model = TabNet(6, 3, cat_idxs=[4, 5], cat_dims=[5, 5], cat_emb_dim=[2, 2], group_attention_matrix=groups)
    return model, (numbers,)


def training():
    return _Training(), (torch.randn(4, 6), torch.randint(0, 3, (4,)))


def pretraining():
    return _Pretraining(), (torch.randn(4, 6),)


def sparsemax():
    return _Sparse(Sparsemax()), (torch.randn(4, 6),)


def entmax():
    return _Sparse(Entmax15()), (torch.randn(4, 6),)
