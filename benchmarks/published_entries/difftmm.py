"""Entry points of difftmm: coatings whose thicknesses are learned through its transfer matrices, of both kinds."""

import torch
from difftmm import IsotropicFilmSolver, create_jones_matrix_isotropic
from torch import nn


class _Coating(nn.Module):
    """How far the reflected power lies from what is wanted, at each wavelength and angle."""

    def __init__(self, indices, n_in, n_out):
        super().__init__()
        self.register_buffer("indices", torch.tensor([indices]))
        self.thickness, self.n_in, self.n_out = nn.Parameter(0.5 * torch.randn(1, len(indices))), n_in, n_out

    def forward(self, wavelengths, angles, wanted):
        thickness = torch.sigmoid(self.thickness) * 0.19 + 0.01
        given = self.indices, thickness, wavelengths, self.n_in, self.n_out, angles
        _, _, rs, rp = create_jones_matrix_isotropic(*given)
        return (0.5 * (rs.abs().square() + rp.abs().square()) - wanted).square().mean()


def _light():
    return torch.tensor([[0.45, 0.55, 0.65]]), torch.tensor([[0.1, 0.4, 0.7, 1.0]])


def antireflective():
    return _Coating([2.1, 1.46, 2.1, 1.46], 1.0, 1.52), (*_light(), torch.zeros(1, 3, 4))


def between_glasses():
    return _Coating([2.1, 1.46, 2.1], 1.5, 1.5), (*_light(), torch.full((1, 3, 4), 0.5))


class _Solved(nn.Module):
    """A solver's film from its parameters, between their bounds, and what it lets pass."""

    def __init__(self):
        super().__init__()
        options = {"thickness_ls": [0.08, 0.12, 0.08], "sigmoid_param": True, "device": torch.device("cpu")}
        self.solver = IsotropicFilmSolver(1.0, 1.5, [2.1, 1.46, 2.1], **options)
        self.solver.film_params = self.film = nn.Parameter(self.solver.film_params)

    def forward(self, angles, wavelengths):
        ts, tp, _, _ = self.solver.simulate(angles, wavelengths)
        return ts.abs().square(), tp.abs().square(), torch.angle(ts)


def solved_film():
    return _Solved(), (torch.linspace(0.05, 1.2, 5), torch.tensor([0.45, 0.55, 0.65]))
