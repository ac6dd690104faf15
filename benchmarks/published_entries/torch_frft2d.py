"""Entry points of torch-frft2d: fractional Fourier transforms of images, their angles learned."""

import torch
from torch_frft2d import frft2d_multi


class _Transformed(torch.nn.Module):
    """Classes of images by the intensities of their transforms at learned angles."""

    def __init__(self, angles, **options):
        super().__init__()
        self.angles, self.options = torch.nn.Parameter(torch.tensor(angles)), options
        self.head = torch.nn.Linear(len(angles) * 8 * 8, 3)

    def forward(self, images, labels):
        given = frft2d_multi(images, self.angles.expand(images.shape[0], -1), **self.options)
        intensity = given.real.square() + given.imag.square()
        return torch.nn.functional.cross_entropy(self.head(intensity.flatten(1)), labels)


def _images():
    return torch.rand(2, 8, 8), torch.tensor([0, 2])


def several_angles():
    return _Transformed([0.4, 1.1, 2.0], exact_integer_orders=False), _images()


def in_parts():
    return _Transformed([0.9, 1.3], exact_integer_orders=False, angle_chunk=1), _images()


class _Magnitude(torch.nn.Module):
    def forward(self, field, angles):
        return frft2d_multi(field, angles, exact_integer_orders=False).abs()


def magnitudes():
    return _Magnitude(), (torch.randn(1, 6, 8), torch.tensor([[0.7, 1.5]]))
