"""Entry points of json-torch-models: networks described as in its files, with connections that skip, trained."""

import torch
from json_torch_models.model import JsonPyTorchModel


def _layer(name, **arguments):
    return {"component_class": f"torch.nn.{name}", "args": arguments}


class _Trained(torch.nn.Module):
    def __init__(self, children, loss):
        super().__init__()
        self.model, self.loss = JsonPyTorchModel(children, tag="network"), loss

    def forward(self, features, wanted):
        return self.loss(self.model(features), wanted)


def rows():
    children = [_layer("Linear", in_features=5, out_features=8), _layer("ReLU")]
    children += [_layer("Dropout", p=0.1), _layer("Linear", in_features=8, out_features=3)]
    return _Trained(children, torch.nn.CrossEntropyLoss()), (torch.randn(4, 5), torch.tensor([0, 2, 1, 1]))


def skipped():
    inner = {"children": [_layer("Conv2d", in_channels=6, out_channels=6, kernel_size=3, padding=1), _layer("ReLU")]}
    linker = "json_torch_models.modules.default_modules.SkippedLinker"
    children = [
        {**_layer("Conv2d", in_channels=3, out_channels=6, kernel_size=3, padding=1), "store_out": "first"},
        _layer("BatchNorm2d", num_features=6),
        {"component_class": linker, "args": {"mode": "add", "module": inner}, "forward_in": "first"},
        _layer("Conv2d", in_channels=6, out_channels=2, kernel_size=1),
    ]
    return _Trained(children, torch.nn.CrossEntropyLoss()), (torch.rand(2, 3, 8, 8), torch.randint(2, (2, 8, 8)))
