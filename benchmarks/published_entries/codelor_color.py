"""Entry points of codelor-color: its network that finds a colour's screen in pictures, small, with losses of masks."""

import torch
from codelor_color import DEFAULT_REF_RGB, CodelorColor


def _model(**options):
    return CodelorColor(dim=16, depth=2, heads=2, tied_after=1, max_tokens=16, **options)


class _Keyed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = _model()

    def forward(self, pictures, colour, masks):
        return torch.nn.functional.binary_cross_entropy_with_logits(self.model(pictures, colour), masks)


def _pictures():
    """Pictures of which a part has about the colour that is looked for."""
    masks = (torch.rand(2, 1, 2, 2) > 0.5).float().repeat_interleave(16, 2).repeat_interleave(16, 3)
    colour = torch.tensor([DEFAULT_REF_RGB]).repeat(2, 1)
    screen = (colour.view(2, 3, 1, 1) + 0.05 * torch.randn(2, 3, 32, 32)).clamp(0, 1)
    return masks * screen + (1 - masks) * torch.rand(2, 3, 32, 32), colour, masks


def keyed():
    return _Keyed(), _pictures()


class _Overlap(_Keyed):
    """The overlap of masks too, and that of the small masks of the layers below."""

    def forward(self, pictures, colour, masks):
        logits, small = self.model(pictures, colour, return_aux=True)
        found = torch.sigmoid(logits)
        overlap = (2 * (found * masks).sum() + 1) / (found.sum() + masks.sum() + 1)
        coarse = torch.nn.functional.interpolate(masks, size=small.shape[-2:])
        below = torch.nn.functional.binary_cross_entropy_with_logits(small, coarse)
        return 1 - overlap + 0.4 * below


def overlap():
    return _Overlap(), _pictures()


def masks():
    return _model(drop_path_rate=0.0), _pictures()[:2]
