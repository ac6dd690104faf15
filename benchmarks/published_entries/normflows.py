"""Entry points of normflows: forward Kullback-Leibler divergences of small flows."""

import normflows
import torch


class _Likelihood(torch.nn.Module):
    def __init__(self, flows, dimensions=2, base=None):
        super().__init__()
        self.flow = normflows.NormalizingFlow(base or normflows.distributions.DiagGaussian(dimensions), flows)

    def forward(self, x):
        return self.flow.forward_kld(x)


def _points(dimensions=2):
    return (torch.randn(6, dimensions),)


def real_nvp():
    net = normflows.nets.MLP([1, 8, 2], init_zeros=True)
    return _Likelihood([normflows.flows.AffineCouplingBlock(net), normflows.flows.Permute(2)]), _points()


def masked_affine():
    mask = torch.tensor([1.0, 0.0])
    nets = [normflows.nets.MLP([2, 8, 2]) for _ in range(2)]
    flows = [normflows.flows.MaskedAffineFlow(mask, *nets), normflows.flows.ActNorm(2)]
    return _Likelihood(flows), _points()


def autoregressive_spline():
    return _Likelihood([normflows.flows.AutoregressiveRationalQuadraticSpline(2, 1, 8)]), _points()


def autoregressive_affine():
    flows = [normflows.flows.MaskedAffineAutoregressive(3, 8), normflows.flows.LULinearPermute(3)]
    return _Likelihood(flows, 3), _points(3)


def mixture_base():
    flow = normflows.flows.AffineConstFlow(2)
    return _Likelihood([flow], base=normflows.distributions.GaussianMixture(3, 2)), _points()


class _Planar(torch.nn.Module):
    """A sample pushed through planar and radial flows, as a variational posterior is trained."""

    def __init__(self):
        super().__init__()
        self.flows = torch.nn.ModuleList([normflows.flows.Planar((2,)), normflows.flows.Radial((2,))])

    def forward(self, z):
        total = z.square().sum(1) / 2
        for flow in self.flows:
            z, determinant = flow(z)
            total = total + determinant
        return (z.square().sum(1) - total).mean()


def planar_and_radial():
    return _Planar(), _points()
