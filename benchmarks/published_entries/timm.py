"""Entry points of timm: its losses behind one layer, and the smallest network of several families."""

import timm
import torch
from timm import loss as losses


class _Classifying(torch.nn.Module):
    def __init__(self, loss, classes=4):
        super().__init__()
        self.head, self.loss = torch.nn.Linear(8, classes), loss

    def forward(self, x, labels):
        return self.loss(self.head(x), labels)


def asymmetric():
    return _Classifying(losses.AsymmetricLossMultiLabel()), (torch.randn(6, 8), (torch.rand(6, 4) > 0.5).float())


def asymmetric_single():
    return _Classifying(losses.AsymmetricLossSingleLabel()), (torch.randn(6, 8), torch.randint(4, (6,)))


def jensen_shannon():
    return _Classifying(losses.JsdCrossEntropy(3)), (torch.randn(6, 8), torch.randint(4, (2,)))


def soft_targets():
    return _Classifying(losses.SoftTargetCrossEntropy()), (torch.randn(6, 8), torch.rand(6, 4).softmax(-1))


def binary():
    return _Classifying(losses.BinaryCrossEntropy()), (torch.randn(6, 8), torch.randint(4, (6,)))


def _network(name, size=64, **named):
    return timm.create_model(name, num_classes=4, **named).eval(), (torch.randn(1, 3, size, size),)


def swin_v2():
    return _network(
        "swinv2_tiny_window8_256", img_size=64, window_size=4, embed_dim=24, depths=(1, 1, 1, 1), num_heads=(1, 1, 2, 2)
    )


def coat_net():
    return _network("coatnet_pico_rw_224", img_size=64)


def edge_next():
    return _network("edgenext_xx_small")


def mobile_vit():
    return _network("mobilevit_xxs")


def pool_former():
    return _network("poolformer_s12")


def eva_rotary():
    return _network("eva02_tiny_patch14_224", size=56, img_size=56, depth=2)


def cross_covariance():
    return _network("xcit_nano_12_p16_224", depth=2)


def global_context():
    return _network("gcvit_xxtiny", img_size=64)


def normalizer_free():
    return _network("nf_resnet26")


def gathered_excitation():
    return _network("gcresnet33ts")


def squeeze_excite():
    return _network("efficientnet_b0")


def res_nest():
    return _network("resnest14d")


def volo():
    return _network("volo_d1_224", img_size=64)
