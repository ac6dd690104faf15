"""Entry points of nerfstudio: the losses and the sampling of its fields, on what one layer says of rays."""

import sys
from unittest.mock import MagicMock

import torch

for _name in ("viser", "viser.transforms", "nerfacc", "tyro", "mediapy", "cv2", "plotly", "matplotlib"):
    sys.modules[_name] = MagicMock()  # viewers and kernels, which nothing here needs

from nerfstudio.field_components.spatial_distortions import SceneContraction  # noqa: E402
from nerfstudio.model_components import losses  # noqa: E402
from nerfstudio.utils import math  # noqa: E402


def _weights(densities, edges):
    """The package's `RaySamples.get_weights` of samples between edges."""
    passed = (edges[:, 1:] - edges[:, :-1]) * densities
    before = torch.cat((torch.zeros_like(passed[:, :1]), passed[:, :-1].cumsum(1)), 1)
    return torch.nan_to_num((1 - torch.exp(-passed)) * torch.exp(-before))


class _Field(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(5, 6), loss

    def forward(self, features, edges, *others):
        densities = torch.nn.functional.softplus(self.layer(features))
        return self.loss(_weights(densities, edges), edges, *others)


def _field(loss, *others):
    edges = torch.linspace(0, 1, 7).repeat(4, 1)
    return _Field(loss), (torch.randn(4, 5), edges, *others)


def interlevel():
    wanted = torch.rand(4, 6).softmax(1)
    return _field(lambda w, t, v: losses.lossfun_outer(t, v, t, w).mean(), wanted)


def distortion():
    return _field(lambda w, t: losses.lossfun_distortion(t, w).mean())


def sparse_depth():
    def loss(w, t, depth):
        steps, lengths = (t[:, 1:] + t[:, :-1]) / 2, t[:, 1:] - t[:, :-1]
        return losses.ds_nerf_depth_loss(w[..., None], depth, steps[..., None], lengths[..., None], torch.tensor(0.1))

    return _field(loss, torch.rand(4, 1))


def urban_depth():
    def loss(w, t, depth):
        steps = (t[:, 1:] + t[:, :-1]) / 2
        found = (w * steps).sum(1, keepdim=True) / (w.sum(1, keepdim=True) + 1e-10)
        return losses.urban_radiance_field_depth_loss(w[..., None], depth, found, steps[..., None], torch.tensor(0.1))

    return _field(loss, torch.rand(4, 1))


class _Depth(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Conv2d(3, 1, 3, padding=1), loss

    def forward(self, image, depth, mask):
        return self.loss(self.layer(image)[:, 0], depth, mask)


def _depth(loss):
    mask = torch.ones(2, 8, 8, dtype=torch.bool)
    mask[:, :2] = False
    return _Depth(loss), (torch.rand(2, 3, 8, 8), torch.rand(2, 8, 8), mask)


def shift_invariant():
    return _depth(losses.ScaleAndShiftInvariantLoss(scales=1, reduction_type="image"))


def midas():
    return _depth(losses.MiDaSMSELoss(reduction_type="image"))


class _Normals(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(5, 3)

    def forward(self, features, normals):
        return losses.monosdf_normal_loss(self.layer(features), normals)


def normals():
    return _Normals(), (torch.randn(4, 5), torch.nn.functional.normalize(torch.randn(4, 3), dim=-1))


class _Contracted(torch.nn.Module):
    """Colours of points that a layer moves, in the contracted scene."""

    def __init__(self):
        super().__init__()
        self.first, self.contraction, self.last = torch.nn.Linear(3, 3), SceneContraction(), torch.nn.Linear(3, 3)

    def forward(self, points, colours):
        return torch.nn.functional.mse_loss(self.last(self.contraction(self.first(points))), colours)


def contraction():
    return _Contracted(), (3 * torch.randn(6, 3), torch.rand(6, 3))


class _Cones(torch.nn.Module):
    """Encoded Gaussians of the frustums along rays."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 1)

    def forward(self, origins, directions, edges, wanted):
        ends = edges[:, 1:, None], edges[:, :-1, None]
        radius = torch.full_like(ends[0], 0.01)
        found = math.conical_frustum_to_gaussian(origins[:, None], directions[:, None], ends[1], ends[0], radius)
        variance = torch.diagonal(found.cov, dim1=-2, dim2=-1)
        return torch.nn.functional.mse_loss(self.layer(math.expected_sin(found.mean, variance)), wanted)


def cones():
    edges = torch.linspace(0.1, 1, 7).repeat(4, 1)
    return _Cones(), (torch.randn(4, 3), torch.randn(4, 3), edges, torch.rand(4, 6, 1))
