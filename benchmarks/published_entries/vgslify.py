"""Entry points of vgslify: networks that it builds from specifications, as in its README."""

import torch
from vgslify.generator import VGSLModelGenerator


def _keras(specification):
    return VGSLModelGenerator(backend="tensorflow").generate_model(specification)


def keras_images():
    return _keras("2,16,16,1 Cr3,3,8 Mp2,2,2,2 Bn Flt Fs10")


def keras_steps():
    return _keras("2,9,6 Lfs8 D20 Fs12")


class _Classified(torch.nn.Module):
    def __init__(self, specification):
        super().__init__()
        self.model = VGSLModelGenerator(backend="torch").generate_model(specification)

    def forward(self, images, classes):
        return torch.nn.functional.cross_entropy(self.model(images), classes)


def torch_images():
    return _Classified("2,16,16,1 Cr3,3,8 Mp2,2,2,2 Flt Fl10"), (torch.rand(2, 1, 16, 16), torch.tensor([1, 3]))


def torch_rows():
    return _Classified("3,6 Fr8 D20 Ft8 Fl4"), (torch.randn(3, 6), torch.tensor([1, 3, 0]))
