"""Entry points of suave-torch: its language model that says how sure it is of each token, with its double loss."""

import torch
from suave.core.attention import SparseSelectiveAttention
from suave.models.config import SUAVEConfig
from suave.models.language_model import SUAVELanguageModel
from suave.training.losses import SUAVELoss


class _Trained(torch.nn.Module):
    """Texts are labelled as sure or not; the last tokens are to be told from the first."""

    def __init__(self, config):
        super().__init__()
        self.model = SUAVELanguageModel(config)
        self.loss = SUAVELoss(config.uncertainty_loss_weight, config.vocab_size)

    def forward(self, tokens, unsure):
        logits, uncertainty = self.model(tokens[:, :-1])
        return self.loss(logits, tokens[:, 1:], uncertainty, unsure)[0]


def _config(**options):
    return SUAVEConfig(vocab_size=40, max_seq_len=16, embed_dim=16, num_heads=4, num_layers=2, ff_dim=32, **options)


def training():
    return _Trained(_config()), (torch.randint(0, 40, (2, 9)), torch.tensor([0, 1]))


def language():
    return SUAVELanguageModel(_config(dropout=0.0)), (torch.randint(0, 40, (2, 8)),)


def attention():
    return SparseSelectiveAttention(16, 2), (torch.randn(2, 6, 16),)
