"""Entry points of hyperlight: networks of images and of tables whose parameters its hypernetworks predict."""

import hyperlight as hl
import torch
from torch import nn


class _Predicted(nn.Module):
    """A main network, and the hypernetwork that gives parameters to some of its layers."""

    def __init__(self, main, kinds, inputs, hidden, existing=False, **options):
        super().__init__()
        modules = hl.find_modules_of_type(main, kinds)
        self.main, values = hl.hypernetize(main, modules=modules, return_values=True)
        if existing:
            self.hyper = hl.HyperNet.from_existing(values, input_shapes=inputs, hidden_sizes=hidden, **options)
        else:
            self.hyper = hl.HyperNet(inputs, self.main.external_shapes(), hidden, **options)

    def forward(self, x, **hyper):
        with self.main.using_externals(self.hyper(**hyper)):
            return self.main(x)


class _Conditioned(nn.Module):
    def __init__(self, *names, **options):
        super().__init__()
        self.names, self.model = names, _Predicted(**options)

    def forward(self, x, labels, *given):
        return nn.functional.cross_entropy(self.model(x, **dict(zip(self.names, given, strict=True))), labels)


def _images():
    layers = nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 4, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten()
    return nn.Sequential(*layers, nn.Linear(4, 3))


def convolutions():
    model = _Conditioned("h", main=_images(), kinds=[nn.Conv2d], inputs={"h": (5,)}, hidden=[8, 8])
    return model, (torch.rand(4, 3, 8, 8), torch.tensor([0, 2, 1, 1]), torch.rand(1, 5))


def around_existing():
    options = {"kinds": [nn.Conv2d, nn.Linear], "inputs": {"scale": (1,), "kind": (2,)}, "hidden": [8]}
    model = _Conditioned("scale", "kind", main=_images(), existing=True, encoding="z|1-z", **options)
    given = torch.rand(1, 1), torch.tensor([[0.0, 1.0]])
    return model, (torch.rand(4, 3, 8, 8), torch.tensor([0, 2, 1, 1]), *given)


def table():
    main = nn.Sequential(nn.Linear(5, 8), nn.LayerNorm(8), nn.GELU(), nn.Linear(8, 3))
    options = {"fc_kws": {"dropout_prob": 0.1, "nonlinearity": "Tanh"}, "encoding": None}
    model = _Conditioned("h", main=main, kinds=[nn.Linear], inputs={"h": (2,)}, hidden=[6], **options)
    return model, (torch.randn(4, 5), torch.tensor([0, 2, 1, 1]), torch.rand(1, 2))
