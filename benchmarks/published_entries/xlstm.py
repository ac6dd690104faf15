"""Entry points of xlstm: a small stack with matrices as memory."""

import torch
from xlstm import mLSTMBlockConfig, mLSTMLayerConfig, xLSTMBlockStack, xLSTMBlockStackConfig


def matrix_memory():
    layer = mLSTMLayerConfig(conv1d_kernel_size=4, qkv_proj_blocksize=4, num_heads=2)
    config = xLSTMBlockStackConfig(
        mlstm_block=mLSTMBlockConfig(mlstm=layer), context_length=8, num_blocks=1, embedding_dim=16
    )
    return xLSTMBlockStack(config), (torch.randn(2, 8, 16),)
