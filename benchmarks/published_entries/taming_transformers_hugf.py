"""Entry points of taming-transformers-hugf: its quantised autoencoders with their losses, and the one that judges."""

import torch
from taming_transformers_hugf.taming.modules.diffusionmodules.model import Decoder, Encoder
from taming_transformers_hugf.taming.modules.discriminator.model import NLayerDiscriminator, weights_init
from taming_transformers_hugf.taming.modules.losses.segmentation import BCELossWithQuant
from taming_transformers_hugf.taming.modules.losses.vqperceptual import hinge_d_loss, vanilla_d_loss
from taming_transformers_hugf.taming.modules.vqvae.quantize import GumbelQuantize, VectorQuantizer2


class _Segmented(torch.nn.Module):
    """Maps of classes, each pixel one-hot, through a code book."""

    def __init__(self, quantize):
        super().__init__()
        sizes = {"ch": 32, "ch_mult": (1, 2), "num_res_blocks": 1, "attn_resolutions": [8], "resolution": 16}
        sizes |= {"in_channels": 4, "out_ch": 4, "z_channels": 8}
        self.encoder, self.decoder = Encoder(**sizes, double_z=False), Decoder(**sizes)
        self.before, self.after = torch.nn.Conv2d(8, 4, 1), torch.nn.Conv2d(4, 8, 1)
        self.quantize, self.loss = quantize, BCELossWithQuant()

    def forward(self, maps):
        quantised, code_loss, _ = self.quantize(self.before(self.encoder(maps)))
        return self.loss(code_loss, maps, self.decoder(self.after(quantised)), split="train")[0]


def _maps():
    classes = torch.randint(0, 4, (2, 16, 16))
    return torch.nn.functional.one_hot(classes, 4).permute(0, 3, 1, 2).float()


def code_book():
    return _Segmented(VectorQuantizer2(16, 4, beta=0.25, sane_index_shape=False)), (_maps(),)


def gumbel():
    return _Segmented(GumbelQuantize(4, 4, 16, kl_weight=5e-4, temp_init=1.0)), (_maps(),)


class _Judged(torch.nn.Module):
    def __init__(self, loss, **options):
        super().__init__()
        self.discriminator = NLayerDiscriminator(input_nc=3, ndf=8, n_layers=2, **options).apply(weights_init)
        self.loss = loss

    def forward(self, images, made):
        return self.loss(self.discriminator(images), self.discriminator(made))


def _images():
    return 2 * torch.rand(2, 3, 32, 32) - 1, torch.tanh(torch.randn(2, 3, 32, 32))


def hinge():
    return _Judged(hinge_d_loss), _images()


def vanilla():
    return _Judged(vanilla_d_loss, use_actnorm=True), _images()
