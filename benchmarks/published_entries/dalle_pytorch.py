"""Entry points of dalle-pytorch: a discrete autoencoder and a contrastive pair with their losses."""

import torch
from dalle_pytorch import CLIP, DiscreteVAE


class _Restoring(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model = DiscreteVAE(
            image_size=16, num_tokens=6, codebook_dim=4, num_layers=2, hidden_dim=8, kl_div_loss_weight=0.1, **options
        )

    def forward(self, images):
        return self.model(images, return_loss=True)


def discrete_autoencoder():
    return _Restoring(), (torch.rand(2, 3, 16, 16),)


def straight_through_autoencoder():
    return _Restoring(straight_through=True, num_resnet_blocks=1), (torch.rand(2, 3, 16, 16),)


class _Contrasting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = CLIP(
            dim_text=16,
            dim_image=16,
            dim_latent=8,
            num_text_tokens=11,
            text_enc_depth=1,
            text_seq_len=6,
            text_heads=2,
            visual_enc_depth=1,
            visual_heads=2,
            visual_image_size=16,
            visual_patch_size=8,
        )

    def forward(self, text, images, mask):
        return self.model(text, images, text_mask=mask, return_loss=True)


def contrastive():
    mask = torch.ones(3, 6, dtype=torch.bool)
    return _Contrasting(), (torch.randint(11, (3, 6)), torch.rand(3, 3, 16, 16), mask)
