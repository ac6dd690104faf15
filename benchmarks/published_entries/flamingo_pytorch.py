"""Entry points of flamingo-pytorch: resampled media and text that attends to them."""

import torch
from flamingo_pytorch import GatedCrossAttentionBlock, PerceiverResampler


class _Captioning(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.resample = PerceiverResampler(dim=8, depth=1, dim_head=4, heads=2, num_latents=3, num_media_embeds=2)
        self.attend = GatedCrossAttentionBlock(dim=8, dim_head=4, heads=2)

    def forward(self, text, media):
        locations = torch.zeros(text.shape[:2], dtype=torch.bool)
        locations[:, 0] = True
        return self.attend(text, self.resample(media), media_locations=locations)


def captioning():
    return _Captioning(), (torch.randn(1, 6, 8), torch.randn(1, 2, 5, 8))
