"""Entry points of transformerkit: its transformer of two sides and each of them alone, with the losses of words."""

import sys
import types

import torch

_package = sys.modules["transformerkit"] = types.ModuleType("transformerkit")
_package.__path__ = ["transformerkit"]

from transformerkit.decoder import Decoder  # noqa: E402
from transformerkit.encoder import Encoder  # noqa: E402
from transformerkit.model import create_transformer  # noqa: E402
from transformerkit.utils import create_padding_mask, create_target_mask  # noqa: E402

SIZES = {"vocab_size": 20, "d_model": 16, "n_layers": 2, "n_heads": 2, "d_ff": 32, "max_seq_length": 12}


def _words():
    return torch.tensor([[3, 7, 2, 19, 4, 8], [5, 6, 1, 0, 0, 0]])


class _Translation(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = create_transformer(**SIZES)
        self.loss = torch.nn.CrossEntropyLoss(ignore_index=0)

    def forward(self, source, target):
        given, wanted = target[:, :-1], target[:, 1:]
        logits = self.model(source, given, create_padding_mask(source), create_target_mask(given))
        return self.loss(logits.transpose(1, 2), wanted)


def translation():
    return _Translation(), (_words(), torch.tensor([[1, 9, 17, 5, 2], [1, 4, 2, 0, 0]]))


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.head = Encoder(**SIZES, dropout=0.1), torch.nn.Linear(16, 3)

    def forward(self, words, labels):
        given = self.encoder(words, create_padding_mask(words))
        return torch.nn.functional.cross_entropy(self.head(given[:, 0]), labels)


def classified():
    return _Classified(), (_words(), torch.tensor([2, 0]))


class _Captioned(torch.nn.Module):
    """Words from the patches of an image."""

    def __init__(self):
        super().__init__()
        self.patches, self.head = torch.nn.Linear(12, 16), torch.nn.Linear(16, 20)
        self.decoder = Decoder(**SIZES, dropout=0.1)

    def forward(self, patches, words):
        given = words[:, :-1]
        logits = self.head(self.decoder(given, self.patches(patches), None, create_target_mask(given)))
        return torch.nn.functional.cross_entropy(logits.transpose(1, 2), words[:, 1:], ignore_index=0)


def captioned():
    return _Captioned(), (torch.randn(2, 9, 12), _words())
