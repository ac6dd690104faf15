"""Entry points of phenaki-pytorch: its autoencoder of small videos, its discriminator, transformer and critic."""

import sys
import types

import torch

# Its trainers and its reader of texts, which nothing here needs, ask for more libraries.
_package = sys.modules["phenaki_pytorch"] = types.ModuleType("phenaki_pytorch")
_package.__path__ = ["phenaki_pytorch"]
_reader = sys.modules["phenaki_pytorch.t5"] = types.ModuleType("phenaki_pytorch.t5")
_reader.t5_encode_text, _reader.get_encoded_dim, _reader.DEFAULT_T5_NAME = None, None, "none"

from phenaki_pytorch.cvivit import CViViT, Discriminator, hinge_discr_loss  # noqa: E402
from phenaki_pytorch.phenaki_pytorch import MaskGit, TokenCritic  # noqa: E402


def autoencoder():
    model = CViViT(
        dim=16,
        codebook_size=32,
        image_size=16,
        patch_size=4,
        temporal_patch_size=2,
        spatial_depth=1,
        temporal_depth=1,
        dim_head=8,
        heads=2,
        use_vgg_and_gan=False,
    )
    return model, (torch.rand(2, 3, 5, 16, 16),)


class _Discerned(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = Discriminator(dim=8, image_size=16, attn_res_layers=(8,), max_dim=16)

    def forward(self, fake, real):
        return hinge_discr_loss(self.model(fake), self.model(real))


def discriminator():
    return _Discerned(), (torch.rand(2, 3, 16, 16), torch.rand(2, 3, 16, 16))


class _Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = MaskGit(dim=16, num_tokens=20, max_seq_len=16, depth=1, dim_head=8, heads=2, unconditional=True)

    def forward(self, tokens, wanted):
        logits = self.model(tokens, video_patch_shape=(2, 2, 3))
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), wanted.flatten())


def masked_tokens():
    wanted = torch.randint(20, (2, 12))
    return _Masked(), (wanted.masked_fill(torch.rand(2, 12) < 0.4, 20), wanted)


class _Judged(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = TokenCritic(dim=16, num_tokens=20, max_seq_len=16, depth=1, dim_head=8, heads=2)

    def forward(self, tokens, replaced):
        logits = self.model(tokens, video_patch_shape=(2, 2, 3))
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, replaced)


def critic():
    return _Judged(), (torch.randint(20, (2, 12)), torch.randint(2, (2, 12)).float())
