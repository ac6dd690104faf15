"""Entry points of pytorch-widedeep: its losses as training calls them, and its tabular models."""

import torch
from pytorch_widedeep import losses
from pytorch_widedeep.models import tabular

COLUMNS = {"a": 0, "b": 1, "c": 2, "d": 3}
CATEGORIES = [("a", 5, 4), ("b", 7, 4)]
PLAIN = [("a", 5), ("b", 7)]
CONTINUOUS = ["c", "d"]


class _OfLogits(torch.nn.Module):
    """A loss behind a linear layer."""

    def __init__(self, loss, outputs, positive=False):
        super().__init__()
        self.loss, self.head, self.positive = loss, torch.nn.Linear(6, outputs), positive

    def forward(self, x, target):
        y = self.head(x)
        return self.loss(y.exp() if self.positive else y, target)


def _x():
    return torch.randn(16, 6)


def _positive():
    return torch.rand(16, 1) * 3


def msle():
    return _OfLogits(losses.MSLELoss(), 1, positive=True), (_x(), _positive())


def rmse():
    return _OfLogits(losses.RMSELoss(), 1), (_x(), _positive())


def rmsle():
    return _OfLogits(losses.RMSLELoss(), 1, positive=True), (_x(), _positive())


def quantile():
    return _OfLogits(losses.QuantileLoss([0.1, 0.5, 0.9]), 3), (_x(), _positive())


def focal():
    return _OfLogits(losses.FocalLoss(), 1), (_x(), torch.randint(0, 2, (16, 1)).float())


def focal_of_classes():
    return _OfLogits(losses.FocalLoss(), 4), (_x(), torch.randint(0, 4, (16, 1)))


def tweedie():
    return _OfLogits(losses.TweedieLoss(), 1, positive=True), (_x(), _positive())


def zero_inflated_log_normal():
    return _OfLogits(losses.ZILNLoss(), 3), (_x(), _positive())


def focal_mse():
    return _OfLogits(losses.FocalR_MSELoss(), 1), (_x(), _positive())


def focal_rmse():
    return _OfLogits(losses.FocalR_RMSELoss(), 1), (_x(), _positive())


def huber():
    return _OfLogits(losses.HuberLoss(), 1), (_x(), _positive())


def info_nce():
    class Pair(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.head, self.loss = torch.nn.Linear(6, 8), losses.InfoNCELoss()

        def forward(self, a, b):
            return self.loss((self.head(a).reshape(16, 2, 4), self.head(b).reshape(16, 2, 4)))

    return Pair(), (_x(), _x())


def _rows():
    return (torch.cat([torch.randint(0, 5, (4, 2)).float(), torch.randn(4, 2)], 1),)


def tab_mlp():
    return tabular.TabMlp(COLUMNS, cat_embed_input=CATEGORIES, continuous_cols=CONTINUOUS), _rows()


def tab_resnet():
    return tabular.TabResnet(COLUMNS, cat_embed_input=CATEGORIES, continuous_cols=CONTINUOUS), _rows()


def tab_net():
    return tabular.TabNet(COLUMNS, cat_embed_input=CATEGORIES, continuous_cols=CONTINUOUS), _rows()


def tab_transformer():
    return tabular.TabTransformer(COLUMNS, cat_embed_input=PLAIN, continuous_cols=CONTINUOUS), _rows()


def saint():
    return tabular.SAINT(COLUMNS, cat_embed_input=PLAIN, continuous_cols=CONTINUOUS, n_blocks=1), _rows()


def fast_former():
    return tabular.TabFastFormer(COLUMNS, cat_embed_input=PLAIN, continuous_cols=CONTINUOUS, n_blocks=1), _rows()


def perceiver():
    return (
        tabular.TabPerceiver(
            COLUMNS, cat_embed_input=PLAIN, continuous_cols=CONTINUOUS, n_latents=4, latent_dim=16, n_perceiver_blocks=1
        ),
        _rows(),
    )


def context_attention_mlp():
    return tabular.ContextAttentionMLP(COLUMNS, cat_embed_input=PLAIN, continuous_cols=CONTINUOUS), _rows()
