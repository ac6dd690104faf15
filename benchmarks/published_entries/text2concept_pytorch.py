"""Entry points of text2concept-pytorch: features aligned with those of another network, and compared with texts."""

import torch
from text2concept_pytorch.text2concept_pytorch import Text2ConceptAligner


class _Aligned(torch.nn.Module):
    """How far aligned features are from the wanted ones in their directions."""

    def __init__(self):
        super().__init__()
        self.aligner = Text2ConceptAligner(source_dim=6, clip_dim=8)

    def forward(self, features, wanted):
        wanted = torch.nn.functional.normalize(wanted, dim=-1)
        return 1 - (self.aligner(features) * wanted).sum(-1).mean()


def aligned():
    return _Aligned(), (torch.randn(4, 6), torch.randn(4, 8))


class _Compared(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution, self.aligner = torch.nn.Conv2d(3, 6, 3, stride=4), Text2ConceptAligner(6, 8)
        self.register_buffer("texts", torch.nn.functional.normalize(torch.randn(5, 8), dim=-1))

    def forward(self, images, labels):
        features = self.convolution(images).relu().mean((2, 3))
        return torch.nn.functional.cross_entropy(100 * self.aligner(features) @ self.texts.T, labels)


def compared_with_texts():
    return _Compared(), (torch.rand(4, 3, 16, 16), torch.tensor([0, 4, 2, 2]))
