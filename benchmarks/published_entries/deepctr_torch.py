"""Entry points of deepctr-torch: click models of a few small tables, with their loss."""

import torch
from deepctr_torch import models
from deepctr_torch.inputs import DenseFeat, SparseFeat


class _Clicking(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, rows, clicked):
        return torch.nn.functional.binary_cross_entropy(self.model(rows), clicked)


def _columns():
    return [SparseFeat("user", 5, embedding_dim=4), SparseFeat("item", 7, embedding_dim=4), DenseFeat("price", 1)]


def _rows():
    table = torch.stack([torch.randint(5, (6,)), torch.randint(7, (6,))], dim=1).float()
    return torch.cat([table, torch.rand(6, 1)], dim=1), torch.randint(2, (6, 1)).float()


def factorization():
    return _Clicking(models.DeepFM(_columns(), _columns(), dnn_hidden_units=(8,))), _rows()


def extreme_factorization():
    model = models.xDeepFM(_columns(), _columns(), dnn_hidden_units=(8,), cin_layer_size=(4, 4))
    return _Clicking(model), _rows()


def attentional_factorization():
    return _Clicking(models.AFM(_columns(), _columns()[:2])), _rows()


def automatic_interactions():
    return _Clicking(models.AutoInt(_columns(), _columns(), att_layer_num=1, dnn_hidden_units=(8,))), _rows()


def bilinear_interactions():
    return _Clicking(models.FiBiNET(_columns(), _columns(), dnn_hidden_units=(8,))), _rows()


def cross_network():
    return _Clicking(models.DCN(_columns(), _columns(), dnn_hidden_units=(8,))), _rows()


def logarithmic_transformation():
    return _Clicking(models.AFN(_columns(), _columns(), ltl_hidden_size=4, afn_dnn_hidden_units=(8,))), _rows()
