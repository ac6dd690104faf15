"""Entry points of atc-torch: a language model of convolutions and attention, with its loss."""

import torch
from attnconv.main import ATCTransformer, ConvolutionLanguageBlock, ParallelTransformerBlock


def _model():
    return ATCTransformer(dim=16, depth=2, num_tokens=50, dim_head=8, heads=2)


class _Predicting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = _model()

    def forward(self, tokens, wanted):
        return torch.nn.functional.cross_entropy(self.model(tokens).transpose(1, 2), wanted)


def language_model():
    return _model(), (torch.randint(0, 50, (2, 16)),)


def next_token():
    return _Predicting(), (torch.randint(0, 50, (2, 16)), torch.randint(0, 50, (2, 16)))


def attention_block():
    return ParallelTransformerBlock(16, dim_head=8, heads=2), (torch.randn(2, 12, 16),)


def convolution_block():
    return ConvolutionLanguageBlock(8, 12, 3, 1), (torch.randn(2, 8, 20),)
