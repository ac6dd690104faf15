"""Entry points of unikan: its networks of basis functions of one parameter, of sums and of products, under losses."""

import torch
from unikan import SKAN_pure, UniversalKAN, basis


class _Trained(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, x, wanted):
        return self.loss(self.model(x), wanted)


def _node(function, count, kind="add", bias=True):
    return {"function": function, "param_num": 1, "node_type": kind, "node_num": count, "use_bias": bias}


def classifier():
    model = SKAN_pure([6, 8, 3], basis_function=basis.lshifted_softplus)
    return _Trained(model, torch.nn.functional.cross_entropy), (torch.rand(4, 6), torch.tensor([0, 2, 1, 1]))


def sums_and_products():
    layers = [[_node(basis.larctan, 6), _node(basis.lswish, 2, "mul")], [_node(basis.lsin, 1)]]
    model = UniversalKAN([3, 8, 1], function_lists=layers)
    return _Trained(model, torch.nn.functional.mse_loss), (torch.rand(5, 3), torch.rand(5, 1))


def without_bias():
    layers = [[_node(basis.lmish, 4), _node(basis.lrelu, 4, bias=False)], [_node(basis.lhard_sigmoid, 2)]]
    return UniversalKAN([5, 8, 2], function_lists=layers), (torch.randn(4, 5),)


def two_parameters():
    def wave(x, k):
        return k[1] * torch.cos(k[0] * x)

    layers = [[_node(wave, 6) | {"param_num": 2}], [_node(basis.lleaky_relu, 2)]]
    return UniversalKAN([4, 6, 2], function_lists=layers), (torch.randn(4, 4),)
