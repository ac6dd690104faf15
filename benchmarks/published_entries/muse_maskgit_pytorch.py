"""Entry points of muse-maskgit-pytorch: words to codes of pictures, their masked training, critics, the autoencoder."""

import sys
import types
from unittest.mock import MagicMock

import torch

_package = sys.modules["muse_maskgit_pytorch"] = types.ModuleType("muse_maskgit_pytorch")
_package.__path__ = ["muse_maskgit_pytorch"]
_t5 = sys.modules["muse_maskgit_pytorch.t5"] = MagicMock(DEFAULT_T5_NAME="google/t5-v1_1-base")
_t5.get_encoded_dim = lambda name: 12  # the texts here are encoded already
WANTING = {
    "beartype",
    "memory_efficient_attention_pytorch",
    "memory_efficient_attention_pytorch.flash_attention",
    "torchvision",
    "torchvision.transforms",
    "vector_quantize_pytorch",
} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # types that are checked, other attention and codes, which nothing here needs
if "beartype" in WANTING:
    sys.modules["beartype"].beartype = lambda function: function

from muse_maskgit_pytorch.muse_maskgit_pytorch import (  # noqa: E402
    MaskGit,
    MaskGitTransformer,
    SelfCritic,
    TokenCritic,
)
from muse_maskgit_pytorch.vqgan_vae import (  # noqa: E402
    Discriminator,
    ResnetEncDec,
    bce_discr_loss,
    bce_gen_loss,
    hinge_discr_loss,
    hinge_gen_loss,
)

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed

SMALL = {"dim": 8, "num_tokens": 16, "seq_len": 16, "depth": 1, "dim_head": 4, "heads": 2, "ff_mult": 2}
SMALL["flash"] = False  # whose kernel is another library's


class _Codes(torch.nn.Module):
    """What the training reads of the autoencoder when the codes are made already."""

    codebook_size = 16

    def copy_for_eval(self):
        return self


class _Asked(torch.nn.Module):
    def __init__(self, model, **options):
        super().__init__()
        self.model, self.options = model, options

    def forward(self, codes, texts, *labels):
        named = dict(zip(("labels",), labels, strict=False))
        return self.model(codes, text_embeds=texts, **named, **self.options)


def _texts():
    """Encoded words of two texts, the second padded by zeros."""
    texts = torch.randn(2, 5, 12)
    texts[1, 3:] = 0
    return texts


def _codes():
    return torch.randint(0, 16, (2, 16))


def predicted():
    return _Asked(MaskGitTransformer(**SMALL)), (_codes(), _texts())


def without_texts():
    model = _Asked(MaskGitTransformer(**SMALL, self_cond=True), cond_drop_prob=1.0)
    return model, (_codes(), _texts())


def critic():
    return _Asked(TokenCritic(**SMALL)), (_codes(), _texts(), torch.randint(0, 2, (2, 16)).float())


def own_critic():
    return _Asked(SelfCritic(MaskGitTransformer(**SMALL))), (_codes(), _texts(), torch.randint(0, 2, (2, 16)).float())


def masked_training():
    return _Asked(MaskGit(image_size=16, transformer=MaskGitTransformer(**SMALL), vae=_Codes())), (_codes(), _texts())


class _Autoencoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = ResnetEncDec(8, layers=2, resnet_groups=4)

    def forward(self, images):
        return torch.nn.functional.l1_loss(self.model.decode(self.model.encode(images)), images)


def autoencoder():
    return _Autoencoder(), (torch.rand(2, 3, 16, 16),)


class _Adversary(torch.nn.Module):
    def __init__(self, judged, made):
        super().__init__()
        self.layer, self.judge = torch.nn.Conv2d(3, 3, 3, padding=1), Discriminator((8, 16), groups=4)
        self.judged, self.made = judged, made

    def forward(self, images):
        fake = self.layer(images)
        return self.judged(self.judge(fake.detach()), self.judge(images)) + self.made(self.judge(fake))


def hinge():
    return _Adversary(hinge_discr_loss, hinge_gen_loss), (torch.rand(2, 3, 16, 16),)


def binary():
    return _Adversary(bce_discr_loss, bce_gen_loss), (torch.rand(2, 3, 16, 16),)
