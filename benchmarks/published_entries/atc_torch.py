"""Entry points of atc-torch: convolutions and parallel attention over words, and the loss of the next word."""

import torch
from attnconv.main import ATCTransformer, ConvolutionLanguageBlock, ParallelTransformerBlock


class _Next(torch.nn.Module):
    def __init__(self):
        super().__init__()
        # the convolution runs over the words, which it takes for channels: as many words as features
        self.model = ATCTransformer(dim=8, depth=1, num_tokens=20, dim_head=4, heads=2)

    def forward(self, words):
        logits = self.model(words[:, :-1])
        return torch.nn.functional.cross_entropy(logits.transpose(1, 2), words[:, 1:])


def attention():
    return ParallelTransformerBlock(8, dim_head=4, heads=2), (torch.randn(2, 6, 8),)


def convolution():
    return ConvolutionLanguageBlock(8, 8, 3, 1), (torch.randn(2, 8, 12),)


def whole():
    model = ATCTransformer(dim=8, depth=2, num_tokens=20, dim_head=4, heads=2)
    return model, (torch.randint(0, 20, (2, 8)),)


def trained():
    return _Next(), (torch.randint(0, 20, (2, 9)),)
