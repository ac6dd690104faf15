"""Entry points of tab-transformer-pytorch: two networks of tables with a loss."""

import torch
from tab_transformer_pytorch import FTTransformer, TabTransformer


class _Predicting(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, classes, numbers, wanted):
        return torch.nn.functional.binary_cross_entropy_with_logits(self.model(classes, numbers), wanted)


def _rows():
    return torch.randint(3, (4, 2)), torch.randn(4, 3), torch.randint(2, (4, 1)).float()


def tab_transformer():
    model = TabTransformer(
        categories=(3, 3), num_continuous=3, dim=8, dim_out=1, depth=1, heads=2, mlp_act=torch.nn.ReLU()
    )
    return _Predicting(model.eval()), _rows()


def feature_tokenizer():
    model = FTTransformer(categories=(3, 3), num_continuous=3, dim=8, dim_out=1, depth=1, heads=2)
    return _Predicting(model.eval()), _rows()
