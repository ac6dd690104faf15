"""Entry points of torch-model-hub: its networks of texts and of rows, small, that classify."""

import torch
from torch_model_hub.model import (
    RNN2D,
    CNNRNNAttention2D,
    RNNAttention2D,
    TextCNN,
    Transformer2D,
)


class _Classified(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, features, classes):
        return torch.nn.functional.cross_entropy(self.model(features), classes)


def _rows():
    return torch.randn(4, 6), torch.tensor([0, 2, 1, 1])


def texts():
    model = TextCNN(8, cnn_channels=6, out_features=3, num_hidden_layer=1, layer_norm=True, residual=True, dropout=0.1)
    return _Classified(model), (torch.randn(4, 7, 8), torch.tensor([0, 2, 1, 1]))


def recurrent_rows():
    return _Classified(RNN2D(6, 3, embed_dim=4, hidden_size=8)), _rows()


def recurrent_rows_with_attention():
    return _Classified(RNNAttention2D(6, 3, embed_dim=4, hidden_size=8, num_layers=1)), _rows()


def convolved_rows_with_attention():
    model = CNNRNNAttention2D(6, 3, embed_dim=4, seq_length=4, cnn_channels=6, hidden_size=16, num_layers=1)
    return _Classified(model), _rows()


def transformed_rows():
    model = Transformer2D(6, 3, embed_dim=4, nhead=2, hidden_size=16, dim_feedforward=16)
    return _Classified(model), _rows()
