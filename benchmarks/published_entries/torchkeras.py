"""Entry points of torchkeras: its networks of tables with their losses, and parts of its networks of images."""

import torch
from torchkeras.tabular import models
from torchkeras.tabular.config.config import InferredConfig, safe_merge_config


class _Trained(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, categorical, continuous, wanted):
        given = self.network({"categorical": categorical, "continuous": continuous})
        return self.network.compute_loss(given, wanted)


def _trained(network, config, **options):
    """Two columns of kinds and three of numbers, of which one in two rows is wanted."""
    columns = {"categorical_cols": ["a", "b"], "continuous_cols": ["c", "d", "e"]}
    sizes = {"categorical_dim": 2, "continuous_dim": 3, "output_dim": 1, "categorical_cardinality": [4, 5]}
    inferred = InferredConfig(**columns, **sizes, embedding_dims=[(4, 2), (5, 3)])
    model = _Trained(network(safe_merge_config(config(task="binary", **options), inferred)))
    kinds = torch.stack([torch.randint(4, (8,)), torch.randint(5, (8,))], 1)
    return model, (kinds, torch.randn(8, 3), torch.randint(2, (8, 1)).float())


def factorization_machine():
    return _trained(models.FMModel, models.FMConfig, input_embed_dim=4)


def oblivious_trees():
    return _trained(models.NODEModel, models.NODEConfig, num_trees=4, depth=3)


def gated_trees():
    options = {"gflu_stages": 2, "tree_depth": 2, "num_trees": 2}
    return _trained(models.GatedAdditiveTreeEnsembleModel, models.GatedAdditiveTreeEnsembleConfig, **options)


def gated_features():
    return _trained(models.GANDALFModel, models.GANDALFConfig, gflu_stages=2)


def periodic():
    return _trained(models.PeMLPModel, models.PeMLPConfig)


def crossed():
    return _trained(models.DeepCrossModel, models.DeepCrossConfig)
