"""Entry points of microtorch-mri: networks that fit models of diffusion, with the losses of the signal they explain."""

import torch
from microtorch.loss_functions import RicianLoss, RicianLossStable
from microtorch.model_maker import ModelMaker
from microtorch.net_maker import Net
from microtorch.utils.acquisition_scheme import AcquisitionScheme


class _Fitted(torch.nn.Module):
    def __init__(self, name, loss, **options):
        super().__init__()
        directions = torch.nn.functional.normalize(torch.randn(6, 3), dim=1)
        scheme = AcquisitionScheme([0.0, 0.5, 1.0, 1.0, 2.0, 3.0], directions)
        settings = {"input_neurons": 6, "layer_dims": 8, "n_layers": 2, "dropout_fraction": 0.2}
        self.model, self.loss = Net(scheme, ModelMaker(name), **settings, **options), loss

    def forward(self, signals):
        return self.loss(self.model(signals)[0], signals)


def _signals():
    """Signals that fall with the weight of diffusion, divided by the first."""
    return (torch.exp(-torch.tensor([0.0, 0.5, 1.0, 1.0, 2.0, 3.0]) * (0.5 + torch.rand(4, 1))),)


def error():
    squashed = {"clipping_method": "sigmoid", "clipping_method_fraction": "softmax"}
    return _Fitted("BallStick", torch.nn.MSELoss(), **squashed), _signals()


def rician():
    return _Fitted("Ball", RicianLoss()), _signals()


def stable_rician():
    return _Fitted("Zeppelin", RicianLossStable(), network_type="dev_mlp"), _signals()
