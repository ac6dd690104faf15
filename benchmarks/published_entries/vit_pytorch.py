"""Entry points of vit-pytorch: small transformers for images."""

import torch
from vit_pytorch import (
    cait,
    cct,
    cvt,
    deepvit,
    normalized_vit,
    rvt,
    simple_vit,
    simple_vit_with_qk_norm,
    vit,
    vit_for_small_dataset,
    xcit,
)

SMALL = {"image_size": 32, "patch_size": 8, "num_classes": 5, "dim": 32, "depth": 2, "heads": 2, "mlp_dim": 32}


def _image(size=32):
    return (torch.randn(1, 3, size, size),)


def plain():
    return vit.ViT(**SMALL), _image()


def simple():
    return simple_vit.SimpleViT(**SMALL), _image()


def normalized_queries():
    return simple_vit_with_qk_norm.SimpleViT(**SMALL), _image()


def deep():
    return deepvit.DeepViT(**SMALL), _image()


def class_attention():
    return cait.CaiT(**SMALL, cls_depth=1), _image()


def rotary():
    return rvt.RvT(**SMALL), _image()


def small_data():
    return vit_for_small_dataset.ViT(**SMALL), _image()


def hypersphere():
    return normalized_vit.nViT(**{**SMALL, "dim_head": 16}), _image()


def cross_covariance():
    return xcit.XCiT(**SMALL, cls_depth=1), _image()


def compact():
    inner = cct.CCT(
        img_size=32, embedding_dim=32, n_conv_layers=1, num_layers=2, num_heads=2, mlp_ratio=1.0, num_classes=5
    )
    return inner, _image()


def convolutional():
    stages = {f"s{i}_{k}": v for i in (1, 2, 3) for k, v in (("emb_dim", 16), ("heads", 1), ("depth", 1))}
    return cvt.CvT(num_classes=5, **stages), _image(64)
