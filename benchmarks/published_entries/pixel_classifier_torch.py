"""Entry points of pixel-classifier-torch: its networks of pages, small, with the loss of the classes of pixels."""

import torch
from segmentation.model import AttentionUnet, UNet

SIZES = {"in_channels": 3, "out_channels": 4, "n_class": 3, "encoder_filter": [4, 8, 16, 32]}


class _Pages(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, pages, classes):
        return self.loss(self.model(pages), classes)


def _pages():
    return torch.rand(1, 3, 32, 32), torch.randint(3, (1, 32, 32))


def single():
    return _Pages(UNet(**SIZES, decoder_filter=[4, 8, 16, 32], activation=True), torch.nn.NLLLoss()), _pages()


def attention():
    model = AttentionUnet(**SIZES, decoder_filter=[4, 8, 16, 32], attention_encoder_filter=[4, 8, 16, 32])
    return _Pages(model, torch.nn.CrossEntropyLoss()), _pages()


def without_attention():
    model = AttentionUnet(**SIZES, decoder_filter=[4, 8, 16, 32], attention=False)
    return _Pages(model, torch.nn.CrossEntropyLoss()), _pages()
