"""Entry points of palm-pytorch: its language models, small, with rotary and with biased attention, and their loss."""

import torch
from palm_pytorch import PaLM
from palm_pytorch.autoregressive_wrapper import AutoregressiveWrapper
from palm_pytorch.palm_lite import PaLM as PaLMLite

SIZES = {"num_tokens": 20, "dim": 16, "depth": 2, "heads": 4, "dim_head": 8}


def _words():
    return torch.tensor([[3, 7, 2, 9, 14, 1], [5, 12, 11, 4, 19, 1]])


def language():
    return PaLM(**SIZES), _words()


def language_trained():
    return AutoregressiveWrapper(PaLM(**SIZES), max_seq_len=8), _words()


def lite_trained():
    return AutoregressiveWrapper(PaLMLite(**SIZES), max_seq_len=8), _words()
