"""Entry points of calm-pytorch: a language model that attends to what another makes of a prompt, with its loss."""

import torch
from CALM_pytorch import CALM, AugmentParams
from x_transformers import Decoder, TransformerWrapper


def _language_model(depth):
    return TransformerWrapper(num_tokens=20, max_seq_len=16, attn_layers=Decoder(dim=16, depth=depth, heads=2))


class _Trained(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, text, prompt):
        return self.model(text, prompt=prompt)


def composed():
    augment = AugmentParams(model=_language_model(4), connect_every_num_layers=2)
    model = CALM(_language_model(2), augment_llms=augment)
    return _Trained(model), (torch.randint(20, (2, 12)), torch.randint(20, (2, 6)))


def two_advisers():
    augments = [AugmentParams(model=_language_model(2), connect_every_num_layers=1) for _ in range(2)]
    model = CALM(_language_model(2), augment_llms=augments)
    return _Trained(model), (torch.randint(20, (2, 12)), torch.randint(20, (2, 6)))
