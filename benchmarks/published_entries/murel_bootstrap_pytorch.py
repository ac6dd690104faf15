"""Entry points of murel.bootstrap.pytorch: bilinear fusions of what is asked and what is seen, that classify."""

import torch
from block.models.networks.fusions.fusions import MFB, MLB, Block, BlockTucker, Mutan


class _Answered(torch.nn.Module):
    def __init__(self, fusion):
        super().__init__()
        self.fusion = fusion

    def forward(self, question, image, answers):
        return torch.nn.functional.cross_entropy(self.fusion([question, image]), answers)


def _inputs():
    return torch.randn(4, 8), torch.rand(4, 10), torch.tensor([2, 0, 5, 1])


def blocks():
    return _Answered(Block([8, 10], 6, mm_dim=20, chunks=4, rank=3)), _inputs()


def blocks_normalised_late():
    return _Answered(Block([8, 10], 6, mm_dim=20, chunks=4, rank=3, pos_norm="after_cat")), _inputs()


def tucker_blocks():
    return _Answered(BlockTucker([8, 10], 6, mm_dim=20, chunks=4)), _inputs()


def mutan():
    return _Answered(Mutan([8, 10], 6, mm_dim=12, rank=3, normalize=True)), _inputs()


def low_rank():
    return _Answered(MLB([8, 10], 6, mm_dim=12, normalize=True)), _inputs()


def factorized():
    return _Answered(MFB([8, 10], 6, mm_dim=12, factor=2, normalize=True, activ_output=None)), _inputs()
