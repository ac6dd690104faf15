"""Entry points of efficientvit-gml: its networks with linear attention for images and their parts."""

import torch
from efficientvit.models.efficientvit.backbone import EfficientViTBackbone, EfficientViTLargeBackbone
from efficientvit.models.efficientvit.cls import ClsHead, EfficientViTCls
from efficientvit.models.efficientvit.seg import EfficientViTSeg, SegHead


class _Trained(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network, self.loss = network, torch.nn.CrossEntropyLoss()

    def forward(self, images, wanted):
        return self.loss(self.network(images), wanted)


def _backbone():
    return EfficientViTBackbone(width_list=[4, 8, 8, 16, 16], depth_list=[1, 1, 1, 1, 1], dim=8)


def classes():
    network = EfficientViTCls(_backbone(), ClsHead(16, [32, 32], n_classes=5))
    return _Trained(network), (torch.rand(2, 3, 64, 64), torch.tensor([1, 4]))


def large_classes():
    backbone = EfficientViTLargeBackbone(width_list=[4, 8, 8, 16, 16], depth_list=[1, 1, 1, 1, 1], qkv_dim=8)
    network = EfficientViTCls(backbone, ClsHead(16, [32, 32], n_classes=5, act_func="gelu"))
    return network, (torch.rand(2, 3, 64, 64),)


def parts():
    head = SegHead(
        fid_list=["stage4", "stage3", "stage2"],
        in_channel_list=[16, 16, 8],
        stride_list=[32, 16, 8],
        head_stride=8,
        head_width=8,
        head_depth=1,
        expand_ratio=4,
        middle_op="mbconv",
        final_expand=4,
        n_classes=4,
    )
    return _Trained(EfficientViTSeg(_backbone(), head)), (torch.rand(2, 3, 64, 64), torch.randint(0, 4, (2, 8, 8)))
