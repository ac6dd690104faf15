"""Entry points of coco-lm-pytorch: correcting and contrasting corrupted text, all losses together."""

import torch
from coco_lm_pytorch import COCO


class _Words(torch.nn.Module):
    def __init__(self, outputs):
        super().__init__()
        self.embed, self.mix = torch.nn.Embedding(20, 8), torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.head = torch.nn.Linear(8, outputs)

    def forward(self, tokens):
        return self.head(self.mix(self.embed(tokens)))


def pretraining():
    model = COCO(_Words(20), _Words(8), discr_dim=8, discr_layer="mix", cls_token_id=1, mask_token_id=2)
    return model, (torch.randint(3, 20, (2, 8)),)
