"""Entry points of azula: denoisers with their losses, around its backbones."""

import torch
from azula.denoise import KarrasDenoiser, SimpleDenoiser
from azula.nn.dit import DiT
from azula.nn.layers import SineEncoding
from azula.nn.unet import UNet
from azula.nn.vit import ViT
from azula.noise import CosineSchedule, VESchedule, VPSchedule


class _Timed(torch.nn.Module):
    """A backbone modulated by an encoding of the time, as its tutorials build one."""

    def __init__(self, backbone):
        super().__init__()
        self.backbone, self.encoding = backbone, SineEncoding(8)

    def forward(self, x, t):
        return self.backbone(x, self.encoding(t))


class _Trained(torch.nn.Module):
    def __init__(self, denoiser):
        super().__init__()
        self.denoiser = denoiser

    def forward(self, x, t):
        return self.denoiser.loss(x, t)


def _times():
    return torch.tensor([0.1, 0.8])


def karras_unet():
    unet = UNet(1, 1, hid_channels=(4, 8), hid_blocks=(1, 1), mod_features=8)
    return _Trained(KarrasDenoiser(_Timed(unet), VPSchedule())), (2 * torch.rand(2, 1, 8, 8) - 1, _times())


def simple_vit():
    vit = ViT(1, 1, hid_channels=8, hid_blocks=1, patch_size=4, mod_features=8, attention_heads=2)
    return _Trained(SimpleDenoiser(_Timed(vit), CosineSchedule())), (2 * torch.rand(2, 1, 8, 8) - 1, _times())


def exploding_dit():
    dit = DiT(5, 5, hid_channels=8, hid_blocks=1, mod_features=8, attention_heads=2, ffn_activation="swiglu")
    return _Trained(KarrasDenoiser(_Timed(dit), VESchedule())), (torch.randn(2, 6, 5), _times())


class _Mean(torch.nn.Module):
    def __init__(self):
        super().__init__()
        unet = UNet(1, 1, hid_channels=(4, 8), hid_blocks=(1, 1), mod_features=8, norm="group", groups=2)
        self.denoiser = KarrasDenoiser(_Timed(unet), CosineSchedule())

    def forward(self, x, t):
        return self.denoiser(x, t).mean


def denoised():
    return _Mean(), (torch.randn(2, 1, 8, 8), _times())
