"""Entry points of hurnet-torch: its language model, whose last layer is fitted directly, and that layer alone."""

import torch
from hurnet_torch._hurnet_transformer import HurNetTransformer
from hurnet_torch._transformer_hurnet import TransformerHurNet


def language():
    network = TransformerHurNet(
        embedding_dim=8, block_size=8, number_heads=2, number_layers=1, dropout=0.1, vocab_size=20, device="cpu"
    )
    return network, (torch.randint(0, 20, (2, 6)),)


def layer():
    return HurNetTransformer(6, 3, interaction=True, device="cpu"), (torch.randn(4, 6),)


def without_interaction():
    return HurNetTransformer(6, 3, activation_function="tanh", interaction=False, device="cpu"), (torch.randn(4, 6),)
