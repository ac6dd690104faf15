"""Entry points of mosaic-attention: its attention along any axis on one device, trained on small tables and series."""

import torch
from mosaic import MultiAxisAttention
from mosaic.attention import CrossAxisAttention
from mosaic.examples.nanotabpfn import Decoder, FeatureEncoder, TargetEncoder
from mosaic.hierarchical import MultiAxisHierarchicalAttention


class _Table(torch.nn.Module):
    """Its example: features and labels of known rows say the labels of the others."""

    def __init__(self, size=16, known=6):
        super().__init__()
        self.features, self.targets, self.decoder = FeatureEncoder(size), TargetEncoder(size), Decoder(size, 32, 2)
        self.columns = MultiAxisAttention(size, 4, attention_axis=2, backend="local")
        self.rows = MultiAxisAttention(size, 4, attention_axis=1, backend="local")
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(size) for _ in range(2))
        self.known = known

    def forward(self, table, labels, wanted):
        cells = self.features(table, self.known)
        cells = torch.cat([cells, self.targets(labels.unsqueeze(-1), table.shape[1])], dim=2)
        cells = self.norms[0](self.columns(cells) + cells)
        cells = self.norms[1](self.rows(cells) + cells)
        logits = self.decoder(cells[:, self.known :, -1])
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten())


def table():
    return _Table(), (torch.randn(2, 10, 3), torch.rand(2, 6).round(), torch.randint(0, 2, (2, 4)))


class _Series(torch.nn.Module):
    """The next value of a series by chunks that are summarised."""

    def __init__(self):
        super().__init__()
        self.attention = MultiAxisHierarchicalAttention(16, 4, attention_axis=1, summary_dim=8, meta_heads=2)
        self.encoder, self.head = torch.nn.Linear(1, 16), torch.nn.Linear(16, 1)

    def forward(self, series, following):
        hidden, _ = self.attention(self.encoder(series))
        return torch.nn.functional.mse_loss(self.head(hidden[:, -1]), following)


def series():
    return _Series(), (torch.randn(2, 8, 1), torch.randn(2, 1))


def causal():
    return MultiAxisAttention(16, 4, attention_axis=1, backend="local", causal=True), (torch.randn(2, 6, 16),)


def crossed():
    return CrossAxisAttention(16, 4, q_axis=1, kv_axis=1), (torch.randn(2, 5, 16), torch.randn(2, 7, 16))
