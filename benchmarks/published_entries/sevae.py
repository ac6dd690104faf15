"""Entry points of sevae: its autoencoder of constructs over rows of a table, as in its README, with its losses."""

import torch
from sevae import SEVAE, SEVAEConfig


def _model(**options):
    settings = {"n_constructs": 3, "items_per_construct": 4, "d_per_construct": 1, "hidden": 16, "dropout": 0.05}
    weights = {"tc_weight": 6.4, "ortho_weight": 1.0, "leakage_weight": 0.5, "kl_weight": 0.1}
    return SEVAE(SEVAEConfig(**{**settings, **weights, **options}))


class _Trained(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, rows):
        return self.model.loss(rows, self.model(rows))["loss_total"]


def _built(model, columns=12):
    """Its layers are made by the first rows that it sees."""
    model(torch.randn(2, columns))
    return model


def trained():
    model = _model(d_nuisance=1, n_nuisance_blocks=1, context_dim=1)
    return _Trained(_built(model)), (torch.randn(6, 12),)


def trained_without_nuisance():
    return _Trained(_built(_model(n_nuisance_blocks=0, context_dim=0))), (torch.randn(6, 12),)


def trained_over_named_columns():
    model = _model(d_nuisance=2, n_nuisance_blocks=1, context_dim=1)
    model.bind_column_groups([[0, 3, 6], [1, 4, 7, 9], [2, 5, 8, 10, 11]])
    return _Trained(_built(model)), (torch.randn(6, 12),)
