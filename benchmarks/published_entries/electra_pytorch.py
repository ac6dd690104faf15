"""Entry points of electra-pytorch: pretraining by words that a generator replaces, with its loss."""

import torch
from electra_pytorch import Electra


def _tower(outputs):
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return torch.nn.Sequential(torch.nn.Embedding(11, 8), layer, torch.nn.Linear(8, outputs))


class _Pretraining(torch.nn.Module):
    def __init__(self, discriminator, **options):
        super().__init__()
        self.electra = Electra(_tower(11), discriminator, num_tokens=11, mask_prob=0.5, **options)

    def forward(self, text):
        return self.electra(text).loss


def pretraining():
    return _Pretraining(_tower(1)), (torch.randint(3, 11, (2, 8)),)


def random_words():
    return _Pretraining(_tower(1), random_token_prob=0.1), (torch.randint(3, 11, (2, 8)),)
