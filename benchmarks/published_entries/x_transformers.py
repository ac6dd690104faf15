"""Entry points of x-transformers: small decoders and encoders with several kinds of positions and attention."""

import torch
from x_transformers import Decoder, Encoder, TransformerWrapper


def _model(layers):
    return TransformerWrapper(num_tokens=11, max_seq_len=8, attn_layers=layers), (torch.randint(11, (2, 8)),)


def plain():
    return _model(Decoder(dim=16, depth=2, heads=2))


def rotary():
    return _model(Decoder(dim=16, depth=2, heads=2, rotary_pos_emb=True))


def linear_biases():
    return _model(Decoder(dim=16, depth=2, heads=2, alibi_pos_bias=True))


def normalized_queries():
    return _model(Encoder(dim=16, depth=2, heads=2, attn_qk_norm=True))


def root_mean_square():
    return _model(Decoder(dim=16, depth=2, heads=2, use_rmsnorm=True, ff_glu=True, ff_swish=True))


def relative_positions():
    return _model(Encoder(dim=16, depth=2, heads=2, rel_pos_bias=True, gate_residual=True))
